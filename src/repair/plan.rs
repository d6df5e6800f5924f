//! `--dry-run`: what a run would do first, without doing any of it.

use serde::Serialize;

use super::checkout::Checkout;
use super::consult::consult;
use super::fixer;
use super::limits::{default_limits, limits};
use super::ports::still_holds;
use super::prompt::prompt;
use super::session::{
    DETACHED, Options, branch_and_head, check_sha, precondition, query, state_now, store_of, totals,
};
use crate::config::FixerCommand;
use crate::engine::{BRANCH_LOOP, Limits, Machine, Observation, Step, Totals, View};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::measure::Setting;
use crate::model::{Escalation, Kind, Record, Status};

/// What a run would do first.
#[derive(Debug, Serialize)]
pub struct Plan {
    schema: &'static str,
    branch: String,
    sha: String,
    /// The dispatch, if there would be one.
    reason: Option<String>,
    kind: Option<Kind>,
    fixers: Vec<PlannedFixer>,
    /// How it would end at once, if it would.
    status: Option<Status>,
    escalation: Option<Escalation>,
    detail: String,
    iterations_left: u32,
    tokens_left: u64,
    cumulative_left: u32,
}

#[derive(Debug, Serialize)]
struct PlannedFixer {
    name: String,
    command: String,
    prompt: Option<String>,
}

/// What a run would do first; measures and dispatches nothing, writes nothing.
///
/// # Errors
/// As [`super::run`].
pub fn plan(ctx: &Context, options: &Options) -> anyhow::Result<Plan> {
    let (branch, head) = match branch_and_head(ctx)? {
        Ok(found) => found,
        Err(commit) => {
            let plan = Plan::new("", commit.as_str(), &default_limits(ctx), &Totals::default());
            return Ok(plan.ending(Status::Escalated, Some(Escalation::DetachedHead), DETACHED));
        }
    };
    check_sha(ctx, options.sha.as_deref(), &branch, &head)?;
    let setting = ctx.setting(&head, query(&branch), true)?;
    let limits = limits(ctx, &setting.config, options)?;
    let place = ctx.place(&setting.config)?;
    let (state, _) = state_now(ctx, &store_of(ctx, &branch), &branch, &setting)?;
    let totals = totals(&state);
    let mut plan = Plan::new(&branch, head.as_str(), &limits, &totals);
    let checkout = Checkout { repo: &ctx.repo, branch: Some(branch) };
    if let Some((why, detail)) = precondition(&checkout, &place, &setting, &head)? {
        return Ok(plan.ending(Status::Escalated, Some(why), &detail));
    }
    let found = place.read(&head).map_err(|e| Failure::usage(e.to_string()))?;
    let Some(record) = found.filter(|r| still_holds(r, &head, &setting)) else {
        plan.detail = "there is no record of this commit: a run measures it first".into();
        return Ok(plan);
    };
    let kinds: Vec<Kind> = setting.config.fixers.iter().flat_map(|f| f.kinds.clone()).collect();
    let mut machine = Machine::new(BRANCH_LOOP, limits, totals, &kinds);
    machine.observe(Observation::Evidence(View::of(&record, ctx.env.bot_actor)));
    let step = machine.next();
    if let (Step::Dispatch(_), Some(config)) = (&step, &setting.config.decider) {
        let said = consult(config, &[ctx.repo.top()?], &head);
        if let Some(stop) = said.stop {
            return Ok(plan.ending(Status::Escalated, Some(Escalation::Decider), &stop));
        }
        plan.detail = said.headline;
    }
    Ok(plan.first(&step, &setting, &record))
}

impl Plan {
    fn new(branch: &str, sha: &str, limits: &Limits, totals: &Totals) -> Plan {
        Plan {
            schema: "fix_evidence_plan_v1",
            branch: branch.to_string(),
            sha: sha.to_string(),
            reason: None,
            kind: None,
            fixers: Vec::new(),
            status: None,
            escalation: None,
            detail: String::new(),
            iterations_left: limits.max_iter,
            tokens_left: limits.token_budget,
            cumulative_left: limits.max_cumulative_iter.saturating_sub(totals.iter_count_total),
        }
    }

    fn ending(mut self, status: Status, why: Option<Escalation>, detail: &str) -> Plan {
        (self.status, self.escalation, self.detail) = (Some(status), why, detail.to_string());
        self
    }

    fn first(mut self, step: &Step, setting: &Setting, record: &Record) -> Plan {
        match step {
            Step::Dispatch(dispatch) => {
                let fits =
                    setting.config.fixers.iter().filter(|f| f.kinds.contains(&dispatch.kind));
                self.fixers = fits
                    .map(|f| PlannedFixer {
                        name: f.name.clone(),
                        command: fixer::command(f),
                        prompt: matches!(f.command, FixerCommand::Agent(_))
                            .then(|| prompt(dispatch, record, &setting.config.checks, &[])),
                    })
                    .collect();
                (self.reason, self.kind) = (Some(dispatch.reason.to_string()), Some(dispatch.kind));
                self
            }
            Step::End(end) => self.ending(end.status, end.escalation, &end.detail),
            Step::Measure | Step::RollBack => self,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("{} at {}\n", self.branch, self.sha);
        match (&self.reason, self.kind) {
            (Some(reason), Some(kind)) => {
                text.push_str(&format!("would mend: {reason} ({kind})\n"));
                for fixer in &self.fixers {
                    text.push_str(&format!("with {}: {}\n", fixer.name, fixer.command));
                    if let Some(prompt) = &fixer.prompt {
                        text.push_str(&format!("--- prompt ---\n{prompt}--- end ---\n"));
                    }
                }
            }
            _ => {
                let status = self
                    .status
                    .map_or("would measure first".to_string(), |s| format!("would end: {s}"));
                let why = self.escalation.map_or(String::new(), |e| format!(" {e}"));
                text.push_str(&format!("{status}{why}\n"));
                if !self.detail.is_empty() {
                    text.push_str(&format!("{}\n", self.detail));
                }
            }
        }
        text.push_str(&format!(
            "left: {} iterations, {} tokens in this run; {} iterations of this branch\n",
            self.iterations_left, self.tokens_left, self.cumulative_left
        ));
        text
    }
}
