//! The older answer of npm's registry, by advisory: `npm audit --json` of npm 6, `pnpm audit --json`,
//! and (as one object) `yarn npm audit --json` of Yarn 2 and 3.
//!
//! Each entry of `advisories` is one; its `findings` are the places of it. What pnpm writes differs in
//! its paths, which start at a workspace (`.>lodash`), and since version 11 in having no `actions`.
//! A clean report of an older pnpm is to the letter one of npm 6.

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Entries, Texts, advisory_of, filled, text};
use super::severity;
use crate::formats::json::{self, Fields, Loose, Object, Shape, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const NPM: Format = Format {
    name: "npm-audit-json-v1",
    kind: FormatKind::Dependencies,
    tools: "npm 6 (npm audit --json)",
    sniff: sniff_npm,
    read: |input| reading(input, parse),
};

/// The other row of the table.
pub(super) const PNPM: Format = Format {
    name: "pnpm-audit-json",
    kind: FormatKind::Dependencies,
    tools: "pnpm (pnpm audit --json)",
    sniff: sniff_pnpm,
    read: |input| reading(input, parse),
};

fn sniff_npm(head: &[u8]) -> bool {
    told(head).is_some_and(|(s, of_pnpm)| s.has(&["actions"]) && !of_pnpm)
}

fn sniff_pnpm(head: &[u8]) -> bool {
    told(head).is_some_and(|(s, of_pnpm)| of_pnpm || s.has(&["metadata"]) && !s.has(&["actions"]))
}

/// The shape of an audit of this kind, and whether its paths are pnpm's.
fn told(head: &[u8]) -> Option<(Shape, bool)> {
    let text = head_text(head);
    let shape = json::shape(&text).filter(|s| !s.list && s.has(&["advisories"]))?;
    let of_pnpm = text.contains("\".>");
    Some((shape, of_pnpm))
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    advisories: bool,
    metadata: bool,
    failed: Option<String>,
    muted: u64,
}

/// One advisory, as Yarn 1 writes it too.
#[derive(Deserialize)]
pub(super) struct Entry {
    module_name: Option<Text>,
    id: Option<Loose>,
    github_advisory_id: Option<Text>,
    #[serde(default)]
    cves: Texts,
    url: Option<Text>,
    severity: Option<Text>,
    cvss: Option<severity::Cvss>,
    patched_versions: Option<Text>,
    findings: Option<Vec<Place>>,
}

#[derive(Deserialize)]
struct Place {
    version: Option<Text>,
}

/// What the registry says where it does not answer.
#[derive(Deserialize)]
struct Failure {
    summary: Option<Loose>,
    message: Option<Loose>,
    code: Option<Loose>,
}

impl Entry {
    /// Adds it; `key` is what the report lists it under.
    pub(super) fn add_to(self, gathered: &mut Gathered, key: Option<&str>) {
        let bad = severity::of_npm(self.severity, self.cvss);
        let known = filled(self.github_advisory_id).or_else(|| advisory_of(&text(self.url)));
        let mut names: Vec<String> = known.into_iter().chain(self.cves.0).collect();
        if names.is_empty() {
            names.extend(self.id.and_then(|id| id.0).or_else(|| key.map(str::to_owned)));
        }
        let advisory = gathered.add(names, &text(self.module_name), bad);
        let versions: Vec<String> =
            self.findings.into_iter().flatten().filter_map(|f| filled(f.version)).collect();
        advisory.version = (!versions.is_empty()).then(|| versions.join(", "));
        // npm's way to say "none"
        advisory.fixed_in = filled(self.patched_versions).filter(|v| v != "<0.0.0");
    }
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "advisories" => {
                self.advisories = true;
                let gathered = &mut self.gathered;
                let mut each = Entries::new(|k: &str, e: Entry| e.add_to(gathered, Some(k)));
                map.next_value_seed(Fields(&mut each))?;
            }
            "metadata" => {
                skip(map)?;
                self.metadata = true;
            }
            "muted" => {
                let muted = map.next_value::<Option<Vec<serde::de::IgnoredAny>>>()?;
                self.muted = muted.map_or(0, |m| m.len() as u64);
            }
            "error" => {
                let f = map.next_value::<super::lenient::Either<Failure>>()?.object();
                let said = f.and_then(|f| {
                    [f.summary, f.message, f.code].into_iter().flatten().find_map(|t| t.0)
                });
                self.failed = Some(said.unwrap_or_else(|| "it names no cause".into()));
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Reads such an object.
pub(super) fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if let Some(why) = report.failed {
        return Err(format!("the audit failed: {why}"));
    }
    if !report.advisories || !report.metadata {
        return Err("no audit: keys \"advisories\" and \"metadata\" are missing".into());
    }
    if report.muted > 0 {
        report.gathered.suppressed = report.muted;
        report.gathered.note(|| format!("muted advisories: {}", report.muted));
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn an_advisory_of_two_places() {
        let json = r#"{"actions": [], "muted": [1], "advisories": {"7": {"module_name": "a", "id": 7,
            "github_advisory_id": "GHSA-1", "cves": ["CVE-1", null], "severity": "moderate",
            "patched_versions": "<0.0.0", "findings": [{"version": "1.0", "paths": ["a"]},
            {"version": "2.0", "paths": ["b>a"]}]},
            "8": {"module_name": "b", "severity": "odd"}}, "metadata": {}}"#;
        let Reading::Figures(f) = (NPM.read)(&mut json.as_bytes()) else { panic!() };
        let dependencies = f.dependencies.unwrap();
        assert_eq!(dependencies.suppressed, 1);
        let [b, a] = dependencies.advisories.as_slice() else { panic!() };
        assert_eq!((b.id.as_str(), b.severity), ("8", Severity::Unknown));
        assert_eq!((a.id.as_str(), a.severity, a.aliases.len()), ("GHSA-1", Severity::Medium, 1));
        assert_eq!((a.version.as_deref(), a.fixed_in.as_deref()), (Some("1.0, 2.0"), None));
    }

    #[test]
    fn whose_it_is() {
        let npm =
            br#"{"actions": [], "advisories": {}, "muted": [], "metadata": {}, "runId": "1"}"#;
        let pnpm = br#"{"advisories": {"1": {"findings": [{"paths": [".>a"]}]}}, "metadata": {}}"#;
        assert!(sniff_npm(npm) && !sniff_pnpm(npm));
        assert!(sniff_pnpm(pnpm) && !sniff_npm(pnpm));
    }

    #[test]
    fn what_is_no_audit() {
        let failed = r#"{"error": {"code": "ENOAUDIT", "summary": "no audit"}}"#;
        for json in [failed, "{}", "[]", r#"{"advisories": {}}"#, r#"{"metadata": {}}"#] {
            assert!(matches!((PNPM.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
