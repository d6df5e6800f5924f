//! What `import` prints: indented JSON, its keys in the order of the alphabet.
//!
//! It is written as it stands, not made a tree of, and a finding is not handed to a serialiser: a
//! report may hold a million of them, and each is written twice.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::import::Row;
use crate::model::{Finding, Level, unescaped};

/// Kinds of figures and their findings.
type Metrics<'a> = (&'a Map<String, Value>, Option<&'a [&'a Finding]>);

/// Writes the document and ends the line.
pub(super) fn write(out: &mut dyn Write, metrics: Metrics<'_>, rows: &[Row]) -> io::Result<()> {
    let mut page = Page { out, depth: 0 };
    page.within(b'{', |page| {
        page.key(true, "metrics")?;
        page.metrics(metrics.0, metrics.1.map(|all| all.iter().copied()))?;
        page.key(false, "reports")?;
        match rows.is_empty() {
            true => page.text("[]")?,
            false => page.within(b'[', |page| {
                rows.iter().enumerate().try_for_each(|(n, row)| page.item(n == 0)?.row(row))
            })?,
        }
        page.entry(false, "schema", &"evidence_import_v1")
    })?;
    page.text("\n")
}

struct Page<'a> {
    out: &'a mut dyn Write,
    depth: usize,
}

impl Page<'_> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// A list or an object that holds something.
    fn within(
        &mut self,
        open: u8,
        fill: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.out.write_all(&[open])?;
        self.depth += 1;
        fill(self)?;
        self.depth -= 1;
        self.line()?;
        // the closing bracket is the second after the opening one in ASCII
        self.out.write_all(&[open + 2])
    }

    fn line(&mut self) -> io::Result<()> {
        write!(self.out, "\n{:1$}", "", self.depth * 2)
    }

    /// Goes to the next item.
    fn item(&mut self, first: bool) -> io::Result<&mut Self> {
        if !first {
            self.text(",")?;
        }
        self.line()?;
        Ok(self)
    }

    fn key(&mut self, first: bool, key: &str) -> io::Result<()> {
        self.item(first)?;
        serde_json::to_writer(&mut *self.out, key)?;
        self.text(": ")
    }

    fn entry(&mut self, first: bool, key: &str, value: &impl Serialize) -> io::Result<()> {
        self.key(first, key)?;
        let text = serde_json::to_string_pretty(value)?;
        // no line ends inside of a text of JSON
        let line = format!("\n{:1$}", "", self.depth * 2);
        self.text(&text.replace('\n', &line))
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        self.within(b'{', |page| {
            page.entry(true, "causes", &row.causes)?;
            page.key(false, "figures")?;
            page.metrics(&row.others, row.lint.as_ref().map(|l| l.findings.iter()))?;
            page.entry(false, "format", &row.format)?;
            page.entry(false, "notes", &row.notes)?;
            page.entry(false, "outcome", &row.outcome)?;
            page.entry(false, "path", &row.path)?;
            page.entry(false, "sha256", &row.sha256)
        })
    }

    fn metrics<'f>(
        &mut self,
        others: &Map<String, Value>,
        lint: Option<impl ExactSizeIterator<Item = &'f Finding> + Clone>,
    ) -> io::Result<()> {
        if others.is_empty() && lint.is_none() {
            return self.text("{}");
        }
        let (before, after): (Vec<_>, Vec<_>) =
            others.iter().partition(|(key, _)| key.as_str() < "lint");
        self.within(b'{', |page| {
            let mut first = true;
            for (key, value) in before {
                page.entry(std::mem::take(&mut first), key, value)?;
            }
            if let Some(findings) = lint {
                page.key(std::mem::take(&mut first), "lint")?;
                page.lint(&findings)?;
            }
            for (key, value) in after {
                page.entry(std::mem::take(&mut first), key, value)?;
            }
            Ok(())
        })
    }

    fn lint<'f>(
        &mut self,
        findings: &(impl ExactSizeIterator<Item = &'f Finding> + Clone),
    ) -> io::Result<()> {
        let count = |level: Level| findings.clone().filter(|f| f.level == level).count();
        self.within(b'{', |page| {
            page.entry(true, "error", &count(Level::Error))?;
            page.key(false, "findings")?;
            page.findings(findings.clone())?;
            page.entry(false, "note", &count(Level::Note))?;
            page.entry(false, "warning", &count(Level::Warning))
        })
    }

    fn findings<'f>(
        &mut self,
        findings: impl ExactSizeIterator<Item = &'f Finding>,
    ) -> io::Result<()> {
        let count = findings.len();
        if count == 0 {
            return self.text("[]");
        }
        let mut form = Form::new(self.depth + 1);
        self.within(b'[', |page| {
            for (n, finding) in findings.enumerate() {
                form.fill(n == 0, finding)?;
                if form.text.len() >= Form::ENOUGH || n + 1 == count {
                    page.out.write_all(&form.text)?;
                    form.text.clear();
                }
            }
            Ok(())
        })
    }
}

