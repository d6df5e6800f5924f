//! Puts half-done work of an interrupted run aside, so that the tree is that of the tip again.
//!
//! Two things can be half done: a fixer had the tree (what it did is kept under a checkpoint and taken
//! back), or the branch was going back (it goes on going back). Anything else that is not committed
//! is a person's and stays where it is.

use super::checkout::{Checkout, Stand, listed, path_text};
use super::checkpoint::Checkpoints;
use super::preflight::{self, dirty_paths};
use super::replay::{Half, Replay};
use super::undo::is_undo;
use crate::git::GitError;
use crate::host::context::Context;
use crate::measure::Progress;
use crate::model::{CommitId, Escalation};
use crate::store::journal::{Entry, Journal};
use crate::store::records::Place;

/// Why nothing can be done now: the word and a sentence.
pub(super) type Refusal = (Escalation, String);

/// The place where work was interrupted.
pub(super) struct Work<'a> {
    pub(super) ctx: &'a Context,
    pub(super) checkout: Checkout<'a>,
    pub(super) checkpoints: Checkpoints<'a>,
    pub(super) place: &'a Place,
    pub(super) journal: &'a Journal,
    pub(super) run_id: &'a str,
    pub(super) replay: &'a Replay,
}

/// Tidies up and gives the tip. Called again after another interruption it goes on.
pub(super) fn tidy(work: &Work<'_>) -> anyhow::Result<Result<CommitId, Refusal>> {
    let head = match work.checkout.stand()? {
        Stand::Ours(head) => head,
        Stand::Elsewhere(text) => return Ok(Err((Escalation::ScopeBreach, text))),
    };
    if let Some(refusal) = preflight::in_progress(&work.checkout)? {
        return Ok(Err(refusal));
    }
    let tip = match &work.replay.half {
        Half::GoingBack { from, to, .. } => work.go_on_going_back(&head, from, to)?,
        Half::Fixer { before, head: left } => work.put_aside(&head, before, left.as_ref())?,
        Half::Committed { .. } | Half::Nothing => Ok(head),
    };
    let tip = match tip {
        Ok(tip) => tip,
        refused => return Ok(refused),
    };
    let dirty = dirty_paths(&work.checkout, &work.replay.leavings, work.place)?;
    if !dirty.is_empty() {
        let text = format!("commit or remove first: {}", listed(&dirty));
        return Ok(Err((Escalation::DirtyTree, text)));
    }
    Ok(Ok(tip))
}

