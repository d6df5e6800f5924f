//! Decisions: their order, budgets, floors, and what a base that is not there means.

use super::*;
use crate::model::{Decision as D, Figures, Finding, LintFigures, Severity as Grave};
use crate::rules::baseline::State;
use crate::rules::evidence::{Bucket, CheckResult};
use crate::rules::samples::{
    advisories, beside_the_plan, covered, error, errors, failing, imports, in_file, lint, planned,
    totals,
};

fn against(head: &Evidence, base: &Evidence, limits: &Thresholds) -> Judgement {
    judge(head, Base::Measured(base), &DiffMap::default(), limits)
}

fn alone(head: &Evidence) -> Judgement {
    judge(head, Base::Synthetic, &DiffMap::default(), &Thresholds::default())
}

/// So many lint errors that no limit is in the way of the budgets.
fn lenient() -> Thresholds {
    Thresholds { max_lint_errors: 99, max_vulnerabilities: (9, 9), ..Thresholds::default() }
}

#[test]
fn the_first_that_holds_decides() {
    let base = lint(vec![]);
    let mut head = lint(errors(&["A"]));
    head.dependencies = advisories(&[("a", Grave::Critical), ("b", Grave::Critical)]).dependencies;
    head.missing.push(("tests".to_string(), "it did not end within 10m".to_string()));
    let limits = Thresholds::default();
    let got = against(&head, &base, &limits);
    assert_eq!(got.decision, D::SeverelyDegraded);
    assert_eq!(got.sentence, "not measured: tests: it did not end within 10m");
    assert!(!got.breaches.is_empty() && !got.reasons.is_empty(), "all the same they are named");
    head.missing.clear();
    let got = against(&head, &base, &limits);
    assert_eq!(
        (got.decision, got.breaches),
        (D::BlockHardFloor, vec!["security:40.0<60.0".into()])
    );
    head.dependencies = None;
    let got = against(&head, &base, &limits);
    assert_eq!((got.decision, got.sentence.as_str()), (D::BlockRegression, "1 limit is broken"));
    let got = against(&lint(errors(&["A", "B"])), &base, &lenient());
    assert_eq!((got.decision, got.reasons.len()), (D::BlockRegression, 0));
    assert_eq!(got.sentence, "scores fell too far: quality");
    let got = against(&lint(errors(&["A"])), &base, &lenient());
    assert_eq!(got.decision, D::ReviewerHandoff);
    assert_eq!(against(&base, &base, &limits).decision, D::AutoApprove);
}

#[test]
fn a_delta_at_the_budget_does_not_break_it() {
    let dead = |n| Evidence { dead_code: Some(vec![error("D", 1); n]), ..lint(vec![]) };
    for (why, head, base, decision) in [
        ("quality −5, hard −5", lint(errors(&["A"])), lint(vec![]), D::ReviewerHandoff),
        ("quality −10", lint(errors(&["A", "B"])), lint(vec![]), D::BlockRegression),
        ("quality −2, warn −2", dead(1), dead(0), D::AutoApprove),
        ("quality −4", dead(2), dead(0), D::ReviewerHandoff),
        ("coverage −5, hard −5", totals(80, 100), totals(85, 100), D::ReviewerHandoff),
        ("coverage −2, warn −2", totals(83, 100), totals(85, 100), D::AutoApprove),
        ("coverage −2.1", totals(829, 1000), totals(85, 100), D::ReviewerHandoff),
        (
            "security −1, warn 0",
            advisories(&[("a", Grave::Low)]),
            advisories(&[]),
            D::ReviewerHandoff,
        ),
        (
            "security −3, hard −2",
            advisories(&[("a", Grave::Medium)]),
            advisories(&[]),
            D::BlockRegression,
        ),
        ("up", totals(90, 100), totals(85, 100), D::AutoApprove),
    ] {
        assert_eq!(against(&head, &base, &lenient()).decision, decision, "{why}");
    }
    let two = [("a", Grave::Low), ("b", Grave::Low)];
    let got = against(&advisories(&two), &advisories(&[]), &lenient());
    assert_eq!(got.decision, D::ReviewerHandoff, "security −2 is at its hard budget");
}

