//! AG20: CI that asks for less, compared as what it says: jobs, steps and triggers that went,
//! conditions that came. Another version of the same action, a new job and other words are free.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use super::said::yaml;
use super::{File, Hit, Severity, regex};

/// Where a value stands: keys from the root, items of lists by what they are.
type Told = BTreeMap<String, BTreeSet<String>>;

/// Lists that take something away when they grow.
const EXCEPTIONS: &[&str] =
    &["paths-ignore", "branches-ignore", "tags-ignore", "except", "exclude", "allow_failures"];

/// Lists that take something away when they shrink, or when they appear at all.
const SELECTIONS: &[&str] = &["paths", "branches", "types", "only", "changes"];

pub(super) fn check(file: &File<'_>) -> Vec<Hit> {
    let path = file.path();
    let first = file.added().first().map(|l| l.text);
    if file.file.new.is_none() {
        let hit = Hit::of("AG20", path, "a file of CI was taken away");
        let weight =
            if judges(file.file.old_text()) { Severity::Reject } else { Severity::Escalate };
        return vec![hit.weighing(weight)];
    }
    let sides = (yaml(file.file.old_text()), yaml(file.file.new_text()));
    let (Some(old), Some(new)) = sides else {
        let text = "CI that cannot be compared was changed";
        let hit = Hit::of("AG20", path, text).weighing(Severity::Escalate);
        return vec![hit.lines(None, first)];
    };
    if file.file.old.is_none() || old.is_null() {
        return Vec::new();
    }
    let (old, new) = (told(&old), told(&new));
    let mut hits = lost(path, &old, &new);
    for (key, now) in &new {
        let before = old.get(key);
        // a job, step or trigger that is new has nothing to lose
        let known = before.is_some() || old.contains_key(parent(key));
        if before != Some(now) && known {
            hits.extend(softened(path, key, before, now));
        }
    }
    hits
}

fn told(value: &Value) -> Told {
    let mut told = Told::new();
    tell("", value, &mut told);
    told
}

