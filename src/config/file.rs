//! The whole file.

use std::collections::HashSet;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::check::{Check, Fixer};
use super::ci::Ci;
use super::decider::{Decider, RawDecider};
use super::drift::{Drift, RawArchitecture};
use super::error::ConfigError;
use super::later;
use super::policy::RawPolicy;
use super::sandbox::Sandbox;
use super::span::{duration, parse_duration};
use crate::rules::drift::architecture::ArchitectureRule;
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
    /// What is consulted before each dispatch, if anything.
    pub decider: Option<Decider>,
    /// The CI of the forge.
    pub ci: Ci,
    /// The plan that a change is held against.
    pub drift: Drift,
    /// Who may import whom.
    pub architecture: Vec<ArchitectureRule>,
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
    decider: Option<Spanned<RawDecider>>,
    drift: Drift,
    architecture: Vec<Spanned<RawArchitecture>>,
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
        "[drift]",
        "[[architecture]]",
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
            decider: None,
            ci: Ci::default(),
            drift: Drift::default(),
            architecture: Vec::new(),
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
        let rules = raw.architecture.iter().map(|r| (r.span().start, r.get_ref().name.as_str()));
        unique(rules, "architecture rule").map_err(|(at, message)| fail(at, message))?;
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
        let decider_at = raw.decider.as_ref().map_or(0, |d| d.span().start);
        let decider = raw.decider.map(Spanned::into_inner).unwrap_or_default().decider();
        let decider = decider.map_err(|(at, message)| fail(at.unwrap_or(decider_at), message))?;
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
            decider,
            ci: raw.ci,
            drift: raw.drift,
            architecture: raw.architecture.into_iter().map(|r| r.into_inner().rule()).collect(),
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
#[path = "file_tests.rs"]
mod tests;
