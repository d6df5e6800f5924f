//! What all reports of lines have in common: a tool says what each line is, this walks them.
//!
//! A report is read only where its tool is recognised: by a finding, by the tool's closing line, or,
//! for a tool that writes nothing when it finds nothing, by being empty. Lines of others in between
//! (a build's own words) are passed over and noted; a text of such lines alone is refused.

use std::io::BufRead;

use crate::formats::text::{TextReader, clip, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, note, reading};
use crate::model::{Figures, Finding, Level, LintFigures, Reading};

/// What a line is.
#[derive(Debug)]
pub(super) enum Line {
    /// A finding.
    Finding(Finding),
    /// So many results that the code suppresses.
    Suppressed(u64),
    /// The tool's own line, of no weight.
    Known,
    /// A closing line that only this tool writes, with the number of findings that it declares.
    Closing(Option<u64>),
    /// A line that counts the findings, which others might write as well: it tells nothing alone.
    Count(u64),
    /// A build's line by which it went well: no tool is told by it, but where the tool is named, its
    /// silence is one.
    Fine,
    /// The tool says that it failed; it may be a finding too.
    Broken(String, Option<Finding>),
    /// Nothing of this tool.
    Other,
}

/// Whether a tool ends its findings with a closing line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closes {
    /// There is none, so a report that was cut off cannot be told.
    Never,
    /// Unless it is switched off: its absence is noted.
    Mostly,
    /// Its absence means that the report was cut off.
    Always,
}

/// A tool that writes lines.
pub(super) trait Tool: Default {
    /// The word for people and for findings.
    const NAME: &'static str;
    /// It writes nothing when it finds nothing.
    const SILENT: bool = true;
    /// Whether a closing line follows whenever there is a finding.
    const CLOSES: Closes = Closes::Never;
    /// Lines that it knows, and no other, are what it writes when it finds nothing.
    const QUIET: bool = false;
    /// Says what a line is; colours and time stamps are taken off it.
    fn line(&mut self, line: &str) -> Line;
}

/// The row of the table for a tool.
pub(super) const fn row<T: Tool>(name: &'static str, tools: &'static str) -> Format {
    Format { name, kind: FormatKind::Lint, tools, sniff: starts::<T>, read: read::<T> }
}

fn read<T: Tool>(input: &mut dyn BufRead) -> Reading {
    reading(input, parse::<T>)
}

/// What was seen of a report.
#[derive(Default)]
struct Seen {
    lint: LintFigures,
    causes: Vec<String>,
    notes: Vec<String>,
    /// A line was there that says that this tool, or the build around it, came to its end.
    sign: bool,
    closed: bool,
    declared: Option<u64>,
    any: bool,
    other: u64,
}

impl Seen {
    fn add(&mut self, line: Line) {
        match line {
            Line::Finding(finding) => self.lint.findings.push(finding),
            Line::Suppressed(n) => {
                self.lint.suppressed = self.lint.suppressed.saturating_add(n);
            }
            Line::Known => {}
            Line::Closing(n) => {
                self.sign = true;
                self.close(n);
            }
            Line::Count(n) => self.close(Some(n)),
            Line::Fine => self.sign = true,
            Line::Broken(cause, finding) => {
                note(&mut self.causes, || clip(&cause, 300));
                self.lint.findings.extend(finding);
            }
            Line::Other => self.other += 1,
        }
    }

    fn close(&mut self, declared: Option<u64>) {
        self.closed = true;
        if let Some(n) = declared {
            self.declared = Some(self.declared.unwrap_or(0).saturating_add(n));
        }
    }

