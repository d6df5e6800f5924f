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
