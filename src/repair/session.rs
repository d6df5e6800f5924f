//! Who may start: locks, preconditions and the branch's state.

use super::checkout::{Checkout, Paths};
use super::drive::{Prepared, run_held};
use super::home;
use super::limits::{default_limits, limits, refuse_box};
use super::preflight;
use super::report::{Ending, Report};
use crate::engine::{End, Limits, Totals};
use crate::git::{BaseQuery, branch_key};
use crate::host::context::{Context, git_failure};
use crate::host::exit::{Code, Failure};
use crate::measure::Setting;
use crate::model::{CommitId, Escalation, Status, shell_word};
use crate::store::Layout;
use crate::store::branch::{BranchState, BranchStore};
use crate::store::journal::{self, Journal};
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
pub(super) fn hold(ctx: &Context, branch: String) -> anyhow::Result<Held> {
    let holder = Holder::this_process("git fix-evidence");
    let store = store_of(ctx, &branch);
    let lock = store.lock(&holder).map_err(|e| held_failure(e, &format!("branch {branch}")))?;
    let id = Layout::checkout_id(&ctx.repo.git_dir);
    let checkout = Lock::acquire(&ctx.layout.checkout_lock(&id), &holder)
        .map_err(|e| held_failure(e, "this checkout"))?;
    // Whoever held them until now may have moved the tip, or switched.
    let head = match branch_and_head(ctx)? {
        Ok((now, head)) if now == branch => head,
        _ => {
            return Err(Failure::with(
                Code::Held,
                format!("HEAD left {branch} just now: try again"),
            ));
        }
    };
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
    let branch = match branch_and_head(ctx)? {
        Ok((branch, _)) => branch,
        Err(commit) => return detached(ctx, &commit),
    };
    let held = hold(ctx, branch)?;
    check_sha(ctx, options.sha.as_deref(), &held.branch, &held.head)?;
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
            &End { status: Status::Escalated, escalation: Some(why), detail },
        ));
    }
    let totals = totals(&state);
    run_held(ctx, &held, Prepared { setting, limits, place, state, totals, goes_on: None })
}

pub(super) const DETACHED: &str = "HEAD is on no branch: git switch <branch>";

pub(super) fn query(branch: &str) -> BaseQuery<'_> {
    BaseQuery { branch: Some(branch), ..BaseQuery::default() }
}

pub(super) fn precondition(
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

pub(super) fn check_sha(
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
        Some(other) => {
            format!("git switch {} && git fix-evidence --sha {asked}", shell_word(other))
        }
        None => format!("the tip of {branch} moved on: git fix-evidence"),
    };
    Err(Failure::usage(format!("--sha {asked} is not the tip of {branch} ({head}); {remedy}")))
}

/// Closes a run that was killed or failed before it began to change anything, and one that ended but
/// was not put away; refuses where something may be half done.
pub(super) fn close_interrupted(ctx: &Context, held: &Held) -> anyhow::Result<()> {
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    let Some((journal, read)) = Journal::open(&path).map_err(|e| Failure::usage(e.to_string()))?
    else {
        return Ok(());
    };
    if read.interrupted().is_none() || !read.began() {
        if let Some(run) = read.run() {
            home::forget(ctx, &run.run_id);
        }
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

/// The state of a branch.
pub(super) fn store_of(ctx: &Context, branch: &str) -> BranchStore {
    BranchStore::new(&ctx.layout, &branch_key(branch.as_bytes()), &format!("refs/heads/{branch}"))
}

/// The branch's state, and whether it starts anew because its recorded tip was merged.
pub(super) fn state_now(
    ctx: &Context,
    store: &BranchStore,
    branch: &str,
    setting: &Setting,
) -> anyhow::Result<(BranchState, bool)> {
    let state = store.load().map_err(|e| Failure::usage(e.to_string()))?;
    let tip = state.tip.as_deref().and_then(|t| CommitId::parse(t).ok());
    if let (Some(tip), Some((base, _))) = (tip, &setting.base)
        && ctx.repo.exists(&tip)?
        && ctx.repo.is_ancestor(&tip, &base.commit)?
    {
        return Ok((BranchState::new(&format!("refs/heads/{branch}")), true));
    }
    Ok((state, false))
}

/// As [`state_now`]; where the branch starts anew, its markers are forgotten too.
pub(super) fn load_state(
    ctx: &Context,
    held: &Held,
    setting: &Setting,
) -> anyhow::Result<BranchState> {
    let (state, merged) = state_now(ctx, &held.store, &held.branch, setting)?;
    if merged {
        held.store.clear_autocount()?;
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
        ..Totals::default()
    }
}

/// HEAD is on no branch: by a person's choice, or because a rebase or the like goes on.
fn detached(ctx: &Context, head: &CommitId) -> anyhow::Result<Report> {
    let checkout = Checkout { repo: &ctx.repo, branch: None };
    let (why, detail) = preflight::in_progress(&checkout)?
        .unwrap_or((Escalation::DetachedHead, DETACHED.to_string()));
    let end = End { status: Status::Escalated, escalation: Some(why), detail };
    let ending = Ending { sha: head.to_string(), start_sha: head.to_string(), ..Ending::default() };
    Ok(Report::new(&end, &Totals::default(), &default_limits(ctx), ending))
}

/// A run that ended before anything was touched.
pub(super) fn ended_before(held: &Held, state: &BranchState, limits: &Limits, end: &End) -> Report {
    Report::new(
        end,
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

/// The journal of a branch as it lies there.
pub(super) fn read_journal(ctx: &Context, branch: &str) -> anyhow::Result<journal::Read> {
    let path = ctx.layout.journal(&branch_key(branch.as_bytes()));
    journal::read(&path).map_err(|e| Failure::usage(e.to_string()))
}
