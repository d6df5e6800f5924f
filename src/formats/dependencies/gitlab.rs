//! GitLab's dependency scanning report (`gl-dependency-scanning-report.json`, schema 14 and 15).

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Either, filled, text};
use super::severity;
use crate::formats::json::{self, Each, Fields, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "gitlab-dep-scan-json",
    kind: FormatKind::Dependencies,
    tools: "GitLab dependency scanning",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let named = text.contains("\"dependency_scanning\"");
        !s.list && s.has(&["version", "vulnerabilities"]) && (s.has(&["dependency_files"]) || named)
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    vulnerabilities: bool,
    of_dependencies: bool,
}

#[derive(Deserialize)]
struct Vulnerability {
    id: Option<Text>,
    severity: Option<Text>,
    location: Option<Location>,
    #[serde(default)]
    identifiers: Vec<Identifier>,
}

#[derive(Deserialize)]
struct Location {
    file: Option<Text>,
    dependency: Option<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    package: Option<Package>,
    version: Option<Text>,
}

#[derive(Deserialize)]
struct Package {
    name: Option<Text>,
}

#[derive(Deserialize)]
struct Identifier {
    #[serde(rename = "type")]
    kind: Option<Text>,
    value: Text,
}

#[derive(Deserialize)]
struct Scan {
    #[serde(rename = "type")]
    kind: Option<Text>,
    status: Option<Text>,
}

/// Those of them that name something at all, where nothing else does.
const BULLETINS: &[&str] = &["rhsa", "elsa", "usn", "dsa", "dla"];

/// Kinds of identifiers that many advisories share: weaknesses, and bulletins of distributions.
const SHARED: &[&str] = &["cwe", "owasp", "capec", "wasc", "rhsa", "elsa", "usn", "dsa", "dla"];

fn add(gathered: &mut Gathered, v: Vulnerability) {
    let (shared, own): (Vec<_>, Vec<_>) = v
        .identifiers
        .into_iter()
        .map(|i| (text(i.kind), i.value.0))
        .partition(|(kind, _)| SHARED.contains(&kind.as_str()));
    let mut names: Vec<String> = own.into_iter().map(|(_, value)| value).collect();
    if names.is_empty() {
        let bulletin = shared.into_iter().find(|(kind, _)| BULLETINS.contains(&kind.as_str()));
        names.extend(bulletin.map(|(_, value)| value).or_else(|| filled(v.id)));
    }
    let (file, dependency) = v.location.map_or((None, None), |l| (l.file, l.dependency));
    let (package, version) = dependency.map_or((None, None), |d| (d.package, d.version));
    let package = package.and_then(|p| filled(p.name));
    let package = package.unwrap_or_else(|| format!("(no package named, {})", text(file)));
    let said = v.severity.map(|s| s.0);
    let advisory = gathered.add(names, &package, severity::first(said.as_deref(), None, None));
    advisory.version = filled(version);
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "vulnerabilities" => {
                self.vulnerabilities = true;
                map.next_value_seed(Each::new(|v: Vulnerability| {
                    add(&mut self.gathered, v);
                    Ok(())
                }))?;
            }
            "dependency_files" => {
                skip(map)?;
                self.of_dependencies = true;
            }
            "scan" => {
                let Some(scan) = map.next_value::<Either<Scan>>()?.object() else { return Ok(()) };
                self.of_dependencies |= text(scan.kind) == "dependency_scanning";
                if let Some(status) = filled(scan.status).filter(|s| s != "success") {
                    self.gathered.causes.push(format!("the scan ended with status {status}"));
                }
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.vulnerabilities || !report.of_dependencies {
        return Err("no dependency scanning of GitLab: key \"vulnerabilities\" or \"dependency_files\" is missing".into());
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn identifiers_and_status() {
        let json = |status: &str| {
            format!(
                r#"{{"version": "15.0.0", "vulnerabilities": [{{"id": "1", "severity": "Critical",
                "identifiers": [{{"type": "cve", "value": "CVE-1"}}, {{"type": "cwe", "value": "79"}}, {{"type": "owasp", "value": "A03"}}],
                "location": {{"file": "go.sum", "dependency": {{"package": {{}}}}}}}}],
                "scan": {{"type": "dependency_scanning", "status": "{status}"}}}}"#
            )
        };
        let Reading::Figures(f) = (FORMAT.read)(&mut json("success").as_bytes()) else { panic!() };
        let [one] = f.dependencies.unwrap().advisories.try_into().unwrap();
        assert_eq!(
            (one.id.as_str(), one.severity, one.aliases.len()),
            ("CVE-1", Severity::Critical, 0)
        );
        assert_eq!(one.package, "(no package named, go.sum)");
        assert!(matches!((FORMAT.read)(&mut json("failure").as_bytes()), Reading::Degraded(..)));
    }

    #[test]
    fn foreign() {
        for json in
            ["{}", "[]", r#"{"version": "15", "vulnerabilities": [], "scan": {"type": "sast"}}"#]
        {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
