//! Checkpoints: numbered refs, never moved, each with a reflog that says which run made it and why.

use super::checkout::path_text;
use crate::git::{Expect, GitError, RefEdit, Repo, branch_key};
use crate::model::CommitId;

/// Below it a folder for each branch, in it a number for each checkpoint: a fixed depth, so that no
/// two branches' names can get into each other's way.
pub(super) const PREFIX: &str = "refs/evidence/checkpoints/";

/// One checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// From 1.
    pub(super) number: u64,
    /// The full ref.
    pub(super) name: String,
    /// Where it stands.
    pub(super) sha: CommitId,
}

impl Checkpoint {
    /// How somebody gets files back that were put aside here.
    pub(super) fn holds(&self, paths: &[Vec<u8>]) -> String {
        let listed: Vec<String> = paths.iter().map(|p| path_text(p)).collect();
        format!(
            "is kept as checkpoint {} ({}); to get a file back: git checkout {} -- <path>",
            self.number,
            listed.join(", "),
            self.name
        )
    }
}

/// The checkpoints of one branch.
pub(super) struct Checkpoints<'a> {
    repo: &'a Repo,
    folder: String,
}

impl<'a> Checkpoints<'a> {
    /// Of a branch, without `refs/heads/`.
    pub(super) fn of(repo: &'a Repo, branch: &str) -> Checkpoints<'a> {
        Checkpoints { repo, folder: format!("{PREFIX}{}/", branch_key(branch.as_bytes())) }
    }

    /// All, the oldest first.
    pub(super) fn list(&self) -> Result<Vec<Checkpoint>, GitError> {
        let refs = self.repo.list(self.folder.trim_end_matches('/'))?;
        let mut all: Vec<Checkpoint> = refs
            .into_iter()
            .filter_map(|(name, sha)| {
                let number = name.strip_prefix(&self.folder)?.parse().ok()?;
                Some(Checkpoint { number, name, sha })
            })
            .collect();
        all.sort_by_key(|c| c.number);
        Ok(all)
    }

    /// Makes the next one.
    pub(super) fn create(&self, sha: &CommitId, reason: &str) -> Result<Checkpoint, GitError> {
        let mut number = self.list()?.last().map_or(1, |c| c.number + 1);
        loop {
            let name = format!("{}{number}", self.folder);
            let edit = RefEdit { name: name.clone(), new: Some(sha.clone()), old: Expect::Absent };
            match self.repo.update(&[edit], &format!("git-evidence: {reason}")) {
                Ok(()) => return Ok(Checkpoint { number, name, sha: sha.clone() }),
                // Somebody else made this number: the next one is free, or the one after it.
                Err(GitError::RefMoved { .. }) => number += 1,
                Err(e) => return Err(e),
            }
        }
    }

    /// Makes one unless the newest stands there already.
    pub(super) fn ensure(&self, sha: &CommitId, reason: &str) -> Result<Checkpoint, GitError> {
        match self.list()?.pop() {
            Some(newest) if newest.sha == *sha => Ok(newest),
            _ => self.create(sha, reason),
        }
    }
}
