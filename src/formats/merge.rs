//! Several reports of one check become one: by identity, and the same in whatever order they come.

use std::collections::BTreeMap;

use super::coverage::Gathered;
use crate::model::{
    DependencyFigures, Figures, Finding, FunctionComplexity, LintFigures, TestCase, TestFigures,
    TestStatus, advisory,
};

/// Merges what several reports of one check say. Coverage is added up by file and line. Tests are
/// merged by identity: inside a report another run of one is a retry, in another report it is the same
/// test somewhere else (another interpreter, another shard), and the worse end counts. Findings and functions are put together as they are.
/// Reports of equal content have to be left out before.
pub fn merge(parts: Vec<Figures>) -> Figures {
    let mut all = Figures::default();
    let mut coverage: Option<Gathered> = None;
    let mut cases: Option<Vec<TestCase>> = None;
    let mut versions = Vec::new();
    for part in parts {
        if let Some(lint) = part.lint {
            add_lint(all.lint.get_or_insert_default(), lint, &mut versions);
        }
        if let Some(tests) = part.tests {
            cases.get_or_insert_default().extend(tests.cases);
        }
        if let Some(figures) = part.coverage {
            coverage.get_or_insert_default().merge(figures);
        }
        if let Some(functions) = part.complexity {
            all.complexity.get_or_insert_default().extend(functions);
        }
        if let Some(figures) = part.dependencies {
            add_dependencies(all.dependencies.get_or_insert_default(), figures);
        }
        all.notes.extend(part.notes);
    }
    all.coverage = coverage.map(Gathered::finish);
    all.tests = cases.map(|cases| {
        let (mut cases, differ) = worst_ends(cases);
        if differ > 0 {
            all.notes.push(format!(
                "tests that pass in one report and fail in another, counted as failed: {differ}"
            ));
        }
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        TestFigures { cases }
    });
    in_order(&mut all, versions);
    all
}

fn add_lint(to: &mut LintFigures, from: LintFigures, versions: &mut Vec<String>) {
    match to.findings.is_empty() {
        true => to.findings = from.findings,
        false => to.findings.extend(from.findings),
    }
    to.suppressed = to.suppressed.saturating_add(from.suppressed);
    to.absent = to.absent.saturating_add(from.absent);
    to.ignored = to.ignored.saturating_add(from.ignored);
    versions.extend(from.tool_version);
}

fn add_dependencies(to: &mut DependencyFigures, from: DependencyFigures) {
    to.advisories.extend(from.advisories);
    to.suppressed = to.suppressed.saturating_add(from.suppressed);
    to.ignored = to.ignored.saturating_add(from.ignored);
}

/// Puts into order what came in the order of the reports.
fn in_order(all: &mut Figures, mut versions: Vec<String>) {
    versions.sort();
    versions.dedup();
    if let Some(lint) = &mut all.lint {
        // equal ones are the same in all, so their order says nothing
        Finding::sort(&mut lint.findings);
        lint.tool_version = (!versions.is_empty()).then(|| versions.join(", "));
    }
    if let Some(functions) = &mut all.complexity {
        let key = |f: &FunctionComplexity| (f.path.clone(), f.line, f.name.clone(), f.cyclomatic);
        functions.sort_by_cached_key(key);
    }
    if let Some(figures) = &mut all.dependencies {
        figures.advisories = advisory::merged(std::mem::take(&mut figures.advisories));
    }
    all.notes.sort();
    all.notes.dedup();
}

/// Cases of several reports, each merged in itself, and how many passed here and failed there.
fn worst_ends(cases: Vec<TestCase>) -> (Vec<TestCase>, usize) {
    let mut merged: BTreeMap<String, Ends> = BTreeMap::new();
    for case in cases {
        match merged.get_mut(&case.id) {
            Some(known) => known.add(case),
            None => {
                merged.insert(case.id.clone(), Ends::first(case));
            }
        }
    }
    let mut differ = 0;
    let ended = merged.into_values().map(|ends| {
        let mut case = ends.case;
        if case.status >= TestStatus::Failed {
            differ += usize::from(ends.passed);
        } else if ends.passed {
            case.status = TestStatus::Passed;
        }
        case
    });
    (ended.collect(), differ)
}

/// How one test ended in several reports.
struct Ends {
    case: TestCase,
    passed: bool,
    /// How the run ended whose message is kept.
    message_of: TestStatus,
}

impl Ends {
    fn first(case: TestCase) -> Self {
        Ends { passed: case.status == TestStatus::Passed, message_of: case.status, case }
    }

