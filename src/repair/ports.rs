//! The engine's ports over a real branch.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::attempt::{Attempt, AttemptEnd, edited};
use super::checkout::{Checkout, Paths, Stand, listed, paths_of};
use super::checkpoint::{Checkpoint, Checkpoints};
use super::gaming::Verdict;
use super::preflight;
use super::report::LogEntry;
use crate::config::Fixer;
use crate::engine::{
    Dispatch, Fix, FixResult, Gaming, Machine, Observation, Ports, Step, Totals, View,
};
use crate::git::{GitError, Snapshot, StatusKind};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::measure::{
    HeadMoved, MeasureFailed, Measurer, Progress, Request, Setting, audits_are_fresh,
};
use crate::model::{CommitId, Escalation, Outcome, Record};
use crate::rules;
use crate::rules::gaming::Hit;
use crate::rules::protect::Protected;
use crate::store::branch::{BranchState, BranchStore};
use crate::store::journal::{Entry, Journal, RunStarted};
use crate::store::lock::Lock;
use crate::store::log;
use crate::store::records::Place;

/// SIGINT or SIGTERM came: the journal stays open for `continue` and `abort`.
#[derive(Debug, thiserror::Error)]
#[error(
    "interrupted; 'git fix-evidence continue' carries on, 'git fix-evidence abort' puts the branch back"
)]
pub struct Interrupted;

/// A dispatch that is not settled yet.
pub(super) struct Pending {
    pub(super) entry: LogEntry,
    pub(super) estimated: bool,
    /// The tip before it.
    pub(super) before: CommitId,
    /// The record of that tip.
    pub(super) record: Option<Record>,
}

/// Why a branch goes back in the journal, where that counts as a revert.
pub(super) const WORSE: &str = "it made things worse";

/// One run on one branch.
pub(super) struct BranchLoop<'a> {
    pub(super) ctx: &'a Context,
    pub(super) checkout: Checkout<'a>,
    pub(super) checkpoints: Checkpoints<'a>,
    /// Without `refs/heads/`.
    pub(super) branch: String,
    pub(super) setting: &'a Setting,
    pub(super) place: Place,
    pub(super) protected: Protected,
    pub(super) journal: Journal,
    pub(super) store: &'a BranchStore,
    pub(super) lock: &'a Lock,
    pub(super) state: BranchState,
    pub(super) run_id: String,
    pub(super) started: &'a RunStarted,
    /// For prompts, answers and outputs of this run.
    pub(super) folder: PathBuf,
    /// What checks left in the tree: never dirty, never committed.
    pub(super) leavings: Paths,
    /// Where the tip is as far as this run knows.
    pub(super) tip: CommitId,
    /// The tip's record.
    pub(super) record: Option<Record>,
    /// The checkpoint of the present iteration.
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) pending: Option<Pending>,
    pub(super) log: Vec<LogEntry>,
    pub(super) estimated: bool,
    /// What happened so far, for prompts.
    pub(super) earlier: Vec<String>,
    /// Where rules against gaming fired.
    pub(super) hits: Vec<Hit>,
    /// Which of them saw something since the last line of the fix log.
    pub(super) fired: BTreeMap<String, log::Fired>,
    /// Why the last dispatch goes back, where it is not that it made things worse.
    pub(super) gamed: Option<String>,
}

/// Whether a stored record still counts.
pub(super) fn still_holds(record: &Record, tip: &CommitId, setting: &Setting) -> bool {
    let base = setting.base.as_ref().map(|(_, point)| point.as_str());
    rules::record::still_holds(record, tip.as_str(), base, &setting.sha256)
        && (!setting.config.measures() || audits_are_fresh(record))
}

