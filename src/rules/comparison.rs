//! What changed between two commits' evidence, kind by kind and by identity: nothing is judged here.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::{PatchFile, lost_lines, patch_coverage};
use super::evidence::Evidence;
use super::matching::{Sign, match_findings};
use crate::model::{Advisory, DiffMap, Finding, Ratio, TestFigures, TestStatus};

/// All of it. A kind that either side did not measure is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Findings of linters and scanners, whatever score they count in.
    pub lint: Option<LintChange>,
    /// Test cases.
    pub tests: Option<TestChange>,
    /// Coverage.
    pub coverage: Option<CoverageChange>,
    /// Advisories.
    pub dependencies: Option<DependencyChange>,
    /// Kinds that one side has and the other has not.
    pub one_sided: Vec<String>,
}

/// Findings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LintChange {
    /// Those that the second side alone has.
    pub new: Vec<Finding>,
    /// Those that the first side alone has.
    pub fixed: Vec<Finding>,
    /// Those that both have, at another place, and by what each was known.
    pub moved: Vec<(Finding, Finding, Sign)>,
    /// How many both have at the same place.
    pub unchanged: u64,
}

/// Tests by identity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestChange {
    /// They fail and did not, or were not there.
    pub new_failures: Vec<String>,
    /// They failed and pass.
    pub fixed: Vec<String>,
    /// They ran and are not in the second side's reports.
    pub vanished: Vec<String>,
    /// Suites of which no test is left, with how many there were.
    pub vanished_suites: BTreeMap<String, u64>,
    /// They ran and are skipped now.
    pub skipped: Vec<String>,
}

/// Coverage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoverageChange {
    /// Lines of the first side; none where it has no coverable line.
    pub base: Option<Ratio>,
    /// Lines of the second.
    pub head: Option<Ratio>,
    /// The changed lines; none where the two sides are no commits.
    pub patch: Option<Vec<PatchFile>>,
    /// Lines that are still there and run no more.
    pub lost: Vec<(String, u32)>,
}

/// Advisories.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DependencyChange {
    /// The second side alone has them.
    pub new: Vec<Advisory>,
    /// The first side alone has them.
    pub fixed: Vec<Advisory>,
}

/// Compares the first side with the second. Without a diff (reports alone) lines and renames are
/// inferred.
pub fn compare(base: &Evidence, head: &Evidence, diff: Option<&DiffMap>) -> Comparison {
    let mut one_sided = Vec::new();
    let mut both = |kind: &str, before: bool, now: bool| {
        if before != now {
            let (has, not) = if before { ("first", "second") } else { ("second", "first") };
            one_sided.push(format!("{kind}: the {has} side has it and the {not} has not"));
        }
        before && now
    };
    let (old, new) = (findings(base), findings(head));
    let lint = both("lint", old.is_some(), new.is_some());
    let tests = both("tests", base.tests.is_some(), head.tests.is_some());
    let coverage = both("coverage", base.coverage.is_some(), head.coverage.is_some());
    let deps = both("dependencies", base.dependencies.is_some(), head.dependencies.is_some());
    Comparison {
        lint: old.zip(new).filter(|_| lint).map(|(old, new)| of_lint(&old, &new, diff)),
        tests: base.tests.as_ref().zip(head.tests.as_ref()).filter(|_| tests).map(of_tests),
        coverage: coverage.then(|| of_coverage(base, head, diff)),
        dependencies: deps.then(|| of_dependencies(base, head)),
        one_sided,
    }
}

/// The findings of all buckets; none where none of them was measured.
fn findings(side: &Evidence) -> Option<Vec<&Finding>> {
    let buckets = [&side.lint, &side.security, &side.dead_code, &side.types];
    let measured = buckets.iter().any(|b| b.is_some());
    measured.then(|| buckets.into_iter().flatten().flatten().collect())
}

fn of_lint(base: &[&Finding], head: &[&Finding], diff: Option<&DiffMap>) -> LintChange {
    let known = match_findings(base, head, diff);
    let mut change = LintChange::default();
    let mut left = vec![true; base.len()];
    for (finding, known) in head.iter().zip(known) {
        let Some(known) = known else {
            change.new.push((*finding).clone());
            continue;
        };
        left[known.base] = false;
        let old = base[known.base];
        if (&old.path, old.line) == (&finding.path, finding.line)
            || finding.path == old.path && old.path.is_none()
        {
            change.unchanged += 1;
        } else {
            change.moved.push((old.clone(), (*finding).clone(), known.by));
        }
    }
    change.fixed =
        base.iter().zip(left).filter(|(_, left)| *left).map(|(f, _)| (*f).clone()).collect();
    change
}

fn of_tests((base, head): (&TestFigures, &TestFigures)) -> TestChange {
    let failing = |s: TestStatus| matches!(s, TestStatus::Failed | TestStatus::Errored);
    let by_id = |side: &TestFigures| -> BTreeMap<String, TestStatus> {
        let mut all: BTreeMap<String, TestStatus> = BTreeMap::new();
        for case in &side.cases {
            let worst = all.entry(case.id.clone()).or_insert(case.status);
            *worst = (*worst).max(case.status);
        }
        all
    };
    let (before, now) = (by_id(base), by_id(head));
    let mut change = TestChange::default();
    for (id, status) in &now {
        let old = before.get(id).copied();
        if failing(*status) && !old.is_some_and(failing) {
            change.new_failures.push(id.clone());
        } else if *status == TestStatus::Passed && old.is_some_and(failing) {
            change.fixed.push(id.clone());
        } else if *status == TestStatus::Skipped && old.is_some_and(|s| s != TestStatus::Skipped) {
            change.skipped.push(id.clone());
        }
    }
    let ran = before.iter().filter(|(_, status)| **status != TestStatus::Skipped);
    change.vanished =
        ran.filter(|(id, _)| !now.contains_key(*id)).map(|(id, _)| id.clone()).collect();
    change.vanished_suites = vanished_suites(before.keys(), now.keys());
    change
}

