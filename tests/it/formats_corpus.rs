//! The readers against other projects' reports with known figures, where the shared corpus is there:
//! beside the package, or where `GIT_EVIDENCE_CORPUS` says.
//!
//! Records marked as a peer's own rule, as disputed, or as declaring other totals than they list are
//! questions, not a bar: they are read and shown, and not counted.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![allow(clippy::print_stdout, reason = "the rate is the result")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use git_evidence::formats::{Format, by_name, detect, merge};
use git_evidence::model::{
    CoverageFigures, DependencyFigures, Figures, FileCoverage, Level, LintFigures, Reading,
    Severity, TestFigures, TestStatus,
};
use serde_json::Value;

/// Where a peer's own rule is not ours: the format, the end of the file's name, how many findings we
/// read (none where it is refused), and why. Our number is held to.
const OURS: &[(&str, &str, Option<u64>, &str)] = &[
    (
        "flake8",
        "pep8Test.txt",
        Some(8),
        "no severities: each violation fails the run, so is an error",
    ),
    ("gcc", "arm-gcc--output.txt", Some(3), "a note belongs to the diagnostic before it"),
    ("gcc", "violations--bandit.txt", None, "Bandit's own text, which no compiler writes"),
    ("gcc", "bandit--bandit.out", None, "Bandit's own text, which no compiler writes"),
    ("gcc", "clang--rubycop.txt", None, "RuboCop's text, which rubocop-text reads"),
    (
        "golint-text",
        "golint--golint.txt",
        Some(2),
        "lines without a place are no finding of golint",
    ),
    ("golint-text", "golint--govet.txt", None, "a line of go vet, which govet-text reads"),
    ("javac", "issue14043.txt", None, "a log without a line of a compiler is no clean report"),
    ("javac", "issue5868.txt", Some(2), "javac under Ant counts as under Maven"),
    ("javac", "issue63346.txt", None, "Javadoc's warnings, and no sign of the build's end"),
    ("javac", "issue72077.txt", None, "no line of a compiler, and no sign of the build's end"),
    ("javac", "issue70153.txt", Some(4), "a warning about an option counts without a place"),
    ("javac", "javac-parallel-pipeline.txt", None, "each line starts with a step's name"),
    ("javac", "javadoc-in-java.log", Some(1), "Error Prone's warnings are the compiler's"),
    ("javac", "maven-ansi.txt", Some(13), "Error Prone's warnings are the compiler's"),
    ("javac", "kotlin-cmake.txt", Some(8), "equal findings are counted as they are"),
    (
        "kotlin-text",
        "kotlin-maven-example.txt",
        Some(39),
        "each line is one, the peer leaves some out",
    ),
    ("msbuild", "testdata--msbuild.in", Some(4), "a warning about a .targets file counts"),
    ("mypy", "testdata--mypy.in", Some(3), "a note is no finding"),
];

/// What is wrong with a record of [`OURS`]; none where it is not there.
fn by_our_rule(dir: &Path, record: &Record<'_>) -> Option<Vec<String>> {
    let [file] = record.files.as_slice() else { return None };
    let name = record.format.name;
    let (_, _, want, why) = OURS.iter().find(|o| o.0 == name && file.ends_with(o.1))?;
    let got = figures(dir, record).ok().and_then(|f| Some(f.lint?.findings.len() as u64));
    println!("  by our rule: {file} as {name}: {why}");
    let text = format!("{want:?} findings by our rule, read as {got:?}");
    Some(if got == *want { Vec::new() } else { vec![text] })
}

fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let named = std::env::var_os("GIT_EVIDENCE_CORPUS").map(PathBuf::from);
    [Some(beside), named].into_iter().flatten().find(|d| d.join("expected.json").is_file())
}

/// Our format for one of the corpus: of the same name, or of the name without its ending.
fn format_of(name: &str) -> Option<&'static Format> {
    let name = if name == "eslint-junit-xml" { "junit" } else { name };
    let endings = ["-xml", "-json", "-text"];
    let short = endings.iter().find_map(|ending| name.strip_suffix(ending));
    by_name(name).or_else(|| by_name(short?))
}

/// Files that a peer refuses for one control character, which here costs that character.
const READ_ANYWAY: [&str; 1] = ["--NUnit-issue17521.xml"];

/// What a record says, by key.
struct Record<'a> {
    files: Vec<&'a str>,
    format: &'static Format,
    /// Lines of text, by the corpus's word.
    of_text: bool,
    lint: bool,
    figures: &'a serde_json::Map<String, Value>,
    how: &'a str,
    counts: bool,
}

