//! Cppcheck's XML (`cppcheck --xml`), version 2 and 1 (<https://cppcheck.sourceforge.io/manual.html>).
//!
//! One `error` is one finding, at the first of its locations. Levels as in Cppcheck's own SARIF:
//! style, performance and portability are warnings, information is a note. Errors about Cppcheck
//! itself mean that it did not check all.

use crate::formats::text::{TextReader, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cppcheck",
    kind: FormatKind::Lint,
    tools: "Cppcheck (cppcheck --xml)",
    sniff,
    read: |input| reading(input, parse),
};

/// Errors about Cppcheck itself.
const FAILED: &[&str] =
    &["cppcheckError", "internalError", "internalAstError", "instantiationError", "cppcheckLimit"];

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head))
        .is_some_and(|root| root.name == "results" && root.child.as_deref() == Some("cppcheck"))
}

#[derive(Default)]
struct Report {
    lint: LintFigures,
    open: Option<Finding>,
    /// Something was there that only Cppcheck writes.
    known: bool,
    causes: Vec<String>,
    notes: Vec<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    if !report.known {
        return Err("no Cppcheck XML: nothing in it names the tool".into());
    }
    let figures = Figures { lint: Some(report.lint), notes: report.notes, ..Figures::default() };
    Ok((figures, report.causes))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "results") => {}
            (1, name) => return Err(format!("no Cppcheck XML: its root is {name}")),
            (2, "cppcheck") => {
                self.known = true;
                self.lint.tool_version = e.filled("version");
            }
            (_, "error") => self.open = Some(self.finding(e)),
            (_, "location") => {
                if let Some(finding) = self.open.as_mut().filter(|f| f.path.is_none()) {
                    at(finding, e);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        if name == "error" {
            self.lint.findings.extend(self.open.take());
        }
        Ok(())
    }
}

fn at(finding: &mut Finding, e: &Element<'_>) {
    finding.path = e.filled("file").map(|p| paths::from_path(&p).into());
    finding.line = e.attr("line").as_deref().and_then(line_number);
}

impl Report {
    fn finding(&mut self, e: &Element<'_>) -> Finding {
        let rule = e.attr("id").unwrap_or_default();
        let severity = e.attr("severity");
        // version 1 has no element of its own for the tool
        self.known |= !rule.is_empty() && severity.is_some();
        let level = match severity.unwrap_or_default().trim() {
            "error" => Level::Error,
            "warning" | "style" | "performance" | "portability" => Level::Warning,
            "information" | "debug" | "internal" | "none" => Level::Note,
            other => {
                note(&mut self.notes, || {
                    format!("a severity that Cppcheck does not know: {other}")
                });
                Level::Warning
            }
        };
        let message = e.filled("msg").or_else(|| e.attr("verbose")).unwrap_or_default();
        if FAILED.contains(&rule.as_str()) {
            note(&mut self.causes, || format!("the tool failed: {message}"));
        }
        let mut finding = Finding {
            rule: rule.into(),
            level,
            path: None,
            line: None,
            message,
            tool: "cppcheck".into(),
            fingerprint: None,
            line_hash: None,
        };
        at(&mut finding, e);
        finding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(xml: &str) -> Reading {
        (FORMAT.read)(&mut xml.as_bytes())
    }

    #[test]
    fn both_versions() {
        let two = r#"<?xml version="1.0"?><results version="2"><cppcheck version="2.10"/><errors>
            <error id="a" severity="style" msg="m"><location file="b\x.c" line="3"/>
            <location file="y.c" line="4"/></error><error id="missingInclude" severity="information"/>
            <error id="internalError" severity="error" msg="Boom"><location file="" line="0"/></error>
            </errors></results>"#;
        let Reading::Degraded(f, causes) = read(two) else { panic!() };
        assert_eq!(causes, ["the tool failed: Boom"]);
        let lint = f.lint.unwrap();
        let got: Vec<_> =
            lint.findings.iter().map(|f| (f.level, f.path.as_deref(), f.line)).collect();
        let want = [
            (Level::Warning, Some("b/x.c"), Some(3)),
            (Level::Note, None, None),
            (Level::Error, None, None),
        ];
        assert_eq!(got, want);
        let one =
            r#"<results><error file="a.c" line="7" id="x" severity="error" msg="m"/></results>"#;
        let Reading::Figures(f) = read(one) else { panic!() };
        assert_eq!(f.lint.unwrap().findings[0].line, Some(7));
    }

    #[test]
    fn foreign() {
        for xml in ["<results/>", "<results><error/></results>", "<pmd/>", "<results version='2'>"]
        {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
        }
    }
}
