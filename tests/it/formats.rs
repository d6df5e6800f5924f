//! Report formats against real reports: the fixtures in the tree, and the shared corpus of other
//! projects' reports where it is there.
//!
//! A fixture is a folder `fixtures/<format>/<tool>-<version>-<case>/` with the report as the tool
//! wrote it, `HOW` it was made, and `expected.json`. `UPDATE_FIXTURES=1` writes the latter anew; what
//! it then says is to be compared with the tool's own closing line (`tool_says`) by eye.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use git_evidence::formats::{self, Format, by_name, detect, merge, read};
use git_evidence::model::{
    Advisory, CoverageFigures, Figures, FileCoverage, Finding, FunctionComplexity, Level,
    LintFigures, Reading, TestFigures, TestStatus,
};
use serde_json::{Value, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|e| e.unwrap().path())
        .collect();
    all.sort();
    all
}

/// A folder of `fixtures/`.
pub(crate) struct Fixture {
    pub(crate) format: &'static Format,
    pub(crate) dir: PathBuf,
    pub(crate) input: Vec<u8>,
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    let mut all = Vec::new();
    for format in formats::all() {
        for dir in entries(&root().join("fixtures").join(format.name)) {
            let input = entries(&dir)
                .into_iter()
                .find(|p| p.file_stem().is_some_and(|s| s == "input"))
                .unwrap_or_else(|| panic!("{} has no input", dir.display()));
            assert!(dir.join("HOW").is_file(), "{} does not say how it was made", dir.display());
            all.push(Fixture { format, dir, input: fs::read(input).unwrap() });
        }
    }
    all
}

pub(crate) fn of(reading: &Reading) -> Option<&Figures> {
    match reading {
        Reading::Figures(f) | Reading::Degraded(f, _) => Some(f),
        Reading::Refused(_) => None,
    }
}

/// All that a fixture's expectation speaks of.
fn summary(reading: &Reading) -> Value {
    let mut all = match reading {
        Reading::Figures(_) => json!({"outcome": "figures"}),
        Reading::Degraded(_, causes) => json!({"outcome": "degraded", "causes": causes}),
        Reading::Refused(why) => json!({"outcome": "refused", "why": why}),
    };
    let Some(f) = of(reading) else { return all };
    if !f.notes.is_empty() {
        all["notes"] = json!(f.notes);
    }
    if let Some(lint) = &f.lint {
        all["lint"] = lint_summary(lint);
    }
    if let Some(tests) = &f.tests {
        all["tests"] = tests_summary(tests);
    }
    if let Some(coverage) = &f.coverage {
        all["coverage"] = coverage_summary(coverage);
    }
    if let Some(functions) = &f.complexity {
        let one =
            |f: &FunctionComplexity| format!("{}:{} {} {}", f.path, f.line, f.name, f.cyclomatic);
        all["complexity"] = json!(functions.iter().map(one).collect::<Vec<_>>());
    }
    if let Some(dependencies) = &f.dependencies {
        let one = |a: &Advisory| {
            let version = a.version.as_deref().unwrap_or("-");
            let fixed = a.fixed_in.as_deref().map_or(String::new(), |v| format!(", fixed in {v}"));
            let names = a.names().collect::<Vec<_>>().join("=");
            format!("{} {version} {names} {:?}{fixed}", a.package, a.severity)
        };
        all["dependencies"] = json!({
            "suppressed": dependencies.suppressed, "ignored": dependencies.ignored,
            "advisories": dependencies.advisories.iter().map(one).collect::<Vec<_>>(),
        });
    }
    all
}

fn lint_summary(lint: &LintFigures) -> Value {
    let by = |l: Level| lint.findings.iter().filter(|f| f.level == l).count();
    let place = |f: &Finding| {
        let line = f.line.map_or("-".into(), |n| n.to_string());
        format!("{}:{line} {} {}", f.path.as_deref().unwrap_or("-"), f.tool, f.rule)
    };
    json!({
        "error": by(Level::Error), "warning": by(Level::Warning), "note": by(Level::Note),
        "none": by(Level::None), "suppressed": lint.suppressed, "absent": lint.absent,
        "ignored": lint.ignored, "tool_version": lint.tool_version,
        "places": lint.findings.iter().map(place).collect::<Vec<_>>(),
    })
}

fn tests_summary(tests: &TestFigures) -> Value {
    let cases: BTreeMap<_, _> =
        tests.cases.iter().map(|c| (c.id.clone(), json!(c.status))).collect();
    json!({
        "passed": tests.count(TestStatus::Passed), "failed": tests.count(TestStatus::Failed),
        "errored": tests.count(TestStatus::Errored), "skipped": tests.count(TestStatus::Skipped),
        "flaky": tests.cases.iter().filter(|c| c.flaky).count(), "cases": cases,
    })
}

fn coverage_summary(coverage: &CoverageFigures) -> Value {
    let file = |f: &FileCoverage| {
        let t = f.totals();
        let lines = format!("{}/{} lines", t.lines_hit, t.lines_found);
        (f.path.clone(), format!("{lines}, {}/{} branches", t.branches_hit, t.branches_found))
    };
    let t = coverage.totals();
    json!({
        "lines": [t.lines_hit, t.lines_found], "branches": [t.branches_hit, t.branches_found],
        "files": coverage.files.iter().map(file).collect::<BTreeMap<_, _>>(),
    })
}

