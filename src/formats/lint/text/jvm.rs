//! Lines of the JVM's compilers, as they print them and as Maven and Ant repeat them.

use std::collections::HashSet;

use super::lines::{Line, found, number, place};
use super::words::{Word, severity};
use crate::model::{Finding, Level};

/// `A.java:12: error: message`, `A.java:12: warning: [deprecation] message`: javac itself, or under
/// Ant's `[javac]`.
pub(super) fn java(line: &str) -> Option<Finding> {
    let line = line.trim_start();
    let place = place(line.strip_prefix("[javac] ").unwrap_or(line))?;
    if place.column || !place.ends(&[".java"]) {
        return None;
    }
    let (Word::Of(level), text) = severity(place.rest)? else { return None };
    let (rule, text) = named(text);
    Some(place.finding("javac", level, rule, text))
}

/// Splits `[rule] message`.
fn named(text: &str) -> (&str, &str) {
    match text.strip_prefix('[').and_then(|t| t.split_once("] ")) {
        Some((rule, rest)) if !rule.contains(' ') => (rule, rest),
        _ => ("", text),
    }
}

/// `e: file:///a/B.kt:3:5 message`, `w: /a/B.kt: (3, 5): message`: kotlinc itself and under Gradle.
pub(super) fn kotlin(line: &str) -> Option<Finding> {
    let (level, rest) = match line.split_once(": ")? {
        ("e", rest) => (Level::Error, rest),
        ("w", rest) => (Level::Warning, rest),
        _ => return None,
    };
    let (path, row, text) = kotlin_place(rest).unwrap_or(("", None, rest));
    Some(Finding { line: row, ..found("kotlinc", level, "", (path, text)) })
}

/// The path, line and message of either form.
fn kotlin_place(text: &str) -> Option<(&str, Option<u32>, &str)> {
    let row = |n: u64| u32::try_from(n).ok().filter(|n| *n > 0);
    if let Some((path, rest)) = text.split_once(": (") {
        let (n, rest) = number(rest)?;
        let (_, rest) = number(rest.strip_prefix(", ")?)?;
        return Some((path, row(n), rest.strip_prefix(')')?.trim_start_matches(':').trim_start()));
    }
    let at = [".kt:", ".kts:", ".java:"].iter().find_map(|e| Some(text.find(e)? + e.len()))?;
    let (n, rest) = number(&text[at..])?;
    let (_, rest) = number(rest.strip_prefix(':')?)?;
    Some((&text[..at - 1], row(n), rest.trim_start_matches(':').trim_start()))
}

/// What Maven repeats of a compiler (Gradle passes it on as it is): `[WARNING] /a/B.java:[3,5] message`, for Kotlin `B.kt: (3, 5) …`.
#[derive(Default)]
pub(super) struct Maven {
    seen: HashSet<Finding>,
    /// After the build's end, where errors are said again.
    ended: bool,
}

impl Maven {
    /// What a line of Maven, or of Gradle's end, is. What else a build says is not the compilers'.
    pub(super) fn line(&mut self, line: &str) -> Line {
        if line.starts_with("BUILD SUCCESSFUL") {
            return Line::Fine;
        }
        let Some((word, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) else {
            return Line::Other;
        };
        let level = match word {
            "ERROR" => Level::Error,
            "WARNING" => Level::Warning,
            "INFO" | "DEBUG" => return self.info(rest.trim()),
            _ => return Line::Other,
        };
        let rest = rest.trim();
        if let Some(finding) = compiled(level, rest) {
            let new = self.seen.insert(finding.clone());
            return if new || !self.ended { Line::Finding(finding) } else { Line::Known };
        }
        self.ended |= rest.starts_with("Failed to execute goal");
        Line::Other
    }

    fn info(&mut self, text: &str) -> Line {
        self.ended |= text.starts_with("BUILD ");
        if text == "BUILD SUCCESS" { Line::Fine } else { Line::Other }
    }
}

fn compiled(level: Level, text: &str) -> Option<Finding> {
    let (path, row, text) = match text.split_once(":[") {
        Some((path, rest)) => {
            let (n, rest) = number(rest)?;
            let (_, rest) = number(rest.strip_prefix(',')?)?;
            (path, u32::try_from(n).ok(), rest.strip_prefix(']')?.trim_start())
        }
        None => kotlin_place(text).filter(|(path, ..)| path.ends_with(".kt"))?,
    };
    // a path as Maven writes it on Windows: /C:/a/B.java
    let path = match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => &path[1..],
        _ => path,
    };
    let tool = if path.ends_with(".kt") { "kotlinc" } else { "javac" };
    let (rule, text) = named(text);
    Some(Finding { line: row, ..found(tool, level, rule, (path, text)) })
}
