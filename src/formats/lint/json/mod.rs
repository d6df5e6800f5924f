//! Linters that write JSON. Most are a row of data for one reader (`table`); a format that fits no row
//! has a file of its own.

mod checkov;
mod rows;
mod table;

use table::{GRADES, PLAIN, Rows, Spec, WORDS};

use crate::formats::{Format, FormatKind, reading};
use crate::model::Level;

/// A format of the table.
macro_rules! format {
    ($name:literal, $tools:literal, $spec:expr) => {{
        static SPEC: Spec = $spec;
        Format {
            name: $name,
            kind: FormatKind::Lint,
            tools: $tools,
            sniff: |head| table::sniff(&SPEC, head),
            read: |input| reading(input, |text| table::parse(&SPEC, text)),
        }
    }};
}

/// The formats of this folder.
pub(in crate::formats) static FORMATS: &[Format] = &[
    format!(
        "pylint-json",
        "pylint (--output-format=json)",
        Spec {
            tool: "pylint",
            row_keys: &["type", "symbol", "message-id", "path"],
            rule: &["symbol"],
            level: (&["type"], WORDS, Level::Warning),
            ..PLAIN
        }
    ),
    format!(
        "pylint-json2",
        "pylint (--output-format=json2)",
        Spec {
            tool: "pylint",
            rows: Rows::Key("messages", &["statistics"]),
            row_keys: &["type", "symbol", "messageId", "path"],
            rule: &["symbol"],
            level: (&["type"], WORDS, Level::Warning),
            ..PLAIN
        }
    ),
    format!(
        "mypy-json",
        "mypy (--output=json)",
        Spec {
            tool: "mypy",
            rows: Rows::Lines,
            row_keys: &["file", "line", "code", "severity", "hint"],
            ..PLAIN
        }
    ),
    format!(
        "pyright-json",
        "pyright, basedpyright (--outputjson)",
        Spec {
            tool: "pyright",
            rows: Rows::Key("generalDiagnostics", &["version", "summary"]),
            row_keys: &["file", "severity", "message"],
            line: &["range.start.line"],
            from_zero: true,
            rule: &["rule"],
            ..PLAIN
        }
    ),
    format!(
        "golangci-json",
        "golangci-lint",
        Spec {
            tool: "golangci-lint",
            rows: Rows::Key("Issues", &["Report"]),
            row_keys: &["FromLinter", "Text"],
            path: &["Pos.Filename"],
            line: &["Pos.Line"],
            rule: &["FromLinter"],
            message: &["Text"],
            // It exits with 1 for any issue.
            level: (&["Severity"], WORDS, Level::Error),
            ..PLAIN
        }
    ),
    format!(
        "shellcheck-json",
        "shellcheck (-f json)",
        Spec { tool: "shellcheck", row_keys: &["file", "endLine", "level", "code"], ..PLAIN }
    ),
    format!(
        "shellcheck-json1",
        "shellcheck (-f json1)",
        Spec {
            tool: "shellcheck",
            rows: Rows::Key("comments", &[]),
            row_keys: &["file", "endLine", "level", "code"],
            ..PLAIN
        }
    ),
    format!(
        "hadolint-json",
        "hadolint (-f json)",
        Spec {
            tool: "hadolint",
            row_keys: &["line", "code", "column", "file", "level", "message"],
            without: &["endLine"],
            ..PLAIN
        }
    ),
    format!(
        "rubocop-json",
        "RuboCop (--format json)",
        Spec {
            tool: "rubocop",
            rows: Rows::Key("files", &["metadata", "summary"]),
            inner: Some("offenses"),
            row_keys: &["path", "offenses"],
            line: &["location.start_line", "location.line"],
            rule: &["cop_name"],
            ..PLAIN
        }
    ),
    format!(
        "stylelint-json",
        "stylelint (--formatter json)",
        Spec {
            tool: "stylelint",
            inner: Some("warnings"),
            row_keys: &["source", "warnings", "errored"],
            path: &["source"],
            rule: &["rule"],
            message: &["text"],
            ..PLAIN
        }
    ),
    format!(
        "gitlab-codequality-json",
        "tools that write GitLab's code quality report",
        Spec {
            tool: "code quality",
            row_keys: &["description", "fingerprint", "location"],
            path: &["location.path"],
            line: &["location.lines.begin", "location.positions.begin.line"],
            rule: &["check_name"],
            message: &["description"],
            level: (&["severity"], GRADES, Level::Warning),
            fingerprint: &["fingerprint"],
            ..PLAIN
        }
    ),
    format!(
        "semgrep-json",
        "semgrep, opengrep (--json)",
        Spec {
            tool: "semgrep",
            rows: Rows::Key("results", &["errors"]),
            row_keys: &["check_id", "path", "extra"],
            without: &["metrics"],
            line: &["start.line"],
            rule: &["check_id"],
            message: &["extra.message"],
            level: (&["extra.severity"], GRADES, Level::Warning),
            fingerprint: &["extra.fingerprint"],
            suppressed: Some("extra.is_ignored"),
            errors: Some("errors"),
            ..PLAIN
        }
    ),
    format!(
        "bandit-json",
        "bandit (-f json)",
        Spec {
            tool: "bandit",
            rows: Rows::Key("results", &["errors", "generated_at", "metrics"]),
            row_keys: &["test_id", "issue_severity", "filename"],
            path: &["filename"],
            line: &["line_number"],
            rule: &["test_id"],
            message: &["issue_text"],
            level: (&["issue_severity"], GRADES, Level::Warning),
            errors: Some("errors"),
            ..PLAIN
        }
    ),
    format!(
        "gosec-json",
        "gosec (-fmt json)",
        Spec {
            tool: "gosec",
            rows: Rows::Key("Issues", &["Golang errors", "Stats"]),
            row_keys: &["rule_id", "details", "file"],
            rule: &["rule_id"],
            message: &["details"],
            level: (&["severity"], GRADES, Level::Warning),
            ..PLAIN
        }
    ),
    checkov::FORMAT,
    format!(
        "swiftlint-json",
        "SwiftLint (--reporter json)",
        Spec {
            tool: "swiftlint",
            row_keys: &["rule_id", "reason", "file", "severity", "type"],
            rule: &["rule_id"],
            message: &["reason"],
            ..PLAIN
        }
    ),
    format!(
        "actionlint-json",
        "actionlint (-format '{{json .}}')",
        Spec {
            tool: "actionlint",
            row_keys: &["message", "filepath", "line", "kind", "snippet"],
            path: &["filepath"],
            rule: &["kind"],
            level: (&[], &[], Level::Error),
            ..PLAIN
        }
    ),
    format!(
        "rdjson",
        "reviewdog, ruff (--output-format=rdjson)",
        Spec {
            tool: "rdjson",
            rows: Rows::Key("diagnostics", &["source"]),
            row_keys: &["message", "location"],
            path: &["location.path"],
            line: &["location.range.start.line"],
            rule: &["code.value"],
            ..PLAIN
        }
    ),
    format!(
        "brakeman-json",
        "Brakeman (-f json)",
        Spec {
            tool: "brakeman",
            rows: Rows::Key("warnings", &["scan_info"]),
            row_keys: &["warning_type", "fingerprint", "message"],
            rule: &["check_name", "warning_type"],
            level: (
                &["confidence"],
                &[("high", Level::Error), ("medium", Level::Warning), ("weak", Level::Note)],
                Level::Warning
            ),
            fingerprint: &["fingerprint"],
            ..PLAIN
        }
    ),
    format!(
        "tfsec-json",
        "tfsec (--format json)",
        Spec {
            tool: "tfsec",
            rows: Rows::Key("results", &[]),
            row_keys: &["rule_id", "location", "severity", "resolution"],
            without: &["errors", "metrics", "experimental_config"],
            passed: Some(("passed", "true")),
            path: &["location.filename"],
            line: &["location.start_line"],
            rule: &["long_id", "rule_id"],
            message: &["description", "rule_description"],
            level: (&["severity"], GRADES, Level::Warning),
            ..PLAIN
        }
    ),
    format!(
        "tflint-json",
        "tflint (--format json)",
        Spec {
            tool: "tflint",
            rows: Rows::Key("issues", &[]),
            row_keys: &["rule", "message", "range"],
            path: &["range.filename"],
            line: &["range.start.line"],
            rule: &["rule.name"],
            level: (&["rule.severity"], WORDS, Level::Warning),
            errors: Some("errors"),
            ..PLAIN
        }
    ),
    format!(
        "staticcheck-json",
        "staticcheck (-f json)",
        Spec {
            tool: "staticcheck",
            rows: Rows::Lines,
            row_keys: &["code", "severity", "location", "message", "end"],
            path: &["location.file"],
            line: &["location.line"],
            ..PLAIN
        }
    ),
    format!(
        "revive-json",
        "revive (-formatter json)",
        Spec {
            tool: "revive",
            row_keys: &["Severity", "Failure", "RuleName", "Position"],
            path: &["Position.Start.Filename"],
            line: &["Position.Start.Line"],
            rule: &["RuleName"],
            message: &["Failure"],
            level: (&["Severity"], WORDS, Level::Warning),
            ..PLAIN
        }
    ),
    format!(
        "markdownlint-json",
        "markdownlint (--json)",
        Spec {
            tool: "markdownlint",
            row_keys: &["fileName", "lineNumber", "ruleNames", "ruleDescription"],
            path: &["fileName"],
            line: &["lineNumber"],
            rule: &["ruleNames.0"],
            message: &["ruleDescription"],
            ..PLAIN
        }
    ),
    format!(
        "cfn-lint-json",
        "cfn-lint (--format json)",
        Spec {
            tool: "cfn-lint",
            row_keys: &["Filename", "Level", "Location", "Message", "Rule"],
            path: &["Filename"],
            line: &["Location.Start.LineNumber"],
            rule: &["Rule.Id"],
            message: &["Message"],
            level: (&["Level"], WORDS, Level::Warning),
            ..PLAIN
        }
    ),
    rows::FORMAT,
];

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
