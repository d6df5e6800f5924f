//! `git review-evidence install`: the pre-push hook, and the hooks of agents.

use std::path::Path;

use anyhow::Context as _;

use super::plugin;
use crate::cli::args::InstallArgs;
use crate::hook::install::{Plan, apply, look, plan, plan_removal};
use crate::hook::placing::{Place, Placing, PlacingError};
use crate::hook::settings::Agent;
use crate::host::context::{Context, git_failure};
use crate::host::exit::Failure;
use crate::model::shell_word;

/// The command.
///
/// # Errors
/// Usage where a person has to add a line, environment where a file cannot be written.
pub(super) fn install(context: &Context, args: &InstallArgs) -> anyhow::Result<i32> {
    if args.agents_md {
        plugin::agents_md(context)?;
        return Ok(0);
    }
    if let Some(folder) = &args.plugin {
        plugin::write(context, folder, args.dry_run)?;
        return Ok(0);
    }
    if let Some(agent) = args.agent {
        install_agent(context, args, agent)?;
        if !args.pre_push {
            return Ok(0);
        }
    }
    let paths = context.repo.git_paths(&["hooks"]).map_err(git_failure)?;
    let hooks = paths.first().context("git names no folder for hooks")?;
    let found = look(hooks, &context.repo.common_dir, context.repo.top.as_deref())?;
    let plan = if args.uninstall {
        plan_removal(&found)
    } else {
        let own = std::env::current_exe().context("cannot find this program's own file")?;
        plan(&found, &own)
    };
    if let Plan::Refuse { why, add } = &plan {
        return Err(Failure::usage(format!("{why}\n{add}")));
    }
    let text = if args.dry_run {
        String::from_utf8_lossy(&plan.describe()).into_owned()
    } else {
        apply(&plan)?;
        format!("{}\n{}\n", done(&plan), now(args.uninstall))
    };
    context.console.result(&text)?;
    Ok(0)
}

/// The hook in an agent's settings.
fn install_agent(
    context: &Context,
    args: &InstallArgs,
    agent: &'static Agent,
) -> anyhow::Result<()> {
    let top = context.repo.top().map_err(git_failure)?;
    let place = Place { agent, top, layout: &context.layout };
    let usage = |e: PlacingError| match e {
        PlacingError::Unusable { .. } => Failure::usage(e.to_string()),
        PlacingError::Store(e) => e.into(),
    };
    let plan = if args.uninstall {
        place.plan_removal().map_err(usage)?
    } else {
        place.plan(&agent.command(&program(agent)?)).map_err(usage)?
    };
    let text = match (&plan, args.dry_run) {
        (Placing::Write { file, text }, true) => format!("write {}:\n{text}", file.display()),
        (Placing::Remove { file }, true) => format!("remove {}\n", file.display()),
        (plan, false) if args.uninstall => {
            place.uninstall(plan).map_err(usage)?;
            placed(plan)
        }
        (plan, false) => {
            place.install(plan).map_err(usage)?;
            let clean = "It lies in the working tree: commit it, or have git ignore it, since 'git \
                         fix-evidence' starts in a clean tree only.";
            format!("{}{}: {}.\n{clean}\n", placed(plan), agent.name, agent.note)
        }
        (Placing::Done { .. }, true) => placed(&plan),
    };
    Ok(context.console.result(&text)?)
}

/// How a person's own settings name this program; those that go with the project name it by PATH.
fn program(agent: &Agent) -> anyhow::Result<String> {
    if !agent.file.ends_with(".local.json") {
        return Ok("git-review-evidence".to_string());
    }
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    Ok(shell_word(&own.display().to_string()))
}

fn placed(plan: &Placing) -> String {
    let show = |path: &Path| format!("'{}'", path.display());
    match plan {
        Placing::Done { file, there: true } => format!("{} has the hook already\n", show(file)),
        Placing::Done { file, there: false } => {
            format!("nothing of this program is in {}\n", show(file))
        }
        Placing::Write { file, .. } => format!("wrote {}\n", show(file)),
        Placing::Remove { file } => format!("removed {}\n", show(file)),
    }
}

/// What was done, in words.
fn done(plan: &Plan) -> String {
    let show = |path: &Path| format!("'{}'", path.display());
    match plan {
        Plan::UpToDate { hook } => format!("{} is in place already", show(hook)),
        Plan::Write { hook, note: None, .. } => format!("wrote {}", show(hook)),
        Plan::Write { hook, note: Some(note), .. } => format!("wrote {}; {note}", show(hook)),
        Plan::Chain { hook, original, .. } => {
            format!(
                "kept the hook that was there as {}, which is run first; wrote {}",
                show(original),
                show(hook)
            )
        }
        Plan::Remove { path } => format!("removed {}", show(path)),
        Plan::Restore { hook, original } => {
            format!("put {} back as {}", show(original), show(hook))
        }
        Plan::Nothing { hook } => format!("nothing of this program is at {}", show(hook)),
        Plan::Refuse { why, .. } => why.clone(),
    }
}

/// What happens from here on.
fn now(uninstall: bool) -> &'static str {
    match uninstall {
        false => {
            "From now on 'git push' here judges each pushed branch first, and a blocked one is not pushed."
        }
        true => "From now on 'git push' here asks git-evidence nothing.",
    }
}
