//! The journal of a run: what was going to be done, on the disk before it is done, so that after a
//! kill at any instant `continue` and `abort` know where the run stood.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::StoreError;
use super::write::{self, Sync, append_line, read_lines};
use crate::model::{BlockReason, CommitId, Decision, Escalation, Kind, Status};

/// How the loop works on the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In the checkout itself.
    InPlace,
    /// In a linked worktree of our own.
    Worktree,
}

/// How a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The run; letters, digits, `-`, `_` and `.` only, since files are named after it.
    pub run_id: String,
    /// The branch's full name.
    pub branch: String,
    /// The top of the checkout that it works in.
    pub checkout: String,
    /// How it works.
    pub mode: Mode,
    /// The branch's tip.
    pub start_sha: CommitId,
    /// When, ISO-8601.
    pub at: String,
    /// `iter_count_total` of the branch at the start.
    pub iterations_before: u64,
    /// `tokens_total` of the branch at the start.
    pub tokens_before: u64,
    /// `reverts` of the branch at the start.
    pub reverts_before: u64,
    /// Iterations allowed.
    pub max_iter: u64,
    /// Tokens allowed.
    pub token_budget: u64,
    /// Iterations allowed over the branch's life; older journals do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cumulative_iter: Option<u64>,
}

/// What the working tree was like before a fixer ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Before {
    /// A file that holds the snapshot.
    File(String),
    /// The paths that differed from the commit, for most trees few or none.
    Paths(Vec<String>),
}

/// How a fixer ended, before anything is known of what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixerEnd {
    /// Exit code 0.
    Done,
    /// Another exit code, a signal, or it could not be started.
    Failed,
    /// Ended at its deadline.
    Timeout,
    /// It says that it cannot.
    CannotFix,
    /// It says that the finding is none.
    FalsePositive,
}

/// What the decider said before a dispatch, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consulted {
    /// The dispatch that was about to begin: its iteration,
    pub iteration: u64,
    /// its kind,
    pub kind: Kind,
    /// and its reason.
    pub reason: BlockReason,
    /// The verdict's word; none where an artefact could not be read.
    pub verdict: Option<String>,
    /// Why, or what is wrong with the artefact.
    pub reasons: Vec<String>,
    /// Whether the loop goes on.
    pub goes_on: bool,
    /// SHA-256 of the artefact, where it could be read.
    pub decision_sha256: Option<String>,
    /// As `decision_sha256`.
    pub attribution_sha256: Option<String>,
    /// As `decision_sha256`.
    pub capabilities_sha256: Option<String>,
}

/// One line. Paths that are not UTF-8 stand as git quotes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants say it")]
pub enum Entry {
    /// The first line.
    RunStarted(RunStarted),
    /// The same run, carried on by `continue`.
    Resumed { at: String },
    /// The decider was asked whether a dispatch may begin.
    Consulted(Consulted),
    /// A checkpoint exists: the ref was created before this line.
    Checkpoint { iteration: u64, ref_name: String, sha: CommitId },
    /// A fixer is about to start.
    Dispatch { iteration: u64, fixer: String, kind: Kind, reason: BlockReason, before: Before },
    /// It ended. `paths` are those that it left changed, `head` is where it left HEAD.
    FixerEnded {
        outcome: FixerEnd,
        tokens: u64,
        estimated: bool,
        seconds: f64,
        head: CommitId,
        paths: Vec<String>,
    },
    /// Its edits were committed for it, or its own commits were looked at and may stay until they
    /// are measured.
    Committed { sha: CommitId },
    /// What checks left in the tree: not the user's, not to be committed.
    Left { paths: Vec<String> },
    /// The new HEAD was measured.
    Measured { sha: CommitId, decision: Decision, reasons: Vec<BlockReason> },
    /// What the dispatch did only silences the check: the rules, and where each fired. It is about to
    /// go back.
    Gamed { rules: Vec<String>, hits: Vec<serde_json::Value> },
    /// The branch is about to go back.
    RollingBack { from: CommitId, to: CommitId, why: String },
    /// It went back.
    RolledBack { to: CommitId },
    /// The branch is about to be fast-forwarded to what was done in a worktree.
    ComingHome { from: CommitId, to: CommitId },
    /// The iteration's commits stay.
    Kept { sha: CommitId },
    /// The iteration changed nothing.
    NoChange { sha: CommitId },
    /// The last line. Older journals have no detail.
    RunEnded {
        status: Status,
        escalation: Option<Escalation>,
        sha: CommitId,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
}

/// A journal as read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The lines, in order.
    pub entries: Vec<Entry>,
    /// The writer was stopped inside the last line. What that line was to announce did not happen.
    pub torn: bool,
}

