//! What a file of settings says, as keys and values: TOML, JSON, YAML and INI.

use std::collections::{BTreeMap, BTreeSet};

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value};

/// Levels of nesting beyond which nothing is read: no settings are as deep.
const DEEPEST: usize = 100;

/// What a file says: keys with dots, each with its values (one, or the items of a list).
pub(super) type Said = BTreeMap<String, BTreeSet<String>>;

/// Reads a file by its lower-case name; none where it is a program, or damaged.
pub(super) fn read(name: &str, text: &str) -> Option<Said> {
    let mut said = Said::new();
    let ending = name.rsplit_once('.').map_or("", |(_, e)| e);
    let json = matches!(ending, "json" | "jsonc")
        || (name.starts_with(".") && text.trim_start().starts_with('{'));
    if text.trim().is_empty() {
        return Some(said);
    }
    if ending == "toml" {
        let value: toml::Value = toml::from_str(text).ok()?;
        flatten("", &serde_json::to_value(value).ok()?, &mut said);
    } else if json {
        flatten("", &serde_json::from_str(&without_comments(text)).ok()?, &mut said);
    } else if is_yaml(name) {
        flatten("", &yaml(text)?, &mut said);
    } else if matches!(ending, "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "xml" | "py" | "kts") {
        return None;
    } else {
        lines(text, &mut said);
    }
    Some(said)
}

fn is_yaml(name: &str) -> bool {
    let names = [".clang-tidy", ".clang-format", ".clangd", ".yamllint", ".gemrc"];
    name.ends_with(".yml") || name.ends_with(".yaml") || names.contains(&name)
}

/// Reads YAML: several documents are a list of them. None where it is damaged or nested too deep.
pub(super) fn yaml(text: &str) -> Option<Value> {
    if too_deep(text) {
        return None;
    }
    let mut all = Yaml::load_from_str(text).ok()?;
    match all.len() {
        0 => Some(Value::Null),
        1 => all.pop().and_then(|one| plain(&one, DEEPEST)),
        _ => {
            all.iter().map(|one| plain(one, DEEPEST)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
    }
}

/// A tree of great depth cannot even be dropped, and two bytes make a level of it (`- - -`, `[[[`): an
/// upper bound, read off indentation, dashes and brackets, before anything is built.
fn too_deep(text: &str) -> bool {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut brackets = 0usize;
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        let indent = line.len() - body.len();
        open.retain(|(at, _)| *at < indent);
        let dashes = body.split(' ').take_while(|w| matches!(*w, "-" | "?" | "")).count();
        open.push((indent, dashes + 1));
        let (mut level, mut most) = (brackets, brackets);
        for byte in body.bytes() {
            match byte {
                b'[' | b'{' => level += 1,
                b']' | b'}' => level = level.saturating_sub(1),
                _ => {}
            }
            most = most.max(level);
        }
        brackets = level;
        let depth: usize = open.iter().map(|(_, levels)| levels).sum::<usize>() + most;
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

fn plain(node: &Yaml<'_>, depth: usize) -> Option<Value> {
    let below = depth.checked_sub(1)?;
    Some(match node {
        Yaml::Value(Scalar::Boolean(b)) => Value::Bool(*b),
        Yaml::Value(Scalar::Integer(n)) => Value::from(*n),
        Yaml::Value(Scalar::FloatingPoint(n)) => Value::from(n.into_inner()),
        Yaml::Value(Scalar::String(text)) | Yaml::Representation(text, ..) => {
            Value::String(text.to_string())
        }
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Sequence(all) => {
            Value::Array(all.iter().map(|n| plain(n, below)).collect::<Option<_>>()?)
        }
        Yaml::Mapping(all) => {
            let pair = |(k, v): (&Yaml<'_>, &Yaml<'_>)| Some((key(k)?, plain(v, below)?));
            Value::Object(all.iter().map(pair).collect::<Option<Map<_, _>>>()?)
        }
        Yaml::Tagged(_, inner) => plain(inner, below)?,
        Yaml::Alias(_) | Yaml::BadValue => return None,
    })
}

fn key(node: &Yaml<'_>) -> Option<String> {
    match plain(node, 1)? {
        Value::String(text) => Some(text),
        Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

fn without_comments(text: &str) -> String {
    let keep = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

fn flatten(prefix: &str, value: &Value, said: &mut Said) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&key, value, said);
            }
        }
        Value::Array(items) => {
            let all = said.entry(prefix.to_string()).or_default();
            let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
            all.extend(items.iter().map(text));
        }
        Value::String(text) => {
            said.entry(prefix.to_string()).or_default().insert(text.clone());
        }
        other => {
            said.entry(prefix.to_string()).or_default().insert(other.to_string());
        }
    }
}

/// INI and the like, line by line: sections, `key = value`, `key: value`, items below a key.
fn lines(text: &str, said: &mut Said) {
    let mut section = String::new();
    let mut key = String::new();
    for line in text.lines() {
        let plain = line.trim();
        if plain.is_empty() || plain.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = plain.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = format!("{name}.");
            continue;
        }
        let item = plain.strip_prefix("- ");
        let split = plain.find(['=', ':']).filter(|_| item.is_none());
        match (split, item) {
            (Some(at), _) => {
                key = format!("{section}{}", plain[..at].trim());
                let values = said.entry(key.clone()).or_default();
                let value = plain[at + 1..].trim().trim_matches(['"', '\'']);
                let parts = value.trim_matches(['[', ']']).split(',').map(str::trim);
                values.extend(parts.filter(|p| !p.is_empty()).map(str::to_string));
            }
            (None, item) => {
                let text = item.unwrap_or(plain).trim_matches(['"', '\'', ',']);
                said.entry(key.clone()).or_default().insert(text.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_read_as_what_it_says() {
        let text = "on: [push]\na:\n  - b: 1\n    c: 'x'\n  - yes\nd: &x {e: 1.5}\nf: *x\n9: ~\n";
        let want = serde_json::json!({"on": ["push"], "a": [{"b": 1, "c": "x"}, "yes"],
            "d": {"e": 1.5}, "f": {"e": 1.5}, "9": null});
        assert_eq!(yaml(text), Some(want));
        assert_eq!(yaml("a: [1\nb: }"), None);
        assert_eq!(yaml(""), Some(Value::Null));
        assert_eq!(yaml("a\n---\nb\n"), Some(serde_json::json!(["a", "b"])));
    }

    #[test]
    fn what_is_made_to_explode_is_not_read() {
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let all = vec![format!("*a{}", n - 1); 9].join(", ");
            laughs += &format!("a{n}: &a{n} [{all}]\n");
        }
        assert_eq!(yaml(&laughs), None);
        assert_eq!(yaml(&"- ".repeat(300_000)), None);
        assert_eq!(yaml(&"[".repeat(300_000)), None);
        assert_eq!(yaml(&"{a: ".repeat(300_000)), None);
        let stairs: String = (0..1000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert_eq!(yaml(&stairs), None);
        let stairs: String =
            (0..1000).map(|n| format!("{}- - - - - - -\n", " ".repeat(n * 14))).collect();
        assert_eq!(yaml(&stairs), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_much(text in "[-a: \\n\\[\\]{},&*!|>'\"?#]{0,80}") {
            let _ = read("a.yml", &text);
        }
    }
}
