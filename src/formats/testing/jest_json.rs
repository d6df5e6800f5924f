//! Jest's JSON report (`jest --json`), which vitest writes too (`vitest --reporter=json`): totals and
//! `testResults`, one for each file; jestjs.io, "--json" and "testResultsProcessor".
//!
//! A file that failed though none of its tests did (it does not load, a hook broke) is an errored
//! case. A test that passed after it failed says so by `invocations` (jest) or by failures that it
//! keeps (vitest). Files are named only where equal names in two of them have to be told apart.

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
    name: "jest-json",
    kind: FormatKind::Tests,
    tools: "jest --json, vitest --reporter=json",
    sniff: |head| {
        json_report::shape(head).is_some_and(|s| s.has(&["numTotalTests", "numTotalTestSuites"]))
    },
    read: |input| reading(input, parse),
};

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json_report::read(input, Fields(&mut report))?;
    report.finish()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    assertion_results: Vec<Assertion>,
    #[serde(default)]
    message: Loose,
    name: Text,
    status: Text,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: Vec<Text>,
    title: Text,
    status: Text,
    #[serde(default)]
    failure_messages: Option<Vec<Loose>>,
    #[serde(default)]
    invocations: Num,
}

#[derive(Default)]
struct Report {
    raw: Vec<Raw>,
    files: Option<Vec<Raw>>,
    total: Option<u64>,
    success: Option<bool>,
    interrupted: bool,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "testResults" => {
                let (raw, files) = (&mut self.raw, self.files.get_or_insert_default());
                map.next_value_seed(Each::new(|file: File| {
                    file.add(raw, files);
                    Ok(())
                }))?;
            }
            "numTotalTests" => self.total = map.next_value::<Num>()?.0,
            "success" => self.success = map.next_value()?,
            "wasInterrupted" => self.interrupted = map.next_value::<Option<bool>>()? == Some(true),
            _ => skip(map)?,
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match (self.total, &self.files) {
            (None, _) => Err("key \"numTotalTests\" is missing".into()),
            (_, None) => Err("key \"testResults\" is missing".into()),
            _ => Ok(()),
        }
    }
}

impl File {
    fn add(self, raw: &mut Vec<Raw>, files: &mut Vec<Raw>) {
        let path = paths::from_path(&self.name.0);
        let mut failed = false;
        for assertion in self.assertion_results {
            let mut case = assertion.raw();
            failed |= case.case.status >= TestStatus::Failed;
            case.file.clone_from(&path);
            raw.push(case);
        }
        if self.status.0 == "failed" && !failed {
            let message = self.message.0.as_deref().and_then(cases::message);
            let mut file = Raw::new(String::new(), TestStatus::Errored, message);
            file.file = path;
            files.push(file);
        }
    }
}

impl Assertion {
    fn raw(self) -> Raw {
        let status = match self.status.0.as_str() {
            "passed" => TestStatus::Passed,
            "failed" => TestStatus::Failed,
            "pending" | "skipped" | "todo" | "disabled" => TestStatus::Skipped,
            _ => TestStatus::Errored,
        };
        let said = self.failure_messages.unwrap_or_default();
        let said: Vec<String> = said.into_iter().filter_map(|m| m.0).collect();
        let titles = self.ancestor_titles.iter().map(|t| t.0.as_str());
        let id = cases::id(titles.chain([self.title.0.as_str()]));
        let mut raw = Raw::new(id, status, cases::message(&said.join("\n")));
        let again = !said.is_empty() || self.invocations.0.is_some_and(|n| n > 1);
        raw.case.flaky = again && status == TestStatus::Passed;
        raw
    }
}

impl Report {
    fn finish(self) -> Found {
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        let found = self.raw.len() as u64;
        cases::planned((self.total, found), &mut notes, &mut causes);
        let (mut raw, files) = (self.raw, self.files.unwrap_or_default());
        raw.extend(files);
        let failed = raw.iter().any(|r| r.case.status >= TestStatus::Failed);
        if self.success == Some(false) && !failed {
            causes.push("it says that the run failed, and no test did".into());
        }
        if self.interrupted {
            causes.push("the run was interrupted".into());
        }
        json_report::without_common_folder(&mut raw);
        for raw in raw.iter_mut().filter(|raw| raw.case.id.is_empty()) {
            raw.case.id = std::mem::take(&mut raw.file);
        }
        cases::finish(raw, Repeats::Tests, notes, causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, TestCase};
    use TestStatus::{Errored, Failed, Passed, Skipped};

    fn read(rest: &str) -> (Vec<TestCase>, Vec<String>) {
        match (FORMAT.read)(&mut format!("{{{rest}}}").as_bytes()) {
            Reading::Figures(f) => (f.tests.unwrap().cases, vec![]),
            Reading::Degraded(f, causes) => (f.tests.unwrap().cases, causes),
            Reading::Refused(why) => panic!("{why}"),
        }
    }

    fn test(title: &str, status: &str, rest: &str) -> String {
        format!(
            "{{\"ancestorTitles\":[\"s\"],\"title\":\"{title}\",\"status\":\"{status}\"{rest}}}"
        )
    }

    fn file(name: &str, status: &str, tests: &[String]) -> String {
        let tests = tests.join(",");
        format!(
            "{{\"name\":\"/x/{name}\",\"status\":\"{status}\",\"message\":\"m\",\"assertionResults\":[{tests}]}}"
        )
    }

    #[test]
    fn tests_and_files() {
        let files = [
            file(
                "a.js",
                "failed",
                &[
                    test("a", "passed", ",\"invocations\":2"),
                    test("a", "failed", ",\"failureMessages\":[\"x\"]"),
                    test("b", "passed", ",\"failureMessages\":[\"y\"]"),
                    test("c", "todo", ""),
                ],
            ),
            file("b.js", "failed", &[test("b", "passed", "")]),
        ];
        let (cases, causes) = read(&format!(
            "\"numTotalTests\":5,\"success\":false,\"testResults\":[{}]",
            files.join(",")
        ));
        let got: Vec<_> = cases.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
        assert_eq!(
            got,
            [
                ("s::a", Passed, true),
                ("s::a#2", Failed, false),
                ("s::b@a.js", Passed, true),
                ("s::c", Skipped, false),
                ("s::b@b.js", Passed, false),
                ("b.js", Errored, false),
            ]
        );
        assert_eq!(
            (cases[1].message.as_deref(), cases[5].message.as_deref()),
            (Some("x"), Some("m"))
        );
        assert!(causes.is_empty());
    }

    #[test]
    fn whole_and_broken() {
        assert!(read("\"numTotalTests\":0,\"testResults\":[]").1.is_empty());
        for rest in [
            "\"numTotalTests\":0,\"success\":false,\"testResults\":[]",
            "\"numTotalTests\":3,\"testResults\":[]",
            "\"numTotalTests\":0,\"testResults\":[],\"wasInterrupted\":true",
        ] {
            assert_eq!(read(rest).1.len(), 1, "{rest}");
        }
        for json in ["{}", "[]", "{\"testResults\":[]}", "{\"numTotalTests\":1}"] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
