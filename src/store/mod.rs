//! State on disk: everything that outlives a process lies under `<git common dir>/evidence/`.
//!
//! Nothing of it is ever in the working tree, so it makes no tree dirty and no push can carry it.
//! The common directory is shared by all linked worktrees: two checkouts see the same records,
//! counters and locks. What holds for every file here:
//!
//! * It is replaced in one rename or grows by whole lines ([`mod@write`]); a kill at any instant leaves
//!   the former content, or the former content and one torn last line that readers step over.
//! * Whoever changes it holds the lock that [`Layout`] names for it ([`lock`]).
//! * An error names the file and what a person can do about it.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

pub mod branch;
pub mod clock;
pub mod journal;
pub mod lock;
pub mod log;
pub mod measurements;
pub mod records;
pub mod write;

pub use write::StoreError;

/// Every path, with its meaning and its lifetime. `<branch>` is the encoded name: one path
/// component that no two branches share.
///
/// | path | meaning | lives until |
/// |---|---|---|
/// | `records/<aa>/<sha>.json` | the evidence record of a commit | a person deletes it |
/// | `measurements/<tree>/<key>.json` | figures of one check on one tree: a cache | newer trees push it out |
/// | `measurements/<sha>/ci-<key>.json` | what the CI runs of one commit found: likewise | likewise |
/// | `branches/<branch>/state.json` | cumulative counters of the loop | success, merge or `reset` |
/// | `branches/<branch>/autocount.json` | how many markers hooks have emitted | success or `reset` |
/// | `branches/<branch>/autocount.lock` | guards the counter for the moment of counting | for ever |
/// | `branches/<branch>/journal.jsonl` | what the present run has done | the run's end: moved to `runs/` |
/// | `branches/<branch>/lock` | held by whoever commits on the branch | for ever |
/// | `checkouts/<id>/lock` | held by whoever works in that checkout | for ever |
/// | `checkouts/<id>/warm.lock` | held while the record of its new commit is made beforehand | for ever |
/// | `runs/<run_id>.jsonl` | the journal of a run that ended | a person deletes it |
/// | `log.jsonl` | one line a dispatch, over all branches | a person deletes it |
/// | `log.lock` | guards the log for the moment of appending | for ever |
/// | `out/<run_id>/` | what checks and fixers wrote | a person deletes it |
///
/// Lock files are never deleted: a second process could lock a new file of the same name while the
/// first still holds the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// For the repository with this common directory (absolute, as git prints it).
    pub fn new(git_common_dir: &Path) -> Layout {
        Layout { root: git_common_dir.join("evidence") }
    }

    /// The folder of everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The record of a commit. The first two digits are a folder, so that no folder gets so many
    /// entries that listing it is slow.
    pub fn record(&self, sha: &str) -> PathBuf {
        let shard = sha.get(..2).unwrap_or(sha);
        self.root.join("records").join(shard).join(format!("{sha}.json"))
    }

    /// All measurements.
    pub fn measurements(&self) -> PathBuf {
        self.root.join("measurements")
    }

    /// Everything of one branch.
    pub fn branch(&self, encoded: &str) -> PathBuf {
        self.root.join("branches").join(encoded)
    }

    /// Counters of the loop.
    pub fn state(&self, encoded: &str) -> PathBuf {
        self.branch(encoded).join("state.json")
    }

    /// Counter of the hooks' markers.
    pub fn autocount(&self, encoded: &str) -> PathBuf {
        self.branch(encoded).join("autocount.json")
    }

    /// Guards [`Layout::autocount`]. Not the branch's lock: a hook counts while a run holds that.
    pub fn autocount_lock(&self, encoded: &str) -> PathBuf {
        self.branch(encoded).join("autocount.lock")
    }

    /// What the present run has done.
    pub fn journal(&self, encoded: &str) -> PathBuf {
        self.branch(encoded).join("journal.jsonl")
    }

    /// Held by whoever commits on the branch.
    pub fn branch_lock(&self, encoded: &str) -> PathBuf {
        self.branch(encoded).join("lock")
    }

    /// The `<id>` of the checkout with this git directory.
    pub fn checkout_id(git_dir: &Path) -> String {
        let digest = Sha256::digest(git_dir.as_os_str().as_encoded_bytes());
        digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    /// Held by whoever works in the checkout.
    pub fn checkout_lock(&self, id: &str) -> PathBuf {
        self.root.join("checkouts").join(id).join("lock")
    }

    /// Held by whoever measures in the background what the checkout has got.
    pub fn warm_lock(&self, id: &str) -> PathBuf {
        self.root.join("checkouts").join(id).join("warm.lock")
    }

    /// Journals of runs that ended.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// One line a dispatch.
    pub fn log(&self) -> PathBuf {
        self.root.join("log.jsonl")
    }

    /// Guards [`Layout::log`].
    pub fn log_lock(&self) -> PathBuf {
        self.root.join("log.lock")
    }

    /// What checks and fixers of a run wrote.
    pub fn out(&self, run_id: &str) -> PathBuf {
        self.root.join("out").join(run_id)
    }
}
