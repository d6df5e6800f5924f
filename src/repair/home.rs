//! `[workspace] mode = "worktree"`: the run works in a linked worktree of its own, on a detached
//! HEAD, and the branch is moved once, at the end, where that touches nobody's work.
//!
//! The worktree's folder is named after the run, so that `continue` and `abort` find it again. It is
//! taken away only when nothing in it is uncommitted and a ref keeps its commits.

use std::path::PathBuf;

use super::checkout::{Checkout, Paths, Stand, listed};
use super::checkpoint::Checkpoints;
use super::drive::{Ended, Running, Start, drive};
use super::report::Report;
use super::tidy::{Refusal, in_the_way};
use crate::git::{Repo, Worktree};
use crate::host::context::Context;
use crate::measure::{Progress, Workplace};
use crate::model::CommitId;
use crate::store::journal::Entry;

/// The first part of the folder's name.
fn prefix(run_id: &str) -> String {
    format!("run-{run_id}")
}

/// The worktree of a run, if there is one.
pub(super) fn find(ctx: &Context, run_id: &str) -> anyhow::Result<Option<PathBuf>> {
    let start = format!("{}-", prefix(run_id));
    let is_of_run = |path: &PathBuf| {
        let folder = path.parent().and_then(|p| p.file_name());
        folder.is_some_and(|n| n.to_string_lossy().starts_with(&start)) && path.is_dir()
    };
    let all = ctx.repo.worktrees()?;
    Ok(all.into_iter().filter(Worktree::is_ours).map(|t| t.path).find(is_of_run))
}

/// Takes the worktree of a run away that never changed anything. What cannot be taken away is named
/// by `git worktree list`.
pub(super) fn forget(ctx: &Context, run_id: &str) {
    if let Ok(Some(path)) = find(ctx, run_id) {
        drop(Workplace::at(&ctx.repo, path));
    }
}

/// Runs the loop in a worktree and brings the result home.
pub(super) fn run(running: &Running<'_>, mut start: Start) -> anyhow::Result<Report> {
    let Running { ctx, held, setting, started, .. } = *running;
    let workspace = &setting.config.workspace;
    let mut place = match find(ctx, &started.run_id)? {
        Some(path) => Workplace::at(&ctx.repo, path),
        None => Workplace::open(&ctx.repo, &ctx.cache, &start.from.tip, &prefix(&started.run_id))?,
    };
    // Until it is known that nothing would be lost: an interrupted run goes on in it.
    place.keep(true);
    place.share(ctx.repo.top()?, &held.head, &start.from.tip, workspace)?;
    place.set_up(&ctx.runner, workspace)?;
    let repo = Repo::discover(place.path(), None, None)?;
    let checkout = Checkout { repo: &repo, branch: None };
    let prepared = checkout.dirty(&start.from.leavings)?;
    if !prepared.is_empty() {
        // Shared folders and what the preparation made are nobody's edits.
        let paths = prepared.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
        start.from.journal.append(&Entry::Left { paths })?;
        start.from.leavings.extend(prepared);
    }
    let from = start.from.home.clone();
    let ended = drive(running, checkout, start)?;
    let mut notes = Vec::new();
    notes.extend(bring_home(running, &ended, &from)?);
    let uncommitted = ended.ports.checkout.dirty(&ended.ports.leavings)?;
    if uncommitted.is_empty() {
        place.keep(false);
    } else {
        let (path, list) = (place.path().display(), listed(&uncommitted));
        notes.push(format!("what is not committed ({list}) is in {path}"));
    }
    // Before the run is written down as ended: later nobody would look for it.
    drop(place);
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    ended.finish(started, note)
}

/// Goes on with a move of the branch that was announced and may be half done; gives where the branch
/// then is if the move was made, or why it cannot be finished.
pub(super) fn finish_coming_home(
    home: &Checkout<'_>,
    announced: Option<&(CommitId, CommitId)>,
) -> anyhow::Result<Result<Option<CommitId>, Refusal>> {
    let Some((from, to)) = announced else { return Ok(Ok(None)) };
    if home.stand()? != Stand::Ours(to.clone()) {
        return Ok(Ok(None));
    }
    let finished = in_the_way(home.repo.two_way(from, to))?;
    Ok(finished.map(|()| Some(to.clone())))
}

/// Fast-forwards the branch to what was done, where it stands if it is still clean and unmoved; else
/// the result stays on a checkpoint, and that is said.
fn bring_home(
    running: &Running<'_>,
    ended: &Ended<'_>,
    from: &CommitId,
) -> anyhow::Result<Option<String>> {
    let Running { ctx, held, started, .. } = *running;
    let end = &ended.ports.tip;
    if end == from {
        return Ok(None);
    }
    let reason = format!("git-evidence run {}: fast-forward", started.run_id);
    let checkpoint = Checkpoints::of(&ctx.repo, &held.branch).ensure(end, &reason)?;
    let home = Checkout { repo: &ctx.repo, branch: Some(held.branch.clone()) };
    let moved = match home.stand()? {
        Stand::Elsewhere(text) => Err(text),
        Stand::Ours(_) if !home.dirty(&Paths::new())?.is_empty() => {
            Err("the checkout has changes that are not committed".to_string())
        }
        // Moves it from where the run left it only.
        Stand::Ours(_) => {
            let entry = Entry::ComingHome { from: from.clone(), to: end.clone() };
            ended.ports.journal.append(&entry)?;
            home.go(from, end, &reason).map_err(|e| e.to_string())
        }
    };
    let Err(why) = moved else { return Ok(None) };
    let (branch, name) = (&held.branch, checkpoint.name);
    let text = format!(
        "{branch} stays where it is ({why}); the result is on {name}: git merge --ff-only {name}"
    );
    ctx.console.say(&text);
    Ok(Some(text))
}
