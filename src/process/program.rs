//! What to run, and where its output goes.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// How long a program may take to obey TERM before it is killed, unless a caller says otherwise.
const GRACE: Duration = Duration::from_secs(2);

/// Longest time that is counted with; what is longer is taken as this. Keeps clocks from running over.
pub(super) const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A program to be run once.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program and its arguments. A program without a slash is looked up in `PATH`, a relative
    /// path starts in `cwd`.
    pub argv: Vec<OsString>,
    /// The folder it runs in.
    pub cwd: PathBuf,
    /// Variables set on top of the cleaned environment; they win over it.
    pub env: Vec<(OsString, OsString)>,
    /// Wall time after which it is ended.
    pub deadline: Duration,
    /// Time between the request to end and the kill, at the deadline or when cancelled.
    pub grace: Duration,
    /// Where its standard output goes. Standard error is always captured.
    pub stdout: Sink,
}

/// Where standard output goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sink {
    /// Into memory: the first and the last [`CAPTURE_EACH`](super::CAPTURE_EACH) bytes are kept.
    Capture,
    /// Into a file, created or emptied first. More than `limit` bytes end the program.
    File {
        /// The file.
        path: PathBuf,
        /// Most bytes that are written.
        limit: u64,
    },
}

impl Program {
    /// A program with its arguments, its output captured, with two seconds of grace.
    pub fn new<I>(argv: I, cwd: impl Into<PathBuf>, deadline: Duration) -> Program
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        Program {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            env: Vec::new(),
            deadline,
            grace: GRACE,
            stdout: Sink::Capture,
        }
    }

    /// A command line for `sh -c`, as people write them in configuration.
    pub fn shell(text: impl AsRef<OsStr>, cwd: impl Into<PathBuf>, deadline: Duration) -> Program {
        Program::new([OsStr::new("sh"), OsStr::new("-c"), text.as_ref()], cwd, deadline)
    }

    /// Sets a variable on top of the cleaned environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Program {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the time between the request to end and the kill.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Program {
        self.grace = grace;
        self
    }

    /// Sets where standard output goes.
    #[must_use]
    pub fn stdout(mut self, sink: Sink) -> Program {
        self.stdout = sink;
        self
    }

    /// The program's name for messages.
    pub(super) fn name(&self) -> String {
        self.argv.first().map_or_else(String::new, |word| word.to_string_lossy().into_owned())
    }

    /// The deadline, bounded so that a point in time can be computed from it.
    pub(super) fn bounded_deadline(&self) -> Duration {
        self.deadline.min(FOREVER)
    }

    /// The grace, bounded likewise.
    pub(super) fn bounded_grace(&self) -> Duration {
        self.grace.min(FOREVER)
    }
}
