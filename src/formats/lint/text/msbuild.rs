//! Lines of MSBuild and of the compilers that share them (C#, Visual C++, TypeScript):
//! `path(line,column): error CODE: message [project]`
//! (<https://learn.microsoft.com/visualstudio/msbuild/msbuild-diagnostic-format-for-tasks>).
//!
//! MSBuild repeats all it found after the build's end; what is repeated there counts once.

use std::collections::HashSet;

use super::lines::{self, Line, Tool, closing_part, found, number, number_after, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<MsBuild>("msbuild", "MSBuild, dotnet build, Visual C++, tsc");

#[derive(Default)]
struct MsBuild {
    seen: HashSet<Finding>,
    /// After the build's end, where all is said again.
    ended: bool,
}

impl Tool for MsBuild {
    const NAME: &'static str = "msbuild";

    fn line(&mut self, line: &str) -> Line {
        let line = without_node(line.trim_start());
        if let Some(finding) = located(line).or_else(|| pretty(line)).or_else(|| bare(line)) {
            let new = self.seen.insert(finding.clone());
            return if new || !self.ended { Line::Finding(finding) } else { Line::Known };
        }
        match line {
            "Build succeeded." => {
                self.ended = true;
                Line::Closing(None)
            }
            "Build FAILED." => {
                self.ended = true;
                Line::Known
            }
            _ if counted(line, "Error(s)") => {
                self.ended = false;
                Line::Known
            }
            _ if counted(line, "Warning(s)") || says(line) || quoted(line) => Line::Known,
            // what tsc counts
            _ => match number_after(line, "Found ").filter(|_| line.contains(" error")) {
                Some(n) => Line::Count(n),
                None => Line::Other,
            },
        }
    }
}

/// MSBuild puts the number of its node first where several build at once: `2>a.cs(1,1): …`.
fn without_node(line: &str) -> &str {
    number(line).and_then(|(_, rest)| rest.strip_prefix('>')).map_or(line, str::trim_start)
}

fn counted(line: &str, what: &str) -> bool {
    number(line).is_some_and(|(_, rest)| rest.trim_start() == what)
}

/// A line of code with its number, as tsc quotes it for a terminal.
fn quoted(line: &str) -> bool {
    number(line).is_some_and(|(_, rest)| rest.starts_with("  ")) || line.starts_with('~')
}

fn says(line: &str) -> bool {
    let starts = [
        "Microsoft (R) ",
        "Copyright (C) Microsoft",
        "MSBuild version ",
        "Build started ",
        "Determining projects to restore",
        "All projects are up-to-date",
        "Restored ",
        "Time Elapsed ",
    ];
    starts.iter().any(|s| line.starts_with(s)) || line.contains(" -> ")
}

/// `path(3,5): error CS0103: message`; the place may also be `3`, `3-4`, `3,5-7` or `3,5,3,9`.
fn located(line: &str) -> Option<Finding> {
    let at = line.find("): ").or_else(|| line.find(") : "))?;
    let (head, tail) = (&line[..at], line[at + 1..].trim_start().strip_prefix(':')?);
    let open = head.rfind('(').filter(|at| *at > 0)?;
    let (row, rest) = number(&head[open + 1..])?;
    if !rest.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'-')) {
        return None;
    }
    let line = u32::try_from(row).ok().filter(|n| *n > 0);
    Some(Finding { line, ..category(&head[..open], tail.trim_start())? })
}

/// tsc's output for a terminal: `path:3:5 - error TS2322: message`.
fn pretty(line: &str) -> Option<Finding> {
    let (head, tail) = line.split_once(" - ")?;
    let head = format!("{head}: ");
    let place = place(&head).filter(|p| p.column && p.rest.is_empty())?;
    let finding = category(place.path, tail)?;
    finding.rule.starts_with("TS").then_some(Finding { line: place.line, ..finding })
}

/// `MSBUILD : error MSB1009: message`, `a.csproj : warning NU1701: message`, `error TS18003: message`.
fn bare(line: &str) -> Option<Finding> {
    let (origin, tail) = line.split_once(" : ").unwrap_or(("", line));
    // the name of a tool is no path
    let path = if origin.contains('.') { origin } else { "" };
    category(path, tail).filter(|f| !f.rule.is_empty())
}

/// What follows the place: a subcategory maybe, the severity, a code, the message.
fn category(path: &str, text: &str) -> Option<Finding> {
    let (head, message) = text.split_once(':')?;
    let mut words = head.split_whitespace().rev();
    let last = words.next()?;
    let (word, code) = match level(last) {
        Some(_) => (last, ""),
        None => (words.next()?, last),
    };
    let fine = code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    // at most a word or two stand before the severity, as in `fatal error`
    if !fine || words.count() > 2 {
        return None;
    }
    let message = message.trim();
    let message = match closing_part(message, '[', ']') {
        Some((text, project)) if project.contains("proj") => text,
        _ => message,
    };
    Some(found(MsBuild::NAME, level(word)?, code, (path, message)))
}

fn level(word: &str) -> Option<Level> {
    match word.to_ascii_lowercase().as_str() {
        "error" => Some(Level::Error),
        "warning" => Some(Level::Warning),
        "info" | "message" => Some(Level::Note),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn diagnostics() {
        let text = "  Determining projects to restore...\n\
            C:\\p (x86)\\a.cs(229,30): warning CS0618: 'S' is: old [C:\\p\\a.csproj]\n\
            \u{20}    2>b.cpp(3): fatal error C1083: no file [b.vcxproj]\n\
            src/a.ts(3,5): error TS2322: Type 'a' is not\n  assignable\n\
            src/b.ts:4:1 - error TS2304: Cannot find\n\
            MSBUILD : error MSB1009: Project file does not exist.\n\
            /p/a.csproj : warning NU1701: Package [/p/a.csproj]\nerror TS18003: No inputs\n\
            LINK : fatal error LNK1181: cannot open\n\nBuild FAILED.\n\n\
            b.cpp(3): fatal error C1083: no file [b.vcxproj]\n    1 Warning(s)\n    1 Error(s)\n";
        let Reading::Figures(f) = read(text) else { panic!() };
        let lint = f.lint.unwrap();
        let got: Vec<_> =
            lint.findings.iter().map(|f| (f.path.as_deref(), f.line, f.rule.as_str())).collect();
        let want = [
            (Some("C:/p (x86)/a.cs"), Some(229), "CS0618"),
            (Some("b.cpp"), Some(3), "C1083"),
            (Some("src/a.ts"), Some(3), "TS2322"),
            (Some("src/b.ts"), Some(4), "TS2304"),
            (None, None, "MSB1009"),
            (Some("/p/a.csproj"), None, "NU1701"),
            (None, None, "TS18003"),
            (None, None, "LNK1181"),
        ];
        assert_eq!(got, want);
        assert_eq!(lint.findings[0].message, "'S' is: old");
        assert_eq!(lint.findings.iter().filter(|f| f.level == Level::Warning).count(), 2);
    }

    #[test]
    fn clean_and_foreign() {
        for text in ["", "Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n"] {
            assert!(matches!(read(text), Reading::Figures(_)), "{text}");
        }
        let foreign =
            ["Build FAILED.\nx", "a.c:1:1: error: x", "error: x", "a.py(1): note", "f(3): x: y"];
        for text in foreign {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
    }
}
