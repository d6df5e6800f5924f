//! Runs `[[check]]`s in one tree, several at a time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::Progress;
use super::kept::{Measurement, version_command};
use super::out::fill_out;
use super::reports::{self, STDOUT};
use crate::config::Check;
use crate::formats::{self, FormatKind};
use crate::model::sanitize;
use crate::model::{CheckStatus, Dimension};
use crate::process::{Exit, Program, Ran, Runner, Sink};
use crate::rules::evidence::{Bucket, CheckResult};
use crate::rules::paths::PathMap;
use crate::store::clock;

/// Most that a report on standard output may hold.
const STDOUT_LIMIT: u64 = 1 << 30;
/// For printing a version.
const VERSION_DEADLINE: Duration = Duration::from_secs(20);

/// Where checks run.
pub(super) struct Place<'a> {
    /// The root of the tree.
    pub(super) dir: &'a Path,
    /// A fresh folder for reports.
    pub(super) out: &'a Path,
    /// The tree's files.
    pub(super) tracked: &'a BTreeSet<String>,
    /// `head` or `base`, for people.
    pub(super) what: &'a str,
}

/// Runs checks, as many at a time as the machine has processors, and gives back their measurements in
/// the same order.
pub(super) fn run_all(
    runner: &Runner,
    checks: &[&Check],
    place: &Place<'_>,
    progress: &dyn Progress,
) -> Vec<Measurement> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Measurement)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(checks.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((i, check)) = {
                    let i = next.fetch_add(1, Ordering::SeqCst);
                    checks.get(i).map(|c| (i, *c))
                } {
                    progress.say(&format!("measuring {} ({})", check.name, place.what));
                    let measurement = run_one(runner, check, place);
                    progress.say(&told(&measurement));
                    if let Ok(mut done) = done.lock() {
                        done.push((i, measurement));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, m)| m).collect()
}

fn told(m: &Measurement) -> String {
    match &m.why {
        None => format!("{}: done in {:.1} s", m.check, m.seconds),
        Some(why) => format!("{}: not measured: {}", m.check, sanitize(why)),
    }
}

/// What the tool says of its version; none where nobody knows how to ask, or it does not answer.
pub(super) fn version(runner: &Runner, check: &Check, dir: &Path) -> Option<String> {
    let command = version_command(check)?;
    let ran = runner.run(&Program::shell(command, dir, VERSION_DEADLINE)).ok()?;
    ran.exit.is_success().then(|| ran.stdout.text().trim().chars().take(400).collect())
}

fn run_one(runner: &Runner, check: &Check, place: &Place<'_>) -> Measurement {
    let out = place.out.join(folder_name(&check.name));
    let mut measurement = Measurement {
        check: check.name.clone(),
        status: CheckStatus::Failed,
        exit: None,
        seconds: 0.0,
        measured_at: clock::now(),
        version: version(runner, check, place.dir),
        reports: Vec::new(),
        figures: None,
        why: None,
        notes: Vec::new(),
        left: Vec::new(),
    };
    if let Err(e) = std::fs::create_dir_all(&out) {
        measurement.why = Some(format!("cannot make {}: {e}", out.display()));
        return measurement;
    }
    let started = SystemTime::now();
    let command = fill_out(&check.run, &out.to_string_lossy());
    let mut program =
        Program::shell(command, place.dir, check.timeout).env("EVIDENCE_CHECK_OUT", &out);
    if check.reports.iter().any(|r| r == "-") {
        program = program.stdout(Sink::File { path: out.join(STDOUT), limit: STDOUT_LIMIT });
    }
    match runner.run(&program) {
        Err(e) => measurement.why = Some(e.to_string()),
        Ok(ran) => finish(&mut measurement, check, &ran, || {
            let roots = roots(place.dir);
            let mut paths = PathMap::new(&roots, place.tracked);
            reports::collect(check, (place.dir, &out), started, &mut paths)
        }),
    }
    measurement
}

/// A folder of its own for each check; names are already plain.
fn folder_name(name: &str) -> String {
    name.replace([' ', '+'], "_")
}

/// The tree's root as tools may write it.
fn roots(dir: &Path) -> Vec<String> {
    let real = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let mut roots: Vec<String> =
        [dir.to_path_buf(), real].iter().map(|p| p.to_string_lossy().into_owned()).collect();
    roots.dedup();
    roots
}

fn finish(
    m: &mut Measurement,
    check: &Check,
    ran: &Ran,
    read: impl FnOnce() -> reports::Collected,
) {
    m.seconds = (ran.seconds * 1000.0).round() / 1000.0;
    match ran.exit {
        Exit::Code(code) if check.ok_exit.contains(&code) => m.exit = Some(code),
        Exit::Code(code) => {
            m.exit = Some(code);
            let ok: Vec<String> = check.ok_exit.iter().map(ToString::to_string).collect();
            m.why = Some(format!(
                "it ended with exit code {code} (that it ran is shown by {}){}",
                ok.join(", "),
                last_words(ran)
            ));
        }
        Exit::Signal(n) => m.why = Some(format!("it was ended by signal {n}{}", last_words(ran))),
        Exit::Deadline => {
            m.status = CheckStatus::Timeout;
            m.why = Some(format!("it did not end within {:?}", check.timeout));
        }
        Exit::Cancelled => m.why = Some("it was cancelled".into()),
        Exit::TooMuchOutput => m.why = Some("it wrote more than 1 GiB to standard output".into()),
    }
    if m.why.is_some() {
        return;
    }
    let collected = read();
    m.reports = collected.reports;
    m.notes = collected.notes;
    m.why = collected.why;
    if m.why.is_none() && !collected.degraded.is_empty() {
        m.status = CheckStatus::Degraded;
        m.why = Some(format!("the tool did not finish: {}", collected.degraded.join("; ")));
    } else if m.why.is_none() {
        m.status = CheckStatus::Measured;
        m.figures = collected.figures;
    }
}

/// The end of what a program said before it failed.
pub(super) fn last_words(ran: &Ran) -> String {
    let text = ran.stderr.text();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    match lines.last() {
        Some(last) => format!(": {}", sanitize(&last.chars().take(300).collect::<String>())),
        None => String::new(),
    }
}

/// A measurement as the rules see it.
pub(super) fn result(check: &Check, m: &Measurement) -> CheckResult {
    let figures = match (&m.figures, &m.why) {
        (Some(figures), None) => Ok(figures.clone()),
        (_, why) => Err(why.clone().unwrap_or_else(|| "it gave no figures".into())),
    };
    CheckResult {
        name: check.name.clone(),
        bucket: check.bucket(),
        required: check.required,
        feeds: feeds(check),
        version: m.version.clone(),
        figures,
    }
}

/// The dimension that a check is to feed, as far as its configuration tells.
fn feeds(check: &Check) -> Option<Dimension> {
    let format = formats::by_name(&check.format)?;
    match format.kind {
        FormatKind::Lint => Some(match check.bucket() {
            Bucket::Security => Dimension::Security,
            _ => Dimension::Quality,
        }),
        FormatKind::Coverage => Some(Dimension::Coverage),
        FormatKind::Complexity => Some(Dimension::Quality),
        FormatKind::Dependencies => Some(Dimension::Security),
        FormatKind::Tests => None,
    }
}

/// A fresh folder for one run's reports.
pub(super) fn fresh_out(base: &Path, run: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(base)?;
    let folder = tempfile::Builder::new().prefix(&format!("{run}-")).tempdir_in(base)?;
    Ok(folder.keep())
}
