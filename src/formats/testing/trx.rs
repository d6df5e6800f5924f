//! TRX, the results file of Visual Studio's test platform (`dotnet test --logger trx`); its schema is
//! vstst.xsd of the TeamTest 2010 namespace.
//!
//! Results name their definition by id, and definitions, which hold the class, may come after them or
//! be missing. A data-driven result holds one result for each row: the rows count. `outcome` also
//! stands on the summary: `Completed` with no test is a legal run of none, while a summary that says
//! aborted or failed without any test that did is a run that broke.

use std::collections::BTreeMap;

use super::cases::{self, Raw, Repeats, Said};
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "trx",
    kind: FormatKind::Tests,
    tools: "dotnet test --logger trx, vstest, MSTest",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| root.name == "TestRun"),
    read: |input| reading(input, parse),
};

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

/// An open result.
struct Open {
    depth: usize,
    test: String,
    name: String,
    status: TestStatus,
    said: Said,
    /// How many results it holds, and whether one of them failed.
    rows: u64,
    failed: bool,
}

#[derive(Default)]
struct Report {
    open: Vec<Open>,
    /// Test id, name and the rest, until the classes are known.
    done: Vec<(String, String, Raw)>,
    classes: BTreeMap<String, String>,
    definition: Option<String>,
    in_definitions: bool,
    /// It has results or a summary.
    known: bool,
    outcome: String,
    total: Option<u64>,
    error: bool,
    run_said: Said,
    run_errors: Vec<String>,
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        let name = e.name();
        match name {
            _ if depth == 1 && name != "TestRun" => {
                return Err(format!("no TRX: its root is {name}"));
            }
            "TestDefinitions" => self.in_definitions = true,
            "TestMethod" => self.class(e),
            _ if self.in_definitions && depth == 3 => self.definition = e.attr("id"),
            "Results" => self.known = true,
            "ResultSummary" => {
                self.known = true;
                self.outcome = e.attr("outcome").unwrap_or_default();
            }
            "Counters" => self.total = e.attr("total").and_then(|n| count(&n)),
            "RunInfo" => self.error = e.attr("outcome").is_some_and(|o| o == "Error"),
            "Text" if self.error => self.run_said.begin(depth),
            "Message" => {
                if let Some(open) = self.open.last_mut() {
                    open.said.begin(depth);
                }
            }
            _ if name.ends_with("TestResult") || name == "TestResultAggregation" => {
                self.begin(e, depth);
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if let Some(open) = self.open.last_mut() {
            open.said.end(depth);
            if open.depth == depth {
                self.end();
            }
        }
        self.run_said.end(depth);
        match name {
            "TestDefinitions" => self.in_definitions = false,
            "RunInfo" => {
                self.error = false;
                let said = self.run_said.take();
                self.run_errors.extend(said.filter(|_| self.run_errors.len() < 3));
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        match self.open.last_mut() {
            Some(open) => open.said.hear(text),
            None => self.run_said.hear(text),
        }
    }
}

impl Report {
    fn class(&mut self, e: &Element<'_>) {
        let class = e.filled("className").unwrap_or_default();
        // MSTest adds the assembly: "Ns.Class, Library, Version=1.0.0.0"
        let class = class.split(',').next().unwrap_or_default().trim();
        if let Some(id) = self.definition.take() {
            self.classes.insert(id, class.to_owned());
        }
    }

    fn begin(&mut self, e: &Element<'_>, depth: usize) {
        if let Some(outer) = self.open.last_mut() {
            outer.rows += 1;
        }
        self.open.push(Open {
            depth,
            test: e.attr("testId").unwrap_or_default(),
            name: e.filled("testName").unwrap_or_else(|| "(unnamed)".into()),
            status: status(&e.attr("outcome").unwrap_or_default()),
            said: Said::default(),
            rows: 0,
            failed: false,
        });
    }

    fn end(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        let failed = open.status >= TestStatus::Failed;
        if let Some(outer) = self.open.last_mut() {
            outer.failed |= failed || open.failed;
        }
        if open.rows == 0 || failed && !open.failed {
            let raw = Raw::new(String::new(), open.status, open.said.take());
            self.done.push((open.test, open.name, raw));
        }
    }

    fn finish(self) -> Found {
        if !self.known {
            return Err("no TRX: it has neither results nor a summary".into());
        }
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        let classes = self.classes;
        let raw: Vec<Raw> = self
            .done
            .into_iter()
            .map(|(test, name, mut raw)| {
                let class = classes.get(&test).map_or("", String::as_str);
                raw.case.id = cases::id([class, cases::after(&name, class, &['.', '+'])]);
                raw
            })
            .collect();
        let found = raw.len() as u64;
        cases::planned((self.total, found), &mut notes, &mut causes);
        let failed = raw.iter().any(|r| r.case.status >= TestStatus::Failed);
        let broken = match self.outcome.as_str() {
            "" | "Completed" | "Passed" | "Warning" | "NotExecuted" | "Inconclusive" => false,
            "Failed" => !failed,
            _ => true,
        };
        if broken {
            causes.push(format!("the run itself ended as {}", self.outcome));
        }
        for error in &self.run_errors {
            match broken {
                true => note(&mut causes, || error.clone()),
                false if !failed => note(&mut notes, || format!("the run says: {error}")),
                // adapters say so of each test that failed
                false => {}
            }
        }
        cases::finish(raw, Repeats::Tests, notes, causes)
    }
}

/// How a test ended; an outcome that is not known or was left out is no pass.
fn status(outcome: &str) -> TestStatus {
    match outcome {
        "Passed" | "Warning" | "Completed" => TestStatus::Passed,
        "Failed" => TestStatus::Failed,
        "NotExecuted" | "Inconclusive" | "Pending" => TestStatus::Skipped,
        _ => TestStatus::Errored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, TestCase};
    use TestStatus::{Errored, Failed, Passed, Skipped};

    fn read(inside: &str) -> (Vec<TestCase>, Vec<String>) {
        let xml = format!("<t:TestRun xmlns:t='x'>{inside}</t:TestRun>");
        match (FORMAT.read)(&mut xml.as_bytes()) {
            Reading::Figures(f) => (f.tests.unwrap().cases, vec![]),
            Reading::Degraded(f, causes) => (f.tests.unwrap().cases, causes),
            Reading::Refused(why) => panic!("{why}"),
        }
    }

    #[test]
    fn results_and_definitions() {
        let (cases, causes) = read(
            "<Results><UnitTestResult testId='1' testName='N.C.M(1)' outcome='Passed'/>\
             <UnitTestResult testId='2' testName='M' outcome='Failed'><Output><StdOut>x</StdOut>\
             <ErrorInfo><Message>no &lt;1</Message></ErrorInfo></Output></UnitTestResult>\
             <UnitTestResult testId='3' testName='D' outcome='Failed'><InnerResults>\
             <UnitTestResult testId='3' testName='D (1)' outcome='Passed'/>\
             <UnitTestResult testId='3' testName='D (1)' outcome='Failed'/></InnerResults>\
             </UnitTestResult><UnitTestResult testId='4' testName='S' outcome='NotExecuted'/>\
             <UnitTestResult testName='T' outcome='Timeout'/></Results>\
             <TestDefinitions><UnitTest id='1'><TestMethod className='N.C' name='M'/></UnitTest>\
             <UnitTest id='2'><TestMethod className='N.C, Lib, Version=1' name='M'/></UnitTest>\
             </TestDefinitions><ResultSummary outcome='Failed'><Counters total='5'/></ResultSummary>",
        );
        let got: Vec<_> = cases.iter().map(|c| (c.id.as_str(), c.status)).collect();
        assert_eq!(
            got,
            [
                ("N.C::M(1)", Passed),
                ("N.C::M", Failed),
                ("D (1)", Passed),
                ("D (1)#2", Failed),
                ("S", Skipped),
                ("T", Errored),
            ]
        );
        assert_eq!(cases[1].message.as_deref(), Some("no <1"));
        assert!(causes.is_empty());
    }

    #[test]
    fn whole_and_broken_runs() {
        let passed = "<Results><UnitTestResult testName='a' outcome='Passed'/></Results>";
        for (inside, causes) in [
            ("<Results/><ResultSummary outcome='Completed'><Counters total='0'/></ResultSummary>".to_owned(), 0),
            (format!("{passed}<ResultSummary outcome='Completed'><RunInfos><RunInfo outcome='Warning'><Text>w</Text></RunInfo></RunInfos></ResultSummary>"), 0),
            (format!("{passed}<ResultSummary outcome='Failed'><RunInfos><RunInfo outcome='Error'><Text>host crashed</Text></RunInfo></RunInfos></ResultSummary>"), 2),
            (format!("{passed}<ResultSummary outcome='Aborted'/>"), 1),
            (format!("{passed}<ResultSummary outcome='Completed'><Counters total='2'/></ResultSummary>"), 1),
            ("<Results/><ResultSummary><Counters total='2'/></ResultSummary>".to_owned(), 1),
        ] {
            assert_eq!(read(&inside).1.len(), causes, "{inside}");
        }
        for xml in ["<TestRun/>", "<testsuite/>", "<TestRun><Results/>"] {
            assert!(matches!((FORMAT.read)(&mut xml.as_bytes()), Reading::Refused(_)), "{xml}");
        }
    }
}
