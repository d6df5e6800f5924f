//! Report formats: bytes in, [`Reading`] out. One file a format, one row in the table of its kind, one
//! folder under `fixtures/`; nothing else has to be touched to add one.
//!
//! What holds for every reader here:
//! * It streams: memory grows with what is kept (findings, lines, cases), not with the report's size.
//! * It never answers "nothing found" for something that it did not understand: an empty, cut off or
//!   foreign input is [`Reading::Refused`], an unfinished run is [`Reading::Degraded`].
//! * It counts leaves (results, cases, lines), never declared totals, and notes where they differ.
//! * It touches no file, fetches nothing, and resolves no XML entity or DTD.

#![deny(clippy::disallowed_methods)]

mod complexity;
mod coverage;
mod dependencies;
mod json;
mod json_parser;
mod json_values;
mod lint;
mod merge;
mod paths;
mod testing;
mod text;
mod xml;

use std::io::{BufRead, Cursor, Read};

use thiserror::Error;

use crate::model::{Figures, Reading};

pub use lint::with_severities;
pub use merge::merge;

/// What a format is about, first of all: a report of one kind may hold figures of another beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Findings of linters and scanners.
    Lint,
    /// Test cases.
    Tests,
    /// Covered lines.
    Coverage,
    /// Cyclomatic complexity.
    Complexity,
    /// Advisories against dependencies.
    Dependencies,
}

impl FormatKind {
    /// The word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            FormatKind::Lint => "lint",
            FormatKind::Tests => "tests",
            FormatKind::Coverage => "coverage",
            FormatKind::Complexity => "complexity",
            FormatKind::Dependencies => "dependencies",
        }
    }
}

/// One row of the table.
pub struct Format {
    /// The word for `format = "…"`.
    pub name: &'static str,
    /// What it is about.
    pub kind: FormatKind,
    /// Tools that write it, for people.
    pub tools: &'static str,
    /// Whether these first bytes (at most [`HEAD_BYTES`]) can only be this format.
    pub sniff: fn(&[u8]) -> bool,
    /// Reads a report to its end.
    pub read: fn(&mut dyn BufRead) -> Reading,
}

/// How much of a report is looked at to tell its format.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Every format, in the order that `git review-evidence formats` prints.
pub fn all() -> impl Iterator<Item = &'static Format> + Clone {
    [
        lint::FORMATS,
        lint::JSON,
        lint::XML,
        lint::TEXT,
        testing::FORMATS,
        coverage::FORMATS,
        complexity::FORMATS,
        dependencies::FORMATS,
    ]
    .into_iter()
    .flatten()
}

/// Why the format of a report cannot be told from its start.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Undetected {
    /// There is nothing to look at.
    #[error("the report is empty")]
    Empty,
    /// An empty list, which several tools write when they find nothing.
    #[error("an empty list does not say which tool wrote it; name its format")]
    EmptyList,
    /// It looks like none of the formats.
    #[error("the report looks like none of the known formats")]
    None,
    /// It looks like several of them.
    #[error("the report could be {}; name its format", .0.join(" or "))]
    Several(Vec<&'static str>),
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    all().find(|f| f.name == name)
}

/// Tells the format of a report from its first bytes (at most [`HEAD_BYTES`] are of use).
pub fn detect(head: &[u8]) -> Result<&'static Format, Undetected> {
    let text = text::head_text(&head[..head.len().min(512)]);
    if text.trim().is_empty() && head.len() < 512 {
        return Err(Undetected::Empty);
    }
    let fits: Vec<&'static Format> = all().filter(|f| (f.sniff)(head)).collect();
    match fits.as_slice() {
        [one] => Ok(one),
        [] if head.len() < 512 && text.split_whitespace().collect::<String>() == "[]" => {
            Err(Undetected::EmptyList)
        }
        [] => Err(Undetected::None),
        several => Err(Undetected::Several(several.iter().map(|f| f.name).collect())),
    }
}

