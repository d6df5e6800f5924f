//! JSON of `osv-scanner --format json` (google.github.io/osv-scanner/output).
//!
//! `results` › `packages` › `vulnerabilities`; `groups` say which of them are one problem, how bad the
//! worst is, and whether its code is called. A run that finds nothing may write `{"results": []}`,
//! which names no tool.

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::Texts;
use super::osv::Entry;
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "osv-scanner-json",
    kind: FormatKind::Dependencies,
    tools: "OSV-Scanner (osv-scanner --format json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let inside = ["\"packages\"", "\"source\"", "\"ecosystem\""];
        let known = s.has(&["experimental_config"]) || inside.iter().all(|k| text.contains(k));
        !s.list && s.has(&["results"]) && known
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    results: bool,
    foreign: bool,
}

#[derive(Deserialize)]
struct Source {
    #[serde(default)]
    packages: Option<Vec<Package>>,
}

#[derive(Deserialize)]
struct Package {
    package: Named,
    #[serde(default)]
    vulnerabilities: Option<Vec<Entry>>,
    #[serde(default)]
    groups: Option<Vec<Group>>,
}

#[derive(Deserialize)]
struct Named {
    name: Option<Text>,
    version: Option<Text>,
    commit: Option<Text>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    ids: Texts,
    #[serde(default)]
    aliases: Texts,
    max_severity: Option<Loose>,
    #[serde(rename = "experimentalAnalysis", alias = "experimental_analysis")]
    analysis: Option<std::collections::BTreeMap<String, Analysis>>,
}

#[derive(Deserialize)]
struct Analysis {
    called: Option<bool>,
}

impl Group {
    fn holds(&self, id: &str) -> bool {
        self.ids.0.iter().any(|i| i == id)
    }

    /// All of it was looked at, and nothing of it is called.
    fn is_uncalled(&self) -> bool {
        let all = self.analysis.as_ref().filter(|a| !a.is_empty());
        all.is_some_and(|a| a.values().all(|one| one.called == Some(false)))
    }
}

fn add(gathered: &mut Gathered, package: Package) {
    let Named { name, version, commit } = package.package;
    let name = super::lenient::text(name.filter(|n| !n.0.is_empty()).or(commit));
    let groups = package.groups.unwrap_or_default();
    for entry in package.vulnerabilities.unwrap_or_default() {
        let group = groups.iter().find(|g| g.holds(&entry.id.0));
        let id = entry.id.0.clone();
        if group.is_some_and(Group::is_uncalled) {
            gathered.ignore(|| format!("imported and not called: {id} in {name}"));
            continue;
        }
        let of_group = group.into_iter().flat_map(|g| g.ids.0.iter().chain(&g.aliases.0).cloned());
        let worst = group.and_then(|g| g.max_severity.as_ref()?.0.as_deref());
        let bad = entry.severity().max(severity::first(None, None, worst));
        let advisory = gathered.add(entry.names().chain(of_group), &name, bad);
        advisory.version = version.as_ref().map(|v| v.0.clone()).filter(|v| !v.is_empty());
        advisory.fixed_in = entry.fixed_in(&name);
    }
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "results" => {
                self.results = true;
                let gathered = &mut self.gathered;
                map.next_value_seed(Each::new(|source: Source| {
                    let packages = source.packages.ok_or("a result has no \"packages\"")?;
                    packages.into_iter().for_each(|p| add(gathered, p));
                    Ok(())
                }))?;
            }
            // linters of other makers have results too
            "errors" | "metrics" | "paths" | "inspec_version" => {
                self.foreign = true;
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
    if !report.results || report.foreign {
        return Err("no OSV-Scanner report: key \"results\" is missing or of another tool".into());
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn groups_are_one_problem() {
        let json = r#"{"results": [{"source": {"path": "x", "type": "lockfile"}, "packages": [{
            "package": {"name": "a", "version": "1", "ecosystem": "npm"},
            "vulnerabilities": [
              {"id": "GHSA-1", "aliases": ["CVE-1"], "database_specific": {"severity": "MODERATE"},
               "affected": [{"package": {"name": "a"}, "ranges": [{"events": [{"introduced": "0"}, {"fixed": "2"}]}]}]},
              {"id": "PYSEC-1", "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}]},
              {"id": "GO-1"}, {"id": "GO-2"}],
            "groups": [{"ids": ["GHSA-1", "PYSEC-1"], "aliases": ["CVE-1"], "max_severity": "5.5"},
              {"ids": ["GO-1"], "max_severity": "", "experimentalAnalysis": {"GO-1": {"called": false}}},
              {"ids": ["GO-2"], "experimentalAnalysis": {"GO-2": {"called": true}}}]}]}]}"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let d = f.dependencies.unwrap();
        let got: Vec<_> = d.advisories.iter().map(|a| (a.id.as_str(), a.severity)).collect();
        assert_eq!(got, [("GHSA-1", Severity::Critical), ("GO-2", Severity::Unknown)]);
        assert_eq!((d.ignored, d.advisories[0].fixed_in.as_deref()), (1, Some("2")));
    }

    #[test]
    fn empty_and_foreign() {
        for json in ["{\"results\": []}", "{\"results\": null}"] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Figures(_)), "{json}");
        }
        for json in
            ["{}", "[]", r#"{"results": [], "errors": []}"#, r#"{"results": [{"check_id": 1}]}"#]
        {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
