//! A run where everything holds: from its journal's first line to its report.

use std::collections::BTreeMap;

use super::checkout::{Checkout, Paths};
use super::checkpoint::{Checkpoint, Checkpoints};
use super::home;
use super::ports::{BranchLoop, Interrupted, Pending};
use super::protected::protected;
use super::report::{Ending, LogEntry, Report};
use super::session::{Held, close_interrupted};
use crate::config::WorkMode;
use crate::engine::{BRANCH_LOOP, Driver, End, Limits, Machine, Totals, View};
use crate::git::branch_key;
use crate::host::context::Context;
use crate::measure::Setting;
use crate::model::{CommitId, Escalation, Kind, Record, Status};
use crate::store::branch::BranchState;
use crate::store::clock;
use crate::store::journal::{Entry, Journal, Mode, RunStarted};
use crate::store::records::Place;

/// Everything that a run starts from.
pub(super) struct Prepared {
    pub(super) setting: Setting,
    pub(super) limits: Limits,
    pub(super) place: Place,
    pub(super) state: BranchState,
    pub(super) totals: Totals,
    /// What an interrupted run hands over.
    pub(super) goes_on: Option<GoesOn>,
}

/// A run that goes on: after an interruption, or from its very start.
pub(super) struct GoesOn {
    pub(super) journal: Journal,
    pub(super) started: RunStarted,
    /// Where its tip is.
    pub(super) tip: CommitId,
    /// Where its branch is, if it is unmoved.
    pub(super) home: CommitId,
    /// What its checks left in the tree.
    pub(super) leavings: Paths,
    /// Its dispatches so far.
    pub(super) log: Vec<LogEntry>,
    pub(super) estimated: bool,
    pub(super) unsettled: Unsettled,
}

/// What the interrupted run still owes an answer.
pub(super) enum Unsettled {
    /// Nothing.
    Nothing,
    /// Commits that are not compared yet.
    Commits(Box<Commits>),
    /// Its end, which it had reached.
    End(End),
}

/// Commits of an iteration, and what they are compared with.
pub(super) struct Commits {
    pub(super) pending: Pending,
    pub(super) checkpoint: Checkpoint,
    pub(super) before: Record,
}

/// A run and its surroundings, for as long as it lasts.
pub(super) struct Running<'a> {
    pub(super) ctx: &'a Context,
    pub(super) held: &'a Held,
    pub(super) setting: &'a Setting,
    pub(super) limits: Limits,
    pub(super) started: &'a RunStarted,
}

/// What changes hands at the start of a run.
pub(super) struct Start {
    pub(super) place: Place,
    pub(super) state: BranchState,
    pub(super) totals: Totals,
    pub(super) from: GoesOn,
}

/// A run that came to its end and is not written down yet.
pub(super) struct Ended<'a> {
    pub(super) ports: BranchLoop<'a>,
    end: End,
    totals: Totals,
    limits: Limits,
}

/// Runs the loop where the branch is held and every precondition is true.
pub(super) fn run_held(ctx: &Context, held: &Held, prepared: Prepared) -> anyhow::Result<Report> {
    let Prepared { setting, limits, place, state, totals, goes_on } = prepared;
    let from = match goes_on {
        Some(from) => from,
        None => begin(ctx, held, &setting, &limits, &totals)?,
    };
    let started = from.started.clone();
    let start = Start { place, state, totals, from };
    let running = Running { ctx, held, setting: &setting, limits, started: &started };
    let ran = match started.mode {
        Mode::InPlace => {
            let checkout = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
            drive(&running, checkout, start).and_then(|ended| ended.finish(&started, None))
        }
        Mode::Worktree => home::run(&running, start),
    };
    if ran.as_ref().is_err_and(|e| !e.is::<Interrupted>()) {
        // The environment failed. Where nothing had begun there is nothing to carry on.
        let _ = close_interrupted(ctx, held);
    }
    ran
}

/// Drives the machine over one checkout.
pub(super) fn drive<'a>(
    running: &Running<'a>,
    checkout: Checkout<'a>,
    start: Start,
) -> anyhow::Result<Ended<'a>> {
    let (limits, place, state) = (running.limits, start.place, start.state);
    let (machine, over, pending, checkpoint) =
        standing(running, start.totals, start.from.unsettled);
    let Running { ctx, held, setting, started, .. } = *running;
    let mut ports = BranchLoop {
        ctx,
        checkout,
        checkpoints: Checkpoints::of(&ctx.repo, &held.branch),
        branch: held.branch.clone(),
        setting,
        // The record of an end that was reached already is there.
        record: over.as_ref().and_then(|_| place.read(&start.from.tip).ok().flatten()),
        place,
        protected: protected(ctx, setting, &held.head)?,
        journal: start.from.journal,
        store: &held.store,
        lock: &held.lock,
        state,
        folder: ctx.layout.out(&started.run_id),
        run_id: started.run_id.clone(),
        started,
        leavings: start.from.leavings,
        tip: start.from.tip,
        checkpoint,
        pending,
        log: start.from.log,
        estimated: start.from.estimated,
        earlier: Vec::new(),
        hits: Vec::new(),
        fired: BTreeMap::new(),
        gamed: None,
    };
    let mut driver = Driver::new(machine, &mut ports);
    let end = match over {
        Some(end) => end,
        None => driver.run()?,
    };
    let totals = driver.machine.totals().clone();
    Ok(Ended { ports, end, totals, limits })
}

