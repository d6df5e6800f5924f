//! The adapter on real repositories of every kind.

mod base;
mod change;
mod commit;
mod kinds;
mod moves;
mod refs;
mod tree;
mod worktree;

use git_evidence::model::CommitId;

fn id(text: &str) -> CommitId {
    CommitId::parse(text).unwrap()
}
