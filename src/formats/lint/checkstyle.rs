//! Checkstyle XML, which eslint, phpstan, ktlint, scalastyle and others write too.
//!
//! `source` is the rule. An `exception` means that the tool failed on a file: its silence about that
//! file is no evidence.

use crate::formats::text::{TextReader, clip, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "checkstyle",
    kind: FormatKind::Lint,
    tools: "Checkstyle, ESLint, PHPStan, ktlint, PHP_CodeSniffer, scalastyle",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    xml::root(&head_text(head)).is_some_and(|root| root.name == "checkstyle")
}

#[derive(Default)]
struct Report {
    lint: LintFigures,
    file: Option<String>,
    /// Text of the open exception.
    exception: Option<String>,
    causes: Vec<String>,
    notes: Vec<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    let figures = Figures { lint: Some(report.lint), notes: report.notes, ..Figures::default() };
    Ok((figures, report.causes))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "checkstyle") => self.lint.tool_version = e.filled("version"),
            (1, name) => return Err(format!("no Checkstyle XML: its root is {name}")),
            (_, "file") => self.file = e.filled("name").map(|n| paths::from_path(&n)),
            (_, "error") => self.error(e),
            (_, "exception") => self.exception = Some(String::new()),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        match name {
            "file" => self.file = None,
            "exception" => {
                let text = self.exception.take().unwrap_or_default();
                let first = text.trim().lines().next().unwrap_or_default();
                let file = self.file.as_deref().unwrap_or("a file");
                let cause = format!("the tool failed on {file}: {}", clip(first, 300));
                note(&mut self.causes, || cause);
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(exception) = &mut self.exception
            && exception.len() < 1000
        {
            exception.push_str(text);
        }
    }
}

impl Report {
    fn error(&mut self, e: &Element<'_>) {
        // Checkstyle's own severity where none is set is error
        let severity = e.attr("severity").unwrap_or_else(|| "error".into());
        let level = match severity.trim().to_ascii_lowercase().as_str() {
            "error" => Level::Error,
            "warning" => Level::Warning,
            "info" => Level::Note,
            "ignore" => {
                self.lint.ignored += 1;
                return;
            }
            other => {
                note(&mut self.notes, || {
                    format!("a severity that Checkstyle does not know: {other}")
                });
                Level::Warning
            }
        };
        self.lint.findings.push(Finding {
            rule: e.attr("source").unwrap_or_default().into(),
            level,
            path: self.file.as_deref().map(Into::into),
            line: e.attr("line").as_deref().and_then(line_number),
            message: e.attr("message").unwrap_or_default(),
            tool: "checkstyle".into(),
            fingerprint: None,
            line_hash: None,
        });
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
    fn severities_and_places() {
        let xml = r#"<?xml version="1.0"?><checkstyle version="8.0"><file name="a"/>
            <file name="C:\x\A.java"><error line="3" severity="error" message="m&apos;" source="r"/>
            <error severity="warning"/><error severity="info"/><error severity="ignore"/><error line="0"/>
            </file><error severity="odd"/></checkstyle>"#;
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert_eq!(f.notes.len(), 1);
        let lint = f.lint.unwrap();
        use Level::{Error, Note, Warning};
        let levels: Vec<_> = lint.findings.iter().map(|f| f.level).collect();
        assert_eq!(levels, [Error, Warning, Note, Error, Warning]);
        assert_eq!(lint.ignored, 1);
        let first = &lint.findings[0];
        assert_eq!((first.path.as_deref(), first.line), (Some("C:/x/A.java"), Some(3)));
        assert_eq!((first.message.as_str(), first.rule.as_str()), ("m'", "r"));
        assert_eq!((lint.findings[3].line, lint.findings[4].path.as_deref()), (None, None));
    }

    #[test]
    fn a_failed_file_and_foreign_roots() {
        let xml = "<checkstyle><file name='a'><exception><![CDATA[Boom\nat x]]></exception></file></checkstyle>";
        let Reading::Degraded(_, causes) = read(xml) else { panic!() };
        assert_eq!(causes, ["the tool failed on a: Boom"]);
        for xml in ["<pmd/>", "<checkstyle>", "<checkstyle><file></checkstyle>"] {
            assert!(matches!(read(xml), Reading::Refused(_)));
        }
    }
}
