//! SpotBugs' XML, and that of FindBugs before it
//! (<https://github.com/spotbugs/spotbugs/blob/master/spotbugs/etc/bugcollection.xsd>).
//!
//! The level goes by the bug's rank as in SpotBugs' own SARIF (to 9 error, to 14 warning), without a
//! rank by its priority. Errors and classes that were missing mean that not all could be looked at.

use crate::formats::text::{TextReader, clip, count, head_text, line_number};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "spotbugs",
    kind: FormatKind::Lint,
    tools: "SpotBugs, FindBugs, Find Security Bugs",
    sniff: |head| xml::root(&head_text(head)).is_some_and(|root| root.name == "BugCollection"),
    read: |input| reading(input, parse),
};

/// Which text is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Short,
    Long,
    Cause(&'static str),
}

#[derive(Default)]
struct Report {
    lint: LintFigures,
    bug: Option<Bug>,
    text: Option<(Text, String)>,
    /// Names of the open elements within a bug.
    within: Vec<String>,
    declared: Option<u64>,
    causes: Vec<String>,
}

struct Bug {
    finding: Finding,
    /// How well the place tells where it is: the lower the better.
    placed: u8,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    let found = report.lint.findings.len() as u64;
    let mut notes = Vec::new();
    if let Some(n) = report.declared.filter(|n| *n != found) {
        notes.push(format!("it declares {n} bugs and lists {found}"));
    }
    Ok((Figures { lint: Some(report.lint), notes, ..Figures::default() }, report.causes))
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "BugCollection") => self.lint.tool_version = e.filled("version"),
            (1, name) => return Err(format!("no SpotBugs XML: its root is {name}")),
            (2, "BugInstance") => self.bug = Some(Bug { finding: finding(e), placed: u8::MAX }),
            (2, "FindBugsSummary") => self.summary(e),
            (3, "ShortMessage") if self.bug.is_some() => self.begin(Text::Short),
            (3, "LongMessage") if self.bug.is_some() => self.begin(Text::Long),
            (4, "ErrorMessage") => self.begin(Text::Cause("the tool failed")),
            (3, "MissingClass") => self.begin(Text::Cause("a class was missing")),
            (_, "SourceLine") => self.place(e),
            _ => {}
        }
        if self.bug.is_some() {
            self.within.push(e.name().to_owned());
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        self.within.pop();
        if matches!(name, "ShortMessage" | "LongMessage" | "ErrorMessage" | "MissingClass") {
            self.finish_text();
        }
        if (depth, name) == (2, "BugInstance")
            && let Some(bug) = self.bug.take()
        {
            self.lint.findings.push(bug.finding);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((_, open)) = &mut self.text {
            open.push_str(text);
        }
    }
}

impl Report {
    fn begin(&mut self, which: Text) {
        self.text = Some((which, String::new()));
    }

    fn finish_text(&mut self) {
        let Some((which, text)) = self.text.take() else { return };
        let text = text.trim();
        match (which, &mut self.bug) {
            (Text::Cause(what), _) => {
                note(&mut self.causes, || format!("{what}: {}", clip(text, 300)));
            }
            // the long one says more
            (Text::Long, Some(bug)) => bug.finding.message = text.to_owned(),
            (Text::Short, Some(bug)) if bug.finding.message.is_empty() => {
                bug.finding.message = text.to_owned();
            }
            _ => {}
        }
    }

    fn summary(&mut self, e: &Element<'_>) {
        self.declared = e.attr("total_bugs").as_deref().and_then(count);
        if e.attr("total_classes").as_deref().and_then(count) == Some(0) {
            note(&mut self.causes, || "it looked at no class".into());
        }
    }

    /// A bug's own line is better than that of its method, and that than its class's.
    fn place(&mut self, e: &Element<'_>) {
        let within = self.within.last().map_or("", String::as_str);
        let Some(bug) = &mut self.bug else { return };
        let rank = match within {
            "BugInstance" => 0,
            "Method" => 1,
            "Field" => 2,
            "Class" => 3,
            _ => 4,
        };
        if rank >= bug.placed {
            return;
        }
        if let Some(path) = e.filled("sourcepath").or_else(|| e.filled("sourcefile")) {
            bug.placed = rank;
            bug.finding.path = Some(paths::from_path(&path).into());
            bug.finding.line = e.attr("start").as_deref().and_then(line_number);
        }
    }
}

fn finding(e: &Element<'_>) -> Finding {
    let number = |name: &str| e.attr(name).as_deref().and_then(count);
    let level = match (number("rank"), number("priority")) {
        (Some(1..=9), _) | (None, Some(1)) => Level::Error,
        (Some(15..), _) | (None, Some(3..)) => Level::Note,
        _ => Level::Warning,
    };
    Finding {
        rule: e.attr("type").unwrap_or_default().into(),
        level,
        path: None,
        line: None,
        message: String::new(),
        tool: "spotbugs".into(),
        fingerprint: e.filled("instanceHash").map(Into::into),
        line_hash: None,
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
    fn bugs() {
        let xml = r#"<BugCollection version="4.8.6"><BugInstance type="A" priority="2" rank="5">
            <ShortMessage>short</ShortMessage><LongMessage>long</LongMessage>
            <Class><SourceLine sourcepath="C.java" start="1"/></Class>
            <Method><SourceLine sourcepath="M.java" start="2"/></Method>
            <SourceLine sourcepath="p/A.java" start="30"/><SourceLine sourcepath="z" start="4"/>
            </BugInstance><BugInstance type="B" priority="1" rank="19"><ShortMessage>s</ShortMessage>
            <Class><SourceLine sourcefile="C.java"/></Class></BugInstance>
            <BugInstance type="C" priority="1"/><Errors errors="0" missingClasses="0"/>
            <FindBugsSummary total_bugs="4" total_classes="2"/></BugCollection>"#;
        let Reading::Figures(f) = read(xml) else { panic!() };
        assert_eq!(f.notes, ["it declares 4 bugs and lists 3"]);
        let got: Vec<_> = f
            .lint
            .unwrap()
            .findings
            .into_iter()
            .map(|f| (f.level, f.path.unwrap_or_default(), f.line, f.message))
            .collect();
        let want = [
            (Level::Error, "p/A.java", Some(30), "long"),
            (Level::Note, "C.java", None, "s"),
            (Level::Error, "", None, ""),
        ];
        assert_eq!(got, want.map(|(l, p, n, m)| (l, p.into(), n, m.to_owned())));
    }

    #[test]
    fn not_all_was_looked_at() {
        let xml = "<BugCollection><Errors errors='1' missingClasses='1'><Error>\
            <ErrorMessage>Boom</ErrorMessage></Error><MissingClass>a.B</MissingClass></Errors>\
            <FindBugsSummary total_classes='0'/></BugCollection>";
        let Reading::Degraded(_, causes) = read(xml) else { panic!() };
        let want = ["the tool failed: Boom", "a class was missing: a.B", "it looked at no class"];
        assert_eq!(causes, want);
        for xml in ["<pmd/>", "<BugCollection>"] {
            assert!(matches!(read(xml), Reading::Refused(_)));
        }
    }
}
