//! Rules over functions of the product: bodies that were gutted, values of the failing test that are
//! special cases now.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;

use super::{File, Hit, View, regex};
use crate::model::Line;

/// AG28: a hunk that takes a body away and leaves a stub.
pub(super) fn check(file: &File<'_>) -> Vec<Hit> {
    static STUB: OnceLock<Option<Regex>> = OnceLock::new();
    static DEFINES: OnceLock<Option<Regex>> = OnceLock::new();
    let stub = r#"^\s*(pass|\.\.\.|todo!\(.*\);?|unimplemented!\(.*\);?|raise NotImplementedError.*|throw new (Error|NotImplementedException|UnsupportedOperationException)\(.*\);?|panic\(.*\)|(return\s+)?(None|True|False|true|false|0|1|""|''|\[\]|\{\}|null|nil|undefined|Default::default\(\)|String::new\(\)|Vec::new\(\)|Ok\(\(\)\));?|return;?)\s*$"#;
    let defines = r"^\s*(pub(\(\w+\))?\s+)?(async\s+)?(fn|def|func|function|class|struct|impl|interface|trait|enum)\b";
    let (Some(stub), Some(defines)) = (regex(&STUB, stub), regex(&DEFINES, defines)) else {
        return Vec::new();
    };
    if file.test {
        return Vec::new();
    }
    let Some((old, new)) = file.sides() else { return Vec::new() };
    let mut hits = Vec::new();
    for hunk in &file.file.diff.hunks {
        let gone: Vec<&Line<'_>> =
            file.removed_in(hunk).iter().filter(|l| old.is_code(l)).collect();
        let came: Vec<&Line<'_>> = file.added_in(hunk).iter().filter(|l| new.is_code(l)).collect();
        let statements = gone.iter().filter(|l| l.text.trim().len() > 1).count();
        if statements < 4 || came.is_empty() || came.len() * 5 > statements * 2 {
            continue;
        }
        if gone.iter().any(|l| defines.is_match(l.text)) {
            continue;
        }
        let Some(left) = came.iter().find(|l| stub.is_match(l.text)) else { continue };
        let text_of = format!("{statements} lines of a function became a stub");
        let first = gone.first().map(|l| l.text);
        hits.push(
            Hit::of("AG28", file.path(), text_of).at(left.number).lines(first, Some(left.text)),
        );
    }
    hits
}

/// AG26: two or more values out of what the failing tests said, added to lines that decide.
pub(super) fn special_cases(view: &View<'_>) -> Option<Hit> {
    static VALUE: OnceLock<Option<Regex>> = OnceLock::new();
    static DECIDES: OnceLock<Option<Regex>> = OnceLock::new();
    let value = r#""([^"\\]{4,60})"|'([^'\\]{4,60})'|\b(\d{2,12})\b"#;
    let decides = r"\b(if|elif|else if|match|case|when|switch|return)\b|==|=>";
    let value = regex(&VALUE, value)?;
    let decides = regex(&DECIDES, decides)?;
    let values = |text: &str| -> BTreeSet<String> {
        let found = value.captures_iter(text);
        let inner = found.filter_map(|c| (1..=3).find_map(|i| c.get(i)));
        inner.map(|m| m.as_str().to_string()).filter(|v| !is_round(v)).collect()
    };
    let said: BTreeSet<String> =
        view.change.failing.iter().filter_map(|(_, m)| m.as_deref()).flat_map(values).collect();
    if said.is_empty() {
        return None;
    }
    for file in view.files.iter().filter(|f| !f.test) {
        let known = values(file.file.old_text());
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
