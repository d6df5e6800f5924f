//! Rules over functions of the product: bodies that were gutted, values of the failing test that are
//! special cases now.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;

use super::ruler::is_test_path;
use super::tokens::Source;
use super::{Change, Hit};
use crate::model::{Changed, Line};

/// AG28: a hunk that takes a body away and leaves a stub.
pub(super) fn check(file: &Changed) -> Vec<Hit> {
    static STUB: OnceLock<Option<Regex>> = OnceLock::new();
    static DEFINES: OnceLock<Option<Regex>> = OnceLock::new();
    let stub = r#"^\s*(pass|\.\.\.|todo!\(.*\);?|unimplemented!\(.*\);?|raise NotImplementedError.*|throw new (Error|NotImplementedException|UnsupportedOperationException)\(.*\);?|panic\(.*\)|(return\s+)?(None|True|False|true|false|0|1|""|''|\[\]|\{\}|null|nil|undefined|Default::default\(\)|String::new\(\)|Vec::new\(\)|Ok\(\(\)\));?|return;?)\s*$"#;
    let defines = r"^\s*(pub(\(\w+\))?\s+)?(async\s+)?(fn|def|func|function|class|struct|impl|interface|trait|enum)\b";
    let (Some(stub), Some(defines)) = (
        STUB.get_or_init(|| Regex::new(stub).ok()).as_ref(),
        DEFINES.get_or_init(|| Regex::new(defines).ok()).as_ref(),
    ) else {
        return Vec::new();
    };
    if is_test_path(file.path()) {
        return Vec::new();
    }
    let Some((old, new)) = Source::sides(file) else { return Vec::new() };
    let (removed, added) = (file.removed(), file.added());
    let in_range = |lines: &[Line<'_>], start: u32, len: u32| -> Vec<(u32, String)> {
        let range = start..start + len;
        lines
            .iter()
            .filter(|l| range.contains(&l.number))
            .map(|l| (l.number, l.text.to_string()))
            .collect()
    };
    let mut hits = Vec::new();
    for hunk in &file.diff.hunks {
        let gone: Vec<(u32, String)> = in_range(&removed, hunk.old_start, hunk.old_len)
            .into_iter()
            .filter(|(n, t)| old.is_code(&Line { number: *n, text: t }))
            .collect();
        let came: Vec<(u32, String)> = in_range(&added, hunk.new_start, hunk.new_len)
            .into_iter()
            .filter(|(n, t)| new.is_code(&Line { number: *n, text: t }))
            .collect();
        let statements = gone.iter().filter(|(_, t)| t.trim().len() > 1).count();
        if statements < 4 || came.is_empty() || came.len() * 5 > statements * 2 {
            continue;
        }
        if gone.iter().any(|(_, t)| defines.is_match(t)) {
            continue;
        }
        let Some((line, text)) = came.iter().find(|(_, t)| stub.is_match(t)) else { continue };
        let text_of = format!("{statements} lines of a function became a stub");
        let first = gone.first().map(|(_, t)| t.as_str());
        hits.push(Hit::of("AG28", file.path(), text_of).at(*line).lines(first, Some(text)));
    }
    hits
}

/// AG26: two or more values out of what the failing tests said, added to lines that decide.
pub(super) fn special_cases(change: &Change) -> Option<Hit> {
    static VALUE: OnceLock<Option<Regex>> = OnceLock::new();
    static DECIDES: OnceLock<Option<Regex>> = OnceLock::new();
    let value = r#""([^"\\]{4,60})"|'([^'\\]{4,60})'|\b(\d{2,12})\b"#;
    let decides = r"\b(if|elif|else if|match|case|when|switch|return)\b|==|=>";
    let value = VALUE.get_or_init(|| Regex::new(value).ok()).as_ref()?;
    let decides = DECIDES.get_or_init(|| Regex::new(decides).ok()).as_ref()?;
    let values = |text: &str| -> BTreeSet<String> {
        let found = value.captures_iter(text);
        let inner = found.filter_map(|c| (1..=3).find_map(|i| c.get(i)));
        inner.map(|m| m.as_str().to_string()).filter(|v| !is_round(v)).collect()
    };
    let said: BTreeSet<String> =
        change.failing.iter().filter_map(|(_, m)| m.as_deref()).flat_map(values).collect();
    if said.is_empty() {
        return None;
    }
    for file in change.files.iter().filter(|f| !is_test_path(f.path())) {
        let known = values(file.old_text());
        let added = file.added();
        let mut copied = BTreeSet::new();
        let mut first = None;
        for line in added.iter().filter(|l| decides.is_match(l.text)) {
            let here: Vec<String> = values(line.text)
                .into_iter()
                .filter(|v| said.contains(v) && !known.contains(v))
                .collect();
            if !here.is_empty() {
                first = first.or(Some(*line));
            }
            copied.extend(here);
        }
        if let Some(line) = first.filter(|_| copied.len() >= 2) {
            let list: Vec<String> = copied.into_iter().take(4).collect();
            let text = format!("the failing test says {}", list.join(", "));
            let hit = Hit::of("AG26", file.path(), text).at(line.number);
            return Some(hit.lines(None, Some(line.text)));
        }
    }
    None
}

/// Numbers that stand in any code: round ones, powers of two, HTTP codes.
fn is_round(value: &str) -> bool {
    let Ok(n) = value.parse::<u64>() else { return false };
    n.is_power_of_two() || n % 10 == 0 || (100..600).contains(&n)
}
