//! checkov's JSON: one object, or a list of one for each framework. A failed check is an error, since
//! checkov itself exits with 1 for any; skipped ones are suppressed.

use serde::Deserialize;
use serde_json::Value;

use crate::formats::json;
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "checkov-json",
    kind: FormatKind::Lint,
    tools: "checkov (-o json)",
    sniff: |head| {
        json::shape(&head_text(head)).is_some_and(|s| {
            s.has(&["check_type", "results"])
                || s.has(&["failed", "parsingerrors", "checkov_version"])
                || s.has(&["failed", "parsing_errors", "checkov_version"])
        })
    },
    read: |input| reading(input, parse),
};

/// Small objects, one for each framework.
#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Many(Vec<Framework>),
    One(Box<Framework>),
    Nothing(Nothing),
}

/// Counts alone.
#[derive(Deserialize)]
struct Nothing {
    failed: u64,
    #[serde(alias = "parsingerrors")]
    parsing_errors: u64,
    checkov_version: String,
}

#[derive(Deserialize)]
struct Framework {
    results: Results,
    summary: Value,
}

#[derive(Deserialize)]
struct Results {
    failed_checks: Vec<Check>,
    #[serde(default)]
    skipped_checks: Vec<Value>,
    #[serde(default)]
    parsing_errors: Vec<Value>,
}

#[derive(Deserialize)]
struct Check {
    check_id: String,
    #[serde(default)]
    check_name: String,
    file_path: String,
    #[serde(default)]
    file_line_range: Vec<u64>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut lint, mut causes, mut any) = (LintFigures::default(), Vec::new(), false);
    let mut add = |framework: Framework| {
        any = true;
        let results = framework.results;
        lint.suppressed = lint.suppressed.saturating_add(results.skipped_checks.len() as u64);
        for error in results.parsing_errors.iter().take(10) {
            causes.push(format!("a file could not be read: {error}"));
        }
        if let Some(version) = framework.summary.get("checkov_version").and_then(Value::as_str) {
            lint.tool_version = Some(version.to_string());
        }
        lint.findings.extend(results.failed_checks.into_iter().map(finding));
    };
    let mut text = String::new();
    std::io::Read::read_to_string(input, &mut text).map_err(|e| e.to_string())?;
    match serde_json::from_str(&text) {
        Ok(Report::Many(all)) => all.into_iter().for_each(&mut add),
        Ok(Report::One(one)) => add(*one),
        // what it writes where there was nothing to check
        Ok(Report::Nothing(n)) if n.failed == 0 && n.parsing_errors == 0 => {
            any = true;
            lint.tool_version = Some(n.checkov_version);
        }
        Ok(Report::Nothing(_)) => return Err("it counts failed checks and lists none".into()),
        Err(_) => return Err("it is cut off, or has no results with failed_checks".into()),
    }
    if !any {
        return Err("it has no result of any framework".into());
    }
    Ok((Figures { lint: Some(lint), ..Figures::default() }, causes))
}

fn finding(check: Check) -> Finding {
    let line = check.file_line_range.first().and_then(|n| u32::try_from(*n).ok());
    Finding {
        rule: check.check_id.into(),
        level: Level::Error,
        path: Some(paths::from_path(check.file_path.trim_start_matches('/')).into()),
        line: line.filter(|n| *n > 0),
        message: check.check_name,
        tool: "checkov".into(),
        fingerprint: None,
        line_hash: None,
    }
}
