//! Iterations, tokens and the branch's life (S0-3, S0-4), and going in circles (S0-7).

use super::script::{case, texts};

const FIVE: &str = "L9 +1 L8 +1 L7 +1 L6 +1 L5 +1";
const FIVE_STEPS: &str = "M lint M lint M lint M lint M lint M";

#[test]
fn a_run_has_five_dispatches_and_the_last_may_succeed() {
    let blocked = format!("{FIVE} L4");
    let (totals, _) = case("used up", &blocked, FIVE_STEPS, "MAX_ITER_EXCEEDED").check();
    assert_eq!((totals.iterations, totals.iter_count_total, totals.tokens), (5, 5, 5));
    // unlike the seed, which asks for the limit first
    let good = format!("{FIVE} ok");
    let (totals, _) = case("the last one mends it", &good, FIVE_STEPS, "AUTO_APPROVE").check();
    assert_eq!(totals.iterations, 5);
    case("for a reviewer", &format!("{FIVE} handoff"), FIVE_STEPS, "AUTO_APPROVE").check();
    let worse = format!("{FIVE} L40 <");
    let (totals, _) =
        case("the last is taken back", &worse, &format!("{FIVE_STEPS} B"), "MAX_ITER_EXCEEDED")
            .check();
    assert_eq!((totals.iterations, totals.reverts), (5, 1));
}

#[test]
fn tokens_are_looked_at_before_a_dispatch_and_nothing_is_held_back() {
    let at = |script: &str, trace: &str, end| case("tokens", script, trace, end).limits(5, 100, 10);
    at("L9 +100 L8", "M lint M", "TOKEN_BUDGET_EXCEEDED").check();
    at("L9 +99 L8 +500 L7", "M lint M lint M", "TOKEN_BUDGET_EXCEEDED").check();
    at("L9 +100 ok", "M lint M", "AUTO_APPROVE").check();
    let (totals, _) =
        at("L9 +40 L8 +40 L7 +40 ok", "M lint M lint M lint M", "AUTO_APPROVE").check();
    assert_eq!((totals.tokens, totals.tokens_total), (120, 120), "added one by one");
    at("L9 =100", "M lint", "TOKEN_BUDGET_EXCEEDED").check();
    at("L9 +100 L90 <", "M lint M B", "TOKEN_BUDGET_EXCEEDED").check();
}

#[test]
fn limits_of_zero_dispatch_nothing() {
    for (limits, end) in [
        ((0, 0, 0), "MAX_ITER_EXCEEDED"),
        ((1, 0, 0), "TOKEN_BUDGET_EXCEEDED"),
        ((1, 1, 0), "cumulative_iter_exceeded"),
    ] {
        let (totals, _) = case("zero", "L3", "M", end).limits(limits.0, limits.1, limits.2).check();
        assert_eq!(totals.iterations, 0);
    }
}

/// Iterations → tokens → cumulative → S0-2 → S0-7.
#[test]
fn the_looks_before_a_dispatch_have_an_order() {
    for (limits, script, last, end) in [
        ((0, 0, 5), "floor:L3", None, "MAX_ITER_EXCEEDED"),
        ((1, 0, 5), "floor:L3", None, "TOKEN_BUDGET_EXCEEDED"),
        ((1, 1, 5), "floor:L3", None, "cumulative_iter_exceeded"),
        ((1, 1, 6), "floor:L3", Some("L3"), "hard_floor"),
        ((1, 1, 6), "bot:L3", Some("L3"), "bot"),
        ((1, 1, 6), "degraded:L3", Some("L3"), "severely_degraded"),
        ((1, 1, 6), "U", Some("U"), "unknown_block_reason"),
        ((1, 1, 6), "L3", Some("L3"), "oscillation_detected"),
    ] {
        case("order", script, "M", end)
            .limits(limits.0, limits.1, limits.2)
            .behind(5, 0, last)
            .check();
    }
    let circle = case("circles before no_fixer", "L3", "M", "oscillation_detected");
    circle.behind(1, 0, Some("L3")).fixers(&[]).check();
}

