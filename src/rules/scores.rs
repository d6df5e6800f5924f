//! Scores from 0 to 100 by dimension: the formulas of the reference system.
//!
//! security = 100 − 30·critical − 10·high − 3·medium − 1·low ·
//! quality = 100 − 5·lint errors − 10·files over the complexity limit − 2·dead code − 4·type errors ·
//! coverage = min(line %, branch %) − min(20, ½ · lines that lost their coverage) ·
//! spec_compliance = 100 − 3·files beside the plan − 15·forbidden imports (`drift`) ·
//! discipline = 100 for bots · all clamped at 0. A dimension without figures has no score.

use std::collections::{BTreeMap, BTreeSet};

use super::drift::Drift;
use super::evidence::Evidence;
use super::thresholds::Thresholds;
use crate::model::{Dimension, Finding, Level, Ratio, Scores, Severity};

/// Scores of one commit. `lost` is the number of lines that lost their coverage against the base.
pub fn scores(evidence: &Evidence, lost: usize, limits: &Thresholds) -> Scores {
    let by_dimension = [
        (Dimension::Security, security(evidence)),
        (Dimension::Quality, quality(evidence, limits.max_complexity)),
        (Dimension::Coverage, coverage(evidence, lost)),
        (Dimension::SpecCompliance, evidence.drift.as_ref().map(Drift::score)),
        (Dimension::Discipline, evidence.is_bot.then_some(100.0)),
    ];
    let mut scores = Scores::default();
    for (dimension, score) in by_dimension {
        if let Some(score) = score {
            scores.set(dimension.word(), round(score.max(0.0)));
        }
    }
    if let Some(overall) = overall(&scores, &limits.weights) {
        scores.set("overall", round(overall));
    }
    scores
}

/// Head − base, for the dimensions that both have.
pub fn deltas(head: &Scores, base: &Scores) -> Scores {
    let mut deltas = Scores::default();
    for name in Dimension::ALL.iter().map(|d| d.word()).chain(["overall"]) {
        if let (Some(head), Some(base)) = (head.get(name), base.get(name)) {
            deltas.set(name, round(head - base));
        }
    }
    deltas
}

/// Six decimals: below any budget's precision, above the noise of binary fractions.
fn round(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

fn overall(scores: &Scores, weights: &BTreeMap<&'static str, f64>) -> Option<f64> {
    let present: Vec<(f64, f64)> =
        weights.iter().filter_map(|(name, w)| Some((scores.get(name)?, *w))).collect();
    let weight: f64 = present.iter().map(|(_, w)| w).sum();
    (weight > 0.0).then(|| present.iter().map(|(s, w)| s * w).sum::<f64>() / weight)
}

fn security(evidence: &Evidence) -> Option<f64> {
    let measured =
        evidence.dependencies.is_some() || evidence.security.is_some() || evidence.ci.is_some();
    let advisories = evidence.dependencies.iter().flatten().map(|a| match a.severity {
        Severity::Critical => 30.0,
        Severity::High => 10.0,
        // An advisory that names no severity may be anything but low.
        Severity::Medium | Severity::Unknown => 3.0,
        Severity::Low => 1.0,
    });
    let findings = evidence.security.iter().flatten().map(|f| match f.level {
        Level::Error => 10.0,
        Level::Warning => 3.0,
        Level::Note => 1.0,
        Level::None => 0.0,
    });
    let ci =
        evidence.ci.map_or(0.0, |(critical, high)| 30.0 * count(critical) + 10.0 * count(high));
    measured.then(|| 100.0 - advisories.sum::<f64>() - findings.sum::<f64>() - ci)
}

fn quality(evidence: &Evidence, max_complexity: u64) -> Option<f64> {
    let lists = [(&evidence.lint, 5.0), (&evidence.dead_code, 2.0), (&evidence.types, 4.0)];
    let measured = lists.iter().any(|(l, _)| l.is_some()) || evidence.complexity.is_some();
    let lost: f64 =
        lists.iter().map(|(list, each)| each * errors(list.as_deref().unwrap_or_default())).sum();
    let over: BTreeSet<&str> = evidence
        .complexity
        .iter()
        .flatten()
        .filter(|f| u64::from(f.cyclomatic) > max_complexity)
        .map(|f| f.path.as_str())
        .collect();
    measured.then(|| 100.0 - lost - 10.0 * count(over.len() as u64))
}

fn errors(findings: &[Finding]) -> f64 {
    count(findings.iter().filter(|f| f.level == Level::Error).count() as u64)
}

fn coverage(evidence: &Evidence, lost: usize) -> Option<f64> {
    let totals = evidence.coverage.as_ref()?.totals();
    let percent = |hit, found| Ratio::new(hit, found).map(|r| r.percent().to_f64());
    let lines = percent(totals.lines_hit, totals.lines_found)?;
    // No branch found means that the tool does not look at branches.
    let branches = percent(totals.branches_hit, totals.branches_found).unwrap_or(lines);
    Some(lines.min(branches) - (0.5 * count(lost as u64)).min(20.0))
}

#[allow(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn count(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
#[path = "scores_tests.rs"]
mod tests;
