//! CycloneDX, JSON and XML (cyclonedx.org/specification; 1.2 with its extension, 1.4 and later).
//!
//! A bill of materials that lists no vulnerabilities does not say that there are none: it is refused
//! unless it has such a list, if only an empty one. An entry counts for each package that it affects.
//! Entries whose analysis says not affected, false positive or resolved are counted apart.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::MapAccess;

use super::cyclonedx_xml;
use super::gathered::Gathered;
use super::lenient::{Either, advisory_of, purl, text};
use super::severity;
use crate::formats::json::{self, Each, EachOfSome, Fields, Loose, Object, Text, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading, xml};
use crate::model::Severity;

/// Why a bill without a list of vulnerabilities is no audit.
const SILENT: &str =
    "it lists components and no vulnerabilities, which says nothing about vulnerabilities";

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cyclonedx",
    kind: FormatKind::Dependencies,
    tools: "CycloneDX bills with vulnerabilities (Trivy, Grype, cdxgen, Dependency-Track)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    if text.trim_start().starts_with('<') {
        let of_bom = |r: xml::Root| r.name == "bom" && text.contains("cyclonedx.org/schema/bom");
        return xml::root(&text).is_some_and(of_bom);
    }
    let named = text.contains("\"CycloneDX\"");
    json::shape(&text).is_some_and(|s| !s.list && s.has(&["bomFormat"]) && named)
}

/// A component, as far as it names a package.
#[derive(Debug, Clone, Default)]
pub(super) struct Component {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) purl: String,
}

impl Component {
    /// The package's name and version.
    fn package(&self) -> (String, Option<String>) {
        let version = Some(self.version.clone()).filter(|v| !v.is_empty());
        if let Some((name, of_purl)) = purl(&self.purl) {
            return (name, version.or(of_purl));
        }
        let parted = if self.group.is_empty() { "" } else { "/" };
        (format!("{}{parted}{}", self.group, self.name), version)
    }
}

/// An entry of the list.
#[derive(Debug, Default)]
pub(super) struct Vulnerability {
    pub(super) names: Vec<String>,
    /// Word, vector, score.
    pub(super) ratings: Vec<[String; 3]>,
    pub(super) affects: Vec<String>,
    pub(super) state: String,
}

/// Both syntaxes end here.
#[derive(Debug, Default)]
pub(super) struct Bom {
    pub(super) components: BTreeMap<String, Component>,
    pub(super) vulnerabilities: Option<Vec<Vulnerability>>,
}

impl Vulnerability {
    /// The worst of the words; without one the worst of the vectors, then of the scores.
    fn severity(&self) -> Severity {
        let worst = |read: fn(&str) -> Option<Severity>, at: usize| {
            self.ratings.iter().filter_map(|r| read(r.get(at)?)).max()
        };
        let known = worst(severity::word, 0).or_else(|| worst(severity::vector, 1));
        known.or_else(|| worst(severity::score, 2)).unwrap_or(Severity::Unknown)
    }

    fn is_put_aside(&self) -> bool {
        let aside = ["not_affected", "false_positive", "resolved", "resolved_with_pedigree"];
        aside.contains(&self.state.as_str())
    }
}

impl Bom {
    /// Counts what is listed.
    pub(super) fn finish(self) -> Found {
        let mut gathered = Gathered::default();
        for entry in self.vulnerabilities.ok_or(SILENT)? {
            let affected = entry.affects.len().max(1);
            if entry.is_put_aside() {
                let id = entry.names.first().map(String::as_str).unwrap_or_default();
                gathered.suppress(|| format!("{}: {id}", entry.state.replace('_', " ")));
                continue;
            }
            for at in 0..affected {
                let reference = entry.affects.get(at).map(String::as_str).unwrap_or_default();
                let (package, version) = package_of(&self.components, reference);
                let advisory = gathered.add(entry.names.clone(), &package, entry.severity());
                advisory.version = version;
            }
        }
        Ok(gathered.finish())
    }
}

/// What a reference (of this bill, a package URL, or a link into another bill) names.
fn package_of(
    components: &BTreeMap<String, Component>,
    reference: &str,
) -> (String, Option<String>) {
    let local = reference.strip_prefix("urn:cdx:").and_then(|r| r.split_once('#')).map(|r| r.1);
    let reference = local.unwrap_or(reference);
    match components.get(reference) {
        Some(component) => component.package(),
        None => purl(reference).unwrap_or_else(|| (reference.to_owned(), None)),
    }
}

