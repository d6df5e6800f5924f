//! JSON of `grype -o json` (github.com/anchore/grype, `presenter/models`).
//!
//! A match is an advisory at a package in one place; the same in several places counts once. The
//! related vulnerabilities of a match are other names of it. `ignoredMatches` are what ignore rules
//! and VEX documents put aside.

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

use super::gathered::Gathered;
use super::lenient::{Texts, any_of, text};
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "grype-json",
    kind: FormatKind::Dependencies,
    tools: "Grype (grype -o json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let inside = ["\"artifact\"", "\"matchDetails\"", "\"relatedVulnerabilities\""];
        let known = s.has(&["source", "descriptor"]) || inside.iter().any(|k| text.contains(k));
        !s.list && s.has(&["matches"]) && known
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    matches: bool,
    known: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Match {
    vulnerability: Vulnerability,
    #[serde(default)]
    related_vulnerabilities: Option<Vec<Related>>,
    artifact: Artifact,
}

#[derive(Deserialize)]
struct Vulnerability {
    id: Text,
    severity: Option<Text>,
    fix: Option<Fix>,
    #[serde(default)]
    cvss: Option<Vec<Cvss>>,
}

#[derive(Deserialize)]
struct Related {
    id: Text,
}

#[derive(Deserialize)]
struct Fix {
    #[serde(default)]
    versions: Texts,
}

#[derive(Deserialize)]
struct Cvss {
    vector: Option<Loose>,
}

#[derive(Deserialize)]
struct Artifact {
    name: Text,
    version: Option<Text>,
}

fn add(gathered: &mut Gathered, m: Match) {
    let vectors = m.vulnerability.cvss.unwrap_or_default();
    let worst =
        vectors.iter().filter_map(|c| severity::vector(c.vector.as_ref()?.0.as_deref()?)).max();
    let said = m.vulnerability.severity.and_then(|s| severity::word(&s.0));
    let bad = said.or(worst).unwrap_or(crate::model::Severity::Unknown);
    let mut related = m.related_vulnerabilities.unwrap_or_default();
    // several are what a bulletin covers, not other names of one
    if related.len() > 1 {
        related.clear();
    }
    let names = std::iter::once(m.vulnerability.id.0).chain(related.into_iter().map(|r| r.id.0));
    let advisory = gathered.add(names, &m.artifact.name.0, bad);
    advisory.version = Some(text(m.artifact.version)).filter(|v| !v.is_empty());
    let fixed = m.vulnerability.fix.map(|f| f.versions.0).unwrap_or_default();
    advisory.fixed_in = any_of(&fixed);
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "matches" => {
                self.matches = true;
                let gathered = &mut self.gathered;
                map.next_value_seed(Each::new(|m: Match| {
                    add(gathered, m);
                    Ok(())
                }))?;
                self.known |= !self.gathered.is_empty();
            }
            "ignoredMatches" => {
                let ignored =
                    map.next_value::<Option<Vec<IgnoredAny>>>()?.map_or(0, |i| i.len() as u64);
                self.gathered.suppressed = ignored;
                if ignored > 0 {
                    self.gathered.note(|| format!("matches put aside by rules: {ignored}"));
                }
            }
            "descriptor" | "source" => {
                self.known = true;
                skip(map)?;
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.matches || !report.known {
        return Err("no Grype report: key \"matches\" or \"descriptor\" is missing".into());
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn matches() {
        let one = |id: &str, severity: &str, place: &str| {
            format!(
                r#"{{"vulnerability": {{"id": "{id}", "severity": "{severity}", "fix": {{"versions": ["2"], "state": "fixed"}}}},
                "relatedVulnerabilities": [{{"id": "CVE-1"}}], "matchDetails": [],
                "artifact": {{"name": "a", "version": "1", "locations": [{{"path": "{place}"}}]}}}}"#
            )
        };
        let list = [
            one("GHSA-1", "Negligible", "/a"),
            one("GHSA-1", "High", "/b"),
            one("CVE-1", "Unknown", "/a"),
        ];
        let json = format!("{{\"matches\": [{}], \"ignoredMatches\": [{{}}]}}", list.join(","));
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let d = f.dependencies.unwrap();
        assert_eq!((d.advisories.len(), d.suppressed), (1, 1));
        assert_eq!(
            (d.advisories[0].severity, d.advisories[0].id.as_str()),
            (Severity::High, "GHSA-1")
        );
    }

    #[test]
    fn empty_and_foreign() {
        let clean = r#"{"matches": [], "source": {}, "descriptor": {"name": "grype"}}"#;
        assert!(sniff(clean.as_bytes()));
        assert!(matches!((FORMAT.read)(&mut clean.as_bytes()), Reading::Figures(_)));
        for json in
            ["{}", "[]", r#"{"matches": []}"#, r#"{"matches": [{}]}"#, r#"{"descriptor": {}}"#]
        {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
