//! gcovr's own JSON (`gcovr --json`) and its summary (`gcovr --json-summary`).
//!
//! Specification: "JSON Format" in gcovr's documentation. Excluded lines and branches do not count.
//! A line may come once for each function on it; its branches are then those of all of them. The
//! summary has totals by file only.

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::{Branches, Gathered, REPEATED, counted, totals};
use crate::formats::json::{self, Each, Fields, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "gcovr-json",
    kind: FormatKind::Coverage,
    tools: "gcovr (--json, --json-summary)",
    sniff,
    read: |input| reading(input, parse),
};

const DETAIL: &str = "gcovr/format_version";
const SUMMARY: &str = "gcovr/summary_format_version";

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head))
        .is_some_and(|s| !s.list && (s.has(&[DETAIL]) || s.has(&[SUMMARY])))
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    version: bool,
    files: bool,
    repeated: u64,
    bad: u64,
}

/// A file of either sort.
#[derive(Deserialize)]
struct File {
    #[serde(alias = "filename")]
    file: Text,
    #[serde(default)]
    lines: Option<Vec<Line>>,
    #[serde(default)]
    line_total: Option<Num>,
    #[serde(default)]
    line_covered: Num,
    #[serde(default)]
    branch_total: Num,
    #[serde(default)]
    branch_covered: Num,
}

#[derive(Deserialize)]
struct Line {
    line_number: Num,
    count: Num,
    #[serde(default)]
    branches: Option<Vec<Branch>>,
    #[serde(default, rename = "gcovr/noncode")]
    no_code: bool,
    #[serde(default, rename = "gcovr/excluded")]
    excluded: bool,
}

#[derive(Deserialize)]
struct Branch {
    count: Num,
    #[serde(default, rename = "gcovr/excluded")]
    excluded: bool,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.version || !report.files {
        return Err("no gcovr JSON: it has no format version or no files".into());
    }
    let notes = counted(REPEATED, report.repeated);
    let causes = counted("lines without a readable number", report.bad);
    report.gathered.found(notes.into_iter().collect(), causes.into_iter().collect())
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            DETAIL | SUMMARY => {
                self.version = true;
                json::skip(map)
            }
            "files" => {
                self.files = true;
                map.next_value_seed(Each::new(|file: File| self.add(&file)))
            }
            _ => json::skip(map),
        }
    }
}

impl Report {
    fn add(&mut self, file: &File) -> Result<(), String> {
        let to = self.gathered.file(&paths::from_path(&file.file.0));
        let Some(lines) = &file.lines else {
            let found = file.line_total.ok_or("a file has neither lines nor totals")?;
            let of = |covered: Num, all: Num| (covered.0.unwrap_or(0), all.0.unwrap_or(0));
            let branches = of(file.branch_covered, file.branch_total);
            to.declared(totals(of(file.line_covered, found), branches));
            return Ok(());
        };
        let mut branches = Branches::default();
        for (at, line) in lines.iter().enumerate().filter(|(_, l)| !l.no_code && !l.excluded) {
            let Some(number) = line.line_number.line() else {
                self.bad += 1;
                continue;
            };
            self.repeated += u64::from(!to.at_least(number, line.count.0.unwrap_or(0)));
            for (n, branch) in line.branches.iter().flatten().enumerate() {
                if !branch.excluded {
                    branches.add(number, (at, n), branch.count.0.is_some_and(|n| n > 0));
                }
            }
        }
        branches.put(to);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineBranches, LineHits, Reading};

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    #[test]
    fn lines_and_branches() {
        let json = r#"{"gcovr/format_version": "0.15", "files": [{"file": "src\\a.c", "lines": [
            {"line_number": 1, "count": 0, "branches": [{"count": 0}, {"count": 9, "gcovr/excluded": true}]},
            {"line_number": 1, "count": 2, "function_name": "f", "branches": [{"count": 2}]},
            {"line_number": 3, "count": 0, "branches": [], "gcovr/noncode": true},
            {"line_number": 4, "count": 0, "branches": [], "gcovr/excluded": true}], "functions": []}]}"#;
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(json) else { panic!("{:?}", read(json)) };
        assert_eq!(f.notes, ["lines that are listed several times, counted once: 1"]);
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "src/a.c");
        assert_eq!(file.lines, [LineHits { line: 1, hits: 2 }]);
        assert_eq!(file.branches, [LineBranches { line: 1, hit: 1, found: 2 }]);
    }

    #[test]
    fn summary() {
        let json = r#"{"root": ".", "gcovr/summary_format_version": "0.6", "files": [
            {"filename": "a.c", "line_total": 9, "line_covered": 4, "branch_total": 2, "branch_covered": 1}]}"#;
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(json) else { panic!("{:?}", read(json)) };
        let t = f.coverage.unwrap().totals();
        assert_eq!((t.lines_hit, t.lines_found, t.branches_hit, t.branches_found), (4, 9, 1, 2));
    }

    #[test]
    fn foreign_and_damaged() {
        for json in [
            "{}",
            "[]",
            r#"{"gcovr/format_version": "1"}"#,
            r#"{"files": []}"#,
            r#"{"gcovr/format_version": "1", "files": [{"file": "a"}]}"#,
            r#"{"gcovr/format_version": "1", "files": [{"lines": []}]}"#,
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        let json = r#"{"gcovr/format_version": "1", "files": []}"#;
        assert!(matches!(read(json), Reading::Degraded(..)));
    }
}