#[derive(Deserialize)]
struct JsonComponent {
    #[serde(rename = "bom-ref")]
    reference: Option<Text>,
    group: Option<Text>,
    name: Option<Text>,
    version: Option<Text>,
    purl: Option<Text>,
    #[serde(default)]
    components: Option<Vec<JsonComponent>>,
}

#[derive(Deserialize)]
struct JsonVulnerability {
    id: Option<Text>,
    #[serde(rename = "bom-ref")]
    reference: Option<Text>,
    #[serde(default)]
    references: Option<Vec<Reference>>,
    #[serde(default)]
    ratings: Option<Vec<Rating>>,
    #[serde(default)]
    affects: Option<Vec<Affected>>,
    #[serde(default)]
    advisories: Option<Vec<Reference>>,
    analysis: Option<Analysis>,
}

#[derive(Deserialize)]
struct Reference {
    id: Option<Text>,
    url: Option<Text>,
}

#[derive(Deserialize)]
struct Rating {
    severity: Option<Text>,
    vector: Option<Text>,
    score: Option<Loose>,
}

#[derive(Deserialize)]
struct Affected {
    #[serde(rename = "ref")]
    reference: Option<Text>,
}

#[derive(Deserialize)]
struct Analysis {
    state: Option<Text>,
}

#[derive(Deserialize)]
struct Metadata {
    component: Option<Either<JsonComponent>>,
}

#[derive(Default)]
struct Json {
    bom: Bom,
    named: bool,
}

impl Json {
    fn component(&mut self, c: JsonComponent) {
        let purl = text(c.purl);
        let key = c.reference.map_or_else(|| purl.clone(), |r| r.0);
        let [group, name, version] = [c.group, c.name, c.version].map(text);
        self.bom.components.insert(key, Component { group, name, version, purl });
        c.components.into_iter().flatten().for_each(|c| self.component(c));
    }
}

fn entry(v: JsonVulnerability) -> Vulnerability {
    let references = v.references.into_iter().flatten().filter_map(|r| r.id);
    let mut names: Vec<String> = v.id.into_iter().chain(references).map(|t| t.0).collect();
    let advisories = v.advisories.into_iter().flatten();
    let linked = advisories.filter_map(|a| advisory_of(&text(a.url)));
    if names.is_empty() {
        names.extend(linked.chain(v.reference.map(|r| r.0)));
    }
    let rating = |r: Rating| {
        [text(r.severity), text(r.vector), r.score.and_then(|s| s.0).unwrap_or_default()]
    };
    Vulnerability {
        names,
        ratings: v.ratings.into_iter().flatten().map(rating).collect(),
        affects: v.affects.into_iter().flatten().filter_map(|a| a.reference).map(|r| r.0).collect(),
        state: v.analysis.map(|a| text(a.state)).unwrap_or_default(),
    }
}