    fn end<T: Tool>(mut self) -> Found {
        let found = self.lint.findings.len() as u64;
        let sign = found > 0 || self.sign || !self.causes.is_empty();
        if !sign && !self.any && !T::SILENT {
            return Err("it is empty".into());
        }
        if !sign && self.any && (self.other > 0 || self.closed || !T::QUIET) {
            return Err(format!("no line of it says that {} wrote it", T::NAME));
        }
        let told = self.closed || !self.causes.is_empty();
        if found > 0 && !told && T::CLOSES != Closes::Never {
            let to = if T::CLOSES == Closes::Always { &mut self.causes } else { &mut self.notes };
            note(to, || format!("the closing line of {} is missing", T::NAME));
        }
        if let Some(declared) = self.declared.filter(|n| *n != found) {
            note(&mut self.notes, || format!("it declares {declared} findings and lists {found}"));
        }
        if self.other > 0 {
            let n = self.other;
            note(&mut self.notes, || format!("lines of others, passed over: {n}"));
        }
        let figures = Figures { lint: Some(self.lint), notes: self.notes, ..Figures::default() };
        Ok((figures, self.causes))
    }
}

/// Reads a report of lines.
fn parse<T: Tool>(input: &mut TextReader<'_>) -> Found {
    let (mut tool, mut seen, mut raw) = (T::default(), Seen::default(), String::new());
    while next_line(input, &mut raw).map_err(|e| e.say())? {
        let line = plain(&raw);
        if !line.is_empty() {
            seen.any = true;
            seen.add(tool.line(&line));
        }
    }
    seen.end::<T>()
}

/// Whether a report starts with lines of this tool, and the first telling one is its own.
fn starts<T: Tool>(head: &[u8]) -> bool {
    let mut tool = T::default();
    for raw in head_text(head).lines() {
        let line = plain(raw);
        if line.is_empty() {
            continue;
        }
        match tool.line(&line) {
            Line::Finding(_) | Line::Closing(_) | Line::Broken(_, Some(_)) => return true,
            Line::Other => return false,
            _ => {}
        }
    }
    false
}

/// A line without colours, a leading time stamp, and blanks at its end.
pub(super) fn plain(raw: &str) -> String {
    let line = if raw.contains('\u{1b}') { without_colours(raw) } else { raw.to_owned() };
    without_stamp(line.trim_end()).to_owned()
}

fn without_colours(raw: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(raw.len()), raw.chars().peekable());
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\u{1b}', Some('[')) => {
                chars.next();
                // parameters, up to the letter that ends the sequence
                while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            ('\u{1b}', Some(']')) => {
                // a link or title, up to its end mark
                while chars.next().is_some_and(|c| c != '\u{7}' && c != '\\') {}
            }
            ('\u{1b}', _) => {}
            _ => out.push(c),
        }
    }
    out
}

/// Build servers put `[2019-06-03T11:15:10.330Z]`, the same without brackets, or a time of day first.
fn without_stamp(line: &str) -> &str {
    let Some((first, rest)) = line.split_once(' ') else { return line };
    let word = first.strip_prefix('[').and_then(|w| w.strip_suffix(']')).unwrap_or(first);
    let shape: String =
        word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).take(20).collect();
    let full = shape.starts_with("0000-00-00T00:00:00") && word.ends_with('Z');
    let day = ["00:00", "00:00:00", "00:00:00.000", "00:00:00,000"].contains(&shape.as_str());
    if full || day { rest.trim_start_matches(' ') } else { line }
}

/// Where a line says it is about: `path:line: rest` or `path:line:column: rest`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// As printed.
    pub(super) path: &'a str,
    /// From 1.
    pub(super) line: Option<u32>,
    /// A column follows the line.
    pub(super) column: bool,
    /// What follows, without blanks before it.
    pub(super) rest: &'a str,
}

/// The place at the start of a line.
pub(super) fn place(line: &str) -> Option<Place<'_>> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    // `[WARNING] path` is how a build tool repeats others
    let mark = line.starts_with('[').then(|| line.find("] ")).flatten();
    // the colon of a drive or a scheme is none that ends a path
    let drive = matches!(line.as_bytes(), [letter, b':', next, ..]
        if letter.is_ascii_alphabetic() && *next != b' ');
    let mut from = if drive { 2 } else { 0 };
    loop {
        let at = from + line.get(from..)?.find(':')?;
        let (path, after) = (&line[..at], &line[at + 1..]);
        if path.is_empty() || after.starts_with(' ') || mark.is_some_and(|m| m < at) {
            return None;
        }
        match number(after) {
            Some((line, rest)) if rest.starts_with(':') => {
                let rest = &rest[1..];
                let (column, rest) = match number(rest) {
                    Some((_, tail)) if tail.starts_with(':') => (true, &tail[1..]),
                    _ => (false, rest),
                };
                let line = u32::try_from(line).ok().filter(|n| *n > 0);
                return Some(Place { path, line, column, rest: rest.trim_start() });
            }
            _ => from = at + 1,
        }
    }
}

