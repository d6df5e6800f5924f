//! cpplint's lines: `path:line:  message  [category] [confidence]`, and its closing count
//! (<https://github.com/cpplint/cpplint>). It has no severities and calls each an error.

use super::lines::{self, Line, Place, Tool, closing_part, number, number_after, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format = lines::row::<CppLint>("cpplint-text", "cpplint");

#[derive(Default)]
struct CppLint;

impl Tool for CppLint {
    const NAME: &'static str = "cpplint";
    // it names each file that it is done with
    const SILENT: bool = false;

    fn line(&mut self, line: &str) -> Line {
        if let Some(finding) = place(line).and_then(|p| problem(&p)) {
            return Line::Finding(finding);
        }
        if let Some(n) = number_after(line, "Total errors found: ") {
            return Line::Closing(Some(n));
        }
        match line {
            _ if line.starts_with("Done processing ") => Line::Closing(None),
            _ if line.starts_with("Skipping input ") => {
                Line::Broken(format!("cpplint: {line}"), None)
            }
            _ if line.starts_with("Ignoring ") || line.starts_with("Category ") => Line::Known,
            _ => Line::Other,
        }
    }
}

fn problem(place: &Place<'_>) -> Option<Finding> {
    let (text, confidence) = closing_part(place.rest, '[', ']')?;
    let (text, rule) = closing_part(text, '[', ']')?;
    let sure = number(confidence).is_some_and(|(n, rest)| n <= 5 && rest.is_empty());
    (sure && rule.contains('/')).then(|| place.finding(CppLint::NAME, Level::Error, rule, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn lines() {
        let text = "Ignoring a.txt; not a valid file name (cpp, h)\nDone processing a.txt\n\
            a.cpp:0:  No copyright [year] found.  [legal/copyright] [5]\nDone processing a.cpp\n\
            Total errors found: 1\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        assert!(f.notes.is_empty());
        let finding = &f.lint.unwrap().findings[0];
        assert_eq!((finding.rule.as_str(), finding.line), ("legal/copyright", None));
        assert_eq!(finding.message, "No copyright [year] found.");
        for text in ["", "a.c:1: error: x [a/b]", "Ignoring x"] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        }
    }
}
