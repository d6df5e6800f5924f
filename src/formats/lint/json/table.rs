//! One reader for linters that write findings as rows of JSON: what differs between them is data, a
//! [`Spec`] each.

use std::collections::BTreeSet;

use serde::de::MapAccess;
use serde_json::Value;

use crate::formats::json::{self, Each, EachOfSome, Fields, Object};
use crate::formats::text::{TextReader, clip, head_text};
use crate::formats::{Found, paths};
use crate::model::{Figures, Finding, Level, LintFigures};

/// Where the rows are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rows {
    /// The document is a list of them.
    List,
    /// Each line is one.
    Lines,
    /// The document is an object with a list under this key, and must have these keys beside it.
    Key(&'static str, &'static [&'static str]),
}

/// A format as data. Fields of rows are paths of keys with dots between them; of several the first
/// that is there counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// The tool's name in findings.
    pub(super) tool: &'static str,
    pub(super) rows: Rows,
    /// A list within each row that holds the findings; the row itself then has the path.
    pub(super) inner: Option<&'static str>,
    /// Keys that a row (with [`Spec::inner`] the outer one) must have.
    pub(super) row_keys: &'static [&'static str],
    /// Keys that a row (an outermost object, where the rows are below a key) of another tool of the same
    /// shape has.
    pub(super) without: &'static [&'static str],
    pub(super) path: &'static [&'static str],
    pub(super) line: &'static [&'static str],
    pub(super) rule: &'static [&'static str],
    pub(super) message: &'static [&'static str],
    /// The field, what its words mean (in lower case), and what any other or none means.
    pub(super) level: (&'static [&'static str], &'static [(&'static str, Level)], Level),
    pub(super) fingerprint: &'static [&'static str],
    /// A field of a row that is `true` where the finding is suppressed.
    pub(super) suppressed: Option<&'static str>,
    /// A field and its word in rows that are no findings but checks that passed.
    pub(super) passed: Option<(&'static str, &'static str)>,
    /// Lines are counted from 0.
    pub(super) from_zero: bool,
    /// A list beside the rows of what the tool could not do.
    pub(super) errors: Option<&'static str>,
}

/// Most of the fields of most tools.
pub(super) const PLAIN: Spec = Spec {
    tool: "",
    rows: Rows::List,
    inner: None,
    row_keys: &[],
    without: &[],
    path: &["path", "file", "filename"],
    line: &["line"],
    rule: &["code"],
    message: &["message"],
    level: (&["severity", "level"], WORDS, Level::Warning),
    fingerprint: &[],
    suppressed: None,
    passed: None,
    from_zero: false,
    errors: None,
};

/// Words that mean the same everywhere.
pub(super) const WORDS: &[(&str, Level)] = &[
    ("fatal", Level::Error),
    ("error", Level::Error),
    ("warning", Level::Warning),
    ("information", Level::Note),
    ("info", Level::Note),
    ("note", Level::Note),
    ("hint", Level::Note),
    ("style", Level::Note),
    ("refactor", Level::Note),
    ("convention", Level::Note),
];

/// Severities of scanners.
pub(super) const GRADES: &[(&str, Level)] = &[
    ("critical", Level::Error),
    ("blocker", Level::Error),
    ("high", Level::Error),
    ("major", Level::Error),
    ("error", Level::Error),
    ("medium", Level::Warning),
    ("minor", Level::Warning),
    ("warning", Level::Warning),
    ("low", Level::Note),
    ("info", Level::Note),
];

/// Whether a start shows this format and no other.
pub(super) fn sniff(spec: &Spec, head: &[u8]) -> bool {
    let text = head_text(head);
    let Some(shape) = json::shape(&text) else { return false };
    match spec.rows {
        Rows::List => {
            let other = spec.without.iter().any(|k| shape.has(&[k]));
            shape.list && shape.has(spec.row_keys) && !other
        }
        Rows::Lines => !shape.list && shape.has(spec.row_keys),
        Rows::Key(key, beside) => {
            let rows = spec.row_keys.iter().all(|k| text.contains(&format!("\"{k}\"")));
            let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            let none = [format!("\"{key}\":[]"), format!("\"{key}\":null")];
            let empty = !beside.is_empty() && none.iter().any(|n| plain.contains(n));
            let other = spec.without.iter().any(|k| shape.has(&[k]));
            // A long part before the rows may fill all that is looked at.
            let long = text.len() >= 60_000;
            let beyond = long && beside.len() > 1 && shape.has(beside);
            let before = long && shape.has(&[key]) && shape.has(&beside[..beside.len().min(1)]);
            let keys = (beyond || before || shape.has(&[key]) && shape.has(beside)) && !other;
            !shape.list && keys && (rows || empty || beyond)
        }
    }
}