/// The number at the start of a text, and what follows.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].parse().unwrap_or(u64::MAX), &text[end..]))
}

impl Place<'_> {
    /// A finding here.
    pub(super) fn finding(&self, tool: &str, level: Level, rule: &str, message: &str) -> Finding {
        Finding { line: self.line, ..found(tool, level, rule, (self.path, message)) }
    }

    /// Whether the file's name ends so.
    pub(super) fn ends(&self, endings: &[&str]) -> bool {
        endings.iter().any(|e| self.path.ends_with(e))
    }
}

/// A finding of this path (none where it is empty) and message, without a line.
pub(super) fn found(tool: &str, level: Level, rule: &str, about: (&str, &str)) -> Finding {
    Finding {
        rule: rule.into(),
        level,
        path: Some(crate::formats::paths::from_path(about.0))
            .filter(|p| !p.is_empty())
            .map(Into::into),
        line: None,
        message: about.1.to_owned(),
        tool: tool.into(),
        fingerprint: None,
        line_hash: None,
    }
}

/// Splits a closing part in brackets of this sort off a text: `message [part]`.
pub(super) fn closing_part(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(close)?;
    let at = inner.rfind(open)?;
    Some((inner[..at].trim_end(), &inner[at + 1..]))
}

/// The number in `Words before: 12 and after`, where the text starts with the words.
pub(super) fn number_after(text: &str, words: &str) -> Option<u64> {
    number(text.strip_prefix(words)?).map(|(n, _)| n)
}

/// What a Python program writes before it dies of an exception.
pub(super) fn crashed(line: &str) -> bool {
    line == "Traceback (most recent call last):"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        for (line, want) in [
            ("a.c:3:5: error: x: y", Some(("a.c", Some(3), true, "error: x: y"))),
            ("C:\\x y\\a.c:3: warning", Some(("C:\\x y\\a.c", Some(3), false, "warning"))),
            ("a:b.c:3:5:no blank", Some(("a:b.c", Some(3), true, "no blank"))),
            ("a.c:0:  none", Some(("a.c", None, false, "none"))),
            ("a.c:3:5", Some(("a.c", Some(3), false, "5"))),
            (" a.c:3:5: indented", None),
            ("[WARNING] a.c:3: x", None),
            ("[id]/a.c:3: x", Some(("[id]/a.c", Some(3), false, "x"))),
            ("note: a.c:3: said", None),
            (":3: x", None),
            ("::error file=a::a.c:3: x", None),
            ("a.c", None),
            ("", None),
            ("ä:", None),
        ] {
            let got = place(line).map(|p| (p.path, p.line, p.column, p.rest));
            assert_eq!(got, want, "{line}");
        }
    }

    #[test]
    fn colours_and_stamps() {
        for (raw, want) in [
            ("\u{1b}[1;31ma.c\u{1b}[m:3\u{1b}[K: x \r", "a.c:3: x"),
            ("\u{1b}]8;;https://example.org\u{1b}\\a\u{1b}]8;;\u{7}b", "ab"),
            ("[2019-06-03T11:15:11.970Z] ./a.py:1:1: F821 x", "./a.py:1:1: F821 x"),
            ("2019-06-03T11:15:11.9Z a", "a"),
            ("11:02:13  [INFO] a", "[INFO] a"),
            ("11:02:13.395 a", "a"),
            ("11:02:13", "11:02:13"),
            ("\u{1b}", ""),
        ] {
            assert_eq!(plain(raw), want);
        }
    }
}
