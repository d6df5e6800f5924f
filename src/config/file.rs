//! The whole file.

use std::collections::HashSet;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::check::{Check, Fixer};
use super::ci::Ci;
use super::error::ConfigError;
use super::later;
use super::policy::RawPolicy;
use super::sandbox::Sandbox;
use super::span::{duration, parse_duration};
use crate::rules::thresholds::Thresholds;

/// A configuration that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// `auto`, or a ref.
    pub base: String,
    /// An outside program that measures.
    pub evidence: Evidence,
    /// What a commit is judged by.
    pub policy: Thresholds,
    /// What is measured.
    pub checks: Vec<Check>,
    /// Who repairs.
    pub fixers: Vec<Fixer>,
    /// Limits of the branch loop and of the marker.
    pub limits: Limits,
    /// What fixers may not touch.
    pub guard: Guard,
    /// Where fixers work.
    pub workspace: Workspace,
    /// What hooks do.
    pub hook: Hook,
    /// The box.
    pub sandbox: Sandbox,
    /// The CI of the forge.
    pub ci: Ci,
}

/// `[evidence]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evidence {
    /// The program and its arguments; it writes a record to `$EVIDENCE_OUT`.
    pub measure: Option<Vec<String>>,
    /// Its deadline.
    #[serde(deserialize_with = "optional_duration")]
    pub timeout: Option<Duration>,
    /// Where records are read and written for other tools, with `{sha}`.
    pub record: Option<String>,
}

/// `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "the contract's names")]
pub struct Limits {
    pub max_iter: u32,
    pub token_budget: u64,
    pub max_cumulative_iter: u32,
    pub max_auto_triggers: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_iter: 5, token_budget: 200_000, max_cumulative_iter: 10, max_auto_triggers: 3 }
    }
}

/// `[guard]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guard {
    /// Globs, beside the built-in ones.
    pub protected_paths: Vec<String>,
    /// A JSON file with more of them, in the tree.
    pub protected_paths_file: Option<String>,
    /// A person's exceptions.
    pub waive: Vec<Waiver>,
}

/// One exception.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the contract's names")]
pub struct Waiver {
    pub rule: String,
    pub paths: String,
    pub reason: String,
    pub until: toml::value::Datetime,
}

/// Where fixers work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkMode {
    /// In the checkout, never destructively.
    #[default]
    InPlace,
    /// In a linked worktree of our own.
    Worktree,
}

/// `[workspace]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workspace {
    /// See [`WorkMode`].
    pub mode: WorkMode,
    /// What a fresh worktree needs, through the shell.
    pub setup: Option<String>,
    /// Ignored folders of the checkout that a worktree shares; none where nobody named any.
    pub share: Option<Vec<String>>,
}

impl Workspace {
    /// What a worktree shares. Where there is a command that prepares it, only what a person named:
    /// the command would work through a link in the checkout's own folder.
    pub fn shared(&self) -> Vec<String> {
        match &self.share {
            Some(named) => named.clone(),
            None if self.setup.is_some() => Vec::new(),
            None => ["node_modules", ".venv", "vendor"].map(str::to_string).to_vec(),
        }
    }
}

/// What a hook does without a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMissing {
    /// Measures, within the time limit.
    #[default]
    Measure,
    /// Blocks.
    Block,
    /// Lets pass, and says so.
    Allow,
}

/// `[hook]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hook {
    /// Whether the marker is emitted at all.
    pub auto: bool,
    /// See [`OnMissing`].
    pub on_missing: OnMissing,
    /// For measuring inside a hook.
    #[serde(deserialize_with = "duration")]
    pub time_limit: Duration,
}

impl Default for Hook {
    fn default() -> Self {
        Hook { auto: true, on_missing: OnMissing::Measure, time_limit: Duration::from_secs(120) }
    }
}

