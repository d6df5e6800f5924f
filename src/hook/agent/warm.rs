//! The record of a new commit, made beforehand: after `git commit` it is measured in the background, in
//! a linked worktree, so that the push which follows finds it. Nothing depends on it: whatever goes
//! wrong, the push measures as it would have.

use std::path::{Path, PathBuf};

use super::pushed::remote_of;
use super::{acts, open};
use crate::git::Head;
use crate::hook::command::{Act, Around, Push};
use crate::hook::evidence::{Evidence, Missing};
use crate::hook::lines::{Line, parse};
use crate::hook::mark::store;
use crate::hook::wording::About;
use crate::host::console::Console;
use crate::host::context::{Context, git_failure};
use crate::host::env::Environment;
use crate::host::exit::{Code, sentence};
use crate::model::CommitId;
use crate::process::{detached, stand_apart};
use crate::store::Layout;
use crate::store::lock::{Holder, Lock, LockError};

/// After a command has run: where it committed, measuring is started, and not waited for.
pub(super) fn after(text: &str, mut around: Around) {
    let env = Environment::read();
    if env.inside_loop {
        return;
    }
    let Ok(acts) = acts(text, &mut around, &env) else { return };
    let mut done: Vec<PathBuf> = Vec::new();
    for act in &acts {
        let Act::Commit(place) = act else { continue };
        let Ok(Some(ctx)) = open(place, &around.cwd, &env) else { continue };
        let Some(top) = ctx.repo.top.clone().filter(|top| !done.contains(top)) else { continue };
        let Ok(program) = std::env::current_exe() else { continue };
        let args = ["hook".into(), "warm".into(), top.clone().into_os_string()];
        let _ = detached(&program, &args);
        done.push(top);
    }
}

/// The background's own command.
pub(crate) fn main(dir: &Path) -> i32 {
    stand_apart();
    match warm(dir) {
        Ok(()) => Code::Approved as i32,
        Err(e) => {
            Console::plain().note(&format!("git-evidence: not measured: {}", sentence(&e)));
            Code::Environment as i32
        }
    }
}

/// Until what is checked out has its record, or cannot get one: who finds another at work leaves it
/// to him, and he looks again before he ends.
fn warm(dir: &Path) -> anyhow::Result<()> {
    let env = Environment { git_dir: None, git_work_tree: None, ..Environment::read() };
    let Some(ctx) = Context::open_if_any(dir, env, Console::plain())? else { return Ok(()) };
    let id = Layout::checkout_id(&ctx.repo.git_dir);
    let holder = Holder::this_process("measuring a new commit");
    let _one = match Lock::acquire(&ctx.layout.warm_lock(&id), &holder) {
        Ok(lock) => lock,
        Err(LockError::Held(_)) => return Ok(()),
        Err(e) => return Err(e.into()),
    };
    let mut last = None;
    loop {
        let head = ctx.repo.head().map_err(git_failure)?;
        let (Some(branch), Some(tip)) = (&head.branch, &head.commit) else { return Ok(()) };
        if last.as_ref() == Some(tip) || store(&ctx, branch).running().is_some() {
            return Ok(());
        }
        one(&ctx, &head, (branch, tip))?;
        last = Some(tip.clone());
    }
}

fn one(ctx: &Context, head: &Head, (branch, tip): (&str, &CommitId)) -> anyhow::Result<()> {
    let git = ctx.repo.settled_config().map_err(git_failure)?;
    let remote = remote_of(&git, head, &Push::default());
    let zeros = "0".repeat(tip.as_str().len());
    let line = format!("refs/heads/{branch} {tip} refs/heads/{branch} {zeros}\n");
    let evidence = Evidence::new(ctx, Some(&remote), head, Missing::Warms);
    for line in parse(line.as_bytes()) {
        if let Line::Branch(update) = line {
            evidence.of(About { update: &update, tip })?;
        }
    }
    Ok(())
}
