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
    let all = list(&record.spec_drift, "architecture_violations").iter();
    let counts = |v: &&Value| v.get("counts").or_else(|| v.get("new")) != Some(&Value::Bool(false));
    all.filter(counts).filter_map(violation).collect()
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
    if let Some(reason) = text("reason").filter(|r| !r.is_empty()) {
        said.push_str(&format!(": {reason}"));
    }
    Some((at, said))
}

fn list<'a>(drift: &'a Value, key: &str) -> &'a [Value] {
    drift.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
