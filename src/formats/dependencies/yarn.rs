//! Yarn's audits: `yarn audit --json` (Yarn 1) and `yarn npm audit --json` (Yarn 2 and later).
//!
//! Yarn 1 writes a line for each path to an advisory, and at its end a summary; without that it did
//! not finish. Yarn 4 writes a line for each advisory, and nothing at all where it finds none: such a
//! report does not exist, so let the check add what plain `yarn npm audit` says ("No audit
//! suggestions"), which is read as well. Yarn 2 and 3 write npm's older object (`npm_v1`). What Yarn
//! calls a deprecation is no vulnerability.

use std::io::{BufRead, Cursor, Read};

use serde::Deserialize;

use super::gathered::Gathered;
use super::lenient::{Either, advisory_of, text};
use super::npm_v1::{self, Entry};
use super::severity;
use crate::formats::json::{Loose, Text};
use crate::formats::text::{TextReader, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::Reading;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "yarn-audit-json",
    kind: FormatKind::Dependencies,
    tools: "Yarn (yarn audit --json, yarn npm audit --json)",
    sniff,
    read,
};

fn sniff(head: &[u8]) -> bool {
    head_text(head).lines().any(|line| {
        let line = line.trim_start();
        let berry = line.starts_with("{\"value\":") && line.contains("\"Tree Versions\"");
        ["auditAdvisory", "auditSummary", "auditAction"]
            .iter()
            .any(|t| line.starts_with(&format!("{{\"type\":\"{t}\"")))
            || berry
    })
}

/// One object over many lines is of Yarn 2 or 3.
fn read(input: &mut dyn BufRead) -> Reading {
    let mut head = Vec::new();
    if let Err(e) = crate::formats::text::read_up_to(input, 4096, &mut head) {
        return Reading::Refused(format!("it could not be read: {e}"));
    }
    let text = head_text(&head);
    let lines = ["{\"type\"", "{\"value\"", "{\"message\""];
    let object = text.trim_start().starts_with('{')
        && !lines.iter().any(|l| text.trim_start().starts_with(l));
    let mut whole = Cursor::new(head).chain(input);
    reading(&mut whole, if object { npm_v1::parse } else { parse })
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: Option<Text>,
    data: Option<Either<Data>>,
    value: Option<Text>,
    children: Option<Berry>,
}

#[derive(Deserialize)]
struct Data {
    advisory: Option<Entry>,
}

#[derive(Deserialize)]
struct Berry {
    #[serde(rename = "ID")]
    id: Loose,
    #[serde(rename = "URL")]
    url: Option<Text>,
    #[serde(rename = "Severity")]
    severity: Option<Text>,
    #[serde(rename = "Tree Versions", default)]
    versions: super::lenient::Texts,
}

#[derive(Default)]
struct Stream {
    gathered: Gathered,
    /// Lines of Yarn 1, of Yarn 4.
    kinds: [u64; 2],
    finished: bool,
    clean: bool,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut stream, mut line) = (Stream::default(), String::new());
    while next_line(input, &mut line).map_err(|e| e.say())? {
        let text = line.trim();
        if text.starts_with('{') {
            let line = serde_json::from_str(text)
                .map_err(|e| format!("a line of it is cut off or none of Yarn's: {e}"))?;
            stream.line(line);
        }
        stream.clean |= text.contains("No audit suggestions");
    }
    stream.finish()
}

impl Stream {
    fn line(&mut self, line: Line) {
        let kind = line.kind.map(|k| k.0).unwrap_or_default();
        match (kind.as_str(), line.data, line.value.zip(line.children)) {
            ("auditAdvisory", Some(Either::Object(Data { advisory: Some(entry) })), _) => {
                self.kinds[0] += 1;
                entry.add_to(&mut self.gathered, None);
            }
            ("auditAdvisory", ..) => {
                self.gathered.causes.push("an advisory in it cannot be read".into());
            }
            ("auditSummary", ..) => {
                self.kinds[0] += 1;
                self.finished = true;
            }
            ("error", Some(Either::Plain(said)), _) => {
                let first = said.lines().next().unwrap_or_default();
                self.gathered.causes.push(format!("yarn says: {first}"));
            }
            ("info", Some(Either::Plain(said)), _) if said.starts_with("No lockfile") => {
                self.gathered.causes.push(format!("nothing was audited: {said}"));
            }
            (_, _, Some((package, entry))) => {
                self.kinds[1] += 1;
                self.berry(&package.0, entry);
            }
            _ => {}
        }
    }

