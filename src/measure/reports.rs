//! What a check wrote into its output folder → figures about files of the repository.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use globset::GlobBuilder;
use sha2::{Digest, Sha256};

use super::kept::hex;
use super::lines::hash_lines;
use crate::config::Check;
use crate::formats;
use crate::model::{Figures, Reading, ReportRef, TestStatus};
use crate::rules::paths::PathMap;

/// Where a check's standard output is kept in its output folder.
pub(super) const STDOUT: &str = ".stdout";

/// File systems keep times in steps; a report this much older than the run's start is still of it.
const SLACK: Duration = Duration::from_secs(2);

/// A report of more bytes is read and hashed side by side.
const LARGE: u64 = 1 << 20;

/// What could be read.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) figures: Option<Figures>,
    pub(super) reports: Vec<ReportRef>,
    pub(super) notes: Vec<String>,
    /// The tool did not finish its work; figures are shown and not judged by.
    pub(super) degraded: Vec<String>,
    /// Why there are no figures.
    pub(super) why: Option<String>,
}

/// Reads the reports that one run in `dir` wrote into `out`. `started` is when the run began: what is older is not of this run.
pub(super) fn collect(
    check: &Check,
    (dir, out): (&Path, &Path),
    started: SystemTime,
    paths: &mut PathMap<'_>,
) -> Collected {
    let mut collected = Collected::default();
    let files = match find(check, out) {
        Ok(files) => files,
        Err(why) => return Collected { why: Some(why), ..collected },
    };
    let mut parts = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, path) in files {
        match read_one(check, &name, &path, started) {
            Ok((report, reading)) => {
                // The same content twice is one report, not twice the findings.
                if !seen.insert(report.sha256.clone()) {
                    collected
                        .notes
                        .push(format!("{name} repeats another report and was not counted"));
                    continue;
                }
                collected.reports.push(report);
                match reading {
                    Reading::Figures(figures) => parts.push(figures),
                    Reading::Degraded(figures, causes) => {
                        parts.push(figures);
                        collected
                            .degraded
                            .extend(causes.into_iter().map(|c| format!("{name}: {c}")));
                    }
                    Reading::Refused(why) => {
                        collected.why = Some(format!("{name}: {why}"));
                        return collected;
                    }
                }
            }
            Err(why) => {
                collected.why = Some(format!("{name}: {why}"));
                return collected;
            }
        }
    }
    let mut figures = formats::merge(parts);
    match about_this_tree(&mut figures, dir, paths) {
        Ok(()) => collected.why = hollow(&figures),
        Err(why) => collected.why = Some(why),
    }
    collected.notes.append(&mut figures.notes);
    collected.figures = Some(figures);
    collected
}

