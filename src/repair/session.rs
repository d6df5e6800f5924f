//! A run from its start to its end: who may start, in what order it is looked, and what is saved.

use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::checkout::{Checkout, Paths};
use super::checkpoint::Checkpoints;
use super::fixer;
use super::ports::BranchLoop;
use super::preflight;
use super::prompt::prompt;
use super::report::{Ending, Report};
use crate::config::{Config, FixerCommand, SandboxLevel, WorkMode};
use crate::engine::{BRANCH_LOOP, Driver, End, Limits, Machine, Step, Totals, View};
use crate::git::{BaseQuery, Repo, branch_key};
use crate::host::context::{Context, git_failure};
use crate::host::exit::{Code, Failure};
use crate::measure::{Setting, Workplace};
use crate::model::{CommitId, Escalation, Kind, Status};
use crate::rules::protect::{Protected, named_files};
use crate::rules::tighten::{Given, tighten};
use crate::store::branch::{BranchState, BranchStore};
use crate::store::clock;
use crate::store::journal::{self, Entry, Journal, Mode, RunStarted};
use crate::store::lock::{Holder, Lock, LockError};
use crate::store::records::Place;

/// What was typed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--sha`.
    pub sha: Option<String>,
    /// `--max-iter`.
    pub max_iter: Option<String>,
    /// `--token-budget`.
    pub token_budget: Option<String>,
}

/// A branch that is held by this process.
pub(super) struct Held {
    /// Without `refs/heads/`.
    pub(super) branch: String,
    /// Its tip.
    pub(super) head: CommitId,
    pub(super) store: BranchStore,
    pub(super) lock: Lock,
    /// The checkout's lock.
    _checkout: Lock,
}

/// The checked-out branch and its tip, or why there is none to work on.
pub(super) fn branch_and_head(
    ctx: &Context,
) -> anyhow::Result<Result<(String, CommitId), CommitId>> {
    ctx.repo.top().map_err(git_failure)?;
    let head = ctx.repo.head().map_err(git_failure)?;
    match (head.branch, head.commit) {
        (Some(branch), Some(commit)) => Ok(Ok((branch, commit))),
        (None, Some(commit)) => Ok(Err(commit)),
        (Some(branch), None) => Err(Failure::usage(format!(
            "branch {branch} has no commit yet: there is nothing to judge"
        ))),
        (None, None) => Err(Failure::usage("HEAD leads to no commit: there is nothing to judge")),
    }
}

/// Takes a branch and the checkout.
pub(super) fn hold(ctx: &Context, branch: String, head: CommitId) -> anyhow::Result<Held> {
    let holder = Holder::this_process("git fix-evidence");
    let store = BranchStore::new(
        &ctx.layout,
        &branch_key(branch.as_bytes()),
        &format!("refs/heads/{branch}"),
    );
    let lock = store.lock(&holder).map_err(|e| held_failure(e, &format!("branch {branch}")))?;
    let digest = Sha256::digest(ctx.repo.git_dir.as_os_str().as_encoded_bytes());
    let id: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    let checkout = Lock::acquire(&ctx.layout.checkout_lock(&id), &holder)
        .map_err(|e| held_failure(e, "this checkout"))?;
    Ok(Held { branch, head, store, lock, _checkout: checkout })
}

fn held_failure(error: LockError, what: &str) -> anyhow::Error {
    match error {
        LockError::Held(Some(holder)) => {
            Failure::with(Code::Held, format!("another run holds {what}: {holder}"))
        }
        LockError::Held(None) => Failure::with(Code::Held, format!("another run holds {what}")),
        e @ LockError::Cannot { .. } => Failure::with(Code::Environment, e.to_string()),
    }
}

