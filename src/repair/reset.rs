//! `reset`: clears a branch's cumulative limits. A person's act: it asks on a terminal and refuses
//! without one, so that no agent or script gives itself more iterations.

use std::io::{self, BufRead, IsTerminal, Write};

use super::session::branch_and_head;
use crate::git::branch_key;
use crate::host::context::Context;
use crate::host::exit::{Code, Failure};
use crate::store::branch::BranchStore;
use crate::store::lock::{Holder, LockError};

/// Clears the state and the marker counter of a branch. Gives back whether it was done.
///
/// # Errors
/// Usage without a terminal or for a branch that does not exist; held where a run is under way.
pub fn reset(ctx: &Context, branch: Option<&str>) -> anyhow::Result<bool> {
    let branch = match branch {
        Some(branch) => branch.strip_prefix("refs/heads/").unwrap_or(branch).to_string(),
        None => {
            branch_and_head(ctx)?
                .map_err(|_| Failure::usage("HEAD is on no branch: name the branch"))?
                .0
        }
    };
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(format!(
            "reset clears the limits of {branch} and is a person's act: type it on a terminal"
        )));
    }
    let store = BranchStore::new(
        &ctx.layout,
        &branch_key(branch.as_bytes()),
        &format!("refs/heads/{branch}"),
    );
    let lock =
        store.lock(&Holder::this_process("git fix-evidence reset")).map_err(|e| match e {
            LockError::Held(_) => Failure::with(Code::Held, format!("branch {branch}: {e}")),
            LockError::Cannot { .. } => Failure::with(Code::Environment, e.to_string()),
        })?;
    let mut terminal = io::stderr().lock();
    write!(terminal, "Clear iterations, tokens, reverts and markers of {branch}? [y/N] ")?;
    terminal.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(false);
    }
    store.remove(&lock)?;
    store.clear_autocount()?;
    Ok(true)
}
