//! `llvm-cov export` (JSON), of clang, `cargo llvm-cov --json` and swift.
//!
//! Lines are derived from the segments of each file as llvm-cov itself does; its summaries count by
//! function instead, and so differ where functions share lines. They are used where there are no
//! segments (`-summary-only`). A branch of the report is two, of its condition true and false;
//! instantiations of one template have theirs together, and those in a macro are put to the line
//! that uses it.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::gathered::{Branches, FileLines, Gathered, add, counted, differing, totals};
use super::llvm_lines::{Segment, lines};
use crate::formats::json::{self, Each, Fields, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::Totals;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "llvm-cov-json",
    kind: FormatKind::Coverage,
    tools: "llvm-cov export, cargo llvm-cov --json",
    sniff,
    read: |input| reading(input, parse),
};

const TYPE: &str = "llvm.coverage.json.export";

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    if !json::shape(&text).is_some_and(|s| !s.list && (s.has(&["data"]) || s.has(&["type"]))) {
        return false;
    }
    // the type comes last, after all the data
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let file = compact.split_once("\"data\":[{\"files\":[{").map(|(_, file)| file);
    compact.contains(&format!("\"type\":\"{TYPE}\""))
        || file.is_some_and(|f| {
            ["\"branches\":[", "\"expansions\":[", "\"filename\":\""]
                .iter()
                .any(|k| f.starts_with(k))
        })
}

/// A number, or a yes and no, which older versions write as numbers.
struct Cell(u64);

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Cell;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a boolean")
            }
            fn visit_bool<E: Error>(self, v: bool) -> Result<Cell, E> {
                Ok(Cell(v.into()))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Cell, E> {
                Ok(Cell(v))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Cell, E> {
                Ok(Cell(u64::try_from(v).unwrap_or(0)))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Cell, E> {
                Ok(Cell(v as u64))
            }
        }
        deserializer.deserialize_any(V)
    }
}

type Row = Vec<Cell>;

#[derive(Deserialize)]
struct File {
    filename: Text,
    #[serde(default)]
    segments: Option<Vec<Row>>,
    #[serde(default)]
    branches: Option<Vec<Row>>,
    #[serde(default)]
    expansions: Option<Vec<Expansion>>,
    #[serde(default)]
    summary: Option<Summary>,
}

#[derive(Deserialize)]
struct Expansion {
    source_region: Row,
    #[serde(default)]
    branches: Option<Vec<Row>>,
}

#[derive(Deserialize)]
struct Summary {
    lines: Metric,
    #[serde(default)]
    branches: Metric,
}

#[derive(Deserialize, Default)]
struct Metric {
    #[serde(default)]
    count: Num,
    #[serde(default)]
    covered: Num,
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    files: bool,
    kind: bool,
    declared: Totals,
    bad: u64,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.kind || !report.files {
        return Err("no llvm-cov export: its type is another, or it has no files".into());
    }
    let (listed, declared, mut notes) = (report.gathered.totals(), report.declared, Vec::new());
    if declared != Totals::default() {
        notes.extend(differing(
            "lines",
            (declared.lines_hit, declared.lines_found),
            (listed.lines_hit, listed.lines_found),
        ));
        notes.extend(differing(
            "branches",
            (declared.branches_hit, declared.branches_found),
            (listed.branches_hit, listed.branches_found),
        ));
    }
    let causes = counted("files whose segments are not in order", report.bad);
    report.gathered.found(notes, causes.into_iter().collect())
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "data" => map.next_value_seed(Exports(self)),
            "type" => {
                self.kind = map.next_value::<Text>()?.0 == TYPE;
                Ok(())
            }
            _ => json::skip(map),
        }
    }
}

/// The list of exports, of which there is one.
struct Exports<'a>(&'a mut Report);

impl<'de> DeserializeSeed<'de> for Exports<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Exports<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Fields(&mut Export(&mut *self.0)))?.is_some() {}
        Ok(())
    }
}

struct Export<'a>(&'a mut Report);

impl<'de> Object<'de> for Export<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if key != "files" {
            return json::skip(map);
        }
        self.0.files = true;
        map.next_value_seed(Each::new(|file: File| self.0.add(&file)))
    }
}

fn segment(row: &Row) -> Option<Segment> {
    let [line, _, count, has_count, entry, rest @ ..] = row.as_slice() else { return None };
    Some(Segment {
        line: u32::try_from(line.0).ok().filter(|n| *n > 0)?,
        count: count.0,
        has_count: has_count.0 != 0,
        entry: entry.0 != 0,
        gap: rest.first().is_some_and(|gap| gap.0 != 0),
    })
}

