//! One side's measurements brought together, and what happened to the tree meanwhile.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::checks;
use super::kept::{AUDITED_AT, Measurement};
use crate::config::Check;
use crate::git::Snapshot;
use crate::model::{CheckRun, CheckStatus};
use crate::rules::evidence::CheckResult;

/// One side's measurements.
pub(super) struct Measured {
    pub(super) results: Vec<CheckResult>,
    pub(super) runs: Vec<CheckRun>,
    pub(super) seen: Seen,
    /// How many were made now.
    pub(super) made: usize,
    /// How many could neither be made nor found.
    pub(super) missing: usize,
}

/// What happened to the tree while checks ran in it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Every path that changed.
    pub(super) left: Vec<String>,
    /// Those of them that git tracks.
    pub(super) edited: Vec<String>,
}

impl Seen {
    pub(super) fn between(before: &Snapshot, after: &Snapshot) -> Seen {
        let changed = after.changed_since(before);
        let tracked = |path: &&Vec<u8>| {
            let shape = after.shapes().get(*path).or_else(|| before.shapes().get(*path));
            shape.is_some_and(|s| s.staged.is_some())
        };
        Seen {
            edited: changed.iter().filter(tracked).map(|p| lossy(p)).collect(),
            left: changed.iter().map(|p| lossy(p)).collect(),
        }
    }
}

impl Measured {
    /// `kept` has one place for each check, `made` those that were missing, in order.
    pub(super) fn gather(
        checks: &[&Check],
        kept: Vec<Option<Measurement>>,
        made: Vec<Measurement>,
        seen: Seen,
    ) -> Measured {
        let count = made.len();
        let mut made = made.into_iter();
        let mut measured =
            Measured { results: Vec::new(), runs: Vec::new(), seen, made: count, missing: 0 };
        for (check, kept) in checks.iter().zip(kept) {
            let reused = kept.is_some();
            let Some(mut m) = kept.or_else(|| made.next()) else {
                measured.missing += 1;
                measured.results.push(checks::result(check, &not_run(check)));
                measured.runs.push(run_of(&not_run(check)));
                continue;
            };
            if reused {
                m.status = CheckStatus::Reused;
            }
            measured.results.push(checks::result(check, &m));
            measured.runs.push(run_of(&m));
        }
        measured
    }

    /// Reads reports that somebody else made, as if checks had written them.
    pub(super) fn add_imports(
        &mut self,
        imports: &[(String, PathBuf)],
        top: &Path,
        tracked: &BTreeSet<String>,
    ) {
        for (format, file) in imports {
            let m = super::import::import(format, file, top, tracked);
            self.results.push(super::import::result(&m));
            self.runs.push(run_of(&m));
        }
    }

    /// Kinds of figures that a check gave at the base and does not give here, though it gave some:
    /// a coverage report that is not written any more is not "no line lost".
    pub(super) fn vanished(&self, base: &Measured) -> Vec<(String, String, bool)> {
        let mut vanished = Vec::new();
        for (result, run) in self.results.iter().zip(&self.runs) {
            let Some(before) = base.runs.iter().find(|r| r.name == run.name) else { continue };
            if result.figures.is_err() {
                continue;
            }
            let here = kinds(run);
            for kind in kinds(before).into_iter().filter(|k| !here.contains(k)) {
                let why = format!("it gave no {kind}, which it gave for the base");
                vanished.push((run.name.clone(), why, result.required));
            }
        }
        vanished
    }
}

fn kinds(run: &CheckRun) -> Vec<&str> {
    let listed = run.other.get("kinds").and_then(|k| k.as_array());
    listed.into_iter().flatten().filter_map(|k| k.as_str()).collect()
}

fn not_run(check: &Check) -> Measurement {
    Measurement {
        check: check.name.clone(),
        status: CheckStatus::NotRun,
        exit: None,
        seconds: 0.0,
        measured_at: String::new(),
        version: None,
        reports: Vec::new(),
        figures: None,
        why: Some("it was not run and no measurement of this content is kept".into()),
        notes: Vec::new(),
        left: Vec::new(),
    }
}

fn run_of(m: &Measurement) -> CheckRun {
    let mut other = Map::new();
    other.insert("kinds".into(), json!(m.kinds()));
    if m.kinds().contains(&"dependencies") {
        other.insert(AUDITED_AT.into(), json!(m.measured_at));
    }
    if let Some(version) = &m.version {
        other.insert("tool_version".into(), json!(version));
    }
    CheckRun {
        name: m.check.clone(),
        status: m.status,
        exit: m.exit,
        seconds: m.seconds,
        reports: m.reports.clone(),
        notes: m.why.iter().chain(&m.notes).cloned().collect(),
        left: m.left.clone(),
        other,
    }
}

fn lossy(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