fn record(value: &Value) -> Option<Record<'_>> {
    let files = match &value["file"] {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        one => vec![one.as_str()?],
    };
    let question = |key: &str| value.get(key).is_some_and(|v| !v.is_null() && v != false);
    let word = value["format"].as_str()?;
    Some(Record {
        of_text: word.ends_with("-text"),
        lint: files.iter().all(|f| f.starts_with("lint/")),
        files,
        format: format_of(word)?,
        figures: value["figures"].as_object()?,
        how: value["how"].as_str().unwrap_or_default(),
        counts: !["peer_rule", "disputed", "declared_differs"].into_iter().any(question)
            && !READ_ANYWAY
                .iter()
                .any(|end| value["file"].as_str().is_some_and(|f| f.ends_with(end))),
    })
}

/// The note of a report that must not be judged by its figures.
const DEGRADED: &str = "causes: ";

/// The findings that a format reads.
fn lint(format: &Format, bytes: &[u8]) -> Option<LintFigures> {
    match (format.read)(&mut &bytes[..]) {
        Reading::Figures(f) => f.lint,
        _ => None,
    }
}

/// Reads the files of a record together; the error says which was refused.
fn figures(dir: &Path, record: &Record<'_>) -> Result<Figures, String> {
    let mut parts = Vec::new();
    for file in &record.files {
        let bytes = fs::read(dir.join(file)).map_err(|e| e.to_string())?;
        match (record.format.read)(&mut &bytes[..]) {
            Reading::Figures(f) => parts.push(f),
            Reading::Degraded(mut f, causes) => {
                println!("  degraded: {file}: {}", causes.join("; "));
                f.notes.push(format!("{DEGRADED}{}", causes.len()));
                parts.push(f);
            }
            Reading::Refused(why) => return Err(format!("refused: {why}")),
        }
        match detect(&bytes[..bytes.len().min(64 * 1024)]) {
            Ok(found) if found.name == record.format.name => {}
            // an empty list names no tool
            Err(_) if bytes.len() < 64 => {}
            // a log of a build that starts with other lines, or with one that two tools write, is
            // refused unless its format is named: nothing is read wrongly
            Err(why) if record.of_text => println!("  to be named: {file}: {why}"),
            // a format that reads the same out of it
            Ok(found)
                if lint(found, &bytes).is_some_and(|l| Some(l) == lint(record.format, &bytes)) =>
            {
                println!("  told as {}: {file}", found.name);
            }
            other => return Err(format!("told as {:?}", other.map(|f| f.name))),
        }
    }
    Ok(match parts.len() {
        1 => parts.remove(0),
        _ => merge(parts),
    })
}

