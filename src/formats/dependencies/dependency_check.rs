//! JSON of OWASP Dependency-Check (`dependency-check --format JSON`; `reportSchema` 1.1).

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};

use super::gathered::Gathered;
use super::lenient::{filled, purl, text};
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "dependency-check-json",
    kind: FormatKind::Dependencies,
    tools: "OWASP Dependency-Check (--format JSON)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let keys = ["reportSchema", "scanInfo"];
    json::shape(&head_text(head)).is_some_and(|s| !s.list && s.has(&keys))
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    schema: bool,
    dependencies: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    file_name: Option<Text>,
    packages: Option<Vec<Package>>,
    vulnerabilities: Option<Vec<Vulnerability>>,
    suppressed_vulnerabilities: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Package {
    id: Option<Text>,
}

#[derive(Deserialize)]
struct Vulnerability {
    name: Text,
    severity: Option<Text>,
    cvssv3: Option<Cvss>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cvss {
    base_score: Option<Loose>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScanInfo {
    analysis_exceptions: Option<Vec<IgnoredAny>>,
}

fn add(gathered: &mut Gathered, d: Dependency) {
    let suppressed = d.suppressed_vulnerabilities.map_or(0, |s| s.len() as u64);
    gathered.suppressed = gathered.suppressed.saturating_add(suppressed);
    let mut ids = d.packages.into_iter().flatten().filter_map(|p| p.id);
    let (name, version) =
        ids.find_map(|id| purl(&id.0)).unwrap_or_else(|| (text(d.file_name), None));
    for v in d.vulnerabilities.into_iter().flatten() {
        let said = filled(v.severity);
        let score = v.cvssv3.and_then(|c| c.base_score?.0);
        let bad = severity::first(said.as_deref(), None, score.as_deref());
        gathered.add([v.name.0], &name, bad).version.clone_from(&version);
    }
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "reportSchema" => {
                skip(map)?;
                self.schema = true;
            }
            "scanInfo" => {
                let failed =
                    map.next_value::<ScanInfo>()?.analysis_exceptions.map_or(0, |e| e.len());
                if failed > 0 {
                    self.gathered.causes.push(format!("parts of the analysis failed: {failed}"));
                }
            }
            "dependencies" => {
                self.dependencies = true;
                map.next_value_seed(Each::new(|d: Dependency| {
                    add(&mut self.gathered, d);
                    Ok(())
                }))?;
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if !report.schema || !report.dependencies {
        return Err(
            "no Dependency-Check report: key \"reportSchema\" or \"dependencies\" is missing"
                .into(),
        );
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn packages_and_exceptions() {
        let json = |failed: &str| {
            format!(
                r#"{{"reportSchema": "1.1", "scanInfo": {{"analysisExceptions": [{failed}]}}, "dependencies": [
                {{"fileName": "a.jar", "vulnerabilities": [{{"name": "CVE-1", "severity": null, "cvssv3": {{"baseScore": 7.5}}}}]}},
                {{"fileName": "b.jar", "packages": [{{"id": "pkg:maven/g/b@1"}}], "suppressedVulnerabilities": [{{}}]}}]}}"#
            )
        };
        let Reading::Figures(f) = (FORMAT.read)(&mut json("").as_bytes()) else { panic!() };
        let d = f.dependencies.unwrap();
        assert_eq!(
            (d.advisories[0].package.as_str(), d.advisories[0].severity),
            ("a.jar", Severity::High)
        );
        assert_eq!(d.suppressed, 1);
        assert!(matches!((FORMAT.read)(&mut json("{}").as_bytes()), Reading::Degraded(..)));
    }

    #[test]
    fn foreign() {
        for json in ["{}", "[]", r#"{"reportSchema": "1.1"}"#] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