#[test]
fn ten_dispatches_are_all_that_a_branch_gets_over_any_number_of_runs() {
    let first = format!("{FIVE} L4");
    let (mut totals, _) = case("first run", &first, FIVE_STEPS, "MAX_ITER_EXCEEDED").check();
    // the next run counts its own from nothing and goes on with the branch's
    (totals.iterations, totals.tokens) = (0, 0);
    let mut second = case(
        "second run",
        "L4 +1 L3 +1 X20 +1 X19 +1 X18 +1 X17",
        "M lint M lint M complexity M complexity M complexity M",
        "MAX_ITER_EXCEEDED",
    );
    second.totals = totals;
    let (mut totals, _) = second.check();
    assert_eq!((totals.iter_count_total, totals.tokens_total), (10, 10));
    (totals.iterations, totals.tokens) = (0, 0);
    let mut third = case("third run", "X17", "M", "cumulative_iter_exceeded");
    third.totals = totals.clone();
    third.check();
    let mut good = case("an approved tip is approved", "ok", "M", "AUTO_APPROVE");
    good.totals = totals;
    good.check();
    case("within one run", "L3 +1 L2", "M lint M", "cumulative_iter_exceeded")
        .behind(9, 0, None)
        .check();
    case("the last of the branch may succeed", "L3 +1 ok", "M lint M", "AUTO_APPROVE")
        .behind(9, 0, None)
        .check();
}

/// S0-7.
#[test]
fn the_reasons_from_before_the_last_kept_iteration_end_it() {
    let end = "oscillation_detected";
    let (totals, detail) = case("nothing changed", "L3 =4", "M lint", end).check();
    assert_eq!(totals.last_reasons_set, Some(texts("L3")));
    assert_eq!(detail, "lint_errors:3>0");
    case("commits, and the same reasons", "L3,C50.0 +1 L3,C50.0", "M lint M", end).check();
    case("another order is the same set", "C50.0,L3 +1 L3,C50.0", "M lint M", end).check();
    case("there and back", "L3 +1 C50.0 +1 L3", "M lint M coverage M", "MAX_ITER_EXCEEDED")
        .limits(2, 9, 9)
        .check();
    case("across runs", "L3", "M", end).behind(1, 0, Some("L3")).check();
    case("across runs, other figures", "L2 +1 ok", "M lint M", "AUTO_APPROVE")
        .behind(1, 0, Some("L3"))
        .check();
    let (totals, _) =
        case("kept, then persisted", "L3 +1 L2 !cannot_fix", "M lint M lint", "cannot_fix").check();
    assert_eq!(totals.last_reasons_set, Some(texts("L3")));
}

/// The seed's pseudo-code step by step, with what is done otherwise on purpose.
#[test]
fn the_seeds_loop_is_walked_through() {
    // 0 the cap over the branch's life comes before the reasons are looked at …
    case("0", "L3", "M", "cumulative_iter_exceeded").behind(10, 0, None).check();
    // … but (deliberately) not before success
    case("0, deliberate", "ok", "M", "AUTO_APPROVE").behind(10, 0, None).check();
    // 1, 2 evidence and skip conditions
    case("2", "floor", "M", "hard_floor").check();
    case("2", "bot:L3", "M", "bot").check();
    case("2", "degraded", "M", "severely_degraded").check();
    // 3 no actions: success; (deliberately) only where the decision approves, too
    case("3", "ok", "M", "AUTO_APPROVE").check();
    case("3, deliberate", "scores", "M", "unknown_block_reason").check();
    // 4 unknown first; (deliberately) the table of five kinds is complete
    case("4", "U", "M", "unknown_block_reason").check();
    case("4", "U,X20 +1 ok", "M complexity M", "AUTO_APPROVE").check();
    // 5 the same set twice
    case("5", "L3", "M", "oscillation_detected").behind(1, 0, Some("L3")).check();
    // 6, 7, 8 highest priority first, new HEAD, measured again
    case("6", "C50.0,L3 +1 C50.0 +1 ok", "M lint M coverage M", "AUTO_APPROVE").check();
    // 8b keep or roll back; a rollback leaves last_reasons_set alone, so the guard does not fire
    let twice = "L3 +1 L3,C50.0 < +1 L3,C50.0 <";
    case("8b", twice, "M lint M B lint M B", "worsening_detected").check();
    // 9 each iteration's tokens once, saved every time, a rolled-back one counted too
    let (totals, _) = case("9", "L3 +5 L4 < +7 ok", "M lint M B lint M", "AUTO_APPROVE").check();
    assert_eq!((totals.iterations, totals.tokens, totals.reverts), (2, 12, 1));
    // the while condition: iterations first, then tokens; the limit reported is the first
    case("end", "L3 +100 L2", "M lint M", "MAX_ITER_EXCEEDED").limits(1, 100, 10).check();
    case("end", "L3 +100 L2", "M lint M", "TOKEN_BUDGET_EXCEEDED").limits(2, 100, 10).check();
}
