//! Every exit code, and the only place where an error becomes one.

use std::fmt;

use crate::model::Decision;

/// The contract's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "see `meaning`")]
pub enum Code {
    Approved = 0,
    Blocked = 1,
    Usage = 2,
    HardFloor = 3,
    NotJudged = 4,
    Environment = 5,
    MaxIter = 6,
    TokenBudget = 7,
    Held = 8,
    Question = 9,
}

impl Code {
    /// All of them.
    pub const ALL: &'static [Code] = &[
        Code::Approved,
        Code::Blocked,
        Code::Usage,
        Code::HardFloor,
        Code::NotJudged,
        Code::Environment,
        Code::MaxIter,
        Code::TokenBudget,
        Code::Held,
        Code::Question,
    ];

    /// What it says, for the manual.
    pub fn meaning(self) -> &'static str {
        match self {
            Code::Approved => "approved; the loop ended in AUTO_APPROVE",
            Code::Blocked => "BLOCK_REGRESSION; the loop ended ESCALATED",
            Code::Usage => "wrong usage or configuration: nothing was done",
            Code::HardFloor => "BLOCK_HARD_FLOOR",
            Code::NotJudged => "SEVERELY_DEGRADED: could not judge; no record to show",
            Code::Environment => {
                "the environment failed (git, disk, a program that cannot be started)"
            }
            Code::MaxIter => "MAX_ITER_EXCEEDED",
            Code::TokenBudget => "TOKEN_BUDGET_EXCEEDED",
            Code::Held => "another run holds this branch",
            Code::Question => "a question waits for an answer",
        }
    }

    /// The code of a decision.
    pub fn of(decision: Decision) -> Code {
        match decision {
            Decision::AutoApprove | Decision::ReviewerHandoff => Code::Approved,
            Decision::BlockRegression => Code::Blocked,
            Decision::BlockHardFloor => Code::HardFloor,
            Decision::SeverelyDegraded => Code::NotJudged,
        }
    }
}

/// An end with a code and one sentence.
#[derive(Debug)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl Failure {
    /// Wrong usage or configuration.
    pub fn usage(message: impl Into<String>) -> anyhow::Error {
        Failure { code: Code::Usage, message: message.into() }.into()
    }

    /// Any other code.
    pub fn with(code: Code, message: impl Into<String>) -> anyhow::Error {
        Failure { code, message: message.into() }.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
