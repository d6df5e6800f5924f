//! Whatever is observed, in whatever order: the machine ends, counts right and never panics.

use git_evidence::engine::{
    Fix, FixResult, Gaming, Limits, Machine, Observation, POLICIES, Step, Totals, View,
};
use git_evidence::model::{Decision, Escalation, Kind, Status};
use proptest::prelude::*;

use super::script::{reasons, view};

fn any_view() -> impl Strategy<Value = View> {
    let lists = ["", "L3", "L2", "L3,C50.0", "C50.0", "U", "U,D", "X20,V1", "L45,T2", "K1,H2"];
    let decisions = Decision::ALL;
    (0..lists.len(), 0..decisions.len() + 12, 0..12u8).prop_map(move |(list, decision, odd)| {
        let mut view = view("L1");
        view.reasons = reasons(lists[list]);
        view.decision = *decisions.get(decision).unwrap_or(&Decision::BlockRegression);
        view.is_bot = odd == 0;
        if odd == 1 {
            view.hard_floors.push("security:1.0<60.0".to_string());
        }
        view
    })
}

fn gaming(rule: &str) -> Gaming {
    let word = Escalation::GamingDetected;
    Gaming { rules: vec![rule.to_string()], word, detail: String::new(), at_once: false }
}

fn any_observation() -> impl Strategy<Value = Observation> {
    let tokens = prop_oneof![0..90_000u64, Just(u64::MAX)];
    let result = prop_oneof![
        6 => Just(FixResult::Changed),
        2 => Just(FixResult::NoChange),
        1 => Just(FixResult::Gamed(gaming("AG08"))),
        1 => Just(FixResult::Stop(Escalation::CannotFix, String::new())),
    ];
    prop_oneof![
        6 => any_view().prop_map(Observation::Evidence),
        4 => (tokens, result).prop_map(|(tokens, result)| {
            Observation::Fixed(Fix { tokens, result })
        }),
        1 => Just(Observation::Gamed(gaming("AG04"))),
        2 => Just(Observation::RolledBack),
        1 => Just(Observation::RollBackRefused("x".to_string())),
        1 => Just(Observation::Barred(Escalation::MeasureFailed, String::new())),
    ]
}

fn any_totals() -> impl Strategy<Value = Totals> {
    let last = prop_oneof![Just(None), Just(Some("L3")), Just(Some(""))];
    let tokens_total = prop_oneof![0..9u64, Just(u64::MAX)];
    let total = prop_oneof![9 => 0..12u32, 1 => Just(u32::MAX)];
    (total, tokens_total, last, 0..2u32).prop_map(|(total, tokens_total, last, reverts)| Totals {
        iterations: 0,
        tokens: 0,
        iter_count_total: total,
        tokens_total,
        last_reasons_set: last.map(super::script::texts),
        reverts,
        ..Totals::default()
    })
}

fn any_limits() -> impl Strategy<Value = Limits> {
    (0..7u32, 0..300_000u64, 0..12u32).prop_map(|(max_iter, token_budget, max_cumulative_iter)| {
        Limits { max_iter, token_budget, max_cumulative_iter }
    })
}

/// What must hold between one state and the next.
fn hold(before: &Machine, after: &Machine, told: &Observation) {
    let (old, new) = (before.totals(), after.totals());
    assert!(new.iterations >= old.iterations && new.reverts >= old.reverts);
    assert!(new.tokens >= old.tokens && new.tokens_total >= old.tokens_total);
    assert!(new.iter_count_total >= old.iter_count_total);
    match (before.next(), told) {
        (Step::Dispatch(dispatch), Observation::Fixed(fix)) => {
            assert_eq!(new.iterations, old.iterations + 1);
            assert_eq!(dispatch.iteration, new.iterations);
            assert_eq!(new.tokens, old.tokens.saturating_add(fix.tokens));
            assert_eq!(new.tokens_total, old.tokens_total.saturating_add(fix.tokens));
        }
        (Step::RollBack, Observation::RolledBack) => {
            // what only silenced a check is no revert
            assert!(new.reverts == old.reverts + 1 || new.fired.contains("AG04"));
            assert_eq!(new.last_reasons_set, old.last_reasons_set);
        }
        (Step::End(end), _) => assert_eq!(after.next(), Step::End(end), "an end is the end"),
        _ => assert_eq!(
            (new.iterations, new.tokens, new.reverts),
            (old.iterations, old.tokens, old.reverts)
        ),
    }
}

