//! SARIF 2.1.0.
//!
//! Results are counted, not their locations. What is no finding (kind other than `fail`, suppressed,
//! absent since the baseline) is counted apart. A run without `results` was not computed, which is
//! not the same as no finding, and a tool that says that it failed leaves no evidence.
//!
//! Results often come before the tool that explains them, so they are kept in a short form until the
//! run ends; see `sarif_rules` for what explains them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use serde::Deserialize;
use serde::de::MapAccess;

use super::sarif_rules::{Descriptor, Invocation, RuleRef, Tool};
use super::sarif_severity::{Bag, severity};
use crate::formats::json::{self, Each, EachOfSome, Fields, Loose, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures, Reading, Severity};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "sarif",
    kind: FormatKind::Lint,
    tools: "CodeQL, Semgrep, clippy-sarif, ESLint, Ruff, Trivy and most scanners",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head)).is_some_and(|s| !s.list && s.has(&["runs"]))
}

fn parse(input: &mut TextReader<'_>) -> Found {
    parse_into(input, &mut Vec::new())
}

fn parse_into(input: &mut TextReader<'_>, severities: &mut Vec<Severity>) -> Found {
    let mut log = Log::default();
    json::whole(input, Fields(&mut log))?;
    severities.append(&mut log.severities);
    log.finish()
}

/// Reads SARIF as the format does, and says how severe each of its findings is, in their order.
pub fn with_severities(input: &mut dyn BufRead) -> (Reading, Vec<Severity>) {
    let mut severities = Vec::new();
    let reading = reading(input, |text| parse_into(text, &mut severities));
    (reading, severities)
}

#[derive(Default)]
struct Log {
    version: Option<String>,
    runs: u64,
    computed: u64,
    elsewhere: bool,
    lint: LintFigures,
    /// One for each finding.
    severities: Vec<Severity>,
    versions: BTreeSet<String>,
    causes: Vec<String>,
    notes: Vec<String>,
}

impl<'de> Object<'de> for Log {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "version" => self.version = Some(map.next_value::<Text>()?.0),
            "runs" => map.next_value_seed(runs::EachRun(self))?,
            "inlineExternalProperties" => {
                let outside = &mut self.elsewhere;
                map.next_value_seed(Each::new(|part: Outside| {
                    *outside |= part.results.is_some_and(|r| !r.is_empty());
                    Ok(())
                }))?;
            }
            _ => json::skip(map)?,
        }
        Ok(())
    }
}

/// Results kept outside of their run.
#[derive(Deserialize)]
struct Outside {
    results: Option<Vec<serde::de::IgnoredAny>>,
}

impl Log {
    fn finish(mut self) -> Found {
        match self.version.as_deref() {
            Some(v) if v.starts_with("2.1.") => {}
            Some(v) => return Err(format!("no SARIF 2.1.0: its version is {v}")),
            None => return Err("no SARIF: it states no version".into()),
        }
        if self.runs == 0 {
            return Err("no run is in it".into());
        }
        if self.computed == 0 {
            return Err("none of its runs has results: nothing was computed".into());
        }
        if self.computed < self.runs {
            let missing = self.runs - self.computed;
            self.notes.push(format!("runs without results, not computed: {missing}"));
        }
        if self.elsewhere {
            self.causes.push("it keeps results outside of its runs".into());
        }
        let versions: Vec<String> = self.versions.into_iter().collect();
        self.lint.tool_version = (!versions.is_empty()).then(|| versions.join(", "));
        let figures = Figures { lint: Some(self.lint), notes: self.notes, ..Figures::default() };
        Ok((figures, self.causes))
    }
}

/// Reads runs one by one without holding their results as a tree.
mod runs {
    use std::fmt;

    use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

    use super::{Fields, Log, Run};

    pub(super) struct EachRun<'a>(pub(super) &'a mut Log);

    struct OneRun<'a>(&'a mut Log);

    impl<'de> DeserializeSeed<'de> for EachRun<'_> {
        type Value = ();
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_any(self)
        }
    }

    impl<'de> Visitor<'de> for EachRun<'_> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of runs")
        }
        fn visit_unit<E: Error>(self) -> Result<(), E> {
            Ok(())
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
            while items.next_element_seed(OneRun(self.0))?.is_some() {}
            Ok(())
        }
    }

    impl<'de> DeserializeSeed<'de> for OneRun<'_> {
        type Value = ();
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            let mut run = Run::default();
            Fields(&mut run).deserialize(deserializer)?;
            run.finish(self.0);
            Ok(())
        }
    }
}

/// One run while it is read.
#[derive(Default)]
struct Run {
    tool: Tool,
    results: Option<Vec<Row>>,
    suppressed: u64,
    absent: u64,
    ignored: u64,
    invocations: Vec<Invocation>,
    bases: BTreeMap<String, Place>,
    artifacts: Vec<Place>,
    external: bool,
}

