//! JSON of `auditjs ossi --json` (github.com/sonatype-nexus-community/auditjs): a list of all packages
//! that were looked up, each with its vulnerabilities.

use serde::Deserialize;

use super::gathered::Gathered;
use super::lenient::{advisory_of, filled, purl, text};
use super::severity;
use crate::formats::json::{self, EachOfSome, Loose, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "auditjs-json",
    kind: FormatKind::Dependencies,
    tools: "AuditJS (auditjs ossi --json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let keys = ["coordinates", "vulnerabilities"];
    json::shape(&head_text(head)).is_some_and(|s| s.list && s.has(&keys))
}

#[derive(Deserialize)]
struct Package {
    coordinates: Text,
    vulnerabilities: Vec<Vulnerability>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vulnerability {
    id: Text,
    cve: Option<Text>,
    title: Option<Text>,
    cvss_score: Option<Loose>,
    cvss_vector: Option<Loose>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut gathered, mut list) = (Gathered::default(), false);
    let each = EachOfSome::new(&mut list, |package: Package| {
        let coordinates = package.coordinates.0;
        let (name, version) = purl(&coordinates).ok_or("a package has no package URL")?;
        for v in package.vulnerabilities {
            let (vector, score) = (v.cvss_vector.and_then(|c| c.0), v.cvss_score.and_then(|c| c.0));
            let bad = severity::first(None, vector.as_deref(), score.as_deref());
            let cve = filled(v.cve).or_else(|| {
                let title = text(v.title);
                advisory_of(title.trim_start_matches('[').split(']').next().unwrap_or_default())
            });
            let advisory = gathered.add(std::iter::once(v.id.0).chain(cve), &name, bad);
            advisory.version.clone_from(&version);
        }
        Ok(())
    });
    json::whole(input, each)?;
    if !list {
        return Err("no AuditJS report: it is no list".into());
    }
    Ok(gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn scores() {
        let json = r#"[{"coordinates": "pkg:npm/a@1", "vulnerabilities": [
            {"id": "x", "title": "[CVE-1] t", "cvssScore": 9.8}, {"id": "y", "cvssScore": 0},
            {"id": "z", "cvssScore": 2.1, "cvssVector": "CVSS:4.0/AV:N"}]},
            {"coordinates": "pkg:npm/b@1", "vulnerabilities": []}]"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let list = f.dependencies.unwrap().advisories;
        let got: Vec<_> = list.iter().map(|a| (a.id.as_str(), a.severity)).collect();
        let want = [("CVE-1", Severity::Critical), ("y", Severity::Unknown), ("z", Severity::Low)];
        assert_eq!(got, want);
        assert!(matches!((FORMAT.read)(&mut &b"[]"[..]), Reading::Figures(_)));
    }

    #[test]
    fn foreign() {
        for json in ["{}", "[{}]", r#"[{"coordinates": "a", "vulnerabilities": []}]"#] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
