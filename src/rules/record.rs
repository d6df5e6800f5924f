//! Judgement and evidence → the record that everybody reads.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::advisories;
use super::compare::PatchFile;
use super::evidence::Evidence;
use super::judge::Judgement;
use super::thresholds::Thresholds;
use crate::model::{
    CheckRun, ComplexityMetrics, CoverageMetrics, Decision, Finding, Level, LintMetrics, Metrics,
    PatchCoverage, Ratio, Record, RegressionVerdict, SCHEMA_VERSION, TestMetrics, TestStatus,
    ToolRef, Verdict,
};

/// Findings and names that a record lists at most; the counts are exact all the same, and every one
/// is kept with the measurement. A hook has to read a record in milliseconds.
const MOST_LISTED: usize = 1000;

/// What the record says besides the judgement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The commit.
    pub sha: String,
    /// Its tree.
    pub tree: String,
    /// Its branch; empty where it is on none.
    pub branch: String,
    /// Whether the tree that was measured had changes that are not in the commit.
    pub dirty: bool,
    /// Base ref, rung of the ladder, merge-base; none where no base commit exists.
    pub base: Option<(String, String, String)>,
    /// Why the base could not be measured.
    pub base_failed: Option<String>,
    /// Now, ISO-8601.
    pub at: String,
    /// Where the configuration was read.
    pub config_source: String,
    /// Digest of the configuration.
    pub config_sha256: String,
    /// The checks as they went.
    pub checks: Vec<CheckRun>,
    /// The tree's files, for the languages.
    pub stack: Vec<String>,
    /// What the judgement cannot know and a person should.
    pub warnings: Vec<String>,
}

/// Makes the record.
pub fn record(about: About, head: &Evidence, judgement: &Judgement, limits: &Thresholds) -> Record {
    let blocks = !judgement.decision.approves();
    let mut warnings = about.warnings;
    warnings.extend(judgement.warnings.iter().cloned());
    let mut verdict_other = Map::new();
    verdict_other.insert("shortfalls".into(), json!(judgement.shortfalls));
    let (base_branch, base_rung, base_sha) = match about.base {
        Some((name, rung, sha)) => (name, Some(rung), Some(sha)),
        None => (String::new(), None, None),
    };
    Record {
        schema_version: SCHEMA_VERSION.to_string(),
        sha: about.sha,
        branch: about.branch,
        computed_at: about.at.clone(),
        dirty_tree: about.dirty,
        base_branch,
        stack_detected: json!(about.stack),
        metrics: metrics(head, judgement, limits, &about.checks),
        spec_drift: head.drift.as_ref().map_or(json!({}), |d| d.value(limits)),
        verdict: Verdict {
            block: blocks,
            block_reasons: judgement.reasons.clone(),
            warnings,
            other: verdict_other,
        },
        baseline_synthetic: base_sha.is_none(),
        base_sha,
        current_scores: Some(judgement.scores.clone()),
        baseline_scores: judgement.base_scores.clone(),
        deltas: judgement.deltas.clone(),
        regression_verdict: Some(regression(judgement)),
        // Nobody is asked here; other tools of this schema look for the key.
        reviewer_verdict: Some(Value::Null),
        budget_snapshot_at: Some(json!(about.at)),
        baseline_failed: about.base_failed,
        base_rung,
        tree_sha: Some(about.tree),
        config_source: Some(about.config_source),
        config_sha256: Some(about.config_sha256),
        is_bot_pr: Some(head.is_bot),
        checks: about.checks,
        tool: Some(ToolRef {
            name: env!("CARGO_PKG_NAME").to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }),
        other: Map::new(),
    }
}

fn regression(judgement: &Judgement) -> RegressionVerdict {
    RegressionVerdict {
        block_dimensions: judgement.block_dimensions.clone(),
        warn_dimensions: judgement.warn_dimensions.clone(),
        improved_dimensions: judgement.improved_dimensions.clone(),
        hard_floor_breaches: judgement.breaches.iter().map(|b| json!(b)).collect(),
        decision: judgement.decision,
        reason: judgement.sentence.clone(),
        other: Map::new(),
    }
}

