//! Istanbul's summary in JSON (`coverage-summary.json`): totals by file, no lines.

use serde::Deserialize;

use super::entries::{Entries, first_value};
use super::gathered::{Gathered, differing, totals};
use crate::formats::json::{self, Num};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "istanbul-summary-json",
    kind: FormatKind::Coverage,
    tools: "nyc, c8, Jest and Vitest (json-summary)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    first_value(&head_text(head))
        .and_then(json::shape)
        .is_some_and(|s| !s.list && s.has(&["lines", "statements", "functions", "branches"]))
}

#[derive(Deserialize)]
struct Summary {
    lines: Metric,
    #[serde(rename = "statements")]
    _statements: Metric,
    #[serde(rename = "functions")]
    _functions: Metric,
    branches: Metric,
}

#[derive(Deserialize)]
struct Metric {
    total: Num,
    covered: Num,
}

impl Metric {
    fn of(&self) -> (u64, u64) {
        (self.covered.0.unwrap_or(0), self.total.0.unwrap_or(0))
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut gathered, mut total) = (Gathered::default(), None);
    let each = |path: String, summary: Summary| {
        let (lines, branches) = (summary.lines.of(), summary.branches.of());
        if path == "total" {
            total = Some((lines, branches));
            return Ok(());
        }
        gathered.file(&paths::from_path(&path)).declared(totals(lines, branches));
        Ok(())
    };
    json::whole(input, Entries::new(each))?;
    let (lines, branches) = total.ok_or("no Istanbul summary: key \"total\" is missing")?;
    let sum = gathered.totals();
    let mut notes = Vec::new();
    notes.extend(differing("lines", lines, (sum.lines_hit, sum.lines_found)));
    notes.extend(differing("branches", branches, (sum.branches_hit, sum.branches_found)));
    gathered.found(notes, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    fn one(lines: u64, branches: u64) -> String {
        let metric =
            |covered| format!("{{\"total\": 9, \"covered\": {covered}, \"pct\": \"Unknown\"}}");
        let (l, b) = (metric(lines), metric(branches));
        format!("{{\"lines\": {l}, \"statements\": {l}, \"functions\": {l}, \"branches\": {b}}}")
    }

    #[test]
    fn totals_by_file() {
        let json = format!("{{\"total\": {}, \"C:\\\\x\\\\a.js\": {}}}", one(5, 3), one(5, 4));
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(&json) else { panic!("{:?}", read(&json)) };
        assert_eq!(f.notes, ["it declares 3 of 9 branches covered, and lists 4 of 9"]);
        let coverage = f.coverage.unwrap();
        assert_eq!(coverage.files[0].path, "C:/x/a.js");
        assert_eq!((coverage.totals().lines_hit, coverage.totals().branches_hit), (5, 4));
    }

    #[test]
    fn foreign_and_damaged() {
        let no_total = format!("{{\"a.js\": {}}}", one(1, 1));
        for json in
            ["{}", "[]", r#"{"total": {}}"#, r#"{"total": {"lines": {"total": 1}}}"#, &no_total]
        {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        let only_total = format!("{{\"total\": {}}}", one(1, 1));
        assert!(matches!(read(&only_total), Reading::Degraded(..)));
    }
}
