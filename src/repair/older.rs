//! What lay in the tree before a fixer started, though git did not see it: ignored files. A fixer that
//! edits `.gitignore` makes them look like its own.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::checkout::path_text;
use crate::git::{GitError, Repo};
use crate::model::CommitId;

/// File systems' clocks are coarser than the system's.
const SLACK_NS: i128 = 20_000_000;

/// The look before.
pub(super) struct Older {
    top: PathBuf,
    since_ns: i128,
    tracked: BTreeSet<String>,
    /// Device and inode of tracked files: one that was moved along with its folder has an old
    /// change time too.
    inodes: HashSet<(u64, u64)>,
}

impl Older {
    pub(super) fn look(repo: &Repo, tip: &CommitId) -> Result<Older, GitError> {
        let top = repo.top()?.to_path_buf();
        let tracked: BTreeSet<String> = repo.files(tip)?.into_iter().collect();
        let meta = tracked.iter().filter_map(|p| top.join(p).symlink_metadata().ok());
        let inodes = meta.map(|m| (m.dev(), m.ino())).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since_ns = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX);
        Ok(Older { top, since_ns, tracked, inodes })
    }

    /// Whether a path that the tip has not is older than the look.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        if self.tracked.contains(&path_text(path)) {
            return false;
        }
        let Ok(meta) = self.top.join(OsStr::from_bytes(path)).symlink_metadata() else {
            return false;
        };
        let changed_ns = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
        changed_ns < self.since_ns - SLACK_NS && !self.inodes.contains(&(meta.dev(), meta.ino()))
    }
}
