//! Did an iteration help? Keep or roll back (S0-9), and going in circles (S0-7).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::model::{BlockReason, Decimal};

/// The reasons as the sorted list of texts that the state keeps.
pub fn reason_set(reasons: &[BlockReason]) -> Vec<String> {
    let mut set: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    set.sort();
    set.dedup();
    set
}

/// Whether the present reasons are those from before the last iteration that was not rolled back.
pub fn oscillates(present: &[String], last: Option<&[String]>) -> bool {
    last.is_some_and(|last| last == present)
}

/// Worse = a proper superset, or more generally: no reason is gone or has a better figure, and at
/// least one is new or has a worse figure.
pub fn is_worse(before: &[BlockReason], after: &[BlockReason]) -> bool {
    let (old, new) = (reason_set(before), reason_set(after));
    if new.len() > old.len() && old.iter().all(|reason| new.contains(reason)) {
        return true;
    }
    // Nothing but reasons gone: better, also where one name stands twice.
    if new.iter().all(|reason| old.contains(reason)) {
        return false;
    }
    let (before, after) = (by_name(before), by_name(after));
    let mut worse = false;
    for (name, old) in &before {
        let Some(new) = after.get(name) else { return false };
        match compare(old, new) {
            Change { better: true, .. } => return false,
            Change { worse: true, .. } => worse = true,
            Change { .. } => {}
        }
    }
    worse || after.keys().any(|name| !before.contains_key(name))
}

fn by_name(reasons: &[BlockReason]) -> BTreeMap<&str, &BlockReason> {
    reasons.iter().map(|r| (r.name(), r)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    better: bool,
    worse: bool,
}

/// Two reasons of one name by their figures; a reason with two figures can be both.
fn compare(old: &BlockReason, new: &BlockReason) -> Change {
    use BlockReason as R;
    let lower_is_better = |pairs: &[(u64, u64)]| Change {
        better: pairs.iter().any(|(old, new)| new < old),
        worse: pairs.iter().any(|(old, new)| new > old),
    };
    match (old, new) {
        (R::LintErrors(a, _), R::LintErrors(b, _))
        | (R::ComplexityMax(a, _), R::ComplexityMax(b, _))
        | (R::CiCritical(a, _), R::CiCritical(b, _))
        | (R::TestFailures(a, _), R::TestFailures(b, _)) => lower_is_better(&[(*a, *b)]),
        (R::CiHigh(a, c), R::CiHigh(b, d))
        | (R::Vulnerabilities(a, c), R::Vulnerabilities(b, d)) => {
            lower_is_better(&[(*a, *b), (*c, *d)])
        }
        (R::CoverageBelowThreshold(a, _), R::CoverageBelowThreshold(b, _))
        | (R::CoverageDelta(a, _), R::CoverageDelta(b, _))
        | (R::PatchCoverage(a, _), R::PatchCoverage(b, _)) => higher_is_better(a, b),
        _ => Change { better: false, worse: false },
    }
}

fn higher_is_better(old: &str, new: &str) -> Change {
    let order = Decimal::parse(new).zip(Decimal::parse(old)).map(|(new, old)| new.cmp(&old));
    Change { better: order == Some(Ordering::Greater), worse: order == Some(Ordering::Less) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(texts: &[&str]) -> Vec<BlockReason> {
        texts.iter().map(|t| BlockReason::parse(t)).collect()
    }

    #[test]
    fn the_table_of_worse() {
        let lint = "lint_errors:3>0";
        for (before, after, worse, why) in [
            (&[lint][..], &[lint][..], false, "same"),
            (&[lint], &[], false, "gone"),
            (&[lint], &[lint, "drift_severity:high"], true, "superset"),
            (&[lint], &["drift_severity:high"], false, "one gone, one new"),
            (&[lint], &["lint_errors:45>0"], true, "figure worse"),
            (&[lint], &["lint_errors:2>0"], false, "figure better"),
            (&[lint], &["lint_errors:2>0", "odd"], false, "better figure buys a new reason"),
            (&[lint], &["lint_errors:4>0", "odd"], true, "worse figure and new"),
            (
                &["coverage_below_threshold:50.0<60.0"],
                &["coverage_below_threshold:49.9<60.0"],
                true,
                "coverage fell",
            ),
            (
                &["coverage_below_threshold:50.0<60.0"],
                &["coverage_below_threshold:50.1<60.0"],
                false,
                "coverage rose",
            ),
            (&["coverage_delta:-6.0<-5.0"], &["coverage_delta:-10.0<-5.0"], true, "delta fell"),
            (&["ci_high:critical=1,high=5"], &["ci_high:critical=0,high=6"], false, "mixed"),
            (&["odd"], &["odder"], false, "unknown texts: one gone, one new"),
            (&["odd"], &["odd", "odder"], true, "unknown superset"),
            (
                &["drift_severity:high"],
                &["drift_severity_high"],
                false,
                "two spellings of one reason",
            ),
            (&[], &[lint], true, "from nothing"),
            (&[lint], &[lint, "lint_errors:2>0"], true, "superset with one name twice"),
            (&[lint], &[lint, "lint_errors"], true, "superset with a name and no figures"),
        ] {
            assert_eq!(is_worse(&reasons(before), &reasons(after)), worse, "{why}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_seeds_rule_is_part_of_ours(
            texts in proptest::sample::subsequence(
                vec![
                    "lint_errors:3>0", "lint_errors:2>0", "lint_errors", "drift_severity:high",
                    "coverage_delta:-6.0<-5.0", "coverage_delta:-7.0<-5.0", "odd",
                    "ci_high:critical=1,high=5",
                ],
                1..=8,
            ),
            dropped in 0usize..8,
        ) {
            let (small, large) = (&texts[..dropped % texts.len()], &texts[..]);
            proptest::prop_assert!(is_worse(&reasons(small), &reasons(large)));
            proptest::prop_assert!(!is_worse(&reasons(large), &reasons(small)));
            proptest::prop_assert!(!is_worse(&reasons(large), &reasons(large)));
        }
    }

    #[test]
    fn oscillation_compares_sets_not_lists() {
        let a = reason_set(&reasons(&["lint_errors:3>0", "odd"]));
        let b = reason_set(&reasons(&["odd", "lint_errors:3>0", "odd"]));
        assert!(oscillates(&a, Some(&b)));
        assert!(!oscillates(&a, None));
        assert!(!oscillates(&a, Some(&reason_set(&reasons(&["lint_errors:2>0", "odd"])))));
    }
}
