//! `install --plugin DIR` and `install --agents-md`: files for agents, written or printed.

use std::path::Path;

use crate::hook::plugin::{AGENTS_MD, PLUGIN};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::store::write::{create_dirs, read_opt, write_atomic_mode};

/// The plugin for Claude Code, into a folder.
///
/// # Errors
/// Usage where the folder holds something else; a file cannot be written.
pub(super) fn write(context: &Context, folder: &Path, dry_run: bool) -> anyhow::Result<()> {
    let folder = context.cwd.join(folder);
    let text = if dry_run {
        let show = |f: &crate::hook::plugin::PluginFile| {
            format!("write {} (mode {:o}):\n{}\n", folder.join(f.path).display(), f.mode, f.text)
        };
        PLUGIN.iter().map(show).collect()
    } else {
        ours_or_empty(&folder)?;
        for file in PLUGIN {
            let path = folder.join(file.path);
            create_dirs(path.parent().unwrap_or(&folder))?;
            write_atomic_mode(&path, file.text.as_bytes(), file.mode)?;
        }
        let shown = folder.display();
        format!("wrote the plugin to '{shown}'; try it with: claude --plugin-dir '{shown}'\n")
    };
    Ok(context.console.result(&text)?)
}

/// The block for AGENTS.md.
///
/// # Errors
/// It cannot be written.
pub(super) fn agents_md(context: &Context) -> anyhow::Result<()> {
    Ok(context.console.result(AGENTS_MD)?)
}

fn ours_or_empty(folder: &Path) -> anyhow::Result<()> {
    let empty = std::fs::read_dir(folder).is_ok_and(|mut all| all.next().is_none());
    let manifest = read_opt(&folder.join(".claude-plugin/plugin.json"))?;
    let ours = manifest.is_some_and(|text| {
        let value: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        value.is_some_and(|v| v["name"] == "git-evidence")
    });
    if !folder.exists() || empty || ours {
        return Ok(());
    }
    let text = format!("'{}' holds something else; name an empty folder", folder.display());
    Err(Failure::usage(text))
}
