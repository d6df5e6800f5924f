//! Starts one fixer and reads what it says of itself. What it did to the tree is `attempt`'s question.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

use super::agents;
use super::checkout::reflog_action;
use crate::config::{Fixer, FixerCommand};
use crate::engine::Dispatch;
use crate::host::env::INSIDE_LOOP;
use crate::model::CommitId;
use crate::model::sanitize;
use crate::process::{Exit, Program, Runner, Sink};

/// Most that a fixer may print.
const OUTPUT_LIMIT: u64 = 256 << 20;

/// One start.
pub(super) struct Call<'a> {
    pub(super) fixer: &'a Fixer,
    pub(super) dispatch: &'a Dispatch,
    pub(super) sha: &'a CommitId,
    pub(super) run_id: &'a str,
    /// The tree's root.
    pub(super) dir: &'a Path,
    /// For prompt, usage, answer and output.
    pub(super) folder: &'a Path,
    /// The record of the present tip.
    pub(super) record: &'a Path,
    pub(super) prompt: &'a str,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) exit: Exit,
    pub(super) seconds: f64,
    pub(super) tokens: u64,
    pub(super) estimated: bool,
    pub(super) answer: Option<Answer>,
    /// The end of what it said on standard error.
    pub(super) last_words: String,
}

/// The honest way out (X-9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    CannotFix(String),
    FalsePositive(String),
}

/// The command as it is run, for the shell.
pub(super) fn command(fixer: &Fixer) -> String {
    match &fixer.command {
        FixerCommand::Run(command) => command.clone(),
        FixerCommand::Agent(name) => {
            agents::by_name(name).map_or_else(|| name.clone(), |a| a.command.to_string())
        }
    }
}

/// Runs a fixer to its end.
pub(super) fn call(runner: &Runner, call: &Call<'_>) -> anyhow::Result<Told> {
    private_folder(call.folder)?;
    let file = |name: &str| file_of(call.fixer, call.folder, name);
    let (prompt, usage, answer, output) =
        (file("prompt.md"), file("usage.json"), file("answer.json"), file("output.txt"));
    private_file(&prompt, call.prompt)?;
    private_file(&output, "")?;
    let (action, said) = reflog_action(call.run_id);
    let program = Program::shell(command(call.fixer), call.dir, call.fixer.timeout)
        .env("EVIDENCE_KIND", call.dispatch.kind.word())
        .env("EVIDENCE_REASON", call.dispatch.reason.to_string())
        .env("EVIDENCE_SHA", call.sha.as_str())
        .env("EVIDENCE_ITERATION", call.dispatch.iteration.to_string())
        .env("EVIDENCE_RECORD", call.record)
        .env("EVIDENCE_PROMPT", &prompt)
        .env("EVIDENCE_USAGE", &usage)
        .env("EVIDENCE_ANSWER", &answer)
        .env(INSIDE_LOOP, call.run_id)
        .env(action, said)
        .stdout(Sink::File { path: output.clone(), limit: OUTPUT_LIMIT });
    let ran = runner.run(&program)?;
    let (tokens, estimated) = tokens(call.fixer, &usage, &output);
    let stderr = ran.stderr.text();
    let last = stderr.lines().map(str::trim).rfind(|l| !l.is_empty()).unwrap_or_default();
    Ok(Told {
        exit: ran.exit,
        seconds: ran.seconds,
        tokens,
        estimated,
        answer: read_answer(&answer),
        last_words: sanitize(last).chars().take(300).collect(),
    })
}

/// A run's folder with that of an iteration in it: prompts and outputs are nobody else's to read.
fn private_folder(folder: &Path) -> anyhow::Result<()> {
    let make = || -> std::io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        for own in folder.ancestors().take(2) {
            std::fs::set_permissions(own, Permissions::from_mode(0o700))?;
        }
        Ok(())
    };
    make().with_context(|| format!("cannot make {}", folder.display()))
}

fn private_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = File::options();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The file of that name for a fixer in its iteration's folder.
fn file_of(fixer: &Fixer, folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}-{name}", fixer.name.replace(' ', "_")))
}

/// What a fixer is charged that was interrupted, and whether that is an estimate.
pub(super) fn spent(fixer: &Fixer, folder: &Path) -> (u64, bool) {
    tokens(fixer, &file_of(fixer, folder, "usage.json"), &file_of(fixer, folder, "output.txt"))
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

/// What the fixer wrote, else what the agent's output says, else the estimate for an agent.
fn tokens(fixer: &Fixer, usage: &Path, output: &Path) -> (u64, bool) {
    let written = std::fs::read(usage).ok().and_then(|b| serde_json::from_slice::<Usage>(&b).ok());
    if let Some(usage) = written {
        return (usage.input_tokens.saturating_add(usage.output_tokens), false);
    }
    let FixerCommand::Agent(name) = &fixer.command else { return (0, false) };
    let agent = agents::by_name(name);
    let read = agent.and_then(|agent| {
        let lines = BufReader::new(File::open(output).ok()?).lines();
        // Text that is not UTF-8 costs its line, not the count.
        (agent.usage)(&mut lines.map_while(|l| match l {
            Ok(line) => Some(line),
            Err(e) if e.kind() == std::io::ErrorKind::InvalidData => Some(String::new()),
            Err(_) => None,
        }))
    });
    read.map_or((agents::ESTIMATE, true), |tokens| (tokens, false))
}

#[derive(Deserialize)]
struct RawAnswer {
    cannot_fix: Option<String>,
    false_positive: Option<String>,
}

fn read_answer(file: &Path) -> Option<Answer> {
    let raw: RawAnswer = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let text = |t: String| sanitize(&t).chars().take(1000).collect();
    raw.cannot_fix
        .map(|why| Answer::CannotFix(text(why)))
        .or_else(|| raw.false_positive.map(|why| Answer::FalsePositive(text(why))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn fixer(how: &str) -> Fixer {
        let text = format!("[[fixer]]\nname = \"f\"\nkinds = [\"lint\"]\n{how}");
        Config::parse("f", &text).unwrap().fixers.remove(0)
    }

    #[test]
    fn unknown_use_of_an_agent_is_estimated_and_of_a_command_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (usage, output) = (folder.path().join("u"), folder.path().join("o"));
        std::fs::write(&output, "no usage here\n").unwrap();
        assert_eq!(tokens(&fixer("run = \"x\""), &usage, &output), (0, false));
        assert_eq!(tokens(&fixer("agent = \"claude\""), &usage, &output), (40_000, true));
        for (written, agent, run) in [
            (r#"{"input_tokens":10,"output_tokens":5}"#, (15, false), (15, false)),
            (r#"{"input_tokens":-1,"output_tokens":5}"#, (40_000, true), (0, false)),
            ("nonsense", (40_000, true), (0, false)),
        ] {
            std::fs::write(&usage, written).unwrap();
            assert_eq!(tokens(&fixer("agent = \"codex\""), &usage, &output), agent, "{written}");
            assert_eq!(tokens(&fixer("run = \"x\""), &usage, &output), run, "{written}");
        }
    }

    #[test]
    fn the_honest_way_out_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        assert_eq!(read_answer(&file), None);
        for (text, expected) in [
            (r#"{"cannot_fix":"why"}"#, Some(Answer::CannotFix("why".into()))),
            (r#"{"false_positive":"why\u001b[31m"}"#, Some(Answer::FalsePositive("why".into()))),
            ("{}", None),
            ("x", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(read_answer(&file), expected, "{text}");
        }
    }
}
