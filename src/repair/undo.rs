//! `undo`: back to a checkpoint; the present tip gets one first, so that undo can be undone.

use serde::Serialize;

use super::checkout::{Checkout, Paths, listed};
use super::checkpoint::{Checkpoint, Checkpoints};
use super::preflight;
use super::session::{branch_and_head, hold, query};
use crate::git::GitError;
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::model::Escalation;

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

/// Puts the checked-out branch back to a checkpoint: a number, or the newest that differs from the
/// tip.
///
/// # Errors
/// Usage where there is no such checkpoint or the tree is not clean, naming the files.
pub fn undo(ctx: &Context, wanted: Option<&str>) -> anyhow::Result<Undone> {
    let (branch, head) = branch_and_head(ctx)?
        .map_err(|_| Failure::usage("HEAD is on no branch: git switch <branch>"))?;
    let held = hold(ctx, branch, head)?;
    let setting = ctx.setting(&held.head, query(&held.branch), true)?;
    let place = ctx.place(&setting.config)?;
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
    let target = find(&all, wanted, held.head.as_str())?;
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

fn find(all: &[Checkpoint], wanted: Option<&str>, head: &str) -> anyhow::Result<Checkpoint> {
    let found = match wanted {
        None => all.iter().rev().find(|c| c.sha.as_str() != head),
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
            None => Failure::usage(format!("no checkpoint differs from the tip; {known}")),
        }
    })
}
