//! May a bounded loop go on? The decider (S4): three artefacts in, one verdict out.
//!
//! [`decide`] is a function of its three inputs and nothing else; it reads no file, clock or
//! environment and changes nothing. The rules stand in the contract's section "Decider (S4)", in this
//! order; the first that matches decides:
//!
//! | rule | says | verdict |
//! |---|---|---|
//! | 1 | a finding of class `CRITICAL7`; a fresh HIGH or CRITICAL | `CHAIR_REQUIRED` |
//! | 2 | a changed file nobody expected; an action that is forbidden or only the chair's | `CHAIR_REQUIRED` |
//! | 3 | a finding that stood in an earlier round already | `LOOP_BOUNDARY` |
//! | 4 | a fresh MEDIUM, rounds are left | `AUTO_CONTINUE` |
//! | 5 | the same, no round is left | `DEFER_EVIDENCE_RESOLVE` |
//! | 6 | nothing but style and false positives is left | `DEFER_EVIDENCE_RESOLVE` |
//! | 7 | a requested action whose capability is not wired | `BLOCKED_BY_CAPABILITY` |
//! | 8 | a fix, every gate green, no secret literal | `MERGE_READY_CANDIDATE` |
//! | – | none of them | `CHAIR_REQUIRED` |
//!
//! What holds for every verdict: none of them means "merge"; no action is allowed that is forbidden,
//! the chair's own, or needs a capability that is not wired; of the inputs only names (findings,
//! files, functions, actions, gates) are repeated, made safe and short (`shown`).

mod inputs;
#[cfg(test)]
mod properties_tests;
mod read;
mod shown;
#[cfg(test)]
mod table_tests;
mod verdict;

pub use inputs::{
    Attribution, Capabilities, Capability, Decision, Finding, Gate, Inputs, Past, Severity,
};
pub use read::{InputError, Role};
pub use verdict::{Verdict, VerdictWord, decide, same_commit};
