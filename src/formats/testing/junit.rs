//! JUnit XML and its dialects (pytest, Surefire, Gradle, nextest, jest, Google Test, CTest).
//!
//! Cases are counted, never attributes: suites nest, and an outer suite's numbers include the inner
//! ones. One case may hold several signs; the worst counts. A suite that declares tests and has none
//! is a run that broke.
//!
//! A test that comes several times in one suite was retried, or is a row of a parameterised test:
//! * Surefire, nextest and Gradle (`mergeReruns`) write retries inside of the case, as `flakyFailure`
//!   and `rerunFailure`. A report with such elements repeats a case for another reason: tests of
//!   their own, `name#2`.
//! * pytest's names are unique, so equal ones are runs of one test (an attempt that is run again
//!   stands there as if it had passed; a failure in the teardown is a second case): the last counts.
//! * gotestsum, Gradle, TestNG and the web test runner repeat the case until it passes, while TestNG's
//!   data providers and jest's `each` give all rows one name. Where any case of the report comes again
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
    /// The tool writes its retries inside of a case.
    marks_retries: bool,
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
        self.pytest |= match &name {
            Some(name) => name == "pytest" && e.attr("hostname").is_some(),
            None => e.attr("name").is_some_and(|n| n == "pytest tests"),
        };
        let declared = e.attr("tests").and_then(|n| count(&n));
        self.suites_begun += 1;
        let number = self.suites_begun;
        self.suites.push(Suite { name, declared, own: 0, inside: 0, suites: false, number });
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
        self.marks_retries |= status == TestStatus::Passed;
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
        let repeats = match (self.marks_retries, self.pytest) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::testing::cases::MAX_MESSAGE;
    use crate::model::Reading;
    use TestStatus::{Errored, Failed, Passed, Skipped};

    fn read(xml: &str) -> Reading {
        (FORMAT.read)(&mut xml.as_bytes())
    }

    fn cases(xml: &str) -> Vec<TestCase> {
        match read(xml) {
            Reading::Figures(f) => f.tests.unwrap().cases,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_case() {
        for (case, status, flaky) in [
            ("<testcase name='a'/>", Passed, false),
            ("<testcase name='a'><failure/></testcase>", Failed, false),
            ("<testcase name='a'><skipped/><failure/><error/></testcase>", Errored, false),
            ("<testcase name='a'><error/><failure/></testcase>", Errored, false),
            ("<testcase name='a'><failure/><failure/><skipped/></testcase>", Failed, false),
            ("<testcase name='a' status='disabled'/>", Skipped, false),
            ("<testcase name='a' status='disabled'><failure/></testcase>", Failed, false),
            ("<testcase name='a' status='notrun' result='suppressed'/>", Skipped, false),
            ("<testcase name='a' status='run' result='completed'/>", Passed, false),
            ("<testcase name='a'><flakyFailure/><flakyError/></testcase>", Passed, true),
            ("<testcase name='a'><failure/><rerunFailure/></testcase>", Failed, false),
            ("<testcase name='a'><skipped type='todo'/><failure/></testcase>", Skipped, false),
            ("<testcase name='a'><properties><failure/></properties></testcase>", Failed, false),
            ("<testcase name='a'><system-out>error failure</system-out></testcase>", Passed, false),
        ] {
            let got = cases(&format!("<testsuite name='s'>{case}</testsuite>"));
            assert_eq!(got.len(), 1, "{case}");
            assert_eq!((got[0].status, got[0].flaky), (status, flaky), "{case}");
            assert_eq!(got[0].id, "s::a");
        }
        assert_eq!(cases("<testcase classname='c' name='a'/>")[0].id, "c::a");
    }

    #[test]
    fn messages() {
        let xml = "<testsuite><testcase name='a'><failure message='short &lt;1'><![CDATA[long\ntext]]></failure>\
                   <system-out>no</system-out><error>worse</error></testcase>\
                   <testcase name='b'><failure>&#27;[31m only &amp; text</failure></testcase></testsuite>";
        let got = cases(xml);
        assert_eq!(got[0].message.as_deref(), Some("worse"));
        assert_eq!(got[1].message.as_deref(), Some("\u{1b}[31m only & text"));
        let long = format!("<testcase name='a'><failure>{}</failure></testcase>", "ä".repeat(9000));
        assert_eq!(cases(&long)[0].message.as_ref().unwrap().chars().count(), MAX_MESSAGE);
    }

    #[test]
    fn identity() {
        let xml = "<testsuites name='run'><testsuite name='o'><testsuite name='i'>\
            <testcase classname='c' name='a' file='f'><failure/></testcase>\
            <testcase classname='c' name='a' file='f'/>\
            <testcase classname='d' name='a'/><testcase/><testcase/>\
            <testcase name='x' file='p'/><testcase name='x' file='q'><error/></testcase>\
            <testcase name='y' line='1'><error/></testcase><testcase name='y' line='2'/>\
            </testsuite></testsuite></testsuites>";
        let got = cases(xml);
        let ids: Vec<_> = got.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
        assert_eq!(
            ids,
            [
                ("o::i::c::a", Passed, true),
                ("o::i::d::a", Passed, false),
                ("o::i::(unnamed 1)", Passed, false),
                ("o::i::(unnamed 2)", Passed, false),
                ("o::i::x@p", Passed, false),
                ("o::i::x@q", Errored, false),
                ("o::i::y:1", Errored, false),
                ("o::i::y:2", Passed, false),
            ]
        );
    }

    #[test]
    fn retries_and_rows() {
        let f = "<testcase name='a'><failure/></testcase>";
        let p = "<testcase name='a'/>";
        let flaky = "<testcase name='b'><flakyFailure/></testcase>";
        let two = format!("{f}</testsuite><testsuite name='s'>{p}");
        for (tool, inside, want) in [
            ("s", format!("{f}{p}"), vec![("s::a", Passed, true)]),
            ("s", format!("{p}{f}"), vec![("s::a", Passed, false), ("s::a#2", Failed, false)]),
            (
                "s",
                format!("{f}{p}{flaky}"),
                vec![("s::a", Failed, false), ("s::a#2", Passed, false), ("s::b", Passed, true)],
            ),
            ("pytest' hostname='h", format!("{p}{f}"), vec![("pytest::a", Failed, false)]),
            ("pytest' hostname='h", format!("{p}{p}"), vec![("pytest::a", Passed, false)]),
            // suites of one name
            ("s", two, vec![("s::a", Failed, false)]),
        ] {
            let xml =
                format!("<testsuites><testsuite name='{tool}'>{inside}</testsuite></testsuites>");
            let got = cases(&xml);
            let got: Vec<_> = got.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
            assert_eq!(got, want, "{inside}");
        }
    }

    #[test]
    fn declared_and_found() {
        for xml in [
            "<testsuites tests='3'/>",
            "<testsuites><testsuite name='s' tests='6'/><testsuite tests='1'><testcase name='a'/></testsuite></testsuites>",
            "<testsuite tests='0'><error message='no import'/></testsuite>",
        ] {
            assert!(matches!(read(xml), Reading::Degraded(..)), "{xml}");
        }
        for xml in
            ["<testsuites/>", "<testsuite tests='0'/>", "<testsuites><testsuite/></testsuites>"]
        {
            assert!(cases(xml).is_empty(), "{xml}");
        }
        let xml = "<testsuite tests='3'><testcase name='a'/></testsuite>";
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert_eq!(f.notes, [" declares 3 tests and has 1"]);
        // the outer suite's number includes the inner ones
        let xml = "<testsuites tests='2'><testsuite tests='2'><testcase name='a'/>\
                   <testsuite tests='1'><testcase name='b'/></testsuite></testsuite></testsuites>";
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert!(f.notes.is_empty(), "{:?}", f.notes);
    }

    #[test]
    fn foreign_and_cut() {
        for xml in ["<test-run/>", "<html/>", "<testsuite><testcase name='a'>", "<testsuite", "{}"]
        {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
        }
    }
}
