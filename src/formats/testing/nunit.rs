//! NUnit's result files, version 3 (root `test-run`) and 2 (root `test-results`); docs.nunit.org,
//! "Test Result XML Format" and "Test Result Schema".
//!
//! Suites nest by assembly, namespace and class; only `test-case` counts. A suite that failed though
//! none of its cases did (its teardown, its constructor, an assembly that did not load) is an errored
//! case of its own. Names repeat for rows whose arguments look alike: tests of their own.

use super::cases::{self, Raw, Repeats, Said};
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "nunit",
    kind: FormatKind::Tests,
    tools: "NUnit 3 and 2, NUnit Console, NunitXml.TestLogger",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| is_root(&root.name)),
    read: |input| reading(input, parse),
};

fn is_root(name: &str) -> bool {
    matches!(name, "test-run" | "test-results")
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

/// An open suite or case.
struct Open {
    depth: usize,
    id: String,
    status: TestStatus,
    said: Said,
    /// Something in it failed.
    failed: bool,
    case: bool,
}

#[derive(Default)]
struct Report {
    open: Vec<Open>,
    done: Vec<Raw>,
    assembly: String,
    declared: Option<u64>,
    cases: u64,
    unnamed: u64,
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, name) if !is_root(name) => return Err(format!("no NUnit XML: its root is {name}")),
            (1, name) => {
                self.declared = e.attr("total").and_then(|n| count(&n));
                // version 2 counts what did not run apart
                let not_run = e.attr("not-run").and_then(|n| count(&n)).unwrap_or(0);
                self.declared = self.declared.map(|n| n.saturating_add(not_run));
                if name == "test-results" {
                    self.assembly = assembly(&e.attr("name").unwrap_or_default());
                }
            }
            (_, "test-suite") => self.suite(e, depth),
            (_, "test-case") => self.case(e, depth),
            (_, "failure") => {
                if let Some(open) = self.open.last_mut().filter(|o| o.case) {
                    open.status = open.status.max(TestStatus::Failed);
                }
            }
            (_, "message") => {
                if let Some(open) = self.open.last_mut() {
                    open.said.begin(depth);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, _: &str, depth: usize) -> Result<(), String> {
        if let Some(open) = self.open.last_mut() {
            open.said.end(depth);
            if open.depth == depth {
                self.end();
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut() {
            open.said.hear(text);
        }
    }
}

impl Report {
    fn suite(&mut self, e: &Element<'_>, depth: usize) {
        let name = e.filled("name").unwrap_or_default();
        if e.attr("type").is_some_and(|t| t == "Assembly") {
            self.assembly = assembly(&name);
        }
        let full = e.filled("fullname").unwrap_or(name);
        let full = if assembly(&full) == self.assembly { String::new() } else { full };
        let id = cases::id([self.assembly.as_str(), full.as_str()]);
        // of suites only their own word counts; `success` of version 2.4 says less
        let failed = matches!(e.attr("result").as_deref(), Some("Failed" | "Failure" | "Error"));
        // what the suite around it did is told there
        let failed = failed && e.attr("site").is_none_or(|site| site != "Parent");
        let status = if failed { TestStatus::Errored } else { TestStatus::Passed };
        let said = Said::default();
        self.open.push(Open { depth, id, status, said, failed: false, case: false });
    }

    fn case(&mut self, e: &Element<'_>, depth: usize) {
        self.cases += 1;
        let name = e.filled("name").unwrap_or_else(|| {
            self.unnamed += 1;
            format!("(unnamed {})", self.unnamed)
        });
        let full = e.filled("fullname").unwrap_or_else(|| name.clone());
        let id = match full.strip_suffix(&name).and_then(|class| class.strip_suffix('.')) {
            Some(class) => cases::id([self.assembly.as_str(), class, &name]),
            None => {
                let (class, method) = cases::split_name(&full);
                cases::id([self.assembly.as_str(), class, method])
            }
        };
        let (status, said) = (status(e), Said::default());
        self.open.push(Open { depth, id, status, said, failed: false, case: true });
    }

    fn end(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        let failed = open.status >= TestStatus::Failed;
        if let Some(outer) = self.open.last_mut() {
            outer.failed |= failed || open.failed;
        }
        if open.case || failed && !open.failed {
            self.done.push(Raw::new(open.id, open.status, open.said.take()));
        }
    }

    fn finish(self) -> Found {
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        // a suite that failed says itself why it has none
        let found = if self.cases == 0 { self.done.len() as u64 } else { self.cases };
        cases::declared("the run", (self.declared, found), &mut notes, &mut causes);
        cases::finish(self.done, Repeats::Tests, notes, causes)
    }
}

fn assembly(path: &str) -> String {
    cases::file_name(path).to_owned()
}

/// How a case ended. A word that is not known is no pass.
fn status(e: &Element<'_>) -> TestStatus {
    let is = |name: &str, word: &str| e.attr(name).is_some_and(|v| v.eq_ignore_ascii_case(word));
    match e.attr("result").as_deref() {
        Some("Passed" | "Success" | "Warning") => TestStatus::Passed,
        Some("Failed") if is("label", "Error") || is("label", "Invalid") => TestStatus::Errored,
        Some("Failed" | "Failure") => TestStatus::Failed,
        Some("Skipped" | "Ignored" | "Inconclusive" | "NotRunnable") => TestStatus::Skipped,
        Some(_) => TestStatus::Errored,
        // version 2.4 and older
        None if is("executed", "False") => TestStatus::Skipped,
        None if is("success", "False") => TestStatus::Failed,
        None => TestStatus::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, TestCase};
    use TestStatus::{Errored, Failed, Passed, Skipped};

    fn read(xml: &str) -> (Vec<TestCase>, Vec<String>) {
        match (FORMAT.read)(&mut xml.as_bytes()) {
            Reading::Figures(f) => (f.tests.unwrap().cases, vec![]),
            Reading::Degraded(f, causes) => (f.tests.unwrap().cases, causes),
            Reading::Refused(why) => panic!("{why}"),
        }
    }

    #[test]
    fn one_case() {
        for (case, status) in [
            ("result='Passed'/>", Passed),
            ("result='Failed'><failure><message>m</message></failure></test-case>", Failed),
            ("result='Failed' label='Error'/>", Errored),
            ("result='Skipped' label='Ignored'/>", Skipped),
            ("result='Inconclusive'/>", Skipped),
            ("result='Broken'/>", Errored),
            ("result='Success' executed='True'/>", Passed),
            ("result='NotRunnable' executed='False'/>", Skipped),
            ("executed='True' success='false'/>", Failed),
            ("executed='True'><failure/></test-case>", Failed),
            ("executed='False'/>", Skipped),
        ] {
            let xml = format!(
                "<test-run total='1'><test-case name='M(1.5)' fullname='N.C.M(1.5)' {case}</test-run>"
            );
            let (cases, causes) = read(&xml);
            assert_eq!((cases.len(), causes.len()), (1, 0), "{case}");
            assert_eq!((cases[0].id.as_str(), cases[0].status), ("N.C::M(1.5)", status), "{case}");
        }
    }

    #[test]
    fn suites_that_fail() {
        let suite = |inside: &str| {
            read(&format!(
                "<test-run><test-suite type='Assembly' name='L.dll' fullname='/x/L.dll' result='Failed'>\
                 <failure><message>child</message></failure>\
                 <test-suite type='TestFixture' name='C' fullname='N.C' result='Failed'>\
                 <failure><message>closes</message></failure>{inside}</test-suite></test-suite></test-run>"
            ))
        };
        let (cases, _) = suite("<test-case name='M' fullname='N.C.M' result='Passed'/>");
        assert_eq!((cases[1].id.as_str(), cases[1].status), ("L.dll::N.C", Errored));
        assert_eq!((cases[1].message.as_deref(), cases.len()), (Some("closes"), 2));
        let (cases, _) = suite("<test-case name='M' fullname='N.C.M' result='Failed'/>");
        assert_eq!((cases[0].id.as_str(), cases.len()), ("L.dll::N.C::M", 1));
    }

    #[test]
    fn whole_and_broken() {
        assert!(read("<test-run total='0'/>").1.is_empty());
        assert_eq!(read("<test-results total='3'/>").1.len(), 1);
        for xml in ["<testsuite/>", "<test-run>", "{}"] {
            assert!(matches!((FORMAT.read)(&mut xml.as_bytes()), Reading::Refused(_)), "{xml}");
        }
    }
}