/// The sections of the modes that come later are checked for spelling and kept for them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Raw {
    base: Option<Spanned<String>>,
    evidence: Option<Spanned<Evidence>>,
    policy: Option<Spanned<RawPolicy>>,
    check: Vec<Spanned<Check>>,
    fixer: Vec<Spanned<Fixer>>,
    limits: Limits,
    guard: Guard,
    workspace: Workspace,
    hook: Hook,
    sandbox: Sandbox,
    ci: Ci,
    task: later::Task,
    forge: later::Forge,
    once: later::Once,
    decider: later::Decider,
}

/// Headings of the tables that know a key; with them a key in the wrong table is sent to its own.
pub(super) fn tables_with(key: &str) -> Vec<&'static str> {
    const HEADINGS: &[&str] = &[
        "[evidence]",
        "[policy]",
        "[policy.regression_budget]",
        "[[check]]",
        "[[fixer]]",
        "[limits]",
        "[guard]",
        "[workspace]",
        "[hook]",
        "[sandbox]",
        "[ci]",
        "[task]",
        "[forge]",
        "[once]",
        "[decider]",
    ];
    // Scores are named in several tables of [policy]: which one was meant nobody knows.
    if crate::model::Dimension::ALL.iter().any(|d| d.word() == key) {
        return Vec::new();
    }
    let knows = |heading: &&&str| {
        // A key that is known has an error of another kind, if any.
        let error = toml::from_str::<Raw>(&format!("{heading}\n{key} = 0\n")).err();
        !error.is_some_and(|e| e.message().starts_with("unknown field"))
    };
    HEADINGS.iter().filter(knows).copied().collect()
}

fn optional_duration<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Duration>, D::Error> {
    parse_duration(&String::deserialize(d)?).map(Some).map_err(serde::de::Error::custom)
}

impl Default for Config {
    fn default() -> Self {
        Config {
            base: "auto".to_string(),
            evidence: Evidence::default(),
            policy: Thresholds::default(),
            checks: Vec::new(),
            fixers: Vec::new(),
            limits: Limits::default(),
            guard: Guard::default(),
            workspace: Workspace::default(),
            hook: Hook::default(),
            sandbox: Sandbox::default(),
            ci: Ci::default(),
        }
    }
}

impl Config {
    /// Reads the file's text; `file` is how it is called in messages.
    ///
    /// # Errors
    /// [`ConfigError`] with the line.
    pub fn parse(file: &str, text: &str) -> Result<Config, ConfigError> {
        let raw: Raw = toml::from_str(text).map_err(|e| ConfigError::from_toml(file, text, &e))?;
        let fail = |offset: usize, message: String| ConfigError::at(file, text, offset, message);
        let base = base(raw.base).map_err(|(at, message)| fail(at, message))?;
        unique(raw.check.iter().map(|c| (c.span().start, c.get_ref().name.as_str())), "check")
            .map_err(|(at, message)| fail(at, message))?;
        unique(raw.fixer.iter().map(|f| (f.span().start, f.get_ref().name.as_str())), "fixer")
            .map_err(|(at, message)| fail(at, message))?;
        let evidence_at = raw.evidence.as_ref().map_or(0, |e| e.span().start);
        let evidence = raw.evidence.map(Spanned::into_inner).unwrap_or_default();
        evidence.validate(!raw.check.is_empty()).map_err(|message| fail(evidence_at, message))?;
        raw.ci.validate().map_err(|message| fail(text.find("[ci]").unwrap_or(0), message))?;
        let policy = match raw.policy {
            None => Thresholds::default(),
            Some(policy) => {
                let at = policy.span().start;
                policy.into_inner().thresholds().map_err(|(table, message)| {
                    let at = text.find(&format!("[{table}]")).unwrap_or(at);
                    fail(at, format!("{table}: {message}"))
                })?
            }
        };
        Ok(Config {
            base,
            evidence,
            policy,
            checks: raw.check.into_iter().map(Spanned::into_inner).collect(),
            fixers: raw.fixer.into_iter().map(Spanned::into_inner).collect(),
            limits: raw.limits,
            guard: raw.guard,
            workspace: raw.workspace,
            hook: raw.hook,
            sandbox: raw.sandbox,
            ci: raw.ci,
        })
    }

