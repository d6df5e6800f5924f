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
        Some(Line::Version(_) | Line::Strict | Line::BailOut(_)) => true,
        Some(Line::Plan { skip: true, .. }) => true,
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
                () if starts("todo") => Some(Directive::Todo),
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
            (Some(Directive::Skip), _) | (Some(Directive::Todo), false) => TestStatus::Skipped,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, TestCase};
    use TestStatus::{Failed, Passed, Skipped};

    fn read(tap: &str) -> (Vec<TestCase>, Vec<String>) {
        match (FORMAT.read)(&mut tap.as_bytes()) {
            Reading::Figures(f) => (f.tests.unwrap().cases, vec![]),
            Reading::Degraded(f, causes) => (f.tests.unwrap().cases, causes),
            Reading::Refused(why) => panic!("{why}"),
        }
    }

    #[test]
    fn points() {
        for (text, name, status) in [
            ("ok", "(unnamed 1)", Passed),
            ("not ok 1", "(unnamed 1)", Failed),
            ("ok 1 - adds up # time=3ms", "adds up", Passed),
            ("ok 1 adds up", "adds up", Passed),
            ("not ok - 2 and 2", "2 and 2", Failed),
            ("ok 1 - a # SKIP no network", "a", Skipped),
            ("ok 1 # skipped on this", "(unnamed 1)", Skipped),
            ("not ok 1 - a # TODO later", "a", Skipped),
            ("ok 1 - a # todo", "a", Passed),
            ("not ok 1 - a \\# TODO", "a # TODO", Failed),
            ("ok 1 - issue #12", "issue #12", Passed),
            ("ok 1 - a {", "a", Passed),
        ] {
            let (cases, causes) = read(&format!("1..1\n{text}\n"));
            assert_eq!((cases.len(), causes.len()), (1, 0), "{text}");
            assert_eq!((cases[0].id.as_str(), cases[0].status), (name, status), "{text}");
            assert!(sniff(format!("{text}\n1..1\n").as_bytes()), "{text}");
        }
    }

    #[test]
    fn whole_and_broken_runs() {
        for whole in [
            "1..0 # SKIP no database\n",
            "TAP version 14\n1..1\nok 1 - a\n    not ok 1 - inner\n    1..1\n# end\n",
            "ok 1\nsome text\nok 2\n1..2 \n",
        ] {
            assert_eq!(read(whole).1, Vec::<String>::new(), "{whole}");
        }
        for (broken, cause) in [
            ("ok 1\n", "it has no plan, so it may be cut off"),
            ("TAP version 13\n", "it has no plan, so it may be cut off"),
            ("1..3\nok 1\n", "3 tests were planned and 1 ran"),
            ("1..2\nok 1\nok 3\n", "a test's number is outside of the plan 1..2"),
            ("ok 1\n1..2\nok 2\n", "the plan stands between the tests"),
            ("1..1 todo 1;\nok 1\n", "its plan is followed by text that is no part of one"),
            ("1..1\nok 1\n1..1\n", "it has more than one plan"),
            ("1..2\nok 1\nBail out! no disk\nok 2\n", "the run bailed out: no disk"),
            ("pragma +strict\n1..1\nok 1\ntext\n", "it is strict and has lines that are no TAP"),
        ] {
            assert_eq!(read(broken).1, [cause], "{broken}");
        }
    }

    #[test]
    fn messages_and_names() {
        let tap = "1..3\nnot ok 1 - a\n  ---\n  message: it is 3\n  ...\nnot ok 2 - a\n# got 1\nok 3 - b\n# bye\n";
        let (cases, _) = read(tap);
        assert_eq!(cases[0].message.as_deref(), Some("message: it is 3"));
        assert_eq!((cases[1].id.as_str(), cases[1].message.as_deref()), ("a#2", Some("got 1")));
        assert_eq!(cases[2].message, None);
    }

    #[test]
    fn foreign() {
        for text in ["okay\n", "<testsuite/>", "{}", "all is well\n"] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
            assert!(!sniff(text.as_bytes()), "{text}");
        }
        assert!(!sniff(b"ok  \texample.org/shop\t0.1s\n"));
    }
}
