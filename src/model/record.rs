//! The evidence record: one JSON document per commit, schema 2.0, shared with other tools.
//!
//! Unknown fields are kept wherever they stand, so that reading and writing back loses nothing.
//! Records of 1.x are read as they are; another major version is refused.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::finding::Finding;
use super::reason::BlockReason;
use super::verdict::{Decision, RegressionVerdict, Scores, Verdict};

/// The version written.
pub const SCHEMA_VERSION: &str = "2.0";

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not JSON, or a field has another type.
    #[error("{0}")]
    Malformed(String),
    /// No `schema_version`.
    #[error("it has no 'schema_version', so it is no evidence record")]
    NoVersion,
    /// Another major version.
    #[error("its schema_version is '{0}'; this program reads 1.x and 2.x")]
    Version(String),
}

/// One commit's evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `2.0`; 1.x and 2.x are read.
    pub schema_version: String,
    /// The commit that was measured.
    pub sha: String,
    /// Its branch, empty where it was on none.
    pub branch: String,
    /// When, ISO-8601.
    pub computed_at: String,
    /// Whether the tree had changes that are not in the commit; such a record decides nothing.
    pub dirty_tree: bool,
    /// The branch or ref that the commit was judged against, empty where there was none.
    pub base_branch: String,
    /// Languages and tools found.
    pub stack_detected: Value,
    /// What was measured.
    pub metrics: Metrics,
    /// Changes outside the plan; `severity` is none, low, medium or high.
    pub spec_drift: Value,
    /// The short judgement.
    pub verdict: Verdict,
    /// The merge-base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Scores of this commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_scores: Option<Scores>,
    /// Scores of the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_scores: Option<Scores>,
    /// Current − baseline, in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deltas: Option<Scores>,
    /// The judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression_verdict: Option<RegressionVerdict>,
    /// What a reviewer said, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_verdict: Option<Value>,
    /// When the budgets were read, ISO-8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_snapshot_at: Option<Value>,
    /// No base commit exists: absolute limits only.
    #[serde(default)]
    pub baseline_synthetic: bool,
    /// A base exists and could not be measured: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_failed: Option<String>,
    /// How the base was found: the rung of the ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rung: Option<String>,
    /// The commit's tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
    /// Where the configuration was read: base, base_tip, head, worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_source: Option<String>,
    /// SHA-256 of the configuration that judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_sha256: Option<String>,
    /// The change was made by a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_bot_pr: Option<bool>,
    /// What was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckRun>,
    /// Who wrote this record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolRef>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// `metrics`; a key that is absent was not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each type says it")]
pub struct Metrics {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lint: Option<LintMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<ComplexityMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_quality: Option<CiMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<DependencyMetrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_coverage: Option<PatchCoverage>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Line coverage of the whole tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageMetrics {
    /// Percent of coverable lines that ran, rounded to six decimals; the counts are exact.
    #[serde(default)]
    pub overall_pct: Option<f64>,
    /// Percentage points against the base.
    #[serde(default)]
    pub delta_vs_base: Option<f64>,
    /// Path to percent.
    #[serde(default)]
    pub per_file: Value,
    /// The checks that say so.
    #[serde(default)]
    pub source: Value,
    /// Coverable lines, and how many ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_found: Option<u64>,
    #[allow(missing_docs, reason = "see lines_found")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_hit: Option<u64>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Findings of linters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LintMetrics {
    /// Findings of level error.
    #[serde(default)]
    pub errors: Option<u64>,
    /// Findings of level warning.
    #[serde(default)]
    pub warnings: Option<u64>,
    /// The findings.
    #[serde(default)]
    pub findings: Value,
    /// The checks that say so.
    #[serde(default)]
    pub source: Value,
    /// Whether lint was measured.
    #[serde(default)]
    pub available: Value,
    /// Why not.
    #[serde(default)]
    pub reason: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl LintMetrics {
    /// The findings that have our shape.
    pub fn typed_findings(&self) -> Vec<Finding> {
        self.findings.as_array().map_or_else(Vec::new, |list| {
            list.iter().filter_map(|v| serde_json::from_value(v.clone()).ok()).collect()
        })
    }
}

/// Cyclomatic complexity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComplexityMetrics {
    /// The largest number of any function.
    #[serde(default)]
    pub max_cyclomatic: Option<u64>,
    /// Files that hold a function over the limit.
    #[serde(default)]
    pub files_over_threshold: Value,
    /// The checks that say so.
    #[serde(default)]
    pub source: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Findings of the forge's CI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the reference format's names")]
pub struct CiMetrics {
    #[serde(default)]
    pub available: Value,
    #[serde(default)]
    pub ci_run_id: Value,
    #[serde(default)]
    pub problems_critical: Option<u64>,
    #[serde(default)]
    pub problems_high: Option<u64>,
    #[serde(default)]
    pub findings: Value,
    #[serde(default)]
    pub source: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Test counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "JUnit's words")]
pub struct TestMetrics {
    #[serde(default)]
    pub passed: u64,
    #[serde(default)]
    pub failed: u64,
    #[serde(default)]
    pub errored: u64,
    #[serde(default)]
    pub skipped: u64,
    /// Identities of those that failed or errored.
    #[serde(default)]
    pub cases_failed: Vec<String>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Advisories against dependencies, by severity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "severities")]
