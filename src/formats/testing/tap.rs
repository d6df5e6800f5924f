//! TAP, the Test Anything Protocol (versions 12, 13 and 14; testanything.org): `prove`, `node --test`,
//! tape, bats, pgTAP.
//!
//! Only test points at the start of a line count: a subtest is indented and its parent says how it
//! ended. `not ok … # TODO` is a known failure and, like `# SKIP`, not a failing one. The plan is what
//! tells a whole run from a broken one: a missing, second or unmet plan, a number outside of it, and a
//! bail-out are causes not to judge by the points alone. Points have no other name than their
//! description, so equal ones are tests of their own.

use super::cases::{self, Raw, Repeats, gather};
use crate::formats::text::{TextReader, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, note, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "tap",
    kind: FormatKind::Tests,
    tools: "prove, node --test (--test-reporter=tap), tape, bats, pgTAP",
    sniff,
    read: |input| reading(input, parse),
};

/// What a line at the left edge is.
enum Line<'a> {
    Version(u32),
    Plan { count: u64, skip: bool, odd: bool },
    Point(Point<'a>),
    BailOut(&'a str),
    Strict,
    Other,
}

/// `ok 3 - description # TODO reason`
struct Point<'a> {
    ok: bool,
    number: Option<u64>,
    description: &'a str,
    directive: Option<Directive>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Skip,
    Todo,
}

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let mut lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with(['#', ' ']));
    match lines.next().map(line) {
        Some(
            Line::Version(_) | Line::Strict | Line::BailOut(_) | Line::Plan { skip: true, .. },
        ) => true,
        // neither alone is a rare start of other texts
        Some(Line::Plan { .. }) => {
            lines.any(|l| matches!(line(l), Line::Point(_) | Line::Version(_) | Line::BailOut(_)))
        }
        Some(Line::Point(point)) => {
            point.number.is_some() || lines.any(|l| matches!(line(l), Line::Plan { .. }))
        }
        _ => false,
    }
}

fn line(text: &str) -> Line<'_> {
    if let Some(version) = word(text, "TAP version ").or_else(|| word(text, "TAP Version ")) {
        return version.trim().parse().map_or(Line::Other, Line::Version);
    }
    if let Some(reason) = word(text, "Bail out!") {
        return Line::BailOut(reason.trim());
    }
    if text.trim_end() == "pragma +strict" {
        return Line::Strict;
    }
    plan(text).or_else(|| point(text).map(Line::Point)).unwrap_or(Line::Other)
}

/// The rest of a line that starts so.
fn word<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.strip_prefix(start)
}

fn plan(text: &str) -> Option<Line<'_>> {
    let rest = text.strip_prefix("1..")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(end);
    if digits.is_empty() || !rest.is_empty() && !rest.starts_with([' ', '\t', '#']) {
        return None;
    }
    let count = digits.parse().unwrap_or(u64::MAX);
    let odd = !rest.trim_start().is_empty() && !rest.trim_start().starts_with('#');
    Some(Line::Plan { count, skip: directive(rest).1 == Some(Directive::Skip), odd })
}

fn point(text: &str) -> Option<Point<'_>> {
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    let numbered = end > 0 && (after.is_empty() || after.starts_with([' ', '\t']));
    let rest = if numbered { after.trim_start() } else { rest };
    let rest = rest.strip_prefix("- ").unwrap_or(rest.strip_prefix('-').unwrap_or(rest));
    let (description, directive) = directive(rest);
    let number = numbered.then(|| digits.parse().unwrap_or(u64::MAX));
    // a subtest that follows in braces
    let description = description.strip_suffix('{').unwrap_or(description).trim();
    Some(Point { ok, number, description, directive })
}

/// Takes `# SKIP …`, `# TODO …` and a time, which changes with each run, off a description.
fn directive(text: &str) -> (&str, Option<Directive>) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '#' && !escaped {
            let tail = text[at + 1..].trim_start();
            let starts =
                |w: &str| tail.get(..w.len()).is_some_and(|start| start.eq_ignore_ascii_case(w));
            let found = match () {
                () if starts("skip") => Some(Directive::Skip),
                // "#todolist" is a word of the description
                () if starts("todo") && !tail[4..].starts_with(char::is_alphanumeric) => {
                    Some(Directive::Todo)
                }
                () => None,
            };
            if found.is_some() || starts("time=") || starts("duration_ms") {
                return (&text[..at], found);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    (text, None)
}

fn unescaped(text: &str) -> String {
    text.replace("\\\\", "\u{0}").replace("\\#", "#").replace('\u{0}', "\\")
}

#[derive(Default)]
struct Run {
    raw: Vec<Raw>,
    /// Text that follows the last point, and so belongs to it.
    said: String,
    known: bool,
    strict: bool,
    plan: Option<u64>,
    /// How many points there were before the plan.
    before_plan: u64,
    points: u64,
    outside: u64,
    highest: u64,
    second_plan: bool,
    /// Text follows it: before version 12 a list of the tests that may fail.
    odd_plan: bool,
    foreign: u64,
    subtests: u64,
    failed_subtests: u64,
    bail_out: Option<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut run, mut text) = (Run::default(), String::new());
    while run.bail_out.is_none() && next_line(input, &mut text).map_err(|e| e.say())? {
        run.line(&text);
    }
    run.end_point();
    run.finish()
}

