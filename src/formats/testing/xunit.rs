//! Results of xUnit.net, version 2 and 3 (root `assemblies`) and the older bare `assembly`;
//! xunit.net/docs/format-xml-v2.
//!
//! Only `test` counts. An `error` stands for what broke outside of a test (a fixture's clean-up, an
//! assembly that did not load) and is an errored case. Totals in attributes are not believed.

use super::cases::{self, Raw, Repeats, Said};
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "xunit",
    kind: FormatKind::Tests,
    tools: "xUnit.net 2 and 3, XunitXml.TestLogger, Fixie",
    sniff,
    read: |input| reading(input, parse),
};

/// What tells an assembly of tests from the manifests that have the same root.
const OF_TESTS: [&str; 2] = ["test-framework", "run-date"];

fn sniff(head: &[u8]) -> bool {
    let Some(root) = xml::root(&head_text(head)) else { return false };
    let of_tests = root.attributes.iter().any(|a| OF_TESTS.contains(&a.as_str()));
    match root.name.as_str() {
        "assemblies" => root.child.is_some_and(|child| child == "assembly"),
        "assembly" => of_tests,
        _ => false,
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

/// An open test or error.
struct Open {
    depth: usize,
    id: String,
    status: TestStatus,
    said: Said,
}

#[derive(Default)]
struct Report {
    open: Option<Open>,
    done: Vec<Raw>,
    /// It has an assembly.
    known: bool,
    assembly: String,
    declared: Option<u64>,
    tests: u64,
    unnamed: u64,
    notes: Vec<String>,
    causes: Vec<String>,
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "assembly") if OF_TESTS.iter().all(|a| e.attr(a).is_none()) => {
                return Err("no xUnit.net XML: its assembly is none of tests".into());
            }
            (_, "assembly") if depth <= 2 => {
                self.known = true;
                let path = e.attr("name").unwrap_or_default();
                self.assembly = cases::file_name(&path).to_owned();
                self.declared = e.attr("total").and_then(|n| count(&n));
                self.tests = 0;
            }
            (1, "assemblies") => {}
            (1, name) => return Err(format!("no xUnit.net XML: its root is {name}")),
            (_, "test") if self.open.is_none() => self.test(e, depth),
            (_, "error") if self.open.is_none() => self.error(e, depth),
            (_, "message" | "reason") => {
                if let Some(open) = &mut self.open {
                    open.said.begin(depth);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if let Some(open) = &mut self.open {
            open.said.end(depth);
        }
        if let Some(mut open) = self.open.take_if(|open| open.depth == depth) {
            self.done.push(Raw::new(open.id, open.status, open.said.take()));
        }
        if name == "assembly" && depth <= 2 {
            let (notes, causes) = (&mut self.notes, &mut self.causes);
            cases::declared(&self.assembly, (self.declared, self.tests), notes, causes);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.said.hear(text);
        }
    }
}

impl Report {
    fn test(&mut self, e: &Element<'_>, depth: usize) {
        self.tests += 1;
        let class = e.filled("type").unwrap_or_default();
        let name = e.filled("name").or_else(|| e.filled("method")).unwrap_or_else(|| {
            self.unnamed += 1;
            format!("(unnamed {})", self.unnamed)
        });
        let method = cases::after(&name, &class, &['.', '+']);
        let id = cases::id([self.assembly.as_str(), &class, method]);
        let status = match e.attr("result").as_deref() {
            Some("Pass") => TestStatus::Passed,
            Some("Fail") => TestStatus::Failed,
            Some("Skip" | "NotRun") => TestStatus::Skipped,
            _ => TestStatus::Errored,
        };
        self.open = Some(Open { depth, id, status, said: Said::default() });
    }

    fn error(&mut self, e: &Element<'_>, depth: usize) {
        let kind = e.filled("type").unwrap_or_else(|| "error".into());
        let name = e.filled("name").unwrap_or_default();
        let id = cases::id([self.assembly.as_str(), &name, &format!("({kind})")]);
        self.open = Some(Open { depth, id, status: TestStatus::Errored, said: Said::default() });
    }

    fn finish(self) -> Found {
        if !self.known {
            return Err("no xUnit.net XML: it has no assembly".into());
        }
        cases::finish(self.done, Repeats::Tests, self.notes, self.causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;
    use TestStatus::{Errored, Failed, Passed, Skipped};

    #[test]
    fn tests_and_errors() {
        let xml = "<assemblies><assembly name='C:\\b\\L.dll' total='4'><errors>\
            <error type='test-class-cleanup' name='N.C'><failure><message>closes</message></failure></error>\
            </errors><collection><test name='N.C.M(a: 1)' type='N.C' method='M' result='Pass'/>\
            <test name='says so' type='N.C' method='F' result='Fail'><failure><message>m</message>\
            <stack-trace>s</stack-trace></failure></test>\
            <test name='N.C.S' type='N.C' result='Skip'><reason>later</reason></test>\
            </collection></assembly></assemblies>";
        assert!(sniff(xml.as_bytes()));
        let Reading::Figures(f) = (FORMAT.read)(&mut xml.as_bytes()) else { panic!() };
        assert_eq!(f.notes, ["L.dll declares 4 tests and has 3"]);
        let cases = f.tests.unwrap().cases;
        let got: Vec<_> =
            cases.iter().map(|c| (c.id.as_str(), c.status, c.message.as_deref())).collect();
        assert_eq!(
            got,
            [
                ("L.dll::N.C::(test-class-cleanup)", Errored, Some("closes")),
                ("L.dll::N.C::M(a: 1)", Passed, None),
                ("L.dll::N.C::says so", Failed, Some("m")),
                ("L.dll::N.C::S", Skipped, Some("later")),
            ]
        );
    }

    #[test]
    fn whole_and_broken() {
        let none = "<assembly test-framework='xUnit.net' name='a'><errors/></assembly>";
        assert!(sniff(none.as_bytes()));
        assert!(matches!((FORMAT.read)(&mut none.as_bytes()), Reading::Figures(_)));
        let missing = "<assemblies><assembly name='a' total='2'/></assemblies>";
        assert!(matches!((FORMAT.read)(&mut missing.as_bytes()), Reading::Degraded(..)));
        for xml in [
            "<assembly manifestVersion='1.0'",
            "<doc><assembly/></doc>",
            "<test/>",
            "<assemblies/>",
            "<assembly/>",
        ] {
            assert!(!sniff(xml.as_bytes()), "{xml}");
            assert!(matches!((FORMAT.read)(&mut xml.as_bytes()), Reading::Refused(_)), "{xml}");
        }
    }
}