fn tell(at: &str, value: &Value, told: &mut Told) {
    let below = |key: &str| if at.is_empty() { key.to_string() } else { format!("{at}.{key}") };
    match value {
        Value::Object(all) => {
            told.entry(at.to_string()).or_default();
            for (key, value) in all {
                tell(&below(key), value, told);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            told.entry(at.to_string()).or_default();
            for item in items {
                tell(&format!("{at}[{}]", identity(item)), item, told);
            }
        }
        Value::Array(items) => {
            told.entry(at.to_string()).or_default().extend(items.iter().map(text));
        }
        Value::Null => {
            told.entry(at.to_string()).or_default();
        }
        other => {
            told.entry(at.to_string()).or_default().insert(text(other));
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// What an item of a list is known by: the action without its version, else its name, else what it
/// runs.
fn identity(item: &Value) -> String {
    let of = |key: &str| item.get(key).and_then(Value::as_str).map(str::trim);
    let action = || of("uses").map(|u| u.split('@').next().unwrap_or(u));
    let known = action().or_else(|| of("name")).or_else(|| of("id")).or_else(|| of("run"));
    let text = known.map_or_else(|| item.to_string(), str::to_string);
    let text: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
    // a dot would read as a level
    text.replace(['.', '[', ']'], "_")
}

/// The key of what a value stands in.
fn parent(key: &str) -> &str {
    key.rfind(['.', '[']).map_or("", |at| &key[..at])
}

/// Whether a step or job looks at the code at all.
fn judges(text: &str) -> bool {
    static JUDGES: OnceLock<Option<Regex>> = OnceLock::new();
    let words = r"(?i)\b(\w*tests?|\w*lint|clippy|ruff|mypy|rspec|\w*cov|coverage|tox|nox|check|audit|scan)\b";
    let words = regex(&JUDGES, words);
    words.is_none_or(|w| w.is_match(text))
}

/// Jobs, steps and triggers that are gone.
fn lost(path: &str, old: &Told, new: &Told) -> Vec<Hit> {
    let gone: Vec<&String> = old.keys().filter(|k| !new.contains_key(*k)).collect();
    let mut hits = Vec::new();
    for key in &gone {
        let parent = parent(key);
        // what it stands in is gone as well, and is said
        if !parent.is_empty() && gone.iter().any(|k| k.as_str() == parent) {
            continue;
        }
        let own = key[parent.len()..].trim_start_matches(['.', '[']).trim_end_matches(']');
        let holds = || old.range((*key).clone()..).take_while(|(k, _)| k.starts_with(key.as_str()));
        let says = || holds().any(|(k, v)| judges(k) || v.iter().any(|v| judges(v)));
        let came = new.keys().any(|k| k.starts_with(&format!("{parent}[")) && !old.contains_key(k));
        let hit = |what: &str| Hit::of("AG20", path, format!("{what} {own} is gone"));
        let last = parent.rsplit('.').next().unwrap_or_default();
        match (parent, last) {
            ("jobs" | "", _) if parent == "jobs" || is_job(old, key) => {
                let renamed = same_elsewhere(key, parent, old, new);
                let weight = if says() { Severity::Reject } else { Severity::Escalate };
                if !renamed {
                    hits.push(hit("the job").weighing(weight));
                }
            }
            ("on" | "true", _) => hits.push(hit("the trigger")),
            (_, "steps") => {
                let weight = if says() && !came { Severity::Reject } else { Severity::Escalate };
                if says() {
                    hits.push(hit("the step").weighing(weight));
                }
            }
            (_, "matrix" | "include") => {
                hits.push(hit("of the matrix").weighing(Severity::Escalate));
            }
            (_, _) if own == "needs" => {
                hits.push(hit("what is waited for:").weighing(Severity::Escalate));
            }
            _ => {}
        }
    }
    hits
}

/// A job of a pipeline that has its jobs at the top.
fn is_job(told: &Told, key: &str) -> bool {
    told.contains_key(&format!("{key}.script")) || told.contains_key(&format!("{key}.steps"))
}

/// Whether a new key beside the old one holds all that the old one held.
fn same_elsewhere(key: &str, parent: &str, old: &Told, new: &Told) -> bool {
    let below = |all: &Told, key: &str| -> Vec<(String, BTreeSet<String>)> {
        let start = format!("{key}.");
        let own = all.iter().filter_map(|(k, v)| Some((k.strip_prefix(&start)?, v)));
        own.filter(|(k, _)| *k != "name").map(|(k, v)| (k.to_string(), v.clone())).collect()
    };
    let held = below(old, key);
    let start = if parent.is_empty() { String::new() } else { format!("{parent}.") };
    let beside = new.keys().filter(|k| {
        !old.contains_key(*k)
            && k.strip_prefix(&start).is_some_and(|rest| !rest.contains(['.', '[']))
    });
    beside.into_iter().any(|k| below(new, k) == held)
}

/// A value that asks for less than the one before.
fn softened(
    path: &str,
    key: &str,
    before: Option<&BTreeSet<String>>,
    now: &BTreeSet<String>,
) -> Option<Hit> {
    let own = key.rsplit('.').next().unwrap_or(key);
    let none = BTreeSet::new();
    let was = before.unwrap_or(&none);
    let is = |word: &str| now.iter().any(|v| v == word);
    let shown = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(", ");
    let gained = now.difference(was).next().is_some();
    let narrowed = before.is_none_or(|was| was.difference(now).next().is_some());
    let (text, weight) = match own {
        "continue-on-error" | "allow_failure" if is("true") => ("may fail now", Severity::Reject),
        "fail_ci_if_error" | "enabled" if is("false") && was.contains("true") => {
            ("is off now", Severity::Reject)
        }
        "if" | "rules" | "when" if is("false") || is("never") => {
            ("never runs now", Severity::Reject)
        }
        "if" | "when" if narrowed => ("runs under another condition", Severity::Escalate),
        "needs" | "fail-fast" | "permissions" | "environment" => return None,
        "pull_request_target" | "secrets" => ("gives more away", Severity::Escalate),
        "run" | "script" | "before_script" if before.is_some() && was.iter().any(|v| judges(v)) => {
            ("runs something else", Severity::Escalate)
        }
        "uses" if unpinned(was, now) => ("is not pinned any more", Severity::Escalate),
        own if EXCEPTIONS.contains(&own) && gained => ("leaves more out", Severity::Reject),
        own if SELECTIONS.contains(&own) && narrowed => ("is narrower", Severity::Reject),
        _ => return None,
    };
    let hit = Hit::of("AG20", path, format!("{key} {text}")).weighing(weight);
    Some(hit.lines(Some(&shown(was)), Some(&shown(now))))
}

fn unpinned(was: &BTreeSet<String>, now: &BTreeSet<String>) -> bool {
    let pinned = |all: &BTreeSet<String>| {
        let by_hash = |v: &String| {
            v.rsplit_once('@')
                .is_some_and(|(_, r)| r.len() == 40 && r.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        !all.is_empty() && all.iter().all(by_hash)
    };
    pinned(was) && !pinned(now)
}

#[cfg(test)]
#[path = "ci_tests.rs"]
mod tests;
