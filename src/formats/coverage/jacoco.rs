//! JaCoCo's XML (also of Kover, gcovr --jacoco and Pester), after its DTD `report.dtd` 1.1.
//!
//! The lines of `sourcefile` count: one is covered where at least one of its instructions ran
//! (`ci`), as JaCoCo's own LINE counter says; how often is not said, so it counts one hit. Classes
//! and methods repeat the same lines and are passed over. A file is named by its package and its
//! source file; the source root in front of it is not said.

use super::attributes::{self, count, small};
use super::gathered::{Gathered, REPEATED, counted, differing, totals};
use crate::formats::text::{TextReader, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "jacoco",
    kind: FormatKind::Coverage,
    tools: "JaCoCo, Kover, gcovr --jacoco, Pester",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    xml::root(&text).is_some_and(|root| {
        let child = root.child.as_deref();
        root.name == "report"
            && root.attributes.iter().any(|a| a == "name")
            && (child == Some("sessioninfo")
                || matches!(child, Some("package" | "group"))
                    && ["<counter type=", "<sourcefile ", "//JACOCO//"]
                        .iter()
                        .any(|sign| text.contains(sign)))
    })
}

/// The counters that are of use, as (covered, all).
#[derive(Default, Clone, Copy)]
struct Counters {
    line: Option<(u64, u64)>,
    branch: Option<(u64, u64)>,
    instruction: Option<(u64, u64)>,
}

/// The open source file.
struct Source {
    path: String,
    depth: usize,
    lines: Vec<Line>,
    /// A line does not say whether it ran (gcovr leaves that to the counters).
    silent: bool,
    counters: Counters,
}

struct Line {
    number: u32,
    covered: bool,
    branches: (u32, u32),
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    begun: bool,
    package: String,
    source: Option<Source>,
    root: Counters,
    instructions: u64,
    repeated: u64,
    /// Files by what is odd about them.
    again: u64,
    silent: u64,
    no_lines: u64,
    bad: u64,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "report") => {}
            (1, name) => return Err(format!("no JaCoCo: its root is {name}")),
            (2, "sessioninfo") | (_, "group") => self.begun = true,
            (_, "package") => {
                self.begun = true;
                self.package = e.attr("name").unwrap_or_default();
            }
            (_, "sourcefile") => self.begin(e, depth),
            (_, "line") => self.line(e, depth),
            (2, "counter") => counter(e, &mut self.root),
            (_, "counter") => {
                if let Some(source) = self.source.as_mut().filter(|s| s.depth + 1 == depth) {
                    counter(e, &mut source.counters);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, _: &str, depth: usize) -> Result<(), String> {
        if let Some(source) = self.source.take_if(|s| s.depth == depth) {
            self.end(&source);
        }
        Ok(())
    }
}

fn counter(e: &Element<'_>, to: &mut Counters) {
    let (covered, missed) = attributes::covered(e, "covered", "missed");
    let both = Some((covered, covered.saturating_add(missed)));
    match e.attr("type").as_deref() {
        Some("LINE") => to.line = both,
        Some("BRANCH") => to.branch = both,
        Some("INSTRUCTION") => to.instruction = both,
        _ => {}
    }
}

impl Report {
    fn begin(&mut self, e: &Element<'_>, depth: usize) {
        let Some(name) = e.filled("name") else {
            self.bad += 1;
            return;
        };
        let path = paths::from_path(&paths::join(&self.package, &name));
        self.again += u64::from(self.gathered.knows(&path));
        self.gathered.file(&path);
        let counters = Counters::default();
        self.source = Some(Source { path, depth, lines: Vec::new(), silent: false, counters });
    }

    fn line(&mut self, e: &Element<'_>, depth: usize) {
        let Some(source) = self.source.as_mut().filter(|s| s.depth + 1 == depth) else { return };
        let Some(number) = attributes::line(e, "nr") else {
            self.bad += 1;
            return;
        };
        let ran = count(e, "ci");
        source.silent |= ran.is_none();
        source.lines.push(Line {
            number,
            covered: ran.is_some_and(|n| n > 0),
            branches: (small(e, "cb").unwrap_or(0), small(e, "mb").unwrap_or(0)),
        });
    }

    fn end(&mut self, source: &Source) {
        let file = self.gathered.file(&source.path);
        let counters = source.counters;
        self.instructions =
            self.instructions.saturating_add(counters.instruction.map_or(0, |c| c.1));
        if source.silent || source.lines.is_empty() {
            match counters.line {
                Some(lines) => {
                    self.silent += 1;
                    file.declared(totals(lines, counters.branch.unwrap_or_default()));
                }
                None if source.silent => self.bad += 1,
                None => self.no_lines += u64::from(counters.instruction.map_or(0, |c| c.1) > 0),
            }
            return;
        }
        for line in &source.lines {
            self.repeated += u64::from(!file.at_least(line.number, line.covered.into()));
            let (hit, missed) = line.branches;
            if hit > 0 || missed > 0 {
                file.branches(line.number, hit, hit.saturating_add(missed));
            }
        }
    }

