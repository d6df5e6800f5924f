//! JSON of `pip-audit --format json` (pip-audit's README): a list before version 2.5, since then an
//! object with `dependencies`.
//!
//! It names no severity, so all of its advisories are of unknown severity. A dependency that it
//! skipped was not audited, which its figures do not show: they must not be judged by.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::gathered::Gathered;
use super::lenient::{Texts, any_of, text};
use crate::formats::json::{self, Each, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};
use crate::model::Severity;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "pip-audit-json",
    kind: FormatKind::Dependencies,
    tools: "pip-audit (pip-audit --format json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| match s.list {
        true => s.has(&["name", "version", "vulns"]) || s.has(&["name", "skip_reason"]),
        false => {
            let inside = text.contains("\"vulns\"") || text.contains("\"skip_reason\"");
            s.has(&["dependencies"]) && (s.has(&["fixes"]) || inside)
        }
    })
}

#[derive(Deserialize)]
struct Dependency {
    name: Text,
    version: Option<Text>,
    vulns: Option<Vec<Vuln>>,
    skip_reason: Option<Text>,
}

#[derive(Deserialize)]
struct Vuln {
    id: Text,
    #[serde(default)]
    fix_versions: Texts,
    #[serde(default)]
    aliases: Texts,
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    dependencies: bool,
    /// It has a key that pip-audit does not write.
    foreign: bool,
    audited: u64,
}

impl Report {
    fn dependency(&mut self, dependency: Dependency) -> Result<(), String> {
        let name = dependency.name.0;
        if let Some(why) = dependency.skip_reason {
            self.gathered.causes.push(format!("{name} was not audited: {}", why.0));
            return Ok(());
        }
        let vulns = dependency.vulns.ok_or("a dependency has no \"vulns\"")?;
        self.audited += 1;
        let version = Some(text(dependency.version)).filter(|v| !v.is_empty());
        for vuln in vulns {
            let names = std::iter::once(vuln.id.0).chain(vuln.aliases.0);
            let advisory = self.gathered.add(names, &name, Severity::Unknown);
            advisory.version.clone_from(&version);
            advisory.fixed_in = any_of(&vuln.fix_versions.0);
        }
        Ok(())
    }
}

/// The list, or the object that holds it.
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
        f.write_str("a list or an object")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.0.dependencies = true;
        Each::new(|d| self.0.dependency(d)).visit_seq(items)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text>()? {
            self.0.foreign |= !matches!(key.0.as_str(), "dependencies" | "fixes");
            if key.0 != "dependencies" {
                skip(&mut map)?;
                continue;
            }
            self.0.dependencies = true;
            map.next_value_seed(Each::new(|d| self.0.dependency(d)))?;
        }
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Either(&mut report))?;
    if !report.dependencies {
        return Err("no pip-audit report: key \"dependencies\" is missing".into());
    }
    if report.foreign && report.audited == 0 && report.gathered.causes.is_empty() {
        return Err(
            "no pip-audit report: \"dependencies\" is empty, beside keys of another tool".into()
        );
    }
    if report.audited == 0 {
        report.gathered.note(|| "no dependency was audited".into());
    }
    Ok(report.gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn old_and_new() {
        let list = r#"[{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2", "3"],
            "aliases": ["CVE-1"], "description": "x"}]}, {"name": "b", "version": "1", "vulns": []}]"#;
        let object = format!("{{\"dependencies\": {list}, \"fixes\": []}}");
        let Reading::Figures(old) = (FORMAT.read)(&mut list.as_bytes()) else { panic!() };
        let new = (FORMAT.read)(&mut object.as_bytes());
        assert_eq!(new, Reading::Figures(old.clone()));
        let [one] = old.dependencies.unwrap().advisories.try_into().unwrap();
        assert_eq!((one.id.as_str(), one.severity), ("CVE-1", Severity::Unknown));
        assert_eq!(one.fixed_in.as_deref(), Some("2 or 3"));
    }

    #[test]
    fn skipped_and_foreign() {
        let json = r#"[{"name": "a", "skip_reason": "not found"}]"#;
        let Reading::Degraded(_, causes) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        assert_eq!(causes, ["a was not audited: not found"]);
        assert!(matches!((FORMAT.read)(&mut &b"[]"[..]), Reading::Figures(_)));
        for json in [
            "{}",
            "null",
            "[{}]",
            r#"[{"name": "a", "version": "1"}]"#,
            "[",
            "{\"dependencies\": [1]}",
            "{\"dependencies\": [], \"name\": \"x\"}",
        ] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
