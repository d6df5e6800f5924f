//! `git review-evidence import`: reports in, normalised figures out; needs no repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{import_document, typed};
use crate::cli::args::ImportArgs;
use crate::config::nearest;
use crate::formats;
use crate::host::console::Console;
use crate::host::exit::{Code, Failure};
use crate::measure::read_report;
use crate::model::{
    CoverageFigures, Figures, Finding, LintFigures, Ratio, Reading, Severity, TestFigures,
    TestStatus,
};

/// A report as it was typed.
pub(super) struct Named {
    /// A format's name, or `auto`.
    pub(super) format: String,
    /// Where it lies.
    pub(super) file: PathBuf,
    /// The file as it was typed.
    shown: String,
}

/// Whether it names a report: `FORMAT:FILE` with a known format, or `auto:FILE`.
pub(super) fn is_report(text: &str) -> bool {
    let format = text.split_once(':').map(|(name, _)| name);
    format.is_some_and(|name| name == "auto" || formats::by_name(name).is_some())
}

/// Reads `FORMAT:FILE`; a file alone lets the format be found out.
///
/// # Errors
/// Usage for an unknown format and for a file that is not there.
pub(super) fn named(dir: Option<&Path>, text: &str) -> anyhow::Result<Named> {
    let whole = typed(dir, Path::new(text));
    let (format, shown) = match text.split_once(':') {
        Some((name, file)) if name == "auto" || formats::by_name(name).is_some() => (name, file),
        Some((name, _)) if !whole.exists() && !name.contains('/') => {
            return Err(Failure::usage(unknown(name)));
        }
        _ => ("auto", text),
    };
    let file = typed(dir, Path::new(shown));
    if !file.is_file() {
        return Err(Failure::usage(format!("there is no file '{}'", file.display())));
    }
    Ok(Named { format: format.to_string(), file, shown: shown.to_string() })
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = formats::all().map(|f| f.name).chain(["auto"]).collect();
    match nearest(name, &known) {
        Some(near) => format!("no format is called '{name}'; did you mean '{near}'?"),
        None => format!("no format is called '{name}'; known are: {}", known.join(", ")),
    }
}

/// The command.
///
/// # Errors
/// Usage, see [`named`].
pub(super) fn import(
    console: Console,
    dir: Option<&Path>,
    args: &ImportArgs,
) -> anyhow::Result<i32> {
    let reports: Vec<Named> =
        args.reports.iter().map(|text| named(dir, text)).collect::<anyhow::Result<_>>()?;
    let (mut rows, mut parts, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut code = Code::Approved;
    for report in &reports {
        let (mut row, rest) = one(report);
        // The same content twice is one report.
        let again = row.sha256.as_ref().is_some_and(|sha| !seen.insert(sha.clone()));
        match rest {
            Some(rest) if !again => {
                row.counts = true;
                parts.push(rest);
            }
            Some(_) => {}
            None => code = Code::NotJudged,
        }
        rows.push(row);
    }
    let counted = || rows.iter().filter(|r| r.counts).filter_map(|r| r.lint.as_ref());
    let lists: Vec<&[Finding]> = counted().map(|l| l.findings.as_slice()).collect();
    let findings = Finding::in_order(&lists);
    let others = metrics(&formats::merge(parts));
    let lint = counted().next().map(|_| findings.as_slice());
    console.stream(|out| import_document::write(out, (&others, lint), &rows))?;
    Ok(code as i32)
}

/// One report.
pub(super) struct Row {
    pub(super) path: String,
    pub(super) format: String,
    pub(super) sha256: Option<String>,
    pub(super) outcome: &'static str,
    pub(super) causes: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Its findings.
    pub(super) lint: Option<LintFigures>,
    /// The kinds that its figures have besides.
    pub(super) others: Map<String, Value>,
    /// Its figures are part of the whole.
    counts: bool,
}

#[cfg(test)]
impl Row {
    /// A report of these.
    pub(super) fn sample(findings: Vec<Finding>, others: Map<String, Value>) -> Row {
        Row {
            path: "p".into(),
            format: "sarif".into(),
            sha256: None,
            outcome: "figures",
            causes: vec!["c".into()],
            notes: Vec::new(),
            lint: Some(LintFigures { findings, ..LintFigures::default() }),
            others,
            counts: true,
        }
    }
}

/// One report's row, and its figures besides findings where they may be judged by.
fn one(report: &Named) -> (Row, Option<Figures>) {
    let (format, sha, outcome, causes, mut figures) =
        match read_report(&report.format, &report.file) {
            Err(why) => (report.format.clone(), None, "refused", vec![why], Figures::default()),
            Ok((r, Reading::Refused(why))) => {
                (r.format, Some(r.sha256), "refused", vec![why], Figures::default())
            }
            Ok((r, Reading::Degraded(f, causes))) => {
                (r.format, Some(r.sha256), "degraded", causes, f)
            }
            Ok((r, Reading::Figures(f))) => (r.format, Some(r.sha256), "figures", Vec::new(), f),
        };
    let row = Row {
        path: report.shown.clone(),
        format,
        sha256: sha,
        outcome,
        causes,
        lint: figures.lint.take(),
        others: metrics(&figures),
        notes: std::mem::take(&mut figures.notes),
        counts: false,
    };
    (row, (outcome == "figures").then_some(figures))
}

/// The kinds that the figures have besides findings.
fn metrics(figures: &Figures) -> Map<String, Value> {
    let mut all = Map::new();
    if let Some(tests) = &figures.tests {
        all.insert("tests".into(), of_tests(tests));
    }
    if let Some(coverage) = &figures.coverage {
        all.insert("coverage".into(), of_coverage(coverage));
    }
    if let Some(functions) = &figures.complexity {
        let max = functions.iter().map(|f| f.cyclomatic).max();
        all.insert("complexity".into(), json!({"max_cyclomatic": max, "functions": functions}));
    }
    if let Some(dependencies) = &figures.dependencies {
        let list = &dependencies.advisories;
        let count = |s: Severity| list.iter().filter(|a| a.severity == s).count();
        let value = json!({
            "critical": count(Severity::Critical), "high": count(Severity::High),
            "medium": count(Severity::Medium), "low": count(Severity::Low), "findings": list,
        });
        all.insert("dependencies".into(), value);
    }
    all
}

fn of_tests(tests: &TestFigures) -> Value {
    let failed = |s| matches!(s, TestStatus::Failed | TestStatus::Errored);
    let names: Vec<&str> =
        tests.cases.iter().filter(|c| failed(c.status)).map(|c| c.id.as_str()).collect();
    json!({
        "passed": tests.count(TestStatus::Passed), "failed": tests.count(TestStatus::Failed),
        "errored": tests.count(TestStatus::Errored), "skipped": tests.count(TestStatus::Skipped),
        "cases_failed": names,
    })
}

fn of_coverage(coverage: &CoverageFigures) -> Value {
    let percent =
        |hit, found| Ratio::new(hit, found).map(|r| (r.percent().to_f64() * 1e6).round() / 1e6);
    let per_file: Map<String, Value> = coverage
        .files
        .iter()
        .map(|f| (f.path.clone(), f.totals()))
        .map(|(path, t)| (path, json!(percent(t.lines_hit, t.lines_found))))
        .collect();
    let t = coverage.totals();
    json!({
        "lines_hit": t.lines_hit, "lines_found": t.lines_found,
        "branches_hit": t.branches_hit, "branches_found": t.branches_found,
        "overall_pct": percent(t.lines_hit, t.lines_found), "per_file": per_file,
    })
}
