//! A finding of a linter or scanner, in SARIF's words.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::shared::SharedText;

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
    pub rule: SharedText,
    /// The weight.
    pub level: Level,
    /// The file, relative to the repository's root with `/` between parts; none where the tool
    /// names no place. Such a finding counts all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<SharedText>,
    /// The first line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the tool says.
    pub message: String,
    /// The tool.
    pub tool: SharedText,
    /// The tool's own stable identity of the finding, where it gives one (SARIF
    /// `partialFingerprints`, GitLab `fingerprint`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// What its line said, without white space: the first 48 bits of the SHA-256. None where the line
    /// says too little to be told by, or was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hash: Option<u64>,
}

impl Finding {
    /// Puts findings in order. Of texts that many have in common each is compared once.
    pub fn sort(findings: &mut [&Finding]) {
        let rank = ranks(findings.iter().flat_map(|f| [Some(&f.rule), f.path.as_ref()]).flatten());
        let rank = |text: &SharedText| rank.get(text.as_str()).copied().unwrap_or(0);
        let mut keyed: Vec<(u128, &Finding)> = findings
            .iter()
            .map(|f| {
                let path = f.path.as_ref().map_or(0, |p| u128::from(rank(p)) + 1);
                let line = f.line.map_or(0, |n| u128::from(n) + 1);
                let rule = u128::from(rank(&f.rule));
                (rule << 72 | (f.level as u128) << 68 | path << 33 | line, *f)
            })
            .collect();
        keyed.sort_unstable();
        findings.iter_mut().zip(keyed).for_each(|(at, (_, finding))| *at = finding);
    }
}

/// Texts with their places in the alphabet.
fn ranks<'a>(texts: impl Iterator<Item = &'a SharedText>) -> HashMap<&'a str, u32> {
    let mut ranks: HashMap<&str, u32> = texts.map(|t| (t.as_str(), 0)).collect();
    let mut all: Vec<&str> = ranks.keys().copied().collect();
    all.sort_unstable();
    for (n, text) in (0..).zip(all) {
        ranks.insert(text, n);
    }
    ranks
}
