//! Evidence of head and base → the decision, in the order of the contract:
//! could not be judged → a hard floor is broken → a limit is broken or a score fell too far → a
//! score fell noticeably → approved.

use super::advisories::known_advisories;
use super::baseline::{Baseline, baseline};
use super::ci::{self, CiBaseline};
use super::compare::{PatchFile, lost_lines, not_in_report, patch_coverage};
use super::comparison::vanished_suites;
use super::drift::{self, Drift};
use super::evidence::Evidence;
use super::limits::Sides;
use super::scores::{deltas, scores};
use super::thresholds::{Severity, Thresholds};
use crate::model::{
    BlockReason, Decimal, Decision, DiffMap, Dimension, Scores, TestFigures, decimals_apart,
};

/// What the head is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Base<'a> {
    /// The merge-base's evidence.
    Measured(&'a Evidence),
    /// A merge-base exists and could not be measured: why. Absolute limits count.
    Failed(&'a str),
    /// No base commit exists. Absolute limits count.
    Synthetic,
}

/// The judgement of one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// Broken limits.
    pub reasons: Vec<BlockReason>,
    /// For each reason how far it is missed and where, for people; may be empty.
    pub shortfalls: Vec<String>,
    /// One sentence that says why the decision is what it is.
    pub sentence: String,
    /// What does not decide and should be known.
    pub warnings: Vec<String>,
    /// Dimensions that fell by more than their hard budget.
    pub block_dimensions: Vec<String>,
    /// Dimensions that fell by more than their warn budget.
    pub warn_dimensions: Vec<String>,
    /// Dimensions that rose.
    pub improved_dimensions: Vec<String>,
    /// `security:40.0<60.0`.
    pub breaches: Vec<String>,
    /// Scores of the head.
    pub scores: Scores,
    /// Scores of the base, if measured.
    pub base_scores: Option<Scores>,
    /// Head − base.
    pub deltas: Option<Scores>,
    /// Coverage of the changed lines.
    pub patch: Vec<PatchFile>,
    /// Line coverage of head − base, in points.
    pub line_delta: Option<f64>,
    /// Lines that lost their coverage.
    pub lost: Vec<(String, u32)>,
    /// The findings in bucket quality against the base's.
    pub baseline: Baseline,
    /// The findings of the forge's CI against the base's.
    pub ci: CiBaseline,
    /// For each advisory whether the base had it too.
    pub known_advisories: Vec<bool>,
}

/// Judges a commit.
pub fn judge(head: &Evidence, base: Base<'_>, diff: &DiffMap, limits: &Thresholds) -> Judgement {
    let measured = match base {
        Base::Measured(evidence) => Some(evidence),
        Base::Failed(_) | Base::Synthetic => None,
    };
    let base_coverage = measured.and_then(|b| b.coverage.as_ref());
    let lost = match (base_coverage, &head.coverage) {
        (Some(old), Some(new)) => lost_lines(old, new, diff),
        _ => Vec::new(),
    };
    let patch = head.coverage.as_ref().map(|c| patch_coverage(c, diff)).unwrap_or_default();
    let head_scores = scores(head, lost.len(), limits);
    let base_scores = measured.map(|b| scores(b, 0, limits));
    let deltas = measured.map(|base| comparable(head, base, lost.len(), limits));
    let baseline = baseline(head, measured, diff);
    let ci = CiBaseline::new(head, measured, diff);
    let sides = Sides { head, base: measured, diff, limits, baseline: &baseline, ci: &ci };
    let (reasons, shortfalls) = sides.broken(&patch).into_iter().unzip();
    let mut judgement = Judgement {
        decision: Decision::AutoApprove,
        reasons,
        shortfalls,
        sentence: String::new(),
        warnings: Vec::new(),
        block_dimensions: fallen(deltas.as_ref(), &limits.hard_block),
        warn_dimensions: fallen(deltas.as_ref(), &limits.warn_reviewer),
        improved_dimensions: risen(deltas.as_ref()),
        breaches: breaches(&head_scores, base_scores.as_ref(), limits),
        baseline,
        ci,
        known_advisories: known_advisories(
            head.dependencies.as_deref().unwrap_or_default(),
            measured.and_then(|b| b.dependencies.as_deref()).unwrap_or_default(),
        ),
        line_delta: super::limits::line_delta(head, measured),
        scores: head_scores,
        base_scores,
        deltas,
        patch,
        lost,
    };
    judgement.warnings = warnings(head, base, &judgement.baseline);
    judgement.warnings.extend(coverage_warnings(&judgement, head, diff, limits));
    drift(&mut judgement, head, limits);
    decide(&mut judgement, head);
    judgement
}

