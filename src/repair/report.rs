//! The loop's final report (S0-12), as data and as text.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::engine::{End, Limits, Totals};
use crate::model::{BlockReason, Escalation, Kind, Outcome, Status};
use crate::rules::gaming::Hit;
use crate::store::clock;
use crate::store::journal::RunStarted;
use crate::store::log::Attempt;

/// One dispatch, for the report and the fix log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogEntry {
    /// From 1.
    pub iteration: u32,
    /// Who was dispatched.
    pub fixer: String,
    /// For what kind.
    pub kind: Kind,
    /// For which reason.
    pub reason: String,
    /// The tip before.
    pub sha_before: String,
    /// The tip after its commits, before any roll-back.
    pub sha_after: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What it used.
    pub tokens: u64,
    /// How long it ran.
    pub seconds: f64,
}

/// `fix_evidence_report_v1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the contract's names")]
pub struct Report {
    pub schema: &'static str,
    pub status: Status,
    pub escalation: Option<Escalation>,
    /// One sentence; not part of the contract's keys.
    pub detail: String,
    pub sha: String,
    pub start_sha: String,
    pub branch: String,
    pub iterations: u32,
    pub max_iterations: u32,
    pub tokens: u64,
    pub token_budget: u64,
    pub tokens_estimated: bool,
    pub final_reasons: Vec<String>,
    pub log: Vec<LogEntry>,
    pub cumulative_iterations: u32,
    pub cumulative_limit: u32,
    pub reverts: u32,
    pub run_id: String,
    /// Where rules against gaming fired; not part of the contract's keys.
    pub gaming: Vec<Hit>,
}

/// What the machine cannot know.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs, reason = "see Report")]
pub struct Ending {
    pub sha: String,
    pub start_sha: String,
    pub branch: String,
    pub run_id: String,
    pub tokens_estimated: bool,
    pub final_reasons: Vec<String>,
    pub log: Vec<LogEntry>,
    pub gaming: Vec<Hit>,
}

impl LogEntry {
    /// As a line of the fix log.
    pub(super) fn attempt(&self, started: &RunStarted, estimated: bool) -> Attempt {
        Attempt {
            run_id: started.run_id.clone(),
            branch: started.branch.clone(),
            iteration: u64::from(self.iteration),
            fixer: self.fixer.clone(),
            kind: self.kind,
            reason: BlockReason::parse(&self.reason),
            outcome: self.outcome,
            tokens: self.tokens,
            estimated,
            seconds: self.seconds,
            at: clock::now(),
            gaming: BTreeMap::new(),
        }
    }
}

impl Report {
    /// Brings together how it ended, what was counted and what was seen.
    pub fn new(end: &End, totals: &Totals, limits: &Limits, ending: Ending) -> Report {
        Report {
            schema: "fix_evidence_report_v1",
            status: end.status,
            escalation: end.escalation,
            detail: end.detail.clone(),
            sha: ending.sha,
            start_sha: ending.start_sha,
            branch: ending.branch,
            iterations: totals.iterations,
            max_iterations: limits.max_iter,
            tokens: totals.tokens,
            token_budget: limits.token_budget,
            tokens_estimated: ending.tokens_estimated,
            final_reasons: ending.final_reasons,
            log: ending.log,
            cumulative_iterations: totals.iter_count_total,
            cumulative_limit: limits.max_cumulative_iter,
            reverts: totals.reverts,
            run_id: ending.run_id,
            gaming: ending.gaming,
        }
    }

    /// The exit code of the contract's table.
    pub fn exit_code(&self) -> u8 {
        match self.status {
            Status::AutoApprove => 0,
            Status::Escalated => 1,
            Status::MaxIterExceeded => 6,
            Status::TokenBudgetExceeded => 7,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let log: Vec<String> = self
            .log
            .iter()
            .map(|e| format!("({}, {}, {}: {})", e.iteration, e.fixer, e.kind, e.outcome))
            .collect();
        let escalation = match self.escalation {
            None if self.detail.is_empty() => "none".to_string(),
            None => format!("none ({})", self.detail),
            Some(why) if self.detail.is_empty() => why.to_string(),
            Some(why) => format!("{why} ({})", self.detail),
        };
        let about = if self.tokens_estimated { "about " } else { "" };
        format!(
            "fix-evidence loop: {sha}\n  \
               Status:        {status}\n  \
               Iterations:    {i}/{max}\n  \
               Tokens:        {about}{tokens}/{budget}\n  \
               Final reasons: [{reasons}]\n  \
               Fixer log:     [{log}]\n  \
               Cumulative:    {total}/{cumulative} (over the branch's life)\n  \
               Reverts:       {reverts}\n  \
               Escalation:    {escalation}\n",
            sha = self.sha,
            status = self.status,
            i = self.iterations,
            max = self.max_iterations,
            tokens = self.tokens,
            budget = self.token_budget,
            reasons = self.final_reasons.join(", "),
            log = log.join(", "),
            total = self.cumulative_iterations,
            cumulative = self.cumulative_limit,
            reverts = self.reverts,
        )
    }
}
