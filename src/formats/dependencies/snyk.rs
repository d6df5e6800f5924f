//! JSON of `snyk test --json` (docs.snyk.io): one project, or a list of them.
//!
//! A vulnerability is listed once for each path to it. Licence issues are none.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::gathered::Gathered;
use super::lenient::{Texts, any_of, filled};
use super::severity;
use crate::formats::json::{self, Each, Loose, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};
use std::io::BufRead;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "snyk-json",
    kind: FormatKind::Dependencies,
    tools: "Snyk (snyk test --json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let inside = text.contains("\"SNYK-") && text.contains("\"packageName\"");
        s.has(&["vulnerabilities"])
            && (s.has(&["ok", "dependencyCount"]) || inside)
            && !s.has(&["bomFormat"])
    })
}

#[derive(Deserialize)]
struct Project {
    vulnerabilities: Option<Vec<Vulnerability>>,
    error: Option<Loose>,
    ok: Option<IgnoredAny>,
    #[serde(rename = "dependencyCount")]
    count: Option<IgnoredAny>,
    filtered: Option<Filtered>,
}

#[derive(Deserialize)]
struct Filtered {
    #[serde(default)]
    ignore: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vulnerability {
    id: Text,
    package_name: Text,
    version: Option<Text>,
    package_version: Option<Text>,
    severity: Option<Text>,
    #[serde(rename = "CVSSv3")]
    cvss: Option<Loose>,
    identifiers: Option<Identifiers>,
    #[serde(default)]
    fixed_in: Texts,
    #[serde(rename = "type")]
    kind: Option<Text>,
}

#[derive(Deserialize)]
struct Identifiers {
    #[serde(default, rename = "CVE")]
    cve: Texts,
    #[serde(default, rename = "GHSA")]
    ghsa: Texts,
}

fn add(gathered: &mut Gathered, project: Project) -> Result<(), String> {
    if let Some(why) = project.error.and_then(|e| e.0) {
        return Err(format!("snyk says: {why}"));
    }
    gathered.suppressed += project.filtered.and_then(|f| f.ignore).map_or(0, |i| i.len() as u64);
    let list =
        project.vulnerabilities.ok_or("no Snyk report: key \"vulnerabilities\" is missing")?;
    if list.is_empty() && project.ok.is_none() && project.count.is_none() {
        return Err(
            "no Snyk report: the list is empty, and neither \"ok\" nor \"dependencyCount\" \
                    says whose it is"
                .into(),
        );
    }
    for v in list {
        if v.kind.is_some_and(|k| k.0 == "license") {
            gathered.ignore(|| format!("licence issue: {}", v.id.0));
            continue;
        }
        let (said, vector) = (v.severity.map(|s| s.0), v.cvss.and_then(|c| c.0));
        let bad = severity::first(said.as_deref(), vector.as_deref(), None);
        let others = v.identifiers.map(|i| [i.cve.0, i.ghsa.0].concat()).unwrap_or_default();
        let names = std::iter::once(v.id.0).chain(others);
        let advisory = gathered.add(names, &v.package_name.0, bad);
        advisory.version = filled(v.version).or_else(|| filled(v.package_version));
        advisory.fixed_in = any_of(&v.fixed_in.0);
    }
    Ok(())
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut gathered = Gathered::default();
    let head = input.fill_buf().map_err(|e| format!("it could not be read: {e}"))?;
    if head.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[') {
        let mut projects = 0;
        json::whole(
            input,
            Each::new(|p: Project| {
                projects += 1;
                add(&mut gathered, p)
            }),
        )?;
        if projects == 0 {
            return Err("no project is in it".into());
        }
    } else {
        let mut json = serde_json::Deserializer::from_reader(input);
        let project = Project::deserialize(&mut json).and_then(|p| json.end().map(|()| p));
        let said = |e: serde_json::Error| match e.is_eof() {
            true => "it is empty or cut off".to_owned(),
            false => e.to_string(),
        };
        add(&mut gathered, project.map_err(said)?)?;
    }
    Ok(gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn projects() {
        let one = r#"{"vulnerabilities": [{"id": "SNYK-1", "packageName": "a", "version": "1", "severity": "high",
            "identifiers": {"CVE": ["CVE-1"]}}, {"id": "l", "packageName": "b", "type": "license"}],
            "filtered": {"ignore": [{}]}, "ok": false}"#;
        for json in [one.to_owned(), format!("[{one}]")] {
            let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!("{json}") };
            let d = f.dependencies.unwrap();
            assert_eq!((d.advisories.len(), d.suppressed, d.ignored), (1, 1, 1));
            assert_eq!(
                (d.advisories[0].id.as_str(), d.advisories[0].severity),
                ("CVE-1", Severity::High)
            );
        }
        let failed = r#"{"ok": false, "error": "no login"}"#;
        assert_eq!(
            (FORMAT.read)(&mut failed.as_bytes()),
            Reading::Refused("snyk says: no login".into())
        );
    }

    #[test]
    fn foreign() {
        for json in [
            "{}",
            "[]",
            "[1]",
            r#"{"vulnerabilities": [{"id": "a"}]}"#,
            r#"{"vulnerabilities": []} x"#,
            r#"{"vulnerabilities": []}"#,
        ] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