    /// Whether anything is configured that measures.
    pub fn measures(&self) -> bool {
        self.evidence.measure.is_some() || !self.checks.is_empty() || self.ci.measures()
    }
}

impl Evidence {
    fn validate(&self, has_checks: bool) -> Result<(), String> {
        if self.measure.as_ref().is_some_and(Vec::is_empty) {
            return Err("evidence.measure is empty; write the program and its arguments".into());
        }
        if self.measure.is_some() && has_checks {
            return Err(
                "evidence.measure measures instead of [[check]]: keep one of the two".into()
            );
        }
        match &self.record {
            Some(record) if !record.contains("{sha}") => {
                Err(format!("evidence.record = \"{record}\" needs {{sha}} in its name"))
            }
            Some(record) if record.starts_with('/') || record.split('/').any(|p| p == "..") => {
                Err(format!("evidence.record = \"{record}\" must lie inside the repository"))
            }
            _ => Ok(()),
        }
    }
}

fn base(raw: Option<Spanned<String>>) -> Result<String, (usize, String)> {
    let Some(raw) = raw else { return Ok("auto".to_string()) };
    let at = raw.span().start;
    let base = raw.into_inner();
    if base.is_empty() || base.starts_with('-') || base.contains(char::is_whitespace) {
        return Err((at, format!("base = \"{base}\" is no ref; write \"auto\" or a branch")));
    }
    Ok(base)
}