/// What must hold of a step that is about to be taken.
fn allowed(machine: &Machine, capped: bool) {
    let (totals, limits) = (machine.totals(), machine.limits());
    assert_eq!(machine.next(), machine.next());
    match machine.next() {
        Step::Dispatch(dispatch) => {
            assert!(totals.iterations < limits.max_iter && totals.tokens < limits.token_budget);
            assert!(!capped || totals.iter_count_total < limits.max_cumulative_iter);
            let view = machine.view().expect("the evidence is known");
            assert!(view.decision == Decision::BlockRegression && !view.is_bot);
            assert!(view.hard_floors.is_empty() && view.reasons.contains(&dispatch.reason));
            assert_ne!(dispatch.kind, Kind::Unknown);
        }
        Step::End(end) => {
            assert_eq!(end.status == Status::Escalated, end.escalation.is_some());
        }
        Step::Measure | Step::RollBack => {}
    }
}

/// An observation that fits the step, from the next of those in store.
fn fitting(
    machine: &Machine,
    step: &Step,
    mut stream: impl Iterator<Item = Observation>,
) -> Option<Observation> {
    let fits = |o: &Observation| match step {
        // only of a dispatch it can be said that it silenced a check
        Step::Measure if matches!(o, Observation::Gamed(_)) => machine.view().is_some(),
        Step::Measure => matches!(o, Observation::Evidence(_) | Observation::Barred(..)),
        Step::Dispatch(_) => matches!(o, Observation::Fixed(_) | Observation::Barred(..)),
        Step::RollBack => matches!(o, Observation::RolledBack | Observation::RollBackRefused(_)),
        Step::End(_) => false,
    };
    stream.find(fits)
}

proptest! {
    #[test]
    fn any_observation_in_any_phase_keeps_the_rules(
        told in prop::collection::vec(any_observation(), 0..60),
        (totals, limits, policy) in (any_totals(), any_limits(), 0..POLICIES.len()),
        kinds in prop::sample::subsequence(Kind::ALL.to_vec(), 0..=Kind::ALL.len()),
    ) {
        let mut machine = Machine::new(*POLICIES[policy], limits, totals, &kinds);
        let capped = POLICIES[policy].max_cumulative_iter.is_some();
        for observation in told {
            allowed(&machine, capped);
            let before = machine.clone();
            machine.observe(observation.clone());
            hold(&before, &machine, &observation);
        }
        allowed(&machine, capped);
    }

    #[test]
    fn every_run_ends_within_its_limits(
        told in prop::collection::vec(any_observation(), 1..40),
        (totals, limits, policy) in (any_totals(), any_limits(), 0..POLICIES.len()),
    ) {
        let kinds: Vec<Kind> = Kind::for_fixers().collect();
        let mut machine = Machine::new(*POLICIES[policy], limits, totals, &kinds);
        let mut stream = told.iter().cloned().cycle().take(2_000);
        // a first look, and at most dispatch, measuring and going back for each iteration
        let most = 1 + 3 * limits.max_iter;
        for steps in 0.. {
            let step = machine.next();
            if matches!(step, Step::End(_)) {
                break;
            }
            prop_assert!(steps < most, "{} steps and no end", steps);
            let Some(observation) = fitting(&machine, &step, &mut stream) else { return Ok(()) };
            machine.observe(observation);
        }
        prop_assert!(machine.totals().iterations <= limits.max_iter);
        prop_assert!(machine.totals().reverts <= 2);
    }
}
