//! What a report says, whatever its format: counts and leaves, never percentages.
//!
//! Words follow JUnit (passed, failed, errored, skipped), LCOV (lines found and hit, branches
//! found and hit) and SARIF (findings). A kind that a report says nothing about is `None`, which is
//! not the same as an empty list.

use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// What came out of reading one report.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// The report was understood and the tool finished.
    Figures(Figures),
    /// The report was read, but it says itself (or shows) that the tool did not finish: its figures
    /// can be shown and must not be judged by. Each text is one cause.
    Degraded(Figures, Vec<String>),
    /// Not understood: why. Never read as "no problems".
    Refused(String),
}

/// All that one or several reports of one check say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Findings of linters and scanners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lint: Option<LintFigures>,
    /// Test cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestFigures>,
    /// Covered lines and branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageFigures>,
    /// Cyclomatic complexity by function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Vec<FunctionComplexity>>,
    /// Advisories against dependencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<DependencyFigures>,
    /// What the reader saw and a person should know, without harm to the figures (declared totals
    /// that differ from the leaves, text that was not UTF-8).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Findings, and those results that are none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LintFigures {
    /// The results that count, in the report's order, duplicates kept.
    pub findings: Vec<Finding>,
    /// Results that the code or a person suppressed.
    #[serde(default)]
    pub suppressed: u64,
    /// Results of an earlier run that are not there any more (SARIF `baselineState: absent`).
    #[serde(default)]
    pub absent: u64,
    /// Results that are no findings (SARIF `kind` other than `fail`, ignored rules).
    #[serde(default)]
    pub ignored: u64,
    /// The tool's version as the report states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

/// Test cases by identity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestFigures {
    /// Each test once: repeated identities were retries and are merged.
    pub cases: Vec<TestCase>,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// Suite, class and name, joined by `::`, without empty parts.
    pub id: String,
    /// How it ended.
    pub status: TestStatus,
    /// It failed at least once and passed at least once in this run; its status is then passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The first lines of the failure, at most 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How a test ended; of several signs in one case the worst counts: errored, failed, skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestStatus {
    /// Ran and held.
    Passed,
    /// Did not run.
    Skipped,
    /// An assertion did not hold.
    Failed,
    /// Broke for another reason.
    Errored,
}

/// Coverage by file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageFigures {
    /// Each file once, sorted by path.
    pub files: Vec<FileCoverage>,
}

/// Coverage of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// As the report names it, with `/` between parts; mapped to a tracked file later.
    pub path: String,
    /// Coverable lines, each once, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineHits>,
    /// Lines that hold branches, each once, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<LineBranches>,
    /// Declared totals, kept only where the report has no leaves for this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
    /// Lines that ran in one measurement of the same content and not in another, ascending; they
    /// count as covered, and never as lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unstable: Vec<u32>,
}

/// Hits of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u64)", into = "(u32, u64)")]
pub struct LineHits {
    /// Line number, from 1.
    pub line: u32,
    /// How often it ran.
    pub hits: u64,
}

/// Branches of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct LineBranches {
    /// Line number, from 1.
    pub line: u32,
    /// Branches taken.
    pub hit: u32,
    /// Branches found.
    pub found: u32,
}

/// Totals in LCOV's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Coverable lines.
    pub lines_found: u64,
    /// Covered lines.
    pub lines_hit: u64,
    /// Branches.
    pub branches_found: u64,
    /// Branches taken.
    pub branches_hit: u64,
}

/// Cyclomatic complexity of one function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionComplexity {
    /// The file.
    pub path: String,
    /// The function.
    pub name: String,
    /// First line, from 1.
    pub line: u32,
    /// McCabe's number.
    pub cyclomatic: u32,
}

/// Advisories.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DependencyFigures {
    /// Each advisory once, aliases folded.
    pub advisories: Vec<Advisory>,
    /// Advisories that a person or the report's own analysis put aside (ignore lists, VEX states).
    #[serde(default)]
    pub suppressed: u64,
    /// Entries that are no known vulnerability of what runs: unmaintained or withdrawn packages,
    /// vulnerable code that is imported and never called.
    #[serde(default)]
    pub ignored: u64,
}

/// A known problem of a dependency.
///
/// It is the same problem as another one where the package is the same and any name is shared,
/// whatever the version: see [`super::advisory::merged`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Advisory {
    /// Its best known name: `GHSA-…` before `CVE-…` before what else the tool calls it, since several
    /// tools have to agree on one.
    pub id: String,
    /// Its other names, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The package.
    pub package: String,
    /// The version in use; several are parted by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How bad.
    pub severity: Severity,
    /// The version that mends it, as the tool says; of several any, parted by `or`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_in: Option<String>,
}

/// Severity of an advisory; one that names none is `Unknown`, never low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the words of CVSS")]
pub enum Severity {
    Unknown,
    Low,
    Medium,
    High,
    Critical,
}

impl From<(u32, u64)> for LineHits {
    fn from((line, hits): (u32, u64)) -> Self {
        LineHits { line, hits }
    }
}

impl From<LineHits> for (u32, u64) {
    fn from(l: LineHits) -> Self {
        (l.line, l.hits)
    }
}

impl From<(u32, u32, u32)> for LineBranches {
    fn from((line, hit, found): (u32, u32, u32)) -> Self {
        LineBranches { line, hit, found }
    }
}

impl From<LineBranches> for (u32, u32, u32) {
    fn from(l: LineBranches) -> Self {
        (l.line, l.hit, l.found)
    }
}

impl FileCoverage {
    /// Totals from the leaves, or the declared ones where there is no leaf.
    pub fn totals(&self) -> Totals {
        match self.totals {
            Some(t) if self.lines.is_empty() && self.branches.is_empty() => t,
            _ => Totals {
                lines_found: self.lines.len() as u64,
                lines_hit: self.lines.iter().filter(|l| l.hits > 0).count() as u64,
                branches_found: self.branches.iter().map(|b| u64::from(b.found)).sum(),
                branches_hit: self.branches.iter().map(|b| u64::from(b.hit)).sum(),
            },
        }
    }
}

impl CoverageFigures {
    /// Sum over the files.
    pub fn totals(&self) -> Totals {
        self.files.iter().map(FileCoverage::totals).fold(Totals::default(), |a, b| Totals {
            lines_found: a.lines_found + b.lines_found,
            lines_hit: a.lines_hit + b.lines_hit,
            branches_found: a.branches_found + b.branches_found,
            branches_hit: a.branches_hit + b.branches_hit,
        })
    }
}

impl TestFigures {
    /// How many cases ended so.
    pub fn count(&self, status: TestStatus) -> u64 {
        self.cases.iter().filter(|c| c.status == status).count() as u64
    }
}
