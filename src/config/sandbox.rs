//! `[sandbox]`: the box that checks and fixers run in.

use serde::Deserialize;

/// Whether deterministic fixers and checks run in the box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// No box.
    #[default]
    Off,
    /// In the box.
    Full,
}

/// `[sandbox]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// See [`SandboxLevel`].
    pub fixers: SandboxLevel,
    /// What must be had.
    pub level: Option<String>,
    /// What the box may see besides the tree.
    pub read: Vec<String>,
    /// What it may write besides the tree.
    pub write: Vec<String>,
    /// Variables that it gets.
    pub env: Vec<String>,
}
