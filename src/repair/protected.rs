//! What no fixer may touch in this repository: built in, configured, and run by commands.

use std::path::PathBuf;

use crate::config::{Config, Decider, Design, FixerCommand};
use crate::host::context::Context;
use crate::host::exit::Failure;
use crate::measure::Setting;
use crate::model::CommitId;
use crate::rules::protect::{Protected, named_files};

/// Protected paths: built in, configured, listed in a file of the base, and run by commands.
pub(super) fn protected(
    ctx: &Context,
    setting: &Setting,
    head: &CommitId,
) -> anyhow::Result<Protected> {
    let config = &setting.config;
    // The list is read from where the configuration counts, so that a change cannot shorten it.
    let listed_at = setting.base.as_ref().map_or(head, |(_, point)| point);
    let mut globs = config.guard.protected_paths.clone();
    if let Some(file) = &config.guard.protected_paths_file {
        let found = ctx.repo.read_blob(listed_at, file)?;
        // At first adoption the base has neither configuration nor list.
        let found = found.map_or_else(|| ctx.repo.read_blob(head, file), |b| Ok(Some(b)))?;
        let bytes = found.ok_or_else(|| {
            Failure::usage(format!(
                "[guard] protected_paths_file = \"{file}\" is not in the commit"
            ))
        })?;
        globs.extend(globs_of(&bytes).map_err(|e| Failure::usage(format!("{file}: {e}")))?);
    }
    let top: PathBuf = ctx.repo.top()?.to_path_buf();
    let files = ctx.repo.files(head)?;
    let is_file = |path: &str| files.binary_search_by(|f| f.as_str().cmp(path)).is_ok();
    let executable = |path: &str| {
        use std::os::unix::fs::PermissionsExt;
        top.join(path).metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0)
    };
    let commands = commands(config);
    let named = commands.iter().flat_map(|c| named_files(c, is_file, executable));
    // The list guards itself, and no fixer writes what lets it be dispatched again.
    let named = named.chain(config.guard.protected_paths_file.clone());
    let artefacts = config.decider.iter().flat_map(Decider::paths).map(plain_path);
    let named = named.chain(artefacts).collect();
    let protected = Protected::new(&globs, named)
        .map_err(|e| Failure::usage(format!("[guard] protected_paths: {e}")))?;
    match &config.drift.design {
        Design::Glob(glob) => {
            protected.with_plan(glob).map_err(|e| Failure::usage(format!("[drift] design: {e}")))
        }
        Design::Auto | Design::Off => Ok(protected),
    }
}

/// A path as git writes it.
fn plain_path(path: &str) -> String {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/")
}

/// Every command that the configuration names.
fn commands(config: &Config) -> Vec<String> {
    let mut commands: Vec<String> = config.checks.iter().map(|c| c.run.clone()).collect();
    commands.extend(config.fixers.iter().filter_map(|f| match &f.command {
        FixerCommand::Run(run) => Some(run.clone()),
        FixerCommand::Agent(_) => None,
    }));
    commands.extend(config.evidence.measure.as_ref().map(|words| words.join(" ")));
    commands.extend(config.workspace.setup.clone());
    // A program's name or path, that may have spaces in it.
    commands.extend(config.ci.measures().then(|| format!("'{}'", config.ci.gh)));
    commands
}

/// A JSON array of globs, or `{"paths": [...]}`.
fn globs_of(bytes: &[u8]) -> Result<Vec<String>, String> {
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    let list = value.get("paths").unwrap_or(&value).as_array();
    let list = list.ok_or("write a JSON array of globs, or {\"paths\": [...]}")?;
    list.iter()
        .map(|v| v.as_str().map(str::to_string).ok_or_else(|| format!("{v} is no text")))
        .collect()
}