/// Runs the loop on the checked-out branch.
///
/// # Errors
/// Usage (2), environment (5) and another run (8) as [`Failure`]; an interruption as
/// [`super::ports::Interrupted`]. Every end of the loop itself is a [`Report`].
pub fn run(ctx: &Context, options: &Options) -> anyhow::Result<Report> {
    let (branch, head) = match branch_and_head(ctx)? {
        Ok(found) => found,
        Err(commit) => return Ok(refused(ctx, "", &commit, Escalation::DetachedHead, DETACHED)),
    };
    check_sha(ctx, options.sha.as_deref(), &branch, &head)?;
    let held = hold(ctx, branch, head)?;
    close_interrupted(ctx, &held)?;
    let setting = ctx.setting(&held.head, query(&held.branch), true)?;
    let limits = limits(ctx, &setting.config, options)?;
    refuse_box(&setting.config)?;
    let checkout = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
    let place = ctx.place(&setting.config)?;
    let state = load_state(ctx, &held, &setting)?;
    if let Some((why, detail)) = precondition(&checkout, &place, &setting, &held.head)? {
        return Ok(ended_before(
            &held,
            &state,
            &limits,
            End { status: Status::Escalated, escalation: Some(why), detail },
        ));
    }
    let totals = totals(&state);
    run_held(ctx, &held, Prepared { setting, limits, place, state, totals, resumed: None })
}

/// Everything that a run starts from.
pub(super) struct Prepared {
    pub(super) setting: Setting,
    pub(super) limits: Limits,
    pub(super) place: Place,
    pub(super) state: BranchState,
    pub(super) totals: Totals,
    /// The journal of the run that goes on, and where that run began.
    pub(super) resumed: Option<(Journal, RunStarted)>,
}

const DETACHED: &str = "HEAD is on no branch: git switch <branch>";

pub(super) fn query(branch: &str) -> BaseQuery<'_> {
    BaseQuery { branch: Some(branch), ..BaseQuery::default() }
}

/// Runs the loop where the branch is held and every precondition is true.
pub(super) fn run_held(ctx: &Context, held: &Held, prepared: Prepared) -> anyhow::Result<Report> {
    match prepared.setting.config.workspace.mode {
        WorkMode::InPlace => {
            let checkout = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
            drive(ctx, held, prepared, checkout)
        }
        WorkMode::Worktree => {
            let workspace = prepared.setting.config.workspace.clone();
            let place = Workplace::open(&ctx.repo, &ctx.cache, &held.head, "run")?;
            place.share(ctx.repo.top()?, &held.head, &held.head, &workspace)?;
            place.set_up(&ctx.runner, &workspace)?;
            let repo = Repo::discover(place.path(), None, None)?;
            let report = drive(ctx, held, prepared, Checkout { repo: &repo, branch: None })?;
            bring_home(ctx, held, report)
        }
    }
}

fn drive(
    ctx: &Context,
    held: &Held,
    prepared: Prepared,
    checkout: Checkout<'_>,
) -> anyhow::Result<Report> {
    let Prepared { setting, limits, place, state, totals, resumed } = prepared;
    let (journal, started) = match resumed {
        Some(resumed) => resumed,
        None => start_journal(ctx, held, &setting, &limits, &totals)?,
    };
    let protected = protected(ctx, &setting.config, &held.head)?;
    let kinds: Vec<Kind> = setting.config.fixers.iter().flat_map(|f| f.kinds.clone()).collect();
    let mut ports = BranchLoop {
        ctx,
        checkout,
        checkpoints: Checkpoints::of(&ctx.repo, &held.branch),
        branch: held.branch.clone(),
        setting: &setting,
        place,
        protected,
        journal,
        store: &held.store,
        lock: &held.lock,
        state,
        folder: ctx.layout.out(&started.run_id),
        run_id: started.run_id.clone(),
        leavings: Paths::new(),
        tip: held.head.clone(),
        record: None,
        checkpoint: None,
        pending: None,
        log: Vec::new(),
        estimated: false,
        earlier: Vec::new(),
        measured: false,
    };
    let mut driver = Driver::new(Machine::new(BRANCH_LOOP, limits, totals, &kinds), &mut ports);
    let end = driver.run()?;
    let totals = driver.machine.totals().clone();
    finish(ports, &end, &totals, &limits, &started)
}

