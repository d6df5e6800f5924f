//! `undo`: back to a checkpoint; the present tip gets one first, so that undo can be undone.

use serde::Serialize;

use super::checkout::{Checkout, Paths, listed};
use super::checkpoint::{Checkpoint, Checkpoints};
use super::preflight;
use super::session::{Held, branch_and_head, close_interrupted, hold, query};
use crate::git::{GitError, Repo, branch_key};
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::model::{CommitId, Escalation, Status};
use crate::store::branch::BranchState;
use crate::store::clock;
use crate::store::journal::{Entry, Journal, Mode, RunStarted};
use crate::store::records::Place;

/// How the run id of an undo begins.
const UNDO: &str = "undo-";

/// What undo did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// Without `refs/heads/`.
    pub branch: String,
    /// The checkpoint's number.
    pub to: u64,
    /// Where the branch is now.
    pub sha: String,
    /// The checkpoint of where it was.
    pub kept: u64,
}

/// Puts the checked-out branch back to a checkpoint: a number, or the nearest behind the tip.
///
/// # Errors
/// Usage where there is no such checkpoint or the tree is not clean, naming the files.
pub fn undo(ctx: &Context, wanted: Option<&str>) -> anyhow::Result<Undone> {
    let (branch, _) = branch_and_head(ctx)?
        .map_err(|_| Failure::usage("HEAD is on no branch: git switch <branch>"))?;
    let held = hold(ctx, branch)?;
    // A way back must not depend on a configuration that can be read.
    let setting = ctx.setting(&held.head, query(&held.branch), true).ok();
    let place = setting.and_then(|s| ctx.place(&s.config).ok());
    let place = place.unwrap_or_else(|| Place::GitDir(ctx.layout.clone()));
    let checkout = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
    match preflight::refusal(&checkout, &Paths::new(), &place)? {
        None => {}
        Some((Escalation::DirtyTree, _)) => {
            let dirty = preflight::dirty_paths(&checkout, &Paths::new(), &place)?;
            return Err(Failure::usage(format!(
                "the tree is not clean, commit or remove first: {}",
                listed(&dirty)
            )));
        }
        Some((why, detail)) => return Err(Failure::usage(format!("{why}: {detail}"))),
    }
    let checkpoints = Checkpoints::of(&ctx.repo, &held.branch);
    let all = checkpoints.list()?;
    let target = find(&ctx.repo, &all, wanted, &held.head)?;
    let kept =
        checkpoints.ensure(&held.head, &format!("before undo to checkpoint {}", target.number))?;
    let reason = format!("git-evidence undo: checkpoint {}", target.number);
    let journal = announce(ctx, &held, &target.sha, &reason)?;
    let moved = checkout.go(&held.head, &target.sha, &reason);
    if let Some(journal) = journal {
        match &moved {
            Ok(()) => written_down(ctx, journal, &target.sha)?,
            Err(GitError::InTheWay { .. }) => written_down(ctx, journal, &held.head)?,
            // Nobody knows what is done: continue and abort find out.
            Err(_) => {}
        }
    }
    match moved {
        Ok(()) => {}
        Err(GitError::InTheWay { paths }) => {
            let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            return Err(Failure::with(
                Code::Usage,
                format!("nothing was moved: {} would be overwritten", paths.join(", ")),
            ));
        }
        Err(e) => return Err(e.into()),
    }
    Ok(Undone {
        branch: held.branch.clone(),
        to: target.number,
        sha: target.sha.to_string(),
        kept: kept.number,
    })
}

/// Whether a run is an undo.
pub(super) fn is_undo(run_id: &str) -> bool {
    run_id.starts_with(UNDO)
}

/// Writes down what is going to be done, so that a kill leaves something to go on from. Not where an
/// interrupted run has its journal there, or a journal cannot be read: this is the way out of that.
fn announce(
    ctx: &Context,
    held: &Held,
    to: &CommitId,
    why: &str,
) -> anyhow::Result<Option<Journal>> {
    let path = ctx.layout.journal(&branch_key(held.branch.as_bytes()));
    let journal = match Journal::open(&path) {
        Err(_) => return Ok(None),
        Ok(Some((journal, read))) if read.interrupted().is_some() && read.began() => {
            if !read.run().is_some_and(|r| is_undo(&r.run_id)) {
                return Ok(None);
            }
            journal
        }
        Ok(_) => {
            close_interrupted(ctx, held)?;
            Journal::start(&path, &started(ctx, held)?)?
        }
    };
    let (from, to) = (held.head.clone(), to.clone());
    journal.append(&Entry::RollingBack { from, to, why: why.to_string() })?;
    Ok(Some(journal))
}

fn started(ctx: &Context, held: &Held) -> anyhow::Result<RunStarted> {
    let at = clock::now();
    let stamp: String = at.chars().filter(char::is_ascii_alphanumeric).collect();
    let state = held.store.load().unwrap_or_else(|_| BranchState::new(&held.branch));
    Ok(RunStarted {
        run_id: format!("{UNDO}{stamp}-{}", std::process::id()),
        branch: format!("refs/heads/{}", held.branch),
        checkout: ctx.repo.top()?.to_string_lossy().into_owned(),
        mode: Mode::InPlace,
        start_sha: held.head.clone(),
        at,
        iterations_before: state.iter_count_total,
        tokens_before: state.tokens_total,
        reverts_before: state.reverts,
        max_iter: 0,
        token_budget: 0,
        max_cumulative_iter: None,
    })
}

fn written_down(ctx: &Context, journal: Journal, at: &CommitId) -> anyhow::Result<()> {
    journal.append(&Entry::RolledBack { to: at.clone() })?;
    let (status, sha) = (Status::Escalated, at.clone());
    let detail = format!("the branch is at {}", at.short());
    journal.append(&Entry::RunEnded { status, escalation: None, sha, detail })?;
    journal.archive(&ctx.layout.runs())?;
    Ok(())
}

/// The nearest checkpoint behind the tip: what was tried and taken back lies beside it.
fn nearest<'a>(
    repo: &Repo,
    all: &'a [Checkpoint],
    head: &CommitId,
) -> Result<Option<&'a Checkpoint>, GitError> {
    let mut found: Option<&Checkpoint> = None;
    for checkpoint in all.iter().filter(|c| c.sha != *head) {
        let behind = repo.is_ancestor(&checkpoint.sha, head)?;
        let nearer = match found {
            Some(found) if behind => repo.is_ancestor(&found.sha, &checkpoint.sha)?,
            _ => behind,
        };
        if nearer {
            found = Some(checkpoint);
        }
    }
    Ok(found)
}

fn find(
    repo: &Repo,
    all: &[Checkpoint],
    wanted: Option<&str>,
    head: &CommitId,
) -> anyhow::Result<Checkpoint> {
    let found = match wanted {
        None => nearest(repo, all, head)?,
        Some(text) => {
            let number = text.rsplit('/').next().and_then(|n| n.parse::<u64>().ok());
            all.iter().find(|c| Some(c.number) == number || c.sha.as_str() == text)
        }
    };
    found.cloned().ok_or_else(|| {
        let numbers: Vec<String> = all.iter().map(|c| c.number.to_string()).collect();
        let known = if numbers.is_empty() {
            "this branch has none".to_string()
        } else {
            format!("there are {}", numbers.join(", "))
        };
        match wanted {
            Some(text) => Failure::usage(format!("no checkpoint '{text}'; {known}")),
            None => Failure::usage(format!("no checkpoint lies behind the tip; {known}")),
        }
    })
}
