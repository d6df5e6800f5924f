//! mypy's lines: `path:line: error: message  [code]` (<https://mypy.readthedocs.io>).
//!
//! Notes explain the error before them and are no findings. The closing line says whether all was
//! checked; `--no-error-summary` leaves it out, so its absence beside errors is noted only.

use super::lines::{self, Closes, Line, Place, Tool, closing_part, crashed, number_after, place};
use crate::formats::Format;
use crate::model::Level;

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<Mypy>("mypy", "mypy");

#[derive(Default)]
struct Mypy;

impl Tool for Mypy {
    const NAME: &'static str = "mypy";
    // it says so when it finds nothing
    const SILENT: bool = false;
    const CLOSES: Closes = Closes::Mostly;

    fn line(&mut self, line: &str) -> Line {
        if let Some(line) = place(line).and_then(|p| diagnostic(&p)) {
            return line;
        }
        if line.starts_with("Success: no issues found in ") {
            return Line::Closing(Some(0));
        }
        match line {
            _ if line.ends_with("(errors prevented further checking)") => {
                Line::Broken("errors kept mypy from checking further".into(), None)
            }
            _ if line.contains(" (checked ") => match number_after(line, "Found ") {
                Some(n) => Line::Count(n),
                None => Line::Other,
            },
            _ if crashed(line) => Line::Broken("mypy died of an exception".into(), None),
            _ if line.starts_with("mypy: ") => Line::Broken(line.to_owned(), None),
            _ => Line::Other,
        }
    }
}

fn diagnostic(place: &Place<'_>) -> Option<Line> {
    let (word, text) = place.rest.split_once(": ")?;
    let (text, code) = match closing_part(text, '[', ']') {
        // two blanks stand before it, unlike in the lines of other tools
        Some((message, code)) if is_code(code) && text.contains("  [") => (message, code),
        _ => (text, ""),
    };
    // other compilers print the same without a code
    if code.is_empty() && !place.ends(&[".py", ".pyi", ".ipynb"]) {
        return None;
    }
    let level = match word {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "info" => Level::Note,
        "note" => return Some(Line::Known),
        _ => return None,
    };
    let finding = place.finding(Mypy::NAME, level, code, text);
    Some(match text.starts_with("INTERNAL ERROR") {
        true => Line::Broken("mypy has an internal error".into(), Some(finding)),
        false => Line::Finding(finding),
    })
}

/// Lower-case words joined by hyphens, as in `no-untyped-def`; warnings of compilers start with one.
fn is_code(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn errors_and_notes() {
        let text = "a.py:8: error: No [x] here  [no-untyped-def]\na.py:8: note: Use \"-> None\"\n\
            a.py:9:5: error: Old form\nFound 2 errors in 1 file (checked 3 source files)\n";
        let Reading::Figures(f) = read(text) else { panic!() };
        assert!(f.notes.is_empty());
        let lint = f.lint.unwrap();
        let got: Vec<_> = lint.findings.iter().map(|f| (f.line, f.rule.as_str())).collect();
        assert_eq!(got, [(Some(8), "no-untyped-def"), (Some(9), "")]);
        assert_eq!(lint.findings[0].message, "No [x] here");
        let Reading::Figures(f) =
            read("a.py:9: error: x\nFound 3 errors in 1 file (checked 1 source file)\n")
        else {
            panic!()
        };
        assert_eq!(f.notes, ["it declares 3 findings and lists 1"]);
        let Reading::Figures(f) = read("a.py:9: error: x\n") else { panic!() };
        assert_eq!(f.notes, ["the closing line of mypy is missing"]);
    }

    #[test]
    fn ends() {
        assert!(matches!(
            read("Success: no issues found in 3 source files\n"),
            Reading::Figures(_)
        ));
        for text in [
            "a.py:1: error: invalid syntax  [syntax]\n\
             Found 1 error in 1 file (errors prevented further checking)\n",
            "mypy: can't read file 'x.py': No such file or directory\n",
            "a.py:1: error: INTERNAL ERROR -- Please try\nTraceback (most recent call last):\n",
        ] {
            assert!(matches!(read(text), Reading::Degraded(..)), "{text}");
        }
        for text in ["", "a.c:1: error: x\n", "a.c:1:2: warning: x [-Wx]\n", "noise"] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
    }
}
