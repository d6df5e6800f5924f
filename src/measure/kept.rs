//! Measurements kept by content (X-5): the same check on the same tree by the same tool says the same.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::Check;
use crate::model::{CheckStatus, Figures, Record, ReportRef};
use crate::store::clock;

/// Raised when a measurement made by an older program could mean something else.
const GENERATION: u32 = 2;

/// Advisories appear without anybody changing a line.
const DEPENDENCIES_MAX_AGE: i64 = 24 * 3600;

/// Whether what was found in an audit at one time may still be believed at another. A time in the
/// future is as little worth as one long ago: some clock is wrong.
pub(super) fn is_fresh(at: i64, now: i64) -> bool {
    now.saturating_sub(at).saturating_abs() <= DEPENDENCIES_MAX_AGE
}

/// Whether the audits of dependencies that a record tells of may still be believed; true where it
/// tells of none.
pub fn audits_are_fresh(record: &Record) -> bool {
    audits_hold(record, clock::now_seconds())
}

fn audits_hold(record: &Record, now: i64) -> bool {
    if record.metrics.dependencies.is_none() {
        return true;
    }
    let times = record.checks.iter().filter_map(|c| c.other.get(AUDITED_AT)?.as_str());
    let times: Vec<&str> = times.collect();
    // another writer says only when it made the record
    let times = if times.is_empty() { vec![record.computed_at.as_str()] } else { times };
    times.iter().all(|t| clock::parse(t).is_some_and(|at| is_fresh(at, now)))
}

/// The key of a check's run that says when its audit was made.
pub(super) const AUDITED_AT: &str = "audited_at";

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
    ("osv-scanner", "osv-scanner --version"),
    ("grype", "grype version"),
    ("trivy", "trivy --version"),
    ("govulncheck", "govulncheck -version"),
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
    fn an_audit_holds_for_a_day() {
        let day = DEPENDENCIES_MAX_AGE;
        for (at, now, fresh) in
            [(0, day, true), (0, day + 1, false), (day, 0, true), (day + 1, 0, false), (5, 5, true)]
        {
            assert_eq!(is_fresh(at, now), fresh, "{at} {now}");
        }
        let record = |metrics: &str, checks: &str| {
            let text = format!(
                r#"{{"schema_version": "2.0", "sha": "a", "branch": "", "computed_at": "1970-01-03T00:00:00Z",
                "dirty_tree": false, "base_branch": "", "stack_detected": [], "spec_drift": {{}},
                "verdict": {{"block": false, "block_reasons": [], "warnings": []}},
                "metrics": {metrics}, "checks": {checks}}}"#
            );
            Record::parse(text.as_bytes()).unwrap()
        };
        let run = r#"[{"name": "a", "status": "measured", "exit": 0, "seconds": 1, "audited_at": "1970-01-01T00:00:00Z"}]"#;
        let audited = r#"{"dependencies": {}}"#;
        assert!(audits_hold(&record("{}", run), 9 * day));
        assert!(audits_hold(&record(audited, run), day));
        assert!(!audits_hold(&record(audited, run), day + 1));
        assert!(audits_hold(&record(audited, "[]"), 3 * day));
        assert!(!audits_hold(&record(audited, "[]"), 4 * day));
    }

    #[test]
    fn only_well_known_tools_are_asked_for_their_version_unasked() {
        assert_eq!(version_command(&check("")).as_deref(), Some("ruff --version"));
        assert_eq!(version_command(&check("version = \"x -V\"")).as_deref(), Some("x -V"));
        let own = Config::parse("f", "[[check]]\nname = \"a\"\nrun = \"A=1 ./measure\"").unwrap();
        assert_eq!(version_command(&own.checks[0]), None);
    }
}
