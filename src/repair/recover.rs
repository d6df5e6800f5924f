//! After an interruption: `continue` and `abort`.
//!
//! The journal tells what was about to happen. Two things can be half done: a fixer had the tree (its
//! edits are kept under a checkpoint and taken out), or the branch was going back (it goes on going
//! back). Anything else that is not committed is a person's, and stops both commands.

use super::checkout::{Checkout, Paths, Stand, listed};
use super::checkpoint::Checkpoints;
use super::preflight::{self, dirty_paths};
use super::report::{Ending, Report};
use super::session::{
    Held, Options, Prepared, branch_and_head, hold, limits, load_state, query, run_held, totals,
};
use crate::engine::{End, Limits, Totals};
use crate::git::branch_key;
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::measure::{Progress, Setting};
use crate::model::{CommitId, Status};
use crate::store::clock;
use crate::store::journal::{Entry, Journal, Mode, Read, RunStarted};
use crate::store::records::Place;

/// An interrupted run that this process holds now.
struct Broken {
    held: Held,
    journal: Journal,
    read: Read,
    started: RunStarted,
    setting: Setting,
    place: Place,
}

fn open(ctx: &Context) -> anyhow::Result<Broken> {
    let (branch, head) = match branch_and_head(ctx)? {
        Ok(found) => found,
        Err(_) => {
            return Err(Failure::usage(
                "HEAD is on no branch: switch to the branch of the interrupted run",
            ));
        }
    };
    let held = hold(ctx, branch, head)?;
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    let opened = Journal::open(&path).map_err(|e| Failure::usage(e.to_string()))?;
    let found = opened.and_then(|(journal, read)| {
        let started = read.interrupted()?.clone();
        Some((journal, read, started))
    });
    let Some((journal, read, started)) = found else {
        return Err(Failure::usage(format!("no run of {} was interrupted", held.branch)));
    };
    let setting = ctx.setting(&held.head, query(&held.branch), true)?;
    let place = ctx.place(&setting.config)?;
    Ok(Broken { held, journal, read, started, setting, place })
}

/// Where the branch was before what is half done.
fn last_good(broken: &Broken) -> CommitId {
    let mut good = broken.started.start_sha.clone();
    for entry in &broken.read.entries {
        match entry {
            Entry::Checkpoint { sha, .. } | Entry::Kept { sha } => good = sha.clone(),
            Entry::RolledBack { to } => good = to.clone(),
            _ => {}
        }
    }
    good
}

/// Whether a fixer had the tree when the run was interrupted.
fn fixer_had_the_tree(broken: &Broken) -> bool {
    let last = broken.read.entries.iter().rev().find(|e| !matches!(e, Entry::Resumed { .. }));
    matches!(
        last,
        Some(Entry::Dispatch { .. } | Entry::FixerEnded { .. } | Entry::RollingBack { .. })
    )
}

/// Puts half-done work aside, so that the tree is that of HEAD again.
fn tidy(ctx: &Context, broken: &mut Broken) -> anyhow::Result<()> {
    if broken.started.mode == Mode::Worktree {
        return Ok(());
    }
    let checkout = Checkout { repo: &ctx.repo, branch: Some(broken.held.branch.clone()) };
    finish_going_back(&checkout, broken)?;
    if let Stand::Ours(head) = checkout.stand()? {
        broken.held.head = head;
    }
    let dirty = dirty_paths(&checkout, &Paths::new(), &broken.place)?;
    let Some(first) = dirty.first() else { return Ok(()) };
    if !fixer_had_the_tree(broken) {
        let text = format!("commit or remove first: {}", listed(&dirty));
        return Err(Failure::with(Code::Blocked, format!("dirty_tree: {text}")));
    }
    let _ = first;
    let message =
        format!("What an interrupted fixer left\n\nEvidence-Run: {}\n", broken.started.run_id);
    let kept = ctx.repo.commit_tree_of(&dirty, &broken.held.head, &message)?;
    let reason = format!("run {}: left by an interrupted fixer", broken.started.run_id);
    let checkpoint = Checkpoints::of(&ctx.repo, &broken.held.branch).create(&kept, &reason)?;
    checkout.take_out(&kept, &broken.held.head)?;
    ctx.console.say(&format!(
        "what was not committed ({}) is kept as checkpoint {}",
        listed(&dirty),
        checkpoint.number
    ));
    Ok(())
}

/// A roll-back that was announced and not finished goes on.
fn finish_going_back(checkout: &Checkout<'_>, broken: &Broken) -> anyhow::Result<()> {
    let Some(Entry::RollingBack { from, to, .. }) =
        broken.read.entries.iter().rev().find(|e| !matches!(e, Entry::Resumed { .. }))
    else {
        return Ok(());
    };
    let Stand::Ours(head) = checkout.stand()? else { return Ok(()) };
    if head == *to && head != *from {
        checkout.repo.set_index_to(from)?;
        checkout.repo.two_way(from, to)?;
    }
    Ok(())
}