/// Reads a report.
pub(super) fn parse(spec: &'static Spec, input: &mut TextReader<'_>) -> Found {
    let mut report =
        Report { spec, lint: LintFigures::default(), causes: Vec::new(), seen: BTreeSet::new() };
    match spec.rows {
        Rows::List => {
            let mut list = false;
            json::whole(input, EachOfSome::new(&mut list, |row: Value| report.row(&row)))?;
            if !list {
                return Err("it is no list of findings".into());
            }
        }
        Rows::Lines => report.lines(input)?,
        Rows::Key(key, beside) => {
            json::whole(input, Fields(&mut report))?;
            if let Some(missing) =
                std::iter::once(&key).chain(beside).find(|k| !report.seen.contains(**k))
            {
                return Err(format!("key \"{missing}\" is missing"));
            }
        }
    }
    let figures = Figures { lint: Some(report.lint), ..Figures::default() };
    Ok((figures, report.causes))
}

struct Report {
    spec: &'static Spec,
    lint: LintFigures,
    causes: Vec<String>,
    seen: BTreeSet<String>,
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let Rows::Key(rows, beside) = self.spec.rows else { return json::skip(map) };
        if key == rows || beside.contains(&key) {
            self.seen.insert(key.to_string());
        }
        if self.spec.without.contains(&key) {
            let text = format!("it has the key \"{key}\" of another tool");
            return Err(serde::de::Error::custom(text));
        }
        if key == rows {
            return map.next_value_seed(Each::new(|row: Value| self.row(&row)));
        }
        if self.spec.errors == Some(key) {
            return map.next_value_seed(Each::new(|error: Value| {
                self.error(&error);
                Ok(())
            }));
        }
        json::skip(map)
    }
}

/// The most causes that are kept.
const MOST: usize = 10;

impl Report {
    fn error(&mut self, error: &Value) {
        if self.causes.len() < MOST {
            let text = ["message", "reason", "error", "type"].iter().find_map(|k| text(error, k));
            let text = text.unwrap_or_else(|| error.to_string());
            self.causes.push(format!("it reports an error: {}", clip(&text, 300)));
        }
    }

    /// One object after another, a line each or spread over several.
    fn lines(&mut self, input: &mut TextReader<'_>) -> Result<(), String> {
        let rows = serde_json::Deserializer::from_reader(input).into_iter::<Value>();
        for (row, number) in rows.zip(1u64..) {
            let row = row.map_err(|_| format!("object {number} is no JSON, or is cut off"))?;
            self.row(&row).map_err(|why| format!("object {number}: {why}"))?;
        }
        if self.lint.findings.is_empty() && self.lint.suppressed == 0 {
            return Err("it is empty".into());
        }
        Ok(())
    }

    fn row(&mut self, row: &Value) -> Result<(), String> {
        let spec = self.spec;
        if let Some((field, word)) = spec.passed
            && first(row, &[field]).as_deref() == Some(word)
        {
            self.lint.ignored = self.lint.ignored.saturating_add(1);
            return Ok(());
        }
        // The first row tells whose report it is; later ones may lack what their rule has not.
        let told = !self.lint.findings.is_empty() || self.lint.suppressed > 0;
        if let Some(missing) = spec.row_keys.iter().find(|k| !told && row.get(k).is_none()) {
            return Err(format!("a finding has no key \"{missing}\""));
        }
        let listed = !matches!(spec.rows, Rows::Key(..));
        if let Some(other) = spec.without.iter().find(|k| listed && row.get(k).is_some()) {
            return Err(format!("a finding has the key \"{other}\" of another tool"));
        }
        let Some(inner) = spec.inner else {
            self.finding(row, None);
            return Ok(());
        };
        let path = first(row, spec.path);
        for finding in row.get(inner).and_then(Value::as_array).into_iter().flatten() {
            self.finding(finding, path.as_deref());
        }
        Ok(())
    }

    fn finding(&mut self, row: &Value, outer: Option<&str>) {
        let spec = self.spec;
        if spec.suppressed.and_then(|k| at(row, k)).and_then(Value::as_bool) == Some(true) {
            self.lint.suppressed = self.lint.suppressed.saturating_add(1);
            return;
        }
        let (field, words, other) = spec.level;
        let level = first(row, field).map(|w| w.to_ascii_lowercase());
        let known = level.and_then(|w| words.iter().find(|(word, _)| *word == w).map(|(_, l)| *l));
        let path = outer.map(str::to_string).or_else(|| first(row, spec.path));
        let line = first(row, spec.line).and_then(|n| n.parse::<u32>().ok());
        let line = line.map(|n| n.saturating_add(spec.from_zero.into())).filter(|n| *n > 0);
        self.lint.findings.push(Finding {
            rule: first(row, spec.rule).unwrap_or_default().into(),
            level: known.unwrap_or(other),
            path: path.filter(|p| !p.is_empty()).map(|p| paths::from_path(&p).into()),
            line,
            message: first(row, spec.message).unwrap_or_default(),
            tool: spec.tool.into(),
            fingerprint: first(row, spec.fingerprint).map(Into::into),
            line_hash: None,
        });
    }
}

fn at<'a>(row: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(row, |value, key| match key.parse::<usize>() {
        Ok(n) if value.is_array() => value.get(n),
        _ => value.get(key),
    })
}

fn text(row: &Value, path: &str) -> Option<String> {
    match at(row, path)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

fn first(row: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| text(row, name)).filter(|t| !t.is_empty())
}
