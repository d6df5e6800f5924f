//! After an interruption: `continue` and `abort`.
//!
//! The journal tells what was half done ([`super::replay`]), [`super::tidy`] puts that aside. Then
//! `continue` goes on with what was counted, and `abort` goes back to where the run began.

use std::path::PathBuf;

use super::checkout::{Checkout, path_text};
use super::checkpoint::Checkpoints;
use super::drive::{Commits, GoesOn, Prepared, Unsettled, run_held};
use super::fixer;
use super::home;
use super::limits::{default_limits, resumed_limits};
use super::ports::{Pending, still_holds};
use super::replay::{Half, Replay};
use super::report::{Ending, Report};
use super::session::{Held, branch_and_head, hold, load_state, query, totals};
use super::tidy::{Refusal, Work, in_the_way, tidy};
use super::undo::is_undo;
use crate::engine::{BRANCH_LOOP, End, Limits, Totals};
use crate::git::{GitError, Repo, branch_key};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::measure::{Progress, Setting, Workplace};
use crate::model::{CommitId, Escalation, Status};
use crate::store::clock;
use crate::store::journal::{self, Entry, FixerEnd, Journal, Mode, RunStarted};
use crate::store::log;
use crate::store::records::Place;

/// An interrupted run that this process holds now.
struct Broken {
    held: Held,
    journal: Journal,
    path: PathBuf,
    started: RunStarted,
    replay: Replay,
    /// Whether it ever started a fixer.
    began: bool,
}

fn open(ctx: &Context) -> anyhow::Result<Broken> {
    let (branch, _) = branch_and_head(ctx)?.map_err(|_| {
        Failure::usage("HEAD is on no branch: switch to the branch of the interrupted run")
    })?;
    let held = hold(ctx, branch)?;
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    let opened = Journal::open(&path).map_err(|e| Failure::usage(e.to_string()))?;
    let found = opened.and_then(|(journal, read)| {
        let started = read.interrupted()?.clone();
        let replay = Replay::of(&started, &read);
        Some((journal, started, replay, read.began()))
    });
    let Some((journal, started, replay, began)) = found else {
        return Err(Failure::usage(format!("no run of {} was interrupted", held.branch)));
    };
    Ok(Broken { held, journal, path, started, replay, began })
}

impl Broken {
    /// Reads the journal again after lines were added to it.
    fn again(&mut self) -> anyhow::Result<()> {
        self.replay = Replay::of(&self.started, &journal::read(&self.path)?);
        Ok(())
    }

    /// The checkout that the run worked in; none where its worktree is gone.
    fn repo(&self, ctx: &Context) -> anyhow::Result<Option<Repo>> {
        match self.started.mode {
            Mode::InPlace => Ok(None),
            Mode::Worktree => home::find(ctx, &self.started.run_id)?
                .map(|path| Repo::discover(&path, None, None).map_err(Into::into))
                .transpose(),
        }
    }

    /// Puts aside what was half done; gives the tip, or why that cannot be.
    fn tidy(&self, ctx: &Context, place: &Place) -> anyhow::Result<Result<CommitId, Refusal>> {
        let repo = self.repo(ctx)?;
        let (repo, branch) = match (&repo, self.started.mode) {
            (_, Mode::InPlace) => (&ctx.repo, Some(self.held.branch.clone())),
            (Some(repo), Mode::Worktree) => (repo, None),
            // Somebody removed it. What was committed in it is kept by checkpoints.
            (None, Mode::Worktree) => return Ok(Ok(self.tip_without_worktree(ctx)?)),
        };
        tidy(&Work {
            ctx,
            checkout: Checkout { repo, branch },
            checkpoints: Checkpoints::of(&ctx.repo, &self.held.branch),
            place,
            journal: &self.journal,
            run_id: &self.started.run_id,
            replay: &self.replay,
        })
    }

    fn tip_without_worktree(&self, ctx: &Context) -> Result<CommitId, GitError> {
        let tip = match &self.replay.half {
            Half::Committed { sha, .. } => sha,
            _ => &self.replay.good,
        };
        let tip = if ctx.repo.exists(tip)? { tip } else { &self.started.start_sha };
        Ok(tip.clone())
    }

    /// What differs from the tip in the run's checkout.
    fn uncommitted(&self, ctx: &Context) -> anyhow::Result<Vec<String>> {
        let linked = self.repo(ctx)?;
        let repo = match (&linked, self.started.mode) {
            (Some(repo), _) => repo,
            (None, Mode::InPlace) => &ctx.repo,
            (None, Mode::Worktree) => return Ok(Vec::new()),
        };
        Ok(repo.status(true, false)?.iter().map(|e| path_text(&e.path)).collect())
    }

