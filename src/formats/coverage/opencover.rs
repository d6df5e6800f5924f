//! OpenCover's XML (`CoverageSession`), also of AltCover and coverlet.
//!
//! Sequence points are put to the line on which they start; the line is covered where one of its
//! points was visited. What was left out (`skippedDueTo`) does not count. The summary of OpenCover
//! counts the entry of each method among its branches; no line holds those, so they are noted.

use std::collections::HashMap;

use super::attributes::{self, count, covered};
use super::gathered::{Branches, Gathered, REPEATED, UNPLACED_BRANCHES, counted, differing};
use crate::formats::text::{TextReader, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "opencover",
    kind: FormatKind::Coverage,
    tools: "OpenCover, AltCover, coverlet",
    sniff,
    read: |input| reading(input, parse),
};

/// Points from this line on are hidden ones: compilers mark code without a source so.
const HIDDEN: u32 = 0xfe_efee;

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head)).is_some_and(|root| root.name == "CoverageSession")
}

/// What makes a branch one of its line: its method in the report, its offset there, and its path.
type Branch = (u64, u64, u64);

#[derive(Default)]
struct Report {
    gathered: Gathered,
    modules: bool,
    /// Depth of what is left out.
    skipped: Option<usize>,
    /// Files of the open module by their number there.
    files: HashMap<String, String>,
    branches: HashMap<String, Branches<Branch>>,
    /// The file that the open method names, for points that name none.
    method_file: Option<String>,
    methods: u64,
    points: (u64, u64),
    branch_points: u64,
    declared: Option<Declared>,
    repeated: u64,
    homeless: u64,
    bad: u64,
}

/// The session's summary.
struct Declared {
    points: (u64, u64),
    branches: u64,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        if self.skipped.is_some() {
            return Ok(());
        }
        if depth > 1 && e.filled("skippedDueTo").is_some() {
            self.skipped = Some(depth);
            return Ok(());
        }
        match (depth, e.name()) {
            (1, "CoverageSession") => {}
            (1, name) => return Err(format!("no OpenCover: its root is {name}")),
            (2, "Modules") => self.modules = true,
            (2, "Summary") => self.declared = Some(declared(e)),
            (_, "Module") => self.files.clear(),
            (_, "File") => self.file(e),
            (_, "Method") => {
                self.methods += 1;
                self.method_file = None;
            }
            (_, "FileRef") => self.method_file = e.filled("uid"),
            (_, "SequencePoint") => self.point(e),
            (_, "BranchPoint") => self.branch(e),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        self.skipped.take_if(|d| *d == depth);
        if name == "Module" {
            // a module that comes twice has the same branches twice, so it is one table each
            for (path, branches) in self.branches.drain() {
                branches.put(self.gathered.file(&path));
            }
        }
        Ok(())
    }
}

fn declared(e: &Element<'_>) -> Declared {
    Declared {
        points: covered(e, "visitedSequencePoints", "numSequencePoints"),
        branches: count(e, "numBranchPoints").unwrap_or(0),
    }
}

/// Visits and the line of a point; none where it has no place in a source.
fn place(e: &Element<'_>) -> Option<(u64, Option<u32>)> {
    let line = attributes::line(e, "sl").filter(|l| *l < HIDDEN);
    Some((count(e, "vc")?, line))
}

impl Report {
    fn file(&mut self, e: &Element<'_>) {
        match (e.filled("uid"), e.filled("fullPath")) {
            (Some(id), Some(path)) => drop(self.files.insert(id, paths::from_path(&path))),
            _ => self.bad += 1,
        }
    }

    /// The file of a point.
    fn path(&mut self, e: &Element<'_>) -> Option<String> {
        let named = e.filled("fileid").filter(|id| id != "0").or_else(|| self.method_file.clone());
        match named.as_ref().map(|id| self.files.get(id)) {
            Some(Some(path)) => return Some(path.clone()),
            Some(None) => self.bad += 1,
            None => self.homeless += 1,
        }
        None
    }

