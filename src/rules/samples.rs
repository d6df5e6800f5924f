//! Evidence for tests, made by short words.

use std::collections::BTreeSet;

use super::drift::architecture::Violation;
use super::drift::{AgainstPlan, Drift};
use super::evidence::Evidence;
use crate::model::{
    Advisory, CoverageFigures, DiffMap, FileCoverage, FileDiff, Finding, FunctionComplexity, Hunk,
    Level, LineBranches, LineHits, Severity, TestCase, TestFigures, TestStatus, Totals,
};

/// A finding of level error in `src/a.rs`.
pub(super) fn error(rule: &str, line: u32) -> Finding {
    Finding {
        rule: rule.into(),
        level: Level::Error,
        path: Some("src/a.rs".into()),
        line: Some(line),
        message: format!("{rule} is not good"),
        tool: "linter".into(),
        fingerprint: None,
        line_hash: None,
    }
}

pub(super) fn in_file(path: &str, finding: Finding) -> Finding {
    Finding { path: Some(path.into()), ..finding }
}

pub(super) fn saying(message: &str, finding: Finding) -> Finding {
    Finding { message: message.to_string(), ..finding }
}

pub(super) fn of_level(level: Level, finding: Finding) -> Finding {
    Finding { level, ..finding }
}

/// Errors of these rules, one below the other.
pub(super) fn errors(rules: &[&str]) -> Vec<Finding> {
    rules.iter().zip(1..).map(|(rule, line)| error(rule, line)).collect()
}

pub(super) fn lint(findings: Vec<Finding>) -> Evidence {
    Evidence { lint: Some(findings), ..Evidence::default() }
}

/// `src/a.rs` with the first `hit` of `found` lines covered.
pub(super) fn covered(hit: u32, found: u32) -> Evidence {
    coverage(vec![lines("src/a.rs", hit, found)])
}

/// Totals without leaves.
pub(super) fn totals(hit: u64, found: u64) -> Evidence {
    let totals = Totals { lines_found: found, lines_hit: hit, ..Totals::default() };
    coverage(vec![FileCoverage {
        path: "src/a.rs".to_string(),
        totals: Some(totals),
        ..FileCoverage::default()
    }])
}

pub(super) fn lines(path: &str, hit: u32, found: u32) -> FileCoverage {
    let line = |line| LineHits { line, hits: u64::from(line <= hit) };
    FileCoverage {
        path: path.to_string(),
        lines: (1..=found).map(line).collect(),
        ..FileCoverage::default()
    }
}

pub(super) fn with_branches(mut file: FileCoverage, hit: u32, found: u32) -> FileCoverage {
    file.branches = vec![LineBranches { line: 1, hit, found }];
    file
}

pub(super) fn coverage(files: Vec<FileCoverage>) -> Evidence {
    Evidence { coverage: Some(CoverageFigures { files }), ..Evidence::default() }
}

pub(super) fn function(path: &str, name: &str, cyclomatic: u32) -> FunctionComplexity {
    FunctionComplexity { path: path.to_string(), name: name.to_string(), line: 7, cyclomatic }
}

pub(super) fn complexity(functions: Vec<FunctionComplexity>) -> Evidence {
    Evidence { complexity: Some(functions), ..Evidence::default() }
}

/// Tests that failed, and one that passed.
pub(super) fn failing(ids: &[&str]) -> Evidence {
    let case =
        |id: &str, status| TestCase { id: id.to_string(), status, flaky: false, message: None };
    let mut cases: Vec<TestCase> = ids.iter().map(|id| case(id, TestStatus::Failed)).collect();
    cases.push(case("good", TestStatus::Passed));
    Evidence { tests: Some(TestFigures { cases }), ..Evidence::default() }
}

pub(super) fn advisory(id: &str, severity: Severity) -> Advisory {
    Advisory {
        id: id.to_string(),
        aliases: Vec::new(),
        package: "p".to_string(),
        version: None,
        severity,
        fixed_in: None,
    }
}

pub(super) fn advisories(list: &[(&str, Severity)]) -> Evidence {
    let list = list.iter().map(|(id, severity)| advisory(id, *severity)).collect();
    Evidence { dependencies: Some(list), ..Evidence::default() }
}

pub(super) fn planned(dimensions: &[&'static str], evidence: Evidence) -> Evidence {
    Evidence { planned: BTreeSet::from_iter(dimensions.iter().copied()), ..evidence }
}

/// `src/a.rs` differs: (old start, old length, new start, new length).
pub(super) fn edited(hunks: &[(u32, u32, u32, u32)]) -> DiffMap {
    moved("src/a.rs", Some("src/a.rs"), hunks)
}

/// A file that has another name, or none, now.
pub(super) fn moved(old: &str, new: Option<&str>, hunks: &[(u32, u32, u32, u32)]) -> DiffMap {
    let hunk = |&(old_start, old_len, new_start, new_len): &(u32, u32, u32, u32)| Hunk {
        old_start,
        old_len,
        new_start,
        new_len,
    };
    DiffMap::new(vec![FileDiff {
        old: Some(old.to_string()),
        new: new.map(str::to_string),
        old_mode: 0o100_644,
        new_mode: if new.is_some() { 0o100_644 } else { 0 },
        hunks: hunks.iter().map(hunk).collect(),
        binary: false,
    }])
}

/// A change of which so many files are beside the plan.
pub(super) fn beside_the_plan(changed: usize, unplanned: usize) -> Option<Drift> {
    let unplanned = (0..unplanned).map(|n| format!("src/{n}.rs")).collect();
    let plan = AgainstPlan { design: "docs/plans/p.md".into(), changed, unplanned };
    Some(Drift { plan: Some(plan), architecture: None })
}

/// So many forbidden imports that the base has, and so many that it has not.
pub(super) fn imports(old: usize, new: usize) -> Option<Drift> {
    let violation = |n: usize| Violation {
        rule: "layers".into(),
        path: format!("src/{n}.rs"),
        line: 1,
        imports: "src/db.rs".into(),
        reason: String::new(),
        new: n >= old,
    };
    Some(Drift { plan: None, architecture: Some((0..old + new).map(violation).collect()) })
}
