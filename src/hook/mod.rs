//! Hooks: putting them in place beside others, and what they decide.
//!
//! * `install`, `manager`: the pre-push hook beside what is there. * `pre_push`: what it calls.
//! * `settings`, `placing`: our hook in an agent's own settings, and the file as it was; `plugin`: files
//!   for agents.
//! * `agent`: the hook of coding agents; `command`: what a shell command is about to do.
//! * `lines`: git's lines; `evidence`, `measuring`: the record that decides; `mark`: the marker;
//!   `wording`: what is said.

pub(crate) mod agent;
mod command;
mod evidence;
pub mod install;
mod lines;
mod manager;
mod mark;
mod measuring;
pub mod placing;
pub mod plugin;
pub mod pre_push;
pub mod settings;
mod wording;