impl<'de> Object<'de> for Json {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "bomFormat" => self.named = map.next_value::<Text>()?.0 == "CycloneDX",
            "metadata" => {
                let metadata = map.next_value::<Metadata>()?;
                metadata
                    .component
                    .and_then(Either::object)
                    .into_iter()
                    .for_each(|c| self.component(c));
            }
            "components" => map.next_value_seed(Each::new(|c| {
                self.component(c);
                Ok(())
            }))?,
            "vulnerabilities" => {
                let (mut there, mut list) = (false, Vec::new());
                map.next_value_seed(EachOfSome::new(&mut there, |v| {
                    list.push(entry(v));
                    Ok(())
                }))?;
                // null says as little as no key
                if there {
                    self.bom.vulnerabilities.get_or_insert_default().extend(list);
                }
            }
            _ => skip(map)?,
        }
        Ok(())
    }
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let head =
        std::io::BufRead::fill_buf(input).map_err(|e| format!("it could not be read: {e}"))?;
    if head.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'<') {
        return cyclonedx_xml::parse(input);
    }
    let mut json = Json::default();
    json::whole(input, Fields(&mut json))?;
    if !json.named {
        return Err("no CycloneDX: key \"bomFormat\" is missing".into());
    }
    json.bom.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    const JSON: &str = r#"{"bomFormat": "CycloneDX", "specVersion": "1.4", "vulnerabilities": [
        {"id": "CVE-1", "references": [{"id": "GHSA-1"}], "ratings": [{"severity": "low"}, {"severity": "high"}],
         "affects": [{"ref": "r1"}, {"ref": "pkg:npm/b@2"}]},
        {"id": "CVE-2", "ratings": [{"vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}], "affects": [{"ref": "r2"}]},
        {"id": "CVE-3", "affects": [{"ref": "urn:cdx:1/1#r1"}]},
        {"id": "CVE-4", "analysis": {"state": "not_affected"}, "affects": [{"ref": "r1"}]}],
        "components": [{"bom-ref": "r1", "group": "g", "name": "a", "version": "1",
          "components": [{"bom-ref": "r2", "name": "inner", "purl": "pkg:maven/org/inner@3"}]}]}"#;

    const XML: &str = r#"<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.4">
        <components><component bom-ref="r1"><group>g</group><name>a</name><version>1</version>
        <components><component bom-ref="r2"><name>inner</name><purl>pkg:maven/org/inner@3</purl></component></components>
        </component></components>
        <vulnerabilities>
        <vulnerability><id>CVE-1</id><source><name>x</name></source><references><reference><id>GHSA-1</id></reference></references>
          <ratings><rating><severity>low</severity></rating><rating><severity>high</severity></rating></ratings>
          <affects><target><ref>r1</ref><versions><version><status>affected</status></version></versions></target><target><ref>pkg:npm/b@2</ref></target></affects></vulnerability>
        <vulnerability><id>CVE-2</id><ratings><rating><score>9.8</score><vector>CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H</vector></rating></ratings><affects><target><ref>r2</ref></target></affects></vulnerability>
        <vulnerability><id>CVE-3</id><affects><target><ref>urn:cdx:1/1#r1</ref></target></affects></vulnerability>
        <vulnerability><id>CVE-4</id><analysis><state>not_affected</state></analysis><affects><target><ref>r1</ref></target></affects></vulnerability>
        </vulnerabilities></bom>"#;

    #[test]
    fn both_syntaxes_say_the_same() {
        let json = (FORMAT.read)(&mut JSON.as_bytes());
        assert_eq!((FORMAT.read)(&mut XML.as_bytes()), json);
        assert!(sniff(JSON.as_bytes()) && sniff(XML.as_bytes()));
        let Reading::Figures(f) = json else { panic!("{json:?}") };
        let d = f.dependencies.unwrap();
        let got: Vec<String> = d
            .advisories
            .iter()
            .map(|a| {
                format!(
                    "{} {} {} {:?}",
                    a.id,
                    a.package,
                    a.version.as_deref().unwrap_or("-"),
                    a.severity
                )
            })
            .collect();
        let want = [
            "CVE-2 org:inner 3 Critical",
            "CVE-3 g/a 1 Unknown",
            "GHSA-1 b 2 High",
            "GHSA-1 g/a 1 High",
        ];
        assert_eq!((got, d.suppressed), (want.map(str::to_owned).to_vec(), 1));
    }

    #[test]
    fn a_bill_alone_says_nothing() {
        let json = r#"{"bomFormat": "CycloneDX", "components": []}"#;
        let xml = r#"<bom xmlns="http://cyclonedx.org/schema/bom/1.4"><components/></bom>"#;
        for text in [json, xml] {
            assert_eq!(
                (FORMAT.read)(&mut text.as_bytes()),
                Reading::Refused(SILENT.into()),
                "{text}"
            );
        }
        let json = r#"{"bomFormat": "CycloneDX", "vulnerabilities": []}"#;
        let xml = r#"<bom xmlns="http://cyclonedx.org/schema/bom/1.4"><vulnerabilities/></bom>"#;
        for text in [json, xml] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Figures(_)), "{text}");
        }
        for text in [
            "{}",
            "[]",
            r#"{"bomFormat": "CycloneDX", "vulnerabilities": null}"#,
            "<bom/>",
            "<coverage/>",
            r#"{"vulnerabilities": []}"#,
        ] {
            assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        }
    }
}
