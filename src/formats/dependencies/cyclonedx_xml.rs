//! The XML syntax of CycloneDX: see [`super::cyclonedx`].
//!
//! Version 1.2 and 1.3 have vulnerabilities by an extension (`v:vulnerability`), in the document or in
//! the component that they are about.

use super::cyclonedx::{Bom, Component, Vulnerability};
use crate::formats::Found;
use crate::formats::text::TextReader;
use crate::formats::xml::{self, Element, Visitor};

#[derive(Default)]
struct Xml {
    bom: Bom,
    /// Names of the open elements.
    path: Vec<String>,
    /// The open components with their references.
    components: Vec<(String, Component)>,
    vulnerability: Option<Vulnerability>,
    text: String,
}

impl Visitor for Xml {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        if depth == 1 && e.name() != "bom" {
            return Err(format!("no CycloneDX: its root is {}", e.name()));
        }
        match e.name() {
            "component" => {
                let reference = e.attr("bom-ref").unwrap_or_default();
                self.components.push((reference, Component::default()));
            }
            "vulnerabilities" => {
                self.bom.vulnerabilities.get_or_insert_default();
            }
            "vulnerability" => {
                let affects = e.filled("ref").into_iter().collect();
                self.vulnerability = Some(Vulnerability { affects, ..Vulnerability::default() });
            }
            "rating" => {
                let ratings = self.vulnerability.as_mut().map(|v| &mut v.ratings);
                ratings.into_iter().for_each(|r| r.push(Default::default()));
            }
            _ => {}
        }
        self.path.push(e.name().to_owned());
        self.text.clear();
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        self.path.pop();
        let text = std::mem::take(&mut self.text).trim().to_owned();
        let parent = self.path.last().map(String::as_str).unwrap_or_default();
        match name {
            "component" => {
                if let Some((reference, component)) = self.components.pop() {
                    let key = if reference.is_empty() { &component.purl } else { &reference };
                    self.bom.components.insert(key.clone(), component);
                }
            }
            "vulnerability" => self.end_vulnerability(),
            _ => match &mut self.vulnerability {
                Some(vulnerability) => part(vulnerability, parent, name, text),
                None if parent == "component" => self.of_component(name, text),
                None => {}
            },
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

impl Xml {
    fn of_component(&mut self, name: &str, text: String) {
        let Some((_, component)) = self.components.last_mut() else { return };
        match name {
            "group" => component.group = text,
            "name" => component.name = text,
            "version" => component.version = text,
            "purl" => component.purl = text,
            _ => {}
        }
    }

    fn end_vulnerability(&mut self) {
        let Some(mut vulnerability) = self.vulnerability.take() else { return };
        // one within a component is about that
        if let (true, Some((reference, c))) =
            (vulnerability.affects.is_empty(), self.components.last())
        {
            let key = if reference.is_empty() { &c.purl } else { reference };
            vulnerability.affects.push(key.clone());
        }
        self.bom.vulnerabilities.get_or_insert_default().push(vulnerability);
    }
}

/// An element within a vulnerability ends.
fn part(vulnerability: &mut Vulnerability, parent: &str, name: &str, text: String) {
    let mut rate = |at: usize, text: String| {
        let last = vulnerability.ratings.last_mut().and_then(|r| r.get_mut(at));
        last.into_iter().for_each(|r| r.clone_from(&text));
    };
    match (parent, name) {
        ("vulnerability" | "reference", "id") => vulnerability.names.push(text),
        ("rating", "severity") => rate(0, text),
        ("rating", "vector") => rate(1, text),
        // 1.4 writes the score itself, the extension parts it
        ("rating", "score") if !text.is_empty() => rate(2, text),
        ("score", "base") => rate(2, text),
        ("target", "ref") => vulnerability.affects.push(text),
        ("analysis", "state") => vulnerability.state = text,
        _ => {}
    }
}

/// Reads a document.
pub(super) fn parse(input: &mut TextReader<'_>) -> Found {
    let mut document = Xml::default();
    xml::walk(input, &mut document)?;
    document.bom.finish()
}
