//! Lines of Flake8 and of what speaks like it: pycodestyle, Ruff's concise output.
//!
//! `path:line:column: CODE message` (<https://flake8.pycqa.org>), or with `--format pylint`
//! `path:line: [CODE] message`. Flake8 has no severities: each violation fails its run.

use super::lines::{self, Line, Place, Tool, crashed, number, place};
use crate::formats::Format;
use crate::model::Level;

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<Flake8>(
    "flake8",
    "Flake8, pycodestyle, Ruff (ruff check --output-format concise)",
);

#[derive(Default)]
struct Flake8;

impl Tool for Flake8 {
    const NAME: &'static str = "flake8";

    fn line(&mut self, line: &str) -> Line {
        if let Some((place, code, message)) = place(line).and_then(violation) {
            let finding = place.finding(Self::NAME, Level::Error, code, message);
            // the file could not be read, so nothing else is said about it
            return match code {
                "E902" => Line::Broken(
                    format!("flake8 failed on {}: {message}", place.path),
                    Some(finding),
                ),
                _ => Line::Finding(finding),
            };
        }
        match line {
            _ if crashed(line) => Line::Broken("flake8 died of an exception".into(), None),
            "All checks passed!" => Line::Closing(Some(0)),
            _ if line.starts_with("[*] ") => Line::Known,
            // the count that --count asks for, and Ruff's
            _ => match number(line).or_else(|| number(line.strip_prefix("Found ")?)) {
                Some((n, "" | " error." | " errors.")) => Line::Count(n),
                _ => Line::Other,
            },
        }
    }
}

fn violation(place: Place<'_>) -> Option<(Place<'_>, &str, &str)> {
    if let Some((code, message)) = bracketed_code(&place) {
        return Some((place, code, message));
    }
    let (code, message) = place.rest.split_once(' ').unwrap_or((place.rest, ""));
    // Ruff has a name in place of a code where a file does not parse
    let (code, unparsed) = match code {
        "invalid-syntax:" | "SyntaxError:" => (code.trim_end_matches(':'), true),
        _ => (code, false),
    };
    (place.column && (unparsed || is_code(code))).then(|| (place, code, message.trim_start()))
}

/// `[CODE] message` after a place without a column, which Pylint's reader takes as well.
pub(super) fn bracketed_code<'a>(place: &Place<'a>) -> Option<(&'a str, &'a str)> {
    let (code, message) = place.rest.strip_prefix('[')?.split_once("] ")?;
    (!place.column && is_code(code)).then_some((code, message))
}

/// Upper-case letters, then digits: `E501`, `SIM102`, `ASYNC100`.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=16).contains(&letters)
        && (2..=4).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn shapes() {
        let text = "./a.py:1:1: F401 'os' imported\nC:\\x\\b.py:2: [E501] long: 90\r\n# noise\n\
                    a.py:3:1: W605\nb.py:1:2: invalid-syntax: x\n4\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        assert_eq!(f.notes, ["lines of others, passed over: 1"]);
        let got: Vec<_> = f
            .lint
            .unwrap()
            .findings
            .into_iter()
            .map(|f| (f.path.unwrap(), f.line, f.rule))
            .collect();
        let want = [
            ("a.py", 1, "F401"),
            ("C:/x/b.py", 2, "E501"),
            ("a.py", 3, "W605"),
            ("b.py", 1, "invalid-syntax"),
        ];
        assert_eq!(got, want.map(|(p, n, r)| (p.into(), Some(n), r.into())));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in ["make: nothing", "a.py:1:0: C0114: Missing (x)", "a.py:1: error: x  [misc]"] {
            let reading = (FORMAT.read)(&mut text.as_bytes());
            assert!(matches!(reading, Reading::Refused(_)), "{reading:?}");
        }
        let crash = "a.py:1:1: E902 TokenError\nTraceback (most recent call last):\n";
        let Reading::Degraded(_, causes) = (FORMAT.read)(&mut crash.as_bytes()) else { panic!() };
        assert_eq!(causes.len(), 2);
        assert!(matches!((FORMAT.read)(&mut &b"\n"[..]), Reading::Figures(_)));
    }
}