impl Run {
    fn line(&mut self, text: &str) {
        let found = line(text);
        self.known |= !matches!(found, Line::Other);
        match found {
            Line::Version(version) => self.foreign += u64::from(version < 13),
            Line::Plan { .. } if self.plan.is_some() => self.second_plan = true,
            Line::Plan { count, odd, .. } => {
                self.plan = Some(count);
                self.odd_plan = odd;
                self.before_plan = self.points;
            }
            Line::Point(point) => self.point(&point),
            Line::BailOut(reason) => self.bail_out = Some(reason.to_owned()),
            Line::Strict => self.strict = true,
            Line::Other => self.other(text),
        }
    }

    fn other(&mut self, text: &str) {
        let inner = text.trim_start();
        let indented = inner.len() < text.len();
        if indented && let Some(point) = point(inner) {
            self.subtests += 1;
            self.failed_subtests += u64::from(!point.ok && point.directive.is_none());
        }
        if !indented && !text.is_empty() && !text.starts_with(['#', '}']) {
            self.foreign += 1;
        } else if !matches!(inner, "---" | "...") {
            gather(&mut self.said, inner.strip_prefix('#').unwrap_or(text));
            gather(&mut self.said, "\n");
        }
    }

    fn point(&mut self, point: &Point<'_>) {
        self.end_point();
        self.points += 1;
        let number = point.number.unwrap_or(self.points);
        self.highest = self.highest.max(number);
        self.outside += u64::from(number == 0);
        let status = match (point.directive, point.ok) {
            // what was skipped cannot fail, so `not ok # SKIP` is no skip
            (Some(Directive::Skip), true) | (Some(Directive::Todo), false) => TestStatus::Skipped,
            (_, true) => TestStatus::Passed,
            (_, false) => TestStatus::Failed,
        };
        let id = match unescaped(point.description) {
            name if name.is_empty() => format!("(unnamed {number})"),
            name => name,
        };
        self.raw.push(Raw::new(id, status, None));
    }

    /// What was said after a point that failed is its message.
    fn end_point(&mut self) {
        let said = std::mem::take(&mut self.said);
        if let Some(raw) = self.raw.last_mut()
            && raw.case.status == TestStatus::Failed
        {
            raw.case.message = cases::message(&said);
        }
    }

    fn finish(self) -> Found {
        if !self.known {
            return Err("no TAP: it has neither a plan nor a test point".into());
        }
        let (mut causes, mut notes) = (Vec::new(), Vec::new());
        match (&self.bail_out, self.plan) {
            (Some(reason), _) if reason.is_empty() => causes.push("the run bailed out".into()),
            (Some(reason), _) => causes.push(format!("the run bailed out: {reason}")),
            (_, None) => causes.push("it has no plan, so it may be cut off".into()),
            (_, Some(plan)) if plan != self.points => {
                causes.push(format!("{plan} tests were planned and {} ran", self.points));
            }
            (_, Some(plan)) if self.highest > plan || self.outside > 0 => {
                causes.push(format!("a test's number is outside of the plan 1..{plan}"));
            }
            (_, Some(plan)) if self.before_plan > 0 && self.before_plan < plan => {
                causes.push("the plan stands between the tests".into());
            }
            _ => {}
        }
        if self.odd_plan {
            causes.push("its plan is followed by text that is no part of one".into());
        }
        if self.second_plan {
            causes.push("it has more than one plan".into());
        }
        if self.strict && self.foreign > 0 {
            causes.push("it is strict and has lines that are no TAP".into());
        } else if self.foreign > 0 {
            note(&mut notes, || format!("lines that are no TAP: {}", self.foreign));
        }
        if self.failed_subtests > 0 {
            let (failed, all) = (self.failed_subtests, self.subtests);
            note(&mut notes, || format!("subtests that failed: {failed} of {all}"));
        }
        cases::finish(self.raw, Repeats::Tests, notes, causes)
    }
}
