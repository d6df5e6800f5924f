//! Each finding of the head against the base, in the words of SARIF's `baselineState`.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::matching::{Known, Sign, match_findings};
use crate::model::{DiffMap, Finding, Level};

/// What a finding of the head is to the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The base has none that it could be.
    New,
    /// The base has it.
    Unchanged(Known),
    /// The base has it with another level.
    Updated(Known),
    /// The base has none, but another version of the tool looked there, and the line did not change:
    /// who knows what that version would have said.
    NotCompared,
}

impl State {
    /// The word in records and reports.
    pub fn word(self) -> &'static str {
        match self {
            State::New => "new",
            State::Unchanged(_) => "unchanged",
            State::Updated(_) => "updated",
            State::NotCompared => "not_compared",
        }
    }

    /// The finding of the base that it is.
    pub fn known(self) -> Option<Known> {
        match self {
            State::Unchanged(known) | State::Updated(known) => Some(known),
            State::New | State::NotCompared => None,
        }
    }
}

/// The findings in bucket quality, head against base.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// One for each finding of the head.
    pub states: Vec<State>,
    /// For each the place at the base, where it is another one, as `path:line`.
    pub moved_from: Vec<Option<String>>,
    /// Tools of which another version measured the base.
    pub tools_changed: BTreeSet<String>,
}

/// Compares.
pub fn baseline(head: &Evidence, base: Option<&Evidence>, diff: &DiffMap) -> Baseline {
    let here: Vec<&Finding> = head.lint.iter().flatten().collect();
    let there: Vec<&Finding> = base.and_then(|b| b.lint.as_ref()).into_iter().flatten().collect();
    let tools_changed = base.map(|b| tools_changed(head, b)).unwrap_or_default();
    let matched = match_findings(&there, &here, Some(diff));
    let states: Vec<State> = here
        .iter()
        .zip(&matched)
        .map(|(finding, known)| match known {
            Some(known) if there[known.base].level == finding.level => State::Unchanged(*known),
            Some(known) => State::Updated(*known),
            None if tools_changed.contains(finding.tool.as_str()) && stood_still(finding, diff) => {
                State::NotCompared
            }
            None => State::New,
        })
        .collect();
    let moved_from = here
        .iter()
        .zip(&states)
        .map(|(finding, state)| {
            let old = there[state.known()?.base];
            let other = old.path != finding.path || old.line != finding.line;
            other.then(|| place(old)).flatten()
        })
        .collect();
    Baseline { states, moved_from, tools_changed }
}

impl Baseline {
    /// Whether the finding with this index is held against the change: new, or an error that was
    /// none at the base.
    pub fn counts_as_new(&self, index: usize, level: Level) -> bool {
        match self.states.get(index) {
            Some(State::Unchanged(_) | State::NotCompared) => false,
            Some(State::Updated(_)) => level == Level::Error,
            Some(State::New) | None => true,
        }
    }

    /// A finding that is known by its message alone is named with a lesser claim.
    pub fn sign(&self, index: usize) -> Option<Sign> {
        self.states.get(index)?.known().map(|k| k.by)
    }

    /// What a person should know of tools that changed.
    pub fn warnings(&self) -> Vec<String> {
        let left = self.states.iter().filter(|s| **s == State::NotCompared).count();
        let tools: Vec<&str> = self.tools_changed.iter().map(String::as_str).collect();
        if tools.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "tool_changed: another version of {} measured the base; {left} finding{} on lines that \
             did not change cannot be compared and are not counted as new",
            tools.join(", "),
            if left == 1 { "" } else { "s" }
        )]
    }
}

/// `path:line`, or the path alone.
pub fn place(finding: &Finding) -> Option<String> {
    let path = finding.path.as_deref()?;
    Some(finding.line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}")))
}

/// The code that it is about was there before.
fn stood_still(finding: &Finding, diff: &DiffMap) -> bool {
    let Some(path) = finding.path.as_deref() else { return true };
    let added = diff.file(path).is_some_and(|f| f.old.is_none());
    !added && finding.line.is_none_or(|line| diff.hunk_of_new(path, line).is_none())
}

/// Tools of those checks that ran in another version.
fn tools_changed(head: &Evidence, base: &Evidence) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    for (check, version) in &head.versions {
        if base.versions.get(check).is_none_or(|old| old == version) {
            continue;
        }
        for side in [head, base] {
            let of_check = side.tools.iter().filter(|(_, checks)| checks.contains(check));
            changed.extend(of_check.map(|(tool, _)| tool.clone()));
        }
    }
    changed
}

#[cfg(test)]
#[path = "baseline_tests.rs"]
mod tests;
