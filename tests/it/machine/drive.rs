//! Around the machine: what it sees of a record, and what a failing environment leaves behind.

use git_evidence::engine::{
    BRANCH_LOOP, Dispatch, Driver, Fix, FixResult, Machine, Observation, Ports, Totals, View,
};
use git_evidence::model::{Decision, Kind, Record};
use serde_json::{Value, json};

use super::script::{LIMITS, case, view};

fn record(change: impl FnOnce(&mut Value)) -> Record {
    let mut value = json!({"schema_version": "2.0", "sha": "a", "branch": "b", "computed_at": "t",
        "dirty_tree": false, "base_branch": "main", "stack_detected": [], "metrics": {},
        "spec_drift": {}, "verdict": {"block": true, "block_reasons": ["lint_errors:3>0", "odd"],
        "warnings": []}, "regression_verdict": {"decision": "BLOCK_REGRESSION",
        "block_dimensions": ["quality"], "reason": "why"}});
    change(&mut value);
    Record::parse(value.to_string().as_bytes()).unwrap()
}

#[test]
fn the_machine_sees_what_the_record_says() {
    let seen = View::of(&record(|_| {}), false);
    let mut expected = view("L3,U");
    expected.dimensions.push("quality".to_string());
    expected.sentence = "why".to_string();
    assert_eq!(seen, expected);
    assert!(View::of(&record(|_| {}), true).is_bot, "the one who acts is a bot");
    assert!(View::of(&record(|v| v["is_bot_pr"] = json!(true)), false).is_bot);
    assert!(!View::of(&record(|v| v["is_bot_pr"] = json!(null)), false).is_bot);
    let shaped = record(|v| {
        v["regression_verdict"]["hard_floor_breaches"] = json!(["security:1<60", {"d": "x"}]);
    });
    let floors = View::of(&shaped, false).hard_floors;
    assert_eq!(floors, ["security:1<60", "{\"d\":\"x\"}"], "whatever shape a writer gave them");
    let old = record(|v| {
        v["schema_version"] = json!("1.0");
        v.as_object_mut().unwrap().remove("regression_verdict");
    });
    let seen = View::of(&old, false);
    assert_eq!((seen.decision, seen.reasons.len()), (Decision::BlockRegression, 2));
}

#[test]
fn a_run_goes_on_after_an_interruption_with_what_it_had_counted() {
    let mut left = case("one is left", "L3 +1 L2", "M lint M", "MAX_ITER_EXCEEDED");
    left.totals = Totals { iterations: 4, iter_count_total: 4, tokens: 9, ..Totals::default() };
    let (totals, _) = left.check();
    assert_eq!((totals.iterations, totals.iter_count_total, totals.tokens), (5, 5, 10));
    let mut spent = case("no tokens are left", "L3", "M", "TOKEN_BUDGET_EXCEEDED");
    spent.totals.tokens = LIMITS.token_budget;
    spent.check();
}

/// Measures once, then breaks where it is told to.
struct Breaking {
    at: &'static str,
    settled: Vec<Totals>,
}

impl Breaking {
    fn fine(&self, step: &str) -> anyhow::Result<()> {
        anyhow::ensure!(self.at != step, "no space left on device");
        Ok(())
    }
}

impl Ports for Breaking {
    fn measure(&mut self) -> anyhow::Result<Observation> {
        self.fine("measure")?;
        let word = if self.settled.len() < 2 { "L3" } else { "L4" };
        Ok(Observation::Evidence(view(word)))
    }

    fn dispatch(&mut self, dispatch: &Dispatch) -> anyhow::Result<Observation> {
        self.fine("dispatch")?;
        assert_eq!(dispatch.kind, Kind::Lint);
        Ok(Observation::Fixed(Fix { tokens: 5, result: FixResult::Changed }))
    }

    fn roll_back(&mut self) -> anyhow::Result<Observation> {
        self.fine("roll_back")?;
        Ok(Observation::RolledBack)
    }

    fn settle(&mut self, machine: &Machine) -> anyhow::Result<()> {
        self.fine("settle")?;
        self.settled.push(machine.totals().clone());
        Ok(())
    }
}

/// S0-10: what was counted before the environment failed is safe.
#[test]
fn an_environment_that_fails_ends_the_run_after_what_was_settled() {
    for (at, settled, iterations) in
        [("measure", 0, 0), ("settle", 0, 0), ("dispatch", 1, 0), ("roll_back", 3, 1)]
    {
        let machine = Machine::new(BRANCH_LOOP, LIMITS, Totals::default(), &[Kind::Lint]);
        let mut ports = Breaking { at, settled: Vec::new() };
        let error = Driver::new(machine, &mut ports).run().unwrap_err();
        assert_eq!(error.to_string(), "no space left on device");
        assert_eq!(ports.settled.len(), settled, "{at}");
        let counted = ports.settled.last().cloned().unwrap_or_default();
        assert_eq!((counted.iterations, counted.tokens), (iterations, 5 * u64::from(iterations)));
    }
}
