//! What changed between two commits or reports, in words and as a document.

use serde_json::{Value, json};

use super::page::{Page, Paint};
use crate::model::{Advisory, Finding, Ratio, sanitize};
use crate::rules::baseline::place;
use crate::rules::comparison::{
    Comparison, CoverageChange, DependencyChange, LintChange, TestChange,
};
use crate::rules::matching::Sign;

/// How many of one sort are shown to people; a document has all.
const MOST: usize = 20;

/// The two sides by name.
#[derive(Debug, Clone)]
pub struct Sides {
    /// What was typed for the first.
    pub first: String,
    /// For the second.
    pub second: String,
    /// What a person should know of how they were read.
    pub notes: Vec<String>,
}

/// `evidence_compare_v1`.
pub fn document(comparison: &Comparison, sides: &Sides) -> Value {
    json!({
        "schema": "evidence_compare_v1",
        "base": sides.first,
        "head": sides.second,
        "lint": comparison.lint.as_ref().map(lint_value),
        "tests": comparison.tests.as_ref().map(|t| json!({
            "new_failures": t.new_failures, "fixed": t.fixed, "vanished": t.vanished,
            "skipped": t.skipped, "vanished_suites": t.vanished_suites,
        })),
        "coverage": comparison.coverage.as_ref().map(coverage_value),
        "dependencies": comparison.dependencies.as_ref().map(|d| {
            json!({ "new": d.new, "fixed": d.fixed })
        }),
        "notes": notes(comparison, sides),
    })
}

fn notes<'a>(comparison: &'a Comparison, sides: &'a Sides) -> Vec<&'a String> {
    sides.notes.iter().chain(&comparison.one_sided).collect()
}

fn lint_value(lint: &LintChange) -> Value {
    let moved: Vec<Value> = lint
        .moved
        .iter()
        .map(|(from, to, by)| json!({ "from": from, "to": to, "known_by": word(*by) }))
        .collect();
    json!({ "new": lint.new, "fixed": lint.fixed, "moved": moved, "unchanged": lint.unchanged })
}

/// By what a finding was known.
fn word(sign: Sign) -> &'static str {
    match sign {
        Sign::Place => "place",
        Sign::Fingerprint => "fingerprint",
        Sign::LineText => "line_text",
        Sign::Edited => "edited_line",
        Sign::Message => "message",
    }
}

fn percent(ratio: Ratio) -> f64 {
    (ratio.percent().to_f64() * 1e6).round() / 1e6
}

fn patch_ratio(coverage: &CoverageChange) -> Option<Ratio> {
    let files = coverage.patch.as_ref()?;
    let (covered, total) = files.iter().fold((0, 0), |(c, t), f| (c + f.covered, t + f.total));
    Ratio::new(covered, total)
}

fn coverage_value(coverage: &CoverageChange) -> Value {
    let lines = |r: Option<Ratio>| r.map(|r| json!({ "hit": r.hit, "found": r.found }));
    let lost: Vec<String> = coverage.lost.iter().map(|(p, n)| format!("{p}:{n}")).collect();
    let patch = patch_ratio(coverage);
    json!({
        "base": coverage.base.map(percent), "head": coverage.head.map(percent),
        "patch": patch.map(percent), "base_lines": lines(coverage.base),
        "head_lines": lines(coverage.head), "patch_lines": lines(patch),
        "lines_no_longer_covered": lost,
    })
}

/// The page for people.
pub fn text(comparison: &Comparison, sides: &Sides, color: bool) -> String {
    let mut page = Page::new(color);
    page.line(&format!("from {} to {}", sides.first, sides.second));
    if let Some(lint) = &comparison.lint {
        of_lint(&mut page, lint);
    }
    if let Some(tests) = &comparison.tests {
        of_tests(&mut page, tests);
    }
    if let Some(coverage) = &comparison.coverage {
        of_coverage(&mut page, coverage);
    }
    if let Some(dependencies) = &comparison.dependencies {
        of_dependencies(&mut page, dependencies);
    }
    if !notes(comparison, sides).is_empty() {
        page.gap();
    }
    for note in notes(comparison, sides) {
        page.wrapped(0, "note:", note);
    }
    page.finish()
}

