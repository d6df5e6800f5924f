//! What the machine asks for, and what it is told.

use crate::model::{BlockReason, Decision, Escalation, Kind, Record, Status};

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Get the evidence of the present tip.
    Measure,
    /// Have this mended: checkpoint, fixers, commit.
    Dispatch(Dispatch),
    /// Take the last dispatch back.
    RollBack,
    /// Stop.
    End(End),
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// From 1, within the run.
    pub iteration: u32,
    /// The reason to answer.
    pub reason: BlockReason,
    /// Its kind.
    pub kind: Kind,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The status.
    pub status: Status,
    /// Why a person has to look, where the status is escalated.
    pub escalation: Option<Escalation>,
    /// One sentence for people; may be empty.
    pub detail: String,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// The evidence of the present tip.
    Evidence(View),
    /// The step could not be begun, or gave nothing to go on with: why, and a sentence for people.
    Barred(Escalation, String),
    /// What the dispatch did.
    Fixed(Fix),
    /// The new tip was measured, and what it says was come by dishonestly: the dispatch has to go.
    Gamed(Gaming),
    /// The last dispatch was taken back.
    RolledBack,
    /// It could not be taken back without touching something else.
    RollBackRefused(String),
}

/// What the machine needs to know of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The decision.
    pub decision: Decision,
    /// Why it blocks.
    pub reasons: Vec<BlockReason>,
    /// Broken floors.
    pub hard_floors: Vec<String>,
    /// Whether a bot made the change.
    pub is_bot: bool,
    /// Dimensions whose score fell too far.
    pub dimensions: Vec<String>,
    /// Why it was decided so.
    pub sentence: String,
}

impl View {
    /// The machine's view of a record; `bot_actor` is what the environment says of who acts.
    pub fn of(record: &Record, bot_actor: bool) -> View {
        let verdict = record.regression_verdict.as_ref();
        View {
            decision: record.decision(),
            reasons: record.reasons().to_vec(),
            hard_floors: record.hard_floor_breaches(),
            is_bot: bot_actor || record.is_bot_pr == Some(true),
            dimensions: verdict.map(|v| v.block_dimensions.clone()).unwrap_or_default(),
            sentence: verdict.map(|v| v.reason.clone()).unwrap_or_default(),
        }
    }
}

/// A check was silenced, not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gaming {
    /// The rules that say so.
    pub rules: Vec<String>,
    /// How the run ends where one of them fires again.
    pub word: Escalation,
    /// One sentence for people.
    pub detail: String,
    /// The first time ends the run already: a person has to decide.
    pub at_once: bool,
}

/// What a dispatch did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Tokens of this dispatch alone.
    pub tokens: u64,
    /// What came of it.
    pub result: FixResult,
}

/// What came of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixResult {
    /// There are new commits.
    Changed,
    /// Every fixer that fits ran and changed nothing.
    NoChange,
    /// What it changed only silences the check; it was taken back.
    Gamed(Gaming),
    /// It must end here: why, and a sentence for people.
    Stop(Escalation, String),
}