fn metrics(
    head: &Evidence,
    judgement: &Judgement,
    limits: &Thresholds,
    checks: &[CheckRun],
) -> Metrics {
    let source = |has: fn(&Value) -> bool| {
        let kinds = |c: &CheckRun| c.other.get("kinds").is_some_and(has);
        json!(checks.iter().filter(|c| kinds(c)).map(|c| c.name.clone()).collect::<Vec<_>>())
    };
    Metrics {
        coverage: head
            .coverage
            .as_ref()
            .map(|_| coverage(head, judgement, source(|k| lists(k, "coverage")))),
        lint: Some(lint(head, judgement, source(|k| lists(k, "lint")))),
        complexity: head.complexity.as_ref().map(|functions| ComplexityMetrics {
            max_cyclomatic: functions.iter().map(|f| u64::from(f.cyclomatic)).max(),
            files_over_threshold: json!(
                functions
                    .iter()
                    .filter(|f| u64::from(f.cyclomatic) > limits.max_complexity)
                    .map(|f| format!("{}:{} {} {}", f.path, f.line, f.name, f.cyclomatic))
                    .take(MOST_LISTED)
                    .collect::<Vec<_>>()
            ),
            source: source(|k| lists(k, "complexity")),
            other: Map::new(),
        }),
        ci_quality: super::ci::metrics(head, &judgement.ci, MOST_LISTED),
        tests: head.tests.as_ref().map(|tests| {
            let failing = head.failing_tests().unwrap_or_default();
            TestMetrics {
                passed: tests.count(TestStatus::Passed),
                failed: tests.count(TestStatus::Failed),
                errored: tests.count(TestStatus::Errored),
                skipped: tests.count(TestStatus::Skipped),
                cases_failed: failing.iter().take(MOST_LISTED).map(|s| (*s).to_string()).collect(),
                other: Map::new(),
            }
        }),
        dependencies: head
            .dependencies
            .as_ref()
            .map(|list| advisories::metrics(head, &judgement.known_advisories, list, MOST_LISTED)),
        patch_coverage: head.coverage.as_ref().map(|_| patch(&judgement.patch)),
        other: Map::new(),
    }
}

fn lists(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|k| k.iter().any(|v| v == kind))
}

fn coverage(head: &Evidence, judgement: &Judgement, source: Value) -> CoverageMetrics {
    let figures = head.coverage.clone().unwrap_or_default();
    let totals = figures.totals();
    let percent = |hit, found| Ratio::new(hit, found).map(|r| six(r.percent().to_f64()));
    let per_file: BTreeMap<&str, Option<f64>> = figures
        .files
        .iter()
        .take(MOST_LISTED)
        .map(|f| (f.path.as_str(), f.totals()))
        .map(|(path, t)| (path, percent(t.lines_hit, t.lines_found)))
        .collect();
    let mut other = Map::new();
    if !judgement.lost.is_empty() {
        let lost: Vec<String> = judgement
            .lost
            .iter()
            .take(MOST_LISTED)
            .map(|(path, line)| format!("{path}:{line}"))
            .collect();
        other.insert("lines_no_longer_covered".into(), json!(lost));
    }
    let unstable: Vec<String> = figures
        .files
        .iter()
        .flat_map(|f| f.unstable.iter().map(|line| format!("{}:{line}", f.path)))
        .take(MOST_LISTED)
        .collect();
    if !unstable.is_empty() {
        other.insert("unstable_lines".into(), json!(unstable));
    }
    CoverageMetrics {
        overall_pct: percent(totals.lines_hit, totals.lines_found),
        delta_vs_base: judgement.line_delta.map(six),
        per_file: json!(per_file),
        source,
        lines_found: Some(totals.lines_found),
        lines_hit: Some(totals.lines_hit),
        other,
    }
}

