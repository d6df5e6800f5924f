//! The limits one by one: each answers whether it is broken, with the reason's exact figures.
//!
//! With `hold_the_line` a limit never asks for better than the base already had, and "had" goes by
//! identity: five old errors mended and five new ones made are five errors too many.

use std::collections::HashMap;

use super::advisories::{count, known_advisories, name};
use super::baseline::Baseline;
use super::ci::CiBaseline;
use super::compare::PatchFile;
use super::evidence::Evidence;
use super::thresholds::{CiLevel, Thresholds};
use crate::model::{
    BlockReason, Decimal, DiffMap, Finding, FunctionComplexity, Level, Ratio, Severity,
    decimals_apart,
};

/// What a limit looks at: the base only where it was measured and the line is to be held.
pub(super) struct Sides<'a> {
    pub(super) head: &'a Evidence,
    pub(super) base: Option<&'a Evidence>,
    pub(super) diff: &'a DiffMap,
    pub(super) limits: &'a Thresholds,
    pub(super) baseline: &'a Baseline,
    pub(super) ci: &'a CiBaseline,
}

impl Sides<'_> {
    fn held(&self) -> Option<&Evidence> {
        self.base.filter(|_| self.limits.hold_the_line)
    }

    /// All broken limits, in the order of the contract, and how far each is missed, for people.
    pub(super) fn broken(&self, patch: &[PatchFile]) -> Vec<(BlockReason, String)> {
        let mut broken = Vec::new();
        broken.extend(self.coverage());
        broken.extend(self.coverage_delta());
        broken.extend(self.lint());
        broken.extend(self.complexity());
        broken.extend(self.ci());
        broken.extend(self.tests());
        broken.extend(self.vulnerabilities());
        broken.extend(self.patch(patch));
        broken
    }

    fn coverage(&self) -> Option<(BlockReason, String)> {
        let head = line_ratio(self.head)?;
        let mut least = self.limits.min_coverage;
        if let Some(base) = self.held().and_then(line_ratio) {
            least = least.least(base.percent());
        }
        if head.percent() >= least {
            return None;
        }
        let (x, y) = decimals_apart(head.percent(), least);
        Some((BlockReason::CoverageBelowThreshold(x, y), shortfall(head, least)))
    }

    fn coverage_delta(&self) -> Option<(BlockReason, String)> {
        let (head, base) = (line_ratio(self.head)?, line_ratio(self.base?)?);
        let delta = head.percent().minus(base.percent());
        let least = Decimal::ZERO.minus(self.limits.max_coverage_drop);
        if delta >= least {
            return None;
        }
        let (x, y) = decimals_apart(delta, least);
        Some((BlockReason::CoverageDelta(x, y), shortfall(head, base.percent().plus(least))))
    }

    fn lint(&self) -> Option<(BlockReason, String)> {
        let errors: Vec<(usize, &Finding)> = self.head.lint_errors()?;
        let is_new =
            |i: &usize| !self.limits.hold_the_line || self.baseline.counts_as_new(*i, Level::Error);
        let new: Vec<&Finding> = errors.iter().filter(|(i, _)| is_new(i)).map(|e| e.1).collect();
        let had = (errors.len() - new.len()) as u64;
        let (n, m) = (errors.len() as u64, self.limits.max_lint_errors.max(had));
        (n > m).then(|| (BlockReason::LintErrors(n, m), places(&new)))
    }

    fn complexity(&self) -> Option<(BlockReason, String)> {
        let limit = self.limits.max_complexity;
        // One old function lets one new one of its name be as complex, the largest first.
        let mut had: HashMap<(&str, &str), Vec<u64>> = HashMap::new();
        for f in self.held().and_then(|b| b.complexity.as_ref()).into_iter().flatten() {
            let path = self.diff.new_path(&f.path).unwrap_or(&f.path);
            had.entry((path, f.name.as_str())).or_default().push(u64::from(f.cyclomatic));
        }
        had.values_mut().for_each(|numbers| numbers.sort_unstable());
        let mut head: Vec<&FunctionComplexity> = self.head.complexity.as_ref()?.iter().collect();
        head.sort_by_key(|f| std::cmp::Reverse(f.cyclomatic));
        let (worst, allowed) = head.into_iter().find_map(|f| {
            let old = had.get_mut(&(f.path.as_str(), f.name.as_str())).and_then(Vec::pop);
            let allowed = limit.max(old.unwrap_or(0));
            (u64::from(f.cyclomatic) > allowed).then_some((f, allowed))
        })?;
        let reason = BlockReason::ComplexityMax(u64::from(worst.cyclomatic), allowed);
        Some((reason, format!("{} at {}:{}", worst.name, worst.path, worst.line)))
    }

    fn ci(&self) -> Option<(BlockReason, String)> {
        let (critical, high) = self.head.ci?;
        let nothing = CiBaseline::default();
        let ci = if self.limits.hold_the_line { self.ci } else { &nothing };
        let had = |severity| ci.how_many(self.head, severity);
        let (had_critical, had_high) = (had(Severity::Critical), had(Severity::High));
        let (reason, severity) = match self.limits.ci_level {
            CiLevel::Off => return None,
            _ if critical > had_critical => {
                (BlockReason::CiCritical(critical, had_critical), Severity::Critical)
            }
            CiLevel::High if high > had_high => {
                (BlockReason::CiHigh(critical, high), Severity::High)
            }
            _ => return None,
        };
        Some((reason, places(&ci.new_ones(self.head, severity))))
    }

    fn tests(&self) -> Option<(BlockReason, String)> {
        let failing = self.head.failing_tests()?;
        // One to one, since two checks may run the same suite.
        let mut left: HashMap<&str, u64> = HashMap::new();
        for id in self.held().and_then(Evidence::failing_tests).unwrap_or_default() {
            *left.entry(id).or_default() += 1;
        }
        let mut known = |id: &str| match left.get_mut(id) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        };
        let new: Vec<&str> = failing.iter().filter(|id| !known(id)).copied().collect();
        let had = (failing.len() - new.len()) as u64;
        let (n, m) = (failing.len() as u64, self.limits.max_test_failures.max(had));
        (n > m).then(|| (BlockReason::TestFailures(n, m), some_of(&new)))
    }

    fn vulnerabilities(&self) -> Option<(BlockReason, String)> {
        let advisories = self.head.dependencies.as_deref()?;
        let base = self.held().and_then(|b| b.dependencies.as_deref()).unwrap_or_default();
        let known = known_advisories(advisories, base);
        let of = |severity| count(advisories, &known, severity);
        let ((critical, old_critical), (high, old_high)) =
            (of(Severity::Critical), of(Severity::High));
        let (max_critical, max_high) = self.limits.max_vulnerabilities;
        let over = critical > max_critical.max(old_critical) || high > max_high.max(old_high);
        over.then(|| {
            let grave = advisories.iter().zip(&known);
            let grave = grave.filter(|(a, known)| a.severity >= Severity::High && !**known);
            let names: Vec<String> = grave.map(|(a, _)| name(a)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let new = if base.is_empty() { "" } else { "new: " };
            let text = format!("{new}{}", some_of(&names));
            (BlockReason::Vulnerabilities(critical, high), text)
        })
    }

    fn patch(&self, patch: &[PatchFile]) -> Option<(BlockReason, String)> {
        let (covered, total) = patch.iter().fold((0, 0), |(c, t), f| (c + f.covered, t + f.total));
        let least = self.limits.min_patch_coverage;
        let ratio = Ratio::new(covered, total)?;
        if total < self.limits.patch_coverage_min_lines || ratio.percent() >= least {
            return None;
        }
        let (x, y) = decimals_apart(ratio.percent(), least);
        Some((BlockReason::PatchCoverage(x, y), shortfall(ratio, least)))
    }
}

