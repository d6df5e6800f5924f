//! Our own program in the background, for work that nobody waits for.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{ProcessError, environment};

/// How far behind all other work it stands.
const LOW: i32 = 10;

/// Starts a program and forgets it. It gets nothing of ours to read or write, so nobody who reads
/// our output waits for it.
///
/// # Errors
/// [`ProcessError::NotStarted`].
pub fn detached(program: &Path, args: &[OsString]) -> Result<(), ProcessError> {
    let mut command = Command::new(program);
    environment::clean(&mut command);
    let started = command
        .args(args)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let name = || program.display().to_string();
    started.map(drop).map_err(|source| ProcessError::NotStarted { program: name(), source })
}

/// The started program's first act: a session of its own, so that a signal to whoever started it
/// does not reach it, and a low priority. Where either is refused the work is done all the same.
pub fn stand_apart() {
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(LOW);
}
