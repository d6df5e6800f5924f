//! A finding of a linter or scanner, in SARIF's words.

use serde::{Deserialize, Serialize};

/// How much a finding weighs (SARIF 2.1.0, 3.27.10). Only `error` counts against `max_lint_errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing only.
    None,
    /// A remark.
    Note,
    /// Should be looked at.
    Warning,
    /// Must be mended.
    Error,
}

/// One result of one tool at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The tool's name for what it found (`F401`, `no-unused-vars`); empty where it names none.
    pub rule: String,
    /// The weight.
    pub level: Level,
    /// The file, relative to the repository's root with `/` between parts; none where the tool
    /// names no place. Such a finding counts all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the tool says.
    pub message: String,
    /// The tool.
    pub tool: String,
    /// The tool's own stable identity of the finding, where it gives one (SARIF
    /// `partialFingerprints`, GitLab `fingerprint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// What its line said, without white space: the first 48 bits of the SHA-256. None where the line
    /// says too little to be told by, or was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hash: Option<u64>,
}
