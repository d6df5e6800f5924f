//! Ruff's JSON (`ruff check --output-format json`).
//!
//! Everything that Ruff reports fails its run, so every item is an error, syntax errors (without a
//! code) included. An empty list is what it writes when there is nothing.

use serde::Deserialize;

use crate::formats::json::{self, EachOfSome, Num, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "ruff-json",
    kind: FormatKind::Lint,
    tools: "Ruff (ruff check --output-format json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head)).is_some_and(|s| {
        s.list && s.has(&["code", "end_location", "filename", "location", "message"])
    })
}

/// What makes it Ruff's is required.
#[derive(Deserialize)]
struct Item {
    code: Option<Text>,
    filename: Option<Text>,
    location: Option<Location>,
    message: Text,
    #[serde(rename = "end_location")]
    _end: Present,
}

#[derive(Deserialize)]
struct Location {
    row: Num,
}

/// A field that must be there, whatever it holds.
struct Present;

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Present)
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut lint = LintFigures::default();
    let mut list = false;
    let each = EachOfSome::new(&mut list, |item: Item| {
        lint.findings.push(item.into());
        Ok(())
    });
    json::whole(input, each)?;
    if !list {
        return Err("no Ruff JSON: it is no list".into());
    }
    Ok((Figures { lint: Some(lint), ..Figures::default() }, Vec::new()))
}

impl From<Item> for Finding {
    fn from(item: Item) -> Self {
        Finding {
            rule: item.code.map(|c| c.0).unwrap_or_default().into(),
            level: Level::Error,
            path: item
                .filename
                .map(|n| paths::from_path(&n.0))
                .filter(|p| !p.is_empty())
                .map(Into::into),
            line: item.location.and_then(|l| l.row.line()),
            message: item.message.0,
            tool: "ruff".into(),
            fingerprint: None,
            line_hash: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn items_with_and_without_code() {
        let json = r#"[{"code": null, "end_location": {"row": 1}, "filename": "a.py", "fix": null,
            "location": {"column": 1, "row": 2}, "message": "SyntaxError", "noqa_row": null, "url": null},
            {"code": "F401", "end_location": null, "filename": "b.ipynb", "location": null, "message": "m"}]"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let lint = f.lint.unwrap();
        assert!(lint.findings.iter().all(|f| f.level == Level::Error));
        assert_eq!((lint.findings[0].rule.as_str(), lint.findings[0].line), ("", Some(2)));
        assert_eq!((lint.findings[1].rule.as_str(), lint.findings[1].line), ("F401", None));
    }

    #[test]
    fn empty_is_legal_and_foreign_is_not() {
        assert!(matches!((FORMAT.read)(&mut &b"[]\n"[..]), Reading::Figures(_)));
        for json in ["{}", "null", "[1]", r#"[{"code": "x", "message": "m"}]"#, "[", "[] []"] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