/// Line coverage of head − base, in points.
pub(super) fn line_delta(head: &Evidence, base: Option<&Evidence>) -> Option<f64> {
    let (head, base) = (line_ratio(head)?, line_ratio(base?)?);
    Some(head.percent().minus(base.percent()).to_f64())
}

fn line_ratio(evidence: &Evidence) -> Option<Ratio> {
    let totals = evidence.coverage.as_ref()?.totals();
    Ratio::new(totals.lines_hit, totals.lines_found)
}

/// How many of the uncovered lines have to be covered to reach a percentage.
fn shortfall(have: Ratio, least: Decimal) -> String {
    let reached =
        |more: u64| Ratio::new(have.hit + more, have.found).is_some_and(|r| r.percent() >= least);
    let uncovered = have.found - have.hit.min(have.found);
    let (mut low, mut high) = (0, uncovered);
    while low < high {
        let middle = low + (high - low) / 2;
        if reached(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let s = if low == 1 { "" } else { "s" };
    format!(
        "{} of {} lines are covered; {low} more line{s} of the {uncovered} uncovered would reach the limit",
        have.hit, have.found
    )
}

fn places(findings: &[&Finding]) -> String {
    let text = |f: &&Finding| match (&f.path, f.line) {
        (Some(path), Some(line)) => format!("{} at {path}:{line}", f.rule),
        (Some(path), None) => format!("{} in {path}", f.rule),
        _ => f.rule.to_string(),
    };
    let texts: Vec<String> = findings.iter().take(4).map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    listed(&texts, findings.len())
}

fn some_of(names: &[&str]) -> String {
    listed(&names[..names.len().min(4)], names.len())
}

/// At most three, and how many more there are.
fn listed(first: &[&str], all: usize) -> String {
    let shown = first.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if all > 3 { format!("{shown} and {} more", all - 3) } else { shown }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
