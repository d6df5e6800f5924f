//! JSON of `cargo audit --json` (rustsec.org; crate `rustsec`, `report::Report`).
//!
//! `vulnerabilities.list` holds the vulnerabilities. `warnings` (unmaintained, unsound and yanked
//! crates) are none, and are counted apart, as are the advisories that `settings.ignore` leaves out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Texts, any_of, text};
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Num, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cargo-audit-json",
    kind: FormatKind::Dependencies,
    tools: "cargo audit (cargo audit --json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let other = s.has(&["meta"]) && text.contains("\"RUSTSEC-");
        !s.list && s.has(&["vulnerabilities"]) && (s.has(&["database", "lockfile"]) || other)
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    vulnerabilities: bool,
    /// Which other keys show whose it is.
    known: bool,
    declared: Option<u64>,
    listed: u64,
}

#[derive(Deserialize)]
struct Item {
    advisory: Advisory,
    package: Option<Package>,
    versions: Option<Versions>,
}

#[derive(Deserialize)]
struct Advisory {
    id: Text,
    package: Option<Text>,
    #[serde(default)]
    aliases: Texts,
    cvss: Option<Text>,
    severity: Option<Text>,
}

#[derive(Deserialize)]
struct Package {
    name: Text,
    version: Option<Text>,
}

#[derive(Deserialize)]
struct Versions {
    #[serde(default)]
    patched: Texts,
}

#[derive(Deserialize)]
struct Warning {
    kind: Option<Loose>,
    package: Option<Package>,
}

/// Old versions write one list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Warnings {
    ByKind(BTreeMap<String, Vec<Warning>>),
    List(Vec<Warning>),
}

#[derive(Deserialize)]
struct Settings {
    #[serde(default)]
    ignore: Texts,
}

/// The object `vulnerabilities`.
struct Vulnerabilities<'a>(&'a mut Report);

impl<'de> Object<'de> for Vulnerabilities<'_> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let report = &mut *self.0;
        match key {
            "list" => {
                report.vulnerabilities = true;
                map.next_value_seed(Each::new(|item: Item| {
                    report.add(item);
                    Ok(())
                }))
            }
            "count" => {
                report.declared = map.next_value::<Num>()?.0;
                Ok(())
            }
            // some write the list as an object
            _ if key.bytes().all(|b| b.is_ascii_digit()) => {
                report.vulnerabilities = true;
                let item = map.next_value::<Item>()?;
                report.add(item);
                Ok(())
            }
            _ => skip(map),
        }
    }
}

impl Report {
    fn add(&mut self, item: Item) {
        self.listed += 1;
        let Advisory { id, package: named, aliases, cvss, severity: said } = item.advisory;
        let (package, version) = match item.package {
            Some(p) => (p.name.0, p.version.map(|v| v.0)),
            None => (text(named), None),
        };
        let (said, vector) = (said.map(|s| s.0), cvss.map(|c| c.0));
        let bad = severity::first(said.as_deref(), vector.as_deref(), None);
        let advisory = self.gathered.add(std::iter::once(id.0).chain(aliases.0), &package, bad);
        advisory.version = version;
        let patched = item.versions.map(|v| v.patched.0).unwrap_or_default();
        advisory.fixed_in = any_of(&patched);
    }

    fn warning(&mut self, warning: Warning) {
        let kind = warning.kind.and_then(|k| k.0).unwrap_or_else(|| "warning".into());
        let (name, version) = match warning.package {
            Some(p) => (p.name.0, text(p.version)),
            None => ("(no crate named)".into(), String::new()),
        };
        self.gathered.ignore(|| format!("{kind}: {name} {version}").trim_end().to_owned());
    }
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "vulnerabilities" => map.next_value_seed(Fields(&mut Vulnerabilities(self)))?,
            "warnings" => {
                let list = match map.next_value::<Warnings>()? {
                    Warnings::ByKind(kinds) => kinds.into_values().flatten().collect(),
                    Warnings::List(list) => list,
                };
                list.into_iter().for_each(|w| self.warning(w));
            }
            "settings" => {
                for id in map.next_value::<Settings>()?.ignore.0 {
                    self.gathered.suppress(|| format!("ignored by the settings: {id}"));
                }
            }
            "database" | "lockfile" | "meta" => {
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
    if !report.known || !(report.vulnerabilities || report.declared.is_some()) {
        return Err(
            "no cargo audit: key \"vulnerabilities.list\" or \"lockfile\" is missing".into()
        );
    }
    let (declared, listed) = (report.declared.unwrap_or(report.listed), report.listed);
    if declared > listed {
        let cause = format!("it declares {declared} vulnerabilities and lists {listed}");
        report.gathered.causes.push(cause);
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn warnings_are_no_vulnerabilities() {
        let json = r#"{"database": {}, "lockfile": {}, "settings": {"ignore": ["RUSTSEC-9"]},
            "vulnerabilities": {"found": true, "count": 2, "list": [
            {"advisory": {"id": "RUSTSEC-1", "package": "a", "aliases": ["CVE-1"],
              "cvss": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"},
             "versions": {"patched": [">=1.2"]}, "package": {"name": "a", "version": "1.0"}},
            {"advisory": {"id": "RUSTSEC-2", "package": "b", "cvss": null}, "package": {"name": "b", "version": "1"}}]},
            "warnings": {"unmaintained": [{"kind": "unmaintained", "package": {"name": "c", "version": "1"}}],
              "yanked": [{"kind": "yanked", "package": {"name": "d", "version": "2"}}]}}"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let d = f.dependencies.unwrap();
        assert_eq!((d.advisories.len(), d.ignored, d.suppressed), (2, 2, 1));
        let severities: Vec<Severity> = d.advisories.iter().map(|a| a.severity).collect();
        assert_eq!(severities, [Severity::Critical, Severity::Unknown]);
        assert_eq!(d.advisories[0].fixed_in.as_deref(), Some(">=1.2"));
    }

    #[test]
    fn ends() {
        let more = r#"{"lockfile": {}, "vulnerabilities": {"count": 2, "list": []}}"#;
        assert!(matches!((FORMAT.read)(&mut more.as_bytes()), Reading::Degraded(..)));
        for json in ["{}", "[]", r#"{"vulnerabilities": {"list": []}}"#, r#"{"lockfile": {}}"#] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
