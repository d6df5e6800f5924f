//! Which advisories are one problem, and what they say together.
//!
//! Two are the same where their package is the same and any of their names is shared: reports name
//! one problem by its GHSA, its CVE or the number of a tool's own database. Versions play no part:
//! one package in two versions has one problem to be mended. The answer does not depend on order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::figures::Advisory;

/// Between several versions in use.
pub const AND: &str = ", ";
/// Between versions of which any mends the problem.
pub const OR: &str = " or ";

impl Advisory {
    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// What it is known by: package and name, for each of its names, without regard to case.
    pub fn keys(&self) -> impl Iterator<Item = (String, String)> {
        let package = self.package.trim().to_lowercase().replace('_', "-");
        self.names().map(move |name| (package.clone(), name.trim().to_uppercase()))
    }

    /// Takes the best known of these names for the id, the rest as aliases.
    pub fn named(mut self, names: impl IntoIterator<Item = String>) -> Advisory {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for name in names.into_iter().filter(|n| !n.trim().is_empty()) {
            let name = name.trim().to_owned();
            let spelled = all.entry(name.to_uppercase()).or_insert_with(|| name.clone());
            if name < *spelled {
                *spelled = name;
            }
        }
        let mut names: Vec<String> = all.into_values().collect();
        names.sort_by(|a, b| (rank(a), a).cmp(&(rank(b), b)));
        let mut names = names.into_iter();
        self.id = names.next().unwrap_or_default();
        self.aliases = names.collect();
        self.aliases.sort();
        self
    }
}

/// GHSA, then CVE, then the rest.
fn rank(name: &str) -> u8 {
    let starts = |with: &str| name.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with));
    if starts("GHSA-") {
        0
    } else if starts("CVE-") {
        1
    } else {
        2
    }
}

/// What an advisory is called that has no name.
pub const NAMELESS: &str = "(no name)";

/// Each problem once, sorted: all names, all versions, the worst severity.
pub fn merged(advisories: impl IntoIterator<Item = Advisory>) -> Vec<Advisory> {
    let mut all: Vec<Advisory> = advisories.into_iter().collect();
    let mut parents: Vec<usize> = (0..all.len()).collect();
    let mut first: HashMap<(String, String), usize> = HashMap::new();
    // two without a name are not one because they lack it
    for (i, advisory) in all.iter().enumerate().filter(|(_, a)| a.id != NAMELESS) {
        for key in advisory.keys() {
            let other = *first.entry(key).or_insert(i);
            let (a, b) = (root(&mut parents, i), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<Advisory>> = BTreeMap::new();
    for (i, advisory) in all.drain(..).enumerate() {
        groups.entry(root(&mut parents, i)).or_default().push(advisory);
    }
    let mut merged: Vec<Advisory> = groups.values().filter_map(|g| one(g)).collect();
    merged.sort();
    merged
}

/// The one that stands for all that are the same as `i`.
fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}

fn one(group: &[Advisory]) -> Option<Advisory> {
    let names: Vec<String> = group.iter().flat_map(Advisory::names).map(str::to_owned).collect();
    let package = group.iter().map(|a| a.package.clone()).min()?;
    let severity = group.iter().map(|a| a.severity).max()?;
    let version = several(group.iter().filter_map(|a| a.version.as_deref()), AND);
    let fixed_in = several(group.iter().filter_map(|a| a.fixed_in.as_deref()), OR);
    let empty =
        Advisory { id: String::new(), aliases: Vec::new(), package, version, severity, fixed_in };
    Some(empty.named(names))
}

fn several<'a>(versions: impl Iterator<Item = &'a str>, between: &str) -> Option<String> {
    let all: BTreeSet<&str> =
        versions.flat_map(|v| v.split(between)).filter(|v| !v.is_empty()).collect();
    (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join(between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;

    fn advisory(names: &[&str], package: &str, version: &str, severity: Severity) -> Advisory {
        Advisory {
            id: String::new(),
            aliases: Vec::new(),
            package: package.into(),
            version: Some(version.into()),
            severity,
            fixed_in: None,
        }
        .named(names.iter().map(|n| (*n).to_owned()))
    }

    #[test]
    fn the_best_known_name_is_the_id() {
        for (names, id, aliases) in [
            (&["RUSTSEC-1", "CVE-1", "GHSA-1"][..], "GHSA-1", &["CVE-1", "RUSTSEC-1"][..]),
            (&["1234", "cve-1", " "], "cve-1", &["1234"]),
            (&["CVE-2", "CVE-1", "cve-1"], "CVE-1", &["CVE-2"]),
            (&[], "", &[]),
        ] {
            let got = advisory(names, "p", "1", Severity::Low);
            assert_eq!(
                (got.id.as_str(), got.aliases.as_slice()),
                (id, aliases.map_to_owned().as_slice())
            );
        }
    }

    trait Owned {
        fn map_to_owned(&self) -> Vec<String>;
    }

    impl Owned for [&str] {
        fn map_to_owned(&self) -> Vec<String> {
            self.iter().map(|s| (*s).to_owned()).collect()
        }
    }

    #[test]
    fn one_problem_counts_once_whatever_the_order() {
        let parts = [
            advisory(&["GHSA-1", "CVE-1"], "Flask_X", "1", Severity::Unknown),
            advisory(&["CVE-1"], "flask-x", "2", Severity::Low),
            advisory(&["PYSEC-1", "cve-1"], "flask-x", "1", Severity::High),
            advisory(&["PYSEC-1"], "flask-x", "1", Severity::Medium),
            advisory(&["CVE-1"], "other", "1", Severity::Critical),
        ];
        let want = merged(parts.clone());
        assert_eq!(want.len(), 2);
        let (all, other) = (&want[1], &want[0]);
        assert_eq!((all.id.as_str(), all.severity), ("GHSA-1", Severity::High));
        assert_eq!(all.version.as_deref(), Some("1, 2"));
        assert_eq!(all.aliases, ["CVE-1", "PYSEC-1"]);
        assert_eq!((other.package.as_str(), other.severity), ("other", Severity::Critical));
        for n in 0..parts.len() {
            let mut order = parts.to_vec();
            order.rotate_left(n);
            assert_eq!(merged(order.clone()), want);
            order.reverse();
            assert_eq!(merged(order.clone()), want);
            // in steps as well
            let (a, b) = order.split_at(2);
            assert_eq!(merged(merged(a.to_vec()).into_iter().chain(merged(b.to_vec()))), want);
        }
        assert_eq!(merged(want.clone()), want);
    }
}
