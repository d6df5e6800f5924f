//! Floor 2, the engine: one machine that says what to do next, for every mode.
//!
//! ```text
//!            ┌────────────── kept, no change ◄───────────────┐
//!            ▼                                               │
//!  Measure ► Judged ──► Dispatch ──► changed ──► Measure ──► compare
//!            │  │                                            │
//!            │  └── a limit, an escalation, nothing left     └─ worse ──► RollBack ──► Judged
//!            ▼                                                                │
//!           End ◄───────────────────── second time worse ─────────────────────┘
//! ```
//!
//! A dispatch that only silenced the check goes back too, and does not count as worse: the same rule a
//! second time ends the run.
//!
//! [`Machine::next`] names a [`Step`]; somebody carries it out and tells [`Machine::observe`] what
//! came of it. The machine reads no file, clock or environment, so that every end can be reached by
//! a table of observations. Modes differ in a [`Policy`] value only; an `if mode ==` in here is a
//! mistake.

#![deny(clippy::disallowed_methods)]

mod driver;
mod machine;
mod policy;
mod step;

pub use driver::{Driver, Ports};
pub use machine::{Limits, Machine, Totals};
pub use policy::{BRANCH_LOOP, CI_HANDOFF, ONE_SHOT, POLICIES, Policy, SANDBOX_TASK};
pub use step::{Dispatch, End, Fix, FixResult, Gaming, Observation, Step, View};
