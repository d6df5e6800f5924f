//! The machine: what is known, and what follows from it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::policy::Policy;
use super::step::{Dispatch, End, Fix, FixResult, Gaming, Observation, Step, View};
use crate::model::{Decision, Escalation, Kind, Status};
use crate::rules::actions::{NoAction, choose};
use crate::rules::progress::{is_worse, oscillates, reason_set};

/// The limits of one run, after flags, environment and configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Dispatches in this run.
    pub max_iter: u32,
    /// Tokens in this run.
    pub token_budget: u64,
    /// Dispatches over the branch's life.
    pub max_cumulative_iter: u32,
}

/// What is counted. The four from `iter_count_total` on persist with the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Dispatches of this run.
    pub iterations: u32,
    /// Tokens of this run.
    pub tokens: u64,
    /// Dispatches over the branch's life.
    pub iter_count_total: u32,
    /// Tokens over the branch's life.
    pub tokens_total: u64,
    /// The reasons before the last iteration that was not rolled back, sorted.
    pub last_reasons_set: Option<Vec<String>>,
    /// Iterations rolled back over the branch's life.
    pub reverts: u32,
    /// Rules against gaming that fired in this run.
    pub fired: BTreeSet<String>,
}

/// Where the machine stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Nothing is known of the tip.
    Unmeasured,
    /// The tip's evidence is known.
    Judged(View),
    /// The dispatch left commits that are not measured.
    Changed(View),
    /// The dispatch made things worse.
    Worse(View),
    /// The dispatch silenced the check.
    Gamed(View, Gaming),
    /// Over.
    Ended(End),
}

/// One run of a loop.
#[derive(Debug, Clone)]
pub struct Machine {
    policy: Policy,
    limits: Limits,
    totals: Totals,
    /// Kinds for which a fixer is configured.
    fixable: BTreeSet<&'static str>,
    phase: Phase,
}

impl Machine {
    /// A run that starts, or goes on after an interruption, with what has been counted so far.
    pub fn new(policy: Policy, limits: Limits, totals: Totals, fixable: &[Kind]) -> Machine {
        let fixable = fixable.iter().map(|k| k.word()).collect();
        Machine { policy, limits, totals, fixable, phase: Phase::Unmeasured }
    }

    /// The same run, interrupted between a dispatch's commits and their measurement: these are still
    /// compared with the evidence from before the dispatch.
    #[must_use]
    pub fn comparing_with(self, before: View) -> Machine {
        Machine { phase: Phase::Changed(before), ..self }
    }

    /// What has been counted.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The limits of this run.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The evidence of the present tip, where it is known.
    pub fn view(&self) -> Option<&View> {
        match &self.phase {
            Phase::Judged(view)
            | Phase::Changed(view)
            | Phase::Worse(view)
            | Phase::Gamed(view, _) => Some(view),
            Phase::Unmeasured | Phase::Ended(_) => None,
        }
    }

    /// What to do next. Asking twice gives the same answer.
    pub fn next(&self) -> Step {
        match &self.phase {
            Phase::Unmeasured | Phase::Changed(_) => Step::Measure,
            Phase::Judged(view) => self.look(view),
            Phase::Worse(_) | Phase::Gamed(..) => Step::RollBack,
            Phase::Ended(end) => Step::End(end.clone()),
        }
    }

    /// The looks before a dispatch, in the order of S0-4.
    fn look(&self, view: &View) -> Step {
        let (totals, limits) = (&self.totals, &self.limits);
        if view.decision.approves() {
            return end(Status::AutoApprove, None, view.sentence.clone());
        }
        if totals.iterations >= limits.max_iter {
            return end(Status::MaxIterExceeded, None, String::new());
        }
        if totals.tokens >= limits.token_budget {
            return end(Status::TokenBudgetExceeded, None, String::new());
        }
        if self.policy.max_cumulative_iter.is_some()
            && totals.iter_count_total >= limits.max_cumulative_iter
        {
            return escalate(Escalation::CumulativeIterExceeded, String::new());
        }
        if let Some((why, detail)) = human_judgement(view) {
            return escalate(why, detail);
        }
        let present = reason_set(&view.reasons);
        if self.policy.oscillation_guard && oscillates(&present, totals.last_reasons_set.as_deref())
        {
            return escalate(Escalation::OscillationDetected, present.join(", "));
        }
        self.dispatch(view)
    }

    fn dispatch(&self, view: &View) -> Step {
        let iteration = self.totals.iterations + 1;
        match choose(&view.reasons, |kind| self.fixable.contains(kind.word())) {
            Ok(action) => {
                Step::Dispatch(Dispatch { iteration, reason: action.reason, kind: action.kind })
            }
            Err(NoAction::NoFixer(kind)) => escalate(Escalation::NoFixer, kind.word().to_string()),
            Err(NoAction::Unknown) => unknown(view),
        }
    }

