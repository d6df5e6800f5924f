//! Pylint's lines: `path:line:column: C0114: message (symbol)` below `************* Module name`, and
//! its parseable form `path:line: [C0114(symbol), object] message` (<https://pylint.readthedocs.io>).
//!
//! A fatal message (F) means that a module could not be checked. I0020 names a suppressed message.

use super::flake8::bracketed_code;
use super::lines::{self, Line, Place, Tool, closing_part, crashed, place};
use crate::formats::Format;
use crate::model::Level;

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<Pylint>("pylint-text", "Pylint, Ruff (ruff check --output-format pylint)");

#[derive(Default)]
struct Pylint {
    /// Within the lines that a message about duplicated code quotes.
    quoting: bool,
}

impl Tool for Pylint {
    const NAME: &'static str = "pylint";
    // it closes with a rating, unless that is switched off
    const SILENT: bool = false;

    fn line(&mut self, line: &str) -> Line {
        if let Some((place, code, message)) = place(line).and_then(message) {
            self.quoting = code == "R0801";
            return result(&place, code, message);
        }
        if line.starts_with("************* Module") {
            self.quoting = false;
            return Line::Known;
        }
        if line.starts_with("Your code has been rated at ") {
            return Line::Closing(None);
        }
        if crashed(line) {
            return Line::Broken("pylint died of an exception".into(), None);
        }
        let rule = !line.is_empty() && line.bytes().all(|b| b == b'-');
        if rule {
            self.quoting = false;
        }
        if rule || self.quoting { Line::Known } else { Line::Other }
    }
}

/// The code and message of a place.
fn message(place: Place<'_>) -> Option<(Place<'_>, &str, &str)> {
    if let Some((code, message)) = bracketed_code(&place) {
        return Some((place, code, message));
    }
    let (code, message) = match place.rest.strip_prefix('[') {
        Some(inner) => {
            let (head, message) = inner.split_once("] ")?;
            (head.split_once('(')?.0, message)
        }
        None => place.rest.split_once(": ")?,
    };
    is_code(code).then_some((place, code, message))
}

fn is_code(word: &str) -> bool {
    let mut chars = word.chars();
    let kind = chars.next().is_some_and(|c| "CRWEFI".contains(c));
    kind && word.len() == 5 && chars.all(|c| c.is_ascii_digit())
}

fn result(place: &Place<'_>, code: &str, message: &str) -> Line {
    let text = closing_part(message, '(', ')').map_or(message, |(text, _)| text);
    let level = match code.chars().next() {
        // codes of others have no severity, and each fails the run
        _ if !is_code(code) => Level::Error,
        Some('F' | 'E') => Level::Error,
        Some('W') => Level::Warning,
        _ => Level::Note,
    };
    let finding = place.finding(Pylint::NAME, level, code, text);
    match code {
        "I0020" => Line::Suppressed(1),
        _ if code.starts_with('F') && is_code(code) => {
            Line::Broken(format!("pylint failed on {}: {text}", place.path), Some(finding))
        }
        _ => Line::Finding(finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn both_forms() {
        let text = "************* Module a\na.py:1:0: C0114: Missing (x) docstring (missing-docstring)\n\
            a.py:3: [W0511(fixme), f] TODO: x\na.py:5:1: E0602: Undefined (undefined-variable)\n\
            a.py:5:0: I0020: Suppressed 'x' (from line 3) (suppressed-message)\n\
            b.py:1:0: R0801: Similar lines in 2 files\n==a:[1:2]\nsome code (duplicate-code)\n\
            \n------\nYour code has been rated at 5/10\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        assert!(f.notes.is_empty(), "{:?}", f.notes);
        let lint = f.lint.unwrap();
        let got: Vec<_> = lint.findings.iter().map(|f| (f.level, f.rule.as_str())).collect();
        use Level::{Error, Note, Warning};
        assert_eq!(got, [(Note, "C0114"), (Warning, "W0511"), (Error, "E0602"), (Note, "R0801")]);
        assert_eq!(
            (lint.suppressed, lint.findings[0].message.as_str()),
            (1, "Missing (x) docstring")
        );
    }

    #[test]
    fn failures() {
        let text = "a.py:1:0: F0002: a.py: Fatal error while checking (astroid-error)\n";
        assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Degraded(..)));
        for text in ["", "************* Module a\n", "a.py:1:1: F401 x", "a.c:1:1: error: x"] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        }
    }
}