#[test]
fn every_format_has_fixtures_and_reads_them_right() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let (format, reading) = read(Some(fixture.format), &mut &fixture.input[..]);
        assert_eq!(format.map(|f| f.name), Some(fixture.format.name));
        let got = summary(&reading);
        let file = fixture.dir.join("expected.json");
        let old = fs::read_to_string(&file).unwrap_or_else(|_| "{}".into());
        let mut want: Value = serde_json::from_str(&old).unwrap();
        let says = want.as_object_mut().and_then(|o| o.remove("tool_says"));
        if update {
            let mut new = got.clone();
            new["tool_says"] = says.unwrap_or_default();
            fs::write(&file, serde_json::to_string_pretty(&new).unwrap() + "\n").unwrap();
        } else if got != want {
            wrong.push(format!("{}: {got:#}", fixture.dir.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An empty list, or nothing at all, is what some tools write when they find nothing: it is legal by
/// their names, and says nothing about which tool wrote it.
fn says_nothing(fixture: &Fixture) -> bool {
    // rows may be anybody's
    fixture.format.name == "rows" || matches!(fixture.input.trim_ascii(), b"" | b"[]")
}

#[test]
fn every_fixture_is_told_by_its_start() {
    for fixture in fixtures() {
        if says_nothing(&fixture) {
            assert!(detect(&fixture.input).is_err());
            continue;
        }
        let head = &fixture.input[..fixture.input.len().min(64 * 1024)];
        let found = detect(head).map(|f| f.name);
        assert_eq!(found, Ok(fixture.format.name), "{}", fixture.dir.display());
        let (format, reading) = read(None, &mut &fixture.input[..]);
        assert_eq!(format.map(|f| f.name), Some(fixture.format.name));
        assert_eq!(reading, (fixture.format.read)(&mut &fixture.input[..]));
    }
}

/// Formats that share a shape so that each reads the other's reports, rightly.
const ALIKE: &[(&str, &str)] = &[
    // linters of Go print the same lines; vet's are told by the package's name before them
    ("golint-text", "govet-text"),
    // builds of both languages mix the lines of both compilers
    ("javac", "kotlin-text"),
    // npm 6 and pnpm write the same object, and Yarn 2 and 3 hand it on
    ("npm-audit-json-v1", "pnpm-audit-json"),
    ("npm-audit-json-v1", "yarn-audit-json"),
    ("pnpm-audit-json", "yarn-audit-json"),
];

#[test]
fn no_format_reads_the_report_of_another() {
    let alike = |a: &str, b: &str| ALIKE.iter().any(|p| *p == (a, b) || *p == (b, a));
    let mut wrong = Vec::new();
    for fixture in fixtures().iter().filter(|f| !says_nothing(f)) {
        // any list of objects is rows, where somebody says so
        for other in formats::all().filter(|f| f.name != fixture.format.name && f.name != "rows") {
            let reading = (other.read)(&mut &fixture.input[..]);
            if matches!(reading, Reading::Figures(_)) && !alike(other.name, fixture.format.name) {
                wrong.push(format!("{} as {}", fixture.dir.display(), other.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn marks_and_two_byte_encodings_change_nothing() {
    for fixture in fixtures() {
        let Ok(text) = std::str::from_utf8(&fixture.input) else { continue };
        let want = (fixture.format.read)(&mut text.as_bytes());
        let utf16: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let marked = format!("\u{feff}{text}").into_bytes();
        for bytes in [marked, utf16, text.replace('\n', "\r\n").into_bytes()] {
            let got = (fixture.format.read)(&mut &bytes[..]);
            assert_eq!(summary(&got), summary(&want), "{}", fixture.dir.display());
            if !says_nothing(&fixture) {
                assert_eq!(detect(&bytes).map(|f| f.name), Ok(fixture.format.name));
            }
        }
    }
}

#[test]
fn merging_one_report_or_reports_in_any_order() {
    let all: Vec<(String, Figures)> = fixtures()
        .iter()
        .filter_map(|f| {
            let reading = (f.format.read)(&mut &f.input[..]);
            of(&reading).cloned().map(|figures| (format!("{:?}", f.format.kind), figures))
        })
        .collect();
    for kind in ["Lint", "Tests", "Coverage", "Complexity", "Dependencies"] {
        let parts: Vec<_> = all.iter().filter(|(k, _)| k == kind).map(|(_, f)| f.clone()).collect();
        let forward = merge(parts.clone());
        let backward = merge(parts.into_iter().rev().collect());
        assert_eq!(forward, backward, "{kind}");
        assert_eq!(merge(vec![forward.clone()]), forward, "{kind}");
    }
}

/// How many results, cases, lines or functions were read.
pub(crate) fn leaves(figures: &Figures) -> u64 {
    let lint = figures
        .lint
        .as_ref()
        .map_or(0, |l| l.findings.len() as u64 + l.suppressed + l.absent + l.ignored);
    let tests = figures.tests.as_ref().map_or(0, |t| t.cases.len() as u64);
    let coverage = figures.coverage.as_ref().map_or(0, |c| {
        let t = c.totals();
        t.lines_found + t.branches_found
    });
    let advisories = figures
        .dependencies
        .as_ref()
        .map_or(0, |d| d.advisories.len() as u64 + d.suppressed + d.ignored);
    lint + tests + coverage + advisories + figures.complexity.as_ref().map_or(0, |c| c.len() as u64)
}

#[test]
fn names() {
    for format in formats::all() {
        assert_eq!(by_name(format.name).map(|f| f.name), Some(format.name));
    }
    assert!(by_name("nonsense").is_none());
}