impl BranchLoop<'_> {
    pub(super) fn say(&self, line: &str) {
        self.ctx.console.say(line);
    }

    fn go_on(&self) -> anyhow::Result<()> {
        if self.ctx.cancel.is_set() { Err(Interrupted.into()) } else { Ok(()) }
    }

    pub(super) fn measurer(&self) -> Measurer<'_> {
        Measurer { repo: self.checkout.repo, ..self.ctx.measurer() }
    }

    /// Whether HEAD or the tip are not where this run left them.
    fn elsewhere(&self) -> anyhow::Result<Option<(Escalation, String)>> {
        let text = match self.checkout.stand()? {
            Stand::Elsewhere(text) => text,
            Stand::Ours(head) if head != self.tip => {
                let tip = self.checkout.tip_ref();
                format!("{tip} was moved to {} by somebody else", head.short())
            }
            Stand::Ours(_) => return Ok(None),
        };
        Ok(Some((Escalation::ScopeBreach, self.back(&text))))
    }

    /// Whether the tip or the tree are not as this run left them; else what is uncommitted, which is
    /// what checks left. One look at every file serves whoever goes on from it.
    fn undisturbed(&self) -> anyhow::Result<Result<Snapshot, (Escalation, String)>> {
        if let Some(stop) = self.elsewhere()? {
            return Ok(Err(stop));
        }
        if let Some(stop) = preflight::in_progress(&self.checkout)? {
            return Ok(Err(stop));
        }
        let now = self.checkout.repo.snapshot()?;
        let is_ours = |p: &&Vec<u8>| self.leavings.contains(*p) || self.place.is_record(p);
        let dirty: Vec<Vec<u8>> = now.shapes().keys().filter(|p| !is_ours(p)).cloned().collect();
        if dirty.is_empty() {
            return Ok(Ok(now));
        }
        Ok(Err((Escalation::DirtyTree, edited(&dirty))))
    }

    /// Whether a fixer had its hands on what is stored: where we measure, nothing of it counts.
    fn measures_anew(&self) -> bool {
        let dispatched = self.pending.is_some() || !self.log.is_empty();
        dispatched && self.setting.config.measures()
    }

    /// A stored record that still holds.
    fn stored(&self) -> Result<Option<Record>, String> {
        if self.measures_anew() {
            return Ok(None);
        }
        let record = self.place.read(&self.tip).map_err(|e| e.to_string())?;
        Ok(record.filter(|r| still_holds(r, &self.tip, self.setting)))
    }

    /// The tip's record: stored, or made now.
    fn evidence(&mut self) -> anyhow::Result<Result<Record, (Escalation, String)>> {
        match self.stored() {
            Ok(Some(record)) => return Ok(Ok(record)),
            Ok(None) => {}
            Err(e) if self.log.is_empty() && self.pending.is_none() => {
                return Err(Failure::usage(e));
            }
            Err(e) => return Ok(Err((Escalation::MeasureFailed, e))),
        }
        if !self.setting.config.measures() {
            let text = "nothing is configured to measure, and there is no record of this commit"
                .to_string();
            return Ok(Err((Escalation::NoEvidence, text)));
        }
        // What is measured is the tree: it has to be the tip's.
        let before = match self.undisturbed()? {
            Ok(before) => before,
            Err(stop) => return Ok(Err(stop)),
        };
        self.say(&format!("measuring {}", self.tip.short()));
        let recompute = self.measures_anew();
        let before = Some(before);
        let branch = self.branch.clone();
        let request = Request { branch, recompute, before, ask_ci: true, ..Request::default() };
        let reviewed = match self.measurer().review(&self.tip, self.setting, &request) {
            Ok(reviewed) => reviewed,
            Err(e) if e.is::<MeasureFailed>() => {
                self.go_on()?;
                return Ok(Err((Escalation::MeasureFailed, e.to_string())));
            }
            Err(e) if e.is::<HeadMoved>() => {
                let moved = self.undisturbed()?.err();
                return Ok(Err(moved.unwrap_or((Escalation::ScopeBreach, e.to_string()))));
            }
            Err(e) => return Err(e),
        };
        self.go_on()?;
        self.take_note_of(&reviewed.left)?;
        if let Some(stop) = self.changed_meanwhile(&reviewed.edited)? {
            return Ok(Err(stop));
        }
        self.place.write(&self.tip, &reviewed.record)?;
        Ok(Ok(reviewed.record))
    }

    /// Whether what was measured is not what the tip holds: then no record is made of it.
    fn changed_meanwhile(&self, edited: &[String]) -> anyhow::Result<Option<(Escalation, String)>> {
        if let Some(stop) = self.elsewhere()? {
            return Ok(Some(stop));
        }
        let edited: Vec<Vec<u8>> =
            paths_of(edited).into_iter().filter(|p| !self.place.is_record(p)).collect();
        if edited.is_empty() {
            return Ok(None);
        }
        let text = format!(
            "changed while the checks ran, by a person or by a check, so the figures are not those of \
             the commit; kept as it is: {}",
            listed(&edited)
        );
        Ok(Some((Escalation::DirtyTree, text)))
    }

    /// Untracked files that appeared while checks ran are the checks': named once, never committed.
    fn take_note_of(&mut self, left: &[String]) -> anyhow::Result<()> {
        let entries = self.checkout.repo.status(true, false)?;
        let untracked: Paths = entries
            .into_iter()
            .filter(|e| e.kind == StatusKind::Untracked && !self.place.is_record(&e.path))
            .map(|e| e.path)
            .collect();
        let fresh: Vec<String> = left
            .iter()
            .filter(|p| untracked.contains(p.as_bytes()) && !self.leavings.contains(p.as_bytes()))
            .cloned()
            .collect();
        if fresh.is_empty() {
            return Ok(());
        }
        self.say(&format!(
            "the checks left {} in the tree; it is not committed; for .gitignore: {}",
            fresh.join(", "),
            fresh.iter().map(|p| format!("/{p}")).collect::<Vec<_>>().join(" ")
        ));
        self.leavings.extend(paths_of(&fresh));
        self.journal.append(&Entry::Left { paths: fresh })?;
        Ok(())
    }

    /// Fixers for a kind, in the order of the configuration.
    fn fixers(&self, dispatch: &Dispatch) -> Vec<Fixer> {
        let all = self.setting.config.fixers.iter();
        all.filter(|f| f.kinds.contains(&dispatch.kind)).cloned().collect()
    }

    /// Before anything is changed: could a commit be made, and where can the branch go back to?
    fn prepare(&mut self, dispatch: &Dispatch) -> anyhow::Result<()> {
        let repo = self.checkout.repo;
        if self.checkpoint.is_none() {
            repo.can_commit()?;
        }
        let reason = format!("run {}: before iteration {}", self.run_id, dispatch.iteration);
        let checkpoint = self.checkpoints.ensure(&self.tip, &reason)?;
        self.journal.append(&Entry::Checkpoint {
            iteration: u64::from(dispatch.iteration),
            ref_name: checkpoint.name.clone(),
            sha: checkpoint.sha.clone(),
        })?;
        self.checkpoint = Some(checkpoint);
        Ok(())
    }

    fn try_fixers(&mut self, dispatch: &Dispatch, before: Snapshot) -> anyhow::Result<Fix> {
        let mut before = Some(before);
        let mut tokens = 0u64;
        let mut failures = Vec::new();
        for fixer in self.fixers(dispatch) {
            self.say(&format!(
                "iteration {}: {} for {}",
                dispatch.iteration, fixer.name, dispatch.reason
            ));
            let attempt = self.attempt(&fixer, dispatch, before.take())?;
            tokens = attempt.tokens.saturating_add(tokens);
            self.estimated |= attempt.estimated;
            let mut entry = self.entry(dispatch, &fixer, &attempt);
            match attempt.end {
                AttemptEnd::Changed(sha) => {
                    entry.sha_after = sha.to_string();
                    let before = std::mem::replace(&mut self.tip, sha);
                    self.pending = Some(Pending {
                        entry,
                        estimated: attempt.estimated,
                        before,
                        record: self.record.take(),
                    });
                    return Ok(Fix { tokens, result: FixResult::Changed });
                }
                AttemptEnd::Nothing(outcome, why) => {
                    let said = format!("{}: {outcome}: {why}", fixer.name);
                    self.say(&format!("iteration {}: {said}", dispatch.iteration));
                    entry.outcome = outcome;
                    if outcome != Outcome::NoChange {
                        failures.push(format!("{}: {why}", fixer.name));
                    }
                    self.logged(entry, attempt.estimated)?;
                }
                AttemptEnd::Gamed(gaming) => {
                    entry.outcome = Outcome::RolledBack;
                    self.logged(entry, attempt.estimated)?;
                    self.tell(&gaming);
                    return Ok(Fix { tokens, result: FixResult::Gamed(gaming) });
                }
                AttemptEnd::Stop(why, detail) => {
                    entry.outcome = Outcome::Failed;
                    self.logged(entry, attempt.estimated)?;
                    return Ok(Fix { tokens, result: FixResult::Stop(why, detail) });
                }
            }
        }
        if !failures.is_empty() {
            let result = FixResult::Stop(Escalation::FixerFailed, failures.join("; "));
            return Ok(Fix { tokens, result });
        }
        self.journal.append(&Entry::NoChange { sha: self.tip.clone() })?;
        Ok(Fix { tokens, result: FixResult::NoChange })
    }

    fn entry(&self, dispatch: &Dispatch, fixer: &Fixer, attempt: &Attempt) -> LogEntry {
        LogEntry {
            iteration: dispatch.iteration,
            fixer: fixer.name.clone(),
            kind: dispatch.kind,
            reason: dispatch.reason.to_string(),
            sha_before: self.tip.to_string(),
            sha_after: self.tip.to_string(),
            outcome: Outcome::NoChange,
            tokens: attempt.tokens,
            seconds: (attempt.seconds * 1000.0).round() / 1000.0,
        }
    }

    /// A dispatch whose outcome is known: into the report, the fix log and the next prompt.
    fn logged(&mut self, entry: LogEntry, estimated: bool) -> anyhow::Result<()> {
        let gaming = std::mem::take(&mut self.fired);
        let attempt = log::Attempt { gaming, ..entry.attempt(self.started, estimated) };
        log::append(&self.ctx.layout, &attempt)?;
        self.earlier.push(format!("{} tried {}: {}", entry.fixer, entry.reason, entry.outcome));
        self.log.push(entry);
        Ok(())
    }

    /// What was counted, as it is saved with the branch.
    pub(super) fn count(&mut self, totals: &Totals) {
        self.state.iter_count_total = u64::from(totals.iter_count_total);
        self.state.tokens_total = totals.tokens_total;
        self.state.reverts = u64::from(totals.reverts);
        self.state.last_reasons_set.clone_from(&totals.last_reasons_set);
        self.state.tip = Some(self.tip.to_string());
    }

    fn settle_pending(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        let Some(mut pending) = self.pending.take() else { return Ok(()) };
        pending.entry.outcome = outcome;
        self.logged(pending.entry, pending.estimated)
    }

    /// Why the last dispatch may not be taken back, if so.
    fn not_ours_to_move(&self, before: &CommitId) -> anyhow::Result<Option<String>> {
        match self.checkout.stand()? {
            Stand::Ours(head) if head == self.tip => {}
            Stand::Ours(head) => {
                return Ok(Some(
                    self.back(&format!("the tip was moved to {} meanwhile", head.short())),
                ));
            }
            Stand::Elsewhere(text) => return Ok(Some(self.back(&text))),
        }
        if let Some(commit) = self.checkout.somebody_elses(before, &self.tip)? {
            return Ok(Some(self.back(&format!("{} is somebody else's commit", commit.short()))));
        }
        let commits = self.checkout.repo.commits_between(before, &self.tip)?;
        let published = self.checkout.repo.contained_in_remotes(&commits)?;
        if published.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.back(&format!("this iteration's commits are on {}", published.join(", ")))))
    }
}

