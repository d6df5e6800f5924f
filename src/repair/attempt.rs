//! One fixer, from the look before to the commit after.

use super::checkout::{Stand, listed, path_text, reflog_action};
use super::fixer::{self, Answer, Call, Told};
use super::gaming::Verdict;
use super::guard::Ground;
use super::older::Older;
use super::ports::{BranchLoop, Interrupted};
use super::prompt::prompt;
use crate::config::Fixer;
use crate::engine::{Dispatch, Gaming};
use crate::git::{CommitRequest, GitError, Snapshot};
use crate::host::env::INSIDE_LOOP;
use crate::model::{CommitId, Escalation, Outcome, shell_word};
use crate::process::Exit;
use crate::store::journal::{Before, Entry, FixerEnd};

/// For hooks and signing of one commit.
const COMMIT_DEADLINE: std::time::Duration = std::time::Duration::from_secs(300);

/// What a fixer came to.
pub(super) struct Attempt {
    pub(super) end: AttemptEnd,
    pub(super) tokens: u64,
    pub(super) estimated: bool,
    pub(super) seconds: f64,
}

/// How it ended.
pub(super) enum AttemptEnd {
    /// There are new commits; the tip is here.
    Changed(CommitId),
    /// Nothing changed, or what changed was put back: the outcome and why.
    Nothing(Outcome, String),
    /// What it did only silences the check; it was put back.
    Gamed(Gaming),
    /// The run ends.
    Stop(Escalation, String),
}

/// What the fixer did to the tree.
struct Traces {
    /// Where it left the tip.
    head: CommitId,
    /// What it left uncommitted.
    uncommitted: Vec<Vec<u8>>,
    /// What was there before it and became visible: not its own.
    older: Vec<Vec<u8>>,
    /// All that it changed, committed or not.
    all: Vec<String>,
}