pub struct DependencyMetrics {
    #[serde(default)]
    pub critical: u64,
    #[serde(default)]
    pub high: u64,
    #[serde(default)]
    pub medium: u64,
    #[serde(default)]
    pub low: u64,
    /// The advisories.
    #[serde(default)]
    pub findings: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Coverage of the lines that the change adds or edits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PatchCoverage {
    /// Changed coverable lines that ran.
    #[serde(default)]
    pub covered: u64,
    /// Changed coverable lines.
    #[serde(default)]
    pub total: u64,
    /// Percent; null where total is 0.
    #[serde(default)]
    pub pct: Option<f64>,
    /// Path to `{covered, total, missing: [line]}`.
    #[serde(default)]
    pub per_file: Value,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Gave figures.
    Measured,
    /// Figures kept from an earlier run on the same tree by the same tool.
    Reused,
    /// Ran or was read, but did not finish its work.
    Degraded,
    /// Gave no figures.
    Failed,
    /// Was ended at its deadline.
    Timeout,
    /// Was not asked to run.
    NotRun,
}

/// One check of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckRun {
    /// Its name in the configuration.
    pub name: String,
    /// How it went.
    pub status: CheckStatus,
    /// Its exit code, null where it was ended by a signal or not started.
    pub exit: Option<i32>,
    /// How long it ran.
    pub seconds: f64,
    /// What it wrote.
    #[serde(default)]
    pub reports: Vec<ReportRef>,
    /// Why there are no figures, or what a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Paths of the tree that it wrote to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A report by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRef {
    /// Relative to the check's output folder; `-` is standard output.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// Of its bytes.
    pub sha256: String,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ToolRef {
    pub name: String,
    pub version: String,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// Where the text is no JSON object of this schema; the message names the field or line.
    pub fn parse(text: &[u8]) -> Result<Record, RecordError> {
        // Typed at once, since hooks read records in milliseconds; the version is looked at on its
        // own only where that fails, to name it instead of a field that it changed.
        let typed: Result<Record, _> = serde_json::from_slice(text);
        match &typed {
            Ok(record) => version_is_read(&record.schema_version)?,
            Err(_) => version_of(text)?,
        }
        typed.map_err(|e| malformed(&e))
    }

    /// The decision; a 1.x record without one blocks where its verdict does.
    pub fn decision(&self) -> Decision {
        match &self.regression_verdict {
            Some(verdict) => verdict.decision,
            None if self.verdict.block => Decision::BlockRegression,
            None => Decision::AutoApprove,
        }
    }

    /// Why it is blocked.
    pub fn reasons(&self) -> &[BlockReason] {
        &self.verdict.block_reasons
    }

    /// The floors that are broken, as text.
    pub fn hard_floor_breaches(&self) -> Vec<String> {
        let breaches = self.regression_verdict.as_ref().map(|v| v.hard_floor_breaches.as_slice());
        let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
        breaches.unwrap_or_default().iter().map(text).collect()
    }
}

fn malformed(error: &serde_json::Error) -> RecordError {
    RecordError::Malformed(format!("it is no evidence record: {error}"))
}

/// What a text that does not fit says of its version.
fn version_of(text: &[u8]) -> Result<(), RecordError> {
    let value: Value = serde_json::from_slice(text).map_err(|e| malformed(&e))?;
    match value.get("schema_version") {
        None => Err(RecordError::NoVersion),
        Some(Value::String(version)) => version_is_read(version),
        Some(other) => version_is_read(&other.to_string()),
    }
}

fn version_is_read(version: &str) -> Result<(), RecordError> {
    match version.split('.').next().unwrap_or_default() {
        "1" | "2" => Ok(()),
        _ => Err(RecordError::Version(version.chars().take(40).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn minimal(version: &str) -> Value {
        json!({"schema_version": version, "sha": "a", "branch": "b", "computed_at": "t", "dirty_tree": false,
            "base_branch": "main", "stack_detected": [], "metrics": {}, "spec_drift": {},
            "verdict": {"block": true, "block_reasons": ["lint_errors:3>0", "odd"], "warnings": []}})
    }

    #[test]
    fn versions_1_and_2_are_read_and_others_refused() {
        for version in ["1.0", "1.9", "2.0", "2.7", "2"] {
            assert!(Record::parse(minimal(version).to_string().as_bytes()).is_ok(), "{version}");
        }
        for version in ["3.0", "0.9", "20", "x", ""] {
            let got = Record::parse(minimal(version).to_string().as_bytes());
            assert_eq!(got, Err(RecordError::Version(version.to_string())));
        }
        assert_eq!(Record::parse(b"{}"), Err(RecordError::NoVersion));
        assert!(matches!(Record::parse(b"[1"), Err(RecordError::Malformed(_))));
    }

    #[test]
    fn a_v1_record_without_a_decision_blocks_where_its_verdict_does() {
        let mut value = minimal("1.0");
        let record = Record::parse(value.to_string().as_bytes()).unwrap();
        assert_eq!(record.decision(), Decision::BlockRegression);
        value["verdict"]["block"] = json!(false);
        let record = Record::parse(value.to_string().as_bytes()).unwrap();
        assert_eq!(record.decision(), Decision::AutoApprove);
    }

    #[test]
    fn unknown_fields_survive_at_every_level() {
        let mut value = minimal("2.0");
        value["x"] = json!({"y": 1});
        value["metrics"]["mutation"] = json!({"score": 3});
        value["metrics"]["lint"] = json!({"errors": 3, "linter": "flake"});
        value["verdict"]["who"] = json!("me");
        value["regression_verdict"] =
            json!({"decision": "BLOCK_REGRESSION", "hard_floor_breaches": [{"d": 1}], "n": 2});
        value["current_scores"] = json!({"overall": 55.5, "coverage": null, "style": "A"});
        let record = Record::parse(value.to_string().as_bytes()).unwrap();
        let back = serde_json::to_value(&record).unwrap();
        for pointer in [
            "/x/y",
            "/metrics/mutation/score",
            "/metrics/lint/linter",
            "/verdict/who",
            "/regression_verdict/n",
            "/regression_verdict/hard_floor_breaches/0/d",
            "/current_scores/style",
            "/verdict/block_reasons",
        ] {
            assert_eq!(back.pointer(pointer), value.pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn a_wrong_type_is_named_with_its_line() {
        let text =
            minimal("2.0").to_string().replace("\"dirty_tree\":false", "\"dirty_tree\":\n\"no\"");
        let Err(RecordError::Malformed(message)) = Record::parse(text.as_bytes()) else { panic!() };
        assert!(message.contains("boolean"), "{message}");
    }
}