impl Ports for BranchLoop<'_> {
    fn measure(&mut self) -> anyhow::Result<Observation> {
        self.go_on()?;
        let record = match self.evidence()? {
            Ok(record) => record,
            Err((why, detail)) => return Ok(Observation::Barred(why, detail)),
        };
        self.journal.append(&Entry::Measured {
            sha: self.tip.clone(),
            decision: record.decision(),
            reasons: record.reasons().to_vec(),
        })?;
        if let Some(pending) = self.pending.take() {
            let seen = self.look_at_reports(&pending, &record);
            self.pending = Some(pending);
            match seen? {
                Verdict::Honest => {}
                Verdict::Rejected(gaming) => {
                    self.tell(&gaming);
                    self.gamed = Some(gaming.detail.clone());
                    return Ok(Observation::Gamed(gaming));
                }
                // What a person has to decide does not stay on the branch meanwhile.
                Verdict::Person(word, detail) => {
                    self.gamed = Some(detail.clone());
                    let gaming = Gaming { rules: Vec::new(), word, detail, at_once: true };
                    return Ok(Observation::Gamed(gaming));
                }
            }
        }
        let view = View::of(&record, self.ctx.env.bot_actor);
        let reasons: Vec<String> = view.reasons.iter().map(ToString::to_string).collect();
        self.say(&format!("{}: {} [{}]", self.tip.short(), view.decision, reasons.join(", ")));
        self.record = Some(record);
        Ok(Observation::Evidence(view))
    }

    fn dispatch(&mut self, dispatch: &Dispatch) -> anyhow::Result<Observation> {
        self.go_on()?;
        let before = match self.undisturbed()? {
            Ok(before) => before,
            Err((why, detail)) => return Ok(Observation::Barred(why, detail)),
        };
        if let Some(stop) = self.ask_decider(dispatch)? {
            return Ok(Observation::Barred(Escalation::Decider, stop));
        }
        self.prepare(dispatch)?;
        Ok(Observation::Fixed(self.try_fixers(dispatch, before)?))
    }

    fn roll_back(&mut self) -> anyhow::Result<Observation> {
        let Some(before) = self.pending.as_ref().map(|p| p.before.clone()) else {
            return Ok(Observation::RollBackRefused("there is nothing to take back".into()));
        };
        if let Some(why) = self.not_ours_to_move(&before)? {
            self.settle_pending(Outcome::Kept)?;
            return Ok(Observation::RollBackRefused(why));
        }
        let why = match self.gamed.take() {
            Some(detail) => format!("it only silences the check: {detail}"),
            None => WORSE.to_string(),
        };
        let reason = format!("run {}: rolled back", self.run_id);
        let kept = self.checkpoints.create(&self.tip, &reason)?;
        self.journal.append(&Entry::RollingBack {
            from: self.tip.clone(),
            to: before.clone(),
            why: why.clone(),
        })?;
        match self.checkout.go(&self.tip, &before, &format!("git-evidence {reason}")) {
            Ok(()) => {}
            Err(GitError::InTheWay { paths }) => {
                self.settle_pending(Outcome::Kept)?;
                let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
                let text = self.back(&format!("edited meanwhile: {}", paths.join(", ")));
                return Ok(Observation::RollBackRefused(text));
            }
            Err(e) => return Err(e.into()),
        }
        self.journal.append(&Entry::RolledBack { to: before.clone() })?;
        self.say(&format!("{why}: rolled back (kept as checkpoint {})", kept.number));
        self.tip = before;
        self.record = self.pending.as_mut().and_then(|p| p.record.take());
        self.settle_pending(Outcome::RolledBack)?;
        Ok(Observation::RolledBack)
    }

    fn settle(&mut self, machine: &Machine) -> anyhow::Result<()> {
        if self.pending.is_some() && !matches!(machine.next(), Step::Measure | Step::RollBack) {
            self.journal.append(&Entry::Kept { sha: self.tip.clone() })?;
            self.settle_pending(Outcome::Kept)?;
        }
        self.count(machine.totals());
        self.store.save(&self.state, self.lock)?;
        Ok(())
    }
}