fn six(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn lint(head: &Evidence, judgement: &Judgement, source: Value) -> LintMetrics {
    let Some(findings) = &head.lint else {
        return LintMetrics {
            available: json!(false),
            reason: json!("no check reported findings"),
            ..LintMetrics::default()
        };
    };
    let count = |level| findings.iter().filter(|f| f.level == level).count() as u64;
    // What is new and weighs most comes first, since the list is cut.
    let baseline = &judgement.baseline;
    let mut order: Vec<(bool, std::cmp::Reverse<Level>, usize, &Finding)> = findings
        .iter()
        .enumerate()
        .map(|(i, f)| (!baseline.counts_as_new(i, f.level), std::cmp::Reverse(f.level), i, f))
        .collect();
    order.sort_by_key(|(known, level, ..)| (*known, *level));
    let listed: Vec<Value> = order
        .iter()
        .take(MOST_LISTED)
        .map(|(_, _, i, finding)| {
            let mut value = json!(finding);
            let state = baseline.states.get(*i).map_or("new", |s| s.word());
            value["baseline_state"] = json!(state);
            if let Some(from) = baseline.moved_from.get(*i).and_then(Option::as_ref) {
                value["moved_from"] = json!(from);
            }
            value
        })
        .collect();
    LintMetrics {
        errors: Some(count(Level::Error)),
        warnings: Some(count(Level::Warning)),
        findings: json!(listed),
        source,
        available: json!(true),
        reason: Value::Null,
        other: Map::new(),
    }
}

fn patch(files: &[PatchFile]) -> PatchCoverage {
    let (covered, total) = files.iter().fold((0, 0), |(c, t), f| (c + f.covered, t + f.total));
    let mut room = MOST_LISTED;
    let per_file: Map<String, Value> = files
        .iter()
        .take(MOST_LISTED)
        .map(|f| {
            let missing = &f.missing[..f.missing.len().min(room)];
            room -= missing.len();
            let file = json!({ "covered": f.covered, "total": f.total, "missing": missing });
            (f.path.clone(), file)
        })
        .collect();
    PatchCoverage {
        covered,
        total,
        pct: Ratio::new(covered, total).map(|r| six(r.percent().to_f64())),
        per_file: Value::Object(per_file),
        other: Map::new(),
    }
}

/// Whether a record may stand for its commit: it decides something, and it is about that commit.
pub fn stands_for(record: &Record, sha: &str) -> bool {
    record.sha == sha && !record.dirty_tree
}

/// Whether a stored record was made the way one would be made now, against this merge-base and by
/// the configuration with this digest. Records of others count as they are: nobody here can make
/// them anew. One whose base could not be measured is made anew: it may be possible by now.
pub fn still_holds(record: &Record, sha: &str, base: Option<&str>, config_sha256: &str) -> bool {
    let ours = record.tool.as_ref().is_some_and(|t| t.name == env!("CARGO_PKG_NAME"));
    let current = record.base_sha.as_deref() == base
        && record.config_sha256.as_deref() == Some(config_sha256)
        && record.baseline_failed.is_none();
    let measured_here = !record.checks.is_empty() || record.metrics.ci_quality.is_some();
    stands_for(record, sha) && (!ours || !measured_here || current)
}

/// Languages by the names of a tree's files, most frequent first.
pub fn stack<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    const BY_ENDING: &[(&str, &str)] = &[
        ("rs", "rust"),
        ("py", "python"),
        ("js", "javascript"),
        ("mjs", "javascript"),
        ("jsx", "javascript"),
        ("ts", "typescript"),
        ("tsx", "typescript"),
        ("go", "go"),
        ("java", "java"),
        ("kt", "kotlin"),
        ("c", "c"),
        ("h", "c"),
        ("cc", "cpp"),
        ("cpp", "cpp"),
        ("hpp", "cpp"),
        ("rb", "ruby"),
        ("cs", "csharp"),
        ("sh", "shell"),
        ("php", "php"),
        ("swift", "swift"),
    ];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        let ending = path.rsplit('/').next().and_then(|n| n.rsplit_once('.')).map(|(_, e)| e);
        if let Some((_, language)) = BY_ENDING.iter().find(|(e, _)| Some(*e) == ending) {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut languages: Vec<(&str, usize)> = counts.into_iter().collect();
    languages.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    languages.into_iter().map(|(name, _)| name.to_string()).collect()
}

/// A record's decision, worded for one line.
pub fn headline(decision: Decision) -> &'static str {
    match decision {
        Decision::AutoApprove => "approved",
        Decision::ReviewerHandoff => "approved, a reviewer should look",
        Decision::BlockRegression => "blocked",
        Decision::BlockHardFloor => "blocked: a hard floor is broken",
        Decision::SeverelyDegraded => "not measured well enough to judge",
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