/// The last look: what is saved, what is forgotten, what is reported.
fn finish(
    ports: BranchLoop<'_>,
    end: &End,
    totals: &Totals,
    limits: &Limits,
    started: &RunStarted,
) -> anyhow::Result<Report> {
    if end.status == Status::AutoApprove {
        ports.store.remove(ports.lock)?;
        ports.store.clear_autocount()?;
    } else {
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
    })?;
    ports.journal.archive(&ports.ctx.layout.runs())?;
    let reasons = ports.record.as_ref().map(|r| r.reasons().to_vec()).unwrap_or_default();
    let mut detailed = end.clone();
    if end.escalation == Some(Escalation::NoFixer) {
        detailed.detail = no_fixer(&end.detail);
    }
    Ok(Report::new(
        &detailed,
        totals,
        limits,
        Ending {
            sha: ports.tip.to_string(),
            start_sha: started.start_sha.to_string(),
            branch: ports.branch,
            run_id: ports.run_id,
            tokens_estimated: ports.estimated,
            final_reasons: reasons.iter().map(ToString::to_string).collect(),
            log: ports.log,
        },
    ))
}

/// A block that can be copied.
fn no_fixer(kind: &str) -> String {
    format!(
        "nothing is configured to mend {kind}; add to .git-evidence.toml on the base branch:\n\n\
         [[fixer]]\nname = \"my-{kind}-fixer\"\nkinds = [\"{kind}\"]\nrun = \"<a command that mends it>\"   # or: agent = \"claude\"\n"
    )
}

/// Fast-forwards the branch to what was done in a worktree of our own, where it stands if it is
/// still clean and unmoved; else the result stays where its checkpoint is.
fn bring_home(ctx: &Context, held: &Held, mut report: Report) -> anyhow::Result<Report> {
    let Ok(end) = CommitId::parse(&report.sha) else { return Ok(report) };
    if end == held.head {
        return Ok(report);
    }
    let home = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
    let reason = format!("git-evidence run {}: fast-forward", report.run_id);
    let clean = home.dirty(&Paths::new())?.is_empty();
    let moved = if clean {
        home.go(&held.head, &end, &reason).map_err(|e| e.to_string())
    } else {
        Err("the checkout has changes that are not committed".to_string())
    };
    if let Err(why) = moved {
        let checkpoint = Checkpoints::of(&ctx.repo, &held.branch).ensure(&end, &reason)?;
        let text = format!(
            "the branch stays at {} ({why}); the result is on {}: git merge --ff-only {}",
            held.head.short(),
            checkpoint.name,
            checkpoint.name
        );
        ctx.console.note(&text);
        report.detail =
            if report.detail.is_empty() { text } else { format!("{}; {text}", report.detail) };
    }
    Ok(report)
}

fn start_journal(
    ctx: &Context,
    held: &Held,
    setting: &Setting,
    limits: &Limits,
    totals: &Totals,
) -> anyhow::Result<(Journal, RunStarted)> {
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
    };
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    Ok((Journal::start(&path, &started)?, started))
}

fn precondition(
    checkout: &Checkout<'_>,
    place: &Place,
    setting: &Setting,
    head: &CommitId,
) -> anyhow::Result<Option<(Escalation, String)>> {
    if let Some(refusal) = preflight::refusal(checkout, &Paths::new(), place)? {
        return Ok(Some(refusal));
    }
    match &setting.base {
        Some((base, point)) if point == head => {
            let text = format!("the branch has no commit that {} lacks", base.name);
            Ok(Some((Escalation::NotAhead, text)))
        }
        _ => Ok(None),
    }
}

fn check_sha(
    ctx: &Context,
    sha: Option<&str>,
    branch: &str,
    head: &CommitId,
) -> anyhow::Result<()> {
    let Some(sha) = sha else { return Ok(()) };
    let Some(asked) = ctx.repo.resolve(sha).map_err(git_failure)? else {
        return Err(Failure::usage(format!("--sha {sha} names no commit here")));
    };
    if asked == *head {
        return Ok(());
    }
    let tip_of = ctx.repo.list("refs/heads/").map_err(git_failure)?;
    let other = tip_of.iter().find(|(_, id)| *id == asked);
    let remedy = match other.and_then(|(name, _)| name.strip_prefix("refs/heads/")) {
        Some(other) => format!("git switch {other} && git fix-evidence --sha {asked}"),
        None => format!("the tip of {branch} moved on: git fix-evidence"),
    };
    Err(Failure::usage(format!("--sha {asked} is not the tip of {branch} ({head}); {remedy}")))
}

