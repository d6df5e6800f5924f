//! The only place where programs are started.
//!
//! Two ways exist. [`plain()`] is for short programs that are trusted, git above all: one spawn, a
//! process group, a deadline. [`Runner::run`] is for everything a project or a user configured,
//! coding agents included: our own executable is started in between as a supervisor (the hidden
//! word [`SUPERVISE`]), in a session of its own, and adopts every orphan. When the program ends,
//! or its time is over, or we are asked to stop, or we die, the supervisor ends whatever is left
//! and only then ends itself. A run that returned has no process left that could still write.
//!
//! [`detached()`] is for our own executable alone: work that nobody waits for.
//!
//! What this is not: a sandbox. A program that is set on it can kill its supervisor. The caller
//! then ends what still carries the run's session or mark and reports an error instead of a result.
//!
//! Adoption of orphans and the walk over the process table exist on Linux only. Elsewhere the
//! process group of the program is ended, which a program in a session of its own escapes.

mod captured;
mod detached;
mod environment;
mod plain;
mod program;
mod pump;
mod runner;
mod status;
mod supervise;
mod tree;

use std::io;
use std::path::PathBuf;

pub use captured::{CAPTURE_EACH, Captured};
pub use detached::{detached, stand_apart};
pub use environment::clean_environment;
pub use plain::{PLAIN_LIMIT, PlainRan, plain, plain_within};
pub use program::{Program, Sink};
pub use runner::{Cancel, Ran, Runner};
pub use supervise::{SUPERVISE, supervise_main};

/// How a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself with this exit code, 0 to 255.
    Code(i32),
    /// A signal of this number ended it, and that signal was not ours.
    Signal(i32),
    /// Its time was over and it was ended.
    Deadline,
    /// It was ended, or not even started, because the run was cancelled.
    Cancelled,
    /// It wrote more than its limit and was ended.
    TooMuchOutput,
}

impl Exit {
    /// Whether the program ended by itself with exit code 0.
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }
}

/// Why a run has no result. None of these says anything about the program's own success.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The system refused to start the program: not found, not executable.
    #[error("cannot start '{program}': {source}")]
    NotStarted {
        /// The first word of the command.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The folder the program should run in cannot be entered.
    #[error("cannot run in the folder '{}': {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file for the program's output cannot be written.
    #[error("cannot write the output to '{}': {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The supervisor could not be started, or ended without an account of the run.
    #[error("the run of '{program}' was lost: {detail}")]
    Supervisor {
        /// The first word of the command.
        program: String,
        /// What happened.
        detail: String,
    },
    /// Processes of the run are still there after every attempt to end them: they belong to
    /// another user, or hang in the kernel.
    #[error("{count} processes started by '{program}' could not be ended")]
    NotEnded {
        /// The first word of the command.
        program: String,
        /// How many processes are left.
        count: u32,
    },
}
