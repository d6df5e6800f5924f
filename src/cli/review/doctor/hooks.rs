//! What a push here would run, and what agents would.

use std::path::{Path, PathBuf};

use super::{Look, on_path};
use crate::hook::install::{Found, Home, Plan, is_ours, look, plan};
use crate::hook::settings::{AGENTS, Agent, Present, all_off, present};
use crate::host::context::Context;

pub(super) fn looks(ctx: &Context) -> Vec<Look> {
    let mut looks = pre_push(ctx);
    for agent in AGENTS {
        looks.extend(of_agent(ctx, agent));
    }
    looks
}

const INSTALL: &str = "git review-evidence install --pre-push";

fn pre_push(ctx: &Context) -> Vec<Look> {
    let found = || -> anyhow::Result<Found> {
        let paths = ctx.repo.git_paths(&["hooks"])?;
        let hooks = paths.into_iter().next().unwrap_or_default();
        Ok(look(&hooks, &ctx.repo.common_dir, ctx.repo.top.as_deref())?)
    };
    let found = match found() {
        Ok(found) => found,
        Err(e) => return vec![Look::problem("pre-push", format!("{e:#}"), INSTALL)],
    };
    let file = found.hooks_dir.join("pre-push");
    let shown = file.display();
    let Some(current) = &found.current else {
        let text = format!("no hook: '{shown}' is not there, so every push passes");
        return vec![Look::warning("pre-push", text, INSTALL)];
    };
    let ours = is_ours(&current.bytes);
    let runs = current.mode & 0o111 != 0;
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("git-review-evidence"));
    let mut looks = Vec::new();
    looks.push(match (ours, runs) {
        (_, false) => Look::problem(
            "pre-push",
            format!("'{shown}' cannot be executed, and git then passes over it"),
            if ours { INSTALL.to_string() } else { format!("chmod +x '{shown}'") },
        ),
        (true, true) => {
            let place = match found.home {
                Home::GitDir => "",
                Home::WorkTree => ", in the working tree (core.hooksPath)",
                Home::Outside => ", for other repositories too (core.hooksPath)",
            };
            Look::ok("pre-push", format!("'{shown}' judges what is pushed{place}"))
        }
        (false, true) if calls_us(&current.bytes) || under_a_manager(&found) => Look::ok(
            "pre-push",
            format!("'{shown}' is somebody else's and calls git-review-evidence"),
        ),
        (false, true) => by_others(&found, &own),
    });
    if ours && on_path(ctx, "git-review-evidence").is_none() {
        looks.push(fallback(ctx, &current.bytes));
    }
    looks
}

/// Somebody else's hook, which does not call us.
fn by_others(found: &Found, own: &Path) -> Look {
    let file = found.hooks_dir.join("pre-push");
    let text = format!("'{}' is somebody else's, so pushes are not judged", file.display());
    match plan(found, own) {
        Plan::Refuse { why, add } => {
            Look::warning("pre-push", format!("{text}; {why}"), add.replace('\n', "; "))
        }
        _ => Look::warning("pre-push", text, format!("{INSTALL} (theirs is kept and run first)")),
    }
}

fn calls_us(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let ours = text.contains("git-evidence judges what is pushed");
    text.lines().map(str::trim).filter(|l| !l.starts_with('#')).any(|l| {
        let masked = ["|| true", "|| :", "|| exit 0", "; true"].iter().any(|m| l.contains(m));
        let called = l.contains("git-review-evidence hook pre-push")
            || ours && l.contains("hook pre-push \"$@\"");
        called && !masked
    })
}

/// pre-commit and prek run the hook that they found, which is ours then; husky's own file names us.
fn under_a_manager(found: &Found) -> bool {
    let legacy = found.legacy.as_ref().is_some_and(|f| is_ours(&f.bytes));
    let husky = found.hooks_dir.parent().map(|dir| dir.join("pre-push"));
    let husky = husky.filter(|_| found.hooks_dir.ends_with(".husky/_"));
    legacy || husky.and_then(|file| std::fs::read(file).ok()).is_some_and(|text| calls_us(&text))
}

/// The program's path inside the hook, for where PATH does not lead to it.
fn fallback(ctx: &Context, hook: &[u8]) -> Look {
    let text = String::from_utf8_lossy(hook);
    let path = text.lines().find_map(|l| l.strip_prefix("fallback='")?.strip_suffix('\''));
    let path = path.unwrap_or_default().replace(r"'\''", "'");
    match on_path(ctx, &path).filter(|_| !path.is_empty()) {
        Some(path) => Look::ok("pre-push", format!("its program is '{}'", path.display())),
        None => Look::problem(
            "pre-push",
            format!("its program is neither on PATH nor at '{path}', so every push is blocked"),
            INSTALL,
        ),
    }
}

fn of_agent(ctx: &Context, agent: &'static Agent) -> Vec<Look> {
    let Some(top) = ctx.repo.top.as_deref() else { return Vec::new() };
    let file = top.join(agent.file);
    let install = format!("git review-evidence install --agent {}", agent.name);
    let text = std::fs::read_to_string(&file).ok();
    let mut looks = Vec::new();
    match text.as_deref().map(|text| present(agent, text)) {
        Some(Ok(Present::Yes(command))) => looks.push(command_of(ctx, agent, &command, &install)),
        Some(Ok(Present::Partly)) => looks.push(Look::warning(
            "agent",
            format!("{}: our hook is not there for every event", agent.name),
            install,
        )),
        Some(Ok(Present::SwitchedOff)) => looks.push(Look::warning(
            "agent",
            format!("{}: '{}' switches all hooks off", agent.name, file.display()),
            "take \"disableAllHooks\" out of it",
        )),
        Some(Err(why)) => looks.push(Look::warning(
            "agent",
            format!("{}: '{}' cannot be used: {why}", agent.name, file.display()),
            "mend it",
        )),
        Some(Ok(Present::No)) | None if on_path(ctx, agent.program()).is_some() => {
            looks.push(Look::ok("agent", format!("{}: no hook of ours ({install})", agent.name)));
        }
        Some(Ok(Present::No)) | None => {}
    }
    if agent.name == "claude" {
        looks.extend(switched_off_elsewhere(ctx, top));
    }
    looks
}

/// Any of Claude Code's files can switch the hooks of all of them off.
fn switched_off_elsewhere(ctx: &Context, top: &Path) -> Option<Look> {
    let files = [
        Some(top.join(".claude/settings.json")),
        ctx.env.home.as_ref().map(|home| home.join(".claude/settings.json")),
    ];
    let off = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| all_off(&text));
    let file = files.into_iter().flatten().find(off)?;
    Some(Look::warning(
        "agent",
        format!("claude: '{}' switches all hooks off, ours too", file.display()),
        "take \"disableAllHooks\" out of it; the pre-push hook holds all the same",
    ))
}

fn command_of(ctx: &Context, agent: &Agent, command: &str, install: &str) -> Look {
    let program = command.rsplit_once(" hook ").map_or(command, |(p, _)| p).trim();
    let program = program.trim_matches(['\'', '"']);
    match on_path(ctx, program) {
        Some(_) => Look::ok("agent", format!("{}: {command}", agent.name)),
        None => Look::problem(
            "agent",
            format!("{}: its hook starts '{program}', which is not there", agent.name),
            install,
        ),
    }
}
