//! ESLint's one-line outputs: compact, `path: line 3, col 10, Error - message (rule)`, and unix,
//! `path:3:10: message [Error/rule]` (packages eslint-formatter-compact and -unix).
//!
//! Both close with the number of problems, and write nothing where there is none.

use super::eslint_stylish::{failed, problem_count};
use super::lines::{self, Closes, Line, Tool, closing_part, found, number, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table for compact.
pub(super) const COMPACT: Format =
    lines::row::<Compact>("eslint-compact", "ESLint (eslint --format compact)");

/// The row of the table for unix.
pub(super) const UNIX: Format = lines::row::<Unix>("eslint-unix", "ESLint (eslint --format unix)");

#[derive(Default)]
struct Compact;

impl Tool for Compact {
    const NAME: &'static str = "eslint";
    const CLOSES: Closes = Closes::Always;

    fn line(&mut self, line: &str) -> Line {
        compact(line).map_or_else(|| closing(line), Line::Finding)
    }
}

#[derive(Default)]
struct Unix;

impl Tool for Unix {
    const NAME: &'static str = "eslint";
    const CLOSES: Closes = Closes::Always;

    fn line(&mut self, line: &str) -> Line {
        unix(line).map_or_else(|| closing(line), Line::Finding)
    }
}

fn closing(line: &str) -> Line {
    match problem_count(line) {
        Some(n) => Line::Count(n),
        None if failed(line) => Line::Broken("eslint failed".into(), None),
        None => Line::Other,
    }
}

fn level(word: &str) -> Option<Level> {
    match word {
        "Error" => Some(Level::Error),
        "Warning" => Some(Level::Warning),
        _ => None,
    }
}

fn compact(line: &str) -> Option<Finding> {
    let at = line.find(": line ")?;
    let (row, rest) = number(&line[at + ": line ".len()..])?;
    let (_, rest) = number(rest.strip_prefix(", col ")?)?;
    let (word, text) = rest.strip_prefix(", ")?.split_once(" - ")?;
    let (text, rule) = match closing_part(text, '(', ')') {
        Some((text, rule)) if !rule.contains(' ') => (text, rule),
        _ => (text, ""),
    };
    let row = u32::try_from(row).ok().filter(|n| *n > 0);
    Some(Finding { line: row, ..found(Compact::NAME, level(word)?, rule, (&line[..at], text)) })
}

fn unix(line: &str) -> Option<Finding> {
    let place = place(line).filter(|p| p.column)?;
    let (text, part) = closing_part(place.rest, '[', ']')?;
    let (word, rule) = part.split_once('/').unwrap_or((part, ""));
    Some(place.finding(Unix::NAME, level(word)?, rule, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, SharedText};

    #[test]
    fn both() {
        let compact = "/p/a.js: line 3, col 1, Error - 'x' (y) is - bad. (a/no-x)\n\
            /p/a.js: line 0, col 0, Warning - Parsing error (a b)\n\n2 problems";
        let unix = "/p/a.js:3:1: 'x' (y) is - bad. [Error/a/no-x]\n\
            /p/a.js:0:0: Parsing error (a b) [Warning]\n\n2 problems\n";
        for (format, text) in [(COMPACT, compact), (UNIX, unix)] {
            assert!((format.sniff)(text.as_bytes()));
            let Reading::Figures(f) = (format.read)(&mut text.as_bytes()) else { panic!() };
            assert!(f.notes.is_empty());
            let got: Vec<_> = f
                .lint
                .unwrap()
                .findings
                .into_iter()
                .map(|f| (f.line, f.level, f.rule, f.message))
                .collect();
            let want = [
                (Some(3), Level::Error, SharedText::from("a/no-x"), "'x' (y) is - bad.".to_owned()),
                (None, Level::Warning, SharedText::default(), "Parsing error (a b)".to_owned()),
            ];
            assert_eq!(got, want);
            let cut = text.trim_end().strip_suffix('s').unwrap();
            let reading = (format.read)(&mut cut.as_bytes());
            assert!(matches!(reading, Reading::Degraded(..)), "{reading:?}");
        }
    }
}
