//! What all test formats share: the identity of a case, its message, and what it means that one
//! identity comes several times in a report.
//!
//! Equal names are either tests of their own (rows of a parameterised test, twins in two files) or
//! several runs of one test. A wrong guess may hide a failure, so a pass only stands for a failure
//! before it where the report shows runs: see [`Repeats`]. Of runs, the last one counts.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::formats::text::clip;
use crate::formats::{Found, note};
use crate::model::{Figures, TestCase, TestFigures, TestStatus};

/// How much of a failure is kept.
pub(super) const MAX_MESSAGE: usize = 2000;

/// The identity: suite, class and name, without empty parts.
pub(super) fn id<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<&str> = parts.into_iter().map(str::trim).filter(|p| !p.is_empty()).collect();
    parts.join("::")
}

/// The first lines of a failure; none where there is nothing to say.
pub(super) fn message(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| clip(text, MAX_MESSAGE))
}

/// Like [`declared`] where a whole run has all that it declares: fewer are always a cause.
pub(super) fn planned(
    (total, found): (Option<u64>, u64),
    notes: &mut Vec<String>,
    causes: &mut Vec<String>,
) {
    match total {
        Some(total) if total > found && found > 0 => {
            causes.push(format!("the run declares {total} tests and has {found}"));
        }
        total => declared("the run", (total, found), notes, causes),
    }
}

/// Adds to a message in the making, no more than will be kept of it.
pub(super) fn gather(so_far: &mut String, text: &str) {
    if so_far.len() < MAX_MESSAGE * 8 {
        so_far.push_str(&clip(text, MAX_MESSAGE * 2));
    }
}

/// `name` without the `prefix` that repeats where it stands, and what is left of it after one of
/// `between`; the name itself where that leaves nothing.
pub(super) fn after<'a>(name: &'a str, prefix: &str, between: &[char]) -> &'a str {
    let rest = match prefix.is_empty() {
        true => None,
        false => name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(between)),
    };
    rest.filter(|rest| !rest.trim().is_empty()).unwrap_or(name)
}

/// The last part of a path of any system: where a library was built is no part of its name.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Class and method of a full name of .NET, `Ns.Class.Method(1.5)`.
pub(super) fn split_name(full: &str) -> (&str, &str) {
    let end = full.find(['(', '<', '"']).unwrap_or(full.len());
    full[..end].rfind('.').map_or(("", full), |dot| (&full[..dot], &full[dot + 1..]))
}

/// That a report declares more cases than it has is a cause where it has none, else a note.
pub(super) fn declared(
    of: &str,
    (declared, found): (Option<u64>, u64),
    notes: &mut Vec<String>,
    causes: &mut Vec<String>,
) {
    match declared {
        Some(n) if n > 0 && found == 0 => {
            note(causes, || format!("{of} declares {n} tests and has none"));
        }
        Some(n) if n != found => {
            note(notes, || format!("{of} declares {n} tests and has {found}"));
        }
        _ => {}
    }
}

/// The text of one kind of element, gathered while it is open.
#[derive(Debug, Default)]
pub(super) struct Said {
    depth: Option<usize>,
    text: String,
}

impl Said {
    /// The element opens at this depth; only the first one is listened to.
    pub(super) fn begin(&mut self, depth: usize) {
        if self.depth.is_none() && self.text.trim().is_empty() {
            self.depth = Some(depth);
        }
    }

    /// Hears a piece of text.
    pub(super) fn hear(&mut self, text: &str) {
        if self.depth.is_some() {
            gather(&mut self.text, text);
        }
    }

    /// An element closes at this depth.
    pub(super) fn end(&mut self, depth: usize) {
        if self.depth == Some(depth) {
            self.depth = None;
        }
    }

    /// What was said; nothing afterwards.
    pub(super) fn take(&mut self) -> Option<String> {
        message(&std::mem::take(self).text)
    }
}

/// A case before repeated ones are settled.
#[derive(Debug)]
pub(super) struct Raw {
    /// As the report gives it.
    pub(super) case: TestCase,
    /// The file that it names, or nothing.
    pub(super) file: String,
    /// Line and column that it names.
    pub(super) line: Option<String>,
    /// Which suite of the report it stands in (the element, not its name).
    pub(super) suite: usize,
}

impl Raw {
    /// A case that names no place.
    pub(super) fn new(id: String, status: TestStatus, message: Option<String>) -> Self {
        // what a test that holds has to say is no failure
        let message = message.filter(|_| status != TestStatus::Passed);
        let case = TestCase { id, status, flaky: false, message };
        Raw { case, file: String::new(), line: None, suite: 0 }
    }
}