    /// A fixer that was killed has cost something and is counted among those that failed.
    fn charge(&mut self, ctx: &Context, setting: &Setting) -> anyhow::Result<()> {
        if !self.replay.fixer_was_killed() {
            return Ok(());
        }
        let Some(last) = self.replay.log.last().cloned() else { return Ok(()) };
        let folder = ctx.layout.out(&self.started.run_id);
        let folder = folder.join(format!("iteration-{}", last.iteration));
        let found = setting.config.fixers.iter().find(|f| f.name == last.fixer);
        let (tokens, estimated) = found.map_or((0, false), |f| fixer::spent(f, &folder));
        let head = CommitId::parse(&last.sha_before)?;
        self.journal.append(&Entry::FixerEnded {
            outcome: FixerEnd::Failed,
            tokens,
            estimated,
            seconds: 0.0,
            head: head.clone(),
            paths: self.uncommitted(ctx)?,
        })?;
        let mut entry = last;
        entry.tokens = tokens;
        log::append(&ctx.layout, &entry.attempt(&self.started, estimated))?;
        // Nobody saw where it left the tip, so that stays unknown.
        let half = self.replay.half.clone();
        self.again()?;
        self.replay.half = half;
        Ok(())
    }

    /// Ends an undo that was interrupted: where it was going, or where the branch was before it.
    fn end_undo(self, ctx: &Context, back: bool) -> anyhow::Result<Report> {
        let limits = default_limits(ctx);
        let setting = ctx.setting(&self.held.head, query(&self.held.branch), true).ok();
        let place = setting.and_then(|s| ctx.place(&s.config).ok());
        let place = place.unwrap_or_else(|| Place::GitDir(ctx.layout.clone()));
        let mut sha = match self.tidy(ctx, &place)? {
            Ok(tip) => tip,
            Err(refusal) => return self.refused(ctx, refusal, &limits),
        };
        let start = self.started.start_sha.clone();
        if back && sha != start {
            let (from, to) = (sha, start.clone());
            let entry = Entry::RollingBack { from: from.clone(), to, why: "aborted".into() };
            self.journal.append(&entry)?;
            let here = Checkout { repo: &ctx.repo, branch: Some(self.held.branch.clone()) };
            let reason = format!("git-evidence {}: aborted", self.started.run_id);
            if let Err(refusal) = in_the_way(here.go(&from, &start, &reason))? {
                return self.refused(ctx, refusal, &limits);
            }
            self.journal.append(&Entry::RolledBack { to: start.clone() })?;
            sha = start;
        }
        let (status, escalation) = (Status::Escalated, None);
        let detail = format!("the undo is over; the branch is at {}", sha.short());
        self.journal.append(&ended(status, &sha, &detail))?;
        let state = self.held.store.load().map_err(|e| Failure::usage(e.to_string()))?;
        let end = End { status, escalation, detail };
        let report = self.report(&end, &totals(&state), &limits, &sha);
        self.journal.archive(&ctx.layout.runs())?;
        Ok(report)
    }

    fn refused(&self, ctx: &Context, refusal: Refusal, limits: &Limits) -> anyhow::Result<Report> {
        let (why, detail) = refusal;
        let state = self.held.store.load().map_err(|e| Failure::usage(e.to_string()))?;
        let totals = self.replay.count(&self.started, totals(&state));
        let detail = format!("{detail}; the run is still interrupted");
        ctx.console.say(&format!("{why}: {detail}"));
        let end = End { status: Status::Escalated, escalation: Some(why), detail };
        Ok(self.report(&end, &totals, limits, &self.held.head))
    }

    fn report(&self, end: &End, totals: &Totals, limits: &Limits, sha: &CommitId) -> Report {
        let ending = Ending {
            gaming: Vec::new(),
            sha: sha.to_string(),
            start_sha: self.started.start_sha.to_string(),
            branch: self.held.branch.clone(),
            run_id: self.started.run_id.clone(),
            tokens_estimated: self.replay.estimated,
            final_reasons: Vec::new(),
            log: self.replay.log.clone(),
        };
        Report::new(end, totals, limits, ending)
    }

