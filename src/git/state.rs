//! Operations in progress and locks: git's own files tell, no library knows all of them.

use std::path::PathBuf;

use super::error::GitError;
use super::repo::{RefFormat, Repo, to_path};

/// A merge, rebase or the like that is not finished, or a lock of another git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InProgress {
    /// What it is: `merge`, `cherry-pick`, `revert`, `bisect`, `rebase`, `am`, `sequencer`,
    /// `lock` or `unmerged`.
    pub word: &'static str,
    /// The file that says so; for `unmerged` the first such file of the working tree.
    pub path: PathBuf,
}

/// Files in the git directory, in the order in which they are reported.
const SIGNS: [(&str, &str); 11] = [
    ("am", "rebase-apply/applying"),
    ("rebase", "rebase-merge"),
    ("rebase", "rebase-apply"),
    ("merge", "MERGE_HEAD"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("bisect", "BISECT_LOG"),
    ("sequencer", "sequencer"),
    ("lock", "index.lock"),
    ("lock", "HEAD.lock"),
    ("lock", "reftable/tables.list.lock"),
];

impl Repo {
    /// The first operation that is in progress here, or a lock on the index, HEAD or the branch.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn in_progress_operation(
        &self,
        branch: Option<&str>,
    ) -> Result<Option<InProgress>, GitError> {
        let mut signs: Vec<(&'static str, String)> =
            SIGNS.iter().map(|(word, file)| (*word, (*file).to_owned())).collect();
        // in a table no branch has a lock of its own, and git refuses to name one
        if let Some(branch) = branch.filter(|_| self.ref_format == RefFormat::Files) {
            signs.push(("lock", format!("refs/heads/{branch}.lock")));
        }
        let paths = self.git_paths(&signs.iter().map(|(_, f)| f.as_str()).collect::<Vec<_>>())?;
        for ((word, _), path) in signs.into_iter().zip(paths) {
            if path.symlink_metadata().is_ok() {
                return Ok(Some(InProgress { word, path }));
            }
        }
        self.unmerged()
    }

    /// The first conflicted file.
    fn unmerged(&self) -> Result<Option<InProgress>, GitError> {
        if self.top.is_none() {
            return Ok(None);
        }
        let listed = self.read(&["ls-files", "-u", "-z"]).ok()?;
        let first = listed.split(|b| *b == 0).next().filter(|e| !e.is_empty());
        let path = first.and_then(|e| e.splitn(2, |b| *b == b'\t').nth(1));
        Ok(path.map(|p| InProgress { word: "unmerged", path: to_path(p) }))
    }
}
