//! The formulas, term by term, with numbers worked out by hand.

use super::*;
use crate::rules::evidence::Evidence;
use crate::rules::samples::{
    advisories, complexity, coverage, error, errors, function, lines, lint, of_level, with_branches,
};

fn score(evidence: &Evidence, lost: usize, name: &str) -> Option<f64> {
    scores(evidence, lost, &Thresholds::default()).get(name)
}

#[test]
fn security_counts_advisories_findings_and_the_forges_problems() {
    use Severity::{Critical, High, Low, Medium, Unknown};
    let of = |list: &[(&str, Severity)]| score(&advisories(list), 0, "security");
    for (severity, expected) in
        [(Critical, 70.0), (High, 90.0), (Medium, 97.0), (Low, 99.0), (Unknown, 97.0)]
    {
        assert_eq!(of(&[("a", severity)]), Some(expected), "{severity:?}");
    }
    assert_eq!(of(&[]), Some(100.0), "measured, and nothing found");
    let each = [("a", Critical), ("b", High), ("c", Medium), ("d", Low)];
    assert_eq!(of(&each), Some(56.0));
    assert_eq!(of(&[("a", Critical); 4]), Some(0.0), "never below 0");
    let findings = [Level::Error, Level::Warning, Level::Note, Level::None];
    let security = findings.map(|level| of_level(level, error("S", 1))).to_vec();
    let evidence = Evidence { security: Some(security), ci: Some((1, 2)), ..Evidence::default() };
    assert_eq!(score(&evidence, 0, "security"), Some(100.0 - 14.0 - 30.0 - 20.0));
    assert_eq!(score(&lint(vec![]), 0, "security"), None, "not measured is no score");
}

#[test]
fn quality_counts_errors_files_dead_code_and_types() {
    assert_eq!(score(&lint(vec![]), 0, "quality"), Some(100.0));
    assert_eq!(score(&lint(errors(&["A", "B"])), 0, "quality"), Some(90.0));
    let warning = lint(vec![of_level(Level::Warning, error("W", 1))]);
    assert_eq!(score(&warning, 0, "quality"), Some(100.0));
    let functions = vec![
        function("a", "f", 16),
        function("a", "g", 99),
        function("b", "f", 16),
        function("c", "f", 15),
    ];
    assert_eq!(score(&complexity(functions.clone()), 0, "quality"), Some(80.0), "two files");
    let all = Evidence {
        dead_code: Some(errors(&["D"])),
        types: Some(errors(&["T"])),
        complexity: Some(functions),
        ..lint(errors(&["A", "B"]))
    };
    assert_eq!(score(&all, 0, "quality"), Some(100.0 - 10.0 - 20.0 - 2.0 - 4.0));
    let many = lint(vec![error("A", 1); 21]);
    assert_eq!(score(&many, 0, "quality"), Some(0.0), "never below 0");
}

#[test]
fn coverage_is_the_lesser_of_lines_and_branches_without_what_was_lost() {
    let plain = coverage(vec![lines("a", 80, 100)]);
    assert_eq!(score(&plain, 0, "coverage"), Some(80.0), "no branch is no branch coverage");
    let branches = |hit, found| coverage(vec![with_branches(lines("a", 80, 100), hit, found)]);
    assert_eq!(score(&branches(1, 2), 0, "coverage"), Some(50.0));
    assert_eq!(score(&branches(9, 10), 0, "coverage"), Some(80.0));
    assert_eq!(score(&branches(0, 2), 0, "coverage"), Some(0.0));
    for (lost, expected) in [(1, 79.5), (3, 78.5), (40, 60.0), (41, 60.0), (9_999, 60.0)] {
        assert_eq!(score(&plain, lost, "coverage"), Some(expected), "{lost} lost");
    }
    assert_eq!(score(&coverage(vec![lines("a", 1, 10)]), 99, "coverage"), Some(0.0));
    assert_eq!(score(&coverage(vec![]), 0, "coverage"), None, "0 of 0 is no data");
    assert_eq!(score(&coverage(vec![lines("a", 1, 3)]), 0, "coverage"), Some(33.333_333));
}

#[test]
fn overall_is_the_weighted_mean_of_what_is_there() {
    let mut evidence = advisories(&[
        ("a", Severity::Critical),
        ("b", Severity::High),
        ("c", Severity::Medium),
        ("d", Severity::Low),
    ]);
    assert_eq!(score(&evidence, 0, "overall"), Some(56.0), "one dimension alone");
    evidence.lint = Some(errors(&["A", "B"]));
    // (56 · .30 + 90 · .20) / .50
    assert_eq!(score(&evidence, 0, "overall"), Some(69.6));
    evidence.coverage = coverage(vec![lines("a", 80, 100)]).coverage;
    // (56 · .30 + 90 · .20 + 78.5 · .20) / .70
    assert_eq!(score(&evidence, 3, "overall"), Some(72.142_857));
    assert_eq!(score(&evidence, 3, "discipline"), None);
    evidence.is_bot = true;
    assert_eq!(score(&evidence, 3, "discipline"), Some(100.0));
    // (16.8 + 18 + 15.7 + 100 · .15) / .85
    assert_eq!(score(&evidence, 3, "overall"), Some(77.058_824));
    assert_eq!(score(&Evidence::default(), 0, "overall"), None);
}

#[test]
fn deltas_are_head_minus_base_where_both_have_a_score() {
    let limits = Thresholds::default();
    let head = scores(&lint(errors(&["A"])), 0, &limits);
    let mut base = scores(&lint(vec![]), 0, &limits);
    base.set("coverage", 10.0);
    let deltas = deltas(&head, &base);
    assert_eq!(deltas.get("quality"), Some(-5.0));
    assert_eq!(deltas.get("overall"), Some(-5.0));
    assert_eq!(deltas.get("coverage"), None);
}

#[test]
fn the_weights_and_budgets_are_the_contracts() {
    let t = Thresholds::default();
    let of = |table: &BTreeMap<&str, f64>| {
        Dimension::ALL.iter().map(|d| table[d.word()]).collect::<Vec<_>>()
    };
    assert_eq!(of(&t.weights), [0.30, 0.20, 0.20, 0.15, 0.15]);
    assert_eq!(of(&t.hard_block), [-2.0, -5.0, -5.0, -10.0, -20.0]);
    assert_eq!(of(&t.warn_reviewer), [0.0, -2.0, -2.0, -5.0, -10.0]);
    assert_eq!(t.hard_floors, BTreeMap::from([("security", 60.0)]));
}
