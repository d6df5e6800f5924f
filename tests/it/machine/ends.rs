//! What ends a run before or between dispatches, and what is dispatched first.

use git_evidence::engine::{CI_HANDOFF, Policy};
use git_evidence::model::Kind;

use super::script::case;

/// S0-1, S0-6.
#[test]
fn what_is_approved_ends_at_once_without_an_iteration() {
    for (why, script) in [("approved", "ok"), ("for a reviewer", "handoff")] {
        let (totals, detail) = case(why, script, "M", "AUTO_APPROVE").check();
        assert_eq!((totals.iterations, totals.iter_count_total), (0, 0), "{why}");
        assert_eq!(detail, "the sentence of the record", "{why}");
    }
    case("even where nothing may be dispatched", "ok", "M", "AUTO_APPROVE").limits(0, 0, 0).check();
    case("even where it is said to go in circles", "ok", "M", "AUTO_APPROVE")
        .behind(10, 1, Some("L3"))
        .check();
}

#[test]
fn a_bots_approved_change_is_approved() {
    use git_evidence::engine::{Machine, Observation, Step, Totals};
    use git_evidence::model::Status;
    let mut bots = super::script::view("bot:");
    bots.decision = git_evidence::model::Decision::AutoApprove;
    let limits = super::script::LIMITS;
    let mut machine =
        Machine::new(git_evidence::engine::BRANCH_LOOP, limits, Totals::default(), &[]);
    machine.observe(Observation::Evidence(bots));
    let Step::End(end) = machine.next() else { panic!("{:?}", machine.next()) };
    assert_eq!((end.status, end.escalation), (Status::AutoApprove, None));
}

/// S0-2, in its order: floor before bot before degraded before unknown.
#[test]
fn what_only_a_person_can_judge_is_never_dispatched() {
    for (why, script, end) in [
        ("decision", "floor", "hard_floor"),
        ("decision and reasons", "floor:L3", "hard_floor"),
        ("breaches of a record that says BLOCK_REGRESSION", "breach:L3", "hard_floor"),
        ("a bot", "bot:L3", "bot"),
        ("a bot with unknown reasons only", "bot:U", "bot"),
        ("not measured", "degraded", "severely_degraded"),
        ("not measured, with a reason", "degraded:L3", "severely_degraded"),
        ("not measured, with an unknown reason", "degraded:U", "severely_degraded"),
        ("only unknown reasons", "U,U1", "unknown_block_reason"),
        ("by scores alone", "scores", "unknown_block_reason"),
    ] {
        let (totals, _) = case(why, script, "M", end).check();
        assert_eq!(totals, git_evidence::engine::Totals::default(), "{why}: nothing is counted");
    }
}

#[test]
fn the_first_that_holds_names_the_end() {
    use git_evidence::engine::{BRANCH_LOOP, Machine, Observation, Step, Totals};
    use git_evidence::model::Decision;
    let mut view = super::script::view("floor:U");
    view.is_bot = true;
    view.decision = Decision::SeverelyDegraded;
    let end = |view: &git_evidence::engine::View| {
        let mut machine =
            Machine::new(BRANCH_LOOP, super::script::LIMITS, Totals::default(), &[Kind::Lint]);
        machine.observe(Observation::Evidence(view.clone()));
        let Step::End(end) = machine.next() else { panic!("{:?}", machine.next()) };
        (end.escalation.unwrap().word(), end.detail)
    };
    assert_eq!(end(&view), ("hard_floor", "security:40.0<60.0".to_string()));
    view.hard_floors.clear();
    assert_eq!(end(&view).0, "bot");
    view.is_bot = false;
    assert_eq!(end(&view), ("severely_degraded", "the sentence of the record".to_string()));
    view.decision = Decision::BlockRegression;
    assert_eq!(end(&view), ("unknown_block_reason", "odd".to_string()));
}

#[test]
fn ends_name_what_a_person_has_to_look_at() {
    let (_, detail) = case("dimensions", "scores", "M", "unknown_block_reason").check();
    assert_eq!(detail, "blocked by scores alone: quality");
    let (_, detail) = case("texts", "U1,U", "M", "unknown_block_reason").check();
    assert_eq!(detail, "odd, odd1");
    let (_, detail) = case("floor", "floor", "M", "hard_floor").check();
    assert_eq!(detail, "security:40.0<60.0");
    let (_, detail) = case("kind", "X20,C50.0", "M", "no_fixer").fixers(&[Kind::Lint]).check();
    assert_eq!(detail, "coverage");
}

