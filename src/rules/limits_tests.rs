//! Each limit just under, at and just over, with the line held and without.

use crate::model::{Decimal, DiffMap, Level, Severity};
use crate::rules::evidence::Evidence;
use crate::rules::judge::{Base, judge};
use crate::rules::samples::{
    advisories, complexity, coverage, covered, edited, error, errors, failing, function, imports,
    in_file, lines, lint, moved, of_level, saying, totals,
};
use crate::rules::thresholds::{CiLevel, Thresholds};

/// The reasons, joined.
fn reasons(head: &Evidence, base: Option<&Evidence>, diff: &DiffMap, t: &Thresholds) -> String {
    let base = base.map_or(Base::Synthetic, Base::Measured);
    let reasons = judge(head, base, diff, t).reasons;
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Against a base that does not differ, with the line held.
fn held(head: &Evidence, base: &Evidence) -> String {
    reasons(head, Some(base), &DiffMap::default(), &Thresholds::default())
}

/// The same without holding the line.
fn strict(head: &Evidence, base: &Evidence) -> String {
    let limits = Thresholds { hold_the_line: false, ..Thresholds::default() };
    reasons(head, Some(base), &DiffMap::default(), &limits)
}

/// Without any base.
fn alone(head: &Evidence, limits: &Thresholds) -> String {
    reasons(head, None, &DiffMap::default(), limits)
}

fn at_least(percent: i64) -> Thresholds {
    Thresholds { min_coverage: Decimal::whole(percent), ..Thresholds::default() }
}

#[test]
fn coverage_is_an_exact_ratio_and_printed_so_that_it_stays_on_its_side() {
    for (hit, found, least, expected) in [
        (60, 100, 60, ""),
        (61, 100, 60, ""),
        (59, 100, 60, "coverage_below_threshold:59.0<60.0"),
        (79_996, 100_000, 80, "coverage_below_threshold:79.996<80.0"),
        (80_000, 100_000, 80, ""),
        (2, 3, 67, "coverage_below_threshold:66.7<67.0"),
        (599_999_999, 1_000_000_000, 60, "coverage_below_threshold:59.9999999<60.0"),
        (0, 5, 60, "coverage_below_threshold:0.0<60.0"),
        (0, 0, 60, ""),
        (0, 5, 0, ""),
    ] {
        assert_eq!(alone(&totals(hit, found), &at_least(least)), expected, "{hit}/{found}");
    }
}

#[test]
fn coverage_never_has_to_be_better_than_the_bases() {
    assert_eq!(held(&totals(50, 100), &totals(50, 100)), "");
    assert_eq!(held(&totals(49, 100), &totals(50, 100)), "coverage_below_threshold:49.0<50.0");
    assert_eq!(
        held(&totals(59, 100), &totals(70, 100)).split(' ').next().unwrap(),
        "coverage_below_threshold:59.0<60.0"
    );
    assert_eq!(strict(&totals(50, 100), &totals(50, 100)), "coverage_below_threshold:50.0<60.0");
    assert_eq!(held(&totals(50, 100), &totals(0, 0)), "coverage_below_threshold:50.0<60.0");
}

#[test]
fn the_drop_against_the_base_counts_with_and_without_the_line() {
    for (head, base, expected) in [
        ((85, 100), (90, 100), ""),
        ((84, 100), (90, 100), "coverage_delta:-6.0<-5.0"),
        ((84_996, 100_000), (90, 100), "coverage_delta:-5.004<-5.0"),
        ((95, 100), (90, 100), ""),
        ((70, 100), (0, 0), ""),
    ] {
        let (head, base) = (totals(head.0, head.1), totals(base.0, base.1));
        assert_eq!(held(&head, &base), expected);
        assert_eq!(strict(&head, &base), expected);
    }
    assert_eq!(alone(&totals(60, 100), &Thresholds::default()), "", "no base, no drop");
    let never = Thresholds { max_coverage_drop: Decimal::ZERO, ..Thresholds::default() };
    let (head, base) = (totals(89_999, 100_000), totals(90, 100));
    let got = reasons(&head, Some(&base), &DiffMap::default(), &never);
    assert_eq!(got, "coverage_delta:-0.001<0.0");
}

#[test]
fn lint_counts_errors_against_the_limit_and_what_the_base_had() {
    let five = Thresholds { max_lint_errors: 2, ..Thresholds::default() };
    assert_eq!(alone(&lint(errors(&["A", "B"])), &five), "");
    assert_eq!(alone(&lint(errors(&["A", "B", "C"])), &five), "lint_errors:3>2");
    assert_eq!(
        alone(&lint(vec![of_level(Level::Warning, error("W", 1))]), &Thresholds::default()),
        ""
    );
    for (why, head, base, with, without) in [
        ("the old ones", vec!["A", "B"], vec!["A", "B"], "", "lint_errors:2>0"),
        ("one more", vec!["A", "B", "N"], vec!["A", "B"], "lint_errors:3>2", "lint_errors:3>0"),
        (
            "three equal against two",
            vec!["A"; 3],
            vec!["A"; 2],
            "lint_errors:3>2",
            "lint_errors:3>0",
        ),
        ("two equal against three", vec!["A"; 2], vec!["A"; 3], "", "lint_errors:2>0"),
        (
            "five old ones for five new ones",
            vec!["N1", "N2", "N3", "N4", "N5"],
            vec!["A", "B", "C", "D", "E"],
            "lint_errors:5>0",
            "lint_errors:5>0",
        ),
        (
            "one old for one new",
            vec!["A", "N"],
            vec!["A", "B"],
            "lint_errors:2>1",
            "lint_errors:2>0",
        ),
        ("all mended", vec![], vec!["A"], "", ""),
    ] {
        let (head, base) = (lint(errors(&head)), lint(errors(&base)));
        assert_eq!(held(&head, &base), with, "{why}");
        assert_eq!(strict(&head, &base), without, "{why}");
    }
}

#[test]
fn a_finding_is_known_by_what_it_is_and_not_by_where_it_stands() {
    let base = lint(vec![error("A", 3)]);
    let rename = moved("src/a.rs", Some("src/b.rs"), &[]);
    let none = DiffMap::default();
    for (why, finding, diff, expected) in [
        ("another line", error("A", 900), &none, ""),
        ("the renamed file", in_file("src/b.rs", error("A", 3)), &rename, ""),
        ("a copy is new", in_file("src/b.rs", error("A", 3)), &none, "lint_errors:1>0"),
        ("the old name of a renamed file", error("A", 3), &rename, "lint_errors:1>0"),
        ("another rule", error("B", 3), &none, "lint_errors:1>0"),
        ("another message", saying("A is bad", error("A", 3)), &none, "lint_errors:1>0"),
    ] {
        let got = reasons(&lint(vec![finding]), Some(&base), diff, &Thresholds::default());
        assert_eq!(got, expected, "{why}");
    }
    let old = lint(vec![saying("line 7 is too long (101 > 100)", error("E", 7))]);
    let new = lint(vec![saying("line 19 is too long (1 > 88)", error("E", 19))]);
    assert_eq!(held(&new, &old), "", "other digits");
    let warned = lint(vec![of_level(Level::Warning, error("A", 3))]);
    assert_eq!(held(&base, &warned), "lint_errors:1>0", "a warning that became an error is new");
}

#[test]
fn complexity_goes_by_function() {
    let of = |name: &str, n| complexity(vec![function("src/a.rs", name, n)]);
    let limits = Thresholds::default();
    assert_eq!(alone(&of("f", 15), &limits), "");
    assert_eq!(alone(&of("f", 16), &limits), "complexity_max:16>15");
    assert_eq!(held(&of("f", 20), &of("f", 20)), "");
    assert_eq!(held(&of("f", 21), &of("f", 20)), "complexity_max:21>20");
    assert_eq!(held(&of("g", 16), &of("f", 99)), "complexity_max:16>15", "a new function");
    assert_eq!(strict(&of("f", 20), &of("f", 20)), "complexity_max:20>15");
    let moved_file = complexity(vec![function("src/b.rs", "f", 20)]);
    let rename = moved("src/a.rs", Some("src/b.rs"), &[]);
    assert_eq!(reasons(&moved_file, Some(&of("f", 20)), &rename, &limits), "");
    let two = complexity(vec![function("src/a.rs", "f", 30), function("src/a.rs", "g", 18)]);
    assert_eq!(held(&two, &of("f", 30)), "complexity_max:18>15", "the worst that is not old");
    let overloads = complexity(vec![function("src/a.rs", "f", 20), function("src/a.rs", "f", 4)]);
    assert_eq!(held(&overloads, &overloads), "", "of one name the larger was there");
}

#[test]
fn problems_of_the_forge_count_by_level() {
    let ci = |critical, high| Evidence { ci: Some((critical, high)), ..Evidence::default() };
    let at = |ci_level| Thresholds { ci_level, ..Thresholds::default() };
    for (level, critical, high, expected) in [
        (CiLevel::Critical, 0, 3, ""),
        (CiLevel::Critical, 1, 3, "ci_critical:1>0"),
        (CiLevel::High, 0, 0, ""),
        (CiLevel::High, 0, 2, "ci_high:critical=0,high=2"),
        (CiLevel::High, 1, 2, "ci_critical:1>0"),
        (CiLevel::Off, 9, 9, ""),
    ] {
        assert_eq!(alone(&ci(critical, high), &at(level)), expected);
    }
    assert_eq!(held(&ci(2, 0), &ci(2, 0)), "");
    assert_eq!(held(&ci(3, 0), &ci(2, 0)), "ci_critical:3>2");
    assert_eq!(strict(&ci(2, 0), &ci(2, 0)), "ci_critical:2>0");
}

#[test]
fn tests_that_fail_at_the_base_too_are_old() {
    let one = Thresholds { max_test_failures: 1, ..Thresholds::default() };
    assert_eq!(alone(&failing(&[]), &Thresholds::default()), "");
    assert_eq!(alone(&failing(&["a"]), &Thresholds::default()), "test_failures:1>0");
    assert_eq!(alone(&failing(&["a"]), &one), "");
    assert_eq!(alone(&failing(&["a", "b"]), &one), "test_failures:2>1");
    assert_eq!(held(&failing(&["a"]), &failing(&["a"])), "");
    assert_eq!(held(&failing(&["a", "n"]), &failing(&["a", "b"])), "test_failures:2>1");
    assert_eq!(held(&failing(&["n"]), &failing(&["a"])), "test_failures:1>0");
    assert_eq!(strict(&failing(&["a"]), &failing(&["a"])), "test_failures:1>0");
}

#[test]
fn vulnerabilities_go_by_advisory() {
    use Severity::{Critical, High, Low, Medium, Unknown};
    for (why, head, expected) in [
        ("less", vec![("a", Medium), ("b", Low), ("c", Unknown)], ""),
        ("high", vec![("a", High)], "vulnerabilities:critical=0,high=1"),
        ("both", vec![("a", Critical), ("b", High)], "vulnerabilities:critical=1,high=1"),
    ] {
        assert_eq!(alone(&advisories(&head), &Thresholds::default()), expected, "{why}");
    }
    let some = Thresholds { max_vulnerabilities: (0, 1), ..Thresholds::default() };
    assert_eq!(alone(&advisories(&[("a", High)]), &some), "");
    assert_eq!(
        alone(&advisories(&[("a", High), ("b", High)]), &some),
        "vulnerabilities:critical=0,high=2"
    );
    let old = advisories(&[("a", Critical)]);
    assert_eq!(held(&old, &old), "");
    assert_eq!(strict(&old, &old), "vulnerabilities:critical=1,high=0");
    let swapped = advisories(&[("n", Critical)]);
    assert_eq!(held(&swapped, &old), "vulnerabilities:critical=1,high=0");
}

#[test]
fn the_changed_lines_have_a_limit_of_their_own() {
    let limits = |percent, min_lines| Thresholds {
        min_patch_coverage: Decimal::whole(percent),
        patch_coverage_min_lines: min_lines,
        ..at_least(0)
    };
    // lines 1–8 run, 9–20 do not; lines 1–10 are new
    let (head, ten) = (covered(8, 20), edited(&[(0, 0, 1, 10)]));
    for (percent, min_lines, expected) in [
        (80, 10, ""),
        (81, 10, "patch_coverage:80.0<81.0"),
        (81, 11, ""),
        (0, 0, ""),
        (100, 1, "patch_coverage:80.0<100.0"),
    ] {
        assert_eq!(reasons(&head, None, &ten, &limits(percent, min_lines)), expected);
    }
    let elsewhere = coverage(vec![lines("src/z.rs", 0, 20)]);
    assert_eq!(reasons(&elsewhere, None, &ten, &limits(100, 0)), "", "no changed line is code");
}

#[test]
fn all_reasons_at_once_stand_in_the_order_of_the_contract() {
    let head = Evidence {
        coverage: totals(50, 100).coverage,
        complexity: complexity(vec![function("src/a.rs", "f", 16)]).complexity,
        ci: Some((1, 0)),
        tests: failing(&["a"]).tests,
        dependencies: advisories(&[("a", Severity::High)]).dependencies,
        drift: imports(0, 1),
        ..lint(errors(&["A"]))
    };
    let all = "coverage_below_threshold:50.0<60.0 coverage_delta:-40.0<-5.0 lint_errors:1>0 \
               complexity_max:16>15 ci_critical:1>0 test_failures:1>0 \
               vulnerabilities:critical=0,high=1 drift_severity:high";
    assert_eq!(strict(&head, &totals(90, 100)), all);
    let judgement = judge(&head, Base::Synthetic, &DiffMap::default(), &Thresholds::default());
    assert_eq!(judgement.reasons.len(), judgement.shortfalls.len());
    assert!(judgement.shortfalls[0].contains("10 more lines of the 50 uncovered"));
    assert_eq!(judgement.shortfalls[1], "A at src/a.rs:1");
}
