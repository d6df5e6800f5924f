//! JUnit XML and its dialects (pytest, Surefire, Gradle, nextest, jest, Google Test, CTest).
//!
//! Cases are counted, never attributes: suites nest, and an outer suite's numbers include the inner
//! ones. One case may hold several signs; the worst counts. A suite that declares tests and has none
//! is a run that broke.
//!
//! A test that comes several times in one suite was retried, or is a row of a parameterised test:
//! * Surefire, nextest and Gradle (`mergeReruns`) write retries inside of the case, as `flakyFailure`
//!   and `rerunFailure`; jest, vitest, mocha and Google Test write the last run only. A report of
//!   theirs, or with such elements, repeats a case for another reason: tests of their own, `name#2`.
//! * pytest's names are unique, so equal ones are runs of one test (an attempt that is run again
//!   stands there as if it had passed; a failure in the teardown is a second case): the last counts.
//! * gotestsum, Gradle, TestNG and the web test runner repeat the case until it passes, while TestNG's
//!   data providers give all rows one name. Where any case of the report comes again
//!   after it passed, names repeat for the second reason and each is a test of its own; else the last
//!   run counts, a pass there after a failure being flaky.
//! * Suites of one name (an aggregate beside its parts, a suite that was run twice, two that are
//!   alike) are merged case by case; there no pass takes a failure back.

use super::cases::{self, Raw, Repeats, gather};
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, reading};
use crate::model::{TestCase, TestStatus};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "junit",
    kind: FormatKind::Tests,
    tools: "pytest, Maven Surefire, Gradle, cargo nextest, jest-junit, Google Test, CTest",
    sniff,
    read: |input| reading(input, parse),
};

/// Names of the whole run by tools that write each test once.
const WRITE_ONCE: [&str; 4] = ["jest tests", "vitest tests", "Mocha Tests", "AllTests"];

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head)).is_some_and(|root| is_root(&root.name))
}