/// A heading with its number, then the first of its things.
fn listed<T>(
    page: &mut Page,
    heading: (Paint, &str),
    all: &[T],
    line: impl Fn(&T) -> (String, String),
) {
    if all.is_empty() {
        return;
    }
    page.painted(heading.0, &format!("  {} {}", all.len(), heading.1), "");
    for thing in all.iter().take(MOST) {
        let (first, rest) = line(thing);
        page.wrapped(4, &first, &rest);
    }
    if all.len() > MOST {
        page.line(&format!("    and {} more", all.len() - MOST));
    }
}

fn finding(f: &Finding) -> (String, String) {
    let at = place(f).map_or_else(String::new, |p| format!("{p}:"));
    (at, format!("{} {}", f.rule, f.message))
}

fn of_lint(page: &mut Page, lint: &LintChange) {
    page.gap();
    page.line(&format!(
        "findings: {} new, {} fixed, {} moved, {} unchanged",
        lint.new.len(),
        lint.fixed.len(),
        lint.moved.len(),
        lint.unchanged
    ));
    listed(page, (Paint::Red, "new"), &lint.new, finding);
    listed(page, (Paint::Green, "fixed"), &lint.fixed, finding);
    listed(page, (Paint::Plain, "moved"), &lint.moved, |(from, to, _)| {
        let (at, text) = finding(to);
        let from = place(from).unwrap_or_else(|| "no place".into());
        (at, format!("{text} (moved from {})", sanitize(&from)))
    });
}

fn of_tests(page: &mut Page, tests: &TestChange) {
    let name = |id: &String| (id.clone(), String::new());
    page.gap();
    page.line(&format!(
        "tests: {} fail now, {} fixed, {} vanished, {} skipped now",
        tests.new_failures.len(),
        tests.fixed.len(),
        tests.vanished.len(),
        tests.skipped.len()
    ));
    listed(page, (Paint::Red, "fail now"), &tests.new_failures, name);
    listed(page, (Paint::Green, "fixed"), &tests.fixed, name);
    listed(page, (Paint::Yellow, "vanished"), &tests.vanished, name);
    listed(page, (Paint::Yellow, "skipped now"), &tests.skipped, name);
    for (suite, n) in &tests.vanished_suites {
        page.wrapped(2, suite, &format!("is not there any more: it had {n} tests"));
    }
}

fn of_coverage(page: &mut Page, coverage: &CoverageChange) {
    page.gap();
    let lines = |r: Option<Ratio>| {
        r.map_or_else(
            || "no coverable line".into(),
            |r| format!("{} of {} lines ({:.2} %)", r.hit, r.found, percent(r)),
        )
    };
    page.line(&format!("coverage: {} to {}", lines(coverage.base), lines(coverage.head)));
    if coverage.patch.is_some() {
        page.line(&format!("  changed lines: {}", lines(patch_ratio(coverage))));
    }
    listed(page, (Paint::Yellow, "lines no longer covered"), &coverage.lost, |(path, line)| {
        (format!("{path}:{line}"), String::new())
    });
}

fn of_dependencies(page: &mut Page, dependencies: &DependencyChange) {
    let advisory = |a: &Advisory| {
        let version = a.version.as_deref().unwrap_or("");
        (format!("{} {version}:", a.package), format!("{} {:?}", a.id, a.severity).to_lowercase())
    };
    page.gap();
    page.line(&format!(
        "advisories: {} new, {} fixed",
        dependencies.new.len(),
        dependencies.fixed.len()
    ));
    listed(page, (Paint::Red, "new"), &dependencies.new, advisory);
    listed(page, (Paint::Green, "fixed"), &dependencies.fixed, advisory);
}
