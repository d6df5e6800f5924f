//! PMD's XML (`pmd check --format xml`), which PHPMD writes too
//! (<https://docs.pmd-code.org/latest/pmd_userdocs_report_formats.html>).
//!
//! An `error` is a file that PMD could not process, a `configerror` a rule that it left out: its
//! silence is no evidence. Rule CyclomaticComplexity names the number, which is kept as a figure of
//! its own; only functions over the rule's limit are listed.

use crate::formats::text::{TextReader, clip, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, FunctionComplexity, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "pmd",
    kind: FormatKind::Lint,
    tools: "PMD, PHPMD",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| root.name == "pmd"),
    read: |input| reading(input, parse),
};

#[derive(Default)]
struct Report {
    lint: LintFigures,
    functions: Vec<FunctionComplexity>,
    file: Option<String>,
    /// The open violation; its message is its text. With the method that it is in.
    open: Option<(Finding, Option<String>)>,
    causes: Vec<String>,
    notes: Vec<String>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    let complexity = Some(report.functions).filter(|f| !f.is_empty());
    let lint = Some(report.lint);
    let figures = Figures { lint, complexity, notes: report.notes, ..Figures::default() };
    Ok((figures, report.causes))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "pmd") => self.lint.tool_version = e.filled("version"),
            (1, name) => return Err(format!("no PMD XML: its root is {name}")),
            (_, "file") => self.file = e.filled("name").map(|n| paths::from_path(&n)),
            (_, "violation") => self.open = Some((self.violation(e), e.filled("method"))),
            (_, "suppressedviolation") => {
                self.lint.suppressed = self.lint.suppressed.saturating_add(1);
            }
            (_, "error") => self.failed(e, "filename", "a file"),
            (_, "configerror") => self.failed(e, "rule", "a rule"),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, _depth: usize) -> Result<(), String> {
        match name {
            "file" => self.file = None,
            "violation" => {
                if let Some((mut finding, method)) = self.open.take() {
                    finding.message = finding.message.trim().to_owned();
                    self.functions.extend(complexity(&finding, method));
                    self.lint.findings.push(finding);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((finding, _)) = &mut self.open {
            finding.message.push_str(text);
        }
    }
}

impl Report {
    fn violation(&mut self, e: &Element<'_>) -> Finding {
        // as PMD's own SARIF has it: high and medium high are errors
        let level = match e.attr("priority").as_deref().map(str::trim) {
            Some("1" | "2") => Level::Error,
            Some("4" | "5") => Level::Note,
            Some("3") | None => Level::Warning,
            Some(other) => {
                note(&mut self.notes, || format!("a priority that PMD does not know: {other}"));
                Level::Warning
            }
        };
        Finding {
            rule: e.attr("rule").unwrap_or_default().into(),
            level,
            path: self.file.as_deref().map(Into::into),
            line: e.attr("beginline").as_deref().and_then(line_number),
            message: String::new(),
            tool: "pmd".into(),
            fingerprint: None,
            line_hash: None,
        }
    }

    fn failed(&mut self, e: &Element<'_>, on: &str, unnamed: &str) {
        let what = e.filled(on).unwrap_or_else(|| unnamed.to_owned());
        let why = clip(e.attr("msg").unwrap_or_default().trim(), 300);
        note(&mut self.causes, || format!("the tool failed on {what}: {why}"));
    }
}

/// The number in `The method 'f(int)' has a cyclomatic complexity of 12.`; that of a class is a sum.
fn complexity(finding: &Finding, method: Option<String>) -> Option<FunctionComplexity> {
    if finding.rule != "CyclomaticComplexity" {
        return None;
    }
    let text = finding.message.to_lowercase();
    let (head, tail) = text.split_once(" has a cyclomatic complexity of ")?;
    let digits: String = tail.chars().take_while(char::is_ascii_digit).collect();
    // PMD quotes the signature, PHPMD writes it plain
    let named = finding.message.split('\'').nth(1).filter(|_| head.ends_with('\''));
    let plain = || finding.message.split_whitespace().nth(2).map(str::to_owned);
    Some(FunctionComplexity {
        path: finding.path.as_deref()?.to_owned(),
        name: named.map(str::to_owned).or(method).or_else(plain)?,
        line: finding.line?,
        cyclomatic: digits.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(xml: &str) -> Reading {
        (FORMAT.read)(&mut xml.as_bytes())
    }

    #[test]
    fn violations_and_complexity() {
        let xml = r#"<?xml version="1.0"?><pmd xmlns="x" version="7.0.0"><file name="C:\x\A.java">
            <violation beginline="3" rule="CyclomaticComplexity" priority="3" method="f">
The method 'f(int)' has a cyclomatic complexity of 12.
</violation><violation beginline="1" rule="CyclomaticComplexity" priority="1">
The class 'A' has a total cyclomatic complexity of 80 (highest 12).</violation>
            <violation beginline="9" rule="CyclomaticComplexity" priority="2">
The method g() has a Cyclomatic Complexity of 11. The limit is 10.</violation>
            <violation rule="R" priority="5"><![CDATA[a < b]]></violation></file>
            <suppressedviolation filename="a" suppressiontype="//nopmd" msg="x" usermsg=""/></pmd>"#;
        let Reading::Figures(f) = read(xml) else { panic!() };
        let functions: Vec<_> =
            f.complexity.unwrap().into_iter().map(|f| (f.name, f.line, f.cyclomatic)).collect();
        assert_eq!(functions, [("f(int)".to_owned(), 3, 12), ("g()".to_owned(), 9, 11)]);
        let lint = f.lint.unwrap();
        let levels: Vec<_> = lint.findings.iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Warning, Level::Error, Level::Error, Level::Note]);
        assert_eq!((lint.suppressed, lint.findings[3].message.as_str()), (1, "a < b"));
        assert_eq!(lint.findings[0].path.as_deref(), Some("C:/x/A.java"));
    }

    #[test]
    fn failures_and_foreign_roots() {
        let xml = "<pmd><error filename='a' msg='Boom'>trace</error><configerror rule='R' msg='no'/></pmd>";
        let Reading::Degraded(f, causes) = read(xml) else { panic!() };
        assert_eq!(causes, ["the tool failed on a: Boom", "the tool failed on R: no"]);
        assert!(f.complexity.is_none());
        for xml in ["<pmd-cpd/>", "<pmd>", "<pmd><file></pmd>"] {
            assert!(matches!(read(xml), Reading::Refused(_)));
        }
    }
}
