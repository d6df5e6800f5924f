//! RSpec's JSON report (`rspec --format json`): `examples` and `summary`; rspec.info, "JSON formatter".
//!
//! An example is told by its file and its descriptions. Errors outside of examples (a file that does
//! not load) leave its examples out, so the run is not whole.

use serde::Deserialize;
use serde::de::MapAccess;

use super::cases::{self, Raw, Repeats};
use super::json_report;
use crate::formats::json::{Each, Fields, Loose, Num, Object, Text, skip};
use crate::formats::text::{TextReader, clip};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::TestStatus;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "rspec-json",
    kind: FormatKind::Tests,
    tools: "rspec --format json",
    sniff: |head| {
        json_report::shape(head).is_some_and(|s| {
            s.has(&["version", "examples"]) || s.has(&["examples", "summary_line"])
        })
    },
    read: |input| reading(input, parse),
};

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json_report::read(input, Fields(&mut report))?;
    report.finish()
}

#[derive(Deserialize)]
struct Example {
    description: Text,
    #[serde(default)]
    full_description: Text,
    status: Text,
    #[serde(default)]
    file_path: Loose,
    exception: Option<Exception>,
    #[serde(default)]
    pending_message: Loose,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(default)]
    class: Loose,
    #[serde(default)]
    message: Loose,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Summary {
    example_count: Num,
    errors_outside_of_examples_count: Num,
}

#[derive(Default)]
struct Report {
    raw: Vec<Raw>,
    examples: bool,
    summary: Option<Summary>,
    messages: Vec<Loose>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "examples" => {
                self.examples = true;
                let raw = &mut self.raw;
                map.next_value_seed(Each::new(|example: Example| {
                    raw.push(example.raw());
                    Ok(())
                }))?;
            }
            "summary" => self.summary = Some(map.next_value()?),
            "messages" => self.messages = map.next_value()?,
            _ => skip(map)?,
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        match (self.examples, &self.summary) {
            (false, _) => Err("key \"examples\" is missing".into()),
            (_, None) => Err("key \"summary\" is missing".into()),
            _ => Ok(()),
        }
    }
}

impl Example {
    fn raw(self) -> Raw {
        let exception = self.exception.as_ref();
        // what a matcher did not find, or a pending example that passes; else the code broke
        let class = exception.and_then(|e| e.class.0.as_deref()).unwrap_or_default();
        let expected = class.is_empty()
            || ["Expectation", "Assert", "PendingExampleFixed"].iter().any(|w| class.contains(w));
        let status = match self.status.0.as_str() {
            "passed" => TestStatus::Passed,
            "pending" => TestStatus::Skipped,
            "failed" if expected => TestStatus::Failed,
            _ => TestStatus::Errored,
        };
        let file = self.file_path.0.as_deref().map(paths::from_path).unwrap_or_default();
        let group = self.full_description.0.strip_suffix(&self.description.0).unwrap_or_default();
        let said =
            exception.and_then(|e| e.message.0.as_deref()).or(self.pending_message.0.as_deref());
        let id = cases::id([file.as_str(), group, &self.description.0]);
        Raw::new(id, status, said.and_then(cases::message))
    }
}

impl Report {
    fn finish(self) -> Found {
        let summary = self.summary.unwrap_or_default();
        let (mut notes, mut causes) = (Vec::new(), Vec::new());
        let declared = summary.example_count.0;
        cases::planned((declared, self.raw.len() as u64), &mut notes, &mut causes);
        if let Some(errors) = summary.errors_outside_of_examples_count.0.filter(|n| *n > 0) {
            causes.push(format!("errors outside of examples: {errors}"));
            for message in self.messages.into_iter().filter_map(|m| m.0) {
                note(&mut notes, || clip(message.trim(), cases::MAX_MESSAGE));
            }
        }
        cases::finish(self.raw, Repeats::Tests, notes, causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn examples() {
        for (rest, status) in [
            ("\"status\":\"passed\"", TestStatus::Passed),
            ("\"status\":\"pending\",\"pending_message\":\"later\"", TestStatus::Skipped),
            (
                "\"status\":\"failed\",\"exception\":{\"class\":\"RSpec::Expectations::ExpectationNotMetError\",\"message\":\"m\"}",
                TestStatus::Failed,
            ),
            (
                "\"status\":\"failed\",\"exception\":{\"class\":\"NoMethodError\"}",
                TestStatus::Errored,
            ),
            ("\"status\":\"odd\"", TestStatus::Errored),
        ] {
            let json = format!(
                "{{\"examples\":[{{\"description\":\"adds\",\"full_description\":\"Shop adds\",\"file_path\":\"./a_spec.rb\",{rest}}}],\"summary\":{{\"example_count\":1}}}}"
            );
            let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!("{json}") };
            let case = &f.tests.unwrap().cases[0];
            assert_eq!((case.id.as_str(), case.status), ("a_spec.rb::Shop::adds", status));
        }
    }

    #[test]
    fn whole_and_broken() {
        let read = |json: &str| (FORMAT.read)(&mut json.as_bytes());
        assert!(matches!(
            read("{\"examples\":[],\"summary\":{\"example_count\":0}}"),
            Reading::Figures(_)
        ));
        for json in [
            "{\"examples\":[],\"summary\":{\"example_count\":3}}",
            "{\"messages\":[\"no file\"],\"examples\":[],\"summary\":{\"errors_outside_of_examples_count\":1}}",
        ] {
            assert!(matches!(read(json), Reading::Degraded(..)), "{json}");
        }
        for json in [
            "{}",
            "[]",
            "{\"examples\":[]}",
            "{\"summary\":{}}",
            "{\"examples\":[{\"a\":1}],\"summary\":{}}",
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
    }
}
