//! Where a person looks to mend a reason: places out of a record's metrics, whoever wrote them.

use serde_json::Value;

use crate::model::{BlockReason, Record};
use crate::rules::drift::told;

/// How many places are shown of one reason.
const MOST: usize = 10;

/// One place: what is never broken over lines (a path, a name), and what is said about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) at: String,
    pub(super) text: String,
}

/// The first places of a reason, and how many more there are.
pub(super) fn of(record: &Record, reason: &BlockReason) -> (Vec<Spot>, usize) {
    let metrics = &record.metrics;
    let mut spots = match reason {
        BlockReason::LintErrors(..) => lint(record),
        BlockReason::TestFailures(..) => {
            let failed = metrics.tests.iter().flat_map(|t| &t.cases_failed);
            failed.map(|id| Spot { at: id.clone(), text: "failed".into() }).collect()
        }
        BlockReason::CoverageBelowThreshold(..) | BlockReason::PatchCoverage(..) => {
            uncovered(record)
        }
        BlockReason::CoverageDelta(..) => {
            lost(record).into_iter().chain(uncovered(record)).collect()
        }
        BlockReason::ComplexityMax(..) => {
            each(metrics.complexity.as_ref().map(|c| &c.files_over_threshold))
        }
        BlockReason::CiCritical(..) => ci(record, &["critical"]),
        BlockReason::CiHigh(..) => ci(record, &["critical", "high"]),
        BlockReason::Vulnerabilities(..) => {
            each(metrics.dependencies.as_ref().map(|d| &d.findings))
        }
        BlockReason::DriftHigh { .. } => {
            let all = told::violations(record).into_iter().chain(told::unplanned(record));
            all.map(|(at, text)| Spot { at, text }).collect()
        }
        BlockReason::Other(_) => Vec::new(),
    };
    let more = spots.len().saturating_sub(MOST);
    spots.truncate(MOST);
    (spots, more)
}

/// What is to be known of a reason beside its places: why there is such a limit, and what to do.
pub(super) fn remedies(record: &Record, reason: &BlockReason) -> Vec<Spot> {
    if !matches!(reason, BlockReason::DriftHigh { .. }) {
        return Vec::new();
    }
    let remedy = |text: &str| Spot { at: "remedy:".into(), text: text.into() };
    let why = told::reasons(record).into_iter().map(|(at, text)| Spot { at, text });
    let mut spots: Vec<Spot> = why.collect();
    if !told::violations(record).is_empty() {
        spots.push(remedy("import what the rule allows, or change the rule where the base is"));
    }
    if !told::unplanned(record).is_empty() {
        spots.push(remedy("name the file in the plan, or take it out of this change"));
    }
    spots
}

/// The checks that a reason comes from, as far as the record names them.
pub(super) fn checks(record: &Record, reason: &BlockReason) -> Vec<String> {
    let metrics = &record.metrics;
    let (source, kind) = match reason {
        BlockReason::LintErrors(..) => (metrics.lint.as_ref().map(|m| &m.source), "lint"),
        BlockReason::CoverageBelowThreshold(..)
        | BlockReason::CoverageDelta(..)
        | BlockReason::PatchCoverage(..) => {
            (metrics.coverage.as_ref().map(|m| &m.source), "coverage")
        }
        BlockReason::ComplexityMax(..) => {
            (metrics.complexity.as_ref().map(|m| &m.source), "complexity")
        }
        BlockReason::TestFailures(..) => (None, "tests"),
        BlockReason::Vulnerabilities(..) => (None, "dependencies"),
        _ => return Vec::new(),
    };
    let named: Vec<String> =
        list(source).iter().filter_map(|v| v.as_str().map(Into::into)).collect();
    if !named.is_empty() {
        return named;
    }
    let has = |kinds: &Value| list(Some(kinds)).iter().any(|k| k == kind);
    let run = record.checks.iter().filter(|c| c.other.get("kinds").is_some_and(has));
    run.map(|c| c.name.clone()).collect()
}

fn lint(record: &Record) -> Vec<Spot> {
    let findings = list(record.metrics.lint.as_ref().map(|l| &l.findings));
    let mut errors: Vec<&Value> = findings
        .iter()
        .filter(|f| f.get("level").and_then(Value::as_str).is_none_or(|level| level == "error"))
        .collect();
    errors.sort_by_key(|f| matches!(state(f), Some("unchanged" | "not_compared")));
    let remark = |f: &Value| match state(f) {
        Some("unchanged") => " (the base has it too)",
        Some("updated") => " (no error at the base)",
        Some("not_compared") => " (the base was measured by another version of the tool)",
        _ => "",
    };
    errors.into_iter().map(|f| remarked(f, remark(f))).collect()
}

/// The CI's findings of these severities; those that name none, by whoever wrote them, are shown too.
fn ci(record: &Record, severities: &[&str]) -> Vec<Spot> {
    let findings = list(record.metrics.ci_quality.as_ref().map(|c| &c.findings));
    let wanted = |f: &&Value| {
        let severity = f.get("severity").and_then(Value::as_str);
        severity.is_none_or(|s| severities.iter().any(|w| s.eq_ignore_ascii_case(w)))
    };
    let mut wanted: Vec<&Value> = findings.iter().filter(wanted).collect();
    wanted.sort_by_key(|f| state(f) == Some("unchanged"));
    let remark = |f: &Value| match state(f) {
        Some("unchanged") => " (the base has it too)",
        Some("updated") => " (of another severity at the base)",
        _ => "",
    };
    wanted.into_iter().map(|f| remarked(f, remark(f))).collect()
}