#[test]
fn dimensions_that_fell_or_rose_are_named() {
    let head = Evidence { coverage: totals(90, 100).coverage, ..lint(errors(&["A", "B"])) };
    let base = Evidence { coverage: totals(80, 100).coverage, ..lint(vec![]) };
    let got = against(&head, &base, &lenient());
    assert_eq!(got.block_dimensions, ["quality"]);
    assert_eq!(got.warn_dimensions, ["quality"]);
    assert_eq!(got.improved_dimensions, ["coverage"]);
    assert_eq!(got.line_delta, Some(10.0));
    let deltas = got.deltas.unwrap();
    assert_eq!((deltas.get("quality"), deltas.get("coverage")), (Some(-10.0), Some(10.0)));
}

#[test]
fn lines_that_lost_their_coverage_cost_half_a_point_each() {
    let got = against(&covered(80, 100), &covered(84, 100), &Thresholds::default());
    assert_eq!(got.lost.len(), 4);
    assert_eq!(got.scores.get("coverage"), Some(78.0));
    assert_eq!(got.deltas.unwrap().get("coverage"), Some(-6.0));
    assert_eq!((got.decision, got.block_dimensions), (D::BlockRegression, vec!["coverage".into()]));
}

#[test]
fn a_floor_that_the_base_misses_too_is_not_broken_by_standing_still() {
    let criticals = |n: usize| {
        let names = ["a", "b", "c", "d"];
        advisories(&names[..n].iter().map(|id| (*id, Grave::Critical)).collect::<Vec<_>>())
    };
    let loose = Thresholds { hold_the_line: false, ..lenient() };
    for (why, head, base, limits, broken) in [
        ("at the floor's good side", 1, 0, lenient(), false),
        ("the same as the base", 2, 2, lenient(), false),
        ("better than the base", 2, 3, lenient(), false),
        ("lower than a base that misses it", 3, 2, lenient(), true),
        ("the base meets it", 2, 1, lenient(), true),
        ("the line is not held", 2, 2, loose, true),
    ] {
        let got = against(&criticals(head), &criticals(base), &limits);
        assert_eq!(!got.breaches.is_empty(), broken, "{why}");
    }
    assert_eq!(alone(&criticals(2)).decision, D::BlockHardFloor, "no base to hold");
    let mut limits = lenient();
    limits.hard_floors.insert("overall", 70.0);
    limits.hard_floors.insert("coverage", 50.0);
    let head = Evidence { coverage: totals(49_999, 100_000).coverage, ..Evidence::default() };
    let got = against(&head, &Evidence::default(), &limits);
    assert_eq!(got.breaches, ["coverage:49.999<50.0", "overall:50.0<70.0"].map(String::from));
    let exact = against(&totals(70, 100), &Evidence::default(), &limits);
    assert_eq!(exact.breaches, Vec::<String>::new(), "at the floor is not below it");
}

#[test]
fn without_a_measured_base_absolute_limits_count() {
    let head = lint(errors(&["A", "B", "C"]));
    let diff = DiffMap::default();
    let limits = Thresholds::default();
    let failed = judge(&head, Base::Failed("pytest: exit code 2"), &diff, &limits);
    assert_eq!(failed.warnings, ["baseline_failed: pytest: exit code 2"]);
    let synthetic = judge(&head, Base::Synthetic, &diff, &limits);
    assert!(synthetic.warnings[0].starts_with("baseline_synthetic"));
    for got in [failed, synthetic] {
        assert_eq!(got.reasons, [BlockReason::LintErrors(3, 0)]);
        assert_eq!((got.base_scores, got.deltas, got.line_delta), (None, None, None));
        assert_eq!((got.lost, got.baseline.states), (vec![], vec![State::New; 3]));
    }
}

fn check(name: &str, required: bool, feeds: Option<Dimension>) -> CheckResult {
    let why = Err("it ended with exit code 127".to_string());
    CheckResult {
        name: name.to_string(),
        bucket: Bucket::Quality,
        required,
        feeds,
        version: None,
        figures: why,
    }
}

fn measured(name: &str, bucket: Bucket, findings: Vec<Finding>) -> CheckResult {
    let lint = LintFigures { findings, ..LintFigures::default() };
    let figures = Ok(Figures { lint: Some(lint), ..Figures::default() });
    CheckResult { figures, bucket, ..check(name, true, None) }
}

