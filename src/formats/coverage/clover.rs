//! Clover's XML (`<coverage clover="…">`), of OpenClover, PHPUnit, Istanbul and gcovr.
//!
//! Statement lines count; lines of methods are their heads and do not. What the two numbers of a
//! condition are differs: Clover counts how often it was true and false and gives no `count`,
//! Istanbul gives a `count` and numbers of taken and of missed branches. `metrics` are only compared:
//! each level is the sum of the one below.

use std::collections::BTreeMap;

use super::attributes::{self, count, covered};
use super::gathered::{Gathered, REPEATED, UNPLACED_BRANCHES, counted, differing};
use crate::formats::text::{TextReader, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "clover",
    kind: FormatKind::Coverage,
    tools: "OpenClover, PHPUnit, nyc and c8 (clover), gcovr --clover",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head)).is_some_and(|root| {
        root.name == "coverage"
            && (root.child.as_deref() == Some("project")
                || root.attributes.iter().any(|a| a == "clover"))
    })
}

/// The open file.
struct OpenFile {
    path: String,
    depth: usize,
    /// Taken and found, by line: a line may hold several conditions.
    branches: BTreeMap<u32, (u32, u32)>,
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    project: bool,
    in_tests: bool,
    file: Option<OpenFile>,
    declared: Option<Declared>,
    statements: (u64, u64),
    repeated: u64,
    of_tests: u64,
    bad: u64,
}

/// The project's metrics, as (covered, all).
struct Declared {
    statements: (u64, u64),
    conditionals: (u64, u64),
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "coverage") => {}
            (1, name) => return Err(format!("no Clover: its root is {name}")),
            (2, "project") => (self.project, self.in_tests) = (true, false),
            (2, "testproject") => self.in_tests = true,
            (2, name @ ("packages" | "sources" | "file")) => {
                return Err(format!("no Clover: it has {name} where a project should be"));
            }
            (3, "metrics") if !self.in_tests => self.declared = Some(declared(e)),
            (_, "file") => self.begin(e, depth),
            (_, "line") if self.in_tests => self.of_tests += 1,
            (_, "line") => self.line(e),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, _: &str, depth: usize) -> Result<(), String> {
        if let Some(open) = self.file.take_if(|f| f.depth == depth) {
            let file = self.gathered.file(&open.path);
            for (line, (hit, found)) in open.branches {
                file.branches(line, hit, found);
            }
        }
        Ok(())
    }
}

fn declared(e: &Element<'_>) -> Declared {
    Declared {
        statements: covered(e, "coveredstatements", "statements"),
        conditionals: covered(e, "coveredconditionals", "conditionals"),
    }
}

impl Report {
    fn begin(&mut self, e: &Element<'_>, depth: usize) {
        if self.in_tests {
            return;
        }
        match e.filled("path").or_else(|| e.filled("name")) {
            Some(path) => {
                let path = paths::from_path(&path);
                self.gathered.file(&path);
                self.file = Some(OpenFile { path, depth, branches: BTreeMap::new() });
            }
            None => self.bad += 1,
        }
    }

    fn line(&mut self, e: &Element<'_>) {
        let kind = e.attr("type").unwrap_or_default();
        if kind == "method" {
            return;
        }
        let Some(open) = &mut self.file else { return };
        let Some(line) = attributes::line(e, "num") else {
            self.bad += 1;
            return;
        };
        let hits = count(e, "count");
        if kind == "cond" {
            let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
            let (yes, no) = covered(e, "truecount", "falsecount");
            let (hit, found) = match hits {
                Some(_) => (small(yes), small(yes.saturating_add(no))),
                None => (u32::from(yes > 0) + u32::from(no > 0), 2),
            };
            let sum = open.branches.entry(line).or_default();
            *sum = (sum.0.saturating_add(hit), sum.1.saturating_add(found));
            if hits.is_none() {
                return; // the statement on that line has a line element of its own
            }
        }
        let hits = hits.unwrap_or(0);
        self.statements.0 += u64::from(hits > 0);
        self.statements.1 += 1;
        let new = self.gathered.file(&open.path).at_least(line, hits);
        self.repeated += u64::from(!new);
    }

    fn finish(self) -> Found {
        if !self.project {
            return Err("no Clover: it has no project".into());
        }
        let mut notes = Vec::new();
        if let Some(declared) = self.declared {
            let found = self.gathered.totals().branches_found;
            notes.extend(differing("statements", declared.statements, self.statements));
            let hidden = declared.conditionals.1.saturating_sub(found);
            notes.extend(counted(UNPLACED_BRANCHES, hidden));
        }
        notes.extend(counted(REPEATED, self.repeated));
        notes.extend(counted("lines of test code, left out", self.of_tests));
        let causes = counted("files or lines without readable attributes", self.bad);
        self.gathered.found(notes, causes.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineBranches, LineHits, Reading};

    fn read(xml: &str) -> Reading {
        (FORMAT.read)(&mut xml.as_bytes())
    }

    #[test]
    fn conditions_of_both_sorts() {
        let xml = "<coverage clover='4'><project><metrics statements='4' coveredstatements='3' conditionals='9'/>\
            <package name='p'><file name='A.java' path='C:\\x\\A.java'><class><metrics statements='9'/></class>\
            <line num='1' type='method' count='5'/><line num='2' type='stmt' count='1'/><line num='2' type='stmt' count='0'/>\
            <line num='2' type='cond' truecount='4' falsecount='0'/><line num='3' type='cond' truecount='0' falsecount='0'/>\
            </file></package><file name='/u/b.js'><line num='1' count='2' type='cond' truecount='1' falsecount='3'/></file></project>\
            <testproject><metrics statements='5'/><file name='t'><line num='1' type='stmt' count='1'/></file></testproject></coverage>";
        assert!(sniff(xml.as_bytes()));
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert_eq!(
            f.notes,
            [
                "it declares 3 of 4 statements covered, and lists 2 of 3",
                "branches that it declares and no line holds: 1",
                "lines that are listed several times, counted once: 1",
                "lines of test code, left out: 1",
            ]
        );
        let files = f.coverage.unwrap().files;
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].path, "/u/b.js");
        assert_eq!(files[0].branches, [LineBranches { line: 1, hit: 1, found: 4 }]);
        assert_eq!(files[1].path, "C:/x/A.java");
        assert_eq!(files[1].lines, [LineHits { line: 2, hits: 1 }]);
        assert_eq!(
            files[1].branches,
            [
                LineBranches { line: 2, hit: 1, found: 2 },
                LineBranches { line: 3, hit: 0, found: 2 }
            ]
        );
    }

    #[test]
    fn foreign_and_damaged() {
        for xml in [
            "<coverage line-rate='1'><packages/></coverage>",
            "<coverage version='1'><file path='a'/></coverage>",
            "<coverage clover='4'/>",
            "<report/>",
        ] {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
        }
        for inside in ["", "<file/>", "<file name='a'><line type='stmt' count='1'/></file>"] {
            let xml = format!("<coverage><project>{inside}</project></coverage>");
            assert!(matches!(read(&xml), Reading::Degraded(..)), "{xml}");
        }
    }
}