/// What it means that one identity comes several times in one suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeats {
    /// The tool writes each test once, or marks its retries inside of the case: tests of their own.
    Tests,
    /// The tool's names are unique: runs of one test.
    Runs,
    /// The tool is not known: runs where no case of the report comes again after it passed (a test
    /// is retried until it passes, rows of a parameterised test come all).
    Tell,
}

/// The cases of a report, each once, and what a person should know about that.
pub(super) fn finish(
    mut all: Vec<Raw>,
    repeats: Repeats,
    mut notes: Vec<String>,
    causes: Vec<String>,
) -> Found {
    told_apart(&mut all);
    if repeats == Repeats::Tests || repeats == Repeats::Tell && again_after_pass(&all) {
        let numbered = numbered(&mut all);
        if numbered > 0 {
            note(&mut notes, || {
                format!("tests of the same name, told apart by a number: {numbered}")
            });
        }
    }
    let raw = all.len();
    let cases = merged(all);
    if cases.len() < raw {
        notes.push(format!("cases that repeat a test, merged with it: {}", raw - cases.len()));
    }
    let tests = Some(TestFigures { cases });
    Ok((Figures { tests, notes, ..Figures::default() }, causes))
}

/// Gives cases of one name that stand at different places names of their own: those are different
/// tests, while runs of one test name the same place or none.
fn told_apart(all: &mut [Raw]) {
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut lines: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for Raw { case, file, line, .. } in all.iter() {
        files.entry(&case.id).or_default().insert(file);
        lines.entry((&case.id, file)).or_default().extend(line.as_deref());
    }
    let several = |set: Option<&BTreeSet<&str>>| set.is_some_and(|s| s.len() > 1);
    let marks: Vec<String> = all
        .iter()
        .map(|Raw { case, file, line, .. }| {
            let by_file = several(files.get(case.id.as_str())) && !file.is_empty();
            let by_line = several(lines.get(&(case.id.as_str(), file.as_str())));
            let file = if by_file { format!("@{file}") } else { String::new() };
            match line {
                Some(line) if by_line => format!("{file}:{line}"),
                _ => file,
            }
        })
        .collect();
    all.iter_mut().zip(marks).for_each(|(raw, mark)| raw.case.id.push_str(&mark));
}

/// Whether a case comes again in its suite after it passed.
fn again_after_pass(all: &[Raw]) -> bool {
    let mut passed: BTreeSet<(usize, &str)> = BTreeSet::new();
    all.iter().any(|Raw { case, suite, .. }| {
        let again = passed.contains(&(*suite, case.id.as_str()));
        if case.status == TestStatus::Passed {
            passed.insert((*suite, &case.id));
        }
        again
    })
}

/// Gives all but the first of equal names in one suite a number; tells how many.
fn numbered(all: &mut [Raw]) -> usize {
    let mut seen: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut renamed = 0;
    for Raw { case, suite, .. } in all {
        let n = seen.entry((*suite, case.id.clone())).or_default();
        *n += 1;
        if *n > 1 {
            renamed += 1;
            case.id = format!("{}#{n}", case.id);
        }
    }
    renamed
}

/// One case for each identity, in the order in which they first come: of each suite, then of all.
fn merged(all: Vec<Raw>) -> Vec<TestCase> {
    let of_suites = grouped(all, |raw| (raw.suite, raw.case.id.clone()), true);
    let of_all = grouped(of_suites, |raw| raw.case.id.clone(), false);
    of_all.into_iter().map(|raw| raw.case).collect()
}

fn grouped<K: Ord>(all: Vec<Raw>, key: fn(&Raw) -> K, same_suite: bool) -> Vec<Raw> {
    let mut places: BTreeMap<K, usize> = BTreeMap::new();
    let mut cases: Vec<Raw> = Vec::new();
    for raw in all {
        match places.entry(key(&raw)) {
            Entry::Occupied(at) => {
                if let Some(first) = cases.get_mut(*at.get()) {
                    run_again(&mut first.case, raw.case, same_suite);
                }
            }
            Entry::Vacant(place) => {
                place.insert(cases.len());
                cases.push(raw);
            }
        }
    }
    cases
}

/// Takes in a later run of a test. Two suites of one name may be two suites that are alike, so there
/// a failure stays one.
fn run_again(first: &mut TestCase, again: TestCase, same_suite: bool) {
    let failed = |c: &TestCase| c.status >= TestStatus::Failed;
    match (first.status, again.status) {
        // what did not run says nothing new
        (_, TestStatus::Skipped) => {}
        (TestStatus::Failed | TestStatus::Errored, TestStatus::Passed) if !same_suite => {}
        (_, TestStatus::Passed) => {
            first.flaky |= again.flaky || failed(first);
            first.status = TestStatus::Passed;
        }
        _ => {
            let message = again.message.or(first.message.take());
            *first = TestCase { flaky: false, message, ..again };
        }
    }
}