impl Report {
    fn add(&mut self, file: &File) -> Result<(), String> {
        let to = self.gathered.file(&paths::from_path(&file.filename.0));
        if let Some(summary) = &file.summary {
            let of = |m: &Metric| (m.covered.0.unwrap_or(0), m.count.0.unwrap_or(0));
            let declared = totals(of(&summary.lines), of(&summary.branches));
            to.declared(declared);
            add(&mut self.declared, declared);
        }
        let Some(rows) = &file.segments else {
            return match file.summary {
                Some(_) => Ok(()),
                None => Err("a file has neither segments nor a summary".into()),
            };
        };
        let segments: Option<Vec<Segment>> = rows.iter().map(segment).collect();
        let segments = segments.ok_or("a segment is not a line, a column, a count and marks")?;
        let ordered = lines(&segments, |line, hits| {
            to.at_least(line, hits);
        });
        self.bad += u64::from(!ordered);
        branches(to, file);
        Ok(())
    }
}

fn branches(to: &mut FileLines, file: &File) {
    let mut known = Branches::default();
    let mut add = |used: Option<&Row>, row: &Row| {
        let [line, column, end, end_column, yes, no, ..] = row.as_slice() else { return };
        let place = (line.0, column.0, end.0, end_column.0);
        let (at, from) = match used.map(Vec::as_slice) {
            Some([line, column, ..]) => (line.0, Some(column.0)),
            _ => (line.0, None),
        };
        let Some(at) = u32::try_from(at).ok().filter(|n| *n > 0) else { return };
        known.add(at, (from, place, true), yes.0 > 0);
        known.add(at, (from, place, false), no.0 > 0);
    };
    file.branches.iter().flatten().for_each(|row| add(None, row));
    for expansion in file.expansions.iter().flatten() {
        let of = expansion.branches.iter().flatten();
        of.for_each(|row| add(Some(&expansion.source_region), row));
    }
    known.put(to);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineBranches, LineHits, Reading};

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    fn report(file: &str) -> String {
        format!(
            "{{\"data\": [{{\"files\": [{file}], \"functions\": [1], \"totals\": {{}}}}], \"type\": \"{TYPE}\", \"version\": \"2.0.1\"}}"
        )
    }

    #[test]
    fn segments_and_branches() {
        let json = report(
            r#"{"branches": [[1,2,1,5,0,3,0,0,4],[1,2,1,5,1,0,0,0,4]],
            "expansions": [{"source_region": [2,7,2,9,1,0,1,1], "branches": [[9,1,9,2,0,1,1,0,4]]}],
            "filename": "C:\\x\\a.cpp", "segments": [[1,1,2,true,true,false],[2,1,0,1,1],[2,5,2,true,false,false],[3,1,0,false,false,false]],
            "summary": {"lines": {"count": 4, "covered": 4}}}"#,
        );
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(&json) else { panic!("{:?}", read(&json)) };
        assert_eq!(
            f.notes,
            [
                "it declares 4 of 4 lines covered, and lists 3 of 3",
                "it declares 0 of 0 branches covered, and lists 3 of 4"
            ]
        );
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "C:/x/a.cpp");
        let line = |line, hits| LineHits { line, hits };
        assert_eq!(file.lines, [line(1, 2), line(2, 2), line(3, 2)]);
        assert_eq!(
            file.branches,
            [
                LineBranches { line: 1, hit: 2, found: 2 },
                LineBranches { line: 2, hit: 1, found: 2 }
            ]
        );
    }

    #[test]
    fn summary_only() {
        let json = report(
            r#"{"filename": "a.rs", "summary": {"lines": {"count": 4, "covered": 3}, "branches": {"count": 2, "covered": 1}}}"#,
        );
        let Reading::Figures(f) = read(&json) else { panic!("{:?}", read(&json)) };
        assert!(f.notes.is_empty());
        let t = f.coverage.unwrap().totals();
        assert_eq!((t.lines_hit, t.lines_found, t.branches_hit, t.branches_found), (3, 4, 1, 2));
    }

    #[test]
    fn foreign_and_damaged() {
        let other = report("").replace(TYPE, "x");
        for json in [
            "{}",
            "[]",
            r#"{"type": "llvm.coverage.json.export"}"#,
            &other,
            &report(r#"{"filename": "a"}"#),
            &report(r#"{"filename": "a", "segments": [[1, 2]]}"#),
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        let unordered = report(
            r#"{"filename": "a", "segments": [[9,1,2,true,true,false],[2,1,0,true,true,false]]}"#,
        );
        for json in [report(""), unordered] {
            assert!(matches!(read(&json), Reading::Degraded(..)), "{json}");
        }
    }
}