/// The machine as the run needs it: new, before a comparison, or over.
fn standing(
    running: &Running<'_>,
    totals: Totals,
    unsettled: Unsettled,
) -> (Machine, Option<End>, Option<Pending>, Option<Checkpoint>) {
    let fixers = running.setting.config.fixers.iter();
    let kinds: Vec<Kind> = fixers.flat_map(|f| f.kinds.clone()).collect();
    let machine = Machine::new(BRANCH_LOOP, running.limits, totals, &kinds);
    match unsettled {
        Unsettled::Nothing => (machine, None, None, None),
        Unsettled::End(end) => (machine, Some(end), None, None),
        Unsettled::Commits(commits) => {
            let Commits { pending, checkpoint, before } = *commits;
            let view = View::of(&before, running.ctx.env.bot_actor);
            (machine.comparing_with(view), None, Some(pending), Some(checkpoint))
        }
    }
}

impl Ended<'_> {
    /// The last look: what is saved, what is forgotten, what is reported.
    pub(super) fn finish(
        self,
        started: &RunStarted,
        note: Option<String>,
    ) -> anyhow::Result<Report> {
        let Ended { mut ports, end, totals, limits } = self;
        if end.status == Status::AutoApprove {
            ports.store.remove(ports.lock)?;
            ports.store.clear_autocount()?;
        } else {
            ports.count(&totals);
            ports.store.save(&ports.state, ports.lock)?;
        }
        if ports.tip != started.start_sha {
            // The end of a run can be come back to as well.
            ports.checkpoints.ensure(&ports.tip, &format!("run {}: its end", ports.run_id))?;
        }
        ports.journal.append(&Entry::RunEnded {
            status: end.status,
            escalation: end.escalation,
            sha: ports.tip.clone(),
            detail: end.detail.clone(),
        })?;
        ports.journal.archive(&ports.ctx.layout.runs())?;
        let reasons = ports.record.as_ref().map(|r| r.reasons().to_vec()).unwrap_or_default();
        let mut detailed = end;
        if detailed.escalation == Some(Escalation::NoFixer) {
            detailed.detail = no_fixer(&detailed.detail);
        }
        let parts = [detailed.detail, note.unwrap_or_default()];
        detailed.detail =
            parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("; ");
        let ending = Ending {
            sha: ports.tip.to_string(),
            start_sha: started.start_sha.to_string(),
            branch: ports.branch,
            run_id: ports.run_id,
            tokens_estimated: ports.estimated,
            final_reasons: reasons.iter().map(ToString::to_string).collect(),
            log: ports.log,
            gaming: ports.hits,
        };
        Ok(Report::new(&detailed, &totals, &limits, ending))
    }
}

/// A block that can be copied.
fn no_fixer(kind: &str) -> String {
    format!(
        "nothing is configured to mend {kind}; add to .git-evidence.toml on the base branch:\n\n\
         [[fixer]]\nname = \"my-{kind}-fixer\"\nkinds = [\"{kind}\"]\nrun = \"<a command that mends it>\"   # or: agent = \"claude\"\n"
    )
}

/// The first line of a new run's journal.
fn begin(
    ctx: &Context,
    held: &Held,
    setting: &Setting,
    limits: &Limits,
    totals: &Totals,
) -> anyhow::Result<GoesOn> {
    let at = clock::now();
    let stamp: String = at.chars().filter(char::is_ascii_alphanumeric).collect();
    let started = RunStarted {
        run_id: format!("{stamp}-{}", std::process::id()),
        branch: format!("refs/heads/{}", held.branch),
        checkout: ctx.repo.top()?.to_string_lossy().into_owned(),
        mode: match setting.config.workspace.mode {
            WorkMode::InPlace => Mode::InPlace,
            WorkMode::Worktree => Mode::Worktree,
        },
        start_sha: held.head.clone(),
        at,
        iterations_before: u64::from(totals.iter_count_total),
        tokens_before: totals.tokens_total,
        reverts_before: u64::from(totals.reverts),
        max_iter: u64::from(limits.max_iter),
        token_budget: limits.token_budget,
        max_cumulative_iter: Some(u64::from(limits.max_cumulative_iter)),
    };
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    Ok(GoesOn {
        journal: Journal::start(&path, &started)?,
        started,
        tip: held.head.clone(),
        home: held.head.clone(),
        leavings: Paths::new(),
        log: Vec::new(),
        estimated: false,
        unsettled: Unsettled::Nothing,
    })
}
