//! The adapter to git: everything else knows repositories only through [`Repo`].
//!
//! The `git` program does everything that touches the index, the working tree, commits, refs that
//! move, diffs and configuration, because only it runs hooks, filters and signing and knows every
//! kind of repository. libgit2 reads objects and refs where it can open the repository, because a
//! process costs milliseconds that a hook does not have; where it refuses (SHA-256, reftable,
//! unknown extensions) every function asks the program instead.
//!
//! Nothing here destroys: no hard reset, no clean, no stash, no forced checkout. A checkout moves
//! only after a look at every file that would change ([`Repo::two_way`]).

mod base;
mod change;
mod commit;
mod config;
mod diff;
mod encode;
mod error;
mod files;
mod program;
mod refs;
mod repo;
mod state;
mod status;
mod tree;
mod update;
mod worktree;

pub use base::{BaseQuery, BaseRef};
pub use commit::CommitRequest;
pub use config::Config;
pub use encode::{branch_key, detached_key};
pub use error::GitError;
pub use files::Entry;
pub use refs::Head;
pub use repo::{MINIMUM_GIT, ObjectFormat, RefFormat, Repo};
pub use state::InProgress;
pub use status::{Shape, Snapshot, StatusEntry, StatusKind};
pub use update::{Expect, RefEdit};
pub use worktree::Worktree;
