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

use super::sarif_rows::{Kind, Rows};
use super::sarif_rules::{Descriptor, Invocation, RuleRef, Tool};
use super::sarif_severity::{Bag, severity};
use crate::formats::json::{self, Each, EachOfSome, Fields, Loose, Num, Object, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Interner, Level, LintFigures, Reading, Severity, SharedText};

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

/// What the run makes of a kind of results.
struct Meaning<'a> {
    rule: SharedText,
    level: Level,
    severity: Severity,
    descriptor: Option<&'a Descriptor>,
    /// A level that is none.
    unknown: Option<&'a str>,
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
    results: Rows,
    /// It has a list of results.
    computed: bool,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    uri: Option<Text>,
    uri_base_id: Option<Text>,
    index: Option<Num>,
}

/// `result`, as far as it is of use.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultItem {
    pub(super) rule_id: Option<Text>,
    pub(super) rule_index: Option<Num>,
    pub(super) rule: Option<RuleRef>,
    pub(super) level: Option<Text>,
    kind: Option<Text>,
    baseline_state: Option<Text>,
    suppressions: Option<Vec<Suppression>>,
    pub(super) message: Option<Message>,
    pub(super) locations: Option<Vec<Location>>,
    #[serde(default)]
    pub(super) provenance: Option<Provenance>,
    pub(super) partial_fingerprints: Option<BTreeMap<String, Loose>>,
    pub(super) fingerprints: Option<BTreeMap<String, Loose>>,
    #[serde(default)]
    pub(super) properties: Bag,
}

/// 2.1.0 says `status`, and files in the wild say `state`.
#[derive(Deserialize)]
struct Suppression {
    status: Option<Text>,
    state: Option<Text>,
}

#[derive(Default, Deserialize)]
pub(super) struct Message {
    pub(super) text: Option<Text>,
    pub(super) markdown: Option<Text>,
    pub(super) id: Option<Text>,
    pub(super) arguments: Option<Vec<Loose>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: Option<Place>,
    pub(super) region: Option<Region>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: Option<Num>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Provenance {
    pub(super) invocation_index: Option<Num>,
}

impl Run {
    fn results<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        let (rows, mut there) = (&mut self.results, false);
        let (mut suppressed, mut absent, mut ignored) = (0, 0, 0);
        map.next_value_seed(EachOfSome::new(&mut there, |item: ResultItem| {
            if word(item.baseline_state.as_ref()) == "absent" {
                absent += 1;
            } else if !matches!(word(item.kind.as_ref()).as_str(), "" | "fail") {
                ignored += 1;
            } else if is_suppressed(item.suppressions.as_deref().unwrap_or_default()) {
                suppressed += 1;
            } else {
                rows.push(item);
            }
            Ok(())
        }))?;
        self.computed |= there;
        self.suppressed += suppressed;
        self.absent += absent;
        self.ignored += ignored;
        Ok(())
    }

    fn finish(mut self, log: &mut Log) {
        log.runs += 1;
        if !self.computed {
            if self.external {
                log.elsewhere = true;
            }
            self.unfinished(log);
            return;
        }
        log.computed += 1;
        log.lint.suppressed += self.suppressed;
        log.lint.absent += self.absent;
        log.lint.ignored += self.ignored;
        log.versions.extend(self.tool.version());
        let rows = std::mem::take(&mut self.results);
        let findings = self.explained(rows, log);
        match log.lint.findings.is_empty() {
            true => log.lint.findings = findings,
            false => log.lint.findings.extend(findings),
        }
        self.unfinished(log);
    }

    /// Its findings, with what their kinds and places mean.
    fn explained(&self, rows: Rows, log: &mut Log) -> Vec<Finding> {
        let Rows { mut findings, of, kinds, places, ids, .. } = rows;
        let mut texts = Interner::default();
        let mut meaning = |kind| self.meaning(kind, &mut texts);
        let meanings: Vec<Meaning<'_>> = kinds.all.iter().map(&mut meaning).collect();
        let paths: Vec<Option<SharedText>> =
            places.all.iter().map(|at| self.path(at).map(|path| texts.get(&path))).collect();
        let tool = SharedText::from(self.tool.name());
        for (finding, (kind, place)) in findings.iter_mut().zip(&of) {
            let Some(kind) = meanings.get(*kind as usize) else { continue };
            if let Some(word) = kind.unknown {
                note(&mut log.notes, || format!("a level that SARIF does not know: {word}"));
            }
            log.severities.push(kind.severity);
            finding.rule = kind.rule.clone();
            finding.level = kind.level;
            finding.path = paths.get(*place as usize).cloned().flatten();
            finding.tool = tool.clone();
        }
        for (at, said) in ids {
            let descriptor = meanings.get(of[at].0 as usize).and_then(|kind| kind.descriptor);
            findings[at].message = said.render(|id| descriptor?.message(id));
        }
        findings
    }

    /// What the tool itself says about not having finished.
    fn unfinished(&self, log: &mut Log) {
        for invocation in &self.invocations {
            for cause in invocation.causes() {
                note(&mut log.causes, || format!("{}: {cause}", self.tool.name()));
            }
        }
    }

    fn meaning<'m>(&'m self, kind: &'m Kind, texts: &mut Interner) -> Meaning<'m> {
        let descriptor = self.tool.rule(&kind.rule);
        let stated = kind.level.as_deref().and_then(level);
        let overridden = || self.overrides(kind).find_map(|i| i.level_of(&kind.rule, descriptor));
        let default = || descriptor.and_then(|d| level(d.default_level()?));
        let level = stated.or_else(overridden).or_else(default).unwrap_or(Level::Warning);
        Meaning {
            rule: texts.get(&kind.rule.name(descriptor)),
            level,
            severity: severity(&kind.properties, descriptor.map(Descriptor::properties), level),
            descriptor,
            unknown: kind.level.as_deref().filter(|_| stated.is_none()),
        }
    }

    /// The invocations whose overrides hold for a result: its own, or any where it names none.
    fn overrides(&self, kind: &Kind) -> impl Iterator<Item = &Invocation> {
        let only = kind.invocation;
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

pub(super) fn first_of(prints: Option<BTreeMap<String, Loose>>) -> Option<String> {
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
