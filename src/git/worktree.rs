//! Linked working trees of our own: detached, locked, and removed only when nothing is lost.

use std::path::{Path, PathBuf};

use super::error::GitError;
use super::repo::{Repo, to_path};
use crate::model::CommitId;

/// The lock reason marks a working tree as ours; the commit it began at follows.
const MARK: &str = "git-evidence ";

/// One line block of `git worktree list`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktree {
    /// Its folder.
    pub path: PathBuf,
    /// Its commit; none when unborn or bare.
    pub head: Option<CommitId>,
    /// Its branch without `refs/heads/`; none when detached.
    pub branch: Option<String>,
    /// The reason of its lock; empty for a lock without one.
    pub locked: Option<String>,
    /// Whether git would prune it: its folder is gone. Never set for a locked one.
    pub prunable: bool,
}

impl Worktree {
    /// Whether this program made it.
    pub fn is_ours(&self) -> bool {
        self.began_at().is_some()
    }

    fn began_at(&self) -> Option<CommitId> {
        CommitId::parse(self.locked.as_deref()?.strip_prefix(MARK)?).ok()
    }
}

/// Reads `git worktree list --porcelain -z`.
fn parse(printed: &[u8]) -> Vec<Worktree> {
    let mut trees: Vec<Worktree> = Vec::new();
    for field in printed.split(|b| *b == 0).filter(|f| !f.is_empty()) {
        if let Some(path) = field.strip_prefix(b"worktree ") {
            trees.push(Worktree { path: to_path(path), ..Worktree::default() });
            continue;
        }
        let Some(tree) = trees.last_mut() else { continue };
        let text = String::from_utf8_lossy(field);
        match text.split_once(' ').unwrap_or((&text, "")) {
            ("HEAD", id) => tree.head = CommitId::parse(id).ok(),
            ("branch", name) => {
                tree.branch = Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned());
            }
            ("locked", why) => tree.locked = Some(why.to_owned()),
            ("prunable", _) => tree.prunable = true,
            _ => {}
        }
    }
    trees
}

impl Repo {
    /// Checks a commit out into a new, detached and locked working tree. The person's
    /// post-checkout hook does not run for it: it would prepare a tree that nobody works in.
    ///
    /// # Errors
    /// [`GitError::Failed`] where the folder exists and is not empty, or the disk is full.
    pub fn add_worktree(&self, path: &Path, commit: &CommitId) -> Result<(), GitError> {
        let reason = format!("{MARK}{commit}");
        // hooks of the configuration (git 2.54 and later) have a switch of their own
        let no_hooks = ["-c", "core.hooksPath=/dev/null", "-c", "hook.post-checkout.enabled=false"];
        let call = self.write(&no_hooks)?.args(["worktree", "add", "--quiet", "--detach"]);
        let call = call.args(["--lock", "--reason", &reason]).arg("--").arg(path);
        call.arg(commit.as_str()).ok().map(drop)
    }

    /// All working trees of the repository, the main one first.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        Ok(parse(&self.read(&["worktree", "list", "--porcelain", "-z"]).ok()?))
    }

    /// Removes a working tree of our own. Its commits must be kept by a ref. Uncommitted files
    /// go with it only where `discard` says so: measuring leaves such, a fixer's work is first
    /// committed somewhere.
    ///
    /// # Errors
    /// [`GitError::NotOurs`], [`GitError::Unkept`]; [`GitError::Failed`] where files are
    /// uncommitted and not to be discarded.
    pub fn remove_worktree(&self, path: &Path, discard: bool) -> Result<(), GitError> {
        let wanted = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let all = self.worktrees()?;
        let tree = all.into_iter().find(|t| t.path == wanted || t.path == path);
        let Some(tree) = tree.filter(Worktree::is_ours) else {
            return Err(GitError::NotOurs(path.to_owned()));
        };
        self.check_kept(&tree)?;
        if discard {
            // the second force is for the lock
            let call = self.write(&["worktree", "remove", "--force", "--force", "--"])?;
            return call.arg(&tree.path).ok().map(drop);
        }
        self.write(&["worktree", "unlock", "--"])?.arg(&tree.path).ok()?;
        let removed = self.write(&["worktree", "remove", "--"])?.arg(&tree.path).ok();
        if removed.is_err() {
            let reason = tree.locked.as_deref().unwrap_or_default();
            let lock = self.write(&["worktree", "lock", "--reason", reason, "--"])?;
            lock.arg(&tree.path).ok()?;
        }
        removed.map(drop)
    }

    /// Forgets working trees of our own whose folder is gone and whose commits are kept by a
    /// ref; the others of those are returned.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn prune_worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let mut unkept = Vec::new();
        for tree in self.worktrees()? {
            if !tree.is_ours() || tree.path.symlink_metadata().is_ok() {
                continue;
            }
            match self.check_kept(&tree) {
                Ok(()) => {
                    let call = self.write(&["worktree", "remove", "--force", "--force", "--"])?;
                    call.arg(&tree.path).ok()?;
                }
                Err(GitError::Unkept { .. }) => unkept.push(tree),
                Err(other) => return Err(other),
            }
        }
        Ok(unkept)
    }

    /// Nothing was committed there, or a ref leads to what was.
    fn check_kept(&self, tree: &Worktree) -> Result<(), GitError> {
        let Some(head) = &tree.head else { return Ok(()) };
        if tree.began_at().as_ref() == Some(head) {
            return Ok(());
        }
        if self.containing(std::slice::from_ref(head), "refs/")?.is_empty() {
            return Err(GitError::Unkept { path: tree.path.clone(), commit: head.clone() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_and_ours_are_known() {
        let id = "a".repeat(40);
        let printed = format!(
            "worktree /x\0HEAD {id}\0branch refs/heads/a/b\0\0worktree /y z\0HEAD {id}\0detached\0\
             locked {MARK}{id}\0\0worktree /w\0bare\0\0worktree /v\0HEAD {id}\0detached\0locked\0\
             prunable gone\0\0"
        );
        let trees = parse(printed.as_bytes());
        assert_eq!(trees.len(), 4);
        assert_eq!(trees[0].branch.as_deref(), Some("a/b"));
        assert!(trees[1].is_ours() && trees[1].path == Path::new("/y z"));
        assert_eq!(trees[2].head, None);
        assert!(trees[3].prunable && !trees[3].is_ours());
    }
}
