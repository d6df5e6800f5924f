//! What a record says of drift, in sentences, whoever wrote it.

use serde_json::Value;

use crate::model::Record;

/// A place, and what is said about it.
pub type Told = (String, String);

/// The files beside the plan.
pub fn unplanned(record: &Record) -> Vec<Told> {
    let files = list(&record.spec_drift, "unplanned_files");
    let paths = files.iter().filter_map(Value::as_str);
    paths.map(|path| (path.to_string(), "is not in the plan".to_string())).collect()
}

/// The imports that a rule forbids and that count, as far as the record says which do.
pub fn violations(record: &Record) -> Vec<Told> {
    counting(record).filter_map(violation).collect()
}

/// Why the rules that are broken are there: each once, as far as they say so.
pub fn reasons(record: &Record) -> Vec<Told> {
    let mut reasons: Vec<Told> = Vec::new();
    for value in counting(record) {
        let (Some(rule), Some(reason)) = (value["rule"].as_str(), value["reason"].as_str()) else {
            continue;
        };
        let told = (format!("rule {rule}:"), reason.to_string());
        if !reason.is_empty() && !reasons.contains(&told) {
            reasons.push(told);
        }
    }
    reasons
}

fn counting(record: &Record) -> impl Iterator<Item = &Value> {
    let all = list(&record.spec_drift, "architecture_violations").iter();
    // An old one counts where the line is not held, and says so.
    all.filter(|v| v["counts"] == true || v["new"] != false)
}

fn violation(value: &Value) -> Option<Told> {
    let text = |key: &str| value[key].as_str();
    let at = match value["line"].as_u64() {
        Some(line) => format!("{}:{line}:", text("path")?),
        None => format!("{}:", text("path")?),
    };
    let mut said = format!("imports {}", text("imports")?);
    if let Some(rule) = text("rule") {
        said.push_str(&format!(", which rule {rule} forbids"));
    }
    Some((at, said))
}

fn list<'a>(drift: &'a Value, key: &str) -> &'a [Value] {
    drift.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
