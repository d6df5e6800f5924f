//! Git, the repository, and state on disk.

use super::Look;
use crate::git::{ObjectFormat, RefFormat};
use crate::host::context::Context;
use crate::repair::status;

/// Below this much room a measurement may not be kept: bytes.
const LITTLE_ROOM: u64 = 200 << 20;

pub(super) fn looks(ctx: &Context) -> Vec<Look> {
    let mut looks = vec![git(ctx)];
    looks.extend(repository(ctx));
    looks.push(state(ctx));
    looks.extend(run(ctx));
    looks.push(identity(ctx));
    looks
}

fn git(ctx: &Context) -> Look {
    match ctx.repo.git_version() {
        Ok(version) => Look::ok("git", format!("git {version}")),
        Err(e) => Look::problem("git", e.to_string(), "install git and put it on PATH"),
    }
}

fn repository(ctx: &Context) -> Vec<Look> {
    let repo = &ctx.repo;
    let mut looks = Vec::new();
    let objects = match repo.object_format {
        ObjectFormat::Sha1 => "SHA-1",
        ObjectFormat::Sha256 => "SHA-256",
    };
    let refs = match &repo.ref_format {
        RefFormat::Files => "files",
        RefFormat::Reftable => "reftable",
        RefFormat::Other(name) => name.as_str(),
    };
    let mut text = format!("{} ({objects} objects, refs in {refs})", repo.git_dir.display());
    if let Some(why) = repo.slow_reason() {
        text.push_str(&format!("; read through git itself, some milliseconds slower: {why}"));
    }
    looks.push(Look::ok("repository", text));
    if repo.top.is_none() {
        looks.push(Look::warning(
            "repository",
            "it has no working tree: recorded evidence decides about pushes, nothing is measured or \
             repaired here",
            "work in a clone or a linked worktree of it ('git worktree add')",
        ));
    }
    if repo.shallow {
        looks.push(Look::warning(
            "repository",
            "its history is shallow, so the commit that a branch began at may be missing",
            "git fetch --unshallow",
        ));
    }
    looks
}

fn state(ctx: &Context) -> Look {
    let root = ctx.layout.root();
    let remedy = format!("make '{}' writable for you", root.display());
    let tried = std::fs::create_dir_all(root)
        .and_then(|()| tempfile::Builder::new().prefix(".doctor-").tempfile_in(root).map(drop));
    if let Err(e) = tried {
        return Look::problem("state", format!("'{}': {e}", root.display()), remedy);
    }
    let room = rustix::fs::statvfs(root).map(|s| s.f_bavail.saturating_mul(s.f_frsize));
    match room {
        Ok(room) if room < LITTLE_ROOM => Look::warning(
            "state",
            format!("only {} MB are free at '{}'", room >> 20, root.display()),
            "make room: measurements and records are written there",
        ),
        _ => Look::ok("state", format!("records and state lie in '{}'", root.display())),
    }
}

fn run(ctx: &Context) -> Option<Look> {
    // without a tree, or on no branch, there is no run
    ctx.repo.top.as_ref()?;
    let branch = ctx.repo.head().ok()?.branch?;
    match status(ctx) {
        Ok(status) => status.interrupted_run().map(|run| {
            Look::warning(
                "state",
                format!("run {run} of {branch} was interrupted"),
                "git fix-evidence continue, or git fix-evidence abort",
            )
        }),
        Err(e) => Some(Look::problem("state", format!("{e:#}"), "git fix-evidence status")),
    }
}

fn identity(ctx: &Context) -> Look {
    let config = ctx.repo.config();
    let set = |key: &str| {
        config.as_ref().is_ok_and(|c| c.get(key).is_some_and(|value| !value.is_empty()))
    };
    let name = ctx.env.gives_name || set("user.name");
    let mail = ctx.env.gives_email || set("user.email");
    match name && mail {
        true => Look::ok("identity", "commits of fixers carry your name"),
        false => Look::problem(
            "identity",
            "git does not know your name or address, so nothing that a fixer does can be committed",
            "git config user.name 'Your Name' && git config user.email you@example.org",
        ),
    }
}
