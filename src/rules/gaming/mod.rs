//! A fix that only silences the check is no fix: rules over what a fixer changed, and over what
//! the checks said before and after.
//!
//! Every rule has an identifier (`AG08`) that is stable: waivers, journals and reports name it. A hit
//! says where, what stood there before and what stands there now. What weighs most decides: `reject`
//! takes the iteration back and tells the fixer once which rule fired, `escalate` leaves it to a
//! person, `warn` is shown.
//!
//! * `signs`, `assertions`, `settings`, `ci`, `scope`, `bodies`: the rules that need nothing but the
//!   change; `lexer` and `tokens` tell what a line of source is, `said` what settings say. * `reports`: the rules over what the checks
//!   said before and after.
//! * `change`: what is looked at. * `table`: the rules by name. * `ruler`: which files a fixer is
//!   measured by. * `sift`: waivers, and hits as sentences.
//!
//! What other parts hold already has no rule here: protected paths (`rules/protect`), git's own files
//! and refs (`repair/guard`), a state that comes back (`rules/progress`).

mod assertions;
mod bodies;
mod change;
mod ci;
pub(super) mod lexer;
pub mod reports;
pub mod ruler;
mod said;
#[cfg(test)]
mod samples;
mod scope;
mod settings;
mod sift;
mod signs;
mod table;
mod tokens;

pub use change::Change;
pub use sift::{Sifted, Waived, Waiver, sentence, sift};
pub use table::{RULES, Rule, rule};

use std::sync::OnceLock;

use change::{File, View};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// What a hit leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It is shown.
    Warn,
    /// A person decides.
    Escalate,
    /// The iteration is taken back.
    Reject,
}

/// One place where a rule fired.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hit {
    /// The rule's identifier.
    pub rule: String,
    /// What it leads to here.
    pub severity: Severity,
    /// The file, as it is called now, or was called where it is gone; empty where it is about all.
    pub path: String,
    /// The line in the file's new text, or in its old one where `after` is none, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What stood there, one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What stands there now, one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// One sentence.
    pub message: String,
}

/// A pattern that is compiled when it is first needed; none where it does not compile, which a test of
/// its rule would find.
fn regex(cell: &'static OnceLock<Option<Regex>>, pattern: &str) -> Option<&'static Regex> {
    cell.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

/// Every rule that needs nothing but the change.
pub fn scan(change: &Change) -> Vec<Hit> {
    let families: [fn(&View<'_>) -> Vec<Hit>; 4] =
        [signs::check, assertions::check, settings::check, scope::check];
    let view = View::of(change);
    families.iter().flat_map(|family| family(&view)).collect()
}

impl Hit {
    /// A hit of a rule with the rule's own severity.
    pub fn of(id: &'static str, path: &str, message: impl Into<String>) -> Hit {
        Hit {
            rule: id.to_string(),
            severity: rule(id).map_or(Severity::Reject, |r| r.severity),
            path: path.to_string(),
            line: None,
            before: None,
            after: None,
            message: message.into(),
        }
    }

    /// The same at a line.
    #[must_use]
    pub fn at(self, line: u32) -> Hit {
        Hit { line: Some(line), ..self }
    }

    /// The same with the line as it was and as it is.
    #[must_use]
    pub fn lines(self, before: Option<&str>, after: Option<&str>) -> Hit {
        let short = |text: &str| {
            let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
            lines.join(" ").chars().take(200).collect::<String>()
        };
        Hit { before: before.map(short), after: after.map(short), ..self }
    }

    /// The same with another severity than the rule's own.
    #[must_use]
    pub fn weighing(self, severity: Severity) -> Hit {
        Hit { severity, ..self }
    }
}
