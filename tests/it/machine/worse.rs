//! Keep or roll back (S0-9).

use super::script::{case, texts};

#[test]
fn what_makes_things_worse_is_taken_back_and_may_be_tried_again() {
    for (why, before, after) in [
        ("one more reason", "L3", "L3,C50.0"),
        ("a worse figure", "L3", "L45"),
        ("a worse figure and one more reason", "L3", "L4,U"),
        ("coverage fell", "C50.0", "C49.9"),
        ("the drop grew", "E6.0", "E7.5"),
        ("an unknown reason came", "L3", "L3,U"),
        ("a floor broke and the reasons are worse", "L3", "floor:L4"),
    ] {
        let kind = match &before[..1] {
            "L" => "lint",
            _ => "coverage",
        };
        let script = format!("{before} +1 {after} < +2 ok");
        let trace = format!("M {kind} M B {kind} M");
        let (totals, _) = case(why, &script, &trace, "AUTO_APPROVE").check();
        assert_eq!((totals.iterations, totals.tokens, totals.reverts), (2, 3, 1), "{why}");
    }
}

#[test]
fn what_helps_in_one_place_is_kept() {
    for (why, before, after) in [
        ("a better figure", "L3", "L2"),
        ("one gone, one new", "L3", "C50.0"),
        ("a better figure buys a new reason", "L3", "L2,C50.0"),
        ("one gone, one worse", "L3,C50.0", "C40.0"),
        ("a better coverage", "C50.0", "C50.1"),
    ] {
        let kind = if before.starts_with('L') { "lint" } else { "coverage" };
        let script = format!("{before} +1 {after} !cannot_fix");
        let next = if after.starts_with('L') { "lint" } else { "coverage" };
        let trace = format!("M {kind} M {next}");
        let (totals, _) = case(why, &script, &trace, "cannot_fix").check();
        assert_eq!(totals.reverts, 0, "{why}");
        assert_eq!(totals.last_reasons_set, Some(texts(before)), "{why}");
    }
}

#[test]
fn a_rolled_back_iteration_does_not_set_the_reasons() {
    let (totals, _) =
        case("no set", "L3 +1 L4 < !cannot_fix", "M lint M B lint", "cannot_fix").check();
    assert_eq!(totals.last_reasons_set, None);
    let kept = "L3 +1 L2 +1 L9 < !cannot_fix";
    let (totals, _) = case("the earlier set", kept, "M lint M lint M B lint", "cannot_fix").check();
    assert_eq!(totals.last_reasons_set, Some(texts("L3")));
}

#[test]
fn the_second_worsening_of_a_branch_ends_it() {
    let end = "worsening_detected";
    let (totals, _) = case("in a row", "L3 +1 L4 < +1 L5 <", "M lint M B lint M B", end).check();
    assert_eq!((totals.reverts, totals.iterations), (2, 2));
    let apart = "L3 +1 L4 < +1 L2 +1 L3 <";
    case("with a kept one between", apart, "M lint M B lint M lint M B", end).check();
    let (totals, _) =
        case("one from an earlier run", "L3 +1 L4 <", "M lint M B", end).behind(1, 1, None).check();
    assert_eq!(totals.reverts, 2);
}

#[test]
fn what_cannot_be_taken_back_is_left_alone_and_named() {
    let (totals, detail) =
        case("refused", "L3 +1 L4 refused", "M lint M B", "scope_breach").check();
    assert_eq!(detail, "a ref is in the way");
    assert_eq!((totals.reverts, totals.iterations), (0, 1), "nothing was taken back");
}

/// taken back, told once, not counted as a revert; the same rule again ends the run.
#[test]
fn what_only_silences_the_check_is_taken_back_and_told_once() {
    let (totals, _) =
        case("another way the second time", "L3 ~AG08 +1 ok", "M lint lint M", "AUTO_APPROVE")
            .check();
    assert_eq!((totals.iterations, totals.reverts), (2, 0));
    assert_eq!(totals.last_reasons_set, Some(super::script::texts("L3")));
    let (totals, detail) =
        case("the same rule", "L3 ~AG08 ~AG08", "M lint lint", "gaming_detected").check();
    assert_eq!((totals.iterations, totals.reverts, detail.as_str()), (2, 0, "AG08 fired"));
    case("another rule", "L3 ~AG08 ~AG09 +1 ok", "M lint lint lint M", "AUTO_APPROVE").check();
    case("seen in the reports", "L3 +1 @AG04 < +1 ok", "M lint M B lint M", "AUTO_APPROVE").check();
    let twice = "L3 ~AG04 +1 @AG04 <";
    case("in the change, then in the reports", twice, "M lint lint M B", "gaming_detected").check();
    case("it cannot be taken back", "L3 +1 @AG04 refused", "M lint M B", "scope_breach").check();
    case("a person decides", "L3 +1 @person <", "M lint M B", "gaming_detected").check();
    let last = "L3 ~AG01 ~AG02 ~AG03 ~AG04 ~AG05";
    let steps = "M lint lint lint lint lint";
    case("each counts as an iteration", last, steps, "MAX_ITER_EXCEEDED").check();
}
