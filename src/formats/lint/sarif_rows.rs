//! Results of a SARIF run in a short form, until what explains them is known: most say the same of
//! their rule, level and file, which is kept once.

use std::collections::HashMap;
use std::hash::Hash;

use super::sarif::{Place, ResultItem, first_of};
use super::sarif_rules::RuleRef;
use super::sarif_severity::Bag;
use crate::formats::json::{Loose, Num, Text};
use crate::model::{Finding, Level, SharedText};

/// Results that count.
#[derive(Default)]
pub(super) struct Rows {
    /// With what each says itself: rule, level, path and tool come from what explains them.
    pub(super) findings: Vec<Finding>,
    /// For each its index among the kinds and among the places, [`NOWHERE`] for none.
    pub(super) of: Vec<(u32, u32)>,
    pub(super) kinds: Once<Kind>,
    pub(super) places: Once<Place>,
    /// The messages that are to be looked up, with the index of their finding.
    pub(super) ids: Vec<(usize, Said)>,
    /// What stands where nothing is known yet.
    none: SharedText,
}

/// No index.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What many results have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) rule: RuleRef,
    pub(super) level: Option<String>,
    pub(super) invocation: Option<usize>,
    pub(super) properties: Bag,
}

/// A message by the id of one of the rule's messages, with what to put in.
pub(super) struct Said {
    id: Option<Text>,
    arguments: Vec<Loose>,
}

/// Values, each kept once.
pub(super) struct Once<T> {
    at: HashMap<T, u32>,
    /// Neighbours are often of one file.
    last: u32,
    pub(super) all: Vec<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once { at: HashMap::new(), last: 0, all: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Once<T> {
    fn index(&mut self, value: T) -> u32 {
        if self.all.get(self.last as usize) == Some(&value) {
            return self.last;
        }
        if let Some(at) = self.at.get(&value) {
            self.last = *at;
            return *at;
        }
        let at = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(value.clone());
        self.at.insert(value, at);
        at
    }
}

impl Rows {
    /// Takes a result that counts.
    pub(super) fn push(&mut self, item: ResultItem) {
        let mut rule = item.rule.unwrap_or_default();
        // an empty id says as little as none
        rule.id = [item.rule_id, rule.id].into_iter().flatten().find(|id| !id.0.trim().is_empty());
        rule.index = item.rule_index.or(rule.index);
        let location = item.locations.into_iter().flatten().find_map(|l| l.physical_location);
        let (place, region) = match location {
            Some(l) => (l.artifact_location, l.region),
            None => (None, None),
        };
        let kind = self.kinds.index(Kind {
            rule,
            level: item.level.map(|l| l.0),
            invocation: item.provenance.and_then(|p| p.invocation_index).and_then(Num::index),
            properties: item.properties,
        });
        let place = place.map_or(NOWHERE, |place| self.places.index(place));
        let said = item.message.unwrap_or_default();
        let message = match said.text.or(said.markdown) {
            Some(text) => text.0,
            None => {
                let arguments = said.arguments.unwrap_or_default();
                self.ids.push((self.findings.len(), Said { id: said.id, arguments }));
                String::new()
            }
        };
        self.of.push((kind, place));
        self.findings.push(Finding {
            rule: self.none.clone(),
            level: Level::None,
            path: None,
            line: region.and_then(|r| r.start_line).and_then(Num::line),
            message,
            tool: self.none.clone(),
            fingerprint: first_of(item.fingerprints)
                .or_else(|| first_of(item.partial_fingerprints))
                .map(Into::into),
            line_hash: None,
        });
    }
}

impl Said {
    /// The text, taken from the rule's messages where only an id is given.
    pub(super) fn render<'t>(self, by_id: impl Fn(&str) -> Option<&'t str>) -> String {
        let Said { id, arguments } = self;
        let Some(template) = id.as_ref().and_then(|id| by_id(&id.0)) else {
            return id.map(|id| id.0).unwrap_or_default();
        };
        let mut text = template.to_owned();
        for (n, argument) in arguments.iter().enumerate() {
            text = text.replace(&format!("{{{n}}}"), argument.0.as_deref().unwrap_or_default());
        }
        text
    }
}
