//! Events of `go test -json` (`go doc test2json`), one JSON object a line.
//!
//! A package may fail without any failing test (it does not compile, `TestMain` exits, a panic): then
//! the package itself is an errored case. A test that ran and has no end is an errored one. Within one
//! run of a package a test may run several times (`-count`), and a failure of any of them counts; a
//! package that is run again (gotestsum `--rerun-fails`) was retried, and its last run counts. Lines
//! that are no event are passed over and noted, but for the plain `FAIL package` of older releases.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::cases::{self, Raw, Repeats, gather};
use crate::formats::json::Text;
use crate::formats::text::{TextReader, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, note, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "go-test-json",
    kind: FormatKind::Tests,
    tools: "go test -json, gotestsum --jsonfile",
    sniff,
    read: |input| reading(input, parse),
};

/// What an event can be.
const ACTIONS: [&str; 13] = [
    "start",
    "run",
    "pause",
    "cont",
    "pass",
    "bench",
    "fail",
    "output",
    "skip",
    "attr",
    "artifacts",
    "build-output",
    "build-fail",
];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: Text,
    package: Option<Text>,
    test: Option<Text>,
    output: Option<Text>,
    import_path: Option<Text>,
}

fn event(line: &str) -> Option<Event> {
    let event: Event = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
    let known = ACTIONS.contains(&event.action.0.as_str());
    (known && (event.package.is_some() || event.import_path.is_some())).then_some(event)
}

fn sniff(head: &[u8]) -> bool {
    head_text(head).lines().any(|line| event(line.trim()).is_some())
}

/// A test in the current run of its package.
#[derive(Default)]
struct Test {
    /// Started and not ended.
    open: bool,
    status: Option<TestStatus>,
    said: String,
}

/// A package from its first event to its end.
#[derive(Default)]
struct Package {
    tests: BTreeMap<String, Test>,
    /// Names in the order in which they started.
    order: Vec<String>,
    said: String,
    open: bool,
}

#[derive(Default)]
struct Stream {
    packages: BTreeMap<String, Package>,
    /// Packages that failed by themselves so far.
    failed: BTreeSet<String>,
    /// What the compiler said, by package.
    builds: BTreeMap<String, String>,
    raw: Vec<Raw>,
    events: u64,
    foreign: u64,
    /// The line before this point is the start of an event and no more.
    cut: bool,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut stream, mut line) = (Stream::default(), String::new());
    while next_line(input, &mut line).map_err(|e| e.say())? {
        stream.line(line.trim());
    }
    stream.finish()
}

impl Stream {
    fn line(&mut self, line: &str) {
        self.cut = false;
        if let Some(event) = event(line) {
            self.events += 1;
            self.event(event);
        } else if let Some(package) = failed_plainly(line) {
            self.end_package(package, Some(TestStatus::Failed));
        } else if !line.is_empty() {
            self.foreign += 1;
            self.cut = line.starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_err();
        }
    }

    fn event(&mut self, event: Event) {
        let output = event.output.map(|t| t.0).unwrap_or_default();
        let action = event.action.0.as_str();
        if action.starts_with("build-") {
            // the path names the variant too: "shop [shop.test]"
            let path = event.import_path.or(event.package).map(|p| p.0).unwrap_or_default();
            let path = path.split_whitespace().next().unwrap_or_default();
            gather(self.builds.entry(path.to_owned()).or_default(), &output);
            return;
        }
        let Some(name) = event.package.map(|p| p.0) else { return };
        let ended = match action {
            "pass" | "bench" => Some(TestStatus::Passed),
            "skip" => Some(TestStatus::Skipped),
            "fail" => Some(TestStatus::Failed),
            _ => None,
        };
        match event.test.map(|t| t.0) {
            None if ended.is_some() && action != "bench" => self.end_package(&name, ended),
            None => {
                let package = self.packages.entry(name).or_default();
                package.open |= action == "start";
                gather(&mut package.said, &output);
            }
            Some(test) => {
                let package = self.packages.entry(name).or_default();
                package.open = true;
                package.test(test, action, ended, &output);
            }
        }
    }

    fn end_package(&mut self, name: &str, ended: Option<TestStatus>) {
        let package = self.packages.remove(name).unwrap_or_default();
        let mut failed = false;
        for (test, status, said) in package.ends() {
            failed |= status >= TestStatus::Failed;
            self.raw.push(Raw::new(cases::id([name, &test]), status, cases::message(&said)));
        }
        let build = self.builds.remove(name).unwrap_or_default();
        if ended == Some(TestStatus::Failed) && !failed {
            let said = if build.is_empty() { &package.said } else { &build };
            let (status, message) = (TestStatus::Errored, cases::message(said));
            self.raw.push(Raw::new(name.to_owned(), status, message));
            self.failed.insert(name.to_owned());
        } else if ended == Some(TestStatus::Passed) && self.failed.contains(name) {
            self.raw.push(Raw::new(name.to_owned(), TestStatus::Passed, None));
        }
    }

    fn finish(mut self) -> Found {
        if self.events == 0 {
            return Err("no event of go test is in it".into());
        }
        let (mut causes, mut notes) = (Vec::new(), Vec::new());
        let open: Vec<String> =
            self.packages.iter().filter(|(_, p)| p.open).map(|(name, _)| name.clone()).collect();
        for name in open {
            note(&mut causes, || format!("{name} has no end, so the run was stopped or cut off"));
            self.end_package(&name, None);
        }
        if self.foreign > 0 {
            notes.push(format!("lines that are no events: {}", self.foreign));
        }
        if self.cut {
            causes.push("its last line is cut off".into());
        }
        cases::finish(self.raw, Repeats::Runs, notes, causes)
    }
}

