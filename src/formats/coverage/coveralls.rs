//! The job file of Coveralls (`source_files`), written by gcovr, grcov, coveralls-python and others.
//!
//! Specification: "API reference" in Coveralls' documentation. `coverage` has a hit count or `null`
//! for each line; `branches` are four numbers each: line, block, branch, hits.

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::{Branches, Gathered, counted};
use crate::formats::json::{self, Each, Fields, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "coveralls-json",
    kind: FormatKind::Coverage,
    tools: "gcovr --coveralls, grcov, coveralls-python, simplecov-coveralls",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let there = |key| text.contains(key);
    json::shape(&text).is_some_and(|s| !s.list && s.has(&["source_files"]))
        && there("\"coverage\"")
        && there("\"name\"")
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    files: bool,
    bad: u64,
}

#[derive(Deserialize)]
struct File {
    name: Text,
    coverage: Vec<Num>,
    #[serde(default)]
    branches: Option<Vec<Num>>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.files {
        return Err("no Coveralls file: key \"source_files\" is missing".into());
    }
    let causes = counted("branches that are not four numbers", report.bad);
    report.gathered.found(Vec::new(), causes.into_iter().collect())
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if key != "source_files" {
            return json::skip(map);
        }
        self.files = true;
        map.next_value_seed(Each::new(|file: File| {
            self.bad += add(&mut self.gathered, &file);
            Ok(())
        }))
    }
}

/// Adds a file; answers how many of its branches could not be understood.
fn add(gathered: &mut Gathered, file: &File) -> u64 {
    let lines = gathered.file(&paths::from_path(&file.name.0));
    for (line, hits) in (1..).zip(&file.coverage) {
        if let Some(hits) = hits.0 {
            lines.at_least(line, hits);
        }
    }
    let (mut branches, mut bad) = (Branches::default(), 0);
    for four in file.branches.as_deref().unwrap_or_default().chunks(4) {
        match four {
            [line, block, branch, hits] if line.line().is_some() => {
                let taken = hits.0.is_some_and(|n| n > 0);
                branches.add(line.line().unwrap_or(1), (block.0, branch.0), taken);
            }
            _ => bad += 1,
        }
    }
    branches.put(lines);
    bad
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineBranches, LineHits, Reading};

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    #[test]
    fn lines_by_their_place() {
        let json = r#"{"service_name": "x", "source_files": [{"name": "src\\a.c", "source_digest": "x",
            "coverage": [null, 3, 0, -1], "branches": [2, 0, 0, 1, 2, 0, 1, 0]}]}"#;
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(json) else { panic!("{:?}", read(json)) };
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "src/a.c");
        assert_eq!(file.lines, [LineHits { line: 2, hits: 3 }, LineHits { line: 3, hits: 0 }]);
        assert_eq!(file.branches, [LineBranches { line: 2, hit: 1, found: 2 }]);
    }

    #[test]
    fn foreign_and_damaged() {
        for json in ["{}", "[]", r#"{"source_files": [{"name": "a"}]}"#, r#"{"source_files": 1}"#] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        for json in [
            r#"{"source_files": []}"#,
            r#"{"source_files": [{"name": "a", "coverage": [1], "branches": [1, 2]}]}"#,
        ] {
            assert!(matches!(read(json), Reading::Degraded(..)), "{json}");
        }
    }
}