impl BranchLoop<'_> {
    /// Lets one fixer try.
    pub(super) fn attempt(
        &mut self,
        fixer: &Fixer,
        dispatch: &Dispatch,
        before: Option<Snapshot>,
    ) -> anyhow::Result<Attempt> {
        let repo = self.checkout.repo;
        let before = before.map_or_else(|| repo.snapshot(), Ok)?;
        let ground = Ground::look(repo)?;
        self.journal.append(&Entry::Dispatch {
            iteration: u64::from(dispatch.iteration),
            fixer: fixer.name.clone(),
            kind: dispatch.kind,
            reason: dispatch.reason.clone(),
            before: Before::Paths(before.shapes().keys().map(|p| path_text(p)).collect()),
        })?;
        let older = Older::look(repo, &self.tip)?;
        let told = self.call(fixer, dispatch)?;
        let stop = |end| Attempt {
            end,
            tokens: told.tokens,
            estimated: told.estimated,
            seconds: told.seconds,
        };
        let traces = match self.traces(&before, &older, &ground)? {
            Ok(traces) => traces,
            Err((why, detail)) => return Ok(stop(AttemptEnd::Stop(why, detail))),
        };
        self.leave(&traces.older)?;
        self.journal.append(&Entry::FixerEnded {
            outcome: fixer_end(&told),
            tokens: told.tokens,
            estimated: told.estimated,
            seconds: told.seconds,
            head: traces.head.clone(),
            paths: traces.all.clone(),
        })?;
        let end = self.judge_traces(fixer, dispatch, &told, &traces)?;
        Ok(stop(end))
    }

    fn call(&self, fixer: &Fixer, dispatch: &Dispatch) -> anyhow::Result<Told> {
        let text = self
            .record
            .as_ref()
            .map(|r| prompt(dispatch, r, &self.setting.config.checks, &self.earlier))
            .unwrap_or_default();
        let folder = self.folder.join(format!("iteration-{}", dispatch.iteration));
        let told = fixer::call(
            &self.ctx.runner,
            &Call {
                fixer,
                dispatch,
                sha: &self.tip,
                run_id: &self.run_id,
                dir: self.checkout.repo.top()?,
                folder: &folder,
                record: &self.place.path(&self.tip),
                prompt: &text,
            },
        )?;
        if told.exit == Exit::Cancelled || self.ctx.cancel.is_set() {
            return Err(Interrupted.into());
        }
        Ok(told)
    }

    /// Whether the base was moved onto this branch meanwhile: then the next judgement would compare
    /// the branch with itself. A fetch brings no commit that was never pushed.
    fn base_swallowed(&self) -> anyhow::Result<Option<String>> {
        let Some((base, _)) = &self.setting.base else { return Ok(None) };
        let repo = self.checkout.repo;
        match repo.resolve(&base.name)? {
            Some(now) if now != base.commit && repo.is_ancestor(&self.tip, &now)? => {
                Ok(Some(format!(
                    "the base {} was moved from {} onto this branch while the fixer ran",
                    base.name,
                    base.commit.short()
                )))
            }
            _ => Ok(None),
        }
    }

    /// What the fixer did, or why nothing may be touched any more.
    fn traces(
        &self,
        before: &Snapshot,
        older: &Older,
        ground: &Ground,
    ) -> anyhow::Result<Result<Traces, (Escalation, String)>> {
        let repo = self.checkout.repo;
        let breach = |text: String| Ok(Err((Escalation::ScopeBreach, text)));
        if let Some(path) = ground.first_change(&Ground::look(repo)?) {
            let saved = ground.save(&path, &self.folder)?;
            let saved = saved
                .map_or(String::new(), |p| format!("; what it held before is in {}", p.display()));
            return breach(format!(
                "{} changed while the fixer ran{saved}; it is as the fixer left it, and so are its edits",
                path.display()
            ));
        }
        if let Some(text) = self.base_swallowed()? {
            return breach(self.back(&text));
        }
        if let Some(found) = repo.in_progress_operation(None)? {
            let text = format!(
                "the fixer left a {} behind ({}): end that first",
                found.word,
                found.path.display()
            );
            return breach(self.back(&text));
        }
        let head = match self.checkout.stand()? {
            Stand::Ours(head) => head,
            Stand::Elsewhere(text) => return breach(self.back(&text)),
        };
        if !repo.is_ancestor(&self.tip, &head)? {
            let text = format!(
                "{} is at {}, which does not contain the checkpoint",
                self.checkout.tip_ref(),
                head.short()
            );
            return breach(self.back(&text));
        }
        self.changes(before, older, head)
    }

    /// What changed between two looks, where the tip is ours.
    fn changes(
        &self,
        before: &Snapshot,
        older: &Older,
        head: CommitId,
    ) -> anyhow::Result<Result<Traces, (Escalation, String)>> {
        let repo = self.checkout.repo;
        let after = repo.snapshot()?;
        let (older_ones, uncommitted): (Vec<Vec<u8>>, Vec<Vec<u8>>) = after
            .changed_since(before)
            .into_iter()
            .filter(|p| after.shapes().contains_key(p))
            .filter(|p| !self.leavings.contains(p) && !self.place.is_record(p))
            .partition(|p| older.has(p));
        let mut all: Vec<String> = uncommitted.iter().map(|p| path_text(p)).collect();
        for file in repo.diff(&self.tip, &head)?.files {
            if let Some(path) = file.new.as_ref().filter(|p| older.has(p.as_bytes())) {
                let word = shell_word(path);
                let text = self.back(&format!(
                    "the fixer committed {path}, which was there before it and not in git; to keep \
                     the file where it is, first: git rm --cached -- {word} && git commit"
                ));
                return Ok(Err((Escalation::ScopeBreach, text)));
            }
            all.extend([file.old, file.new].into_iter().flatten());
        }
        all.sort();
        all.dedup();
        Ok(Ok(Traces { head, uncommitted, older: older_ones, all }))
    }

    /// What was there before the fixer is nobody's edit: it is not committed and not taken away.
    fn leave(&mut self, older: &[Vec<u8>]) -> anyhow::Result<()> {
        if older.is_empty() {
            return Ok(());
        }
        self.say(&format!("no longer ignored, and left where it is: {}", listed(older)));
        let paths = older.iter().map(|p| path_text(p)).collect();
        self.journal.append(&Entry::Left { paths })?;
        self.leavings.extend(older.iter().cloned());
        Ok(())
    }

    /// Words for somebody whose branch is not where the run left it.
    pub(super) fn back(&self, what: &str) -> String {
        let number = self.checkpoint.as_ref().map_or(0, |c| c.number);
        let exists = |branch: &str| {
            let tip = self.checkout.repo.resolve(&format!("refs/heads/{branch}"));
            tip.is_ok_and(|tip| tip.is_some())
        };
        let command = match &self.checkout.branch {
            Some(branch) if exists(branch) => {
                let branch = shell_word(branch);
                format!("git switch {branch} && git fix-evidence undo {number}")
            }
            // A deleted branch is made again where the run last had it.
            Some(branch) => format!("git switch -C {} {}", shell_word(branch), self.tip),
            None => format!("git fix-evidence undo {number}"),
        };
        format!("{what}; nothing was moved; to go back: {command}")
    }

    fn judge_traces(
        &mut self,
        fixer: &Fixer,
        dispatch: &Dispatch,
        told: &Told,
        traces: &Traces,
    ) -> anyhow::Result<AttemptEnd> {
        if let Some(answer) = &told.answer {
            let (why, detail) = match answer {
                Answer::CannotFix(text) => (Escalation::CannotFix, text),
                Answer::FalsePositive(text) => (Escalation::FalsePositive, text),
            };
            return self.put_back(traces, &fixer.name, AttemptEnd::Stop(why, detail.clone()));
        }
        if let Some((path, rule)) = self.protected.first_breach(&traces.all, dispatch.kind) {
            let text = format!("{} changed {path} ({rule})", fixer.name);
            return self.put_back(
                traces,
                &fixer.name,
                AttemptEnd::Stop(Escalation::ProtectedPath, text),
            );
        }
        let ended = match told.exit {
            Exit::Deadline => {
                Some((Outcome::Timeout, format!("it did not end within {:?}", fixer.timeout)))
            }
            Exit::TooMuchOutput => Some((Outcome::Failed, "it printed without end".to_string())),
            _ => None,
        };
        if let Some((outcome, why)) = ended {
            return self.put_back(traces, &fixer.name, AttemptEnd::Nothing(outcome, why));
        }
        if traces.uncommitted.is_empty() && traces.head == self.tip {
            return Ok(nothing(told));
        }
        if traces.uncommitted.is_empty() {
            return self.looked_at(fixer, dispatch, traces, traces.head.clone());
        }
        self.commit(fixer, dispatch, traces)
    }

    /// Commits what the fixer left uncommitted, in the user's name and with the user's hooks.
    fn commit(
        &mut self,
        fixer: &Fixer,
        dispatch: &Dispatch,
        traces: &Traces,
    ) -> anyhow::Result<AttemptEnd> {
        let message = format!("fix({}): {}\n", dispatch.kind, dispatch.reason);
        let trailers = [
            ("Evidence-Run", self.run_id.clone()),
            ("Evidence-Iteration", dispatch.iteration.to_string()),
            ("Evidence-Fixer", fixer.name.clone()),
        ];
        let (action, said) = reflog_action(&self.run_id);
        let request = CommitRequest {
            paths: &traces.uncommitted,
            message: &message,
            trailers: &trailers,
            env: &[(INSIDE_LOOP.into(), self.run_id.clone().into()), (action.into(), said.into())],
            deadline: COMMIT_DEADLINE,
        };
        match self.checkout.repo.commit_paths(&request) {
            Ok(Some(sha)) => self.looked_at(fixer, dispatch, traces, sha),
            Ok(None) if traces.head == self.tip => {
                Ok(AttemptEnd::Nothing(Outcome::NoChange, "its edits amount to nothing".into()))
            }
            Ok(None) => self.looked_at(fixer, dispatch, traces, traces.head.clone()),
            Err(
                e
                @ (GitError::Failed { .. } | GitError::Deadline { .. } | GitError::Signing { .. }),
            ) => {
                let why = format!("its edits could not be committed: {e}");
                self.put_back(traces, &fixer.name, AttemptEnd::Nothing(Outcome::Failed, why))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// The iteration's commits stay where no rule says that they only silence the check.
    fn looked_at(
        &mut self,
        fixer: &Fixer,
        dispatch: &Dispatch,
        traces: &Traces,
        sha: CommitId,
    ) -> anyhow::Result<AttemptEnd> {
        let end = match self.look_at_change(&sha, dispatch)? {
            Verdict::Honest => return self.accepted(sha),
            Verdict::Rejected(gaming) => AttemptEnd::Gamed(gaming),
            Verdict::Person(why, detail) => AttemptEnd::Stop(why, detail),
        };
        let committed = Traces {
            head: sha,
            uncommitted: Vec::new(),
            older: Vec::new(),
            all: traces.all.clone(),
        };
        self.put_back(&committed, &fixer.name, end)
    }

    /// The iteration's commits were looked at and stay until they are measured.
    fn accepted(&mut self, sha: CommitId) -> anyhow::Result<AttemptEnd> {
        if self.checkout.branch.is_none() {
            // No branch leads to them: a worktree that is thrown away must not take them along.
            self.checkpoints.ensure(&sha, &format!("run {}: committed", self.run_id))?;
        }
        self.journal.append(&Entry::Committed { sha: sha.clone() })?;
        Ok(AttemptEnd::Changed(sha))
    }

    /// Keeps what a fixer did under a checkpoint and puts the branch back to where it was before.
    fn put_back(
        &mut self,
        traces: &Traces,
        fixer: &str,
        end: AttemptEnd,
    ) -> anyhow::Result<AttemptEnd> {
        let repo = self.checkout.repo;
        if traces.uncommitted.is_empty() && traces.head == self.tip {
            return Ok(end);
        }
        if let Some(stop) = self.published(traces, &end)? {
            return Ok(stop);
        }
        let mut kept = traces.head.clone();
        if !traces.uncommitted.is_empty() {
            let message = format!(
                "What the fixer {fixer} left uncommitted\n\nEvidence-Run: {}\n",
                self.run_id
            );
            kept = repo.commit_tree_of(&traces.uncommitted, &traces.head, &message)?;
        }
        let reason = format!("run {}: what {fixer} tried", self.run_id);
        let checkpoint = self.checkpoints.create(&kept, &reason)?;
        let paths: Vec<Vec<u8>> = traces.all.iter().map(|p| p.clone().into_bytes()).collect();
        self.say(&format!("what {fixer} did {}", checkpoint.holds(&paths)));
        self.journal.append(&Entry::RollingBack {
            from: kept.clone(),
            to: self.tip.clone(),
            why: format!("{fixer}: not to be kept"),
        })?;
        let moved = self.take_away(&kept, &traces.head);
        match moved {
            Ok(()) => {
                self.journal.append(&Entry::RolledBack { to: self.tip.clone() })?;
                Ok(end)
            }
            Err(GitError::InTheWay { paths }) => {
                let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
                let text = self.back(&format!("edited meanwhile: {}", paths.join(", ")));
                Ok(AttemptEnd::Stop(Escalation::ScopeBreach, text))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// The end of the run where what a fixer did is out already and cannot be taken back.
    fn published(&self, traces: &Traces, end: &AttemptEnd) -> Result<Option<AttemptEnd>, GitError> {
        let repo = self.checkout.repo;
        if let Some(commit) = self.checkout.somebody_elses(&self.tip, &traces.head)? {
            let text = format!("{} is somebody else's commit", commit.short());
            return Ok(Some(AttemptEnd::Stop(Escalation::ScopeBreach, self.back(&text))));
        }
        let commits = repo.commits_between(&self.tip, &traces.head)?;
        let on = repo.contained_in_remotes(&commits)?;
        if on.is_empty() {
            return Ok(None);
        }
        let what = match end {
            AttemptEnd::Stop(_, detail) | AttemptEnd::Nothing(_, detail) => detail.as_str(),
            AttemptEnd::Gamed(gaming) => gaming.detail.as_str(),
            AttemptEnd::Changed(_) => "",
        };
        let text = self.back(&format!("{what}; its commits are on {}", on.join(", ")));
        Ok(Some(AttemptEnd::Stop(Escalation::ScopeBreach, text)))
    }

    fn take_away(&self, kept: &CommitId, head: &CommitId) -> Result<(), GitError> {
        if kept != head {
            self.checkout.take_out(kept, head)?;
        }
        if *head != self.tip {
            self.checkout.go(
                head,
                &self.tip,
                &format!("git-evidence {}: put back", self.run_id),
            )?;
        }
        Ok(())
    }
}

fn nothing(told: &Told) -> AttemptEnd {
    match told.exit {
        Exit::Code(0) => AttemptEnd::Nothing(Outcome::NoChange, "it changed nothing".into()),
        Exit::Code(code @ (126 | 127)) => {
            let why = format!("it could not be started (exit code {code}): {}", told.last_words);
            AttemptEnd::Nothing(Outcome::Failed, why)
        }
        Exit::Code(code) => {
            let said = if told.last_words.is_empty() {
                String::new()
            } else {
                format!(": {}", told.last_words)
            };
            AttemptEnd::Nothing(Outcome::Failed, format!("it ended with exit code {code}{said}"))
        }
        exit => AttemptEnd::Nothing(Outcome::Failed, format!("it ended with {exit:?}")),
    }
}

fn fixer_end(told: &Told) -> FixerEnd {
    match (&told.answer, told.exit) {
        (Some(Answer::CannotFix(_)), _) => FixerEnd::CannotFix,
        (Some(Answer::FalsePositive(_)), _) => FixerEnd::FalsePositive,
        (None, Exit::Code(0)) => FixerEnd::Done,
        (None, Exit::Deadline) => FixerEnd::Timeout,
        (None, _) => FixerEnd::Failed,
    }
}

/// Paths that somebody edited, as a sentence.
pub(super) fn edited(paths: &[Vec<u8>]) -> String {
    format!("edited while the loop ran, and kept as they are: {}", listed(paths))
}