    fn add(&mut self, other: TestCase) {
        let other = Ends::first(other);
        self.passed |= other.passed;
        self.case.flaky |= other.case.flaky;
        self.case.status = self.case.status.max(other.case.status);
        // the message of the worst end; of equal ones the first in the alphabet, whatever came first
        let better = match (&self.case.message, &other.case.message) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(theirs)) => (other.message_of, mine) > (self.message_of, theirs),
        };
        if better {
            self.case.message = other.case.message;
            self.message_of = other.message_of;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CoverageFigures, FileCoverage, Level, LineBranches, LineHits};
    use TestStatus::{Errored, Failed, Passed, Skipped};

    fn case(id: &str, status: TestStatus, message: Option<&str>) -> TestCase {
        TestCase { id: id.into(), status, flaky: false, message: message.map(Into::into) }
    }

    fn of_cases(cases: Vec<TestCase>) -> Figures {
        Figures { tests: Some(TestFigures { cases }), ..Figures::default() }
    }

    fn rotations(parts: &[Figures]) -> impl Iterator<Item = Vec<Figures>> {
        (0..parts.len()).flat_map(move |n| {
            let mut a = parts.to_vec();
            a.rotate_left(n);
            let mut b = a.clone();
            b.reverse();
            [a, b]
        })
    }

    fn lint(line: u32, version: &str) -> LintFigures {
        let finding = |line: u32| Finding {
            rule: "r".into(),
            level: Level::Error,
            path: None,
            line: Some(line),
            message: String::new(),
            tool: "t".into(),
            fingerprint: None,
            line_hash: None,
        };
        LintFigures {
            findings: vec![finding(line), finding(1)],
            suppressed: 1,
            absent: 2,
            ignored: 3,
            tool_version: Some(version.into()),
        }
    }

    fn coverage(hits: u64, line: u32) -> CoverageFigures {
        CoverageFigures {
            files: vec![FileCoverage {
                path: "a".into(),
                lines: vec![LineHits { line: 1, hits }, LineHits { line, hits: 0 }],
                branches: vec![LineBranches { line: 1, hit: line.min(2), found: 2 }],
                totals: None,
                unstable: Vec::new(),
            }],
        }
    }

    #[test]
    fn order_does_not_matter() {
        let mut parts = Vec::new();
        for (n, v) in [(3, "1"), (2, "2"), (5, "1")] {
            let mut f = of_cases(vec![
                case("x", if n == 3 { Passed } else { Failed }, Some(v)),
                case(&format!("only{n}"), Failed, None),
            ]);
            f.lint = Some(lint(n, v));
            f.coverage = Some(coverage(u64::MAX / 2, n));
            f.notes = vec![v.to_owned()];
            parts.push(f);
        }
        let want = merge(parts.clone());
        for order in rotations(&parts) {
            assert_eq!(merge(order), want);
        }
        let lint = want.lint.unwrap();
        assert_eq!((lint.findings.len(), lint.suppressed, lint.ignored), (6, 3, 9));
        assert_eq!(lint.tool_version.as_deref(), Some("1, 2"));
        let file = &want.coverage.unwrap().files[0];
        assert_eq!(file.lines[0], LineHits { line: 1, hits: u64::MAX });
        assert_eq!(file.branches, [LineBranches { line: 1, hit: 2, found: 2 }]);
        assert_eq!(want.tests.unwrap().cases.len(), 4);
    }

    #[test]
    fn what_fails_in_one_report_is_not_excused_by_another() {
        for (ends, status, notes) in [
            (vec![Passed, Failed], Failed, 1),
            (vec![Failed, Passed, Errored], Errored, 1),
            (vec![Skipped, Passed], Passed, 0),
            (vec![Skipped, Failed], Failed, 0),
            (vec![Skipped, Skipped], Skipped, 0),
        ] {
            let parts: Vec<Figures> =
                ends.iter().map(|s| of_cases(vec![case("t", *s, None)])).collect();
            for order in rotations(&parts) {
                let merged = merge(order);
                let [one] = merged.tests.unwrap().cases.try_into().unwrap();
                assert_eq!((one.status, one.flaky), (status, false), "{ends:?}");
                assert_eq!(merged.notes.len(), notes, "{ends:?}");
            }
        }
        let flaky = TestCase { flaky: true, ..case("t", Passed, None) };
        let merged = merge(vec![of_cases(vec![flaky]), of_cases(vec![case("t", Passed, None)])]);
        assert!(merged.tests.unwrap().cases[0].flaky);
    }

    #[test]
    fn nothing_is_not_an_empty_kind() {
        assert_eq!(merge(vec![]), Figures::default());
        assert_eq!(merge(vec![of_cases(vec![])]).tests, Some(TestFigures::default()));
    }
}
