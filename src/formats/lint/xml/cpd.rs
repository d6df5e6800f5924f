//! CPD's XML (`pmd cpd --format xml`): one duplication is one finding, at the first of its places
//! (<https://docs.pmd-code.org/latest/pmd_userdocs_cpd_report_formats.html>).

use crate::formats::text::{TextReader, clip, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cpd",
    kind: FormatKind::Lint,
    tools: "PMD's copy and paste detector, phpcpd",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| root.name == "pmd-cpd"),
    read: |input| reading(input, parse),
};

/// How many of the other places a message names.
const MAX_PLACES: usize = 5;

#[derive(Default)]
struct Report {
    lint: LintFigures,
    open: Option<Duplication>,
    causes: Vec<String>,
}

#[derive(Default)]
struct Duplication {
    lines: String,
    first: Option<(String, Option<u32>)>,
    others: Vec<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    Ok((Figures { lint: Some(report.lint), ..Figures::default() }, report.causes))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "pmd-cpd") => self.lint.tool_version = e.filled("pmdVersion"),
            (1, name) => return Err(format!("no CPD XML: its root is {name}")),
            (_, "duplication") => {
                let lines = e.attr("lines").unwrap_or_default();
                self.open = Some(Duplication { lines, ..Duplication::default() });
            }
            (_, "error") => {
                let file = e.filled("filename").unwrap_or_else(|| "a file".into());
                let why = clip(e.attr("msg").unwrap_or_default().trim(), 300);
                note(&mut self.causes, || format!("the tool failed on {file}: {why}"));
            }
            (_, "file") => {
                // outside of a duplication it is only counted
                if let Some(duplication) = &mut self.open {
                    duplication.add(e);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        if name == "duplication"
            && let Some(duplication) = self.open.take()
        {
            self.lint.findings.push(duplication.finding());
        }
        Ok(())
    }
}

impl Duplication {
    fn add(&mut self, e: &Element<'_>) {
        let path = e.filled("path").map(|p| paths::from_path(&p)).unwrap_or_default();
        let line = e.attr("line").as_deref().and_then(line_number);
        if self.first.is_none() {
            self.first = Some((path, line));
        } else if self.others.len() < MAX_PLACES {
            self.others.push(format!("{path}:{}", line.unwrap_or(0)));
        }
    }

    fn finding(self) -> Finding {
        let (path, line) = self.first.unwrap_or_default();
        let message =
            format!("{} duplicated lines, also at {}", self.lines, self.others.join(", "));
        Finding {
            rule: "duplication".into(),
            level: Level::Warning,
            path: Some(path).filter(|p| !p.is_empty()).map(Into::into),
            line,
            message,
            tool: "cpd".into(),
            fingerprint: None,
            line_hash: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn duplications() {
        let xml = "<pmd-cpd pmdVersion='7.17.0'><file path='c' totalNumberOfTokens='9'/>\
            <duplication lines='12' tokens='38'><file path='/a.php' line='36'/>\
            <file path='b.php' line='41'/><codefragment>x</codefragment></duplication>\
            <error filename='d' msg='no'/></pmd-cpd>";
        let Reading::Degraded(f, causes) = (FORMAT.read)(&mut xml.as_bytes()) else { panic!() };
        assert_eq!(causes, ["the tool failed on d: no"]);
        let lint = f.lint.unwrap();
        assert_eq!(lint.tool_version.as_deref(), Some("7.17.0"));
        let [one] = lint.findings.as_slice() else { panic!() };
        assert_eq!((one.path.as_deref(), one.line), (Some("/a.php"), Some(36)));
        assert_eq!(one.message, "12 duplicated lines, also at b.php:41");
        for xml in ["<pmd/>", "<pmd-cpd>"] {
            assert!(matches!((FORMAT.read)(&mut xml.as_bytes()), Reading::Refused(_)));
        }
    }
}
