//! What the scanners of the forge's CI found, and which of it the base had too: by identity where both
//! sides list their findings, by number where one of them has numbers alone.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::evidence::Evidence;
use super::matching::match_findings;
use crate::model::{CiMetrics, DiffMap, Finding, Severity};

/// A finding of a scanner and how severe it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CiFinding {
    /// How severe.
    pub severity: Severity,
    /// What and where.
    #[serde(flatten)]
    pub finding: Finding,
}

/// What the CI runs of one commit say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CiFound {
    /// The runs that it comes from.
    pub runs: Vec<u64>,
    /// The artifacts that were asked for.
    pub artifacts: Vec<String>,
    /// All findings.
    pub findings: Vec<CiFinding>,
}

impl CiFound {
    /// How many are critical, and how many high.
    pub fn counts(&self) -> (u64, u64) {
        (self.count(Severity::Critical), self.count(Severity::High))
    }

    fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|f| f.severity == severity).count() as u64
    }
}

/// The name of this source among those that were not measured.
pub const NAME: &str = "ci";

impl Evidence {
    /// Adds what the CI runs say, or why that is not known: a gap where it is required.
    pub fn add_ci(&mut self, found: Result<CiFound, String>, required: bool) {
        if found.is_ok() || required {
            self.planned.insert(crate::model::Dimension::Security.word());
        }
        match found {
            Ok(found) => {
                self.ci = Some(found.counts());
                self.ci_found = found;
            }
            Err(why) => {
                self.ci_unknown = Some(why.clone());
                let list = if required { &mut self.missing } else { &mut self.absent };
                list.push((NAME.to_string(), why));
            }
        }
    }

    /// Every critical and high finding is listed, so that each can be told by what it is.
    fn lists_ci(&self) -> bool {
        self.ci.is_some_and(|counts| counts == self.ci_found.counts())
    }
}

/// The CI findings of the head against the base's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiBaseline {
    /// For each finding of the head how severe the base's is that it is.
    known: Vec<Option<Severity>>,
    /// How many critical and high ones the base had, where findings are not listed.
    counts: Option<(u64, u64)>,
}

impl CiBaseline {
    /// Compares.
    pub fn new(head: &Evidence, base: Option<&Evidence>, diff: &DiffMap) -> CiBaseline {
        let Some(base) = base.filter(|b| b.ci.is_some() && head.ci.is_some()) else {
            return CiBaseline::default();
        };
        if !head.lists_ci() || !base.lists_ci() {
            return CiBaseline { known: Vec::new(), counts: base.ci };
        }
        let (there, here) = (findings(base), findings(head));
        let matched = match_findings(&there, &here, Some(diff));
        let severity = |i: usize| base.ci_found.findings.get(i).map(|f| f.severity);
        let known = matched.into_iter().map(|k| severity(k?.base)).collect();
        CiBaseline { known, counts: None }
    }

    /// Whether the base had the head's finding with this index, and no less severe.
    pub fn had(&self, index: usize, severity: Severity) -> bool {
        self.known.get(index).copied().flatten().is_some_and(|old| old >= severity)
    }

    /// How many of the head's findings of a severity the base had too.
    pub(super) fn how_many(&self, head: &Evidence, severity: Severity) -> u64 {
        if let Some((critical, high)) = self.counts {
            return if severity == Severity::Critical { critical } else { high };
        }
        let all = head.ci_found.findings.iter().enumerate();
        all.filter(|(i, f)| f.severity == severity && self.had(*i, severity)).count() as u64
    }

    /// The head's findings of a severity that the base did not have.
    pub(super) fn new_ones<'e>(&self, head: &'e Evidence, severity: Severity) -> Vec<&'e Finding> {
        let all = head.ci_found.findings.iter().enumerate();
        let new = all.filter(|(i, f)| f.severity == severity && !self.had(*i, severity));
        new.map(|(_, f)| &f.finding).collect()
    }
}

fn findings(evidence: &Evidence) -> Vec<&Finding> {
    evidence.ci_found.findings.iter().map(|f| &f.finding).collect()
}

/// The record's `ci_quality`; nothing where nobody asked for it. The gravest and newest come first,
/// since the list is cut.
pub(super) fn metrics(head: &Evidence, baseline: &CiBaseline, most: usize) -> Option<CiMetrics> {
    let Some((critical, high)) = head.ci else {
        let why = head.ci_unknown.as_ref()?;
        let other = Map::from_iter([("reason".to_string(), json!(why))]);
        return Some(CiMetrics { available: json!(false), other, ..CiMetrics::default() });
    };
    let found = &head.ci_found;
    let mut order: Vec<(usize, &CiFinding)> = found.findings.iter().enumerate().collect();
    order.sort_by_key(|(i, f)| (Reverse(f.severity), baseline.had(*i, f.severity)));
    let listed = order.into_iter().take(most).map(|(i, f)| {
        let mut value = json!(f);
        value["baseline_state"] = json!(match baseline.known.get(i).copied().flatten() {
            Some(old) if old == f.severity => "unchanged",
            Some(_) => "updated",
            None => "new",
        });
        value
    });
    Some(CiMetrics {
        available: json!(true),
        ci_run_id: match found.runs.as_slice() {
            [] => Value::Null,
            [one] => json!(one),
            several => json!(several),
        },
        problems_critical: Some(critical),
        problems_high: Some(high),
        findings: listed.collect(),
        source: json!(found.artifacts),
        other: Map::new(),
    })
}

/// Whether one side's CI findings are known and the other's are not: then scores that count them
/// cannot be compared.
pub(super) fn one_sided(head: &Evidence, base: &Evidence) -> bool {
    head.ci.is_some() != base.ci.is_some()
}

/// What a person should know where the head's findings have nothing to be compared with.
pub(super) fn warning(head: &Evidence, base: &Evidence) -> Option<String> {
    if head.ci.is_none() || base.ci.is_some() {
        return None;
    }
    let why = base.ci_unknown.as_ref().map_or(String::new(), |why| format!(": {why}"));
    Some(format!(
        "{NAME}: the base's CI findings are not known, so nothing is compared with them{why}"
    ))
}

#[cfg(test)]
#[path = "ci_tests.rs"]
mod tests;