impl<'de> Object<'de> for Run {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "tool" => self.tool = map.next_value()?,
            "invocations" => {
                self.invocations = map.next_value::<Option<_>>()?.unwrap_or_default();
            }
            "originalUriBaseIds" => {
                self.bases = map.next_value::<Option<_>>()?.unwrap_or_default();
            }
            "artifacts" => {
                let artifacts = &mut self.artifacts;
                map.next_value_seed(Each::new(|a: Artifact| {
                    artifacts.push(a.location.unwrap_or_default());
                    Ok(())
                }))?;
            }
            "externalPropertyFileReferences" => {
                let refs: Option<External> = map.next_value()?;
                self.external = refs.is_some_and(|r| r.results.is_some());
            }
            "results" => self.results(map)?,
            _ => json::skip(map)?,
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct External {
    results: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Artifact {
    location: Option<Place>,
}

/// `artifactLocation`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    uri: Option<Text>,
    uri_base_id: Option<Text>,
    index: Option<Num>,
}

/// `result`, as far as it is of use.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultItem {
    rule_id: Option<Text>,
    rule_index: Option<Num>,
    rule: Option<RuleRef>,
    level: Option<Text>,
    kind: Option<Text>,
    baseline_state: Option<Text>,
    suppressions: Option<Vec<Suppression>>,
    message: Option<Message>,
    locations: Option<Vec<Location>>,
    #[serde(default)]
    provenance: Option<Provenance>,
    partial_fingerprints: Option<BTreeMap<String, Loose>>,
    fingerprints: Option<BTreeMap<String, Loose>>,
    #[serde(default)]
    properties: Bag,
}

/// 2.1.0 says `status`, and files in the wild say `state`.
#[derive(Deserialize)]
struct Suppression {
    status: Option<Text>,
    state: Option<Text>,
}

#[derive(Default, Deserialize)]
struct Message {
    text: Option<Text>,
    markdown: Option<Text>,
    id: Option<Text>,
    arguments: Option<Vec<Loose>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Option<Place>,
    region: Option<Region>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Provenance {
    invocation_index: Option<Num>,
}

/// A result that counts, until its run is known.
struct Row {
    rule: RuleRef,
    level: Option<String>,
    invocation: Option<usize>,
    message: Message,
    place: Option<Place>,
    line: Option<u32>,
    fingerprint: Option<String>,
    properties: Bag,
}

impl Run {
    fn results<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        let (mut rows, mut there) = (Vec::new(), false);
        let (mut suppressed, mut absent, mut ignored) = (0, 0, 0);
        map.next_value_seed(EachOfSome::new(&mut there, |item: ResultItem| {
            if word(item.baseline_state.as_ref()) == "absent" {
                absent += 1;
            } else if !matches!(word(item.kind.as_ref()).as_str(), "" | "fail") {
                ignored += 1;
            } else if is_suppressed(item.suppressions.as_deref().unwrap_or_default()) {
                suppressed += 1;
            } else {
                rows.push(Row::from(item));
            }
            Ok(())
        }))?;
        if there {
            self.results.get_or_insert_default().extend(rows);
        }
        self.suppressed += suppressed;
        self.absent += absent;
        self.ignored += ignored;
        Ok(())
    }

    fn finish(mut self, log: &mut Log) {
        log.runs += 1;
        let Some(rows) = self.results.take() else {
            if self.external {
                log.elsewhere = true;
            }
            self.unfinished(log);
            return;
        };
        log.computed += 1;
        log.lint.suppressed += self.suppressed;
        log.lint.absent += self.absent;
        log.lint.ignored += self.ignored;
        log.versions.extend(self.tool.version());
        for row in rows {
            let properties = row.properties.clone();
            let rule = self.tool.rule(&row.rule).map(Descriptor::properties);
            let finding = self.finding(row, &mut log.notes);
            log.severities.push(severity(&properties, rule, finding.level));
            log.lint.findings.push(finding);
        }
        self.unfinished(log);
    }

    /// What the tool itself says about not having finished.
    fn unfinished(&self, log: &mut Log) {
        for invocation in &self.invocations {
            for cause in invocation.causes() {
                note(&mut log.causes, || format!("{}: {cause}", self.tool.name()));
            }
        }
    }