/// Reads a report in the named format, or in the one that its start shows. Also answers which format
/// that was, none where it could not be told (then the report is refused).
pub fn read(
    format: Option<&Format>,
    input: &mut dyn BufRead,
) -> (Option<&'static Format>, Reading) {
    if let Some(named) = format.and_then(|f| by_name(f.name)) {
        return (Some(named), (named.read)(input));
    }
    let mut head = Vec::new();
    if let Err(e) = text::read_up_to(input, HEAD_BYTES, &mut head) {
        return (None, Reading::Refused(format!("it could not be read: {e}")));
    }
    match detect(&head) {
        Ok(found) => (Some(found), (found.read)(&mut Cursor::new(head).chain(input))),
        Err(why) => (None, Reading::Refused(why.to_string())),
    }
}

/// What a reader found: figures, and the causes for which they must not be judged by.
type Found = Result<(Figures, Vec<String>), String>;

/// Runs a reader over the text of a report.
fn reading(
    input: &mut dyn BufRead,
    read: impl FnOnce(&mut text::TextReader<'_>) -> Found,
) -> Reading {
    let mut text = text::TextReader::new(input);
    let found = read(&mut text);
    let replaced = text.replaced();
    match found {
        Err(why) => Reading::Refused(why),
        Ok((mut figures, causes)) => {
            if replaced {
                figures.notes.push("some of its text is in no known encoding".into());
            }
            match causes.is_empty() {
                true => Reading::Figures(figures),
                false => Reading::Degraded(figures, causes),
            }
        }
    }
}

/// The most notes of one sort that are kept: a person reads them.
const MAX_NOTES: usize = 10;

/// Adds a note unless there are many already.
fn note(notes: &mut Vec<String>, text: impl FnOnce() -> String) {
    if notes.len() < MAX_NOTES {
        notes.push(text());
    }
}

/// Formats of tools that write nothing at all when they find nothing: an empty report that is
/// read by such a name is a clean one (whether the tool ran is told by how it ended), and it is
/// refused all the same where its format is to be told from its start.
pub const SILENT: &[&str] = &[
    "flake8",
    "gcc",
    "eslint-stylish",
    "eslint-compact",
    "eslint-unix",
    "msbuild",
    "javac",
    "yamllint",
    "pydocstyle",
    "golint-text",
    "govet-text",
    "kotlin-text",
    "github-annotations-text",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_says_what_is_wrong() {
        assert_eq!(detect(b"").err(), Some(Undetected::Empty));
        assert_eq!(detect(b"\xef\xbb\xbf \n").err(), Some(Undetected::Empty));
        assert_eq!(detect(b" [ \n]").err(), Some(Undetected::EmptyList));
        assert_eq!(detect(b"{\"issues\": []}").err(), Some(Undetected::None));
        assert_eq!(detect(b"<html/>").err(), Some(Undetected::None));
    }

    #[test]
    fn a_long_report_is_read_to_its_end_after_looking_at_its_start() {
        let mut report = String::from("TN:\n");
        for n in 0..20_000 {
            report += &format!("SF:a{n}\nDA:1,1\nend_of_record\n");
        }
        let (format, reading) = read(None, &mut report.as_bytes());
        assert_eq!(format.map(|f| f.name), Some("lcov"));
        let Reading::Figures(f) = reading else { panic!("{reading:?}") };
        assert_eq!(f.coverage.unwrap().files.len(), 20_000);
    }

    #[test]
    fn empty_input_is_refused_by_all_but_silent_ones() {
        for format in all() {
            for empty in ["", " ", "\n\n", "\u{feff}"] {
                let reading = (format.read)(&mut empty.as_bytes());
                let right = match SILENT.contains(&format.name) {
                    true => matches!(&reading, Reading::Figures(f) if f.lint.is_some()),
                    false => matches!(reading, Reading::Refused(_)),
                };
                assert!(right, "{}: {reading:?}", format.name);
                assert!(matches!(read(None, &mut empty.as_bytes()), (None, Reading::Refused(_))));
            }
        }
    }
}
