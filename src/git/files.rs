//! Which files a commit has, and which paths git leaves out.

use super::diff::shown;
use super::error::GitError;
use super::repo::Repo;
use crate::model::CommitId;

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path; bytes that are no text as `\xNN`.
    pub path: String,
    /// Its mode, as 0o100644.
    pub mode: u32,
    /// The name of its content.
    pub id: String,
}

impl Entry {
    /// Neither a link nor a submodule.
    pub fn is_regular(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }

    /// Reads `mode type id TAB path`.
    fn parse(printed: &[u8]) -> Option<Entry> {
        let tab = printed.iter().position(|b| *b == b'\t')?;
        let mut words = std::str::from_utf8(&printed[..tab]).ok()?.split(' ');
        let mode = u32::from_str_radix(words.next()?, 8).ok()?;
        let id = words.nth(1)?.to_string();
        Some(Entry { path: shown(&printed[tab + 1..]), mode, id })
    }
}

impl Repo {
    /// A commit's files, submodules and links included, in git's order.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn entries(&self, commit: &CommitId) -> Result<Vec<Entry>, GitError> {
        let call = self.read(&["ls-tree", "-r", "--full-tree", "-z", commit.as_str()]);
        let printed = call.ok()?;
        let entries = printed.split(|b| *b == 0).filter(|e| !e.is_empty());
        let parse = |entry: &[u8]| {
            Entry::parse(entry).ok_or_else(|| GitError::Strange {
                command: "git ls-tree",
                what: String::from_utf8_lossy(entry).into_owned(),
            })
        };
        entries.map(parse).collect()
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_whatever_its_path() {
        let got = Entry::parse(b"100755 blob abc\ta\tb \xff.py").unwrap();
        assert_eq!((got.path.as_str(), got.id.as_str()), ("a\tb \\xff.py", "abc"));
        assert!(got.is_regular());
        assert!(!Entry::parse(b"160000 commit abc\tsub").unwrap().is_regular());
        assert!(!Entry::parse(b"120000 blob abc\tlink").unwrap().is_regular());
        assert_eq!(Entry::parse(b"100644 blob"), None);
    }
}