/// Suites (what stands before the first `::`) of which the second side has no test at all.
pub(super) fn vanished_suites<'a>(
    before: impl Iterator<Item = &'a String>,
    now: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, u64> {
    let suite = |id: &'a String| id.split_once("::").map(|(suite, _)| suite);
    let there: BTreeSet<&str> = now.filter_map(suite).collect();
    let mut gone = BTreeMap::new();
    for suite in before.filter_map(suite).filter(|s| !there.contains(s)) {
        *gone.entry(suite.to_string()).or_default() += 1;
    }
    gone
}

fn of_coverage(base: &Evidence, head: &Evidence, diff: Option<&DiffMap>) -> CoverageChange {
    let (Some(old), Some(new)) = (&base.coverage, &head.coverage) else {
        return CoverageChange::default();
    };
    let lines = |totals: crate::model::Totals| Ratio::new(totals.lines_hit, totals.lines_found);
    CoverageChange {
        base: lines(old.totals()),
        head: lines(new.totals()),
        patch: diff.map(|diff| patch_coverage(new, diff)),
        lost: diff.map(|diff| lost_lines(old, new, diff)).unwrap_or_default(),
    }
}

fn of_dependencies(base: &Evidence, head: &Evidence) -> DependencyChange {
    let (old, new) = (base.dependencies.iter().flatten(), head.dependencies.iter().flatten());
    let keys = |side: &mut dyn Iterator<Item = &Advisory>| -> BTreeSet<(String, String)> {
        side.flat_map(Advisory::keys).collect()
    };
    let (had, has) = (keys(&mut old.clone()), keys(&mut new.clone()));
    let in_either =
        |a: &&Advisory, keys: &BTreeSet<(String, String)>| a.keys().any(|k| keys.contains(&k));
    DependencyChange {
        new: new.filter(|a| !in_either(a, &had)).cloned().collect(),
        fixed: old.filter(|a| !in_either(a, &has)).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Severity, TestCase};
    use crate::rules::samples::{advisories, covered, edited, error, errors, lint};

    fn run(cases: &[(&str, TestStatus)]) -> Evidence {
        let case = |(id, status): &(&str, TestStatus)| TestCase {
            id: (*id).to_string(),
            status: *status,
            flaky: false,
            message: None,
        };
        let tests = TestFigures { cases: cases.iter().map(case).collect() };
        Evidence { tests: Some(tests), ..Evidence::default() }
    }

    #[test]
    fn findings_are_new_fixed_moved_or_where_they_were() {
        let diff = edited(&[(1, 0, 2, 1)]);
        let base = lint(errors(&["A", "B", "C"]));
        let head = lint(vec![error("A", 1), error("B", 3), error("D", 2)]);
        let got = compare(&base, &head, Some(&diff)).lint.unwrap();
        assert_eq!(
            (got.new, got.fixed, got.unchanged),
            (vec![error("D", 2)], errors(&["", "", "C"])[2..].to_vec(), 1)
        );
        assert_eq!(got.moved, [(error("B", 2), error("B", 3), Sign::Place)]);
    }

    #[test]
    fn tests_are_compared_by_what_they_are() {
        use TestStatus::{Errored, Failed, Passed, Skipped};
        let base = run(&[
            ("a::ok", Passed),
            ("a::bad", Failed),
            ("a::gone", Passed),
            ("b::one", Passed),
            ("b::two", Skipped),
            ("a::off", Passed),
        ]);
        let head = run(&[
            ("a::ok", Errored),
            ("a::bad", Passed),
            ("a::more", Failed),
            ("a::off", Skipped),
        ]);
        let got = compare(&base, &head, None).tests.unwrap();
        assert_eq!(got.new_failures, ["a::more", "a::ok"]);
        assert_eq!(
            (got.fixed, got.skipped),
            (vec!["a::bad".to_string()], vec!["a::off".to_string()])
        );
        assert_eq!(got.vanished, ["a::gone", "b::one"]);
        assert_eq!(got.vanished_suites, BTreeMap::from([("b".to_string(), 2)]));
    }

    #[test]
    fn coverage_and_advisories() {
        let diff = edited(&[(0, 0, 1, 2)]);
        let got = compare(&covered(5, 10), &covered(4, 12), Some(&diff)).coverage.unwrap();
        assert_eq!((got.base, got.head), (Ratio::new(5, 10), Ratio::new(4, 12)));
        assert_eq!(got.patch.unwrap()[0].total, 2);
        assert_eq!(got.lost.len(), 3);
        let old = advisories(&[("A", Severity::High), ("B", Severity::Low)]);
        let new = advisories(&[("B", Severity::Low), ("C", Severity::Low)]);
        let got = compare(&old, &new, None).dependencies.unwrap();
        let ids = |list: &[Advisory]| list.iter().map(|a| a.id.clone()).collect::<Vec<_>>();
        assert_eq!(
            (ids(&got.new), ids(&got.fixed)),
            (vec!["C".to_string()], vec!["A".to_string()])
        );
    }

    #[test]
    fn what_one_side_alone_measured_is_named() {
        let got = compare(&lint(vec![]), &covered(1, 2), None);
        assert_eq!((got.lint, got.coverage), (None, None));
        assert_eq!(got.one_sided.len(), 2);
        assert_eq!(got.one_sided[0], "lint: the first side has it and the second has not");
    }
}
