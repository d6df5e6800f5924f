//! Advisories of head and base: which the base had too, and what is said of them.
//!
//! Identity is the package and any name in common, whatever the version: a package that moved from
//! one vulnerable version to another has the same problem still.

use std::cmp::Reverse;
use std::collections::HashSet;

use serde_json::{Map, json};

use super::evidence::Evidence;
use crate::model::{Advisory, DependencyMetrics, Severity};

/// For each advisory of the head whether the base had it too.
pub(super) fn known_advisories(head: &[Advisory], base: &[Advisory]) -> Vec<bool> {
    let had: HashSet<(String, String)> = base.iter().flat_map(Advisory::keys).collect();
    head.iter().map(|advisory| advisory.keys().any(|key| had.contains(&key))).collect()
}

/// Those of one severity: how many there are, and how many of them the base had.
pub(super) fn count(advisories: &[Advisory], known: &[bool], severity: Severity) -> (u64, u64) {
    let of = || advisories.iter().zip(known).filter(|(a, _)| a.severity == severity);
    (of().count() as u64, of().filter(|(_, known)| **known).count() as u64)
}

/// `GHSA-… in package`, for people.
pub(super) fn name(advisory: &Advisory) -> String {
    format!("{} in {}", advisory.id, advisory.package)
}

/// What no limit sees and a person should: advisories of unknown severity, and that more are put
/// aside than before.
pub(super) fn warnings(head: &Evidence, base: Option<&Evidence>) -> Vec<String> {
    let mut warnings = Vec::new();
    let unknown = head.dependencies.iter().flatten().filter(|a| a.severity == Severity::Unknown);
    let names: Vec<String> = unknown.map(name).collect();
    if !names.is_empty() {
        let shown = names.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        warnings.push(format!(
            "advisories of unknown severity, which max_vulnerabilities does not count: {shown}{more}"
        ));
    }
    let before = base.map_or(0, |b| b.advisories_suppressed);
    let now = head.advisories_suppressed;
    if base.is_some_and(|b| b.dependencies.is_some()) && now > before {
        warnings.push(format!("advisories that are put aside: {now}, in the base {before}"));
    }
    warnings
}

/// `metrics.dependencies` of the record, with at most `most` advisories listed.
pub(super) fn metrics(
    head: &Evidence,
    known: &[bool],
    advisories: &[Advisory],
    most: usize,
) -> DependencyMetrics {
    let count = |s| advisories.iter().filter(|a| a.severity == s).count() as u64;
    let mut other = Map::new();
    for (key, n) in [
        ("unknown", count(Severity::Unknown)),
        ("suppressed", head.advisories_suppressed),
        ("ignored", head.advisories_ignored),
    ] {
        if n > 0 {
            other.insert(key.into(), json!(n));
        }
    }
    // What is new and weighs most comes first, since the list is cut.
    let known = known.iter().copied().chain(std::iter::repeat(false));
    let mut order: Vec<(bool, Reverse<Severity>, &Advisory)> =
        advisories.iter().zip(known).map(|(a, k)| (k, Reverse(a.severity), a)).collect();
    order.sort();
    let listed = order.iter().take(most).map(|(known, _, advisory)| {
        let mut value = json!(advisory);
        value["baseline_state"] = json!(if *known { "unchanged" } else { "new" });
        value
    });
    DependencyMetrics {
        critical: count(Severity::Critical),
        high: count(Severity::High),
        medium: count(Severity::Medium),
        low: count(Severity::Low),
        findings: json!(listed.collect::<Vec<_>>()),
        other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advisory(names: &[&str], package: &str, version: &str) -> Advisory {
        let empty = Advisory {
            id: String::new(),
            aliases: Vec::new(),
            package: package.into(),
            version: Some(version.into()),
            severity: Severity::Unknown,
            fixed_in: None,
        };
        empty.named(names.iter().map(|n| (*n).to_string()))
    }

    #[test]
    fn identity_is_package_and_any_name() {
        let base = [advisory(&["GHSA-1", "CVE-1"], "a", "1"), advisory(&["CVE-2"], "b", "1")];
        for (names, package, known) in [
            (&["CVE-1"][..], "a", true),
            (&["RUSTSEC-1", "CVE-1"], "A", true),
            (&["CVE-1"], "b", false),
            (&["CVE-3"], "a", false),
            (&["cve-2", "GHSA-2"], "b", true),
        ] {
            let head = [advisory(names, package, "2")];
            assert_eq!(known_advisories(&head, &base), [known], "{names:?} {package}");
        }
    }

    #[test]
    fn what_no_limit_sees_is_said() {
        let list = (1..=5).map(|n| advisory(&[&format!("CVE-{n}")], "p", "1")).collect();
        let head =
            Evidence { dependencies: Some(list), advisories_suppressed: 2, ..Evidence::default() };
        let base = Evidence { dependencies: Some(Vec::new()), ..Evidence::default() };
        let said = warnings(&head, Some(&base));
        assert!(said[0].ends_with("CVE-1 in p, CVE-2 in p, CVE-3 in p and 2 more"), "{said:?}");
        assert_eq!(said[1], "advisories that are put aside: 2, in the base 0");
        assert_eq!(warnings(&head, None).len(), 1);
        assert!(warnings(&base, Some(&head)).is_empty());
    }
}