#[test]
fn a_required_check_without_figures_is_not_judged_around() {
    let lint = measured("ruff", Bucket::Quality, vec![]);
    let got = alone(&Evidence::gather(&[lint.clone(), check("pytest", true, None)]));
    assert_eq!(got.decision, D::SeverelyDegraded);
    assert_eq!(got.sentence, "not measured: pytest: it ended with exit code 127");
    let got = alone(&Evidence::gather(&[lint, check("pytest", false, None)]));
    assert_eq!(got.decision, D::AutoApprove);
    assert!(
        got.warnings.contains(&"not measured: pytest: it ended with exit code 127".to_string())
    );
}

#[test]
fn fewer_than_two_of_two_planned_dimensions_are_not_enough() {
    let cover = check("cover", false, Some(Dimension::Coverage));
    let lint = measured("ruff", Bucket::Quality, vec![]);
    let got = alone(&Evidence::gather(&[lint.clone(), cover.clone()]));
    assert_eq!(got.decision, D::SeverelyDegraded);
    let why = "only 1 of 2 dimensions could be measured (cover: it ended with exit code 127)";
    assert_eq!(got.sentence, why);
    let audit = measured("audit", Bucket::Security, vec![]);
    let got = alone(&Evidence::gather(&[lint.clone(), audit, cover]));
    assert_eq!(got.decision, D::AutoApprove, "two of three are enough");
    assert_eq!(alone(&Evidence::gather(&[lint])).decision, D::AutoApprove, "one of one");
}

#[test]
fn nothing_measured_is_never_good() {
    assert_eq!(alone(&Evidence::default()).decision, D::SeverelyDegraded);
    let bot = Evidence { is_bot: true, ..Evidence::default() };
    assert_eq!(alone(&bot).decision, D::SeverelyDegraded, "nobody measured the bot's change");
    let half = Evidence { is_bot: true, ..planned(&["quality", "coverage"], lint(vec![])) };
    assert_eq!(alone(&half).decision, D::SeverelyDegraded, "that it is a bot is no figure");
    assert_eq!(alone(&failing(&[])).decision, D::AutoApprove, "tests alone can be judged");
    let empty = planned(&["coverage"], covered(0, 0));
    assert_eq!(alone(&empty).decision, D::SeverelyDegraded, "0 of 0 is no data");
}

#[test]
fn drift_of_severity_high_does_what_is_configured() {
    use crate::rules::thresholds::Severity::{Block, Off, Warn};
    let of = |unplanned, drift| {
        let head = Evidence { drift: beside_the_plan(3, unplanned), ..lint(vec![]) };
        let limits = Thresholds { drift, ..Thresholds::default() };
        let got = against(&head, &lint(vec![]), &limits);
        assert_eq!(got.reasons.len(), got.shortfalls.len());
        (got.decision, got.shortfalls.join(""), got.warnings.join(""))
    };
    let said = "2 of 3 changed files are not in docs/plans/p.md: src/0.rs, src/1.rs".to_string();
    let none = String::new;
    assert_eq!(of(2, Block), (D::BlockRegression, said.clone(), none()));
    assert_eq!(of(2, Warn), (D::AutoApprove, none(), format!("drift_severity:high: {said}")));
    assert_eq!(of(2, Off), (D::AutoApprove, none(), none()));
    assert_eq!(of(1, Block), (D::AutoApprove, none(), none()));
}

