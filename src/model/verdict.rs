//! The judgement in the record's words.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::end::words;
use super::reason::BlockReason;

words! {
    /// What becomes of the commit.
    Decision {
        /// Nothing blocks and nothing got noticeably worse.
        AutoApprove = "AUTO_APPROVE",
        /// Nothing blocks; a score fell by more than its warn budget.
        ReviewerHandoff = "REVIEWER_HANDOFF",
        /// A limit is broken, or a score fell by more than its hard budget.
        BlockRegression = "BLOCK_REGRESSION",
        /// A score is under its absolute floor.
        BlockHardFloor = "BLOCK_HARD_FLOOR",
        /// Could not be judged.
        SeverelyDegraded = "SEVERELY_DEGRADED",
    }
}

impl Decision {
    /// Whether the commit may go on.
    pub fn approves(self) -> bool {
        matches!(self, Decision::AutoApprove | Decision::ReviewerHandoff)
    }
}

words! {
    /// What scores are given for.
    Dimension {
        /// Vulnerabilities and security findings.
        Security = "security",
        /// Lint errors, complexity, dead code, type errors.
        Quality = "quality",
        /// Lines and branches that tests run.
        Coverage = "coverage",
        /// Changes inside the plan.
        SpecCompliance = "spec_compliance",
        /// How the change was made.
        Discipline = "discipline",
    }
}

/// Scores from 0 to 100 by dimension, and their weighted mean under `overall`; a dimension that was
/// not measured is absent or null. Also used for differences (head − base, in points). Other
/// writers' entries are kept as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scores(pub Map<String, Value>);

impl Scores {
    /// The score, if measured.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }

    /// Notes a score.
    pub fn set(&mut self, name: &str, score: f64) {
        self.0.insert(name.to_string(), Value::from(score));
    }
}

/// `verdict` of the record: the older, short form of the judgement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the commit is blocked.
    pub block: bool,
    /// Why, in the order of the limits.
    pub block_reasons: Vec<BlockReason>,
    /// What does not block and should be known.
    pub warnings: Vec<String>,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// `regression_verdict` of the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegressionVerdict {
    /// Dimensions that fell by more than their hard budget.
    #[serde(default)]
    pub block_dimensions: Vec<String>,
    /// Dimensions that fell by more than their warn budget.
    #[serde(default)]
    pub warn_dimensions: Vec<String>,
    /// Dimensions that rose.
    #[serde(default)]
    pub improved_dimensions: Vec<String>,
    /// Floors that are broken: `security:40.0<60.0`; other writers use other shapes.
    #[serde(default)]
    pub hard_floor_breaches: Vec<Value>,
    /// The decision.
    pub decision: Decision,
    /// One sentence for people.
    #[serde(default)]
    pub reason: String,
    /// Fields of other writers.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
