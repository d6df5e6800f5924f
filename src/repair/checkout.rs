//! The checkout that a run works in, and its tip: a branch in place, or the detached HEAD of a linked
//! worktree of our own.

use std::collections::BTreeSet;

use crate::git::{Expect, GitError, RefEdit, Repo};
use crate::model::{CommitId, sanitize_bytes};

/// Paths as git stores them.
pub(super) type Paths = BTreeSet<Vec<u8>>;

/// How every entry of a reflog begins that comes from us or from a fixer.
const OURS: &str = "git-evidence";

/// Most entries that are read of a reflog.
const REFLOG_LIMIT: usize = 1000;

/// What git is told to write into reflogs for whoever works for a run.
pub(super) fn reflog_action(run_id: &str) -> (&'static str, String) {
    ("GIT_REFLOG_ACTION", format!("{OURS} {run_id}"))
}

/// Where work is done.
pub(super) struct Checkout<'a> {
    /// The repository, seen from there.
    pub(super) repo: &'a Repo,
    /// The branch without `refs/heads/`; none where HEAD is ours and detached.
    pub(super) branch: Option<String>,
}

/// Where HEAD is, compared with where the run needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stand {
    /// On the run's own tip, at this commit.
    Ours(CommitId),
    /// Somewhere else: in words.
    Elsewhere(String),
}

impl Checkout<'_> {
    /// The ref that moves.
    pub(super) fn tip_ref(&self) -> String {
        self.branch.as_ref().map_or_else(|| "HEAD".to_string(), |b| format!("refs/heads/{b}"))
    }

    /// Where HEAD stands.
    pub(super) fn stand(&self) -> Result<Stand, GitError> {
        let head = self.repo.head()?;
        let elsewhere = |text: String| Ok(Stand::Elsewhere(text));
        match (&self.branch, head.branch, head.commit) {
            (Some(ours), Some(now), Some(commit)) if *ours == now => Ok(Stand::Ours(commit)),
            (None, None, Some(commit)) => Ok(Stand::Ours(commit)),
            (_, Some(now), Some(_)) => elsewhere(format!("HEAD is on branch {now}")),
            (_, Some(now), None) => elsewhere(format!("branch {now} was deleted")),
            (_, None, Some(commit)) => elsewhere(format!("HEAD is detached at {}", commit.short())),
            (_, None, None) => elsewhere("HEAD leads to no commit".to_string()),
        }
    }

    /// A commit that neither this program nor a fixer made the branch's tip since it was at
    /// `before`, as far as the reflog tells: what they do begins with [`OURS`] there.
    pub(super) fn somebody_elses(
        &self,
        before: &CommitId,
        head: &CommitId,
    ) -> Result<Option<CommitId>, GitError> {
        if before == head || self.branch.is_none() {
            return Ok(None);
        }
        let entries = self.repo.reflog(&self.tip_ref(), REFLOG_LIMIT)?;
        let complete = entries.iter().any(|(id, _)| id == before);
        let between =
            if complete { Vec::new() } else { self.repo.commits_between(before, head)? };
        let mut since = entries.into_iter().take_while(|(id, _)| id != before);
        let found =
            since.find(|(id, said)| !said.starts_with(OURS) && (complete || between.contains(id)));
        Ok(found.map(|(id, _)| id))
    }

    /// Moves tip, index and working tree from one commit to another. Called again after an
    /// interruption it goes on.
    ///
    /// # Errors
    /// [`GitError::InTheWay`] where somebody edited what would change, and others: the tip is then
    /// where it was. [`GitError::RefMoved`] where the tip is not at `from`.
    pub(super) fn go(&self, from: &CommitId, to: &CommitId, reason: &str) -> Result<(), GitError> {
        let edit = |new: &CommitId, old: &CommitId| RefEdit {
            name: self.tip_ref(),
            new: Some(new.clone()),
            old: Expect::Is(old.clone()),
        };
        self.repo.update(&[edit(to, from)], reason)?;
        let moved = self.repo.two_way(from, to);
        if moved.is_err() {
            // Tip and tree must not tell two stories. Where this fails too, the first error is the
            // one to be told: the disk is full, or another git holds a lock.
            let back =
                self.repo.update(&[edit(from, to)], &format!("{reason}: not possible, back"));
            return moved.and(back);
        }
        moved
    }

    /// Takes uncommitted content of some paths out of the checkout. It must have been kept as
    /// `kept`, a commit on top of HEAD.
    pub(super) fn take_out(&self, kept: &CommitId, head: &CommitId) -> Result<(), GitError> {
        self.repo.set_index_to(kept)?;
        self.repo.two_way(kept, head)
    }

    /// Changed and untracked paths, those of `apart` left out.
    pub(super) fn dirty(&self, apart: &Paths) -> Result<Vec<Vec<u8>>, GitError> {
        let entries = self.repo.status(true, false)?;
        Ok(entries.into_iter().map(|e| e.path).filter(|p| !apart.contains(p)).collect())
    }
}

/// Paths from text.
pub(super) fn paths_of<'a>(paths: impl IntoIterator<Item = &'a String>) -> Paths {
    paths.into_iter().map(|p| p.clone().into_bytes()).collect()
}

/// A path as text, for rules and the journal.
pub(super) fn path_text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// At most five paths, and how many more.
pub(super) fn listed(paths: &[Vec<u8>]) -> String {
    let first: Vec<String> = paths.iter().take(5).map(|p| sanitize_bytes(p)).collect();
    let more = paths.len().saturating_sub(5);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", first.join(", "))
}