/// The number that the reader notes after these words: what it counted once and peers count as often
/// as it is listed.
fn noted(f: &Figures, words: &str) -> u64 {
    let note = f.notes.iter().find_map(|n| n.strip_prefix(words));
    note.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Lines that ran and miss a branch.
fn partial(coverage: &CoverageFigures) -> u64 {
    let ran = |file: &FileCoverage, line| file.lines.iter().any(|l| l.line == line && l.hits > 0);
    let of = |f: &FileCoverage| {
        f.branches.iter().filter(|b| b.hit < b.found && ran(f, b.line)).count() as u64
    };
    coverage.files.iter().map(of).sum()
}

/// The values that may stand for a key; none where the key is not about what is read here.
fn allowed(key: &str, f: &Figures, record: &Record<'_>) -> Option<RangeInclusive<u64>> {
    if let Some(dependencies) = &f.dependencies {
        return of_dependencies(key, dependencies, f);
    }
    if let Some(lint) = &f.lint {
        // Trivy's findings of configuration, where a peer takes them for vulnerabilities
        let key = if key == "vulnerabilities" { "issues" } else { key };
        return of_lint(key, lint);
    }
    if let Some(tests) = &f.tests {
        return of_tests(key, tests, f, record);
    }
    if let Some(coverage) = &f.coverage {
        let repeats = noted(f, "lines that are listed several times, counted once: ");
        let unplaced = noted(f, "branches that it declares and no line holds: ");
        return of_coverage(key, coverage, (repeats, unplaced), record);
    }
    let functions = f.complexity.as_ref()?;
    let n = match key {
        // radon counts its classes among the blocks, which are no functions
        "blocks" => return Some(functions.len() as u64..=u64::MAX),
        "functions" => functions.len() as u64,
        "warnings" => functions.iter().filter(|f| f.cyclomatic > 15).count() as u64,
        "max_ccn" | "max" => functions.iter().map(|f| f.cyclomatic.into()).max()?,
        _ => return None,
    };
    Some(n..=n)
}

/// Peers that count what is suppressed or absent have it in all their numbers.
fn of_lint(key: &str, lint: &LintFigures) -> Option<RangeInclusive<u64>> {
    let apart = lint.suppressed + lint.absent + lint.ignored;
    let by = |level| lint.findings.iter().filter(|f| f.level == level).count() as u64;
    let n = match key {
        "issues" | "results_all" => lint.findings.len() as u64,
        "error" => by(Level::Error),
        "warning" => by(Level::Warning),
        "note" => by(Level::Note),
        "none" => by(Level::None),
        // what a peer takes for equal is its own rule: at least the distinct ones, at most all
        "distinct_issues" => {
            let distinct: BTreeSet<_> = lint.findings.iter().collect();
            return Some(distinct.len() as u64..=lint.findings.len() as u64 + apart);
        }
        _ => return None,
    };
    Some(n..=n + apart)
}

/// Peers that do not fold what is listed several times, or that count what is put aside, have it in
/// all their numbers. Trivy's findings of configuration are vulnerabilities to them.
fn of_dependencies(
    key: &str,
    dependencies: &DependencyFigures,
    f: &Figures,
) -> Option<RangeInclusive<u64>> {
    let by =
        |severity| dependencies.advisories.iter().filter(|a| a.severity == severity).count() as u64;
    let findings = f.lint.as_ref().map_or(0, |l| l.findings.len() as u64);
    let n = match key {
        "vulnerabilities" => dependencies.advisories.len() as u64 + findings,
        "critical" => by(Severity::Critical),
        "high" => by(Severity::High),
        "medium" | "moderate" => by(Severity::Medium),
        "low" => by(Severity::Low),
        _ => return None,
    };
    let repeats = noted(f, "entries that repeat an advisory, counted once: ");
    Some(n..=n + repeats + dependencies.suppressed + dependencies.ignored)
}

/// Whether a peer reads as "no vulnerabilities" what is refused here by a rule: an empty file, a
/// bill of materials without a list of them.
fn says_nothing(record: &Record<'_>, why: &str) -> bool {
    record.figures.get("vulnerabilities") == Some(&Value::from(0u64))
        && (why.contains("says nothing about vulnerabilities") || why.contains("it is empty"))
}

/// Peers that do not merge retries count them among the ends; one of them counts tests of equal names
/// as one, and folds the rows of an xUnit theory, which is no question for a reader.
fn of_tests(
    key: &str,
    tests: &TestFigures,
    f: &Figures,
    record: &Record<'_>,
) -> Option<RangeInclusive<u64>> {
    let repeats = noted(f, "cases that repeat a test, merged with it: ");
    let numbered = noted(f, "tests of the same name, told apart by a number: ");
    let all = tests.cases.len() as u64;
    let failing = tests.count(TestStatus::Failed) + tests.count(TestStatus::Errored);
    if record.format.name == "tap"
        && let Some(range) = of_tap(key, tests, noted(f, DEGRADED) > 0, record)
    {
        return Some(range);
    }
    // its stylesheet for NUnit 3 knows no errors
    let as_one = record.how.contains("failures and errors counted as one")
        || record.format.name == "nunit" && record.figures.get("errored") == Some(&0.into());
    let n = match key {
        "issues" if record.lint => failing,
        "failed" if as_one => failing,
        "errored" if as_one => 0,
        "tests" => all,
        "distinct_tests" if record.format.name == "xunit" => return None,
        "distinct_tests" => return Some(all - numbered..=all),
        "passed" => tests.count(TestStatus::Passed),
        "failed" => tests.count(TestStatus::Failed),
        "errored" => tests.count(TestStatus::Errored),
        "skipped" => tests.count(TestStatus::Skipped),
        "flaky" => tests.cases.iter().filter(|c| c.flaky).count() as u64,
        _ => return None,
    };
    Some(n..=n + repeats)
}

/// tap-parser counts `ok # SKIP` as passed, `not ok # TODO` as failed, and each line that breaks the
/// plan as one more failure; what it calls `ok` is a run that may be judged and has no failure.
fn of_tap(
    key: &str,
    tests: &TestFigures,
    degraded: bool,
    record: &Record<'_>,
) -> Option<RangeInclusive<u64>> {
    let (failed, passed) = (tests.count(TestStatus::Failed), tests.count(TestStatus::Passed));
    let skipped = tests.count(TestStatus::Skipped);
    let todo = record.figures.get("todo").and_then(Value::as_u64).unwrap_or(0);
    let beside = if degraded { tests.cases.len() as u64 } else { 0 };
    Some(match key {
        "pass" => passed..=passed + skipped,
        "fail" => failed..=failed + todo + beside,
        "skipped" => skipped.saturating_sub(todo)..=skipped,
        "ok" => {
            let ok = u64::from(!degraded && failed == 0);
            ok..=ok
        }
        // a run that bailed out is one that must not be judged
        "bailout" => 0..=u64::from(degraded),
        _ => return None,
    })
}

/// Peers count a line as often as it is listed, pycobertura takes one that misses a branch for not
/// covered, and declared branches may be more than those that a line holds.
fn of_coverage(
    key: &str,
    coverage: &CoverageFigures,
    (repeats, unplaced): (u64, u64),
    record: &Record<'_>,
) -> Option<RangeInclusive<u64>> {
    let t = coverage.totals();
    let points = t.lines_found + repeats;
    // gcovr writes no branches into a Clover report; the figures come from another one of that run
    let elsewhere = record.format.name == "clover" && record.how.contains("coverage_summary.json");
    if elsewhere && key.starts_with("branches_") {
        return None;
    }
    let strict = record.how.contains("pycobertura");
    Some(match key {
        "lines_covered" if strict => t.lines_hit - partial(coverage)..=t.lines_hit + repeats,
        // each sequence point is put to the line on which it starts
        "lines_covered" | "sequence_points_covered" => t.lines_hit..=t.lines_hit + repeats,
        "lines_total" => t.lines_found..=t.lines_found + repeats,
        "branches_covered" => t.branches_hit..=t.branches_hit + unplaced,
        "branches_total" => t.branches_found + unplaced..=t.branches_found + unplaced,
        "sequence_points_total" => points..=points,
        _ => return None,
    })
}

/// What is wrong with how a record is read.
fn wrong(dir: &Path, record: &Record<'_>) -> Vec<String> {
    if let Some(wrong) = by_our_rule(dir, record) {
        return wrong;
    }
    let refused = record.figures.get("parse_error") == Some(&Value::Bool(true));
    let f = match figures(dir, record) {
        Err(_) if refused => return Vec::new(),
        Err(why) => return vec![why],
        Ok(_) if refused => return vec!["must be refused".into()],
        Ok(f) => f,
    };
    let mut wrong = Vec::new();
    for (key, want) in record.figures {
        let want = want.as_u64().or_else(|| want.as_bool().map(u64::from));
        let (Some(got), Some(want)) = (allowed(key, &f, record), want) else { continue };
        if !got.contains(&want) {
            wrong.push(format!("{key}: {want} expected, read as {}", got.start()));
        }
    }
    wrong
}

#[test]
fn real_reports_are_read_right() {
    let Some(dir) = corpus() else {
        println!("skipped: the shared corpus is not there");
        return;
    };
    let all: Value = serde_json::from_slice(&fs::read(dir.join("expected.json")).unwrap()).unwrap();
    let mut rates: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let (mut bad, mut questions, mut not_refused) = (Vec::new(), Vec::new(), Vec::new());
    for record in all.as_array().unwrap().iter().filter_map(record) {
        let wrong = wrong(&dir, &record);
        let line = format!("{}: {}", record.files.join(" + "), wrong.join("; "));
        let nothing = wrong.iter().any(|why| says_nothing(&record, why));
        if !record.counts || nothing {
            questions.extend((!wrong.is_empty()).then_some(line));
            continue;
        }
        let rate = rates.entry(record.format.name).or_default();
        rate.1 += 1;
        rate.0 += u32::from(wrong.is_empty());
        if record.figures.contains_key("parse_error") && !wrong.is_empty() {
            not_refused.push(line);
        } else if !wrong.is_empty() {
            bad.push(line);
        }
    }
    let (right, total) = rates.values().fold((0, 0), |a, r| (a.0 + r.0, a.1 + r.1));
    println!("right: {right} of {total}");
    rates.iter().for_each(|(name, (right, of))| println!("  {name}: {right} of {of}"));
    bad.iter().for_each(|l| println!("  wrong: {l}"));
    questions.iter().for_each(|l| println!("  another rule: {l}"));
    assert!(not_refused.is_empty(), "{not_refused:?}");
    assert!(total > 0 && right * 100 >= total * 98, "{right} of {total}: {bad:#?}");
}
