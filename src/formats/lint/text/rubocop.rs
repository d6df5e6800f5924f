//! RuboCop's lines, of its progress (default), clang and emacs formatters:
//! `path:line:column: C: [Correctable] Cop/Name: message` (<https://docs.rubocop.org>).

use super::lines::{self, Closes, Line, Place, Tool, number, number_after, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<RuboCop>("rubocop-text", "RuboCop (progress, clang and emacs formatters)");

#[derive(Default)]
struct RuboCop {
    /// After an offense the code that it is about is quoted.
    quoting: bool,
}

impl Tool for RuboCop {
    const NAME: &'static str = "rubocop";
    // it counts the files that it looked at
    const SILENT: bool = false;
    // its emacs formatter does not
    const CLOSES: Closes = Closes::Mostly;

    fn line(&mut self, line: &str) -> Line {
        if let Some(finding) = place(line).and_then(|p| offense(&p)) {
            self.quoting = true;
            return Line::Finding(finding);
        }
        if let Some((_, rest)) = number(line)
            && (rest.starts_with(" file inspected, ") || rest.starts_with(" files inspected, "))
        {
            let said = rest.split_once(", ").map_or("", |(_, said)| said);
            return Line::Closing(number(said).map_or(Some(0), |(n, _)| Some(n)));
        }
        if line.starts_with("An error occurred while ") || line.ends_with(" error occurred:") {
            return Line::Broken(format!("rubocop: {line}"), None);
        }
        let progress = line.bytes().all(|b| b".IRCWEF".contains(&b));
        let says = number_after(line, "Inspecting ").is_some() || line == "Offenses:";
        match progress || says || self.quoting {
            true => Line::Known,
            false => Line::Other,
        }
    }
}

fn offense(place: &Place<'_>) -> Option<Finding> {
    let (letter, text) = place.rest.split_once(": ")?;
    let level = match letter {
        "F" | "E" => Level::Error,
        "W" => Level::Warning,
        "C" | "R" | "I" => Level::Note,
        _ => return None,
    };
    let text = ["[Correctable] ", "[Corrected] ", "[Todo] "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    // a cop's name has a department; older versions leave it out
    let (rule, text) = match text.split_once(": ") {
        Some((name, rest)) if name.contains('/') && !name.contains(' ') => (name, rest),
        _ => ("", text),
    };
    place.column.then(|| place.finding(RuboCop::NAME, level, rule, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn lines() {
        let text = "Inspecting 2 files\nW.\n\nOffenses:\n\na.rb:1:5: C: [Correctable] Style/A: Use: x\n\
            def x\n    ^\na.rb:2:1: W: Old message: y\na.rb:2:1: E: Lint/Syntax: z\n\n\
            2 files inspected, 3 offenses detected, 1 offense autocorrectable\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        assert!(f.notes.is_empty(), "{:?}", f.notes);
        let got: Vec<_> =
            f.lint.unwrap().findings.into_iter().map(|f| (f.level, f.rule, f.message)).collect();
        let want = [
            (Level::Note, "Style/A", "Use: x"),
            (Level::Warning, "", "Old message: y"),
            (Level::Error, "Lint/Syntax", "z"),
        ];
        assert_eq!(got, want.map(|(l, r, m)| (l, r.into(), m.to_owned())));
        let clean = "Inspecting 1 file\n.\n\n1 file inspected, no offenses detected\n";
        assert!(matches!((FORMAT.read)(&mut clean.as_bytes()), Reading::Figures(_)));
        for text in ["", "Inspecting 2 files\n..\n", "a.py:1:1: C0114: x", "C:1:1"] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        }
    }
}
