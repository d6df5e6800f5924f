//! `log --explain RUN`: why a run went on or stopped at each step, from its journal.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::ports::WORSE;
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::model::{BlockReason, CommitId, Decision, Escalation, Status};
use crate::store::journal::{self, Consulted, Entry, FixerEnd, Mode, Read, RunStarted};

/// How many known runs are named where none fits.
const NAMED: usize = 5;

/// `fix_evidence_explain_v1`.
#[derive(Debug, Serialize)]
pub struct Explanation {
    schema: &'static str,
    run_id: String,
    branch: String,
    started_at: String,
    /// Whether the journal has its last line.
    ended: bool,
    events: Vec<Event>,
}

/// One line.
#[derive(Debug, Serialize)]
struct Event {
    /// `start`, `look`, `machine`, `decider`, `dispatch`, `fixer`, `commit`, `measured`, `outcome`,
    /// `moved`, `resumed` or `end`.
    event: &'static str,
    /// For people.
    text: String,
    /// What the text is made of.
    #[serde(flatten)]
    facts: Value,
}

/// Explains a run of any branch.
///
/// # Errors
/// Usage where no run or more than one begins like `wanted`, naming those that are known.
pub fn explain(ctx: &Context, wanted: &str) -> anyhow::Result<Explanation> {
    let mut runs = known(ctx);
    let is_it = |run: &RunStarted| run.run_id == wanted;
    if !runs.iter().any(|(run, _)| is_it(run)) {
        let fits = |run: &RunStarted| !wanted.is_empty() && run.run_id.starts_with(wanted);
        let some = runs.iter().any(|(run, _)| fits(run));
        if some {
            runs.retain(|(run, _)| fits(run));
        }
        let names: Vec<&str> =
            runs.iter().rev().take(NAMED).map(|(run, _)| run.run_id.as_str()).collect();
        match (some, names.as_slice()) {
            (true, [_]) => {}
            (true, _) => {
                let text = format!("several runs begin with '{wanted}': {}", names.join(", "));
                return Err(Failure::usage(text));
            }
            (false, []) => {
                let text = format!("there is no run '{wanted}': none has been started here yet");
                return Err(Failure::usage(text));
            }
            (false, _) => {
                let text =
                    format!("there is no run '{wanted}'; the newest are {}", names.join(", "));
                return Err(Failure::usage(text));
            }
        }
    } else {
        runs.retain(|(run, _)| is_it(run));
    }
    let Some((run, path)) = runs.pop() else { return Err(Failure::usage("there is no such run")) };
    let read = journal::read(&path).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(Explanation::of(&run, &read))
}

/// Every run that has a journal, the newest last. One that cannot be read is no run here.
fn known(ctx: &Context) -> Vec<(RunStarted, PathBuf)> {
    let entries = |dir: PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten();
    let present = entries(ctx.layout.root().join("branches"))
        .map(|branch| branch.path().join("journal.jsonl"));
    let ended = entries(ctx.layout.runs()).map(|file| file.path());
    let mut runs: Vec<(RunStarted, PathBuf)> = present
        .chain(ended)
        .filter_map(|path| Some((journal::read(&path).ok()?.run()?.clone(), path)))
        .collect();
    runs.sort_by(|(a, at_a), (b, at_b)| (&a.at, &a.run_id, at_a).cmp(&(&b.at, &b.run_id, at_b)));
    runs
}

impl Explanation {
    fn of(run: &RunStarted, read: &Read) -> Explanation {
        let mut teller = Teller::new(run);
        for entry in &read.entries {
            teller.take(entry);
        }
        Explanation {
            schema: "fix_evidence_explain_v1",
            run_id: run.run_id.clone(),
            branch: run.branch.trim_start_matches("refs/heads/").to_string(),
            started_at: run.at.clone(),
            ended: matches!(read.entries.last(), Some(Entry::RunEnded { .. })),
            events: teller.events,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("run {} of {}, {}\n", self.run_id, self.branch, self.started_at);
        for e in &self.events {
            text.push_str(&format!("  {:<9} {}\n", e.event, e.text.replace('\n', " ")));
        }
        if !self.ended {
            text.push_str("  it has not ended: it is running, or was interrupted\n");
        }
        text
    }
}

/// The tip's evidence.
#[derive(Clone)]
struct Seen {
    sha: CommitId,
    decision: Decision,
    reasons: Vec<BlockReason>,
}

/// Reads a journal line by line and keeps what the machine counted.
struct Teller<'a> {
    run: &'a RunStarted,
    events: Vec<Event>,
    seen: Option<Seen>,
    /// What was seen before the iteration's commits.
    before: Option<Seen>,
    /// There are commits that are not compared.
    changed: bool,
    /// The look was told since something changed.
    looked: bool,
    /// The last dispatch of the machine that was told.
    announced: u64,
    iterations: u64,
    tokens: u64,
    reverts: u64,
    checkpoint: Option<String>,
    worse: bool,
}

