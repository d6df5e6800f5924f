//! JSON of clair-scanner (`clair-scanner --report`): vulnerabilities of an image's packages.
//!
//! `unapproved` names those that no whitelist holds; the others are counted apart. Keys are matched
//! without regard to case.

use std::collections::BTreeMap;

use serde::de::MapAccess;

use super::gathered::Gathered;
use super::lenient::{Either, Texts};
use super::severity;
use crate::formats::json::{self, Each, Fields, Loose, Object, skip};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, reading};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "clair-json",
    kind: FormatKind::Dependencies,
    tools: "clair-scanner (--report)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    json::shape(&text).is_some_and(|s| {
        let inside = text.to_ascii_lowercase().contains("\"featurename\"");
        !s.list && s.has(&["vulnerabilities"]) && (s.has(&["image", "unapproved"]) || inside)
    })
}

#[derive(Default)]
struct Report {
    found: Vec<BTreeMap<String, String>>,
    vulnerabilities: bool,
    image: bool,
    unapproved: Option<Vec<String>>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "image" => {
                skip(map)?;
                self.image = true;
            }
            "unapproved" => self.unapproved = Some(map.next_value::<Texts>()?.0),
            "vulnerabilities" => {
                self.vulnerabilities = true;
                map.next_value_seed(Each::new(|item: Either<BTreeMap<String, Loose>>| {
                    let all = item.object().into_iter().flatten();
                    let filled = all.filter_map(|(k, v)| Some((k.to_lowercase(), v.0?)));
                    let kept: BTreeMap<String, String> =
                        filled.filter(|(k, _)| k != "description" && k != "link").collect();
                    self.found.extend((!kept.is_empty()).then_some(kept));
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
    let named = report.found.iter().any(|v| v.contains_key("featurename"));
    if !report.vulnerabilities || !(report.image || named) {
        return Err(
            "no report of clair-scanner: key \"image\" or \"vulnerabilities\" is missing".into()
        );
    }
    let mut gathered = Gathered::default();
    for mut v in report.found {
        let id = v.remove("vulnerability");
        let unapproved = report.unapproved.as_ref().zip(id.as_ref());
        if let Some((_, id)) = unapproved.filter(|(list, id)| !list.contains(id)) {
            gathered.suppress(|| format!("approved by a whitelist: {id}"));
            continue;
        }
        let said = v.remove("severity");
        let bad = severity::first(said.as_deref(), None, None);
        let package = v.remove("featurename").unwrap_or_default();
        let advisory = gathered.add(id, &package, bad);
        advisory.version = v.remove("featureversion");
        advisory.fixed_in = v.remove("fixedby").filter(|f| !f.is_empty());
    }
    Ok(gathered.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, Severity};

    #[test]
    fn approved_ones_are_put_aside() {
        let json = r#"{"image": "i", "unapproved": ["CVE-1"], "vulnerabilities": [
            {"FeatureName": "a", "vulnerability": "CVE-1", "severity": "Defcon1", "fixedBy": ["x"]},
            {"featurename": "a", "vulnerability": "CVE-2", "severity": "High"}, "odd"]}"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let d = f.dependencies.unwrap();
        assert_eq!((d.advisories.len(), d.suppressed), (1, 1));
        assert_eq!(d.advisories[0].severity, Severity::Critical);
    }

    #[test]
    fn foreign() {
        for json in ["{}", "[]", r#"{"vulnerabilities": []}"#] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