fn state(finding: &Value) -> Option<&str> {
    finding.get("baseline_state").and_then(Value::as_str)
}

fn remarked(finding: &Value, remark: &str) -> Spot {
    let mut spot = spot(finding);
    spot.text.push_str(remark);
    spot
}

fn lost(record: &Record) -> Vec<Spot> {
    let lines = record.metrics.coverage.as_ref();
    let lines = lines.and_then(|c| c.other.get("lines_no_longer_covered"));
    let text = |v: &Value| Some(Spot { at: v.as_str()?.into(), text: "no longer covered".into() });
    list(lines).iter().filter_map(text).collect()
}

fn uncovered(record: &Record) -> Vec<Spot> {
    let files = record.metrics.patch_coverage.as_ref().and_then(|p| p.per_file.as_object());
    let spots = files.into_iter().flatten().filter_map(|(path, file)| {
        let missing = list(file.get("missing"));
        let lines: Vec<u64> = missing.iter().filter_map(Value::as_u64).collect();
        (!lines.is_empty()).then(|| Spot {
            at: format!("{path}:{}", ranges(&lines)),
            text: "changed and not covered".into(),
        })
    });
    spots.collect()
}

/// `3-5,9`.
fn ranges(lines: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match parts.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(*line) => *end = *line,
            _ => parts.push((*line, *line)),
        }
    }
    let text = |(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(text).collect::<Vec<_>>().join(",")
}

fn each(values: Option<&Value>) -> Vec<Spot> {
    list(values).iter().map(spot).collect()
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A finding of any tool, by the names that tools usually give to its parts.
fn spot(value: &Value) -> Spot {
    if let Some(text) = value.as_str() {
        return Spot { at: text.into(), text: String::new() };
    }
    let first = |names: &[&str]| names.iter().find_map(|n| value.get(n)).and_then(plain);
    let path = first(&["path", "file", "filename", "package"]);
    let line = first(&["line", "start_line", "row", "version"]);
    let at = match (path, line) {
        (Some(path), Some(line)) => format!("{path}:{line}:"),
        (Some(path), None) => format!("{path}:"),
        (None, _) => String::new(),
    };
    let said = [
        first(&["rule", "code", "rule_id", "id"]),
        first(&["severity"]),
        first(&["message", "title", "description"]),
    ];
    let text = said.into_iter().flatten().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ");
    match at.is_empty() && text.is_empty() {
        true => Spot { at: value.to_string(), text },
        false => Spot { at, text },
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_are_put_together() {
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12]), "3-5,9,11-12");
        assert_eq!(ranges(&[1, u64::MAX]), format!("1,{}", u64::MAX));
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn drift_is_told_as_far_as_the_record_says_it() {
        let reason = BlockReason::DriftHigh { old_spelling: false };
        let told = |drift: serde_json::Value| {
            let record = json!({
                "schema_version": "2.0", "sha": "a".repeat(40), "branch": "x", "computed_at": "",
                "dirty_tree": false, "base_branch": "main", "stack_detected": [], "metrics": {},
                "spec_drift": drift,
                "verdict": {"block": true, "block_reasons": [], "warnings": []}});
            let record: Record = serde_json::from_value(record).unwrap();
            let spots = of(&record, &reason).0.into_iter().chain(remedies(&record, &reason));
            spots.map(|s| format!("{} {}", s.at, s.text)).collect::<Vec<_>>()
        };
        let import = |new: bool, counts: bool| {
            json!({"rule": "r", "path": "a.py", "line": 2, "imports": "b.py", "new": new,
                   "counts": counts, "reason": "why"})
        };
        let said = "a.py:2: imports b.py, which rule r forbids";
        let remedy = "remedy: import what the rule allows, or change the rule where the base is";
        let one = json!({"architecture_violations": [import(false, false), import(true, true)]});
        assert_eq!(told(one), [said, "rule r: why", remedy]);
        let old = json!({"architecture_violations": [import(false, true)]});
        assert_eq!(told(old), [said, "rule r: why", remedy]);
        let plan = json!({"unplanned_files": ["x", 1]});
        let remedy = "remedy: name the file in the plan, or take it out of this change";
        assert_eq!(told(plan), ["x is not in the plan", remedy]);
        for other in [json!({}), json!(null), json!("high"), json!({"unplanned_files": 3})] {
            assert_eq!(told(other), Vec::<String>::new());
        }
    }

    #[test]
    fn a_finding_of_any_tool_has_a_place() {
        for (value, at, text) in [
            (
                json!({"path": "a b.py", "line": 3, "rule": "F401", "message": "m"}),
                "a b.py:3:",
                "F401 m",
            ),
            (json!({"filename": "a", "code": "E1"}), "a:", "E1"),
            (
                json!({"package": "p", "version": "1.2", "id": "GHSA-1", "severity": "high"}),
                "p:1.2:",
                "GHSA-1 high",
            ),
            (json!({"rule": "r", "message": "nowhere"}), "", "r nowhere"),
            (json!("a.py:3 f 20"), "a.py:3 f 20", ""),
            (json!({"line": [1]}), "{\"line\":[1]}", ""),
            (json!(7), "7", ""),
        ] {
            assert_eq!(spot(&value), Spot { at: at.into(), text: text.into() });
        }
    }
}
