//! Entries of the Open Source Vulnerability format (ossf.github.io/osv-schema), as several scanners
//! put them into their reports.

use serde::Deserialize;

use super::lenient::{Either, Texts, any_of};
use super::severity;
use crate::formats::json::{Loose, Text};
use crate::model::Severity;

/// One entry, as far as it is of use.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) id: Text,
    #[serde(default)]
    pub(super) aliases: Texts,
    severity: Option<Rated>,
    database_specific: Option<Specific>,
    #[serde(default)]
    affected: Option<Vec<Affected>>,
}

/// A list of ratings; some write a word.
#[derive(Debug, Deserialize)]
#[serde(from = "serde_json::Value")]
struct Rated(Vec<String>);

impl From<serde_json::Value> for Rated {
    fn from(value: serde_json::Value) -> Self {
        let text = |v: &serde_json::Value| v.as_str().map(str::to_owned);
        Rated(match &value {
            serde_json::Value::Array(list) => {
                list.iter().filter_map(|r| text(r.get("score")?)).collect()
            }
            other => text(other).into_iter().collect(),
        })
    }
}

#[derive(Debug, Deserialize)]
struct Specific {
    severity: Option<Loose>,
}

#[derive(Debug, Deserialize)]
struct Affected {
    package: Option<Package>,
    #[serde(default)]
    ranges: Option<Vec<Range>>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: Option<Text>,
}

#[derive(Debug, Deserialize)]
struct Range {
    #[serde(default)]
    events: Option<Vec<Either<Event>>>,
}

#[derive(Debug, Deserialize)]
struct Event {
    fixed: Option<Text>,
}

impl Entry {
    /// Its names.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.id.0.clone()).chain(self.aliases.0.iter().cloned())
    }

    /// The database's word, or the worst of the vectors.
    pub(super) fn severity(&self) -> Severity {
        let said = self.database_specific.as_ref().and_then(|d| d.severity.as_ref()?.0.as_deref());
        let rated = self.severity.iter().flat_map(|r| &r.0);
        let worst = rated.filter_map(|r| severity::vector(r).or_else(|| severity::word(r))).max();
        said.and_then(severity::word).or(worst).unwrap_or(Severity::Unknown)
    }

    /// The versions of the package that mend it.
    pub(super) fn fixed_in(&self, package: &str) -> Option<String> {
        let of = |a: &&Affected| {
            let name = a.package.as_ref().and_then(|p| p.name.as_ref());
            name.is_none_or(|n| n.0.eq_ignore_ascii_case(package))
        };
        let affected = self.affected.iter().flatten().filter(of);
        let ranges = affected.flat_map(|a| a.ranges.iter().flatten());
        let fixed: Vec<String> = ranges
            .flat_map(|r| r.events.iter().flatten())
            .filter_map(|e| match e {
                Either::Object(Event { fixed: Some(v) }) => Some(v.0.clone()),
                _ => None,
            })
            .collect();
        any_of(&fixed)
    }
}
