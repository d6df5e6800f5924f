//! Events of Dart's test runner (`dart test --reporter json`, `flutter test --machine`), one JSON
//! object a line; the package's doc/json_reporter.md.
//!
//! Hidden tests (the loading of a file) only count where they fail. A test that had an error and is
//! a success in the end was retried. The run ends with `done`: without it the report is cut off.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::cases::{self, Raw, Repeats};
use crate::formats::json::{Loose, Num, Text};
use crate::formats::text::{TextReader, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "dart-json",
    kind: FormatKind::Tests,
    tools: "dart test --reporter json, flutter test --machine",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    head_text(head).lines().filter_map(event).any(|e| e.kind.0 == "start" && e.protocol.is_some())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(rename = "type")]
    kind: Text,
    #[serde(rename = "protocolVersion")]
    protocol: Option<Text>,
    suite: Option<Suite>,
    group: Option<Group>,
    test: Option<Test>,
    #[serde(rename = "testID", default)]
    test_id: Num,
    #[serde(default)]
    result: Loose,
    #[serde(default)]
    skipped: bool,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    error: Loose,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct Suite {
    id: Num,
    path: Option<Text>,
}

#[derive(Deserialize)]
struct Group {
    id: Num,
    name: Option<Text>,
}

#[derive(Deserialize)]
struct Test {
    id: Num,
    name: Text,
    #[serde(rename = "suiteID", default)]
    suite: Num,
    #[serde(rename = "groupIDs", default)]
    groups: Vec<Num>,
}

fn event(line: &str) -> Option<Event> {
    let line = line.trim();
    line.starts_with('{').then(|| serde_json::from_str(line).ok())?
}

#[derive(Default)]
struct Stream {
    suites: BTreeMap<u64, String>,
    groups: BTreeMap<u64, String>,
    /// Tests that started and have no end: id and the first error.
    open: BTreeMap<u64, (String, Option<String>)>,
    raw: Vec<Raw>,
    events: u64,
    foreign: u64,
    started: bool,
    done: Option<Option<bool>>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut stream, mut line) = (Stream::default(), String::new());
    while next_line(input, &mut line).map_err(|e| e.say())? {
        match event(&line) {
            Some(event) => stream.event(event),
            None => stream.foreign += u64::from(!line.trim().is_empty()),
        }
    }
    stream.finish()
}

impl Stream {
    fn event(&mut self, e: Event) {
        self.events += 1;
        match e.kind.0.as_str() {
            "start" => self.started |= e.protocol.is_some(),
            "suite" => {
                let suite = e.suite.and_then(|s| Some((s.id.0?, s.path?.0)));
                self.suites.extend(suite.map(|(id, path)| (id, paths::from_path(&path))));
            }
            "group" => {
                self.groups.extend(e.group.and_then(|g| Some((g.id.0?, g.name?.0))));
            }
            "testStart" => {
                if let Some(test) = e.test
                    && let Some(id) = test.id.0
                {
                    let name = self.name(&test);
                    self.open.insert(id, (name, None));
                }
            }
            "error" => {
                let open = e.test_id.0.and_then(|id| self.open.get_mut(&id));
                if let Some((_, error)) = open {
                    error.get_or_insert(e.error.0.unwrap_or_default());
                }
            }
            "testDone" => self.end(&e),
            "done" => self.done = Some(e.success),
            _ => {}
        }
    }

    fn name(&self, test: &Test) -> String {
        let of = |map: &BTreeMap<u64, String>, id: Num| id.0.and_then(|id| map.get(&id)).cloned();
        let suite = of(&self.suites, test.suite).unwrap_or_default();
        let group = test.groups.last().and_then(|id| of(&self.groups, *id)).unwrap_or_default();
        // a test's name starts with those of its groups
        let name = cases::after(&test.name.0, &group, &[' ']);
        let group = if name.len() < test.name.0.len() { group } else { String::new() };
        cases::id([suite.as_str(), &group, name])
    }

