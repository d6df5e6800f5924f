//! The words of `git`: options of its own, then a command or an alias.

use std::path::{Path, PathBuf};

use super::Place;
use super::expand::Value;

/// Options of git itself whose value is the next word, if not after `=`.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--list-cmds",
];
/// Commands of git; any other word may be an alias.
const COMMANDS: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-tree",
    "difftool",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "name-rev",
    "notes",
    "pull",
    "push",
    "range-diff",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "replace",
    "rerere",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "var",
    "version",
    "whatchanged",
    "worktree",
    "write-tree",
    "review-evidence",
];
/// Commands that move a branch, or make another one the present one.
const MOVES: &[&str] = &[
    "am",
    "branch",
    "checkout",
    "cherry-pick",
    "commit",
    "fix-evidence",
    "merge",
    "pull",
    "rebase",
    "reset",
    "revert",
    "switch",
    "update-ref",
    "filter-branch",
    "filter-repo",
];

/// Git's own options read.
pub(super) struct Git<'a> {
    /// Where it works.
    pub(super) place: Place,
    /// Aliases that the command line itself brings.
    pub(super) aliases: Vec<(String, String)>,
    /// The command and its arguments.
    pub(super) rest: &'a [Value],
}

/// Reads them; none where git only tells of itself.
pub(super) fn options(words: &[Value], mut place: Place) -> Option<Git<'_>> {
    let mut rest = words;
    let mut aliases = Vec::new();
    while let Some(word) = rest.first().filter(|w| w.text.starts_with('-')) {
        rest = &rest[1..];
        let text = word.text.as_str();
        if matches!(text, "--help" | "-h" | "--version" | "-v" | "--html-path" | "--man-path") {
            return None;
        }
        let (name, value) = if WITH_VALUE.contains(&text) {
            let value = rest.first();
            rest = rest.get(1..).unwrap_or_default();
            (text, value.cloned())
        } else {
            match text.split_once('=').filter(|_| text.starts_with("--")) {
                Some((name, v)) => (name, Some(Value { text: v.to_string(), known: word.known })),
                None => (text, None),
            }
        };
        let Some(value) = value else { continue };
        match name {
            "-C" => place.dir = go(place.dir.as_deref(), &value),
            "--git-dir" => place.git_dir = Some(value.text.into()),
            "--work-tree" => place.work_tree = Some(value.text.into()),
            "-c" => setting(&value.text, &mut place, &mut aliases),
            "--config-env" => place.own_settings = true,
            _ => {}
        }
    }
    Some(Git { place, aliases, rest })
}

fn setting(text: &str, place: &mut Place, aliases: &mut Vec<(String, String)>) {
    let (key, value) = text.split_once('=').unwrap_or((text, "true"));
    let lower = key.to_ascii_lowercase();
    match lower.strip_prefix("alias.") {
        Some(name) => aliases.push((name.to_string(), value.to_string())),
        None if lower.starts_with("core.hookspath") || lower.starts_with("include") => {
            place.own_settings = true;
        }
        None => {}
    }
}

/// Whether a word is a command of git's, so that no alias can stand for it.
pub(super) fn is_command(word: &str) -> bool {
    COMMANDS.contains(&word)
}

/// Whether a command moves a branch.
pub(super) fn moves(word: &str, rest: &[Value]) -> bool {
    let lists = |w: &Value| {
        ["-a", "-r", "-v", "-l", "--list", "--show-current", "--contains", "--merged", "--format"]
            .iter()
            .any(|option| w.text.starts_with(option))
    };
    let lists = word == "branch" && (rest.is_empty() || rest.iter().any(lists));
    MOVES.contains(&word) && !lists
}

/// A folder seen from another; none where it cannot be known.
pub(super) fn go(from: Option<&Path>, to: &Value) -> Option<PathBuf> {
    let to = to.known.then_some(Path::new(&to.text))?;
    if to.is_absolute() { Some(to.to_path_buf()) } else { Some(from?.join(to)) }
}