/// What the interrupted run had counted, from its journal.
fn counted(broken: &Broken, mut totals: Totals) -> Totals {
    let (mut iterations, mut tokens, mut reverts) = (0, 0, 0);
    for entry in &broken.read.entries {
        match entry {
            Entry::Dispatch { iteration, .. } => iterations = iterations.max(*iteration),
            Entry::FixerEnded { tokens: used, .. } => tokens += used,
            Entry::RolledBack { .. } => reverts += 1,
            _ => {}
        }
    }
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    totals.iterations = small(iterations);
    totals.tokens = tokens;
    totals.iter_count_total =
        totals.iter_count_total.max(small(broken.started.iterations_before + iterations));
    totals.tokens_total = totals.tokens_total.max(broken.started.tokens_before + tokens);
    let _ = reverts;
    totals
}

/// Carries an interrupted run on: what was half done is put aside, what was counted counts.
///
/// # Errors
/// Usage where no run was interrupted; blocked where a person's edits are in the way.
pub fn resume(ctx: &Context) -> anyhow::Result<Report> {
    let mut broken = open(ctx)?;
    tidy(ctx, &mut broken)?;
    let checkout = Checkout { repo: &ctx.repo, branch: Some(broken.held.branch.clone()) };
    if let Some((why, detail)) = preflight::refusal(&checkout, &Paths::new(), &broken.place)? {
        return Err(Failure::with(Code::Blocked, format!("{why}: {detail}")));
    }
    broken.journal.append(&Entry::Resumed { at: clock::now() })?;
    let state = load_state(ctx, &broken.held, &broken.setting)?;
    let totals = counted(&broken, totals(&state));
    let limits = resumed_limits(ctx, &broken)?;
    let Broken { held, journal, started, setting, place, .. } = broken;
    run_held(
        ctx,
        &held,
        Prepared { setting, limits, place, state, totals, resumed: Some((journal, started)) },
    )
}

/// The limits that the run was started with, as far as they are not looser than today's.
fn resumed_limits(ctx: &Context, broken: &Broken) -> anyhow::Result<Limits> {
    let now = limits(ctx, &broken.setting.config, &Options::default())?;
    Ok(Limits {
        max_iter: now.max_iter.min(u32::try_from(broken.started.max_iter).unwrap_or(u32::MAX)),
        token_budget: now.token_budget.min(broken.started.token_budget),
        max_cumulative_iter: now.max_cumulative_iter,
    })
}

/// Puts the branch back to where the interrupted run began; what it had done stays under checkpoints.
///
/// # Errors
/// Usage where no run was interrupted; blocked where a person's edits or commits are in the way.
pub fn abort(ctx: &Context) -> anyhow::Result<Report> {
    let mut broken = open(ctx)?;
    tidy(ctx, &mut broken)?;
    let checkout = Checkout { repo: &ctx.repo, branch: Some(broken.held.branch.clone()) };
    let (head, start) = (broken.held.head.clone(), broken.started.start_sha.clone());
    if broken.started.mode == Mode::InPlace && head != start {
        if !ctx.repo.is_ancestor(&start, &head)? {
            let text = format!(
                "{} is not where the run left it ({}); see git fix-evidence status",
                broken.held.branch,
                head.short()
            );
            return Err(Failure::with(Code::Blocked, text));
        }
        let commits = ctx.repo.commits_between(&start, &head)?;
        let published = ctx.repo.contained_in_remotes(&commits)?;
        if !published.is_empty() {
            let text =
                format!("the run's commits are on {}; nothing was moved", published.join(", "));
            return Err(Failure::with(Code::Blocked, text));
        }
        let reason = format!("run {}: aborted", broken.started.run_id);
        let checkpoint = Checkpoints::of(&ctx.repo, &broken.held.branch).ensure(&head, &reason)?;
        broken.journal.append(&Entry::RollingBack {
            from: head.clone(),
            to: start.clone(),
            why: "aborted".into(),
        })?;
        checkout.go(&head, &start, &format!("git-evidence {reason}"))?;
        ctx.console.say(&format!("what the run had done is checkpoint {}", checkpoint.number));
    }
    let good = last_good(&broken);
    let state = load_state(ctx, &broken.held, &broken.setting)?;
    let totals = counted(&broken, totals(&state));
    let mut state = state;
    state.iter_count_total = u64::from(totals.iter_count_total);
    state.tokens_total = totals.tokens_total;
    broken.held.store.save(&state, &broken.held.lock)?;
    broken.journal.append(&Entry::RunEnded {
        status: Status::Escalated,
        escalation: None,
        sha: start.clone(),
    })?;
    broken.journal.archive(&ctx.layout.runs())?;
    let limits = limits(ctx, &broken.setting.config, &Options::default())?;
    let end = End {
        status: Status::Escalated,
        escalation: None,
        detail: format!("aborted; the last good commit was {}", good.short()),
    };
    Ok(Report::new(
        &end,
        &totals,
        &limits,
        Ending {
            sha: start.to_string(),
            start_sha: start.to_string(),
            branch: broken.held.branch.clone(),
            run_id: broken.started.run_id.clone(),
            ..Ending::default()
        },
    ))
}
