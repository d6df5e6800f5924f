//! Where the readers of this kind put what they find, and what becomes of it at the end.

use crate::formats::note;
use crate::model::advisory::NAMELESS;
use crate::model::{Advisory, DependencyFigures, Figures, LintFigures, Severity, advisory};

/// Advisories as they are found.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    found: Vec<Advisory>,
    notes: Vec<String>,
    /// See [`DependencyFigures::suppressed`].
    pub(super) suppressed: u64,
    /// See [`DependencyFigures::ignored`].
    pub(super) ignored: u64,
    /// Why the figures must not be judged by.
    pub(super) causes: Vec<String>,
    /// What else the report holds.
    pub(super) lint: Option<LintFigures>,
}

impl Gathered {
    /// Adds an advisory under all of its names; `package` may be empty where none is named.
    pub(super) fn add(
        &mut self,
        names: impl IntoIterator<Item = String>,
        package: &str,
        severity: Severity,
    ) -> &mut Advisory {
        let package = if package.trim().is_empty() { "(no package named)" } else { package.trim() };
        let empty = Advisory {
            id: String::new(),
            aliases: Vec::new(),
            package: package.to_owned(),
            version: None,
            severity,
            fixed_in: None,
        };
        let mut advisory = empty.named(names);
        if advisory.id.is_empty() {
            advisory.id = NAMELESS.into();
        }
        let at = self.found.len();
        self.found.push(advisory);
        &mut self.found[at]
    }

    /// Whether none was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Notes what a person should know.
    pub(super) fn note(&mut self, text: impl FnOnce() -> String) {
        note(&mut self.notes, text);
    }

    /// Leaves an entry out that is no known vulnerability of what runs.
    pub(super) fn ignore(&mut self, text: impl FnOnce() -> String) {
        self.ignored = self.ignored.saturating_add(1);
        self.note(text);
    }

    /// Leaves an entry out that somebody put aside.
    pub(super) fn suppress(&mut self, text: impl FnOnce() -> String) {
        self.suppressed = self.suppressed.saturating_add(1);
        self.note(text);
    }

    /// The figures: each problem once.
    pub(super) fn finish(mut self) -> (Figures, Vec<String>) {
        let listed = self.found.len();
        let advisories = advisory::merged(self.found);
        if listed > advisories.len() {
            let n = listed - advisories.len();
            self.notes.push(format!("entries that repeat an advisory, counted once: {n}"));
        }
        let dependencies =
            DependencyFigures { advisories, suppressed: self.suppressed, ignored: self.ignored };
        let figures = Figures {
            lint: self.lint,
            dependencies: Some(dependencies),
            notes: self.notes,
            ..Figures::default()
        };
        (figures, self.causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_without_a_name_are_each_one() {
        let mut gathered = Gathered::default();
        for name in ["CVE-1", "CVE-1", "", " "] {
            gathered.add([name.to_string()], "a", Severity::High);
        }
        let (figures, _) = gathered.finish();
        let ids: Vec<String> =
            figures.dependencies.unwrap().advisories.into_iter().map(|a| a.id).collect();
        assert_eq!(ids, [NAMELESS, NAMELESS, "CVE-1"]);
    }
}
