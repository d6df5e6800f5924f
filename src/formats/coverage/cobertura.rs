//! Cobertura XML (also of coverage.py, gcovr, coverlet, phpunit and others).
//!
//! Lines are counted by file and number: several classes may share a file, and reports list a line
//! within its method and again within its class. The lines of the class count; those of its methods
//! stand in only where it has none (tools put heads of functions there that are no statements).
//! Declared totals are only compared.

use super::gathered::Gathered;
use crate::formats::text::{TextReader, count, head_text};
use crate::formats::xml::{self, Element, Visitor};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::Figures;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cobertura",
    kind: FormatKind::Coverage,
    tools: "cobertura, coverage.py (coverage xml), gcovr, coverlet, cargo llvm-cov",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    // clover and SonarQube reports have a root of the same name
    xml::root(&head_text(head)).is_some_and(|root| {
        let child = root.child.as_deref();
        root.name == "coverage"
            && !matches!(child, Some("project" | "file"))
            && (matches!(child, Some("sources" | "packages"))
                || root.attributes.iter().any(|a| a == "line-rate"))
    })
}

#[derive(Default)]
struct Report {
    gathered: Gathered,
    sources: Vec<String>,
    source: Option<String>,
    class: Option<Class>,
    /// Depth of the open method.
    method: Option<usize>,
    repeated: u64,
    packages: bool,
    declared: Option<(u64, Option<u64>)>,
    bad: u64,
    unnamed: u64,
}

/// The open class.
struct Class {
    path: String,
    depth: usize,
    lines: Vec<Line>,
    /// Lines of its methods, until it is known whether it has its own.
    of_methods: Vec<Line>,
}

/// A line with its hits and branches.
#[derive(Clone, Copy)]
struct Line {
    number: u32,
    hits: u64,
    branches: Option<(u32, u32)>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    xml::walk(input, &mut report)?;
    report.finish()
}