    fn end(&mut self, e: &Event) {
        let Some((name, error)) = e.test_id.0.and_then(|id| self.open.remove(&id)) else { return };
        let status = match e.result.0.as_deref() {
            Some("success") if e.skipped => TestStatus::Skipped,
            Some("success") => TestStatus::Passed,
            Some("failure") => TestStatus::Failed,
            _ => TestStatus::Errored,
        };
        if e.hidden && status < TestStatus::Failed {
            return;
        }
        let flaky = status == TestStatus::Passed && error.is_some();
        let mut raw = Raw::new(name, status, error.as_deref().and_then(cases::message));
        raw.case.flaky = flaky;
        self.raw.push(raw);
    }

    fn finish(mut self) -> Found {
        if !self.started {
            return Err("no start event of Dart's test runner is in it".into());
        }
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        for (name, error) in std::mem::take(&mut self.open).into_values() {
            self.raw.push(Raw::new(name, TestStatus::Errored, error));
        }
        let failed = self.raw.iter().any(|r| r.case.status >= TestStatus::Failed);
        match self.done {
            None => causes.push("it has no closing event, so it may be cut off".into()),
            Some(None) => causes.push("the run was stopped".into()),
            Some(Some(false)) if !failed => {
                causes.push("it says that the run failed, and no test did".into());
            }
            _ => {}
        }
        if self.foreign > 0 {
            notes.push(format!("lines that are no events: {}", self.foreign));
        }
        cases::finish(self.raw, Repeats::Tests, notes, causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(lines: &[&str]) -> Reading {
        let start = "{\"protocolVersion\":\"0.1.1\",\"type\":\"start\",\"time\":0}\n";
        (FORMAT.read)(&mut format!("{start}{}\n", lines.join("\n")).as_bytes())
    }

    #[test]
    fn events() {
        let reading = read(&[
            "{\"suite\":{\"id\":0,\"path\":\"test/a_test.dart\"},\"type\":\"suite\"}",
            "{\"group\":{\"id\":2,\"name\":\"Shop\"},\"type\":\"group\"}",
            "{\"test\":{\"id\":1,\"name\":\"loading x\",\"suiteID\":0,\"groupIDs\":[]},\"type\":\"testStart\"}",
            "{\"testID\":1,\"result\":\"success\",\"skipped\":false,\"hidden\":true,\"type\":\"testDone\"}",
            "noise",
            "{\"test\":{\"id\":3,\"name\":\"Shop adds\",\"suiteID\":0,\"groupIDs\":[2]},\"type\":\"testStart\"}",
            "{\"testID\":3,\"error\":\"first\",\"isFailure\":true,\"type\":\"error\"}",
            "{\"testID\":3,\"result\":\"success\",\"skipped\":false,\"hidden\":false,\"type\":\"testDone\"}",
            "{\"test\":{\"id\":4,\"name\":\"Shop never ends\",\"suiteID\":0,\"groupIDs\":[2]},\"type\":\"testStart\"}",
            "{\"success\":false,\"type\":\"done\"}",
        ]);
        let Reading::Figures(f) = reading else { panic!("{reading:?}") };
        let cases = f.tests.unwrap().cases;
        let got: Vec<_> = cases.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
        assert_eq!(
            got,
            [
                ("test/a_test.dart::Shop::adds", TestStatus::Passed, true),
                ("test/a_test.dart::Shop::never ends", TestStatus::Errored, false),
            ]
        );
    }

    #[test]
    fn broken_runs() {
        for lines in [
            &[][..],
            &["{\"success\":null,\"type\":\"done\"}"],
            &["{\"success\":false,\"type\":\"done\"}"],
        ] {
            assert!(matches!(read(lines), Reading::Degraded(..)), "{lines:?}");
        }
        assert!(matches!(read(&["{\"success\":true,\"type\":\"done\"}"]), Reading::Figures(_)));
        for text in ["", "{}", "{\"type\":\"start\"}"] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        }
    }
}
