//! `git review-evidence doctor`: what would keep this repository or machine from working, each with
//! its remedy.
//!
//! * `place`: git, the repository, state on disk. * `tools`: programs, configuration and what it names.
//! * `hooks`: what a push here would run, and what agents would.
//!
//! It looks and changes nothing.

mod hooks;
mod place;
mod tools;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::host::console::Console;
use crate::host::context::Context;
use crate::host::env::Environment;
use crate::host::exit::sentence;
use crate::model::sanitize;

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    /// As it should be, or nobody's fault.
    Ok,
    /// It works, and somebody may be surprised.
    Warning,
    /// It does not work.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Look {
    /// `git`, `repository`, `state`, `identity`, `program`, `configuration`, `tool`, `sandbox`,
    /// `pre-push`, `agent` or `environment`.
    name: &'static str,
    health: Health,
    /// One sentence.
    text: String,
    /// What to do, mostly a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Look {
    fn ok(name: &'static str, text: impl Into<String>) -> Look {
        Look { name, health: Health::Ok, text: text.into(), remedy: None }
    }

    fn warning(name: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Look {
        let remedy = Some(remedy.into());
        Look { name, health: Health::Warning, text: text.into(), remedy }
    }

    fn problem(name: &'static str, text: impl Into<String>, remedy: impl Into<String>) -> Look {
        let remedy = Some(remedy.into());
        Look { name, health: Health::Problem, text: text.into(), remedy }
    }
}

/// The command: 1 where something would keep it from working.
///
/// # Errors
/// The answer cannot be written.
pub(super) fn doctor(
    dir: Option<&Path>,
    env: Environment,
    console: Console,
    json: bool,
) -> anyhow::Result<i32> {
    let looks = match Context::open(dir, env, console) {
        Ok(ctx) => all(&ctx),
        Err(e) => vec![Look::problem(
            "repository",
            sentence(&e),
            "run it inside a git repository that is yours ('git status' says more)",
        )],
    };
    let healthy = looks.iter().all(|l| l.health != Health::Problem);
    let text = match json {
        true => {
            let value =
                json!({ "schema": "evidence_doctor_v1", "healthy": healthy, "looks": looks });
            serde_json::to_string_pretty(&value)? + "\n"
        }
        false => words(&looks, healthy),
    };
    console.result(&text)?;
    Ok(i32::from(!healthy))
}

fn all(ctx: &Context) -> Vec<Look> {
    let mut looks = place::looks(ctx);
    looks.extend(tools::looks(ctx));
    looks.extend(hooks::looks(ctx));
    looks
}

fn words(looks: &[Look], healthy: bool) -> String {
    let mut text = String::new();
    for look in looks {
        let mark = match look.health {
            Health::Ok => "ok      ",
            Health::Warning => "warning ",
            Health::Problem => "PROBLEM ",
        };
        text.push_str(&format!("{mark} {:<14} {}\n", look.name, look.text));
        if let Some(remedy) = &look.remedy {
            text.push_str(&format!("{:24}-> {remedy}\n", ""));
        }
    }
    let warnings = looks.iter().filter(|l| l.health == Health::Warning).count();
    text.push_str(match (healthy, warnings) {
        (true, 0) => "\nNothing would keep git-evidence from working here.\n",
        (true, _) => "\nIt works here; look at the warnings.\n",
        (false, _) => "\nSomething keeps it from working here: see PROBLEM.\n",
    });
    sanitize(&text)
}

/// Where a program of this name would be started from.
fn on_path(ctx: &Context, name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let runs = |p: &PathBuf| {
        p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(runs);
    }
    std::env::split_paths(ctx.env.path.as_ref()?).map(|dir| dir.join(name)).find(runs)
}