impl Visitor for Report {
    fn open(&mut self, e: &Element<'_>, depth: usize) -> Result<(), String> {
        match (depth, e.name()) {
            (1, "coverage") => {
                let valid = e.attr("lines-valid").and_then(|v| count(&v));
                let covered = e.attr("lines-covered").and_then(|v| count(&v));
                self.declared = valid.map(|v| (v, covered));
            }
            (1, name) => return Err(format!("no Cobertura: its root is {name}")),
            (2, "packages") => self.packages = true,
            (2, name @ ("project" | "file")) => {
                return Err(format!("no Cobertura: it has {name} where packages should be"));
            }
            (_, "source") => self.source = Some(String::new()),
            (_, "class") => self.begin_class(e, depth),
            (_, "method") if self.method.is_none() => self.method = Some(depth),
            (_, "line") => self.line(e),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, depth: usize) -> Result<(), String> {
        if name == "source" {
            let source = self.source.take().unwrap_or_default();
            self.sources.push(source.trim().to_owned());
        }
        if self.method == Some(depth) {
            self.method = None;
        }
        if let Some(class) = self.class.take_if(|c| c.depth == depth) {
            self.end_class(&class);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(source) = &mut self.source {
            source.push_str(text);
        }
    }
}

impl Report {
    fn begin_class(&mut self, e: &Element<'_>, depth: usize) {
        match e.filled("filename").or_else(|| e.filled("name")) {
            Some(name) => {
                let path = self.path(&name);
                self.gathered.file(&path);
                self.class = Some(Class { path, depth, lines: Vec::new(), of_methods: Vec::new() });
            }
            None => self.unnamed += 1,
        }
    }

    fn end_class(&mut self, class: &Class) {
        let lines = if class.lines.is_empty() { &class.of_methods } else { &class.lines };
        let file = self.gathered.file(&class.path);
        for line in lines {
            self.repeated += u64::from(!file.at_least(line.number, line.hits));
            if let Some((hit, found)) = line.branches {
                file.branches(line.number, hit, found);
            }
        }
    }

    /// The file as the report names it. A single relative source folder belongs in front of it; an
    /// absolute one is the place of some checkout, which says nothing here.
    fn path(&self, name: &str) -> String {
        let path = paths::from_path(name);
        match self.sources.as_slice() {
            [one] if !one.starts_with('-') => {
                let source = paths::from_path(one);
                if paths::is_absolute(&source) {
                    path
                } else {
                    paths::normal(&paths::join(&source, &path))
                }
            }
            _ => path,
        }
    }

    fn line(&mut self, e: &Element<'_>) {
        let Some(class) = &mut self.class else { return };
        let number = e.with_attr("number", count).flatten();
        let Some(number) = number.and_then(|n| u32::try_from(n).ok()) else {
            self.bad += 1;
            return;
        };
        if number == 0 {
            return; // no place in a file: written by tools for code that has none
        }
        let hits = e.with_attr("hits", count).flatten().unwrap_or(0);
        let branches = e.with_attr("condition-coverage", conditions).flatten();
        let lines = if self.method.is_some() { &mut class.of_methods } else { &mut class.lines };
        lines.push(Line { number, hits, branches });
    }

    fn finish(self) -> Found {
        if !self.packages {
            return Err("no Cobertura: it has no packages".into());
        }
        let mut figures = Figures::default();
        let mut causes = Vec::new();
        let found = self.gathered.lines_found();
        match self.declared {
            Some((valid, _)) if valid > 0 && found == 0 => {
                causes.push(format!("it declares {valid} lines and lists none"));
            }
            Some((valid, _)) if valid != found => {
                figures.notes.push(format!("it declares {valid} lines and lists {found}"));
            }
            _ => {}
        }
        if self.repeated > 0 {
            let note =
                format!("lines that are listed several times, counted once: {}", self.repeated);
            figures.notes.push(note);
        }
        if self.bad > 0 {
            causes.push(format!("lines without a readable number: {}", self.bad));
        }
        if self.unnamed > 0 {
            causes.push(format!("classes without a file name: {}", self.unnamed));
        }
        figures.coverage = Some(self.gathered.finish());
        Ok((figures, causes))
    }
}

/// Hit and found of `50% (1/2)`.
fn conditions(text: &str) -> Option<(u32, u32)> {
    let inside = text.split_once('(')?.1.split_once(')')?.0;
    let (hit, found) = inside.split_once('/')?;
    let number = |t: &str| count(t).and_then(|n| u32::try_from(n).ok());
    Some((number(hit)?, number(found)?)).filter(|(_, found)| *found > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileCoverage, LineBranches, LineHits, Reading};

    fn read(xml: &str) -> Reading {
        (FORMAT.read)(&mut xml.as_bytes())
    }

    fn files(xml: &str) -> Vec<FileCoverage> {
        match read(xml) {
            Reading::Figures(f) => f.coverage.unwrap().files,
            other => panic!("{other:?}"),
        }
    }

    fn class(lines: &str) -> String {
        format!(
            "<coverage><packages><package><classes>{lines}</classes></package></packages></coverage>"
        )
    }

    #[test]
    fn lines_are_counted_once() {
        let f = files(&class(
            "<class filename='a.c'><methods><method><lines><line number='1' hits='9'/><line number='9' hits='9'/></lines></method></methods>\
             <lines><line number='1' hits='3'/><line number='2' hits='-1'/><line number='0' hits='1'/></lines></class>\
             <class filename='a.c'><lines><line number='2' hits='1,000' branch='true' condition-coverage='50% (1/2)'/>\
             <line number='3' hits='9999999999' branch='true'/></lines></class>",
        ));
        assert_eq!(f.len(), 1);
        let hits: Vec<_> = f[0].lines.iter().map(|l| (l.line, l.hits)).collect();
        assert_eq!(hits, [(1, 3), (2, 1000), (3, 9_999_999_999)]);
        assert_eq!(f[0].branches, [LineBranches { line: 2, hit: 1, found: 2 }]);
        assert_eq!(f[0].lines[0], LineHits { line: 1, hits: 3 });
    }

    #[test]
    fn lines_of_methods_stand_in() {
        let f = files(&class(
            "<class filename='a.c'><methods><method><lines><line number='9' hits='4'/></lines></method></methods><lines/></class>",
        ));
        assert_eq!(f[0].lines, [LineHits { line: 9, hits: 4 }]);
    }

    #[test]
    fn sources() {
        for (sources, name, want) in [
            ("<source>src</source>", "a.py", "src/a.py"),
            ("<source>.</source>", "a.py", "a.py"),
            ("<source>/home/u/x</source>", "a.py", "a.py"),
            ("<source>C:\\x</source>", "b\\a.py", "b/a.py"),
            ("<source>a</source><source>b</source>", "a.py", "a.py"),
            ("<source>src</source>", "/abs/a.py", "/abs/a.py"),
        ] {
            let xml = format!(
                "<coverage><sources>{sources}</sources><packages><class filename='{name}'/></packages></coverage>"
            );
            assert_eq!(files(&xml)[0].path, want);
        }
    }

    #[test]
    fn foreign_and_unfinished() {
        for xml in [
            "<coverage clover='4'><project/></coverage>",
            "<coverage version='1'><file path='a'/></coverage>",
            "<coverage/>",
            "<report/>",
        ] {
            assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
            assert!(!sniff(xml.as_bytes()), "{xml}");
        }
        let xml = "<coverage lines-valid='3'><packages/></coverage>";
        assert!(matches!(read(xml), Reading::Degraded(..)));
    }
}
