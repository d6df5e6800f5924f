//! The commands of `git review-evidence`.
//!
//! * `run`: measure and judge; `target`: which commit that is, and whether the tree is exactly it;
//!   `left`: what checks left behind; `advice`: what to do where nothing is configured.
//! * `show`, `compare`, `import`, `formats`, `install`: one file each; `doctor`: what would keep it all
//!   from working.

mod advice;
mod compare;
mod doctor;
mod formats;
mod import;
mod import_document;
mod install;
mod left;
mod plugin;
mod run;
mod show;
mod target;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};

use super::args::{HookCommand, OutputFormat, Review, ReviewCommand, RunArgs};
use crate::config::nearest;
use crate::hook::agent::{self, Dialect};
use crate::hook::pre_push;
use crate::host::console::Console;
use crate::host::context::Context;
use crate::host::env::Environment;
use crate::host::exit::{self, Code, Failure, sentence};
use crate::measure::MeasureFailed;
use crate::model::Record;
use crate::process::{SUPERVISE, supervise_main};
use crate::report::human;

/// `git-review-evidence`: arguments in, exit code out.
pub fn main() -> i32 {
    let args: Vec<OsString> = std::env::args_os().collect();
    // First of all: a supervisor closes what it inherited, so nothing may be open yet.
    if args.get(1).is_some_and(|a| a == SUPERVISE) {
        return supervise_main(args.into_iter().skip(2));
    }
    main_as(args.into_iter().skip(1))
}

/// `git-review-evidence` with these arguments, after the program's name.
pub(super) fn main_as(args: impl Iterator<Item = OsString>) -> i32 {
    let review = Review::parse_from(std::iter::once("git-review-evidence".into()).chain(args));
    let env = Environment::read();
    let quiet = match &review.command {
        Some(ReviewCommand::Run(args)) => args.quiet,
        _ => review.run.quiet,
    };
    let console = Console::new(review.common.color, env.no_color, quiet);
    command(review, env, console).unwrap_or_else(|e| {
        console.note(&format!("git review-evidence: {}", sentence(&e)));
        code_of(&e) as i32
    })
}

fn code_of(error: &anyhow::Error) -> Code {
    match error.is::<MeasureFailed>() {
        true => Code::NotJudged,
        false => exit::code_of(error),
    }
}

fn command(review: Review, env: Environment, console: Console) -> anyhow::Result<i32> {
    if review.command.is_some() && review.run != RunArgs::default() {
        return Err(Failure::usage("options of a run stand after the word run, or alone"));
    }
    let typed_without_run = review.command.is_none();
    let dir = review.common.dir;
    let open = |env| Context::open(dir.as_deref(), env, console);
    match review.command.unwrap_or(ReviewCommand::Run(review.run)) {
        ReviewCommand::Run(args) => {
            let bare_word = args.rev.clone().filter(|_| typed_without_run);
            run::run(&open(env)?, &args).map_err(|e| misspelt(e, bare_word.as_deref()))
        }
        ReviewCommand::Show(args) => show::show(&open(env)?, &args),
        ReviewCommand::Compare(args) => compare::compare(dir.as_deref(), env, console, &args),
        ReviewCommand::Import(args) => import::import(console, dir.as_deref(), &args),
        ReviewCommand::Formats { json } => formats::formats(console, json),
        ReviewCommand::Doctor { json } => doctor::doctor(dir.as_deref(), env, console, json),
        ReviewCommand::Install(args) => install::install(&open(env)?, &args),
        ReviewCommand::Hook { hook: called } => Ok(hook(&called, dir.as_deref())),
    }
}

/// What a hook script calls; the answer is its exit code.
fn hook(called: &HookCommand, dir: Option<&Path>) -> i32 {
    let typed = match called {
        HookCommand::PrePush { remote, url } => {
            return pre_push::main(remote.as_deref(), url.as_deref(), dir);
        }
        HookCommand::Warm { dir: checkout } => return agent::warm(checkout),
        HookCommand::Claude => Some(Dialect::Claude),
        HookCommand::Codex => Some(Dialect::Codex),
        HookCommand::Gemini => Some(Dialect::Gemini),
        HookCommand::Copilot => Some(Dialect::Copilot),
        HookCommand::Cursor => Some(Dialect::Cursor),
        HookCommand::Plain => Some(Dialect::Plain),
        HookCommand::Auto => None,
    };
    agent::main(typed, dir)
}

/// `git review-evidence instal` reads as a revision; where there is none, a command was meant.
fn misspelt(error: anyhow::Error, word: Option<&str>) -> anyhow::Error {
    let not_found = error.downcast_ref::<Failure>().is_some_and(|f| f.code == Code::Usage);
    let review = Review::command();
    let commands: Vec<&str> = review.get_subcommands().map(clap::Command::get_name).collect();
    match word.and_then(|w| Some((w, nearest(w, &commands)?))) {
        Some((word, near))
            if not_found && error.to_string().starts_with(&format!("'{word}' names")) =>
        {
            Failure::usage(format!(
                "'{word}' is neither a command nor a commit of this repository; did you mean '{near}'?"
            ))
        }
        _ => error,
    }
}

/// A record as a document or in words.
fn shown(record: &Record, format: OutputFormat, color: bool) -> anyhow::Result<String> {
    Ok(match format {
        OutputFormat::Text => human::text(record, color),
        OutputFormat::Json => serde_json::to_string_pretty(record)? + "\n",
    })
}

/// A path that was typed, seen from the folder of `-C`.
fn typed(dir: Option<&Path>, path: &Path) -> PathBuf {
    dir.map_or_else(|| path.to_path_buf(), |dir| dir.join(path))
}