/// Head − base of what both sides have: CI findings and forbidden imports of one side alone count on
/// neither, and neither do files beside a plan, which holds this change and nothing before it.
fn comparable(head: &Evidence, base: &Evidence, lost: usize, limits: &Thresholds) -> Scores {
    let without_plan = |e: &Evidence| e.drift.as_ref().and_then(Drift::without_plan);
    let (mut new, mut old) = (without_plan(head), without_plan(base));
    if new.is_some() != old.is_some() {
        (new, old) = (None, None);
    }
    let one_sided = ci::one_sided(head, base);
    if !one_sided && new == head.drift && old == base.drift {
        return deltas(&scores(head, lost, limits), &scores(base, 0, limits));
    }
    let with = |e: &Evidence, drift| {
        let ci = e.ci.filter(|_| !one_sided);
        Evidence { ci, drift, ..e.clone() }
    };
    let (head, base) = (with(head, new), with(base, old));
    deltas(&scores(&head, lost, limits), &scores(&base, 0, limits))
}

fn decide(judgement: &mut Judgement, head: &Evidence) {
    let (decision, sentence) = if let Some(why) = degraded(head, &judgement.scores) {
        (Decision::SeverelyDegraded, why)
    } else if !judgement.breaches.is_empty() {
        let text = format!("a hard floor is broken: {}", judgement.breaches.join(", "));
        (Decision::BlockHardFloor, text)
    } else if !judgement.reasons.is_empty() {
        let n = judgement.reasons.len();
        let limits = if n == 1 { "limit is" } else { "limits are" };
        (Decision::BlockRegression, format!("{n} {limits} broken"))
    } else if !judgement.block_dimensions.is_empty() {
        let text = format!("scores fell too far: {}", judgement.block_dimensions.join(", "));
        (Decision::BlockRegression, text)
    } else if !judgement.warn_dimensions.is_empty() {
        let text = format!("a reviewer should look: {} fell", judgement.warn_dimensions.join(", "));
        (Decision::ReviewerHandoff, text)
    } else {
        (Decision::AutoApprove, "no limit is broken and no score fell".to_string())
    };
    judgement.decision = decision;
    judgement.sentence = sentence;
}

/// Why the commit cannot be judged, if so.
fn degraded(head: &Evidence, scores: &Scores) -> Option<String> {
    if !head.missing.is_empty() {
        let each: Vec<String> =
            head.missing.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        return Some(format!("not measured: {}", each.join("; ")));
    }
    // Who made the change, and what it imports, is known without any check: that is no evidence that
    // the checks gave figures.
    let by_checks =
        |d: &&Dimension| !matches!(d, Dimension::Discipline | Dimension::SpecCompliance);
    let measured = Dimension::ALL.iter().filter(by_checks);
    let measured = measured.filter(|d| scores.get(d.word()).is_some());
    let (measured, planned) = (measured.count(), head.planned.len());
    let nothing = measured == 0 && head.tests.is_none();
    if (planned >= 2 && measured < 2) || nothing {
        let absent: Vec<String> =
            head.absent.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        let tail =
            if absent.is_empty() { String::new() } else { format!(" ({})", absent.join("; ")) };
        return Some(match planned {
            0 => format!("nothing could be measured{tail}"),
            _ => format!("only {measured} of {planned} dimensions could be measured{tail}"),
        });
    }
    None
}

fn fallen(
    deltas: Option<&Scores>,
    budgets: &std::collections::BTreeMap<&'static str, f64>,
) -> Vec<String> {
    let Some(deltas) = deltas else { return Vec::new() };
    let below = |(name, budget): (&&str, &f64)| {
        deltas.get(name).filter(|d| d < budget).map(|_| (*name).to_string())
    };
    budgets.iter().filter_map(below).collect()
}

fn risen(deltas: Option<&Scores>) -> Vec<String> {
    let Some(deltas) = deltas else { return Vec::new() };
    let rose = |d: &&Dimension| deltas.get(d.word()).is_some_and(|delta| delta > 0.0);
    Dimension::ALL.iter().filter(rose).map(|d| d.word().to_string()).collect()
}

