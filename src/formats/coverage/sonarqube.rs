//! SonarQube's generic test coverage (`<coverage version="1">`), which many tools write for it.
//!
//! Specification: "Generic test data" in SonarQube's documentation. A line is covered or not; how
//! often it ran is not said, so a covered line counts one hit.

use super::attributes::{line, small};
use super::gathered::{Gathered, REPEATED, counted};
use crate::formats::text::{TextReader, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "sonarqube-generic",
    kind: FormatKind::Coverage,
    tools: "gcovr --sonarqube, dotnet-coverage, slather, other tools for SonarQube",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head)).is_some_and(|root| {
        root.name == "coverage"
            && root.attributes.iter().any(|a| a == "version")
            && root.child.as_deref() == Some("file")
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    path: Option<String>,
    repeated: u64,
    bad: u64,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    let causes = counted("lines or files without readable attributes", report.bad);
    let notes = counted(REPEATED, report.repeated);
    report.gathered.found(notes.into_iter().collect(), causes.into_iter().collect())
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "coverage") if e.attr("version").is_some_and(|v| v.trim() == "1") => {}
            (1, "coverage") => return Err("no SonarQube coverage: its version is not 1".into()),
            (1, name) => return Err(format!("no SonarQube coverage: its root is {name}")),
            (2, "file") => {
                self.path = e.filled("path").map(|p| paths::from_path(&p));
                match &self.path {
                    Some(path) => drop(self.gathered.file(path)),
                    None => self.bad += 1,
                }
            }
            (2, name) => {
                return Err(format!("no SonarQube coverage: it has {name} where files should be"));
            }
            (3, "lineToCover") => self.line(e),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, _: &str, _: usize) -> Result<(), String> {
        Ok(())
    }
}

impl Report {
    fn line(&mut self, e: &Element<'_>) {
        let Some(path) = &self.path else { return };
        let covered = match e.attr("covered").as_deref().map(str::trim) {
            Some("true") => Some(1),
            Some("false") => Some(0),
            _ => None,
        };
        let (Some(line), Some(hits)) = (line(e, "lineNumber"), covered) else {
            self.bad += 1;
            return;
        };
        let file = self.gathered.file(path);
        self.repeated += u64::from(!file.at_least(line, hits));
        if let Some(found) = small(e, "branchesToCover").filter(|n| *n > 0) {
            file.branches(line, small(e, "coveredBranches").unwrap_or(0), found);
        }
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
    fn lines_and_branches() {
        let xml = "<coverage version='1'><file path='src\\a.c'>\
            <lineToCover lineNumber='2' covered='true' branchesToCover='4' coveredBranches='3'/>\
            <lineToCover lineNumber='3' covered='false'/><lineToCover lineNumber='2' covered='false'/>\
            </file></coverage>";
        assert!(sniff(xml.as_bytes()));
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert_eq!(f.notes, ["lines that are listed several times, counted once: 1"]);
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "src/a.c");
        assert_eq!(file.lines, [LineHits { line: 2, hits: 1 }, LineHits { line: 3, hits: 0 }]);
        assert_eq!(file.branches, [LineBranches { line: 2, hit: 3, found: 4 }]);
    }

    #[test]
    fn foreign_and_damaged() {
        for xml in [
            "<coverage version='2'><file path='a'/></coverage>",
            "<coverage version='1'><packages/></coverage>",
            "<coverage><file path='a'/></coverage>",
            "<report/>",
        ] {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
        }
        for inside in [
            "",
            "<file/>",
            "<file path='a'><lineToCover lineNumber='0' covered='true'/></file>",
            "<file path='a'><lineToCover lineNumber='1'/></file>",
        ] {
            let xml = format!("<coverage version='1'>{inside}</coverage>");
            assert!(matches!(read(&xml), Reading::Degraded(..)), "{xml}");
        }
    }
}
