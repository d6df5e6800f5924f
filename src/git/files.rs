//! Which files a commit has, and which paths git leaves out.

use super::error::GitError;
use super::repo::Repo;
use crate::model::CommitId;

impl Repo {
    /// Paths of a commit's files, submodules and links included, as text: a path that is not UTF-8
    /// has replacement characters, so it matches nothing that a tool reports.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn files(&self, commit: &CommitId) -> Result<Vec<String>, GitError> {
        let call =
            self.read(&["ls-tree", "-r", "--name-only", "--full-tree", "-z", commit.as_str()]);
        let printed = call.ok()?;
        let paths = printed.split(|b| *b == 0).filter(|p| !p.is_empty());
        Ok(paths.map(|p| String::from_utf8_lossy(p).into_owned()).collect())
    }

    /// Whether git was told not to look at some file of the working tree (`update-index
    /// --assume-unchanged`, `--skip-worktree` outside a sparse checkout), so that a clean status
    /// does not mean that the tree is the commit's.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn hides_changes(&self) -> Result<bool, GitError> {
        let sparse = self.config()?.bool("core.sparseCheckout").unwrap_or(false);
        let printed = self.read(&["ls-files", "-v", "-z"]).ok()?;
        let hidden = |entry: &[u8]| match entry.first() {
            Some(b'S') => !sparse,
            Some(tag) => tag.is_ascii_lowercase(),
            None => false,
        };
        Ok(printed.split(|b| *b == 0).any(hidden))
    }

    /// Whether a commit has submodules.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn has_submodules(&self, commit: &CommitId) -> Result<bool, GitError> {
        let printed = self.read(&["ls-tree", "-r", "--full-tree", "-z", commit.as_str()]).ok()?;
        Ok(printed.split(|b| *b == 0).any(|entry| entry.starts_with(b"160000 ")))
    }

    /// Whether git leaves a path of the working tree out unless it is forced.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn is_ignored(&self, path: &str) -> Result<bool, GitError> {
        let done = self.read(&["check-ignore", "-q", "--", path]).run()?;
        match done.status {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(done.failed()),
        }
    }
}
