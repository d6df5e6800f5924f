//! `undo`: back to a checkpoint; the present tip gets one first, so that undo can be undone.

use serde::Serialize;

use super::checkout::{Checkout, Paths, listed};
use super::checkpoint::{Checkpoint, Checkpoints};
use super::preflight;
use super::session::{branch_and_head, hold, query};
use crate::git::{GitError, Repo};
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::model::{CommitId, Escalation};
use crate::store::records::Place;

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
    match checkout.go(&held.head, &target.sha, &reason) {
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