/// S0-5.
#[test]
fn the_lowest_priority_number_that_has_a_fixer_goes_first() {
    let all = "U,D,V1,X20,C50.0,E6.0,P1.0,T1,L3,K1";
    for (script, kind) in [
        (all, "ci"),
        ("U,D,V1,X20,C50.0,E6.0,P1.0,T1,L3", "lint"),
        ("U,D,V1,X20,C50.0,E6.0,P1.0,T1", "tests"),
        ("U,D,V1,X20,C50.0", "coverage"),
        ("U,D,V1,X20", "dependencies"),
        ("U,D,X20,V1", "complexity"),
        ("U,D", "drift"),
        ("U,D_", "drift"),
        ("H2,L3", "ci"),
    ] {
        let script = format!("{script} !cannot_fix");
        case("order", &script, &format!("M {kind}"), "cannot_fix").check();
    }
    case("passed over", "L3,C50.0,U !cannot_fix", "M coverage", "cannot_fix")
        .fixers(&[Kind::Coverage])
        .check();
    case("one at a time", "L3,C50.0 +1 C50.0 +1 ok", "M lint M coverage M", "AUTO_APPROVE").check();
    case("no fixer at all", "L3,U", "M", "no_fixer").fixers(&[]).check();
    case("none for what is left", "L3,C50.0 +1 C50.0", "M lint M", "no_fixer")
        .fixers(&[Kind::Lint])
        .check();
    case("unknown is left", "L3,U +1 U", "M lint M", "unknown_block_reason").check();
}

#[test]
fn a_fixers_word_and_the_loops_guards_end_it() {
    for word in [
        "cannot_fix",
        "false_positive",
        "protected_path",
        "fixer_failed",
        "gaming_detected",
        "scope_breach",
        "target_vanished",
    ] {
        let (totals, detail) = case(word, &format!("L3 !{word}"), "M lint", word).check();
        assert_eq!((totals.iterations, totals.iter_count_total, totals.tokens), (1, 1, 1));
        assert_eq!(totals.last_reasons_set, None, "{word}: neither kept nor without change");
        assert_eq!(detail, "said so");
    }
}

#[test]
fn what_cannot_be_begun_or_measured_ends_under_its_word() {
    for word in ["no_evidence", "measure_failed", "dirty_tree", "not_ahead", "detached_head"] {
        case("at the start", &format!("?{word}"), "M", word).check();
    }
    let (totals, _) =
        case("after a fix", "L3 +7 ?measure_failed", "M lint M", "measure_failed").check();
    assert_eq!((totals.iterations, totals.tokens, totals.reverts), (1, 7, 0));
    let (totals, _) = case("at a dispatch", "L3 ?dirty_tree", "M lint", "dirty_tree").check();
    assert_eq!(totals, git_evidence::engine::Totals::default(), "not begun is not counted");
    let (totals, detail) =
        case("the decider stops it", "L3 +7 L2 ?decider", "M lint M lint", "decider").check();
    assert_eq!((totals.iterations, totals.tokens, detail.as_str()), (1, 7, "said so"));
    case("degraded after a fix", "L3 +1 degraded:L3,C1.0", "M lint M", "severely_degraded").check();
    case("a floor after a fix", "L3 +1 floor:L2", "M lint M", "hard_floor").check();
    case("a floor and no reason", "L3 +1 floor", "M lint M", "hard_floor").check();
    case("by scores after a fix", "L3 +1 scores", "M lint M", "unknown_block_reason").check();
}

#[test]
fn the_guards_of_a_mode_are_those_of_its_policy() {
    let ci = case("no oscillation guard", "L3 =1 =1 =1", "M lint lint lint", "MAX_ITER_EXCEEDED");
    let (totals, _) = ci.policy(CI_HANDOFF).limits(3, 200_000, 0).check();
    assert_eq!(totals.iterations, 3, "and no limit over the branch's life");
    let (totals, _) =
        case("the first worsening ends it", "L3 +1 L4 <", "M lint M B", "worsening_detected")
            .policy(CI_HANDOFF)
            .check();
    assert_eq!(totals.reverts, 1);
    let guarded = Policy { oscillation_guard: true, ..CI_HANDOFF };
    case("the same with it", "L3 =1", "M lint", "oscillation_detected")
        .policy(guarded)
        .limits(3, 200_000, 0)
        .check();
}
