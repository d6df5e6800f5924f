//! `rows`: a list of objects, one finding each, as a query returns them. Any tool may write it, so it
//! is never told by its start.

use serde_json::{Map, Value};

use crate::formats::json::{self, EachOfSome};
use crate::formats::text::TextReader;
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "rows",
    kind: FormatKind::Lint,
    tools: "queries that return a JSON list of objects, one finding a row",
    sniff: |_| false,
    read: |input| reading(input, parse),
};

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut lint, mut list) = (LintFigures::default(), false);
    let rows = EachOfSome::new(&mut list, |row: Map<String, Value>| {
        lint.findings.push(Finding {
            rule: "row".into(),
            level: Level::Error,
            path: None,
            line: None,
            // keys in order, so that the same row is the same finding
            message: Value::Object(row).to_string(),
            tool: "rows".into(),
            fingerprint: None,
            line_hash: None,
        });
        Ok(())
    });
    json::whole(input, rows)?;
    if !list {
        return Err("it is no list of rows".into());
    }
    Ok((Figures { lint: Some(lint), ..Figures::default() }, Vec::new()))
}