impl Work<'_> {
    /// A roll-back that was announced and not finished goes on.
    fn go_on_going_back(
        &self,
        head: &CommitId,
        from: &CommitId,
        to: &CommitId,
    ) -> anyhow::Result<Result<CommitId, Refusal>> {
        let repo = self.checkout.repo;
        // An undo goes to any checkpoint: beside the tip, or ahead of it.
        let undo = is_undo(self.run_id);
        let between = head == from || head == to;
        if !(undo && between)
            && head != to
            && !(repo.is_ancestor(to, head)? && repo.is_ancestor(head, from)?)
        {
            return Ok(Err(self.not_where_it_was(head)));
        }
        if !undo && let Some(refusal) = self.published(to, head)? {
            return Ok(Err(refusal));
        }
        let reason = format!("git-evidence run {}: back", self.run_id);
        let moved = (|| {
            if head == to {
                // The tip is back already, index and files may not be.
                repo.set_index_to(from)?;
                return repo.two_way(from, to);
            }
            if head != from {
                self.checkout.take_out(from, head)?;
            }
            self.checkout.go(head, to, &reason)
        })();
        if let Err(refusal) = in_the_way(moved)? {
            return Ok(Err(refusal));
        }
        self.journal.append(&Entry::RolledBack { to: to.clone() })?;
        Ok(Ok(to.clone()))
    }

    /// What an interrupted fixer did is kept and taken back: nobody looked at it.
    fn put_aside(
        &self,
        head: &CommitId,
        before: &CommitId,
        left: Option<&CommitId>,
    ) -> anyhow::Result<Result<CommitId, Refusal>> {
        let repo = self.checkout.repo;
        if let Some(left) = left
            && self.was_committed_for_it(left, head)?
        {
            // It had been looked at; only the journal does not know of the commit yet.
            self.checkpoints.ensure(head, &format!("run {}: committed", self.run_id))?;
            self.journal.append(&Entry::Committed { sha: head.clone() })?;
            return Ok(Ok(head.clone()));
        }
        let from_there = repo.is_ancestor(before, head)?;
        // Where the fixer's end was seen, later commits are a person's.
        if !from_there || left.is_some_and(|left| left != head) {
            return Ok(Err(self.not_where_it_was(head)));
        }
        let mut dirty = dirty_paths(&self.checkout, &self.replay.leavings, self.place)?;
        if left.is_some() {
            // What came after the fixer's end is a person's.
            dirty.retain(|p| self.replay.named.contains(&path_text(p)));
        }
        if dirty.is_empty() && head == before {
            return Ok(Ok(before.clone()));
        }
        if self.checkout.somebody_elses(before, head)?.is_some() {
            return Ok(Err(self.not_where_it_was(head)));
        }
        if let Some(refusal) = self.published(before, head)? {
            return Ok(Err(refusal));
        }
        let mut kept = head.clone();
        if !dirty.is_empty() {
            let message =
                format!("What an interrupted fixer left\n\nEvidence-Run: {}\n", self.run_id);
            kept = repo.commit_tree_of(&dirty, head, &message)?;
        }
        let reason = format!("run {}: left by an interrupted fixer", self.run_id);
        let checkpoint = self.checkpoints.create(&kept, &reason)?;
        let files = repo.diff(before, &kept)?.files.into_iter();
        let paths = files.filter_map(|f| f.new.or(f.old)).map(String::into_bytes);
        let said = checkpoint.holds(&paths.collect::<Vec<_>>());
        self.ctx.console.say(&format!("what the interrupted fixer left {said}"));
        self.journal.append(&Entry::RollingBack {
            from: kept.clone(),
            to: before.clone(),
            why: "left by an interrupted fixer".into(),
        })?;
        self.take_back(&kept, head, before)
    }

    /// Uncommitted content (kept as `kept`) first, then the commits.
    fn take_back(
        &self,
        kept: &CommitId,
        head: &CommitId,
        before: &CommitId,
    ) -> anyhow::Result<Result<CommitId, Refusal>> {
        let moved = (|| {
            if kept != head {
                self.checkout.take_out(kept, head)?;
            }
            if head != before {
                let reason =
                    format!("git-evidence run {}: left by an interrupted fixer", self.run_id);
                self.checkout.go(head, before, &reason)?;
            }
            Ok(())
        })();
        if let Err(refusal) = in_the_way(moved)? {
            return Ok(Err(refusal));
        }
        self.journal.append(&Entry::RolledBack { to: before.clone() })?;
        Ok(Ok(before.clone()))
    }

    /// Whether `head` is the commit that this run made of what a fixer left uncommitted on `left`.
    fn was_committed_for_it(&self, left: &CommitId, head: &CommitId) -> Result<bool, GitError> {
        let repo = self.checkout.repo;
        if head == left || repo.parents(head)? != [left.clone()] {
            return Ok(false);
        }
        let mark = format!("Evidence-Run: {}", self.run_id);
        Ok(repo.message(head)?.lines().any(|line| line.trim() == mark))
    }

    fn not_where_it_was(&self, head: &CommitId) -> Refusal {
        let name = self.checkout.tip_ref();
        let text = format!(
            "{name} is at {}, where the run did not leave it: nothing was moved; \
             'git fix-evidence undo' goes back to a checkpoint",
            head.short()
        );
        (Escalation::ScopeBreach, text)
    }

    fn published(&self, from: &CommitId, to: &CommitId) -> Result<Option<Refusal>, GitError> {
        if from == to {
            return Ok(None);
        }
        let commits = self.checkout.repo.commits_between(from, to)?;
        let on = self.checkout.repo.contained_in_remotes(&commits)?;
        let text =
            || format!("what would be taken back is on {}: nothing was moved", on.join(", "));
        Ok((!on.is_empty()).then(|| (Escalation::ScopeBreach, text())))
    }
}

/// An obstacle as a refusal.
pub(super) fn in_the_way(moved: Result<(), GitError>) -> anyhow::Result<Result<(), Refusal>> {
    match moved {
        Ok(()) => Ok(Ok(())),
        Err(GitError::InTheWay { paths }) => {
            let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            let text = format!("edited meanwhile, and kept as they are: {}", paths.join(", "));
            Ok(Err((Escalation::DirtyTree, text)))
        }
        Err(e) => Err(e.into()),
    }
}