/// The reports that the check promised, sorted by name; each pattern must match something.
fn find(check: &Check, out: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let mut all = Vec::new();
    walk(out, "", &mut all).map_err(|e| format!("its output folder cannot be read: {e}"))?;
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for pattern in &check.reports {
        if pattern == "-" {
            found.push(("standard output".into(), out.join(STDOUT)));
            continue;
        }
        let glob = GlobBuilder::new(pattern.strip_prefix("./").unwrap_or(pattern))
            .literal_separator(true)
            .build()
            .map_err(|e| format!("reports: '{pattern}' is no glob: {e}"))?
            .compile_matcher();
        let before = found.len();
        found.extend(
            all.iter()
                .filter(|name| glob.is_match(name))
                .map(|name| (name.clone(), out.join(name))),
        );
        if found.len() == before {
            return Err(format!("it wrote no report {pattern} to {{out}}"));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

pub(super) fn walk(folder: &Path, prefix: &str, all: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let relative = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        // Links are not followed: a report is what the check wrote here.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &relative, all)?;
        } else if kind.is_file() && relative != STDOUT {
            all.push(relative);
        }
    }
    Ok(())
}

fn read_one(
    check: &Check,
    name: &str,
    path: &Path,
    started: SystemTime,
) -> Result<(ReportRef, Reading), String> {
    let modified = std::fs::metadata(path)
        .and_then(|m| m.modified())
        .map_err(|e| format!("cannot be read: {e}"))?;
    if modified + SLACK < started {
        return Err("it is older than this run, so it says nothing about this commit".into());
    }
    let path_in_out = if name == "standard output" { "-" } else { name };
    read_file(&check.format, path, path_in_out)
}

/// Reads one file as a format (`auto` finds it out); `shown` is how the report is named.
pub(super) fn read_file(
    format: &str,
    path: &Path,
    shown: &str,
) -> Result<(ReportRef, Reading), String> {
    let cannot = |e: io::Error| format!("cannot be read: {e}");
    let (whole, file) = (File::open(path).map_err(cannot)?, File::open(path).map_err(cannot)?);
    let large = file.metadata().map_err(cannot)?.len() > LARGE;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut read = || formats::read(formats::by_name(format), &mut input);
    // A digest costs as much as a fast reader: side by side where that is worth a thread.
    let (sha256, (format, reading)) = match large {
        false => (digest(whole), read()),
        true => std::thread::scope(|scope| {
            let digest = scope.spawn(|| digest(whole));
            let read = read();
            let gone = |_| Err(io::Error::other("its digest could not be made"));
            (digest.join().unwrap_or_else(gone), read)
        }),
    };
    let sha256 = sha256.map_err(cannot)?;
    let format = format.map_or("unknown", |f| f.name).to_string();
    Ok((ReportRef { path: shown.to_string(), format, sha256 }, reading))
}

pub(super) fn digest(mut input: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// Maps every path to a tracked file where it means one. A coverage or complexity report in which no
/// path does is about something else.
pub(super) fn about_this_tree(
    figures: &mut Figures,
    dir: &Path,
    paths: &mut PathMap<'_>,
) -> Result<(), String> {
    if let Some(lint) = &mut figures.lint {
        for finding in &mut lint.findings {
            if let Some(path) = finding.path.as_deref().and_then(|p| paths.find(p)) {
                finding.path = Some(path.into());
            }
        }
        hash_lines(&mut lint.findings, dir, paths);
    }
    if let Some(coverage) = &mut figures.coverage {
        let reported: Vec<String> = coverage.files.iter().map(|f| f.path.clone()).collect();
        let found: Vec<bool> =
            coverage.files.iter_mut().map(|f| map_path(&mut f.path, paths)).collect();
        figures.notes.extend(unmatched(&found, &reported)?);
        *coverage = crate::rules::compare::each_file_once(std::mem::take(coverage));
    }
    if let Some(functions) = &mut figures.complexity {
        let reported: Vec<String> = functions.iter().map(|f| f.path.clone()).collect();
        let found: Vec<bool> = functions.iter_mut().map(|f| map_path(&mut f.path, paths)).collect();
        figures.notes.extend(unmatched(&found, &reported)?);
    }
    Ok(())
}

/// Puts the tracked file in the place of the path that means it; whether there is one.
fn map_path(path: &mut String, paths: &mut PathMap<'_>) -> bool {
    match paths.find(path) {
        Some(tracked) => {
            *path = tracked;
            true
        }
        None => false,
    }
}

/// What to say of reported paths that are no file of the repository; an error where none is one.
fn unmatched(found: &[bool], reported: &[String]) -> Result<Option<String>, String> {
    let missing: BTreeSet<&str> =
        reported.iter().zip(found).filter(|(_, found)| !**found).map(|(p, _)| p.as_str()).collect();
    let all: BTreeSet<&str> = reported.iter().map(String::as_str).collect();
    match missing.first() {
        None => Ok(None),
        Some(first) if missing.len() == all.len() => Err(format!(
            "none of the {} files in the report is in the repository (the first is {first}); each was \
             looked for as it stands, without the repository's folder in front, and by its end",
            all.len()
        )),
        Some(first) => Ok(Some(format!(
            "{} of {} files in the report are not in the repository (the first is {first})",
            missing.len(),
            all.len()
        ))),
    }
}

/// A report that was read and says nothing that could be judged by.
pub(super) fn hollow(figures: &Figures) -> Option<String> {
    if let Some(tests) = &figures.tests {
        let ran = tests.cases.iter().any(|c| c.status != TestStatus::Skipped);
        if !ran {
            let text = match tests.cases.len() {
                0 => "no test was found".to_string(),
                n => format!("all {n} tests were skipped"),
            };
            return Some(text);
        }
    }
    if let Some(coverage) = &figures.coverage
        && coverage.totals().lines_found == 0
    {
        return Some("the coverage report has no coverable line".into());
    }
    let any = figures.lint.is_some()
        || figures.tests.is_some()
        || figures.coverage.is_some()
        || figures.complexity.is_some()
        || figures.dependencies.is_some();
    (!any).then(|| "its reports hold no figures".into())
}
