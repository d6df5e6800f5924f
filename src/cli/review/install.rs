//! `git review-evidence install`: the pre-push hook.

use std::path::Path;

use anyhow::Context as _;

use crate::cli::args::InstallArgs;
use crate::hook::install::{Plan, apply, look, plan, plan_removal};
use crate::host::context::{Context, git_failure};
use crate::host::exit::Failure;

/// The command.
///
/// # Errors
/// Usage where a person has to add a line, environment where a file cannot be written.
pub(super) fn install(context: &Context, args: &InstallArgs) -> anyhow::Result<i32> {
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
