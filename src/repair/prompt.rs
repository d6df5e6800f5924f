//! What a fixer is told. Pure: record in, text out.

use crate::config::Check;
use crate::engine::Dispatch;
use crate::model::{Finding, Kind, Record};
use crate::rules::drift::told;

/// Enough to work with; an agent can read the whole record at `$EVIDENCE_RECORD`.
const MOST_FINDINGS: usize = 60;
/// Checks whose commands are shown.
const MOST_CHECKS: usize = 12;

/// The task as text, at most about 16,000 characters. `checks` are those that will judge.
pub(super) fn prompt(
    dispatch: &Dispatch,
    record: &Record,
    checks: &[Check],
    earlier: &[String],
) -> String {
    let mut text = format!(
        "The commit {} is blocked by `{}`. Mend exactly that, with the smallest right change.\n\n",
        record.sha, dispatch.reason
    );
    text.push_str(task(dispatch.kind));
    text.push_str(&details(dispatch.kind, record));
    text.push_str(&how_to_see(checks));
    text.push_str(RULES);
    if !earlier.is_empty() {
        text.push_str("\nEarlier in this run:\n");
        for line in earlier {
            text.push_str(&format!("- {line}\n"));
        }
    }
    text
}

/// The commands that reproduce it.
fn how_to_see(checks: &[Check]) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\nWhat the checks run, at the root of the tree ({out} stands for any folder outside of it):\n",
    );
    for check in checks.iter().take(MOST_CHECKS) {
        let run: String = check.run.trim().chars().take(400).collect();
        text.push_str(&format!("- {}: {run}\n", check.name));
    }
    text
}

const RULES: &str = "
Rules:
- The same checks are run again afterwards, and only they decide. A change that silences a check \
(a suppression, a skipped or weakened test, a lower limit, an edited configuration of a tool or of CI) \
is no repair, and a person sees it.
- Do not commit, push, switch branches, reset, stash or clean. Leave your edits in the working tree.
- Do not touch .git-evidence.toml, CI files, hooks, agents' settings, or files that are not part of the repair.
- If this cannot be mended honestly, write {\"cannot_fix\":\"why\"} to the file named by $EVIDENCE_ANSWER, or \
{\"false_positive\":\"why\"} if the finding is wrong. A person then looks; that is a good answer.
";

fn task(kind: Kind) -> &'static str {
    match kind {
        Kind::Lint => "Mend these findings of the linters in the code itself:\n",
        Kind::Tests => {
            "Mend the code so that these tests pass; the tests are right unless they prove otherwise:\n"
        }
        Kind::Coverage => "Write tests that assert behaviour for code that no test runs yet:\n",
        Kind::Complexity => "Split these functions without changing what they do:\n",
        Kind::Dependencies => "Move these dependencies to versions without the advisory:\n",
        Kind::Ci => "Mend what the CI reports:\n",
        Kind::Drift => {
            "Bring the change back to what was planned and to the rules of the architecture. The plan \
             and the rules are right; do not change them:\n"
        }
        Kind::Unknown => "",
    }
}

fn details(kind: Kind, record: &Record) -> String {
    let metrics = &record.metrics;
    let lines: Vec<String> = match kind {
        Kind::Lint => findings(record),
        Kind::Tests => metrics.tests.iter().flat_map(|t| t.cases_failed.clone()).collect(),
        Kind::Coverage => uncovered(record),
        Kind::Complexity => metrics
            .complexity
            .iter()
            .flat_map(|c| c.files_over_threshold.as_array().cloned().unwrap_or_default())
            .map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_string))
            .collect(),
        Kind::Dependencies => values(metrics.dependencies.as_ref().map(|d| &d.findings)),
        Kind::Ci => values(metrics.ci_quality.as_ref().map(|c| &c.findings)),
        Kind::Drift => drift(record),
        Kind::Unknown => Vec::new(),
    };
    let more = lines.len().saturating_sub(MOST_FINDINGS);
    let mut text: String = lines.iter().take(MOST_FINDINGS).map(|l| format!("- {l}\n")).collect();
    if more > 0 {
        text.push_str(&format!("- and {more} more, see the record at $EVIDENCE_RECORD\n"));
    }
    text
}

fn drift(record: &Record) -> Vec<String> {
    let all = [told::violations(record), told::reasons(record), told::unplanned(record)].concat();
    // Another tool's shape is shown as it is.
    if all.is_empty() {
        return vec![record.spec_drift.to_string()];
    }
    all.into_iter().map(|(at, said)| format!("{at} {said}")).collect()
}

fn findings(record: &Record) -> Vec<String> {
    let Some(lint) = &record.metrics.lint else { return Vec::new() };
    let typed = lint.typed_findings();
    if typed.is_empty() {
        return values(Some(&lint.findings));
    }
    typed.iter().map(place).collect()
}

/// `path:line: rule: message (tool)`.
fn place(f: &Finding) -> String {
    let place = match (&f.path, f.line) {
        (Some(path), Some(line)) => format!("{path}:{line}: "),
        (Some(path), None) => format!("{path}: "),
        _ => String::new(),
    };
    let message: String = f.message.chars().take(300).collect();
    format!("{place}{}: {message} ({})", f.rule, f.tool)
}

fn uncovered(record: &Record) -> Vec<String> {
    let patch = record.metrics.patch_coverage.as_ref();
    let Some(files) = patch.and_then(|p| p.per_file.as_object()) else { return Vec::new() };
    files
        .iter()
        .filter_map(|(path, file)| {
            let lines = file.get("missing")?.as_array()?;
            let lines: Vec<String> = lines.iter().take(40).map(ToString::to_string).collect();
            (!lines.is_empty()).then(|| format!("{path}: changed lines {}", lines.join(", ")))
        })
        .collect()
}

fn values(value: Option<&serde_json::Value>) -> Vec<String> {
    value.and_then(|v| v.as_array()).into_iter().flatten().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_checks_run_is_told() {
        let config = crate::config::Config::parse(
            "f",
            "[[check]]\nname = \"ruff\"\nrun = \"ruff check -o {out}/r .\"\n",
        );
        let told = how_to_see(&config.unwrap().checks);
        assert!(
            told.contains("any folder outside of it")
                && told.ends_with("- ruff: ruff check -o {out}/r .\n")
        );
        assert_eq!(how_to_see(&[]), "");
    }

    #[test]
    fn drift_is_named_place_by_place() {
        let record = |drift: serde_json::Value| -> Record {
            let record = json!({
                "schema_version": "2.0", "sha": "a".repeat(40), "branch": "x", "computed_at": "",
                "dirty_tree": false, "base_branch": "main", "stack_detected": [], "metrics": {},
                "spec_drift": drift,
                "verdict": {"block": true, "block_reasons": [], "warnings": []}});
            serde_json::from_value(record).unwrap()
        };
        let ours = record(json!({
            "severity": "high", "unplanned_files": ["src/x.py"],
            "architecture_violations": [{"rule": "r", "path": "a.py", "line": 2, "imports": "b.py",
                "new": true, "reason": "why"}]}));
        let told = "- a.py:2: imports b.py, which rule r forbids\n- rule r: why\n\
                    - src/x.py is not in the plan\n";
        assert_eq!(details(Kind::Drift, &ours), told);
        let other = record(json!({"severity": "high", "why": "x"}));
        assert_eq!(details(Kind::Drift, &other), "- {\"severity\":\"high\",\"why\":\"x\"}\n");
    }
}
