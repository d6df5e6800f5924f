//! The light way: one spawn, nothing in between.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::captured::{Take as _, Whole};
use super::pump::Pump;
use super::{Exit, ProcessError, Program, environment};

/// Most bytes of output, and of error output, that [`plain`] takes.
pub const PLAIN_LIMIT: usize = 64 << 20;

/// Longest wait for output before the deadline and the child are looked at again.
const TICK: Duration = Duration::from_millis(20);
/// Time for output of a child that has ended while somebody else still holds its pipes.
const AFTER_END: Duration = Duration::from_millis(500);

/// What a plain program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainRan {
    /// How it ended; never [`Exit::Cancelled`].
    pub exit: Exit,
    /// Everything it wrote to standard output, at most the limit.
    pub stdout: Vec<u8>,
    /// Everything it wrote to standard error, at most the limit.
    pub stderr: Vec<u8>,
}

/// Runs a short program that is trusted, such as git, without a supervisor: in a process group of
/// its own, with `input` (or nothing) as standard input, in the cleaned environment plus
/// `LC_ALL=C`, because its messages are read by us. At the deadline, or when it wrote more than
/// [`PLAIN_LIMIT`], the whole group is told to end, and killed after its grace: git then removes its
/// lock files. A process that left the group is not found. `Program::stdout` means nothing here.
///
/// # Errors
/// [`ProcessError::NotStarted`] and [`ProcessError::Folder`] where the program cannot be started.
pub fn plain(program: &Program, input: &[u8]) -> Result<PlainRan, ProcessError> {
    plain_within(program, input, PLAIN_LIMIT)
}

/// As [`plain`], with another limit for each of the two outputs, in bytes.
///
/// # Errors
/// As [`plain`].
pub fn plain_within(
    program: &Program,
    input: &[u8],
    limit: usize,
) -> Result<PlainRan, ProcessError> {
    let until = Instant::now() + program.bounded_deadline();
    let mut child = spawn(program, input.is_empty()).map_err(|e| refused(program, e))?;
    let (out, err) = (child.stdout.take().map(OwnedFd::from), child.stderr.take().map(Into::into));
    let mut pump = Pump::new(out, err);
    if let Some(stdin) = child.stdin.take() {
        pump = pump.with_input(stdin.into(), input);
    }
    let (mut out, mut err) = (Whole::new(limit), Whole::new(limit));
    let mut ended = None;
    let exit = loop {
        let at_end = pump.step(TICK, &mut out, &mut err);
        if out.has_enough() || err.has_enough() {
            break Exit::TooMuchOutput;
        }
        if at_end {
            break wait_until(&mut child, until).map_or(Exit::Deadline, exit_of);
        }
        if Instant::now() >= until {
            break Exit::Deadline;
        }
        if let Ok(Some(status)) = child.try_wait() {
            let since = *ended.get_or_insert_with(Instant::now);
            if since.elapsed() > AFTER_END {
                break exit_of(status);
            }
        }
    };
    end(&mut child, program.bounded_grace());
    Ok(PlainRan { exit, stdout: out.bytes, stderr: err.bytes })
}

fn spawn(program: &Program, without_input: bool) -> io::Result<Child> {
    let first = program.argv.first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(first);
    environment::clean(&mut command);
    command
        .args(&program.argv[1..])
        .current_dir(&program.cwd)
        .env("LC_ALL", "C")
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .stdin(if without_input { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// Tells a folder that is not there from a program that is not there: the system uses one error
/// for both.
pub(super) fn refused(program: &Program, source: io::Error) -> ProcessError {
    // the dot asks for the right to enter the folder, not only for its name
    match std::fs::metadata(program.cwd.join(".")) {
        Err(source) => ProcessError::Folder { folder: program.cwd.clone(), source },
        Ok(_) => ProcessError::NotStarted { program: program.name(), source },
    }
}

/// Waits for a child that has closed its outputs, so is about to end in most cases.
pub(super) fn wait_until(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(50);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(pause),
            _ => return None,
        }
        pause = (pause * 2).min(TICK);
    }
}

/// Ends the group of a child that did not end by itself, politely first, and waits for the child.
fn end(child: &mut Child, grace: Duration) {
    // only while the child was not waited for its number, and the group's, is surely its own
    let Ok(None) = child.try_wait() else { return };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let tell = |signal| group.map(|group| kill_process_group(group, signal));
    tell(Signal::TERM);
    // one that waits for a terminal is stopped and would not hear it
    tell(Signal::CONT);
    let ended = wait_until(child, Instant::now() + grace).is_some();
    if !ended {
        tell(Signal::KILL);
        let _ = child.wait();
        return;
    }
    // its children may still be there, and a group keeps its number as long as it has a member
    tell(Signal::KILL);
}

fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}
