//! Istanbul's coverage in JSON (`coverage-final.json`), of nyc, c8, Jest, Vitest and others.
//!
//! Lines are derived as `istanbul-lib-coverage` does: a statement counts for the line on which it
//! starts, and of several the one that ran most. Each arm of a branch is one branch.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::entries::{Entries, first_value};
use super::gathered::{Branches, Gathered, counted};
use crate::formats::json::{self, Num, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "istanbul-json",
    kind: FormatKind::Coverage,
    tools: "nyc, c8, Jest and Vitest (json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    first_value(&head_text(head))
        .and_then(json::shape)
        .is_some_and(|s| !s.list && s.has(&["path", "statementMap"]))
}

#[derive(Deserialize)]
struct File {
    path: Text,
    #[serde(rename = "statementMap")]
    statements: BTreeMap<Text, Span>,
    #[serde(rename = "branchMap")]
    branches: BTreeMap<Text, Branch>,
    s: BTreeMap<Text, Num>,
    b: BTreeMap<Text, Vec<Num>>,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    #[serde(default)]
    line: Num,
}

#[derive(Deserialize)]
struct Branch {
    #[serde(default)]
    line: Num,
    #[serde(default)]
    loc: Option<Span>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut gathered, mut bad) = (Gathered::default(), 0);
    let each = |_: String, file: File| {
        bad += add(&mut gathered, &file);
        Ok(())
    };
    json::whole(input, Entries::new(each))?;
    if gathered.is_empty() {
        return Err("no Istanbul coverage: it lists no file".into());
    }
    let causes = counted("statements or branches without a place or a count", bad);
    gathered.found(Vec::new(), causes.into_iter().collect())
}

/// Adds a file; answers how much of it could not be understood.
fn add(gathered: &mut Gathered, file: &File) -> u64 {
    let lines = gathered.file(&paths::from_path(&file.path.0));
    let mut bad = 0;
    for (id, span) in &file.statements {
        match (span.start.line.line(), file.s.get(id)) {
            (Some(line), Some(hits)) => {
                lines.at_least(line, hits.0.unwrap_or(0));
            }
            _ => bad += 1,
        }
    }
    let mut branches = Branches::default();
    for (id, branch) in &file.branches {
        let line = branch.line.line().or_else(|| branch.loc.as_ref()?.start.line.line());
        match (line, file.b.get(id)) {
            (Some(line), Some(arms)) => {
                for (at, hits) in arms.iter().enumerate() {
                    branches.add(line, (id, at), hits.0.is_some_and(|n| n > 0));
                }
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

    const A: &str = r#"{"path": "C:\\x\\a.js", "all": false, "statementMap": {
        "0": {"start": {"line": 2, "column": 0}, "end": {"line": 3, "column": 1}}, "1": {"start": {"line": 2}},
        "2": {"start": {"line": 5}}}, "fnMap": {}, "branchMap": {
        "0": {"type": "if", "loc": {"start": {"line": 2}}, "locations": []},
        "1": {"type": "if", "line": 2, "loc": {"start": {"line": 9}}}},
        "s": {"0": 0, "1": 4, "2": 0}, "f": {}, "b": {"0": [1, 0], "1": [3]}}"#;

    #[test]
    fn lines_are_derived() {
        let json = format!("{{\"/u/a.js\": {A}}}");
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(&json) else { panic!("{:?}", read(&json)) };
        let file = &f.coverage.unwrap().files[0];
        assert_eq!(file.path, "C:/x/a.js");
        assert_eq!(file.lines, [LineHits { line: 2, hits: 4 }, LineHits { line: 5, hits: 0 }]);
        assert_eq!(file.branches, [LineBranches { line: 2, hit: 2, found: 3 }]);
    }

    #[test]
    fn foreign_and_damaged() {
        for json in ["{}", "[]", r#"{"a": {}}"#, r#"{"a": {"path": "a"}}"#, "{\"a\": 1}"] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
            assert!(!sniff(json.as_bytes()));
        }
        let json = format!("{{\"/u/a.js\": {}}}", A.replace("\"2\": 0", "\"3\": 0"));
        assert!(matches!(read(&json), Reading::Degraded(..)));
    }
}
