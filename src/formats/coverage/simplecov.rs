//! SimpleCov: its result set (`.resultset.json`) and its report (`coverage.json`).
//!
//! A result set has the coverage of each command, which are merged as SimpleCov does: hits add up,
//! and a line that one command takes for no code and the other never ran is none. `null` is no code,
//! `"ignored"` was left out by the source. A result set does not know yet what the source leaves out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::MapAccess;

use super::entries::{Entries, first_value};
use super::gathered::{Branches, Gathered, counted};
use crate::formats::json::{self, Fields, Num, Object};
use crate::formats::text::{TextReader, head_text, line_number};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "simplecov-json",
    kind: FormatKind::Coverage,
    tools: "SimpleCov (.resultset.json, coverage.json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let Some(shape) = json::shape(&text).filter(|s| !s.list) else { return false };
    if shape.has(&["meta"]) {
        return text.contains("\"simplecov_version\"");
    }
    // a command's first file is a list of hits, or has its lines
    let first_key = |text, key: &str| {
        json::shape(text).is_some_and(|s| !s.list && s.keys.first().is_some_and(|k| k == key))
    };
    let command = first_value(&text).filter(|c| first_key(c, "coverage"));
    let file = command.and_then(first_value).and_then(first_value);
    file.is_some_and(|f| first_key(f, "lines") || f.starts_with('[') && command_ends(&text))
}

/// What a command says after its files.
fn command_ends(text: &str) -> bool {
    text.contains("\"timestamp\"")
}

/// A file of any version.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Lines(Vec<Num>),
    Parts(Parts),
}

#[derive(Deserialize)]
struct Parts {
    lines: Option<Vec<Num>>,
    #[serde(default)]
    branches: Option<FileBranches>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FileBranches {
    /// By condition and branch, both as `[:kind, number, line, column, line, column]`.
    Places(BTreeMap<String, BTreeMap<String, Num>>),
    Listed(Vec<Branch>),
}

#[derive(Deserialize)]
struct Branch {
    #[serde(default)]
    start_line: Num,
    #[serde(default)]
    report_line: Num,
    /// None where it is ignored.
    #[serde(default)]
    coverage: Num,
}

/// A file so far.
#[derive(Default)]
struct Merged {
    lines: Option<Vec<Option<u64>>>,
    branches: Branches<String>,
}

#[derive(Default)]
struct Report {
    files: BTreeMap<String, Merged>,
    meta: bool,
    commands: bool,
    bad: u64,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.commands {
        return Err("no SimpleCov coverage: it has no command and no coverage".into());
    }
    let mut gathered = Gathered::default();
    for (path, file) in report.files {
        let to = gathered.file(&path);
        for (line, hits) in (1..).zip(file.lines.unwrap_or_default()) {
            if let Some(hits) = hits {
                to.add(line, hits);
            }
        }
        file.branches.put(to);
    }
    let causes = counted("branches without a line", report.bad);
    gathered.found(Vec::new(), causes.into_iter().collect())
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "meta" => {
                self.meta = true;
                map.next_value_seed(Fields(&mut Meta(false)))
            }
            "$schema" | "total" | "groups" | "errors" if self.meta => json::skip(map),
            "coverage" if self.meta => self.files(map),
            "$schema" => json::skip(map),
            _ => {
                let mut command = Command { report: self, coverage: false };
                map.next_value_seed(Fields(&mut command))
            }
        }
    }
}

/// What tells a report of SimpleCov from those of others.
struct Meta(bool);

impl<'de> Object<'de> for Meta {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        self.0 |= key == "simplecov_version";
        json::skip(map)
    }
    fn end(&mut self) -> Result<(), String> {
        self.0
            .then_some(())
            .ok_or_else(|| "no SimpleCov coverage: its meta names another tool".into())
    }
}

struct Command<'a> {
    report: &'a mut Report,
    coverage: bool,
}

impl<'de> Object<'de> for Command<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if key != "coverage" {
            return json::skip(map);
        }
        self.coverage = true;
        self.report.files(map)
    }
    fn end(&mut self) -> Result<(), String> {
        self.coverage.then_some(()).ok_or_else(|| "a command has no coverage".into())
    }
}

impl Report {
    fn files<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        self.commands = true;
        map.next_value_seed(Entries::new(|path: String, file: File| self.add(&path, file)))
    }

    fn add(&mut self, path: &str, file: File) -> Result<(), String> {
        let merged = self.files.entry(paths::from_path(path)).or_default();
        let parts = match file {
            File::Lines(lines) => Parts { lines: Some(lines), branches: None },
            File::Parts(parts) => parts,
        };
        if parts.lines.is_none() && parts.branches.is_none() {
            return Err("a file has neither lines nor branches".into());
        }
        if let Some(lines) = parts.lines {
            let lines = lines.into_iter().map(|n| n.0);
            merged.lines = Some(match merged.lines.take() {
                None => lines.collect(),
                Some(known) => both(known, lines),
            });
        }
        if let Some(branches) = parts.branches {
            self.bad += add_branches(&mut merged.branches, branches);
        }
        Ok(())
    }
}