impl Read {
    /// The run that began here and did not end; `None` where there is none.
    pub fn interrupted(&self) -> Option<&RunStarted> {
        match self.entries.last() {
            None | Some(Entry::RunEnded { .. }) => None,
            Some(_) => self.run(),
        }
    }

    /// Whether a fixer was ever started or the branch was to go back: before that nothing changes.
    pub fn began(&self) -> bool {
        let changes = |e: &Entry| matches!(e, Entry::Dispatch { .. } | Entry::RollingBack { .. });
        self.entries.iter().any(changes)
    }

    /// The run that this is the journal of.
    pub fn run(&self) -> Option<&RunStarted> {
        match self.entries.first() {
            Some(Entry::RunStarted(run)) => Some(run),
            _ => None,
        }
    }
}

/// The journal of the present run, open for appending. Its owner holds the branch's lock.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    run_id: String,
}

impl Journal {
    /// Begins the journal of a run.
    ///
    /// # Errors
    /// Where the file cannot be written, or holds the journal of a run that has not been archived.
    pub fn start(path: &Path, run: &RunStarted) -> Result<Journal, StoreError> {
        if !is_file_name(&run.run_id) {
            let why = format!("'{}' is no run id", run.run_id);
            return Err(StoreError::corrupt(path, why, "use letters, digits, '-', '_' and '.'"));
        }
        if let Some(earlier) = read(path)?.run() {
            let why = format!("it is still the journal of run {}", earlier.run_id);
            let remedy = "'git fix-evidence continue' or 'git fix-evidence abort' ends that run";
            return Err(StoreError::corrupt(path, why, remedy));
        }
        let journal = Journal { path: path.to_path_buf(), run_id: run.run_id.clone() };
        journal.append(&Entry::RunStarted(run.clone()))?;
        Ok(journal)
    }

    /// Opens the journal that is there, to carry its run on, to undo it, or to archive it.
    ///
    /// # Errors
    /// As [`read`].
    pub fn open(path: &Path) -> Result<Option<(Journal, Read)>, StoreError> {
        let read = read(path)?;
        let Some(run_id) = read.run().map(|run| run.run_id.clone()) else { return Ok(None) };
        Ok(Some((Journal { path: path.to_path_buf(), run_id }, read)))
    }

    /// Appends a line; when this returns it is on the disk, and what it announces may begin.
    ///
    /// # Errors
    /// Where it cannot be written: then nothing that it announces may be done.
    pub fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        append_line(&self.path, entry, Sync::Now)
    }

    /// Moves the journal among those of ended runs and says where it lies.
    ///
    /// # Errors
    /// Where it cannot be moved; it is then still where it was.
    pub fn archive(self, runs: &Path) -> Result<PathBuf, StoreError> {
        write::create_dirs(runs)?;
        let mut target = runs.join(format!("{}.jsonl", self.run_id));
        let mut number = 2;
        while target.exists() {
            target = runs.join(format!("{}.{number}.jsonl", self.run_id));
            number += 1;
        }
        std::fs::rename(&self.path, &target).map_err(StoreError::io(&self.path, "archive"))?;
        write::sync_dir(runs)?;
        if let Some(dir) = self.path.parent() {
            write::sync_dir(dir)?;
        }
        Ok(target)
    }
}

/// Reads a journal; a missing file is an empty one.
///
/// # Errors
/// Where the file cannot be read, or a line before the last is damaged or of a newer program:
/// putting a branch back by half a journal could go to the wrong place.
pub fn read(path: &Path) -> Result<Read, StoreError> {
    let remedy = "the checkpoints that 'git fix-evidence status' lists are untouched: \
                  'git fix-evidence undo' goes back to one; then move this file away";
    let lines = read_lines::<Entry>(path)?;
    if let Some((number, why)) = lines.bad.first() {
        return Err(StoreError::corrupt(path, format!("line {number}: {why}"), remedy));
    }
    let read = Read { entries: lines.entries, torn: lines.torn };
    if read.run().is_none() && !read.entries.is_empty() {
        return Err(StoreError::corrupt(path, "its first line begins no run", remedy));
    }
    Ok(read)
}

/// A text that names a file in a folder and nothing else.
pub(crate) fn is_file_name(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() <= 200 && !text.starts_with('.') && text.bytes().all(allowed)
}