    /// Takes in what came of the step that [`Machine::next`] named. What does not fit the present
    /// phase changes nothing.
    pub fn observe(&mut self, observation: Observation) {
        let phase = std::mem::replace(&mut self.phase, Phase::Unmeasured);
        self.phase = match (phase, observation) {
            (Phase::Unmeasured, Observation::Evidence(view)) => Phase::Judged(view),
            (Phase::Unmeasured | Phase::Changed(_), Observation::Barred(why, detail)) => {
                ended(escalation_end(why, detail))
            }
            // A dispatch is answered only where one was asked for.
            (Phase::Judged(view), told @ (Observation::Fixed(_) | Observation::Barred(..)))
                if matches!(self.look(&view), Step::Dispatch(_)) =>
            {
                match told {
                    Observation::Fixed(fix) => self.fixed(view, fix),
                    Observation::Barred(why, detail) => ended(escalation_end(why, detail)),
                    _ => Phase::Judged(view),
                }
            }
            (Phase::Changed(before), Observation::Evidence(after)) => self.compared(before, after),
            (Phase::Changed(before), Observation::Gamed(gaming)) => Phase::Gamed(before, gaming),
            (Phase::Worse(before), Observation::RolledBack) => self.rolled_back(before),
            (Phase::Gamed(before, gaming), Observation::RolledBack) => self.gamed(before, gaming),
            (Phase::Worse(_) | Phase::Gamed(..), Observation::RollBackRefused(detail)) => {
                ended(escalation_end(Escalation::ScopeBreach, detail))
            }
            (phase, _) => phase,
        };
    }

    fn fixed(&mut self, before: View, fix: Fix) -> Phase {
        // Figures of a state file or of a fixer may be anything; an overflow must not open a limit.
        let totals = &mut self.totals;
        totals.iterations = totals.iterations.saturating_add(1);
        totals.iter_count_total = totals.iter_count_total.saturating_add(1);
        totals.tokens = totals.tokens.saturating_add(fix.tokens);
        totals.tokens_total = totals.tokens_total.saturating_add(fix.tokens);
        match fix.result {
            FixResult::Changed => Phase::Changed(before),
            FixResult::NoChange => {
                self.totals.last_reasons_set = Some(reason_set(&before.reasons));
                Phase::Judged(before)
            }
            FixResult::Gamed(gaming) => self.gamed(before, gaming),
            FixResult::Stop(why, detail) => ended(escalation_end(why, detail)),
        }
    }

    /// Told once which rule fired; the same rule again ends the run. No revert is counted: nothing
    /// was tried that could have been right.
    fn gamed(&mut self, before: View, gaming: Gaming) -> Phase {
        let fired = gaming.rules.iter().any(|r| self.totals.fired.contains(r));
        self.totals.fired.extend(gaming.rules);
        match fired || gaming.at_once {
            true => ended(escalation_end(gaming.word, gaming.detail)),
            false => Phase::Judged(before),
        }
    }

    fn compared(&mut self, before: View, after: View) -> Phase {
        let judged = !matches!(after.decision, Decision::SeverelyDegraded);
        if judged && !after.decision.approves() && is_worse(&before.reasons, &after.reasons) {
            return Phase::Worse(before);
        }
        self.totals.last_reasons_set = Some(reason_set(&before.reasons));
        Phase::Judged(after)
    }

    fn rolled_back(&mut self, before: View) -> Phase {
        self.totals.reverts = self.totals.reverts.saturating_add(1);
        match self.policy.max_reverts {
            Some(most) if self.totals.reverts < most => Phase::Judged(before),
            _ => ended(escalation_end(Escalation::WorseningDetected, String::new())),
        }
    }
}

/// What only a person can judge (S0-2), in its order.
fn human_judgement(view: &View) -> Option<(Escalation, String)> {
    if !view.hard_floors.is_empty() || view.decision == Decision::BlockHardFloor {
        return Some((Escalation::HardFloor, view.hard_floors.join(", ")));
    }
    if view.is_bot {
        return Some((Escalation::Bot, String::new()));
    }
    if view.decision == Decision::SeverelyDegraded {
        return Some((Escalation::SeverelyDegraded, view.sentence.clone()));
    }
    match choose(&view.reasons, |_| true) {
        Ok(_) => None,
        Err(_) => Some((Escalation::UnknownBlockReason, unknown_detail(view))),
    }
}

fn unknown(view: &View) -> Step {
    escalate(Escalation::UnknownBlockReason, unknown_detail(view))
}

/// The reasons, or where there are none the dimensions whose score fell.
fn unknown_detail(view: &View) -> String {
    if view.reasons.is_empty() {
        format!("blocked by scores alone: {}", view.dimensions.join(", "))
    } else {
        reason_set(&view.reasons).join(", ")
    }
}

fn escalate(why: Escalation, detail: String) -> Step {
    Step::End(escalation_end(why, detail))
}

fn escalation_end(why: Escalation, detail: String) -> End {
    End { status: Status::Escalated, escalation: Some(why), detail }
}

fn end(status: Status, escalation: Option<Escalation>, detail: String) -> Step {
    Step::End(End { status, escalation, detail })
}

fn ended(end: End) -> Phase {
    Phase::Ended(end)
}
