//! `git review-evidence formats`: what can be read.

use serde_json::json;

use crate::formats::{FORMATS, FormatKind};
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

fn word(kind: FormatKind) -> &'static str {
    match kind {
        FormatKind::Lint => "lint",
        FormatKind::Tests => "tests",
        FormatKind::Coverage => "coverage",
        FormatKind::Complexity => "complexity",
    }
}

fn document() -> anyhow::Result<String> {
    let row = |f: &crate::formats::Format| json!({"name": f.name, "kind": word(f.kind), "tools": f.tools});
    let rows: Vec<_> = FORMATS.iter().map(row).collect();
    let value = json!({"schema": "evidence_formats_v1", "formats": rows});
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

fn table() -> String {
    let mut text = format!("{:<16} {:<10}  {}\n", "name", "kind", "written by");
    for format in FORMATS {
        text.push_str(&format!(
            "{:<16} {:<10}  {}\n",
            format.name,
            word(format.kind),
            format.tools
        ));
    }
    text
}
