//! Measurements kept by content: the same check on the same tree by the same tool says the same.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::Check;
use crate::model::{CheckStatus, Figures, ReportRef};

/// Raised when a measurement made by an older program could mean something else.
const GENERATION: u32 = 2;

/// Advisories appear without anybody changing a line.
pub(super) const DEPENDENCIES_MAX_AGE: i64 = 24 * 3600;

/// What one check said about one tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Measurement {
    pub(super) check: String,
    pub(super) status: CheckStatus,
    pub(super) exit: Option<i32>,
    pub(super) seconds: f64,
    /// ISO-8601.
    pub(super) measured_at: String,
    /// What the tool said of its version, if it was asked.
    pub(super) version: Option<String>,
    pub(super) reports: Vec<ReportRef>,
    /// None where it gave none; `why` then says why.
    pub(super) figures: Option<Figures>,
    pub(super) why: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) left: Vec<String>,
}

impl Measurement {
    /// The kinds that it has figures of, as the record names them.
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        let Some(figures) = &self.figures else { return Vec::new() };
        [
            ("lint", figures.lint.is_some()),
            ("tests", figures.tests.is_some()),
            ("coverage", figures.coverage.is_some()),
            ("complexity", figures.complexity.is_some()),
            ("dependencies", figures.dependencies.is_some()),
        ]
        .into_iter()
        .filter_map(|(kind, has)| has.then_some(kind))
        .collect()
    }
}

/// What a kept measurement is known by, beside the tree: all of a check that can change what it says.
/// The tool's version is kept inside the measurement and compared only when measuring.
pub fn check_key(check: &Check) -> String {
    let parts = serde_json::json!([
        GENERATION,
        check.name,
        check.run,
        check.reports,
        check.format,
        check.ok_exit,
        check.version,
    ]);
    hex(&Sha256::digest(parts.to_string().as_bytes()))[..32].to_string()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, b| {
        for nibble in [b >> 4, b & 15] {
            text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
        text
    })
}

/// Well-known tools and how each prints its version without doing anything else.
const VERSIONS: &[(&str, &str)] = &[
    ("ruff", "ruff --version"),
    ("pytest", "pytest --version"),
    ("coverage", "coverage --version"),
    ("mypy", "mypy --version"),
    ("flake8", "flake8 --version"),
    ("pylint", "pylint --version"),
    ("lizard", "lizard --version"),
    ("radon", "radon --version"),
    ("bandit", "bandit --version"),
    ("pip-audit", "pip-audit --version"),
    ("cargo", "cargo --version && rustc --version"),
    ("eslint", "eslint --version"),
    ("npx", "node --version"),
    ("npm", "node --version"),
    ("go", "go version"),
    ("golangci-lint", "golangci-lint --version"),
    ("shellcheck", "shellcheck --version"),
    ("python", "python --version"),
    ("python3", "python3 --version"),
];

/// The command that prints the version of what a check runs, if there is one.
pub(super) fn version_command(check: &Check) -> Option<String> {
    if let Some(command) = &check.version {
        return Some(command.clone());
    }
    let first = check.run.split_whitespace().find(|w| !w.contains('='))?;
    VERSIONS.iter().find(|(tool, _)| *tool == first).map(|(_, command)| (*command).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn check(extra: &str) -> Check {
        let text = format!("[[check]]\nname = \"a\"\nrun = \"ruff check .\"\n{extra}");
        Config::parse("f", &text).unwrap().checks.remove(0)
    }

    #[test]
    fn the_key_is_what_can_change_the_figures() {
        let plain = check_key(&check(""));
        assert_eq!(plain.len(), 32);
        for same in
            ["timeout = \"1h\"", "required = false", "dimension = \"security\"", "network = true"]
        {
            assert_eq!(check_key(&check(same)), plain, "{same}");
        }
        for other in ["format = \"auto\"\nok_exit = [0]", "reports = [\"x\"]", "version = \"true\""]
        {
            assert_ne!(check_key(&check(other)), plain, "{other}");
        }
    }

    #[test]
    fn only_well_known_tools_are_asked_for_their_version_unasked() {
        assert_eq!(version_command(&check("")).as_deref(), Some("ruff --version"));
        assert_eq!(version_command(&check("version = \"x -V\"")).as_deref(), Some("x -V"));
        let own = Config::parse("f", "[[check]]\nname = \"a\"\nrun = \"A=1 ./measure\"").unwrap();
        assert_eq!(version_command(&own.checks[0]), None);
    }
}