impl<'a> Teller<'a> {
    fn new(run: &'a RunStarted) -> Teller<'a> {
        Teller {
            run,
            events: Vec::new(),
            seen: None,
            before: None,
            changed: false,
            looked: false,
            announced: 0,
            iterations: 0,
            tokens: 0,
            reverts: 0,
            checkpoint: None,
            worse: false,
        }
    }

    fn tell(&mut self, event: &'static str, text: String, facts: Value) {
        self.events.push(Event { event, text, facts });
    }

    fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::RunStarted(run) => self.start(run),
            Entry::Resumed { at } => {
                self.looked = false;
                self.tell("resumed", format!("carried on, {at}"), json!({ "at": at }));
            }
            Entry::Consulted(said) => {
                self.announce(said.iteration, said.kind.word(), &said.reason);
                self.consulted(said);
            }
            Entry::Checkpoint { ref_name, .. } => self.checkpoint = Some(ref_name.clone()),
            Entry::Dispatch { .. } | Entry::FixerEnded { .. } => self.dispatched(entry),
            Entry::Committed { sha } => {
                self.before = self.seen.clone();
                self.changed = true;
                self.tell("commit", sha.short().to_string(), json!({ "sha": sha }));
            }
            Entry::Left { .. } => {}
            Entry::Measured { sha, decision, reasons } => {
                let seen = Seen { sha: sha.clone(), decision: *decision, reasons: reasons.clone() };
                if self.changed {
                    let text = format!("{}: {}", seen.sha.short(), seen.text());
                    let facts = json!({ "sha": sha, "decision": decision, "reasons": reasons });
                    self.tell("measured", text, facts);
                }
                self.seen = Some(seen);
                self.looked = false;
            }
            Entry::ComingHome { from, to } => {
                let text = format!("the branch goes from {} to {}", from.short(), to.short());
                self.tell("moved", text, json!({ "from": from, "to": to }));
            }
            Entry::Gamed { rules, hits } => {
                let text = format!("it only silences the check: {}", rules.join(", "));
                self.tell("gamed", text, json!({ "rules": rules, "hits": hits }));
            }
            Entry::RollingBack { .. }
            | Entry::RolledBack { .. }
            | Entry::Kept { .. }
            | Entry::NoChange { .. } => self.compared(entry),
            Entry::RunEnded { status, escalation, sha, detail } => {
                self.end(*status, *escalation, sha, detail);
            }
        }
    }

    fn start(&mut self, run: &RunStarted) {
        let mode = match run.mode {
            Mode::InPlace => "in the checkout",
            Mode::Worktree => "in a worktree",
        };
        let text = format!(
            "at {}, {mode}; limits: {} iterations, {} tokens",
            run.start_sha.short(),
            run.max_iter,
            run.token_budget
        );
        let facts = json!({
            "sha": run.start_sha, "mode": run.mode, "max_iter": run.max_iter,
            "token_budget": run.token_budget, "max_cumulative_iter": run.max_cumulative_iter,
        });
        self.tell("start", text, facts);
    }

    /// What the machine looks at before a dispatch and at the end, once for each change.
    fn look(&mut self) {
        let Some(seen) = self.seen.clone().filter(|_| !self.looked) else { return };
        self.looked = true;
        let iterations = self.run.max_iter.saturating_sub(self.iterations);
        let tokens = self.run.token_budget.saturating_sub(self.tokens);
        let life = self.run.iterations_before.saturating_add(self.iterations);
        let cumulative = self.run.max_cumulative_iter.map(|most| most.saturating_sub(life));
        let of_branch = cumulative.map_or(String::new(), |n| format!("; {n} of the branch's life"));
        let text = format!(
            "{}: {}; left: {iterations} iterations, {tokens} tokens{of_branch}",
            seen.sha.short(),
            seen.text()
        );
        let facts = json!({
            "sha": seen.sha, "decision": seen.decision, "reasons": seen.reasons,
            "iterations_left": iterations, "tokens_left": tokens, "cumulative_left": cumulative,
            "reverts": self.run.reverts_before.saturating_add(self.reverts),
        });
        self.tell("look", text, facts);
    }

    /// The machine's decision for a dispatch, once an iteration.
    fn announce(&mut self, iteration: u64, kind: &str, reason: &BlockReason) {
        if self.announced >= iteration {
            return;
        }
        self.announced = iteration;
        self.look();
        let text = format!("iteration {iteration}: {reason} is to be mended ({kind})");
        let facts = json!({
            "step": "dispatch", "iteration": iteration, "kind": kind, "reason": reason,
        });
        self.tell("machine", text, facts);
    }

    fn consulted(&mut self, said: &Consulted) {
        let verdict = said.verdict.as_deref().unwrap_or("no verdict");
        let then = if said.goes_on { "goes on" } else { "stops" };
        let text = format!("{verdict}: {} ({then})", said.reasons.join("; "));
        let facts = json!({
            "iteration": said.iteration, "verdict": said.verdict, "reasons": said.reasons,
            "goes_on": said.goes_on, "decision_sha256": said.decision_sha256,
            "attribution_sha256": said.attribution_sha256,
            "capabilities_sha256": said.capabilities_sha256,
        });
        self.tell("decider", text, facts);
    }

    fn dispatched(&mut self, entry: &Entry) {
        match entry {
            Entry::Dispatch { iteration, fixer, kind, reason, .. } => {
                self.announce(*iteration, kind.word(), reason);
                self.iterations = self.iterations.max(*iteration);
                let text = format!("{fixer} for {reason}");
                let facts = json!({
                    "iteration": iteration, "fixer": fixer, "kind": kind, "reason": reason,
                    "checkpoint": self.checkpoint,
                });
                self.tell("dispatch", text, facts);
            }
            Entry::FixerEnded { outcome, tokens, estimated, seconds, paths, .. } => {
                self.tokens = self.tokens.saturating_add(*tokens);
                let about = if *estimated { "about " } else { "" };
                let text = format!(
                    "{}, {about}{tokens} tokens, {seconds:.1} s, {} files changed",
                    ending(*outcome),
                    paths.len()
                );
                let facts = json!({
                    "outcome": outcome, "tokens": tokens, "estimated": estimated,
                    "seconds": seconds, "paths": paths,
                });
                self.tell("fixer", text, facts);
            }
            _ => {}
        }
    }

    fn compared(&mut self, entry: &Entry) {
        match entry {
            Entry::RollingBack { from, to, why } => {
                self.worse = why == WORSE;
                let text = format!("back from {} to {}: {why}", from.short(), to.short());
                let facts = json!({ "step": "roll_back", "from": from, "to": to, "why": why });
                self.tell("machine", text, facts);
                return;
            }
            Entry::RolledBack { to } => {
                self.reverts += u64::from(self.worse);
                let text = format!("rolled back: {}", self.change());
                self.outcome("rolled_back", to, text);
                self.seen = self.before.take().or(self.seen.take());
            }
            Entry::Kept { sha } => {
                let text = format!("kept: {}", self.change());
                self.outcome("kept", sha, text);
            }
            Entry::NoChange { sha } => {
                self.outcome("no_change", sha, "nothing was changed".to_string());
            }
            _ => {}
        }
        (self.changed, self.worse, self.looked) = (false, false, false);
    }

    fn outcome(&mut self, outcome: &'static str, sha: &CommitId, text: String) {
        self.tell("outcome", text, json!({ "outcome": outcome, "sha": sha }));
    }

    /// From which reasons to which.
    fn change(&self) -> String {
        match (&self.before, &self.seen) {
            (Some(before), Some(after)) if self.changed => {
                format!("from [{}] to [{}]", before.list(), after.list())
            }
            _ => "not compared".to_string(),
        }
    }

    fn end(&mut self, status: Status, why: Option<Escalation>, sha: &CommitId, detail: &str) {
        self.look();
        let because = match status {
            Status::AutoApprove => "nothing blocks any more".to_string(),
            Status::MaxIterExceeded => format!("{} iterations are used up", self.iterations),
            Status::TokenBudgetExceeded => format!("{} tokens are used up", self.tokens),
            Status::Escalated => why.map_or("ended by a person", Escalation::word).to_string(),
        };
        let detail_text = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let text = format!("{status} at {}, {because}{detail_text}", sha.short());
        let facts = json!({
            "status": status, "escalation": why, "detail": detail, "sha": sha,
            "iterations": self.iterations, "tokens": self.tokens,
        });
        self.tell("end", text, facts);
    }
}

impl Seen {
    fn text(&self) -> String {
        format!("{} [{}]", self.decision, self.list())
    }

    fn list(&self) -> String {
        self.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn ending(outcome: FixerEnd) -> &'static str {
    match outcome {
        FixerEnd::Done => "done",
        FixerEnd::Failed => "failed",
        FixerEnd::Timeout => "timed out",
        FixerEnd::CannotFix => "says that it cannot",
        FixerEnd::FalsePositive => "says that the finding is none",
    }
}