    /// The commits that are not compared yet, and what they are compared with.
    fn unsettled(
        &self,
        ctx: &Context,
        setting: &Setting,
        place: &Place,
        tip: &CommitId,
    ) -> anyhow::Result<Unsettled> {
        let Half::Committed { before, sha } = &self.replay.half else {
            return Ok(Unsettled::Nothing);
        };
        let record = place.read(before).ok().flatten().filter(|r| still_holds(r, before, setting));
        let checkpoints = Checkpoints::of(&ctx.repo, &self.held.branch).list()?;
        let name = self.replay.checkpoint.as_deref();
        let checkpoint = checkpoints.into_iter().find(|c| Some(c.name.as_str()) == name);
        let (Some(record), Some(checkpoint), Some(entry), true) =
            (record, checkpoint, self.replay.log.last().cloned(), sha == tip)
        else {
            // Nothing to compare with, or a person went on from there: it stays.
            self.journal.append(&Entry::Kept { sha: sha.clone() })?;
            return Ok(Unsettled::Nothing);
        };
        let pending = Pending {
            entry,
            estimated: self.replay.estimated,
            before: before.clone(),
            record: Some(record.clone()),
        };
        Ok(Unsettled::Commits(Box::new(Commits { pending, checkpoint, before: record })))
    }
}

/// The last line of a run that a person ended.
fn ended(status: Status, sha: &CommitId, detail: &str) -> Entry {
    Entry::RunEnded { status, escalation: None, sha: sha.clone(), detail: detail.to_string() }
}

/// Carries an interrupted run on: what was half done is put aside, what was counted counts.
///
/// # Errors
/// Usage where no run was interrupted. Where something is in the way the report says so, and the
/// run stays interrupted.
pub fn resume(ctx: &Context) -> anyhow::Result<Report> {
    let mut broken = open(ctx)?;
    if is_undo(&broken.started.run_id) {
        return broken.end_undo(ctx, false);
    }
    let setting = ctx.setting(&broken.held.head, query(&broken.held.branch), true)?;
    let place = ctx.place(&setting.config)?;
    let limits = resumed_limits(ctx, &setting.config, &broken.started)?;
    broken.charge(ctx, &setting)?;
    let worse = matches!(broken.replay.half, Half::GoingBack { worse: true, .. });
    let tip = match broken.tidy(ctx, &place)? {
        Ok(tip) => tip,
        Err(refusal) => return broken.refused(ctx, refusal, &limits),
    };
    broken.again()?;
    let here = Checkout { repo: &ctx.repo, branch: Some(broken.held.branch.clone()) };
    let home = match home::finish_coming_home(&here, broken.replay.home.as_ref())? {
        Ok(home) => home.unwrap_or_else(|| broken.started.start_sha.clone()),
        Err(refusal) => return broken.refused(ctx, refusal, &limits),
    };
    let mut unsettled = broken.unsettled(ctx, &setting, &place, &tip)?;
    broken.journal.append(&Entry::Resumed { at: clock::now() })?;
    let mut log = broken.replay.log.clone();
    if matches!(unsettled, Unsettled::Commits(_)) {
        // It comes back when it is settled.
        log.pop();
    }
    let state = load_state(ctx, &broken.held, &setting)?;
    let totals = broken.replay.count(&broken.started, totals(&state));
    if worse && BRANCH_LOOP.max_reverts.is_some_and(|most| totals.reverts >= most) {
        unsettled = Unsettled::End(End {
            status: Status::Escalated,
            escalation: Some(Escalation::WorseningDetected),
            detail: String::new(),
        });
    }
    let Broken { held, journal, started, replay, .. } = broken;
    let (leavings, estimated) = (replay.leavings, replay.estimated);
    let goes_on = Some(GoesOn { journal, started, tip, home, leavings, log, estimated, unsettled });
    run_held(ctx, &held, Prepared { setting, limits, place, state, totals, goes_on })
}

