//! What a fixer may not do to the repository itself: its configuration and its hooks are looked at
//! before and after.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::git::{GitError, Repo};

/// Digests of the files that decide what git does here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ground {
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Ground {
    /// As it is now; configurations are kept in full, so that they can be put back.
    pub(super) fn look(repo: &Repo) -> Result<Ground, GitError> {
        let mut files = BTreeMap::new();
        let names = ["config", "config.worktree", "info/attributes", "info/exclude", "hooks"];
        for path in repo.git_paths(&names)? {
            if path.is_dir() {
                for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                    files.insert(entry.path(), digest(&entry.path()));
                }
            } else {
                files.insert(path.clone(), fs::read(&path).ok());
            }
        }
        Ok(Ground { files })
    }

    /// The first file that is not as it was.
    pub(super) fn first_change(&self, now: &Ground) -> Option<PathBuf> {
        let all = self.files.keys().chain(now.files.keys());
        all.into_iter()
            .find(|path| {
                self.files.get(*path).unwrap_or(&None) != now.files.get(*path).unwrap_or(&None)
            })
            .cloned()
    }

    /// Writes what a changed file held before beside the run's other files, for a person to put
    /// back; hooks are known by digest only.
    pub(super) fn save(&self, path: &Path, folder: &Path) -> io::Result<Option<PathBuf>> {
        let is_hook = path.parent().is_some_and(|p| p.ends_with("hooks"));
        match self.files.get(path) {
            Some(Some(bytes)) if !is_hook => {
                fs::create_dir_all(folder)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let target = folder.join(format!("{name}.before"));
                fs::write(&target, bytes)?;
                Ok(Some(target))
            }
            _ => Ok(None),
        }
    }
}

fn digest(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok().map(|bytes| Sha256::digest(&bytes).to_vec())
}
