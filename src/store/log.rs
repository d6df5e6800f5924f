//! The fix log (S0-18): one line a dispatch, over all branches and runs, and what can be counted
//! from it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lock::{Holder, Lock};
use super::write::{Lines, Sync, append_line, read_lines};
use super::{Layout, StoreError};
use crate::model::{BlockReason, Kind, Outcome};

/// How long to wait for another branch's run to have written its line.
const APPENDING: Duration = Duration::from_secs(5);

/// One dispatch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The run.
    pub run_id: String,
    /// The branch's full name.
    pub branch: String,
    /// The iteration in the run, from 1.
    pub iteration: u64,
    /// The fixer's name.
    pub fixer: String,
    /// What it was asked for.
    pub kind: Kind,
    /// Why.
    pub reason: BlockReason,
    /// What became of it.
    pub outcome: Outcome,
    /// What it cost.
    pub tokens: u64,
    /// The cost is a guess.
    pub estimated: bool,
    /// How long it took.
    pub seconds: f64,
    /// When it ended, ISO-8601.
    pub at: String,
    /// Which rules against gaming saw something in it, by identifier.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gaming: BTreeMap<String, Fired>,
}

/// How often a rule saw something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fired {
    /// Places.
    pub hits: u64,
    /// Those of them that a person's waiver excused.
    pub waived: u64,
}

/// Appends a line. Runs on two branches share the log, so it has a lock of its own.
///
/// # Errors
/// Where the log cannot be locked or written.
pub fn append(layout: &Layout, attempt: &Attempt) -> Result<(), StoreError> {
    let holder = Holder::this_process("writing the fix log");
    let _appending = Lock::acquire_within(&layout.log_lock(), &holder, APPENDING)?;
    append_line(&layout.log(), attempt, Sync::Now)
}

/// Every attempt. Lines that cannot be read are counted by the caller from [`Lines`] and shown;
/// they take nothing from the others.
///
/// # Errors
/// Where the file exists and cannot be read.
pub fn read(layout: &Layout) -> Result<Lines<Attempt>, StoreError> {
    read_lines(&layout.log())
}

/// What a fixer did for a kind. The success rate is `kept` of `dispatched`: counts, because 1 of 1
/// and 50 of 50 are not the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the words of the outcomes")]
pub struct Tally {
    pub fixer: String,
    pub kind: String,
    pub dispatched: u64,
    pub kept: u64,
    pub rolled_back: u64,
    pub no_change: u64,
    pub failed: u64,
    pub timeout: u64,
    pub tokens: u64,
    /// Some of the tokens are guesses.
    pub estimated: bool,
    pub seconds: f64,
}

/// Counts by fixer and kind, sorted by both.
pub fn summary(attempts: &[Attempt]) -> Vec<Tally> {
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for attempt in attempts {
        let (fixer, kind) = (attempt.fixer.as_str(), attempt.kind.word());
        let tally = tallies.entry((fixer, kind)).or_insert_with(|| Tally {
            fixer: fixer.to_string(),
            kind: kind.to_string(),
            ..Tally::default()
        });
        tally.dispatched += 1;
        let counted = match attempt.outcome {
            Outcome::Kept => &mut tally.kept,
            Outcome::RolledBack => &mut tally.rolled_back,
            Outcome::NoChange => &mut tally.no_change,
            Outcome::Failed => &mut tally.failed,
            Outcome::Timeout => &mut tally.timeout,
        };
        *counted += 1;
        tally.tokens = tally.tokens.saturating_add(attempt.tokens);
        tally.estimated |= attempt.estimated;
        tally.seconds += attempt.seconds;
    }
    tallies.into_values().collect()
}

/// Beyond this share of excused places a rule is wrong more often than it should be: percent.
pub const DEMOTE_ABOVE: f64 = 10.0;

/// What one rule against gaming saw over all dispatches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleTally {
    /// Its identifier.
    pub rule: String,
    /// Places.
    pub hits: u64,
    /// Those of them that a waiver excused.
    pub waived: u64,
    /// Their share: percent, 0 to 100.
    pub waiver_rate: f64,
    /// More than [`DEMOTE_ABOVE`] of its places are excused: it should weigh less, or be mended.
    pub demote: bool,
}

/// Counts by rule, sorted by it.
pub fn rule_summary(attempts: &[Attempt]) -> Vec<RuleTally> {
    let mut all: BTreeMap<&str, Fired> = BTreeMap::new();
    for (rule, fired) in attempts.iter().flat_map(|a| &a.gaming) {
        let sum = all.entry(rule).or_default();
        sum.hits = sum.hits.saturating_add(fired.hits);
        sum.waived = sum.waived.saturating_add(fired.waived);
    }
    let tally = |(rule, fired): (&str, Fired)| {
        let rate = fired.waived as f64 * 100.0 / fired.hits.max(1) as f64;
        RuleTally {
            rule: rule.to_string(),
            hits: fired.hits,
            waived: fired.waived,
            waiver_rate: (rate * 10.0).round() / 10.0,
            demote: rate > DEMOTE_ABOVE,
        }
    };
    all.into_iter().map(tally).collect()
}