    fn finish(self) -> Found {
        if !self.begun {
            return Err("no JaCoCo: it has no package".into());
        }
        let (sum, mut causes) = (self.gathered.totals(), Vec::new());
        let all = self.root.instruction.map_or(0, |c| c.1);
        let mut notes = Vec::new();
        if sum.lines_found == 0 && all.max(self.instructions) > 0 {
            causes.push("it has no lines: the classes hold no line numbers".to_owned());
        } else {
            let unnamed = all.saturating_sub(self.instructions);
            let known = self.root.instruction.is_some() && self.instructions > 0;
            notes.extend(counted(
                "instructions of classes that name no source file",
                if known { unnamed } else { 0 },
            ));
            notes.extend(counted("files without line numbers", self.no_lines));
            let listed = (sum.lines_hit, sum.lines_found);
            notes.extend(self.root.line.and_then(|all| differing("lines", all, listed)));
        }
        let silent = "files whose lines do not say whether they ran, taken by their counters";
        notes.extend(counted(silent, self.silent));
        notes.extend(counted("files of one name in several places, merged", self.again));
        notes.extend(counted(REPEATED, self.repeated));
        causes.extend(counted("files or lines without readable attributes", self.bad));
        self.gathered.found(notes, causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Figures, FileCoverage, LineBranches, LineHits, Reading};

    fn read(inside: &str) -> Reading {
        let xml = format!(
            "<!DOCTYPE report SYSTEM 'https://example.org/report.dtd'><report name='r'>{inside}</report>"
        );
        (FORMAT.read)(&mut xml.as_bytes())
    }

    fn figures(inside: &str) -> Figures {
        match read(inside) {
            Reading::Figures(f) => f,
            other => panic!("{other:?}"),
        }
    }

    fn files(f: &Figures) -> &[FileCoverage] {
        &f.coverage.as_ref().unwrap().files
    }

    const A: &str = "<package name='com/x'><class name='com/x/A' sourcefilename='A.java'>\
        <method name='f' line='3'><counter type='LINE' missed='9' covered='9'/></method></class>\
        <sourcefile name='A.java'><line nr='3' mi='1' ci='1' mb='1' cb='1'/><line nr='4' mi='2' ci='0' mb='0' cb='0'/>\
        <counter type='INSTRUCTION' missed='3' covered='1'/><counter type='LINE' missed='1' covered='1'/></sourcefile></package>";

    #[test]
    fn lines_of_source_files() {
        let f = figures(A);
        assert_eq!(files(&f)[0].path, "com/x/A.java");
        assert_eq!(
            files(&f)[0].lines,
            [LineHits { line: 3, hits: 1 }, LineHits { line: 4, hits: 0 }]
        );
        assert_eq!(files(&f)[0].branches, [LineBranches { line: 3, hit: 1, found: 2 }]);
        assert!(f.notes.is_empty());
        let f = figures(&format!("<group name='m'>{A}</group><group name='n'>{A}</group>"));
        assert_eq!(files(&f).len(), 1);
        assert!(f.notes.iter().any(|n| n.starts_with("files of one name")), "{:?}", f.notes);
    }

    #[test]
    fn declared_totals() {
        let f = figures(&format!("{A}<counter type='LINE' missed='2' covered='1'/>"));
        assert_eq!(f.notes, ["it declares 1 of 3 lines covered, and lists 1 of 2"]);
        // gcovr: the lines tell their branches only
        let f = figures(
            "<package name=''><sourcefile name='a.c'><line nr='1'/><line nr='2' mb='1' cb='1'/>\
             <counter type='LINE' missed='1' covered='1'/><counter type='BRANCH' missed='1' covered='1'/></sourcefile></package>",
        );
        let t = files(&f)[0].totals();
        assert_eq!((t.lines_found, t.lines_hit, t.branches_found, t.branches_hit), (2, 1, 2, 1));
        assert!(files(&f)[0].lines.is_empty());
        assert_eq!(files(&f)[0].path, "a.c");
    }

    #[test]
    fn without_lines() {
        let class = "<package name='p'><class name='p/A'><counter type='INSTRUCTION' missed='1' covered='1'/></class></package>\
            <counter type='INSTRUCTION' missed='1' covered='1'/>";
        assert!(matches!(read(class), Reading::Degraded(..)));
        let f = figures(&format!("{A}<counter type='INSTRUCTION' missed='9' covered='1'/>"));
        assert_eq!(f.notes, ["instructions of classes that name no source file: 6"]);
        assert!(matches!(read("<sessioninfo id='x'/>"), Reading::Degraded(..)));
        assert!(matches!(read(""), Reading::Refused(_)));
        assert!(matches!(read("<package name='p'><sourcefile/></package>"), Reading::Degraded(..)));
    }
}
