//! Every exit code, and the only place where an error becomes one.

use std::fmt;

use crate::git::GitError;
use crate::model::Decision;
use crate::store::StoreError;

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

/// An error with its causes. Many an error of ours has its cause in its own text already; it is said
/// once.
pub fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The exit code of an error that ends a command.
pub(crate) fn code_of(error: &anyhow::Error) -> Code {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.code;
    }
    if let Some(StoreError::Corrupt { .. }) = error.downcast_ref::<StoreError>() {
        return Code::Usage;
    }
    error.downcast_ref::<GitError>().map_or(Code::Environment, git_code)
}

/// The exit code of a failure of git.
pub(super) fn git_code(error: &GitError) -> Code {
    match error {
        GitError::NotARepository { .. }
        | GitError::Bare { .. }
        | GitError::BadRevision(_)
        | GitError::NoBase { .. }
        | GitError::Shallow { .. }
        | GitError::Unrelated { .. }
        | GitError::DubiousOwnership(_)
        | GitError::NotUtf8(_) => Code::Usage,
        _ => Code::Environment,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read 'x': {0}; ask its owner")]
    struct Told(#[source] std::io::Error);

    #[test]
    fn a_cause_is_said_once() {
        let denied = || std::io::Error::other("denied");
        assert_eq!(sentence(&Told(denied()).into()), "cannot read 'x': denied; ask its owner");
        let untold = Err::<(), _>(denied()).context("no folder for reports").unwrap_err();
        assert_eq!(sentence(&untold), "no folder for reports: denied");
    }
}
