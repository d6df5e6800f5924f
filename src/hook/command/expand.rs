//! Words as far as their value is known without running anything.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::syntax::{Command, Part, Word};

/// A word after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// Its text; of what is not known, what was written.
    pub(super) text: String,
    /// All of it is known.
    pub(super) known: bool,
}

impl Value {
    pub(super) fn known(text: impl Into<String>) -> Value {
        Value { text: text.into(), known: true }
    }

    /// The name of the program, without its folder.
    pub(super) fn program(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }
}

/// What a shell remembers from one command to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// Where it is; none where that is not known.
    pub(super) dir: Option<PathBuf>,
    /// Where it was before.
    pub(super) before: Option<PathBuf>,
    /// Where it was put aside by `pushd`.
    pub(super) stack: Vec<Option<PathBuf>>,
    /// Variables that the text sets; none where the value is not known.
    pub(super) vars: BTreeMap<String, Option<String>>,
}

/// The words that a word becomes: a variable without quotes falls apart at its spaces.
pub(super) fn words(word: &Word, state: &State, home: Option<&str>) -> Vec<Value> {
    let mut open: Option<Value> = None;
    let mut done = Vec::new();
    for part in &word.parts {
        let (piece, splits) = piece(part, state, home);
        if !splits {
            let value = open.get_or_insert_with(|| Value::known(""));
            value.text.push_str(&piece.text);
            value.known &= piece.known;
            continue;
        }
        let begins = piece.text.starts_with(char::is_whitespace);
        let ends = piece.text.ends_with(char::is_whitespace);
        if begins {
            done.extend(open.take());
        }
        for (i, field) in piece.text.split_whitespace().enumerate() {
            if i > 0 {
                done.extend(open.take());
            }
            open.get_or_insert_with(|| Value::known("")).text.push_str(field);
        }
        if ends {
            done.extend(open.take());
        }
    }
    done.extend(open);
    done
}

/// One value: of an assignment, a here-string, the body of a here-document.
pub(super) fn value(word: &Word, state: &State, home: Option<&str>) -> Value {
    let mut value = Value::known("");
    for part in &word.parts {
        let (piece, _) = piece(part, state, home);
        value.text.push_str(&piece.text);
        value.known &= piece.known;
    }
    value
}

/// A piece, and whether it falls apart at spaces.
fn piece(part: &Part, state: &State, home: Option<&str>) -> (Value, bool) {
    let unknown = |text: String| Value { text, known: false };
    match part {
        Part::Text(text, _) => (Value::known(text), false),
        Part::Home => (home.map_or_else(|| unknown("~".into()), Value::known), false),
        Part::Odd(raw) => (unknown(raw.clone()), false),
        Part::Var(name, quoted) => match variable(name, state, home) {
            Some(text) => (Value::known(text), !quoted),
            None => (unknown(format!("${name}")), false),
        },
        Part::Run(body, raw) => match output(body) {
            Some(text) => (Value::known(text), false),
            None => (unknown(format!("$({raw})")), false),
        },
    }
}

fn variable(name: &str, state: &State, home: Option<&str>) -> Option<String> {
    match state.vars.get(name) {
        Some(value) => value.clone(),
        None if name == "HOME" => home.map(str::to_string),
        None if name == "PWD" => state.dir.as_ref().and_then(|d| d.to_str()).map(str::to_string),
        None => None,
    }
}

/// What some commands are known to print: the branch, which `HEAD` says as well, and the folder.
fn output(body: &[Command]) -> Option<String> {
    let [Command::Simple(words, None, _)] = body else { return None };
    let words: Option<Vec<String>> = words.iter().map(Word::literal).collect();
    let words = words?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["git", "branch", "--show-current"]
        | ["git", "rev-parse", "--abbrev-ref", "HEAD" | "@"]
        | ["git", "symbolic-ref", "--short", "HEAD"]
        | ["git", "symbolic-ref", "-q", "--short", "HEAD"]
        | ["git", "symbolic-ref", "--quiet", "--short", "HEAD"]
        | ["git", "rev-parse", "HEAD" | "@"] => Some("HEAD".into()),
        ["pwd"] => Some(".".into()),
        ["which", program] | ["command", "-v", program] => Some((*program).to_string()),
        ["echo", rest @ ..] if !rest.first().is_some_and(|w| w.starts_with('-')) => {
            Some(rest.join(" "))
        }
        ["printf", text] | ["printf", "%s", text] if !text.contains(['%', '\\']) => {
            Some((*text).to_string())
        }
        _ => None,
    }
}