/// Closes a run that was killed while nothing was half done; refuses where something was.
fn close_interrupted(ctx: &Context, held: &Held) -> anyhow::Result<()> {
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    let Some((journal, read)) = Journal::open(&path).map_err(|e| Failure::usage(e.to_string()))?
    else {
        return Ok(());
    };
    if read.interrupted().is_none() {
        journal.archive(&ctx.layout.runs())?;
        return Ok(());
    }
    Err(Failure::usage(format!(
        "run {} of {} was interrupted: 'git fix-evidence continue' carries on, 'git fix-evidence abort' \
         puts the branch back",
        read.run().map_or("?", |r| r.run_id.as_str()),
        held.branch
    )))
}

/// The branch's state; a branch whose recorded tip was merged starts anew.
pub(super) fn load_state(
    ctx: &Context,
    held: &Held,
    setting: &Setting,
) -> anyhow::Result<BranchState> {
    let state = held.store.load().map_err(|e| Failure::usage(e.to_string()))?;
    let tip = state.tip.as_deref().and_then(|t| CommitId::parse(t).ok());
    if let (Some(tip), Some((base, _))) = (tip, &setting.base)
        && ctx.repo.exists(&tip)?
        && ctx.repo.is_ancestor(&tip, &base.commit)?
    {
        held.store.clear_autocount()?;
        return Ok(BranchState::new(&format!("refs/heads/{}", held.branch)));
    }
    Ok(state)
}

pub(super) fn totals(state: &BranchState) -> Totals {
    Totals {
        iterations: 0,
        tokens: 0,
        iter_count_total: u32::try_from(state.iter_count_total).unwrap_or(u32::MAX),
        tokens_total: state.tokens_total,
        last_reasons_set: state.last_reasons_set.clone(),
        reverts: u32::try_from(state.reverts).unwrap_or(u32::MAX),
    }
}

/// The limits that count, after flags, environment and git's configuration.
pub(super) fn limits(ctx: &Context, config: &Config, options: &Options) -> anyhow::Result<Limits> {
    let git = ctx.repo.config().map_err(git_failure)?;
    let given = |flag: (&'static str, &Option<String>),
                 env: (&'static str, &Option<String>),
                 key: &'static str| {
        let all = [
            (flag.0, flag.1.clone()),
            (env.0, env.1.clone()),
            (key, git.get(key).map(str::to_string)),
        ];
        all.into_iter()
            .filter_map(|(source, text)| Some(Given { source, text: text? }))
            .collect::<Vec<_>>()
    };
    let none = None;
    let limit =
        |name, committed, given: &[Given]| tighten(name, committed, given).map_err(Failure::usage);
    let max_iter = limit(
        "max_iter",
        u64::from(config.limits.max_iter),
        &given(
            ("--max-iter", &options.max_iter),
            ("DEVFORGE_FIX_EVIDENCE_MAX_ITER", &ctx.env.max_iter),
            "evidence.maxIter",
        ),
    )?;
    let token_budget = limit(
        "token_budget",
        config.limits.token_budget,
        &given(
            ("--token-budget", &options.token_budget),
            ("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET", &ctx.env.token_budget),
            "evidence.tokenBudget",
        ),
    )?;
    let cumulative = limit(
        "max_cumulative_iter",
        u64::from(config.limits.max_cumulative_iter),
        &given(("", &none), ("", &none), "evidence.maxCumulativeIter"),
    )?;
    Ok(Limits {
        max_iter: u32::try_from(max_iter).unwrap_or(u32::MAX),
        token_budget,
        max_cumulative_iter: u32::try_from(cumulative).unwrap_or(u32::MAX),
    })
}

/// A box that is asked for and cannot be had is never silently left out.
fn refuse_box(config: &Config) -> anyhow::Result<()> {
    if config.sandbox.fixers == SandboxLevel::Off {
        return Ok(());
    }
    Err(Failure::with(
        Code::Environment,
        "[sandbox] fixers = \"full\" asks for the box, and this version has none; write \"off\" to run fixers without it",
    ))
}

/// Protected paths: built in, configured, listed in a file of the base, and run by commands.
fn protected(ctx: &Context, config: &Config, head: &CommitId) -> anyhow::Result<Protected> {
    let mut globs = config.guard.protected_paths.clone();
    if let Some(file) = &config.guard.protected_paths_file {
        let bytes = ctx.repo.read_blob(head, file)?.ok_or_else(|| {
            Failure::usage(format!(
                "[guard] protected_paths_file = \"{file}\" is not in the commit"
            ))
        })?;
        globs.extend(globs_of(&bytes).map_err(|e| Failure::usage(format!("{file}: {e}")))?);
    }
    let top: PathBuf = ctx.repo.top()?.to_path_buf();
    let files = ctx.repo.files(head)?;
    let is_file = |path: &str| files.binary_search_by(|f| f.as_str().cmp(path)).is_ok();
    let executable = |path: &str| {
        use std::os::unix::fs::PermissionsExt;
        top.join(path).metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0)
    };
    let mut commands: Vec<String> = config.checks.iter().map(|c| c.run.clone()).collect();
    commands.extend(config.fixers.iter().filter_map(|f| match &f.command {
        FixerCommand::Run(run) => Some(run.clone()),
        FixerCommand::Agent(_) => None,
    }));
    commands.extend(config.evidence.measure.as_ref().map(|words| words.join(" ")));
    commands.extend(config.workspace.setup.clone());
    let named = commands.iter().flat_map(|c| named_files(c, is_file, executable)).collect();
    Protected::new(&globs, named)
        .map_err(|e| Failure::usage(format!("[guard] protected_paths: {e}")))
}

