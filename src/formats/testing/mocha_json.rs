//! mocha's JSON report (`mocha --reporter json`): `stats` and four lists; mochajs.org, "JSON".
//!
//! `tests` holds the tests in their order, the other lists say how they ended. `failures` also holds
//! what is no test, a hook that failed: an errored case. A test that passed in a later try is flaky.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::MapAccess;

use super::cases::{self, Raw, Repeats};
use super::json_report;
use crate::formats::json::{Each, Fields, Loose, Num, Object, Text, skip};
use crate::formats::text::TextReader;
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "mocha-json",
    kind: FormatKind::Tests,
    tools: "mocha --reporter json",
    sniff: |head| json_report::shape(head).is_some_and(|s| s.has(&["stats", "tests"])),
    read: |input| reading(input, parse),
};

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json_report::read(input, Fields(&mut report))?;
    report.finish()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    title: Text,
    full_title: Text,
    #[serde(default)]
    file: Loose,
    duration: Option<Num>,
    #[serde(default)]
    current_retry: Num,
    #[serde(default)]
    err: Failure,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure {
    message: Loose,
    stack: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Stats {
    tests: Num,
}

/// What tells a test in the lists, as well as it can be told.
type Key = (String, Option<String>);

impl Item {
    fn key(&self) -> Key {
        (self.full_title.0.clone(), self.file.0.clone())
    }

    fn raw(self, status: TestStatus) -> Raw {
        let class = self.full_title.0.strip_suffix(&self.title.0).unwrap_or_default();
        let id = cases::id([class, &self.title.0]);
        let said = self.err.message.0.filter(|m| !m.trim().is_empty()).or(self.err.stack.0);
        let mut raw = Raw::new(id, status, said.as_deref().and_then(cases::message));
        raw.case.flaky =
            status == TestStatus::Passed && self.current_retry.0.is_some_and(|n| n > 0);
        raw.file = self.file.0.as_deref().map(paths::from_path).unwrap_or_default();
        raw
    }
}

#[derive(Default)]
struct Report {
    stats: Option<Stats>,
    tests: Vec<Item>,
    failures: Option<Vec<Item>>,
    passes: Option<BTreeMap<Key, u64>>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "stats" => self.stats = Some(map.next_value()?),
            "tests" => {
                let tests = &mut self.tests;
                map.next_value_seed(Each::new(|item: Item| {
                    tests.push(item);
                    Ok(())
                }))?;
            }
            "failures" => self.failures = Some(map.next_value()?),
            "passes" => {
                let passes = self.passes.get_or_insert_default();
                map.next_value_seed(Each::new(|item: Item| {
                    *passes.entry(item.key()).or_default() += 1;
                    Ok(())
                }))?;
            }
            _ => skip(map)?,
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match (&self.stats, &self.failures, &self.passes) {
            (None, ..) => Err("key \"stats\" is missing".into()),
            (_, None, _) => Err("key \"failures\" is missing".into()),
            (_, _, None) => Err("key \"passes\" is missing".into()),
            _ => Ok(()),
        }
    }
}

impl Report {
    fn finish(self) -> Found {
        let mut passes = self.passes.unwrap_or_default();
        let mut failed: BTreeMap<Key, u64> = BTreeMap::new();
        let mut raw = Vec::new();
        for item in self.tests {
            let status = match &item {
                Item { err: Failure { message, stack }, .. }
                    if message.0.is_some() || stack.0.is_some() =>
                {
                    *failed.entry(item.key()).or_default() += 1;
                    TestStatus::Failed
                }
                Item { duration: Some(_), .. } if taken(&mut passes, &item.key()) => {
                    TestStatus::Passed
                }
                _ => TestStatus::Skipped,
            };
            raw.push(item.raw(status));
        }
        let found = raw.len() as u64;
        for item in self.failures.unwrap_or_default() {
            if !taken(&mut failed, &item.key()) {
                raw.push(item.raw(TestStatus::Errored));
            }
        }
        json_report::without_common_folder(&mut raw);
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        let declared = self.stats.and_then(|s| s.tests.0);
        cases::planned((declared, found), &mut notes, &mut causes);
        cases::finish(raw, Repeats::Tests, notes, causes)
    }
}

/// Takes one of a key's count, if there is one.
fn taken(counts: &mut BTreeMap<Key, u64>, key: &Key) -> bool {
    match counts.get_mut(key) {
        Some(n) if *n > 0 => {
            *n -= 1;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn lists() {
        let item = |title: &str, rest: &str| {
            format!(
                "{{\"title\":\"{title}\",\"fullTitle\":\"s {title}\",\"file\":\"/x/a.js\",{rest}}}"
            )
        };
        let (p, f) = (
            item("p", "\"duration\":1,\"err\":{},\"currentRetry\":1"),
            item("f", "\"duration\":1,\"err\":{\"message\":\"m\"}"),
        );
        let (s, hook) = (
            item("s", "\"err\":{}"),
            item("\\\"before all\\\" hook", "\"err\":{\"message\":\"h\"}"),
        );
        // `p` was called once more after it had passed
        let json = format!(
            "noise\n{{\"stats\":{{\"tests\":3}},\"tests\":[{p},{f},{s}],\"pending\":[{s}],\"failures\":[{f},{hook},{p}],\"passes\":[{p}]}}"
        );
        let Reading::Figures(figures) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let cases = figures.tests.unwrap().cases;
        let got: Vec<_> = cases.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
        assert_eq!(
            got,
            [
                ("s::p", TestStatus::Passed, true),
                ("s::f", TestStatus::Failed, false),
                ("s::s", TestStatus::Skipped, false),
                ("s::\"before all\" hook", TestStatus::Errored, false),
                ("s::p#2", TestStatus::Errored, false),
            ]
        );
        for json in ["{}", "{\"stats\":{},\"passes\":[],\"tests\":[]}", "{\"stats\":{}", "[]"] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
