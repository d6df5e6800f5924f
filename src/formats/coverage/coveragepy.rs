//! coverage.py's own JSON (`coverage json`).
//!
//! It lists lines that ran and lines that did not; how often is not said, so a line that ran counts
//! one hit. Excluded lines do not count. Branches are arcs, put together by the line they start at.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use crate::formats::json::{self, Fields, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::Figures;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "coveragepy-json",
    kind: FormatKind::Coverage,
    tools: "coverage.py (coverage json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head)).is_some_and(|s| !s.list && s.has(&["meta", "files"]))
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.meta || !report.files {
        return Err("no coverage.py JSON: it has no meta or no files".into());
    }
    let figures = Figures {
        coverage: Some(report.gathered.finish()),
        notes: report.notes,
        ..Figures::default()
    };
    Ok((figures, Vec::new()))
}

#[derive(Default)]
struct Report {
    meta: bool,
    files: bool,
    gathered: Gathered,
    notes: Vec<String>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "meta" => {
                self.meta = true;
                map.next_value::<Meta>().map(|_| ())
            }
            "files" => {
                self.files = true;
                let mut files = Files(self);
                map.next_value_seed(Fields(&mut files))
            }
            _ => json::skip(map),
        }
    }
}

/// Its presence tells the tool.
#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "version")]
    _version: Text,
}

struct Files<'a>(&'a mut Report);

impl<'de> Object<'de> for Files<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let file: File = map.next_value()?;
        self.0.add(&paths::from_path(key), &file);
        Ok(())
    }
}

#[derive(Deserialize)]
struct File {
    executed_lines: Vec<Num>,
    missing_lines: Vec<Num>,
    #[serde(default)]
    executed_branches: Option<Vec<(i64, i64)>>,
    #[serde(default)]
    missing_branches: Option<Vec<(i64, i64)>>,
    #[serde(default)]
    summary: Option<Summary>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    covered_lines: Option<Num>,
    #[serde(default)]
    num_statements: Option<Num>,
}

impl Report {
    fn add(&mut self, path: &str, file: &File) {
        let lines = self.gathered.file(path);
        for (list, hits) in [(&file.executed_lines, 1), (&file.missing_lines, 0)] {
            for line in list.iter().filter_map(|n| n.line()) {
                lines.at_least(line, hits);
            }
        }
        let mut arcs: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for (list, hit) in [(&file.executed_branches, 1), (&file.missing_branches, 0)] {
            for (from, _) in list.iter().flatten() {
                let Ok(line) = u32::try_from(*from) else { continue };
                let arc = arcs.entry(line).or_default();
                *arc = (arc.0 + hit, arc.1 + 1);
            }
        }
        for (line, (hit, found)) in arcs {
            if line > 0 {
                lines.branches(line, hit, found);
            }
        }
        let (found, hit) = lines.counts();
        let declared = file
            .summary
            .as_ref()
            .map(|s| (s.num_statements.and_then(|n| n.0), s.covered_lines.and_then(|n| n.0)));
        if let Some((Some(statements), Some(covered))) = declared
            && (statements, covered) != (found, hit)
        {
            note(&mut self.notes, || {
                format!(
                    "{path}: declares {covered} of {statements} lines, its lines say {hit} of {found}"
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineBranches, LineHits, Reading};

    #[test]
    fn lines_and_branches() {
        let json = r#"{"files": {"src\\a.py": {"executed_lines": [1, 2], "missing_lines": [4],
            "excluded_lines": [9], "executed_branches": [[2, 4], [2, -1]], "missing_branches": [[4, 5]],
            "functions": {"f": {"executed_lines": [1]}},
            "summary": {"covered_lines": 7, "num_statements": 8}}},
            "totals": {}, "meta": {"version": "7.17.5", "branch_coverage": true}}"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        assert_eq!(f.notes.len(), 1);
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "src/a.py");
        assert_eq!(file.lines.iter().map(|l| l.hits).collect::<Vec<_>>(), [1, 1, 0]);
        assert_eq!(file.lines[2], LineHits { line: 4, hits: 0 });
        assert_eq!(
            file.branches,
            [
                LineBranches { line: 2, hit: 2, found: 2 },
                LineBranches { line: 4, hit: 0, found: 1 }
            ]
        );
    }

    #[test]
    fn refused() {
        for json in [
            "{}",
            r#"{"meta": {}, "files": {}}"#,
            r#"{"meta": {"version": "7"}}"#,
            r#"{"meta": {"version": "7"}, "files": {"a": {}}}"#,
            r#"{"meta": {"version": "7"}, "files": {}"#,
            "[]",
        ] {
            let r = (FORMAT.read)(&mut json.as_bytes());
            assert!(matches!(r, Reading::Refused(_)), "{json} {r:?}");
        }
    }
}