    fn point(&mut self, e: &Element<'_>) {
        let Some((visits, line)) = place(e) else {
            self.bad += 1;
            return;
        };
        self.points.0 += u64::from(visits > 0);
        self.points.1 += 1;
        let (Some(line), Some(path)) = (line, self.path(e)) else { return };
        let new = self.gathered.file(&path).at_least(line, visits);
        self.repeated += u64::from(!new);
    }

    fn branch(&mut self, e: &Element<'_>) {
        let Some((visits, line)) = place(e) else {
            self.bad += 1;
            return;
        };
        let Some(line) = line else { return };
        let Some(path) = self.path(e) else { return };
        self.branch_points += 1;
        // the ordinal tells branches apart where older versions give no path
        let arm = count(e, "path").or_else(|| count(e, "ordinal")).unwrap_or(0);
        let id = (self.methods, count(e, "offset").unwrap_or(0), arm);
        self.branches.entry(path).or_default().add(line, id, visits > 0);
    }

    fn finish(self) -> Found {
        if !self.modules {
            return Err("no OpenCover: it has no modules".into());
        }
        let mut notes = Vec::new();
        if let Some(declared) = &self.declared {
            notes.extend(differing("sequence points", declared.points, self.points));
            let hidden = declared.branches.saturating_sub(self.branch_points);
            notes.extend(counted(UNPLACED_BRANCHES, hidden));
        }
        notes.extend(counted(REPEATED, self.repeated));
        notes.extend(counted("points that name no file", self.homeless));
        let causes = counted("files or points without readable attributes", self.bad);
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
    fn points_and_branches() {
        let module = "<Module hash='1'><Files><File uid='1' fullPath='C:\\x\\A.cs'/></Files><Classes>\
            <Class><Methods><Method><FileRef uid='1'/><SequencePoints>\
            <SequencePoint vc='0' sl='3' fileid='1'/><SequencePoint vc='2' sl='3'/><SequencePoint vc='0' sl='4' fileid='1'/>\
            <SequencePoint vc='0' sl='16707566' fileid='1'/></SequencePoints><BranchPoints>\
            <BranchPoint vc='1' sl='3' offset='7' path='0' fileid='1'/><BranchPoint vc='0' sl='3' offset='7' path='1'/>\
            <BranchPoint vc='0' sl='3' offset='9' path='0'/></BranchPoints></Method>\
            <Method skippedDueTo='Attribute'><SequencePoints><SequencePoint vc='0' sl='9' fileid='1'/></SequencePoints></Method>\
            </Methods></Class></Classes></Module>";
        let xml = format!(
            "<CoverageSession><Summary numSequencePoints='4' visitedSequencePoints='1' numBranchPoints='4'/>\
             <Modules><Module skippedDueTo='Filter'><Files><File/></Files></Module>{module}</Modules></CoverageSession>"
        );
        assert!(sniff(xml.as_bytes()));
        let Reading::Figures(f) = read(&xml) else { panic!("{:?}", read(&xml)) };
        assert_eq!(
            f.notes,
            [
                "branches that it declares and no line holds: 1",
                "lines that are listed several times, counted once: 1"
            ]
        );
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "C:/x/A.cs");
        assert_eq!(file.lines, [LineHits { line: 3, hits: 2 }, LineHits { line: 4, hits: 0 }]);
        assert_eq!(file.branches, [LineBranches { line: 3, hit: 1, found: 3 }]);
        let twice = xml.replace(module, &module.repeat(2));
        let Reading::Figures(f) = read(&twice) else { panic!() };
        assert_eq!(f.coverage.unwrap().files[0].branches[0].found, 3);
    }

    #[test]
    fn foreign_and_damaged() {
        for xml in ["<CoverageSession/>", "<coverage/>", "<CoverageSession><Modules>"] {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
        }
        for inside in [
            "",
            "<Module><Files><File uid='1' fullPath='a'/></Files><SequencePoint vc='1' sl='1' fileid='2'/></Module>",
            "<Module><Files><File uid='1' fullPath='a'/></Files><SequencePoint sl='1' fileid='1'/></Module>",
        ] {
            let xml = format!("<CoverageSession><Modules>{inside}</Modules></CoverageSession>");
            assert!(matches!(read(&xml), Reading::Degraded(..)), "{xml}");
        }
    }
}
