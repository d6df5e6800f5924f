//! Reasons → what to do about them, in which order (S0-5).

use crate::model::{BlockReason, Kind};

/// What kind of work a reason asks for, and how early: the lower number goes first. Lint comes before
/// coverage since its repairs are small; CI problems come before everything.
pub fn kind_and_priority(reason: &BlockReason) -> (Kind, u8) {
    match reason {
        BlockReason::CiCritical(..) | BlockReason::CiHigh(..) => (Kind::Ci, 0),
        BlockReason::LintErrors(..) => (Kind::Lint, 1),
        BlockReason::TestFailures(..) => (Kind::Tests, 2),
        BlockReason::CoverageBelowThreshold(..)
        | BlockReason::CoverageDelta(..)
        | BlockReason::PatchCoverage(..) => (Kind::Coverage, 2),
        BlockReason::ComplexityMax(..) => (Kind::Complexity, 3),
        BlockReason::Vulnerabilities(..) => (Kind::Dependencies, 3),
        BlockReason::DriftHigh { .. } => (Kind::Drift, 4),
        BlockReason::Other(_) => (Kind::Unknown, 99),
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The reason that it answers.
    pub reason: BlockReason,
    /// Its kind.
    pub kind: Kind,
    /// Its place in the order.
    pub priority: u8,
}

/// All reasons as actions, first things first. Nothing is dropped. Failing tests come before
/// coverage of the same number; otherwise equal numbers keep the record's order.
pub fn actions(reasons: &[BlockReason]) -> Vec<Action> {
    let mut actions: Vec<Action> = reasons
        .iter()
        .map(|reason| {
            let (kind, priority) = kind_and_priority(reason);
            Action { reason: reason.clone(), kind, priority }
        })
        .collect();
    actions.sort_by_key(|a| (a.priority, a.kind == Kind::Coverage));
    actions
}

/// Why no action can be dispatched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAction {
    /// Only reasons of unknown kind are left, or none although the commit is blocked.
    Unknown,
    /// A reason of this kind is left, and no fixer is configured for it.
    NoFixer(Kind),
}

/// The first action that some fixer fits.
///
/// # Errors
/// [`NoAction`] where there is none.
pub fn choose(
    reasons: &[BlockReason],
    has_fixer: impl Fn(Kind) -> bool,
) -> Result<Action, NoAction> {
    let actions = actions(reasons);
    if let Some(action) = actions.iter().find(|a| a.kind != Kind::Unknown && has_fixer(a.kind)) {
        return Ok(action.clone());
    }
    match actions.iter().find(|a| a.kind != Kind::Unknown) {
        Some(action) => Err(NoAction::NoFixer(action.kind)),
        None => Err(NoAction::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(texts: &[&str]) -> Vec<BlockReason> {
        texts.iter().map(|t| BlockReason::parse(t)).collect()
    }

    #[test]
    fn the_table_of_priorities() {
        for (text, kind, priority) in [
            ("ci_critical:1>0", Kind::Ci, 0),
            ("ci_high:critical=0,high=1", Kind::Ci, 0),
            ("lint_errors:3>0", Kind::Lint, 1),
            ("test_failures:1>0", Kind::Tests, 2),
            ("coverage_below_threshold:1.0<2.0", Kind::Coverage, 2),
            ("coverage_delta:-6.0<-5.0", Kind::Coverage, 2),
            ("patch_coverage:1.0<2.0", Kind::Coverage, 2),
            ("complexity_max:20>15", Kind::Complexity, 3),
            ("vulnerabilities:critical=1,high=0", Kind::Dependencies, 3),
            ("drift_severity:high", Kind::Drift, 4),
            ("drift_severity_high", Kind::Drift, 4),
            ("something_else", Kind::Unknown, 99),
        ] {
            assert_eq!(kind_and_priority(&BlockReason::parse(text)), (kind, priority), "{text}");
        }
    }

    #[test]
    fn order_is_priority_then_tests_before_coverage_then_the_record() {
        let got: Vec<String> = actions(&reasons(&[
            "odd",
            "drift_severity:high",
            "coverage_delta:-6.0<-5.0",
            "coverage_below_threshold:1.0<2.0",
            "test_failures:1>0",
            "lint_errors:3>0",
            "ci_critical:1>0",
        ]))
        .iter()
        .map(|a| a.reason.to_string())
        .collect();
        assert_eq!(
            got,
            [
                "ci_critical:1>0",
                "lint_errors:3>0",
                "test_failures:1>0",
                "coverage_delta:-6.0<-5.0",
                "coverage_below_threshold:1.0<2.0",
                "drift_severity:high",
                "odd",
            ]
        );
    }

    #[test]
    fn reasons_without_fixer_are_passed_over_while_another_can_be_tried() {
        let only = |kind: Kind| move |k: Kind| k == kind;
        let all = reasons(&["lint_errors:3>0", "coverage_delta:-6.0<-5.0", "odd"]);
        assert_eq!(choose(&all, only(Kind::Coverage)).unwrap().kind, Kind::Coverage);
        assert_eq!(choose(&all, |_| false), Err(NoAction::NoFixer(Kind::Lint)));
        assert_eq!(choose(&reasons(&["odd", "odder"]), |_| true), Err(NoAction::Unknown));
        assert_eq!(choose(&[], |_| true), Err(NoAction::Unknown));
    }
}
