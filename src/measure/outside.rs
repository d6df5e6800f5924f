//! `[evidence] measure`: an outside program that measures, judges and writes the record itself.

use std::path::Path;
use std::time::Duration;

use crate::config::Evidence;
use crate::model::sanitize;
use crate::model::{CommitId, Record};
use crate::process::{Exit, Program, Runner};

/// Where no deadline is configured.
const DEADLINE: Duration = Duration::from_secs(1800);

/// What the program is told.
pub(super) struct Asked<'a> {
    pub(super) dir: &'a Path,
    pub(super) out: &'a Path,
    pub(super) sha: &'a CommitId,
    pub(super) base: Option<&'a CommitId>,
}

/// Runs it and reads what it wrote.
///
/// # Errors
/// One sentence: it failed, wrote nothing, or wrote no record of this commit.
pub(super) fn measure(
    runner: &Runner,
    evidence: &Evidence,
    asked: &Asked<'_>,
) -> Result<Record, String> {
    let Some(argv) = &evidence.measure else {
        return Err("nothing is configured to measure".into());
    };
    let name = argv.join(" ");
    let file = asked.out.join("record.json");
    let mut program = Program::new(
        program_words(argv, asked.dir),
        asked.dir,
        evidence.timeout.unwrap_or(DEADLINE),
    )
    .env("EVIDENCE_SHA", asked.sha.as_str())
    .env("EVIDENCE_OUT", &file);
    program = match asked.base {
        Some(base) => program.env("EVIDENCE_BASE", base.as_str()),
        None => program.env("EVIDENCE_BASE", ""),
    };
    let ran = runner.run(&program).map_err(|e| e.to_string())?;
    match ran.exit {
        // It may follow the exit codes of this program: the record is what counts.
        Exit::Code(0 | 1 | 3 | 4) => {}
        exit => return Err(format!("{name} failed ({exit:?}){}", super::checks::last_words(&ran))),
    }
    let bytes = std::fs::read(&file).map_err(|e| {
        format!("{name} wrote no record to $EVIDENCE_OUT ({e}){}", super::checks::last_words(&ran))
    })?;
    let record = Record::parse(&bytes).map_err(|e| format!("the record that {name} wrote: {e}"))?;
    if record.sha != asked.sha.as_str() {
        let other: String = sanitize(&record.sha).chars().take(80).collect();
        return Err(format!("{name} wrote a record of '{other}' instead of {}", asked.sha));
    }
    Ok(record)
}

/// `./measure` is relative to the tree's root.
fn program_words(argv: &[String], dir: &Path) -> Vec<std::ffi::OsString> {
    let mut words: Vec<std::ffi::OsString> = argv.iter().map(Into::into).collect();
    if let Some(first) = words.first_mut() {
        let path = Path::new(first.as_os_str());
        if path.is_relative() && path.components().count() > 1 {
            *first = dir.join(path).into_os_string();
        }
    }
    words
}
