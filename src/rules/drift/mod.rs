//! Whether a change keeps to its plan and to the rules of the project's architecture.
//!
//! * `plan`: which files a design document names, and which changed files are not among them.
//! * `architecture`: imports that a rule forbids, and which of them the base had already.
//! * `told`: what a record says of it, in sentences.
//!
//! The score `spec_compliance` is 100 − 3·unplanned files − 15·violations. The plan holds the change and
//! nothing before it, so the base has no unplanned files that could be compared: in the difference of
//! the two scores violations alone count, and where no rule is configured there is none.

pub mod architecture;
mod plan;
pub mod told;

pub use plan::{Exempt, Plan, newest};

use serde_json::{Value, json};

use super::thresholds::Thresholds;
use architecture::Violation;

/// Of each list the record has at most so many; counts are exact.
const MOST_LISTED: usize = 1000;

/// What is known of one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Against the plan; none where there is no plan, or it names no file.
    pub plan: Option<AgainstPlan>,
    /// Forbidden imports; none where no rule is configured.
    pub architecture: Option<Vec<Violation>>,
}

/// A change against its plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgainstPlan {
    /// The document.
    pub design: String,
    /// How many files differ from the base.
    pub changed: usize,
    /// Those that are neither in the plan nor left out of account, sorted.
    pub unplanned: Vec<String>,
}

/// How far a change drifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Not at all.
    None,
    /// Hardly.
    Low,
    /// In a part.
    Medium,
    /// It does something else, or breaks a rule of the architecture.
    High,
}

impl Severity {
    /// The word in the record.
    pub fn word(self) -> &'static str {
        match self {
            Severity::None => "none",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
        }
    }
}

/// The table of severities; the first row that holds counts.
///
/// | severity | unplanned files of those that changed | forbidden imports that count |
/// |---|---|---|
/// | high | any | 1 or more |
/// | none | 0 | 0 |
/// | low | up to 2, and up to a tenth | 0 |
/// | medium | 1, or up to a third | 0 |
/// | high | more | 0 |
pub fn severity(changed: usize, unplanned: usize, violations: usize) -> Severity {
    match unplanned {
        _ if violations > 0 => Severity::High,
        0 => Severity::None,
        1 | 2 if unplanned * 10 <= changed => Severity::Low,
        1 => Severity::Medium,
        n if n <= changed / 3 => Severity::Medium,
        _ => Severity::High,
    }
}

impl Drift {
    /// None where nothing of it was measured.
    pub fn measured(self) -> Option<Drift> {
        (self.plan.is_some() || self.architecture.is_some()).then_some(self)
    }

    /// What can be compared with another commit's: without the plan, which holds this change alone.
    pub fn without_plan(&self) -> Option<Drift> {
        Drift { plan: None, architecture: self.architecture.clone() }.measured()
    }

    /// The score, which is not below 0.
    pub fn score(&self) -> f64 {
        let unplanned = self.plan.as_ref().map_or(0, |p| p.unplanned.len());
        let violations = self.architecture.as_ref().map_or(0, Vec::len);
        let lost = unplanned.saturating_mul(3).saturating_add(violations.saturating_mul(15));
        100.0 - f64::from(u8::try_from(lost.min(100)).unwrap_or(100))
    }

    /// The forbidden imports that count: new ones, or all where the line is not held.
    pub fn counting<'a>(
        &'a self,
        limits: &'a Thresholds,
    ) -> impl Iterator<Item = &'a Violation> + 'a {
        let all = self.architecture.iter().flatten();
        all.filter(|v| v.new || !limits.hold_the_line)
    }

    /// See [`severity`].
    pub fn severity(&self, limits: &Thresholds) -> Severity {
        let (changed, unplanned) =
            self.plan.as_ref().map_or((0, 0), |p| (p.changed, p.unplanned.len()));
        severity(changed, unplanned, self.counting(limits).count())
    }

    /// What is wrong, and the first places: for people, in one line.
    pub fn sentence(&self, limits: &Thresholds) -> String {
        let mut parts = Vec::new();
        let import = |v: &Violation| {
            format!("{}:{} imports {} against rule {}", v.path, v.line, v.imports, v.rule)
        };
        let counting: Vec<String> = self.counting(limits).map(import).collect();
        if !counting.is_empty() {
            parts.push(first_few(&counting));
        }
        if let Some(plan) = self.plan.as_ref().filter(|p| !p.unplanned.is_empty()) {
            let n = plan.unplanned.len();
            let are = if n == 1 { "is" } else { "are" };
            parts.push(format!(
                "{n} of {} changed files {are} not in {}: {}",
                plan.changed,
                plan.design,
                first_few(&plan.unplanned)
            ));
        }
        parts.join("; ")
    }

    /// For the record. What was not measured has no key: not known is not none.
    pub fn value(&self, limits: &Thresholds) -> Value {
        let mut value = json!({ "severity": self.severity(limits).word() });
        if let Some(plan) = &self.plan {
            let first: Vec<&String> = plan.unplanned.iter().take(MOST_LISTED).collect();
            value["design"] = json!(plan.design);
            value["planned_files"] = json!(plan.changed.saturating_sub(plan.unplanned.len()));
            value["unplanned_files"] = json!(first);
        }
        if let Some(all) = &self.architecture {
            // What counts comes first, since the list is cut.
            let mut all: Vec<&Violation> = all.iter().collect();
            all.sort_by_key(|v| !v.new);
            let one = |v: &&Violation| {
                let mut one = json!({
                    "rule": v.rule, "path": v.path, "line": v.line, "imports": v.imports,
                    "new": v.new, "reason": v.reason,
                });
                if !v.new && !limits.hold_the_line {
                    one["counts"] = json!(true);
                }
                one
            };
            value["architecture_violations"] =
                all.iter().take(MOST_LISTED).map(one).collect::<Vec<_>>().into();
        }
        value
    }
}

/// At most three, and how many more there are.
fn first_few(all: &[String]) -> String {
    let shown = all.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(3) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;