#[test]
fn forbidden_imports_are_compared_and_files_beside_the_plan_are_not() {
    let with = |drift| Evidence { drift, ..lint(vec![]) };
    let limits = Thresholds::default();
    let delta = |head, base| {
        let got = against(&with(head), &with(base), &limits);
        (got.decision, got.deltas.unwrap().get("spec_compliance"))
    };
    assert_eq!(delta(imports(1, 0), imports(1, 0)), (D::AutoApprove, Some(0.0)));
    assert_eq!(delta(imports(0, 0), imports(1, 0)), (D::AutoApprove, Some(15.0)));
    assert_eq!(delta(imports(1, 1), imports(1, 0)), (D::BlockRegression, Some(-15.0)));
    assert_eq!(delta(beside_the_plan(25, 4), None), (D::AutoApprove, None));
    let both = imports(0, 0).zip(beside_the_plan(25, 4));
    let both = both.map(|(rules, beside)| Drift { plan: beside.plan, ..rules });
    let got = against(&with(both), &with(imports(0, 0)), &limits);
    let of = |s: &Option<Scores>, name| s.as_ref().and_then(|s| s.get(name));
    assert_eq!(got.scores.get("spec_compliance"), Some(88.0));
    assert_eq!(of(&got.base_scores, "spec_compliance"), Some(100.0));
    assert_eq!(of(&got.deltas, "spec_compliance"), Some(0.0), "like with like");
    assert_eq!(of(&got.deltas, "overall"), Some(0.0));
    assert_eq!(got.decision, D::AutoApprove);
}

#[test]
fn new_imports_do_not_block_where_they_are_to_warn() {
    let limits =
        Thresholds { drift: crate::rules::thresholds::Severity::Warn, ..Thresholds::default() };
    let with = |drift| Evidence { drift, ..lint(vec![]) };
    let got = against(&with(imports(0, 1)), &with(imports(0, 0)), &limits);
    assert_eq!((got.decision, got.block_dimensions), (D::ReviewerHandoff, vec![]));
    let said = "drift_severity:high: src/0.rs:1 imports src/db.rs against rule layers";
    assert_eq!(got.warnings, [said]);
}

#[test]
fn old_imports_count_where_the_line_is_not_held() {
    let with = |drift| Evidence { drift, ..lint(vec![]) };
    for (hold_the_line, decision) in [(true, D::AutoApprove), (false, D::BlockRegression)] {
        let limits = Thresholds { hold_the_line, ..Thresholds::default() };
        let got = against(&with(imports(1, 0)), &with(imports(1, 0)), &limits);
        assert_eq!(got.decision, decision);
    }
}

#[test]
fn drift_alone_is_no_measurement() {
    let drift = Evidence { drift: imports(0, 0), ..Evidence::default() };
    assert_eq!(alone(&drift).decision, D::SeverelyDegraded);
    let half = Evidence { drift: imports(0, 0), ..planned(&["quality", "coverage"], lint(vec![])) };
    assert_eq!(alone(&half).decision, D::SeverelyDegraded, "coverage gave nothing all the same");
}

#[test]
fn findings_count_where_their_check_sends_them() {
    let buckets = [Bucket::Quality, Bucket::Security, Bucket::DeadCode, Bucket::Types];
    let checks = buckets.map(|b| measured("x", b, errors(&["A"])));
    let got = alone(&Evidence::gather(&checks));
    assert_eq!(got.reasons, [BlockReason::LintErrors(1, 0)], "only quality is lint");
    assert_eq!(got.scores.get("security"), Some(90.0));
    assert_eq!(got.scores.get("quality"), Some(100.0 - 5.0 - 2.0 - 4.0));
    let twice = [checks[0].clone(), checks[0].clone()];
    assert_eq!(Evidence::gather(&twice).lint.unwrap().len(), 2, "two checks add up");
}

proptest::proptest! {
    #[test]
    fn the_order_of_findings_decides_nothing(
        places in proptest::collection::vec((0..3usize, 0..3usize), 0..12),
        known in 0..12usize,
        turn in 0..12usize,
    ) {
        let findings: Vec<Finding> = places
            .iter()
            .map(|(rule, path)| in_file(["a", "b", "c"][*path], error(["R", "S", "T"][*rule], 1)))
            .collect();
        let base = lint(findings[..known.min(findings.len())].to_vec());
        let mut turned = findings.clone();
        turned.rotate_left(turn % findings.len().max(1));
        turned.reverse();
        let limits = Thresholds::default();
        let (one, two) =
            (against(&lint(findings), &base, &limits), against(&lint(turned), &base, &limits));
        proptest::prop_assert_eq!(&one.reasons, &two.reasons);
        proptest::prop_assert_eq!(one.decision, two.decision);
        proptest::prop_assert_eq!(one.scores, two.scores);
        let new = |states: &[State]| states.iter().filter(|s| **s == State::New).count();
        proptest::prop_assert_eq!(new(&one.baseline.states), new(&two.baseline.states));
    }
}