    fn berry(&mut self, package: &str, entry: Berry) {
        let id = entry.id.0.unwrap_or_default();
        if id.ends_with("(deprecation)") {
            return self.gathered.ignore(|| format!("deprecated: {package}"));
        }
        let said = text(entry.severity);
        let names = advisory_of(&text(entry.url)).or(Some(id));
        let advisory = self.gathered.add(names, package, severity::first(Some(&said), None, None));
        advisory.version = Some(entry.versions.0.join(", ")).filter(|v| !v.is_empty());
    }

    fn finish(mut self) -> Found {
        let [one, four] = self.kinds;
        if one + four == 0 && !self.clean {
            return Err(match self.gathered.causes.first() {
                Some(why) => why.clone(),
                None => "no audit of Yarn is in it".into(),
            });
        }
        if one > 0 && !self.finished {
            self.gathered.causes.push("the audit has no summary: it may be cut off".into());
        }
        Ok(self.gathered.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;

    fn of(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    const SUMMARY: &str = "{\"type\":\"auditSummary\",\"data\":{\"vulnerabilities\":{}}}\n";

    #[test]
    fn yarn_1() {
        let advisory = "{\"type\":\"auditAdvisory\",\"data\":{\"resolution\":{},\"advisory\":{\"module_name\":\"a\",\"id\":1,\"severity\":\"critical\"}}}\n";
        let Reading::Figures(f) = of(&format!("{advisory}{advisory}{SUMMARY}")) else { panic!() };
        assert_eq!(f.dependencies.unwrap().advisories.len(), 1);
        assert!(matches!(of(advisory), Reading::Degraded(..)));
        assert!(matches!(of(SUMMARY), Reading::Figures(_)));
        let info = "{\"type\":\"info\",\"data\":\"No lockfile found.\"}\n";
        assert!(matches!(of(&format!("{info}{SUMMARY}")), Reading::Degraded(..)));
        let error = "{\"type\":\"error\",\"data\":\"Error: 405\\n  at\"}\n";
        assert_eq!(of(error), Reading::Refused("yarn says: Error: 405".into()));
        for text in ["{\"type\":\"info\",\"data\":\"x\"}", "{}", "[]", "x", &advisory[..40]] {
            assert!(matches!(of(text), Reading::Refused(_)), "{text}");
        }
    }

    #[test]
    fn yarn_4() {
        let line = "{\"value\":\"a\",\"children\":{\"ID\":\"a (deprecation)\",\"Issue\":\"x\",\"Severity\":\"moderate\",\"Vulnerable Versions\":\"1\",\"Tree Versions\":[\"1\"],\"Dependents\":[]}}\n{\"value\":\"b\",\"children\":{\"ID\":7,\"Issue\":\"x\",\"URL\":\"https://example.org/GHSA-1\",\"Severity\":\"low\",\"Vulnerable Versions\":\"<2\",\"Tree Versions\":[\"1\"],\"Dependents\":[]}}";
        let Reading::Figures(f) = of(line) else { panic!("{:?}", of(line)) };
        let d = f.dependencies.unwrap();
        assert_eq!((d.advisories.len(), d.ignored), (1, 1));
        assert_eq!(
            (d.advisories[0].id.as_str(), d.advisories[0].severity),
            ("GHSA-1", Severity::Low)
        );
        assert!(matches!(of("\u{27a4} YN0001: No audit suggestions\n"), Reading::Figures(_)));
    }
}
