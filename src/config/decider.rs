//! `[decider]`: where the artefacts lie that the loop consults before each dispatch.

use serde::Deserialize;
use toml::Spanned;

/// Paths from the top of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decider {
    /// `bounded_loop_decision_v1`.
    pub decision: String,
    /// `finding_attribution_v1`.
    pub attribution: String,
    /// `automation_capability_matrix_v1`.
    pub capabilities: String,
}

impl Decider {
    /// All three, in the order of the contract.
    pub fn paths(&self) -> [&str; 3] {
        [&self.decision, &self.attribution, &self.capabilities]
    }
}

/// As it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawDecider {
    decision: Option<Spanned<String>>,
    attribution: Option<Spanned<String>>,
    capabilities: Option<Spanned<String>>,
}

impl RawDecider {
    /// All three or none; a decider that reads half of what it decides by would guess the rest. An
    /// error is a place in the text, if it is another than the section's, and a sentence.
    pub(super) fn decider(self) -> Result<Option<Decider>, (Option<usize>, String)> {
        let all = [
            ("decision", self.decision),
            ("attribution", self.attribution),
            ("capabilities", self.capabilities),
        ];
        let missing: Vec<&str> =
            all.iter().filter(|(_, path)| path.is_none()).map(|(key, _)| *key).collect();
        if missing.len() == all.len() {
            return Ok(None);
        }
        if !missing.is_empty() {
            let text = format!(
                "decider: {} {} missing; write decision, attribution and capabilities, or none of them",
                missing.join(" and "),
                if missing.len() == 1 { "is" } else { "are" }
            );
            return Err((None, text));
        }
        let mut paths = Vec::new();
        for (key, path) in all {
            let Some(path) = path else { continue };
            let at = path.span().start;
            let path = path.into_inner();
            if path.trim().is_empty() {
                return Err((Some(at), format!("decider.{key}: it is empty")));
            }
            if path.starts_with('/') || path.split('/').any(|part| part == "..") {
                let text = format!("decider.{key} = \"{path}\" must lie inside the repository");
                return Err((Some(at), text));
            }
            paths.push(path);
        }
        let mut paths = paths.into_iter();
        let mut next = || paths.next().unwrap_or_default();
        Ok(Some(Decider { decision: next(), attribution: next(), capabilities: next() }))
    }
}