fn unique<'a>(
    names: impl Iterator<Item = (usize, &'a str)>,
    what: &str,
) -> Result<(), (usize, String)> {
    let mut seen = HashSet::new();
    for (at, name) in names {
        if !seen.insert(name) {
            return Err((at, format!("there are two {what}s with the name '{name}'")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Decimal, Kind};

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(".git-evidence.toml", text)
    }

    #[test]
    fn an_empty_file_is_the_defaults() {
        assert_eq!(parse("").unwrap(), Config::default());
        assert!(!Config::default().measures());
    }

    #[test]
    fn the_contracts_example_is_read() {
        let text = r#"
base = "auto"
[policy]
min_coverage = 60.5
max_vulnerabilities = { critical = 1, high = 2 }
on_degraded = "warn"
[policy.weights]
security = 0.2
quality = 0.3
[policy.hard_floors]
overall = 40
[[check]]
name = "own"
run = "./measure"
timeout = "90s"
[[fixer]]
name = "ruff-fix"
kinds = ["lint"]
run = "ruff check --fix ."
[[fixer]]
name = "claude"
kinds = ["lint", "coverage"]
agent = "claude"
[limits]
max_iter = 3
[guard]
waive = [{ rule = "AG09", paths = "x", reason = "y", until = 2026-12-31 }]
[workspace]
mode = "worktree"
[hook]
on_missing = "block"
[ci]
diagnose = "claude"
[[task.check]]
name = "tests"
run = "pytest -q"
"#;
        let config = parse(text).unwrap();
        assert_eq!(config.policy.min_coverage, Decimal::parse("60.5").unwrap());
        assert_eq!(config.policy.max_vulnerabilities, (1, 2));
        assert_eq!(config.policy.hard_floors["overall"], 40.0);
        assert_eq!(config.fixers[1].kinds, [Kind::Lint, Kind::Coverage]);
        assert_eq!(config.checks[0].timeout, Duration::from_secs(90));
        assert_eq!((config.limits.max_iter, config.limits.max_cumulative_iter), (3, 10));
        assert_eq!(config.workspace.mode, WorkMode::Worktree);
        assert!(config.measures());
    }

    #[test]
    fn what_is_wrong_is_named_with_line_and_nearest_key() {
        for (text, line, part) in [
            ("\nbas = 1", 2, "unknown key 'bas'; did you mean 'base'?"),
            ("[policy]\nmin_coverag = 1", 2, "did you mean 'min_coverage'?"),
            ("[policy]\nmin_coverage = 101", 2, "no percentage"),
            ("[policy]\ndrift = \"blok\"", 2, "unknown value 'blok'; did you mean 'block'?"),
            ("[policy.weights]\nsecurity = 0.9", 1, "sum to"),
            ("[policy.regression_budget.hard_block]\nquality = 5", 1, "0 or negative"),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\ntimeout = \"10\"", 4, "no length of time"),
            ("[[check]]\nname = \"a\"\nrun = \" \"", 3, "run is empty"),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nformat = \"autos\"", 4, "unknown format"),
            ("[[check]]\nname = \"a/b\"\nrun = \"x\"", 2, "no name"),
            (
                "[[check]]\nname = \"a\"\nrun = \"x\"\n[[check]]\nname = \"a\"\nrun = \"x\"",
                4,
                "two checks",
            ),
            ("[[fixer]]\nname = \"a\"\nkinds = [\"lnt\"]\nrun = \"x\"", 3, "did you mean 'lint'?"),
            ("[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]", 1, "needs either run"),
            (
                "[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]\nagent = \"cluade\"",
                1,
                "did you mean 'claude'?",
            ),
            ("[evidence]\nmeasure = []", 1, "measure is empty"),
            ("[evidence]\nrecord = \"x.json\"", 1, "needs {sha}"),
            ("[evidence]\nrecord = \"../{sha}\"", 1, "inside the repository"),
            ("base = \"-x\"", 1, "is no ref"),
            (
                "[limits]\nmax_iter = -1",
                2,
                "limits.max_iter: integer -1 stands where a whole number",
            ),
            ("x = ", 1, ""),
            (
                "[limits]\nmax_iter = 99999999999999999999",
                2,
                "limits.max_iter: integer 99999999999999999999 stands",
            ),
            ("[limits]\nmax_iter = 1\nmax_iter = 2", 3, "limits.max_iter: it stands there twice"),
            (
                "[policy]\nmin_coverage = \"80\"",
                2,
                "policy.min_coverage: string \"80\" stands where a number",
            ),
            ("[policy]\nmax_vulnerabilities = 3", 2, "where a table"),
            (
                "[policy]\nhold_the_line = \"yes\"",
                2,
                "policy.hold_the_line: string \"yes\" stands where true or false",
            ),
            ("min_coverage = 1", 1, "'min_coverage' here; it belongs under [policy]"),
            ("[policy]\nmax_iter = 1", 2, "'max_iter' here; it belongs under [limits] or [task]"),
            ("[policy]\nquality = -5", 2, "unknown key 'quality'; known are"),
            ("[check]\nname = \"a\"\nrun = \"x\"", 1, "write [[check]]"),
            ("[[check]]\nrun = \"x\"", 1, "check: the key 'name' is missing"),
            ("[policy.hard_floors]\ncoverage = 500", 1, "coverage = 500: a score is from 0 to 100"),
            (
                "[[check]]\nname = \"a\"\nrun = \"x\"\nreports = \"r\"",
                4,
                "check.reports: string \"r\" stands where a list",
            ),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = []", 4, "check.reports: it is empty"),
            (
                "[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\n\"a\",\n\"../r\"]",
                4,
                "check.reports: '../r' must lie in {out}",
            ),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\"/r\"]", 4, "must lie in {out}"),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\"a[\"]", 4, "'a[' is no glob"),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nok_exit = []", 4, "check.ok_exit: it is empty"),
            ("[[check]]\nname = \"a\"\nrun = \"x\"\nok_exit = [300]", 4, "300 is no exit code"),
            (
                "[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]\nrun = \"x\"\nagent = \"claude\"",
                1,
                "has both run and agent",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.contains(part), "{text}: {error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
