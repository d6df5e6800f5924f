//! Checkstyle's plain lines, `[ERROR] path:line:column: message. [Rule]` between `Starting audit...`
//! and `Audit done.` (<https://checkstyle.org/cmdline.html>), and Scalastyle's,
//! `error file=path message=message line=3 column=7`, up to `Finished in`.

use super::lines::{self, Closes, Line, Tool, closing_part, found, number_after, place};
use crate::formats::Format;
use crate::formats::text::line_number;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<Plain>("checkstyle-text", "Checkstyle (plain), Scalastyle");

#[derive(Default)]
struct Plain;

impl Tool for Plain {
    const NAME: &'static str = "checkstyle";
    const SILENT: bool = false;
    const CLOSES: Closes = Closes::Always;

    fn line(&mut self, line: &str) -> Line {
        if let Some(finding) = checkstyle(line).or_else(|| scalastyle(line)) {
            return Line::Finding(finding);
        }
        match line {
            "Audit done." => Line::Closing(None),
            "Starting audit..." => Line::Known,
            _ if line.starts_with("Finished in ") && line.ends_with(" ms") => Line::Closing(None),
            _ if line.starts_with("Processed ") || number_after(line, "Found ").is_some() => {
                Line::Known
            }
            _ if line.starts_with("com.puppycrawl.tools.checkstyle.api.CheckstyleException") => {
                Line::Broken(line.to_owned(), None)
            }
            _ => Line::Other,
        }
    }
}

fn level(word: &str) -> Option<Level> {
    match word {
        "error" | "ERROR" => Some(Level::Error),
        "warning" | "WARN" => Some(Level::Warning),
        "info" | "INFO" => Some(Level::Note),
        _ => None,
    }
}

fn checkstyle(line: &str) -> Option<Finding> {
    let (word, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let place = place(rest)?;
    let (text, rule) = closing_part(place.rest, '[', ']')?;
    Some(place.finding(Plain::NAME, level(word)?, rule, text))
}

fn scalastyle(line: &str) -> Option<Finding> {
    let (word, rest) = line.split_once(" file=")?;
    let (path, rest) = rest.split_once(" message=")?;
    let (text, row) = match rest.rsplit_once(" line=") {
        Some((text, place)) => (text, line_number(place.split(' ').next()?)),
        None => (rest, None),
    };
    Some(Finding { line: row, ..found("scalastyle", level(word)?, "", (path, text)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn both() {
        let checkstyle =
            "Starting audit...\n[WARN] C:\\a\\A.java:3:5: Use [x]. [FinalClass]\nAudit done.\n";
        let scalastyle = "warning file=/a/b.scala message=Name is = x line=6 column=7\n\
            Processed 1 file(s)\nFound 0 errors\nFound 1 warnings\nFinished in 358 ms\n";
        for (text, want) in [
            (checkstyle, ("C:/a/A.java", Some(3), "FinalClass", "Use [x].")),
            (scalastyle, ("/a/b.scala", Some(6), "", "Name is = x")),
        ] {
            let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
            assert!(f.notes.is_empty());
            let all = f.lint.unwrap().findings;
            let f = &all[0];
            let got = (f.path.as_deref().unwrap(), f.line, f.rule.as_str(), f.message.as_str());
            assert_eq!((all.len(), got), (1, want));
            let cut = &text[..text.len() - 14];
            assert!(!matches!((FORMAT.read)(&mut cut.as_bytes()), Reading::Figures(_)));
        }
    }
}
