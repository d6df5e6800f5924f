//! What a shell command is about to do, as far as it concerns evidence. Pure.
//!
//! An agent tells its hook the text of a command. This reads it as a shell would, since a pattern
//! over the text misses `git -C . push`, `env git push`, `bash -c '…'` and an alias, and takes
//! `echo git push` for a push. It is no wall: a script that pushes is not seen here, the pre-push hook
//! is there for that.
//!
//! * `syntax`, `words`: the text taken apart. * `expand`: words as far as their value is known.
//! * `walk`: the commands one after the other, with the folder that each is run in; `wrappers`: what
//!   may stand in front. * `git`, `push`, `forge`: what the interesting ones are asked for.

#![deny(clippy::disallowed_methods)]

mod expand;
mod forge;
mod git;
mod push;
mod syntax;
mod walk;
mod words;
mod wrappers;

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is known before the text is read.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    /// The folder that the command is started in.
    pub(super) cwd: PathBuf,
    /// What `~` and `$HOME` stand for.
    pub(super) home: Option<PathBuf>,
    /// Git's aliases there.
    pub(super) aliases: BTreeMap<String, String>,
}

/// Where git is told to work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder; none where it cannot be known.
    pub(super) dir: Option<PathBuf>,
    /// `--git-dir` or `GIT_DIR`.
    pub(super) git_dir: Option<PathBuf>,
    /// `--work-tree` or `GIT_WORK_TREE`.
    pub(super) work_tree: Option<PathBuf>,
    /// `DEVFORGE_FIX_EVIDENCE_AUTO`, where the text sets it.
    pub(super) auto: Option<String>,
    /// Settings of git are changed for this command, so its hooks may be others.
    pub(super) own_settings: bool,
    /// Earlier in the text a command moves a branch, so what is there now is not what this meets.
    pub(super) after_change: bool,
}

/// Something that evidence is asked for, or is made after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// `git push`.
    Push(Place, Push),
    /// A pull request is opened or edited.
    PullRequest(Place, PullRequest),
    /// `git commit`.
    Commit(Place),
}

/// What `git push` is asked for.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of git push")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Push {
    /// The remote, if it is named.
    pub(super) remote: Option<String>,
    /// What is pushed where, as it was typed.
    pub(super) refspecs: Vec<String>,
    /// `--all`, `--branches`.
    pub(super) all: bool,
    /// `--mirror`.
    pub(super) mirror: bool,
    /// `--tags`.
    pub(super) tags: bool,
    /// `--delete`.
    pub(super) delete: bool,
    /// `--dry-run`.
    pub(super) dry_run: bool,
    /// Git's pre-push hook is switched off.
    pub(super) without_hook: bool,
    /// Not all of it could be read.
    pub(super) unreadable: bool,
}

/// What a forge's program is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PullRequest {
    /// `gh pr create`, as it is told to people.
    pub(super) what: String,
    /// The branch that it is for; none: the checked-out one.
    pub(super) head: Option<String>,
    /// The branch cannot be read.
    pub(super) unreadable: bool,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// In order.
    pub(super) acts: Vec<Act>,
    /// Where git was given a word that is none of its commands: it may be an alias there.
    pub(super) aliased: Vec<Place>,
}

/// Whether a text that nobody can read may hold something that evidence is asked for.
pub(super) fn mentions(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    has("git") && has("push") || has("gh pr") || has("glab mr")
}

/// Reads a command.
pub(super) fn read(text: &str, around: &Around) -> Seen {
    let mut seen = walk::walk(text, around);
    let lower = text.to_ascii_lowercase();
    // what takes the git hook away in the same breath: it cannot be relied on
    let tampers = ["hookspath", ".git/hooks", "hooks/pre-push", "--uninstall"];
    let tampers = tampers.iter().any(|w| lower.contains(w));
    for act in &mut seen.acts {
        if let Act::Push(place, push) = act {
            place.own_settings |= tampers;
            push.without_hook |= push.unreadable && lower.contains("no-verify");
        }
    }
    seen
}
