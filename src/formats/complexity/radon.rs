//! radon's JSON (`radon cc -j`): for each file a list of blocks, or an `error` where it could not be
//! parsed (<https://radon.readthedocs.io/en/latest/commandline.html>).
//!
//! Methods are listed beside their classes; a class is no function, and what is nested in a function
//! counts in it, as in radon's own report.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::formats::json::{self, Fields, Loose, Num, Object, Text};
use crate::formats::text::{TextReader, clip, head_text};
use crate::formats::{Format, FormatKind, Found, note, paths, reading};
use crate::model::{Figures, FunctionComplexity};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "radon-json",
    kind: FormatKind::Complexity,
    tools: "radon (radon cc -j)",
    sniff,
    read: |input| reading(input, parse),
};

/// The keys of the first block tell; those outside are names of files.
fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let block = text.find('[').filter(|_| text.trim_start().starts_with('{'));
    block
        .and_then(|at| json::shape(&text[at..]))
        .is_some_and(|s| s.list && s.has(&["type", "rank", "lineno", "complexity"]))
}

#[derive(Default)]
struct Report {
    functions: Vec<FunctionComplexity>,
    causes: Vec<String>,
    files: u64,
}

/// What is listed for a file.
enum File {
    Blocks(Vec<Block>),
    Failed(String),
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = File;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of blocks or an error")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<File, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = items.next_element()? {
            blocks.push(block);
        }
        Ok(File::Blocks(blocks))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
        let mut error = None;
        while let Some(key) = map.next_key::<Text>()? {
            match key.0.as_str() {
                "error" => error = map.next_value::<Loose>()?.0,
                _ => json::skip(&mut map)?,
            }
        }
        error.map(File::Failed).ok_or_else(|| A::Error::custom("a file without a list of blocks"))
    }
}

#[derive(Deserialize)]
struct Block {
    r#type: Text,
    name: Text,
    lineno: Num,
    complexity: Num,
    classname: Option<Text>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut report = Report::default();
    json::whole(input, Fields(&mut report))?;
    if report.files == 0 {
        return Err("it names no file".into());
    }
    let complexity = Some(report.functions);
    Ok((Figures { complexity, ..Figures::default() }, report.causes))
}

impl<'de> Object<'de> for Report {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        self.files += 1;
        match map.next_value::<File>()? {
            File::Failed(why) => {
                note(&mut self.causes, || format!("the tool failed on {key}: {}", clip(&why, 300)));
            }
            // an empty list could be anyone's
            File::Blocks(blocks) if blocks.is_empty() && !is_python(key) => {
                return Err(A::Error::custom(format!("{key} is no Python file")));
            }
            File::Blocks(blocks) => {
                let path = paths::from_path(key);
                for block in blocks.into_iter().filter(|b| b.r#type.0 != "class") {
                    let function = block.function(&path);
                    self.functions.push(function.ok_or_else(|| A::Error::custom("no number"))?);
                }
            }
        }
        Ok(())
    }
}

fn is_python(path: &str) -> bool {
    [".py", ".pyi", ".ipynb"].iter().any(|e| path.ends_with(e))
}

impl Block {
    fn function(self, path: &str) -> Option<FunctionComplexity> {
        let name = match self.classname {
            Some(class) => format!("{}.{}", class.0, self.name.0),
            None => self.name.0,
        };
        let cyclomatic = u32::try_from(self.complexity.0?).ok()?;
        Some(FunctionComplexity {
            path: path.to_owned(),
            name,
            line: self.lineno.line()?,
            cyclomatic,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(json: &str) -> Reading {
        (FORMAT.read)(&mut json.as_bytes())
    }

    #[test]
    fn functions_and_methods() {
        let json = r#"{"a\\b.py": [{"type": "class", "name": "C", "lineno": 1, "complexity": 3,
            "rank": "A", "methods": [{"type": "method", "name": "m", "lineno": 2, "complexity": 2}]},
            {"type": "method", "rank": "A", "name": "m", "classname": "C", "lineno": 2, "complexity": 2,
            "closures": []}, {"type": "function", "name": "f", "lineno": 9, "complexity": 4}],
            "c.py": []}"#;
        assert!(sniff(json.as_bytes()));
        let Reading::Figures(f) = read(json) else { panic!() };
        let got: Vec<_> = f
            .complexity
            .unwrap()
            .into_iter()
            .map(|f| (f.path, f.name, f.line, f.cyclomatic))
            .collect();
        let want = [("C.m", 2, 2), ("f", 9, 4)];
        assert_eq!(got, want.map(|(n, l, c)| ("a/b.py".to_owned(), n.to_owned(), l, c)));
    }

    #[test]
    fn failures_and_foreign() {
        let Reading::Degraded(f, causes) = read(r#"{"a.py": {"error": "bad (line 1)"}}"#) else {
            panic!()
        };
        assert_eq!(causes, ["the tool failed on a.py: bad (line 1)"]);
        assert_eq!(f.complexity, Some(vec![]));
        for json in [
            "{}",
            "[]",
            r#"{"issues": []}"#,
            r#"{"a": 1}"#,
            r#"{"a": [{"b": 1}]}"#,
            r#"{"a": {"x": 1}}"#,
            r#"{"a": []"#,
        ] {
            assert!(matches!(read(json), Reading::Refused(_)), "{json}");
        }
    }
}
