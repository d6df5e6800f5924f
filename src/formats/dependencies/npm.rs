//! JSON of `npm audit --json` since npm 7 (`auditReportVersion: 2`; docs.npmjs.com, npm-audit).
//!
//! `vulnerabilities` goes by package. Each says in `via` why: an object is an advisory, a text only
//! points at another package of the list. Advisories are counted, so a package that is vulnerable
//! through others alone adds nothing. The version in use is not in this report.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Either, Entries, advisory_of, filled, text};
use super::severity;
use crate::formats::json::{self, Fields, Loose, Num, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "npm-audit-json",
    kind: FormatKind::Dependencies,
    tools: "npm 7 and later (npm audit --json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let keys = ["auditReportVersion", "vulnerabilities"];
    json::shape(&head_text(head)).is_some_and(|s| !s.list && s.has(&keys))
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    /// Packages that are listed, and those that are vulnerable only through another.
    packages: BTreeSet<String>,
    pointed: BTreeSet<String>,
    version: Option<u64>,
    listed: Option<u64>,
    failed: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    via: Vec<Either<Via>>,
    fix_available: Option<Either<Fix>>,
}

#[derive(Deserialize)]
struct Via {
    source: Loose,
    name: Option<Text>,
    url: Option<Text>,
    severity: Option<Text>,
    cvss: Option<severity::Cvss>,
}

#[derive(Deserialize)]
struct Fix {
    name: Option<Text>,
    version: Option<Text>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "auditReportVersion" => self.version = map.next_value::<Num>()?.0,
            "vulnerabilities" => {
                let mut listed = 0;
                let Report { gathered, packages, pointed, .. } = self;
                let mut each = Entries::new(|name: &str, package: Package| {
                    listed += 1;
                    packages.insert(name.to_owned());
                    pointed.extend(add(gathered, name, package));
                });
                map.next_value_seed(Fields(&mut each))?;
                self.listed = Some(listed);
            }
            // what npm writes instead of a report when it could not ask
            "message" => self.failed = map.next_value::<Loose>()?.0,
            "error" => {
                skip(map)?;
                self.failed.get_or_insert_with(|| "it names no cause".into());
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// The packages that it is vulnerable through.
fn add(gathered: &mut Gathered, name: &str, package: Package) -> Vec<String> {
    let fix = package.fix_available.and_then(Either::object);
    let fix = fix.and_then(|f| Some((f.name?.0, f.version?.0)));
    let mut through = Vec::new();
    for via in package.via {
        let via = match via {
            Either::Object(via) => via,
            Either::Plain(name) => {
                through.push(name);
                continue;
            }
            Either::Other => continue,
        };
        let bad = severity::of_npm(via.severity, via.cvss);
        let vulnerable = filled(via.name).unwrap_or_else(|| name.to_owned());
        let known = advisory_of(&text(via.url)).or(via.source.0);
        let advisory = gathered.add(known, &vulnerable, bad);
        advisory.fixed_in = fix.clone().filter(|(n, _)| *n == vulnerable).map(|(_, v)| v);
    }
    through
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if report.version != Some(2) {
        return Err(match (report.failed, report.version) {
            (Some(why), None) => format!("npm could not audit: {why}"),
            (_, None) => "no npm audit: key \"auditReportVersion\" is missing".into(),
            (_, Some(v)) => format!("it is of version {v} of npm's audit reports; 2 is known"),
        });
    }
    let listed = report.listed.ok_or("no npm audit: key \"vulnerabilities\" is missing")?;
    if listed > 0 && report.gathered.is_empty() {
        let cause = format!("it lists {listed} vulnerable packages and no advisory");
        report.gathered.causes.push(cause);
    }
    if let Some(lost) = report.pointed.difference(&report.packages).next() {
        let cause = format!("a package is vulnerable through '{lost}', which it does not list");
        report.gathered.causes.push(cause);
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    #[test]
    fn advisories_and_pointers() {
        let json = r#"{"auditReportVersion": 2, "vulnerabilities": {
            "a": {"name": "a", "severity": "high", "via": ["b", {"source": 1, "name": "a",
                "url": "https://example.org/advisories/GHSA-1", "severity": "moderate"}],
                "fixAvailable": {"name": "a", "version": "2.0.0", "isSemVerMajor": true}},
            "b": {"via": [{"source": 2, "name": "b", "url": null, "severity": null,
                "cvss": {"score": 0, "vectorString": null}}], "fixAvailable": true},
            "c": {"via": ["a"], "fixAvailable": false}}, "metadata": {}}"#;
        let Reading::Figures(f) = read(json) else { panic!("{:?}", read(json)) };
        let list = f.dependencies.unwrap().advisories;
        assert_eq!(list.len(), 2);
        assert_eq!((list[0].id.as_str(), list[0].severity), ("2", Severity::Unknown));
        assert_eq!((list[1].id.as_str(), list[1].severity), ("GHSA-1", Severity::Medium));
        assert_eq!(list[1].fixed_in.as_deref(), Some("2.0.0"));
    }

    #[test]
    fn what_is_no_audit() {
        let failed =
            r#"{"message": "405 Method Not Allowed", "statusCode": 405, "error": {"summary": ""}}"#;
        assert_eq!(
            read(failed),
            Reading::Refused("npm could not audit: 405 Method Not Allowed".into())
        );
        for json in [
            "{}",
            "[]",
            r#"{"auditReportVersion": 3, "vulnerabilities": {}}"#,
            r#"{"auditReportVersion": 2}"#,
            r#"{"auditReportVersion": 2, "vulnerabilities": []}"#,
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
        let pointers = r#"{"auditReportVersion": 2, "vulnerabilities": {"c": {"via": ["a"]}}}"#;
        assert!(matches!(read(pointers), Reading::Degraded(..)));
    }

    #[test]
    fn a_pointer_into_nothing_is_an_advisory_that_is_lost() {
        let json = r#"{"auditReportVersion": 2, "vulnerabilities": {
            "a": {"via": ["b"]}, "c": {"via": [{"source": 1, "severity": "low"}]}}}"#;
        let Reading::Degraded(_, causes) = read(json) else { panic!("{:?}", read(json)) };
        assert_eq!(causes, ["a package is vulnerable through 'b', which it does not list"]);
    }
}
