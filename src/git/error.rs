//! What can go wrong between us and git, as far as code or a message branches on it.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::CommitId;

/// An answer of git that is not the asked-for one.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Neither this folder nor one above it belongs to a repository.
    #[error("{} is not in a git repository: {text}", path.display())]
    NotARepository {
        /// Where the search began.
        path: PathBuf,
        /// Git's own words.
        text: String,
    },
    /// The operation needs a working tree.
    #[error("{} has no working tree (bare repository, or a folder inside .git)", path.display())]
    Bare {
        /// The git directory.
        path: PathBuf,
    },
    /// The git program is older than what is needed.
    #[error("git {found} is too old: at least {needed} is needed")]
    TooOld {
        /// What `git version` says.
        found: String,
        /// The oldest version that works.
        needed: &'static str,
    },
    /// The repository belongs to another user; git's text names the remedy.
    #[error("{0}")]
    DubiousOwnership(String),
    /// The `git` program could not be started.
    #[error("cannot start git: {0}")]
    NoGit(#[source] std::io::Error),
    /// A command ended with an unexpected status.
    #[error("`{command}` failed ({}): {stderr}", status.map_or("signal".to_owned(), |s| s.to_string()))]
    Failed {
        /// The command line, shortened.
        command: String,
        /// The exit status; none after a signal.
        status: Option<i32>,
        /// The end of what it wrote to stderr, without control characters.
        stderr: String,
    },
    /// A command was still running at its deadline and was ended.
    #[error("`{command}` did not end within {} s", after.as_secs())]
    Deadline {
        /// The command line, shortened.
        command: String,
        /// How long it had.
        after: Duration,
    },
    /// A command wrote more than is held in memory.
    #[error("`{command}` wrote more than {limit} bytes")]
    TooMuch {
        /// The command line, shortened.
        command: String,
        /// The most that is read.
        limit: usize,
    },
    /// A command ended well but its output has not the documented shape.
    #[error("cannot read the output of {command}: {what}")]
    Strange {
        /// Which command.
        command: &'static str,
        /// What was found instead.
        what: String,
    },
    /// A ref is not where it was expected to be; no ref was changed.
    #[error("{name} moved: expected {expected}, found {found}")]
    RefMoved {
        /// The full name.
        name: String,
        /// The expected value in words.
        expected: String,
        /// The present value in words.
        found: String,
    },
    /// A revision that names no commit here.
    #[error("'{0}' names no commit in this repository")]
    BadRevision(String),
    /// A name that is no text; such branches are refused, not mangled.
    #[error("the name '{0}' is not UTF-8")]
    NotUtf8(String),
    /// No rung of the ladder to a base holds; each with its reason.
    #[error("no base to compare with: {}", tried.join("; "))]
    NoBase {
        /// Rung and reason, in order.
        tried: Vec<String>,
    },
    /// A shallow clone does not reach back to the common commit.
    #[error("this clone is shallow and holds no common commit with {base}: {remedy}")]
    Shallow {
        /// The base's name.
        base: String,
        /// Commands that deepen the clone.
        remedy: String,
    },
    /// The two histories have nothing in common.
    #[error("{head} and {base} have no common commit: unrelated histories")]
    Unrelated {
        /// The judged commit.
        head: CommitId,
        /// The base's name.
        base: String,
    },
    /// Files that a checkout would overwrite; nothing was changed.
    #[error("would overwrite {}", listed(paths))]
    InTheWay {
        /// Relative to the top of the working tree.
        paths: Vec<PathBuf>,
    },
    /// Git knows no name and address to commit under.
    #[error("git cannot commit here, user.name and user.email are not set: {0}")]
    NoIdentity(String),
    /// A commit could not be signed.
    #[error(
        "git cannot sign a commit without asking ({stderr}): unlock the key in its agent first, \
         or set commit.gpgsign=false for this repository"
    )]
    Signing {
        /// What git and the signing program said.
        stderr: String,
    },
    /// The repository behind the folder is not the one that was found at the start.
    #[error("the repository of {} changed from {} to {}", top.display(), expected.display(), found.display())]
    Redirected {
        /// The working tree.
        top: PathBuf,
        /// The git directory found at the start.
        expected: PathBuf,
        /// The one that is there now.
        found: PathBuf,
    },
    /// A linked worktree that this program did not make.
    #[error("{} is not a worktree made by git-evidence", .0.display())]
    NotOurs(PathBuf),
    /// A linked worktree holds commits that no ref keeps.
    #[error("{} holds commits that no ref keeps (at {commit})", path.display())]
    Unkept {
        /// Its folder.
        path: PathBuf,
        /// Its HEAD.
        commit: CommitId,
    },
    /// A file operation of ours failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl GitError {
    /// Wraps an input/output error with the path it is about.
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> GitError {
        GitError::Io { path: path.into(), source }
    }
}

/// The first ten paths, and how many more.
fn listed(paths: &[PathBuf]) -> String {
    let mut text =
        paths.iter().take(10).map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
    if paths.len() > 10 {
        text.push_str(&format!(" and {} more", paths.len() - 10));
    }
    text
}