    fn finding(&self, row: Row, notes: &mut Vec<String>) -> Finding {
        let descriptor = self.tool.rule(&row.rule);
        let stated = row.level.as_deref().and_then(|word| {
            let level = level(word);
            if level.is_none() {
                note(notes, || format!("a level that SARIF does not know: {word}"));
            }
            level
        });
        let overridden = || self.overrides(&row).find_map(|i| i.level_of(&row.rule, descriptor));
        let default = || descriptor.and_then(|d| level(d.default_level()?));
        Finding {
            rule: row.rule.name(descriptor),
            level: stated.or_else(overridden).or_else(default).unwrap_or(Level::Warning),
            path: row.place.as_ref().and_then(|p| self.path(p)),
            line: row.line,
            message: row.message.render(|id| descriptor.and_then(|d| d.message(id))),
            tool: self.tool.name().to_owned(),
            fingerprint: row.fingerprint,
            line_hash: None,
        }
    }

    /// The invocations whose overrides hold for a result: its own, or any where it names none.
    fn overrides(&self, row: &Row) -> impl Iterator<Item = &Invocation> {
        let only = row.invocation;
        let all = self.invocations.iter().enumerate();
        all.filter(move |(n, _)| only.is_none_or(|o| o == *n)).map(|(_, i)| i)
    }

    fn path(&self, place: &Place) -> Option<String> {
        let by_index = || place.index.and_then(Num::index).and_then(|n| self.artifacts.get(n));
        let place = if place.uri.is_some() { place } else { by_index()? };
        let uri = paths::raw_from_uri(&place.uri.as_ref()?.0);
        let base = place.uri_base_id.as_ref().map(|id| self.base(&id.0, 0)).unwrap_or_default();
        Some(paths::normal(&paths::join(&base, &uri))).filter(|p| !p.is_empty())
    }

    /// Follows a chain of base ids; a broken or circular one gives what is known of it.
    fn base(&self, id: &str, depth: usize) -> String {
        let Some(place) = self.bases.get(id).filter(|_| depth < 16) else { return String::new() };
        let uri = place.uri.as_ref().map(|u| paths::raw_from_uri(&u.0)).unwrap_or_default();
        match &place.uri_base_id {
            Some(parent) => paths::join(&self.base(&parent.0, depth + 1), &uri),
            None => uri,
        }
    }
}

impl From<ResultItem> for Row {
    fn from(item: ResultItem) -> Self {
        let mut rule = item.rule.unwrap_or_default();
        // an empty id says as little as none
        rule.id = [item.rule_id, rule.id].into_iter().flatten().find(|id| !id.0.trim().is_empty());
        rule.index = item.rule_index.or(rule.index);
        let location = item.locations.into_iter().flatten().find_map(|l| l.physical_location);
        let (place, region) = match location {
            Some(l) => (l.artifact_location, l.region),
            None => (None, None),
        };
        Row {
            rule,
            level: item.level.map(|l| l.0),
            invocation: item.provenance.and_then(|p| p.invocation_index).and_then(Num::index),
            message: item.message.unwrap_or_default(),
            place,
            line: region.and_then(|r| r.start_line).and_then(Num::line),
            fingerprint: first_of(item.fingerprints)
                .or_else(|| first_of(item.partial_fingerprints)),
            properties: item.properties,
        }
    }
}

fn first_of(prints: Option<BTreeMap<String, Loose>>) -> Option<String> {
    prints?.into_iter().find_map(|(name, value)| Some(format!("{name}:{}", value.0?)))
}

fn word(text: Option<&Text>) -> String {
    text.map(|t| t.0.trim().to_ascii_lowercase()).unwrap_or_default()
}

/// Suppressed only if someone suppressed it and nobody objects or still thinks about it.
fn is_suppressed(list: &[Suppression]) -> bool {
    let accepted = |s: &Suppression| {
        let status = word(s.status.as_ref().or(s.state.as_ref()));
        matches!(status.as_str(), "" | "accepted")
    };
    !list.is_empty() && list.iter().all(accepted)
}

/// The level of a word of SARIF.
pub(super) fn level(word: &str) -> Option<Level> {
    match word.trim().to_ascii_lowercase().as_str() {
        "none" => Some(Level::None),
        "note" => Some(Level::Note),
        "warning" => Some(Level::Warning),
        "error" => Some(Level::Error),
        _ => None,
    }
}

impl Message {
    /// The text, taken from the rule's messages where only an id is given.
    fn render<'t>(self, by_id: impl Fn(&str) -> Option<&'t str>) -> String {
        if let Some(text) = self.text.or(self.markdown) {
            return text.0;
        }
        let Some(template) = self.id.as_ref().and_then(|id| by_id(&id.0)) else {
            return self.id.map(|id| id.0).unwrap_or_default();
        };
        let mut text = template.to_owned();
        for (n, argument) in self.arguments.iter().flatten().enumerate() {
            text = text.replace(&format!("{{{n}}}"), argument.0.as_deref().unwrap_or_default());
        }
        text
    }
}
