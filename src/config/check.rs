//! `[[check]]` and `[[fixer]]`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};

use super::error::nearest;
use super::span::duration;
use crate::formats;
use crate::model::Kind;
use crate::rules::evidence::Bucket;

/// A tool that measures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name, unique.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The command, through the shell, at the root of the tree. `{out}` is its output folder.
    #[serde(deserialize_with = "command")]
    pub run: String,
    /// Reports: globs relative to `{out}`; `-` is standard output.
    #[serde(default = "stdout_only", deserialize_with = "reports")]
    pub reports: Vec<String>,
    /// `auto`, or a format's name.
    #[serde(default = "auto", deserialize_with = "format")]
    pub format: String,
    /// Exit codes that mean "it ran".
    #[serde(default = "ran", deserialize_with = "exit_codes")]
    pub ok_exit: Vec<i32>,
    /// Its deadline.
    #[serde(default = "ten_minutes", deserialize_with = "duration")]
    pub timeout: Duration,
    /// Whether the commit cannot be judged without it.
    #[serde(default = "yes")]
    pub required: bool,
    /// Which score its findings count in.
    #[serde(default, deserialize_with = "dimension")]
    pub dimension: Option<String>,
    /// It needs the network, so it cannot run in the box.
    #[serde(default)]
    pub network: bool,
    /// A command that can.
    #[serde(default)]
    pub offline: Option<String>,
    /// A command that prints the tool's version; its output is part of what a kept measurement is
    /// known by. Default: the version of the well-known tool that `run` starts with.
    #[serde(default)]
    pub version: Option<String>,
}

impl Check {
    /// Where its findings count.
    pub fn bucket(&self) -> Bucket {
        self.dimension.as_deref().and_then(Bucket::parse).unwrap_or(Bucket::Quality)
    }
}

/// What a fixer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixerCommand {
    /// A command, through the shell: deterministic.
    Run(String),
    /// A known agent.
    Agent(String),
}

/// Somebody who repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixer {
    /// Its name, unique.
    pub name: String,
    /// What it repairs.
    pub kinds: Vec<Kind>,
    /// How it is started.
    pub command: FixerCommand,
    /// Its deadline.
    pub timeout: Duration,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFixer {
    #[serde(deserialize_with = "name")]
    name: String,
    #[serde(deserialize_with = "kinds")]
    kinds: Vec<Kind>,
    run: Option<String>,
    agent: Option<String>,
    #[serde(default = "twenty_minutes", deserialize_with = "duration")]
    timeout: Duration,
}

impl<'de> Deserialize<'de> for Fixer {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let RawFixer { name, kinds, run, agent, timeout } = RawFixer::deserialize(d)?;
        let command = match (run, agent) {
            (Some(run), None) if !run.trim().is_empty() => FixerCommand::Run(run),
            (None, Some(agent)) if super::AGENTS.contains(&agent.as_str()) => {
                FixerCommand::Agent(agent)
            }
            (None, Some(agent)) => {
                return Err(D::Error::custom(no_such("agent", &agent, super::AGENTS)));
            }
            (Some(_), Some(_)) => {
                let text = format!("fixer '{name}' has both run and agent: keep one of the two");
                return Err(D::Error::custom(text));
            }
            _ => {
                let text = format!("fixer '{name}' needs either run = \"…\" or agent = \"…\"");
                return Err(D::Error::custom(text));
            }
        };
        Ok(Fixer { name, kinds, command, timeout })
    }
}

fn no_such(what: &str, wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known) {
        Some(near) => format!("unknown {what} '{wrong}'; did you mean '{near}'?"),
        None => format!("unknown {what} '{wrong}'; known are: {}", known.join(", ")),
    }
}

pub(super) fn name<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let name = String::deserialize(d)?;
    let plain = |c: char| c.is_alphanumeric() || "-_. +".contains(c);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        let text = format!("'{name}' is no name; use letters, digits, '-', '_', '.', '+'");
        return Err(D::Error::custom(text));
    }
    Ok(name)
}

fn command<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let command = String::deserialize(d)?;
    if command.trim().is_empty() {
        return Err(D::Error::custom("run is empty; write the command that measures"));
    }
    Ok(command)
}

fn reports<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    let reports = Vec::<String>::deserialize(d)?;
    if reports.is_empty() {
        let text = "it is empty; write the reports' names, or \"-\" for standard output";
        return Err(D::Error::custom(text));
    }
    for report in &reports {
        if report.is_empty() || report.starts_with('/') || report.split('/').any(|p| p == "..") {
            let text = format!("'{report}' must lie in {{out}}; have the command write it there");
            return Err(D::Error::custom(text));
        }
        if let Err(e) = globset::Glob::new(report) {
            return Err(D::Error::custom(format!("'{report}' is no glob: {}", e.kind())));
        }
    }
    Ok(reports)
}

fn exit_codes<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<i32>, D::Error> {
    let codes = Vec::<i32>::deserialize(d)?;
    if codes.is_empty() {
        return Err(D::Error::custom("it is empty; write the exit codes that mean \"it ran\""));
    }
    match codes.iter().find(|code| !(0..=255).contains(*code)) {
        Some(code) => {
            Err(D::Error::custom(format!("{code} is no exit code; they are from 0 to 255")))
        }
        None => Ok(codes),
    }
}

fn format<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let format = String::deserialize(d)?;
    if format == "auto" || formats::all().any(|f| f.name == format) {
        return Ok(format);
    }
    let known: Vec<&str> = formats::all().map(|f| f.name).chain(["auto"]).collect();
    Err(D::Error::custom(no_such("format", &format, &known)))
}

fn dimension<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    let word = String::deserialize(d)?;
    match Bucket::parse(&word) {
        Some(_) => Ok(Some(word)),
        None => Err(D::Error::custom(no_such("dimension", &word, Bucket::WORDS))),
    }
}

fn kinds<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Kind>, D::Error> {
    let words = Vec::<String>::deserialize(d)?;
    let known: Vec<&str> = Kind::for_fixers().map(Kind::word).collect();
    if words.is_empty() {
        let text = format!("kinds is empty; known are: {}", known.join(", "));
        return Err(D::Error::custom(text));
    }
    let kind = |word: &String| {
        Kind::for_fixers()
            .find(|k| k.word() == word)
            .ok_or_else(|| D::Error::custom(no_such("kind", word, &known)))
    };
    words.iter().map(kind).collect()
}

fn stdout_only() -> Vec<String> {
    vec!["-".to_string()]
}

fn auto() -> String {
    "auto".to_string()
}

fn ran() -> Vec<i32> {
    vec![0, 1]
}

fn yes() -> bool {
    true
}

fn ten_minutes() -> Duration {
    Duration::from_secs(600)
}

fn twenty_minutes() -> Duration {
    Duration::from_secs(1200)
}