/// A JSON array of globs, or `{"paths": [...]}`.
fn globs_of(bytes: &[u8]) -> Result<Vec<String>, String> {
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    let list = value.get("paths").unwrap_or(&value).as_array();
    let list = list.ok_or("write a JSON array of globs, or {\"paths\": [...]}")?;
    list.iter()
        .map(|v| v.as_str().map(str::to_string).ok_or_else(|| format!("{v} is no text")))
        .collect()
}

fn refused(ctx: &Context, branch: &str, head: &CommitId, why: Escalation, detail: &str) -> Report {
    let end = End { status: Status::Escalated, escalation: Some(why), detail: detail.to_string() };
    let config = Config::default();
    let limits = limits(ctx, &config, &Options::default()).unwrap_or(Limits {
        max_iter: config.limits.max_iter,
        token_budget: config.limits.token_budget,
        max_cumulative_iter: config.limits.max_cumulative_iter,
    });
    Report::new(
        &end,
        &Totals::default(),
        &limits,
        Ending {
            sha: head.to_string(),
            start_sha: head.to_string(),
            branch: branch.to_string(),
            ..Ending::default()
        },
    )
}

/// A run that ended before anything was touched.
pub(super) fn ended_before(held: &Held, state: &BranchState, limits: &Limits, end: End) -> Report {
    Report::new(
        &end,
        &totals(state),
        limits,
        Ending {
            sha: held.head.to_string(),
            start_sha: held.head.to_string(),
            branch: held.branch.clone(),
            ..Ending::default()
        },
    )
}

/// What a run would do first.
#[derive(Debug, Serialize)]
pub struct Plan {
    schema: &'static str,
    branch: String,
    sha: String,
    /// The dispatch, if there would be one.
    reason: Option<String>,
    kind: Option<Kind>,
    fixers: Vec<PlannedFixer>,
    /// How it would end at once, if it would.
    status: Option<Status>,
    escalation: Option<Escalation>,
    detail: String,
    iterations_left: u32,
    tokens_left: u64,
    cumulative_left: u32,
}

#[derive(Debug, Serialize)]
struct PlannedFixer {
    name: String,
    command: String,
    prompt: Option<String>,
}

