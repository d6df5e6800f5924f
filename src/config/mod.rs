//! `.git-evidence.toml`: text in, [`Config`] out. Pure: who reads the file, and from which commit, is
//! decided elsewhere (the merge-base's counts, so that a change cannot loosen its own gate).
//!
//! A wrong file is one [`ConfigError`]: a sentence with line, key and the nearest right spelling.

#![deny(clippy::disallowed_methods)]

mod check;
mod ci;
mod decider;
mod drift;
mod error;
mod file;
mod later;
mod policy;
mod sandbox;
mod span;

pub use check::{Check, Fixer, FixerCommand};
pub use ci::Ci;
pub use decider::Decider;
pub use drift::{Design, Drift};
pub use error::ConfigError;
pub(crate) use error::nearest;
pub use file::{Config, Evidence, Guard, Hook, Limits, OnMissing, Waiver, WorkMode, Workspace};
pub use sandbox::{Sandbox, SandboxLevel};
pub use span::parse_duration;

/// The file's name at the top of the tree.
pub const FILE_NAME: &str = ".git-evidence.toml";

/// Agents that a `[[fixer]]` can name: their command, prompt channel and token report are built in.
pub const AGENTS: &[&str] = &["claude", "codex", "gemini", "copilot", "opencode", "aider"];
