//! Hooks: putting them in place beside others, and what they decide.
//!
//! * `install`, `manager`: the pre-push hook beside what is there. * `pre_push`: what it calls.
//! * `lines`: git's lines; `evidence`, `measuring`: the record that decides; `mark`: the marker;
//!   `wording`: what is said.

#[allow(dead_code, reason = "is called by the command line next")]
mod agent;
#[allow(dead_code, reason = "the agents' hook, which reads commands, comes next")]
mod command;
mod evidence;
pub mod install;
mod lines;
mod manager;
mod mark;
mod measuring;
pub mod pre_push;
mod wording;