impl Package {
    fn test(&mut self, name: String, action: &str, ended: Option<TestStatus>, output: &str) {
        if !self.tests.contains_key(&name) {
            self.order.push(name.clone());
        }
        let test = self.tests.entry(name).or_default();
        test.open |= action == "run";
        if let Some(ended) = ended {
            test.open = false;
            test.status = test.status.max(Some(ended));
        }
        // what go itself says about start and end is no message
        let frame = ["=== ", "--- "].iter().any(|start| output.trim_start().starts_with(start));
        if action == "output" && !frame {
            gather(&mut test.said, output);
        }
    }

    /// How each test ended, in the order of their starts.
    fn ends(&self) -> Vec<(String, TestStatus, String)> {
        let end = |name: &String| {
            let test = self.tests.get(name)?;
            let status = if test.open { Some(TestStatus::Errored) } else { test.status };
            // one that only printed something and never started is none
            Some((name.clone(), status?, test.said.clone()))
        };
        self.order.iter().filter_map(end).collect()
    }
}

/// The package of `FAIL package [build failed]`, a line that older releases write plainly.
fn failed_plainly(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("FAIL\t")?;
    let package = rest.split_whitespace().next()?;
    rest.ends_with(']').then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;
    use TestStatus::{Errored, Failed, Passed, Skipped};

    /// `action package test`, one a line; what is no event stays as it is.
    fn read(script: &str) -> (Vec<(String, TestStatus, bool)>, Vec<String>) {
        let line = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                [action, package] if ACTIONS.contains(action) => {
                    format!("{{\"Action\":\"{action}\",\"Package\":\"{package}\"}}\n")
                }
                [action, package, test] if ACTIONS.contains(action) => format!(
                    "{{\"Action\":\"{action}\",\"Package\":\"{package}\",\"Test\":\"{test}\"}}\n"
                ),
                _ => format!("{line}\n"),
            }
        };
        let json: String = script.split(';').map(line).collect();
        let (figures, causes) = match (FORMAT.read)(&mut json.as_bytes()) {
            Reading::Figures(f) => (f, vec![]),
            Reading::Degraded(f, causes) => (f, causes),
            Reading::Refused(why) => panic!("{why}: {json}"),
        };
        let cases = figures.tests.unwrap().cases;
        (cases.into_iter().map(|c| (c.id, c.status, c.flaky)).collect(), causes)
    }

    #[test]
    fn packages_and_tests() {
        for (script, want) in [
            ("start p;run p A;pass p A;pass p", vec![("p::A", Passed, false)]),
            (
                "run p A;run p A/x;fail p A/x;fail p A;fail p",
                vec![("p::A", Failed, false), ("p::A/x", Failed, false)],
            ),
            ("run p A;skip p A;pass p;skip q", vec![("p::A", Skipped, false)]),
            // it fails by itself
            ("run p A;pass p A;fail p", vec![("p::A", Passed, false), ("p", Errored, false)]),
            ("start p;fail p", vec![("p", Errored, false)]),
            ("skip q;FAIL\tp [build failed];FAIL", vec![("p", Errored, false)]),
            // no end
            ("run p A;fail p", vec![("p::A", Errored, false)]),
            // -count
            ("run p A;fail p A;run p A;pass p A;fail p", vec![("p::A", Failed, false)]),
            // run again
            ("run p A;fail p A;fail p;run p A;pass p A;pass p", vec![("p::A", Passed, true)]),
            ("run p A;fail p A;fail p;run p A;fail p A;fail p", vec![("p::A", Failed, false)]),
            (
                "start p;fail p;run p A;pass p A;pass p",
                vec![("p", Passed, true), ("p::A", Passed, false)],
            ),
        ] {
            let (got, causes) = read(script);
            let got: Vec<_> = got.iter().map(|(id, s, f)| (id.as_str(), *s, *f)).collect();
            assert_eq!((got, causes.len()), (want, 0), "{script}");
        }
    }

    #[test]
    fn what_does_not_compile() {
        let json = "{\"ImportPath\":\"p [p.test]\",\"Action\":\"build-output\",\"Output\":\"undefined: x\\n\"}\n\
             {\"ImportPath\":\"p [p.test]\",\"Action\":\"build-fail\"}\n\
             {\"Action\":\"start\",\"Package\":\"p\"}\n\
             {\"Action\":\"fail\",\"Package\":\"p\",\"FailedBuild\":\"p [p.test]\"}\n";
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let case = &f.tests.unwrap().cases[0];
        assert_eq!((case.id.as_str(), case.status), ("p", Errored));
        assert_eq!(case.message.as_deref(), Some("undefined: x"));
    }

    #[test]
    fn stopped_and_foreign() {
        let (cases, causes) = read("run p A;pass p A;run p B");
        assert_eq!((cases.len(), cases[1].1, causes.len()), (2, Errored, 1));
        assert_eq!(read("pass p;{\"Action\":\"ru").1, ["its last line is cut off"]);
        assert!(read("noise;pass p;{\"a\":1}").1.is_empty());
        for text in ["", "{}", "{\"Action\":\"deploy\",\"Package\":\"p\"}", "ok  \tp\t0.1s\n"] {
            let mut bytes = text.as_bytes();
            assert!(matches!((FORMAT.read)(&mut bytes), Reading::Refused(_)), "{text}");
            assert!(!sniff(text.as_bytes()), "{text}");
        }
    }
}
