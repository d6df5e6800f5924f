//! Every environment variable that is read, what it means, and the only place that reads one.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::rules::tighten::switch;

/// A variable, for the manual.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// The manual's table.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "DEVFORGE_FIX_EVIDENCE_AUTO",
        meaning: "1 or unset: hooks may emit the marker that lets an agent start the loop; anything else: they \
                  stay silent, the block itself stays",
    },
    Variable {
        name: "DEVFORGE_FIX_EVIDENCE_MAX_ITER",
        meaning: "iterations of a run (5); can only lower the limit",
    },
    Variable {
        name: "DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET",
        meaning: "tokens of a run (200000); can only lower the limit",
    },
    Variable {
        name: "DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS",
        meaning: "markers over a branch's life (3); can only lower the limit",
    },
    Variable {
        name: "GITHUB_ACTOR",
        meaning: "dependabot, renovate or github-actions: a bot acts",
    },
    Variable { name: "NO_COLOR", meaning: "set and not empty: no colour, unless --color says so" },
    Variable { name: "XDG_CACHE_HOME", meaning: "where linked worktrees are made ($HOME/.cache)" },
    Variable { name: "GIT_DIR", meaning: "the repository, as git sets it for hooks and --git-dir" },
    Variable { name: "GIT_WORK_TREE", meaning: "the working tree, as git sets it" },
];

/// Set for everything that runs inside a loop; a hook that sees it emits no marker.
pub const INSIDE_LOOP: &str = "EVIDENCE_RUN";

/// The environment as far as anybody asks for it.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `DEVFORGE_FIX_EVIDENCE_AUTO` is on.
    pub auto: bool,
    /// `DEVFORGE_FIX_EVIDENCE_MAX_ITER`.
    pub max_iter: Option<String>,
    /// `DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET`.
    pub token_budget: Option<String>,
    /// `DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS`.
    pub max_auto_triggers: Option<String>,
    /// `GITHUB_ACTOR` is a bot.
    pub bot_actor: bool,
    /// `NO_COLOR`.
    pub no_color: bool,
    /// Inside a running loop.
    pub inside_loop: bool,
    /// `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `GIT_WORK_TREE`.
    pub git_work_tree: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// Where linked worktrees may lie, if the environment tells.
    pub cache: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// Git takes a name for commits out of it (`GIT_COMMITTER_NAME`, `GIT_AUTHOR_NAME`).
    pub gives_name: bool,
    /// Git takes an address for commits out of it (`GIT_COMMITTER_EMAIL`, `EMAIL`).
    pub gives_email: bool,
}

impl Environment {
    /// Reads it.
    pub fn read() -> Environment {
        let var = |name: &str| std::env::var_os(name);
        let text = |name: &str| var(name).map(|v| v.to_string_lossy().into_owned());
        let path = |name: &str| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let absolute = |p: &PathBuf| p.is_absolute();
        let home = path("HOME").filter(absolute);
        let cache = path("XDG_CACHE_HOME")
            .filter(absolute)
            .or_else(|| home.as_ref().map(|home| home.join(".cache")));
        Environment {
            auto: switch(text("DEVFORGE_FIX_EVIDENCE_AUTO").as_deref()),
            max_iter: text("DEVFORGE_FIX_EVIDENCE_MAX_ITER"),
            token_budget: text("DEVFORGE_FIX_EVIDENCE_TOKEN_BUDGET"),
            max_auto_triggers: text("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS"),
            bot_actor: text("GITHUB_ACTOR").is_some_and(|a| is_bot(&a)),
            no_color: var("NO_COLOR").is_some_and(|v: OsString| !v.is_empty()),
            inside_loop: var(INSIDE_LOOP).is_some(),
            git_dir: path("GIT_DIR"),
            git_work_tree: path("GIT_WORK_TREE"),
            home,
            cache: cache.map(|c| c.join("git-evidence")),
            path: var("PATH"),
            gives_name: var("GIT_COMMITTER_NAME").or_else(|| var("GIT_AUTHOR_NAME")).is_some(),
            gives_email: var("GIT_COMMITTER_EMAIL").or_else(|| var("EMAIL")).is_some(),
        }
    }
}

/// Dependabot, Renovate and GitHub Actions, with or without `[bot]`.
fn is_bot(actor: &str) -> bool {
    let name = actor.strip_suffix("[bot]").unwrap_or(actor).to_ascii_lowercase();
    matches!(name.as_str(), "dependabot" | "renovate" | "github-actions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_known_by_name() {
        for bot in [
            "dependabot",
            "dependabot[bot]",
            "renovate[bot]",
            "github-actions",
            "github-actions[bot]",
        ] {
            assert!(is_bot(bot), "{bot}");
        }
        for person in ["octocat", "my-dependabot", ""] {
            assert!(!is_bot(person), "{person}");
        }
    }
}
