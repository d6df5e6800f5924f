//! `git review-evidence formats`: what can be read.

use serde_json::json;

use crate::formats;
use crate::host::console::Console;

/// The command.
///
/// # Errors
/// Where standard output cannot be written.
pub(super) fn formats(console: Console, json: bool) -> anyhow::Result<i32> {
    let text = if json { document()? } else { table() };
    console.result(&text)?;
    Ok(0)
}

fn document() -> anyhow::Result<String> {
    let row = |f: &crate::formats::Format| json!({"name": f.name, "kind": f.kind.word(), "tools": f.tools});
    let rows: Vec<_> = formats::all().map(row).collect();
    let value = json!({"schema": "evidence_formats_v1", "formats": rows});
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

fn table() -> String {
    let mut text = format!("{:<22} {:<12}  {}\n", "name", "kind", "written by");
    for format in formats::all() {
        text.push_str(&format!(
            "{:<22} {:<12}  {}\n",
            format.name,
            format.kind.word(),
            format.tools
        ));
    }
    text
}