/// Findings as text, so many at a time.
struct Form {
    text: Vec<u8>,
    /// What stands before each key, after its first.
    between: String,
    open: String,
    close: String,
}

impl Form {
    const ENOUGH: usize = 32 * 1024;

    fn new(depth: usize) -> Form {
        let line = |depth: usize| format!("\n{:1$}", "", depth * 2);
        Form {
            text: Vec::with_capacity(Self::ENOUGH + 4096),
            between: format!(",{}\"", line(depth + 1)),
            open: format!("{}{{{}\"", line(depth), line(depth + 1)),
            close: format!("{}}}", line(depth)),
        }
    }

    fn fill(&mut self, first: bool, f: &Finding) -> io::Result<()> {
        if !first {
            self.text.push(b',');
        }
        self.text.extend_from_slice(self.open.as_bytes());
        if let Some(fingerprint) = &f.fingerprint {
            self.text.extend_from_slice(b"fingerprint\": ");
            self.string(fingerprint)?;
            self.next();
        }
        self.text.extend_from_slice(b"level\": ");
        self.text.extend_from_slice(match f.level {
            Level::None => b"\"none\"".as_slice(),
            Level::Note => b"\"note\"",
            Level::Warning => b"\"warning\"",
            Level::Error => b"\"error\"",
        });
        if let Some(line) = f.line {
            self.next();
            self.text.extend_from_slice(b"line\": ");
            serde_json::to_writer(&mut self.text, &line)?;
        }
        if let Some(hash) = f.line_hash {
            self.next();
            write!(self.text, "line_hash\": {hash}")?;
        }
        self.entry(b"message\": ", &f.message)?;
        if let Some(path) = &f.path {
            self.entry(b"path\": ", path)?;
        }
        self.entry(b"rule\": ", &f.rule)?;
        self.entry(b"tool\": ", &f.tool)?;
        self.text.extend_from_slice(self.close.as_bytes());
        Ok(())
    }

    fn next(&mut self) {
        self.text.extend_from_slice(self.between.as_bytes());
    }

    fn entry(&mut self, key: &[u8], value: &str) -> io::Result<()> {
        self.next();
        self.text.extend_from_slice(key);
        self.string(value)
    }

    fn string(&mut self, value: &str) -> io::Result<()> {
        if unescaped(value.as_bytes()) < value.len() {
            return Ok(serde_json::to_writer(&mut self.text, value)?);
        }
        self.text.push(b'"');
        self.text.extend_from_slice(value.as_bytes());
        self.text.push(b'"');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn finding(message: &str) -> Finding {
        Finding {
            rule: "r".into(),
            level: Level::Note,
            path: Some("a\u{7f}\u{e4}\"b".into()),
            line: Some(3),
            message: message.into(),
            tool: "t".into(),
            fingerprint: Some("f".into()),
            line_hash: Some(u64::MAX >> 16),
        }
    }

    #[test]
    fn it_is_what_a_serialiser_writes() {
        let all = [
            finding("a\n\\\u{1}\u{e4}"),
            Finding { path: None, line: None, fingerprint: None, line_hash: None, ..finding("") },
        ];
        let others = Map::from_iter([
            ("complexity".to_string(), json!({"a": [1, {"b": []}]})),
            ("tests".to_string(), json!({})),
        ]);
        for findings in [&all[..], &[]] {
            let row = Row::sample(findings.to_vec(), others.clone());
            let some: Vec<&Finding> = findings.iter().collect();
            let lint = json!({
                "error": 0, "findings": findings, "note": findings.len(), "warning": 0,
            });
            let mut figures = others.clone();
            figures.insert("lint".into(), lint);
            let wanted = json!({
                "metrics": figures, "schema": "evidence_import_v1",
                "reports": [{
                    "causes": ["c"], "figures": figures, "format": "sarif", "notes": [],
                    "outcome": "figures", "path": "p", "sha256": null,
                }],
            });
            let mut got = Vec::new();
            write(&mut got, (&others, Some(&some)), &[row]).unwrap();
            let wanted = serde_json::to_string_pretty(&wanted).unwrap() + "\n";
            assert_eq!(String::from_utf8(got).unwrap(), wanted);
        }
        let (mut got, none) = (Vec::new(), Map::new());
        write(&mut got, (&none, None), &[]).unwrap();
        let wanted =
            "{\n  \"metrics\": {},\n  \"reports\": [],\n  \"schema\": \"evidence_import_v1\"\n}\n";
        assert_eq!(String::from_utf8(got).unwrap(), wanted);
    }
}
