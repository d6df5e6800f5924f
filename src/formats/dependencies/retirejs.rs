//! JSON of `retire --outputformat json` (github.com/RetireJS/retire.js): files with the libraries
//! found in them. What `errors` says kept it from looking.

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Texts, filled, text};
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "retirejs-json",
    kind: FormatKind::Dependencies,
    tools: "Retire.js (retire --outputformat json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let keys = ["version", "start", "data"];
    json::shape(&head_text(head)).is_some_and(|s| !s.list && s.has(&keys))
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    data: bool,
    errors: bool,
}

#[derive(Deserialize)]
struct File {
    results: Vec<Library>,
}

#[derive(Deserialize)]
struct Library {
    component: Text,
    npmname: Option<Text>,
    version: Option<Text>,
    #[serde(default)]
    vulnerabilities: Option<Vec<Vulnerability>>,
}

#[derive(Deserialize)]
struct Vulnerability {
    severity: Option<Text>,
    below: Option<Text>,
    #[serde(default)]
    identifiers: Identifiers,
}

#[derive(Default, Deserialize)]
struct Identifiers {
    #[serde(rename = "githubID")]
    github: Option<Text>,
    #[serde(default, rename = "CVE")]
    cve: Texts,
    issue: Option<Loose>,
    bug: Option<Loose>,
    summary: Option<Loose>,
}

impl Identifiers {
    /// The numbers of a project's own tracker stand in only where nothing else does.
    fn names(self) -> Vec<String> {
        let known: Vec<String> = self.github.map(|g| g.0).into_iter().chain(self.cve.0).collect();
        if !known.is_empty() {
            return known;
        }
        let own = self.issue.or(self.bug).and_then(|n| n.0).map(|n| format!("issue {n}"));
        own.or_else(|| self.summary.and_then(|s| s.0)).into_iter().collect()
    }
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "data" => {
                self.data = true;
                let gathered = &mut self.gathered;
                map.next_value_seed(Each::new(|file: File| {
                    file.results.into_iter().for_each(|l| add(gathered, l));
                    Ok(())
                }))?;
            }
            "errors" => {
                self.errors = true;
                let said = map.next_value::<Texts>()?.0.into_iter();
                self.gathered.causes.extend(
                    said.map(|e| format!("retire says: {}", e.lines().next().unwrap_or_default())),
                );
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

fn add(gathered: &mut Gathered, library: Library) {
    let name = filled(library.npmname).unwrap_or(library.component.0);
    let version = Some(text(library.version)).filter(|v| !v.is_empty());
    for v in library.vulnerabilities.into_iter().flatten() {
        let said = v.severity.map(|s| s.0);
        let bad = severity::first(said.as_deref(), None, None);
        let advisory = gathered.add(v.identifiers.names(), &name, bad);
        advisory.version.clone_from(&version);
        advisory.fixed_in = filled(v.below);
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.data || !report.errors {
        return Err("no Retire.js report: key \"data\" or \"errors\" is missing".into());
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn names_and_errors() {
        let json = |errors: &str| {
            format!(
                r#"{{"version": "5", "start": "t", "data": [{{"file": "a.js", "results": [{{"component": "a", "version": "1",
                "vulnerabilities": [{{"severity": "medium", "identifiers": {{"CVE": "CVE-1", "issue": "7"}}, "below": "2"}},
                {{"severity": "none", "identifiers": {{"bug": 7}}}}, {{"identifiers": {{"summary": "s"}}}}]}}]}}],
                "messages": [], "errors": [{errors}]}}"#
            )
        };
        let Reading::Figures(f) = (FORMAT.read)(&mut json("").as_bytes()) else { panic!() };
        let list = f.dependencies.unwrap().advisories;
        let got: Vec<_> = list.iter().map(|a| (a.id.as_str(), a.severity)).collect();
        let want =
            [("CVE-1", Severity::Medium), ("issue 7", Severity::Low), ("s", Severity::Unknown)];
        assert_eq!(got, want);
        assert!(matches!((FORMAT.read)(&mut json("\"no\"").as_bytes()), Reading::Degraded(..)));
    }

    #[test]
    fn foreign() {
        for json in ["{}", "[]", r#"{"data": []}"#] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
