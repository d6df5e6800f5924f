//! What a source file imports, and which tracked file that is.
//!
//! One file for each language reads the imports out of a text (comments and strings are seen as such)
//! and finds the file of the tree that each one means. What is generated, computed or resolved by a
//! build's own settings is not known here: such an import is taken for one of another module.

mod go;
mod jvm;
mod python;
mod resolve;
mod rust;
mod rust_tokens;
mod script;

use std::sync::OnceLock;

use regex::Regex;

pub use resolve::{Resolver, Target};
pub(super) use resolve::{folder_of, normal};

use super::gaming::lexer::{Syntax, Zone, zones};

/// Languages whose imports are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript and TypeScript.
    Script,
    /// Java and Kotlin.
    Jvm,
    /// Go.
    Go,
    /// Rust.
    Rust,
}

impl Language {
    /// By a file's name.
    pub fn of(path: &str) -> Option<Language> {
        let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        Some(match ending {
            "py" | "pyi" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                Language::Script
            }
            "java" | "kt" | "kts" => Language::Jvm,
            "go" => Language::Go,
            "rs" => Language::Rust,
            _ => return None,
        })
    }

    /// The manifest that the language's module names are known by, if there is one.
    pub fn manifest(self) -> Option<&'static str> {
        match self {
            Language::Go => Some("go.mod"),
            Language::Rust => Some("Cargo.toml"),
            Language::Python | Language::Script | Language::Jvm => None,
        }
    }
}

/// One import as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The line that it begins in, from 1.
    pub line: u32,
    /// What is imported, in the language's own spelling.
    pub raw: String,
    /// A path in the midst of code: it says nothing more where the file imports the same by name.
    pub in_passing: bool,
}

/// The imports of a text, from top to bottom.
pub fn read(language: Language, text: &str) -> Vec<Import> {
    let mut found = match language {
        Language::Python => python::read(text),
        Language::Script => script::read(text),
        Language::Jvm => jvm::read(text),
        Language::Go => go::read(text),
        Language::Rust => rust::read(text),
    };
    found.sort_by_key(|i| i.line);
    found
}

/// A text whose comments and strings are blank: byte for byte as long, with the same lines.
struct Code<'a> {
    text: &'a str,
    code: String,
}

impl<'a> Code<'a> {
    fn new(text: &'a str, syntax: &Syntax) -> Code<'a> {
        let zones = zones(text, syntax);
        let blank = |(byte, zone): (u8, &Zone)| match zone {
            Zone::Code => byte,
            _ if byte == b'\n' => byte,
            _ => b' ',
        };
        let code: Vec<u8> = text.bytes().zip(&zones).map(blank).collect();
        Code { text, code: String::from_utf8_lossy(&code).into_owned() }
    }

    fn line(&self, at: usize) -> u32 {
        line(&self.code, at)
    }

    /// The inside of the string whose quote stands at a place of the code.
    fn string(&self, quote: usize) -> Option<&'a str> {
        let sign = *self.code.as_bytes().get(quote)?;
        let rest = self.code.as_bytes().get(quote + 1..)?;
        let end = rest.iter().position(|b| *b == sign)?;
        self.text.get(quote + 1..quote + 1 + end)
    }

    fn import(&self, at: usize, raw: impl Into<String>) -> Import {
        Import { line: self.line(at), raw: raw.into(), in_passing: false }
    }
}

/// The line of a byte, from 1.
fn line(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count();
    u32::try_from(before).unwrap_or(u32::MAX - 1) + 1
}

/// A pattern that is compiled once; what does not compile is found by the tests.
fn regex(cell: &'static OnceLock<Option<Regex>>, pattern: &str) -> Option<&'static Regex> {
    cell.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