fn breaches(head: &Scores, base: Option<&Scores>, limits: &Thresholds) -> Vec<String> {
    let mut breaches = Vec::new();
    for (name, floor) in &limits.hard_floors {
        let Some(score) = head.get(name).filter(|s| s < floor) else { continue };
        let before = base.and_then(|b| b.get(name));
        // With hold_the_line a floor that the base misses too is not broken by standing still.
        let held = limits.hold_the_line && before.is_some_and(|b| b < *floor && score >= b);
        if !held {
            breaches.push(breach(name, score, *floor));
        }
    }
    breaches
}

/// `security:40.0<60.0`.
fn breach(name: &str, score: f64, floor: f64) -> String {
    match Decimal::from_f64(score).zip(Decimal::from_f64(floor)) {
        Some((score, floor)) => {
            let (score, floor) = decimals_apart(score, floor);
            format!("{name}:{score}<{floor}")
        }
        None => format!("{name}:{score}<{floor}"),
    }
}

fn warnings(head: &Evidence, base: Base<'_>, baseline: &Baseline) -> Vec<String> {
    let mut warnings = Vec::new();
    match base {
        Base::Failed(why) => warnings.push(format!("baseline_failed: {why}")),
        Base::Synthetic => warnings.push(
            "baseline_synthetic: there is no base commit, so only absolute limits count"
                .to_string(),
        ),
        Base::Measured(_) => {}
    }
    for (name, why) in &head.absent {
        warnings.push(format!("not measured: {name}: {why}"));
    }
    warnings.extend(baseline.warnings());
    if let Base::Measured(base) = base {
        warnings.extend(ci::warning(head, base));
    }
    if let Base::Measured(base) = base
        && let (Some(old), Some(new)) = (&base.tests, &head.tests)
    {
        let ids = |t: &TestFigures| t.cases.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
        let (old, new) = (ids(old), ids(new));
        for (suite, n) in vanished_suites(old.iter(), new.iter()) {
            warnings.push(format!(
                "suite_vanished: {suite}, of which the base ran {n}, is in no report of this commit"
            ));
        }
    }
    let measured = match base {
        Base::Measured(evidence) => Some(evidence),
        Base::Failed(_) | Base::Synthetic => None,
    };
    warnings.extend(super::advisories::warnings(head, measured));
    warnings
}

/// What coverage says beside its figures.
fn coverage_warnings(
    judgement: &Judgement,
    head: &Evidence,
    diff: &DiffMap,
    limits: &Thresholds,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(coverage) = &head.coverage else { return warnings };
    let unstable = coverage
        .files
        .iter()
        .flat_map(|f| f.unstable.iter().map(|line| format!("{}:{line}", f.path)));
    let unstable: Vec<String> = unstable.collect();
    if !unstable.is_empty() {
        warnings.push(format!(
            "unstable_lines: they ran in one measurement of this content and not in another, and \
             are not counted as lost: {}",
            first_few(&unstable)
        ));
    }
    let foreign: Vec<String> = judgement
        .lost
        .iter()
        .filter(|(path, _)| diff.file(path).is_none())
        .map(|(path, line)| format!("{path}:{line}"))
        .collect();
    if !foreign.is_empty() {
        warnings.push(format!(
            "lines of files that this change does not touch are no longer covered: {}; if they come \
             and go by themselves, git review-evidence --recompute sets them apart",
            first_few(&foreign)
        ));
    }
    let unknown = not_in_report(coverage, diff);
    if limits.min_patch_coverage > Decimal::ZERO && !unknown.is_empty() {
        warnings.push(format!(
            "changed and in no coverage report, so not part of the patch coverage: {}",
            first_few(&unknown)
        ));
    }
    warnings
}

/// Five, and how many more.
fn first_few(names: &[String]) -> String {
    let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn drift(judgement: &mut Judgement, head: &Evidence, limits: &Thresholds) {
    let Some(drift) = &head.drift else { return };
    if limits.drift != Severity::Block {
        judgement.block_dimensions.retain(|d| d != Dimension::SpecCompliance.word());
    }
    if drift.severity(limits) != drift::Severity::High {
        return;
    }
    let reason = BlockReason::DriftHigh { old_spelling: false };
    match limits.drift {
        Severity::Block => {
            judgement.reasons.push(reason);
            judgement.shortfalls.push(drift.sentence(limits));
        }
        Severity::Warn => {
            judgement.warnings.push(format!("{reason}: {}", drift.sentence(limits)));
        }
        Severity::Off => {}
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