fn is_root(name: &str) -> bool {
    matches!(name, "testsuites" | "testsuite" | "testcase")
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

/// An open suite.
struct Suite {
    /// None for the outermost `testsuites`, whose name is that of the run.
    name: Option<String>,
    declared: Option<u64>,
    own: u64,
    inside: u64,
    suites: bool,
    /// Which of the report's suites it is.
    number: usize,
}

/// An open case.
struct Open {
    raw: Raw,
    failed_runs: bool,
    /// Node: known to fail.
    todo: bool,
    /// Text of the open sign (`failure`, `error`, `skipped`) and its status.
    sign: Option<(TestStatus, String)>,
    sign_depth: usize,
}

#[derive(Default)]
struct Report {
    suites: Vec<Suite>,
    open: Vec<Open>,
    done: Vec<Raw>,
    suites_begun: usize,
    /// The tool's names are unique.
    pytest: bool,
    /// The tool writes each test once, with its retries inside or left out.
    once: bool,
    unnamed: u64,
    causes: Vec<String>,
    notes: Vec<String>,
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        let name = e.name();
        match (depth, name) {
            (1, _) if !is_root(name) => return Err(format!("no JUnit XML: its root is {name}")),
            (_, "testsuites" | "testsuite") if self.open.is_empty() => self.begin_suite(e),
            (_, "testcase") => self.begin_case(e),
            _ => self.sign(e, depth),
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if let Some(open) = self.open.last_mut()
            && open.sign_depth == depth
            && let Some(sign) = open.sign.take()
        {
            end_sign(&mut open.raw.case, sign);
            return Ok(());
        }
        match name {
            "testcase" => self.end_case(),
            "testsuites" | "testsuite" if self.open.is_empty() => self.end_suite(),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((_, so_far)) = self.open.last_mut().and_then(|o| o.sign.as_mut()) {
            gather(so_far, text);
        }
    }
}

impl Report {
    fn begin_suite(&mut self, e: &Element<'_>) {
        if let Some(outer) = self.suites.last_mut() {
            outer.suites = true;
        }
        let name = (e.name() == "testsuite").then(|| e.attr("name").unwrap_or_default());
        self.tool(e);
        let declared = e.attr("tests").and_then(|n| count(&n));
        self.suites_begun += 1;
        let number = self.suites_begun;
        self.suites.push(Suite { name, declared, own: 0, inside: 0, suites: false, number });
    }

    /// What the names and attributes of a suite say about the tool.
    fn tool(&mut self, e: &Element<'_>) {
        let name = e.attr("name").unwrap_or_default();
        let schema = e.attr("noNamespaceSchemaLocation").unwrap_or_default();
        self.once |= WRITE_ONCE.contains(&name.as_str()) || schema.contains("surefire");
        self.pytest |= match e.name() {
            "testsuites" => name == "pytest tests",
            _ => name == "pytest" && e.attr("hostname").is_some(),
        };
    }

    fn end_suite(&mut self) {
        let Some(suite) = self.suites.pop() else { return };
        if let Some(outer) = self.suites.last_mut() {
            outer.inside += suite.own + suite.inside;
        }
        let name = suite.name.as_deref().unwrap_or("the whole report");
        let (own, all) = (suite.own, suite.own + suite.inside);
        match suite.declared {
            // an outer suite is only told by what is in it
            Some(n) if n > 0 && all == 0 && (!suite.suites || self.causes.is_empty()) => {
                note(&mut self.causes, || format!("{name} declares {n} tests and has none"));
            }
            Some(n) if n != own && n != all && all > 0 => {
                note(&mut self.notes, || format!("{name} declares {n} tests and has {all}"));
            }
            _ => {}
        }
    }

    fn begin_case(&mut self, e: &Element<'_>) {
        if let Some(suite) = self.suites.last_mut() {
            suite.own += 1;
        }
        let name = match e.filled("name") {
            Some(name) => name,
            None => {
                // nothing tells nameless cases apart, and they are not runs of one test
                self.unnamed += 1;
                format!("(unnamed {})", self.unnamed)
            }
        };
        let class = e.filled("classname").or_else(|| e.filled("class")).unwrap_or_default();
        let suites = self.suites.iter().filter_map(|s| s.name.as_deref());
        let id = cases::id(suites.chain([class.as_str(), name.as_str()]));
        let status = e.attr("status").or_else(|| e.attr("result")).unwrap_or_default();
        let line = e.filled("line").map(|line| {
            e.filled("column").map_or(line.clone(), |column| format!("{line}:{column}"))
        });
        let mut raw = Raw::new(id, declared_status(&status), None);
        raw.file = e.filled("file").unwrap_or_default();
        raw.line = line;
        raw.suite = self.suites.last().map_or(0, |s| s.number);
        self.open.push(Open { raw, failed_runs: false, todo: false, sign: None, sign_depth: 0 });
    }

    /// What an element inside a case, or beside cases, says about how it ended.
    fn sign(&mut self, e: &Element<'_>, depth: usize) {
        let status = match e.name() {
            "error" => TestStatus::Errored,
            "failure" => TestStatus::Failed,
            "skipped" | "disabled" | "ignored" => TestStatus::Skipped,
            // Surefire: failed before it passed, or failed once more
            "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => TestStatus::Passed,
            _ => return,
        };
        let Some(open) = self.open.last_mut() else {
            if status >= TestStatus::Failed {
                let suite = self.suites.last().and_then(|s| s.name.as_deref()).unwrap_or("the run");
                let cause = format!("{suite} failed outside of any test");
                note(&mut self.causes, || cause);
            }
            return;
        };
        if open.sign.is_some() {
            return;
        }
        open.failed_runs |= e.name().starts_with("flaky");
        open.todo |= status == TestStatus::Skipped && e.attr("type").is_some_and(|t| t == "todo");
        self.once |= status == TestStatus::Passed;
        let message = e.filled("message").unwrap_or_default();
        open.raw.case.status = open.raw.case.status.max(status);
        open.sign = Some((status, message));
        open.sign_depth = depth;
        if let Some((_, text)) = &mut open.sign
            && !text.is_empty()
        {
            text.push('\n');
        }
    }

    fn end_case(&mut self) {
        let Some(Open { mut raw, failed_runs, todo, .. }) = self.open.pop() else { return };
        if todo && raw.case.status == TestStatus::Failed {
            raw.case.status = TestStatus::Skipped;
        }
        raw.case.flaky = failed_runs && raw.case.status == TestStatus::Passed;
        self.done.push(raw);
    }

    fn finish(mut self) -> Found {
        if self.unnamed > 0 {
            self.notes.push(format!("cases without a name: {}", self.unnamed));
        }
        let repeats = match (self.once, self.pytest) {
            (true, _) => Repeats::Tests,
            (_, true) => Repeats::Runs,
            _ => Repeats::Tell,
        };
        cases::finish(self.done, repeats, self.notes, self.causes)
    }
}

/// Keeps the message of the worst sign, of equal ones the first.
fn end_sign(case: &mut TestCase, (status, text): (TestStatus, String)) {
    let worst = status > TestStatus::Failed && status == case.status;
    if (case.message.is_none() || worst)
        && let Some(message) = cases::message(&text)
    {
        case.message = Some(message);
    }
}

/// How a case ended by its attribute. Google Test and CTest say only here that a test did not run.
fn declared_status(word: &str) -> TestStatus {
    match word.trim().to_ascii_lowercase().as_str() {
        "disabled" | "notrun" | "skipped" | "suppressed" | "ignored" => TestStatus::Skipped,
        "failed" | "fail" | "failure" => TestStatus::Failed,
        "error" | "errored" => TestStatus::Errored,
        _ => TestStatus::Passed,
    }
}
