//! JSON of `trivy --format json` (trivy.dev, schema version 2 and the bare list before it).
//!
//! Vulnerabilities are advisories. Misconfigurations and secrets in the same report are findings of a
//! linter. A scan of configuration or secrets alone says nothing about dependencies, and a report
//! without results says that nothing was found to look at.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::gathered::Gathered;
use super::lenient::{Texts, text};
use super::severity;
use crate::formats::json::{self, Each, Loose, Num, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "trivy-json",
    kind: FormatKind::Dependencies,
    tools: "Trivy (trivy fs --format json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head)).is_some_and(|s| match s.list {
        true => s.has(&["Target", "Type"]),
        false => s.has(&["SchemaVersion", "ArtifactName"]),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Target {
    target: Text,
    class: Option<Text>,
    vulnerabilities: Option<Vec<Vulnerability>>,
    misconfigurations: Option<Vec<Misconfiguration>>,
    secrets: Option<Vec<Secret>>,
    #[serde(rename = "ExperimentalModifiedFindings")]
    modified: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Vulnerability {
    #[serde(rename = "VulnerabilityID")]
    id: Text,
    #[serde(default, rename = "VendorIDs")]
    vendor_ids: Texts,
    pkg_name: Option<Text>,
    installed_version: Option<Text>,
    fixed_version: Option<Text>,
    severity: Option<Text>,
    #[serde(rename = "CVSS")]
    cvss: Option<std::collections::BTreeMap<String, Cvss>>,
}

#[derive(Deserialize)]
struct Cvss {
    #[serde(rename = "V3Vector")]
    vector: Option<Loose>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Misconfiguration {
    #[serde(rename = "ID")]
    id: Text,
    title: Option<Text>,
    message: Option<Text>,
    severity: Option<Text>,
    status: Option<Text>,
    cause_metadata: Option<Place>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Place {
    start_line: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Secret {
    #[serde(rename = "RuleID")]
    rule: Text,
    title: Option<Text>,
    severity: Option<Text>,
    start_line: Option<Num>,
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    lint: Option<LintFigures>,
    /// It is of Trivy, whether or not it has results.
    known: bool,
    targets: u64,
    /// Targets that are looked at for vulnerabilities.
    packages: u64,
}

impl Report {
    fn target(&mut self, target: Target) {
        self.targets += 1;
        let class = text(target.class);
        let elsewhere = matches!(class.as_str(), "config" | "secret" | "license" | "license-file");
        let of_packages = !elsewhere
            && (target.misconfigurations.is_none() && target.secrets.is_none()
                || target.vulnerabilities.is_some()
                || class.ends_with("-pkgs"));
        self.packages += u64::from(of_packages);
        target.vulnerabilities.into_iter().flatten().for_each(|v| self.vulnerability(v));
        let modified = target.modified.map_or(0, |m| m.len() as u64);
        self.gathered.suppressed += modified;
        if modified > 0 {
            self.gathered.note(|| format!("findings put aside by rules: {modified}"));
        }
        if class == "config" || class == "secret" {
            self.lint.get_or_insert_default();
        }
        let path = paths::from_path(&target.target.0);
        target
            .misconfigurations
            .into_iter()
            .flatten()
            .for_each(|m| self.misconfiguration(&path, m));
        for secret in target.secrets.into_iter().flatten() {
            let line = secret.start_line.and_then(Num::line);
            let said = text(secret.severity);
            self.finding((&path, line), secret.rule.0, &said, text(secret.title));
        }
    }

    fn vulnerability(&mut self, v: Vulnerability) {
        let worst = v.cvss.iter().flat_map(|all| all.values());
        let worst = worst.filter_map(|c| severity::vector(c.vector.as_ref()?.0.as_deref()?)).max();
        let said = v.severity.and_then(|s| severity::word(&s.0));
        let bad = said.or(worst).unwrap_or(crate::model::Severity::Unknown);
        // a bulletin of a distribution is one for many vulnerabilities, and no name of this one
        let other = v.vendor_ids.0.into_iter().filter(|id| id.starts_with("GHSA-"));
        let names = std::iter::once(v.id.0).chain(other);
        let advisory = self.gathered.add(names, &text(v.pkg_name), bad);
        advisory.version = super::lenient::filled(v.installed_version);
        advisory.fixed_in = super::lenient::filled(v.fixed_version);
    }

    fn misconfiguration(&mut self, path: &str, m: Misconfiguration) {
        if m.status.is_some_and(|s| s.0 != "FAIL") {
            self.lint.get_or_insert_default().ignored += 1;
            return;
        }
        let line = m.cause_metadata.and_then(|c| c.start_line).and_then(Num::line);
        let message = super::lenient::filled(m.message).unwrap_or_else(|| text(m.title));
        self.finding((path, line), m.id.0, &text(m.severity), message);
    }

    fn finding(&mut self, place: (&str, Option<u32>), rule: String, said: &str, message: String) {
        let level = match said {
            "CRITICAL" | "HIGH" => Level::Error,
            "LOW" => Level::Note,
            _ => Level::Warning,
        };
        let (path, line) = place;
        self.lint.get_or_insert_default().findings.push(Finding {
            rule: rule.into(),
            level,
            path: Some(path).filter(|p| !p.is_empty()).map(Into::into),
            line,
            message,
            tool: "trivy".into(),
            fingerprint: None,
            line_hash: None,
        });
    }
}

/// The object, or the list of targets that version 1 of the schema is.
struct Either<'a>(&'a mut Report);

impl<'de> DeserializeSeed<'de> for Either<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Either<'_> {
    type Value = ();
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object or a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(target) = items.next_element::<Target>()? {
            self.0.known = true;
            self.0.target(target);
        }
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let report = self.0;
        let mut artifact = false;
        while let Some(key) = map.next_key::<Text>()? {
            match key.0.as_str() {
                "SchemaVersion" => report.known = map.next_value::<Num>()?.0 == Some(2),
                "ArtifactName" => {
                    skip(&mut map)?;
                    artifact = true;
                }
                "Results" => map.next_value_seed(Each::new(|target| {
                    report.target(target);
                    Ok(())
                }))?,
                _ => skip(&mut map)?,
            }
        }
        report.known &= artifact;
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Either(&mut report))?;
    if !report.known {
        return Err("no Trivy report: \"SchemaVersion\" 2 or \"ArtifactName\" is missing".into());
    }
    if report.targets == 0 {
        report.gathered.note(|| "it names no target that was looked at".into());
    }
    let about_packages = report.packages > 0 || report.targets == 0 || !report.gathered.is_empty();
    report.gathered.lint = report.lint;
    let (mut figures, causes) = report.gathered.finish();
    if !about_packages {
        figures.dependencies = None;
    }
    Ok((figures, causes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    const VULNERABILITY: &str = r#"{"VulnerabilityID": "CVE-1", "PkgName": "a", "InstalledVersion": "1",
        "Severity": "UNKNOWN", "CVSS": {"nvd": {"V3Vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}}}"#;

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    #[test]
    fn both_schemas() {
        let target =
            format!(r#"{{"Target": "x", "Type": "npm", "Vulnerabilities": [{VULNERABILITY}]}}"#);
        let other =
            r#"{"Target": "y", "Class": "lang-pkgs", "Type": "npm", "Vulnerabilities": null}"#;
        let list = format!("[{target}, {other}]");
        let Reading::Figures(old) = read(&list) else { panic!("{:?}", read(&list)) };
        let object = format!(r#"{{"SchemaVersion": 2, "ArtifactName": ".", "Results": {list}}}"#);
        assert_eq!(read(&object), Reading::Figures(old.clone()));
        assert_eq!(old.lint, None);
        assert_eq!(old.dependencies.unwrap().advisories[0].severity, Severity::Critical);
    }

    #[test]
    fn configuration_and_secrets_are_findings() {
        let json = r#"{"SchemaVersion": 2, "ArtifactName": ".", "Results": [
            {"Target": "Dockerfile", "Class": "config", "Misconfigurations": [
              {"ID": "DS002", "Title": "t", "Severity": "HIGH", "Status": "FAIL", "CauseMetadata": {"StartLine": 3}},
              {"ID": "DS001", "Severity": "LOW", "Status": "PASS"}]},
            {"Target": "a.env", "Class": "secret", "Secrets": [{"RuleID": "r", "Severity": "MEDIUM", "StartLine": 2}]}]}"#;
        let Reading::Figures(f) = read(json) else { panic!("{:?}", read(json)) };
        let lint = f.lint.unwrap();
        let got: Vec<_> = lint.findings.iter().map(|f| (f.level, f.line)).collect();
        assert_eq!(got, [(Level::Error, Some(3)), (Level::Warning, Some(2))]);
        assert_eq!((lint.ignored, f.dependencies), (1, None));
    }

    #[test]
    fn empty_and_foreign() {
        for results in ["", ", \"Results\": null", ", \"Results\": []"] {
            let json = format!("{{\"SchemaVersion\": 2, \"ArtifactName\": \".\"{results}}}");
            let Reading::Figures(f) = read(&json) else { panic!("{json}") };
            assert!(f.dependencies.is_some() && !f.notes.is_empty());
        }
        for json in ["{}", "[]", "[{}]", r#"{"SchemaVersion": 3, "ArtifactName": "."}"#] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
    }

    #[test]
    fn a_bulletin_is_no_other_name() {
        let of = |id: &str, vendor: &str| {
            format!(
                r#"{{"VulnerabilityID": "{id}", "VendorIDs": ["{vendor}"], "PkgName": "a",
                    "Severity": "HIGH"}}"#
            )
        };
        let json = |all: [String; 2]| {
            let list = all.join(", ");
            format!(
                r#"{{"SchemaVersion": 2, "ArtifactName": ".", "Results": [{{"Target": "t", "Class": "os-pkgs",
                    "Vulnerabilities": [{list}]}}]}}"#
            )
        };
        let count = |all: [String; 2]| {
            let read = (FORMAT.read)(&mut json(all).as_bytes());
            let Reading::Figures(f) = read else { panic!("{read:?}") };
            f.dependencies.unwrap().advisories.len()
        };
        assert_eq!(count([of("CVE-1", "RHSA-1"), of("CVE-2", "RHSA-1")]), 2);
        assert_eq!(count([of("CVE-1", "GHSA-1"), of("GHSA-1", "RHSA-1")]), 1);
    }
}
