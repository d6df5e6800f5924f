//! `status`: what is known of a branch, and why a run would not start now.

use serde::Serialize;

use super::checkout::{Checkout, Paths};
use super::checkpoint::Checkpoints;
use super::preflight;
use super::session::{branch_and_head, query, read_journal};
use crate::git::branch_key;
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::store::branch::{BranchState, BranchStore};
use crate::store::journal::{self, Entry, Read};

/// The contract's document.
#[derive(Debug, Serialize)]
pub struct Status {
    branch: String,
    state: State,
    auto_triggers: u64,
    state_file: String,
    running: Option<Running>,
    interrupted: Option<Interrupted>,
    checkpoints: Vec<Shown>,
    /// Why a run would not start now; none where it would.
    would_not_start: Option<String>,
}

#[derive(Debug, Serialize)]
struct State {
    iter_count_total: u64,
    tokens_total: u64,
    last_reasons_set: Option<Vec<String>>,
    reverts: u64,
    updated_at: Option<String>,
}

#[derive(Debug, Serialize)]
struct Running {
    pid: u32,
    since: String,
}

#[derive(Debug, Serialize)]
struct Interrupted {
    run_id: String,
    checkpoint: Option<String>,
}

#[derive(Debug, Serialize)]
struct Shown {
    name: String,
    sha: String,
    run_id: Option<String>,
    iteration: Option<u64>,
}

/// Looks.
///
/// # Errors
/// Usage where HEAD is on no branch or the state cannot be read.
pub fn status(ctx: &Context) -> anyhow::Result<Status> {
    let (branch, head) = branch_and_head(ctx)?
        .map_err(|_| Failure::usage("HEAD is on no branch: git switch <branch>"))?;
    let key = branch_key(branch.as_bytes());
    let store = BranchStore::new(&ctx.layout, &key, &format!("refs/heads/{branch}"));
    let state = store.load().map_err(|e| Failure::usage(e.to_string()))?;
    let running = store.running();
    let read = read_journal(ctx, &branch)?;
    let interrupted = read
        .interrupted()
        .filter(|_| running.is_none())
        .map(|run| Interrupted { run_id: run.run_id.clone(), checkpoint: last_checkpoint(&read) });
    let would_not_start = would_not_start(
        ctx,
        &branch,
        &head,
        running.is_some(),
        interrupted.is_some() && read.began(),
    )?;
    Ok(Status {
        checkpoints: checkpoints(ctx, &branch, &read)?,
        branch,
        state: State::of(state),
        auto_triggers: store.autocount().count,
        state_file: ctx.layout.state(&key).to_string_lossy().into_owned(),
        running: running.map(|h| Running { pid: h.pid, since: h.started_at }),
        interrupted,
        would_not_start,
    })
}

impl Status {
    /// The run that was interrupted and waits to be carried on or put back.
    pub fn interrupted_run(&self) -> Option<&str> {
        self.interrupted.as_ref().map(|i| i.run_id.as_str())
    }
}

impl State {
    fn of(state: BranchState) -> State {
        State {
            iter_count_total: state.iter_count_total,
            tokens_total: state.tokens_total,
            last_reasons_set: state.last_reasons_set,
            reverts: state.reverts,
            updated_at: Some(state.updated_at).filter(|t| !t.is_empty()),
        }
    }
}

fn last_checkpoint(read: &Read) -> Option<String> {
    read.entries.iter().rev().find_map(|e| match e {
        Entry::Checkpoint { ref_name, .. } => Some(ref_name.clone()),
        _ => None,
    })
}

fn would_not_start(
    ctx: &Context,
    branch: &str,
    head: &crate::model::CommitId,
    running: bool,
    interrupted: bool,
) -> anyhow::Result<Option<String>> {
    if running {
        return Ok(Some("a run holds this branch".into()));
    }
    if interrupted {
        return Ok(Some("a run was interrupted: git fix-evidence continue, or abort".into()));
    }
    let setting = match ctx.setting(head, query(branch), true) {
        Ok(setting) => setting,
        Err(e) => return Ok(Some(e.to_string())),
    };
    let place = ctx.place(&setting.config)?;
    let checkout = Checkout { repo: &ctx.repo, branch: Some(branch.to_string()) };
    if let Some((why, detail)) = preflight::refusal(&checkout, &Paths::new(), &place)? {
        return Ok(Some(format!("{why}: {detail}")));
    }
    if let Some((base, point)) = &setting.base
        && point == head
    {
        return Ok(Some(format!("not_ahead: the branch has no commit that {} lacks", base.name)));
    }
    Ok(None)
}

/// Every checkpoint, with the run and iteration that the journals name for it.
fn checkpoints(ctx: &Context, branch: &str, present: &Read) -> anyhow::Result<Vec<Shown>> {
    let mut made: Vec<(String, String, u64)> = Vec::new();
    let mut note = |read: &Read| {
        let Some(run) = read.run() else { return };
        for entry in &read.entries {
            if let Entry::Checkpoint { iteration, ref_name, .. } = entry {
                made.push((ref_name.clone(), run.run_id.clone(), *iteration));
            }
        }
    };
    note(present);
    for entry in std::fs::read_dir(ctx.layout.runs()).into_iter().flatten().flatten() {
        // An old journal that cannot be read costs its checkpoints' labels, nothing else.
        if let Ok(read) = journal::read(&entry.path()) {
            note(&read);
        }
    }
    let all = Checkpoints::of(&ctx.repo, branch).list()?;
    Ok(all
        .into_iter()
        .map(|c| {
            let found = made.iter().find(|(name, _, _)| *name == c.name);
            Shown {
                sha: c.sha.to_string(),
                run_id: found.map(|(_, run, _)| run.clone()),
                iteration: found.map(|(_, _, iteration)| *iteration),
                name: c.name,
            }
        })
        .collect())
}

impl Status {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("On branch {}\n", self.branch);
        let s = &self.state;
        text.push_str(&format!(
            "  {} iterations and {} tokens over its life, {} rolled back, {} markers\n",
            s.iter_count_total, s.tokens_total, s.reverts, self.auto_triggers
        ));
        if let Some(running) = &self.running {
            text.push_str(&format!("  running: process {} since {}\n", running.pid, running.since));
        }
        if let Some(interrupted) = &self.interrupted {
            text.push_str(&format!(
                "  interrupted: run {}\n    (use \"git fix-evidence continue\" to carry on)\n    \
                 (use \"git fix-evidence abort\" to put the branch back)\n",
                interrupted.run_id
            ));
        }
        match &self.would_not_start {
            Some(why) => text.push_str(&format!("  a run would not start now: {why}\n")),
            None => text.push_str("  a run can start: git fix-evidence\n"),
        }
        if !self.checkpoints.is_empty() {
            text.push_str(
                "Checkpoints (use \"git fix-evidence undo <number>\" to go back to one):\n",
            );
        }
        for c in &self.checkpoints {
            let number = c.name.rsplit('/').next().unwrap_or_default();
            let what = match (&c.run_id, c.iteration) {
                (Some(run), Some(i)) => format!("before iteration {i} of run {run}"),
                _ => "kept".to_string(),
            };
            text.push_str(&format!("  {number:>4}  {}  {what}\n", &c.sha[..10.min(c.sha.len())]));
        }
        text.push_str(&format!("State: {}\n", self.state_file));
        text
    }
}