/// Puts the branch back to where the interrupted run began; what it had done stays under checkpoints.
/// Works without a configuration that can be read: it is a way out.
///
/// # Errors
/// Usage where no run was interrupted. Where a person's edits or commits are in the way the report
/// says so, and nothing was moved.
pub fn abort(ctx: &Context) -> anyhow::Result<Report> {
    let mut broken = open(ctx)?;
    if is_undo(&broken.started.run_id) {
        return broken.end_undo(ctx, true);
    }
    let setting = ctx.setting(&broken.held.head, query(&broken.held.branch), true).ok();
    let place = setting.as_ref().and_then(|s| ctx.place(&s.config).ok());
    let place = place.unwrap_or_else(|| Place::GitDir(ctx.layout.clone()));
    let limits = setting
        .as_ref()
        .and_then(|s| resumed_limits(ctx, &s.config, &broken.started).ok())
        .unwrap_or_else(|| default_limits(ctx));
    let start = broken.started.start_sha.clone();
    let detail = if broken.began {
        if let Some(setting) = &setting {
            broken.charge(ctx, setting)?;
        }
        let tip = match broken.tidy(ctx, &place)? {
            Ok(tip) => tip,
            Err(refusal) => return broken.refused(ctx, refusal, &limits),
        };
        broken.again()?;
        if let Some(refusal) = to_the_start(ctx, &broken, &tip)? {
            return broken.refused(ctx, refusal, &limits);
        }
        format!("aborted; the branch is back at {}", start.short())
    } else {
        home::forget(ctx, &broken.started.run_id);
        "aborted; the run had not changed anything".to_string()
    };
    let mut state = broken.held.store.load().map_err(|e| Failure::usage(e.to_string()))?;
    let totals = broken.replay.count(&broken.started, totals(&state));
    state.iter_count_total = u64::from(totals.iter_count_total);
    state.tokens_total = totals.tokens_total;
    state.reverts = u64::from(totals.reverts);
    broken.held.store.save(&state, &broken.held.lock)?;
    let (status, escalation) = (Status::Escalated, None);
    let sha = ctx.repo.head()?.commit.unwrap_or(start);
    broken.journal.append(&ended(status, &sha, &detail))?;
    let report = broken.report(&End { status, escalation, detail }, &totals, &limits, &sha);
    broken.journal.archive(&ctx.layout.runs())?;
    Ok(report)
}

/// From the run's tip to its start, both kept; or why not.
fn to_the_start(ctx: &Context, broken: &Broken, tip: &CommitId) -> anyhow::Result<Option<Refusal>> {
    let start = &broken.started.start_sha;
    let checkpoints = Checkpoints::of(&ctx.repo, &broken.held.branch);
    let reason = format!("run {}: aborted", broken.started.run_id);
    if tip != start {
        let kept = checkpoints.ensure(tip, &reason)?;
        ctx.console.say(&format!("what the run had done is checkpoint {}", kept.number));
    }
    let here = Checkout { repo: &ctx.repo, branch: Some(broken.held.branch.clone()) };
    if broken.started.mode == Mode::Worktree {
        match home::finish_coming_home(&here, broken.replay.home.as_ref())? {
            Err(refusal) => return Ok(Some(refusal)),
            Ok(Some(home)) => {
                if let Some(refusal) = back(ctx, broken, &here, &home)? {
                    return Ok(Some(refusal));
                }
            }
            Ok(None) => {}
        }
        if let Some(path) = home::find(ctx, &broken.started.run_id)? {
            // Its commits are kept, and what was uncommitted is.
            drop(Workplace::at(&ctx.repo, path));
        }
        return Ok(None);
    }
    if tip == start {
        return Ok(None);
    }
    back(ctx, broken, &here, tip)
}

/// Takes the branch from the run's tip to the run's start, or says why not.
fn back(
    ctx: &Context,
    broken: &Broken,
    checkout: &Checkout<'_>,
    tip: &CommitId,
) -> anyhow::Result<Option<Refusal>> {
    let start = &broken.started.start_sha;
    let foreign = || {
        let text = format!(
            "{} is at {}, which the run did not make: nothing was moved; git fix-evidence undo goes back \
             to a checkpoint",
            broken.held.branch,
            tip.short()
        );
        Ok(Some((Escalation::ScopeBreach, text)))
    };
    if !broken.replay.known.contains(tip)
        || !ctx.repo.is_ancestor(start, tip)?
        || checkout.somebody_elses(start, tip)?.is_some()
    {
        return foreign();
    }
    let published = ctx.repo.contained_in_remotes(&ctx.repo.commits_between(start, tip)?)?;
    if !published.is_empty() {
        let text = format!("the run's commits are on {}; nothing was moved", published.join(", "));
        return Ok(Some((Escalation::ScopeBreach, text)));
    }
    let (from, to) = (tip.clone(), start.clone());
    broken.journal.append(&Entry::RollingBack { from, to, why: "aborted".into() })?;
    let reason = format!("git-evidence run {}: aborted", broken.started.run_id);
    Ok(in_the_way(checkout.go(tip, start, &reason))?.err())
}