/// Adds the branches of a file; answers how many have no line.
fn add_branches(to: &mut Branches<String>, branches: FileBranches) -> u64 {
    let mut bad = 0;
    let mut add = |line: Option<u32>, id: String, hits: Num| match line {
        Some(line) => to.add(line, id, hits.0.is_some_and(|n| n > 0)),
        None => bad += 1,
    };
    match branches {
        FileBranches::Places(conditions) => {
            for (condition, arms) in conditions {
                for (arm, hits) in arms {
                    add(report_line(&condition, &arm), format!("{condition} {arm}"), hits);
                }
            }
        }
        FileBranches::Listed(list) => {
            // those without a count are ignored
            for (at, branch) in list.iter().enumerate().filter(|(_, b)| b.coverage.0.is_some()) {
                let line = branch.report_line.line().or_else(|| branch.start_line.line());
                add(line, at.to_string(), branch.coverage);
            }
        }
    }
    bad
}

/// Hits of two commands.
fn both(mut known: Vec<Option<u64>>, other: impl Iterator<Item = Option<u64>>) -> Vec<Option<u64>> {
    let mut other = other.fuse();
    for mine in &mut known {
        *mine = together(*mine, other.next().flatten());
    }
    known.extend(other.map(|theirs| together(None, theirs)));
    known
}

fn together(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    let sum = a.unwrap_or(0).saturating_add(b.unwrap_or(0));
    (sum > 0 || a.is_some() && b.is_some()).then_some(sum)
}

/// The line that SimpleCov shows a branch at: the one before its body, or its own where the condition
/// is on the same.
fn report_line(condition: &str, arm: &str) -> Option<u32> {
    let start = |place: &str| place.split(',').nth(2).and_then(line_number);
    let (condition, arm) = (start(condition)?, start(arm)?);
    Some(if arm > condition { arm - 1 } else { arm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileCoverage, LineBranches, LineHits, Reading};

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    fn files(json: &str) -> Vec<FileCoverage> {
        assert!(sniff(json.as_bytes()), "{json}");
        match read(json) {
            Reading::Figures(f) => f.coverage.unwrap().files,
            other => panic!("{other:?}"),
        }
    }

    fn line(line: u32, hits: u64) -> LineHits {
        LineHits { line, hits }
    }

    #[test]
    fn commands_are_merged() {
        let f = files(
            r#"{"a": {"coverage": {"/x/a.rb": {"lines": [null, 1, 0, 0, null], "branches": {
                "[:if, 0, 8, 4, 12, 20]": {"[:then, 1, 9, 4, 8, 12]": 0, "[:else, 2, 8, 4, 8, 20]": 1}}},
              "/x/b.rb": {"lines": [1]}}, "timestamp": 1.5},
             "b": {"coverage": {"/x/a.rb": {"lines": [null, 2, 0, null, 1, 4], "branches": {
                "[:if, 0, 8, 4, 12, 20]": {"[:then, 1, 9, 4, 8, 12]": 3, "[:else, 2, 8, 4, 8, 20]": 0}}}}, "timestamp": 2}}"#,
        );
        assert_eq!(f.len(), 2);
        assert_eq!(f[0].lines, [line(2, 3), line(3, 0), line(5, 1), line(6, 4)]);
        assert_eq!(f[0].branches, [LineBranches { line: 8, hit: 2, found: 2 }]);
        let f =
            files(r#"{"RSpec": {"coverage": {"/x/a.rb": [null, 1, "ignored"]}, "timestamp": 1}}"#);
        assert_eq!(f[0].lines, [line(2, 1)]);
    }

    #[test]
    fn report() {
        let f = files(
            r#"{"meta": {"simplecov_version": "0.22.0"}, "total": {"lines": {}}, "coverage": {"/x/a.rb": {
                "lines": [null, 1, "ignored", 0], "source": ["a"], "branches": [
                {"type": "then", "start_line": 4, "coverage": 0, "report_line": 3},
                {"type": "else", "start_line": 6, "coverage": "ignored", "report_line": 5}]}},
                "groups": {"x": {"lines": {}}}, "errors": {}}"#,
        );
        assert_eq!(f[0].lines, [line(2, 1), line(4, 0)]);
        assert_eq!(f[0].branches, [LineBranches { line: 3, hit: 0, found: 1 }]);
    }

    #[test]
    fn foreign_and_damaged() {
        for json in [
            "{}",
            "[]",
            r#"{"meta": {"version": "7"}, "files": {}}"#,
            r#"{"a": {"timestamp": 1}}"#,
            r#"{"a": {"coverage": {"x": {"branches": {}}}}, "b": 1}"#,
            r#"{"a": {"coverage": {"x": 1}}}"#,
            r#"{"a": {"coverage": {"x": {"hits": [1]}}}}"#,
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        for json in [
            r#"{"a": {"coverage": {}}}"#,
            r#"{"a": {"coverage": {"x": {"lines": [1], "branches": {"x": {"y": 1}}}}}}"#,
        ] {
            assert!(matches!(read(json), Reading::Degraded(..)), "{json}");
        }
    }
}