/// `--dry-run`: what a run would do first; measures and dispatches nothing, writes nothing.
///
/// # Errors
/// As [`run`].
pub fn plan(ctx: &Context, options: &Options) -> anyhow::Result<Plan> {
    let (branch, head) = match branch_and_head(ctx)? {
        Ok(found) => found,
        Err(commit) => return Err(Failure::with(Code::Blocked, format!("{DETACHED} ({commit})"))),
    };
    check_sha(ctx, options.sha.as_deref(), &branch, &head)?;
    let setting = ctx.setting(&head, query(&branch), true)?;
    let limits = limits(ctx, &setting.config, options)?;
    let place = ctx.place(&setting.config)?;
    let store = BranchStore::new(
        &ctx.layout,
        &branch_key(branch.as_bytes()),
        &format!("refs/heads/{branch}"),
    );
    let state = store.load().map_err(|e| Failure::usage(e.to_string()))?;
    let totals = totals(&state);
    let mut plan = Plan {
        schema: "fix_evidence_plan_v1",
        branch: branch.clone(),
        sha: head.to_string(),
        reason: None,
        kind: None,
        fixers: Vec::new(),
        status: None,
        escalation: None,
        detail: String::new(),
        iterations_left: limits.max_iter,
        tokens_left: limits.token_budget,
        cumulative_left: limits.max_cumulative_iter.saturating_sub(totals.iter_count_total),
    };
    let checkout = Checkout { repo: &ctx.repo, branch: Some(branch) };
    if let Some((why, detail)) = precondition(&checkout, &place, &setting, &head)? {
        (plan.status, plan.escalation, plan.detail) = (Some(Status::Escalated), Some(why), detail);
        return Ok(plan);
    }
    let Some(record) = place.read(&head).map_err(|e| Failure::usage(e.to_string()))? else {
        plan.detail = "there is no record of this commit: a run measures it first".into();
        return Ok(plan);
    };
    let kinds: Vec<Kind> = setting.config.fixers.iter().flat_map(|f| f.kinds.clone()).collect();
    let mut machine = Machine::new(BRANCH_LOOP, limits, totals, &kinds);
    machine.observe(crate::engine::Observation::Evidence(View::of(&record, ctx.env.bot_actor)));
    match machine.next() {
        Step::Dispatch(dispatch) => {
            let fits = setting.config.fixers.iter().filter(|f| f.kinds.contains(&dispatch.kind));
            let mut fixers: Vec<_> = fits.collect();
            fixers.sort_by_key(|f| matches!(f.command, FixerCommand::Agent(_)));
            plan.fixers = fixers
                .into_iter()
                .map(|f| PlannedFixer {
                    name: f.name.clone(),
                    command: fixer::command(f),
                    prompt: matches!(f.command, FixerCommand::Agent(_))
                        .then(|| prompt(&dispatch, &record, &[])),
                })
                .collect();
            (plan.reason, plan.kind) = (Some(dispatch.reason.to_string()), Some(dispatch.kind));
        }
        Step::End(end) => {
            (plan.status, plan.escalation, plan.detail) =
                (Some(end.status), end.escalation, end.detail);
        }
        Step::Measure | Step::RollBack => {}
    }
    Ok(plan)
}

impl Plan {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("{} at {}\n", self.branch, self.sha);
        match (&self.reason, self.kind) {
            (Some(reason), Some(kind)) => {
                text.push_str(&format!("would mend: {reason} ({kind})\n"));
                for fixer in &self.fixers {
                    text.push_str(&format!("with {}: {}\n", fixer.name, fixer.command));
                    if let Some(prompt) = &fixer.prompt {
                        text.push_str(&format!("--- prompt ---\n{prompt}--- end ---\n"));
                    }
                }
            }
            _ => {
                let status = self
                    .status
                    .map_or("would measure first".to_string(), |s| format!("would end: {s}"));
                let why = self.escalation.map_or(String::new(), |e| format!(" {e}"));
                text.push_str(&format!("{status}{why}\n"));
                if !self.detail.is_empty() {
                    text.push_str(&format!("{}\n", self.detail));
                }
            }
        }
        text.push_str(&format!(
            "left: {} iterations, {} tokens in this run; {} iterations of this branch\n",
            self.iterations_left, self.tokens_left, self.cumulative_left
        ));
        text
    }
}

/// The journal of a branch as it lies there.
pub(super) fn read_journal(ctx: &Context, branch: &str) -> anyhow::Result<journal::Read> {
    let path = ctx.layout.journal(&branch_key(branch.as_bytes()));
    journal::read(&path).map_err(|e| Failure::usage(e.to_string()))
}
