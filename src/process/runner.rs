//! Our side of a supervised run.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::captured::{CAPTURE_EACH, Captured, HeadTail, Take};
use super::environment::blot_secrets;
use super::plain::{refused, wait_until};
use super::pump::Pump;
use super::status::{End, Status};
use super::supervise::{KILL_LIMIT, SUPERVISE};
use super::{Exit, ProcessError, Program, Sink, clean_environment, tree};

/// Longest time until a cancellation is noticed.
const TICK: Duration = Duration::from_millis(20);
/// Time that the supervisor gets beyond what it was told, on a busy machine, before it counts as
/// stuck and is ended from outside.
const SLACK: Duration = Duration::from_secs(5);
/// Time for the last output after everything is over.
const AFTER_END: Duration = Duration::from_millis(500);
/// Carries the mark of a run. Whoever inherits it can be found after the supervisor is gone.
const MARK: &str = "_GIT_EVIDENCE_RUN";

/// A request to end that can be made from another thread or a signal handler. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A request that was not made yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Makes the request. There is no way back.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the request was made.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// The flag itself, for what sets flags on signals.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// What a supervised program did.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub exit: Exit,
    /// Wall time from its start to its own end, in seconds.
    pub seconds: f64,
    /// Its standard output; with [`Sink::File`] only the count of bytes.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Processes that were still there after the program itself ended, and had to be ended.
    pub leftovers: u32,
}

/// Runs programs under a supervisor. Can be used from several threads at once.
#[derive(Debug, Clone)]
pub struct Runner {
    supervisor: PathBuf,
    cancel: Cancel,
    environment: Vec<(OsString, OsString)>,
}

impl Runner {
    /// A runner whose supervisor is `supervisor`, an absolute path of an executable that hands
    /// [`SUPERVISE`] to [`supervise_main`](super::supervise_main): our own. Programs get the
    /// cleaned environment of this process.
    pub fn new(supervisor: impl Into<PathBuf>, cancel: Cancel) -> Runner {
        Runner::with_environment(supervisor, cancel, std::env::vars_os())
    }

    /// A runner whose programs get `vars` instead of this process's environment, cleaned.
    pub fn with_environment(
        supervisor: impl Into<PathBuf>,
        cancel: Cancel,
        vars: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Runner {
        Runner { supervisor: supervisor.into(), cancel, environment: clean_environment(vars) }
    }

    /// The same runner, ended by another request.
    #[must_use]
    pub fn cancelled_by(&self, cancel: Cancel) -> Runner {
        Runner { cancel, ..self.clone() }
    }

    /// A text that a program wrote, with the values of secrets that it inherited blotted out: such
    /// texts end up in records.
    pub fn without_secrets(&self, text: &str) -> String {
        blot_secrets(&self.environment, text)
    }

    /// Runs a program to its end and ends whatever it leaves behind. Standard input is empty.
    ///
    /// Returns at the latest a few seconds after deadline and grace, whatever the program does.
    /// How the program itself fared is in [`Ran::exit`], never an error.
    ///
    /// # Errors
    /// [`ProcessError`]: the program could not be started, its output not be kept, the account of
    /// the run is missing, or processes are left that could not be ended.
    pub fn run(&self, program: &Program) -> Result<Ran, ProcessError> {
        if self.cancel.is_set() {
            return Ok(Ran::nothing());
        }
        if program.argv.is_empty() {
            let source = io::ErrorKind::InvalidInput.into();
            return Err(ProcessError::NotStarted { program: String::new(), source });
        }
        let room = tempfile::Builder::new()
            .prefix("git-evidence-run-")
            .tempdir()
            .map_err(|e| lost(program, format!("no temporary folder: {e}")))?;
        let mut out = Out::open(&program.stdout)?;
        let mut err = HeadTail::new(CAPTURE_EACH);
        let mut run = Run::start(self, program, room.path())?;
        run.follow(&self.cancel, &mut out, &mut err);
        let status = run.finish(&mut out, &mut err);
        if let Some(error) = out.error(program) {
            return Err(error);
        }
        let exit = exit_of(&status?, program, out.has_enough())?;
        Ok(exit.ran(out.finish(), err.finish()))
    }
}

impl Ran {
    fn nothing() -> Ran {
        Account { exit: Exit::Cancelled, seconds: 0.0, leftovers: 0 }
            .ran(Captured::default(), Captured::default())
    }
}

/// The account of a run that has a result.
struct Account {
    exit: Exit,
    seconds: f64,
    leftovers: u32,
}

impl Account {
    fn ran(self, stdout: Captured, stderr: Captured) -> Ran {
        let Account { exit, seconds, leftovers } = self;
        Ran { exit, seconds, stdout, stderr, leftovers }
    }
}

fn lost(program: &Program, detail: String) -> ProcessError {
    ProcessError::Supervisor { program: program.name(), detail }
}

/// Reads a supervisor's account.
fn exit_of(status: &Status, program: &Program, overfull: bool) -> Result<Account, ProcessError> {
    if status.survivors > 0 {
        return Err(ProcessError::NotEnded { program: program.name(), count: status.survivors });
    }
    let exit = match &status.end {
        End::NotStarted { errno, message } => {
            let source = errno
                .map_or_else(|| io::Error::other(message.clone()), io::Error::from_raw_os_error);
            return Err(ProcessError::NotStarted { program: program.name(), source });
        }
        End::Unprepared(detail) => return Err(lost(program, detail.clone())),
        // the file lacks the rest, so the program's own success would be a lie
        _ if overfull => Exit::TooMuchOutput,
        End::Exit(code) => Exit::Code(*code),
        End::Signal(signal) => Exit::Signal(*signal),
        End::Deadline => Exit::Deadline,
        End::Cancelled => Exit::Cancelled,
    };
    Ok(Account { exit, seconds: status.seconds, leftovers: status.leftovers })
}

/// A run in progress.
struct Run<'a> {
    program: &'a Program,
    child: Child,
    /// A byte asks for the end. Closed by our death; so it stays open until all is over.
    lifeline: Option<ChildStdin>,
    asked: bool,
    pump: Pump<'a>,
    /// From this moment on the supervisor should be ending the run.
    due: Instant,
    /// After this moment it counts as stuck.
    patience: Instant,
    status: PathBuf,
    mark: String,
}

impl<'a> Run<'a> {
    fn start(runner: &Runner, program: &'a Program, room: &Path) -> Result<Run<'a>, ProcessError> {
        let status = room.join("status");
        let mut child = Command::new(&runner.supervisor)
            .arg(SUPERVISE)
            .args(["--deadline-ms".into(), milliseconds(program.bounded_deadline())])
            .args(["--grace-ms".into(), milliseconds(program.bounded_grace())])
            .args(["--status".as_ref(), status.as_os_str(), "--".as_ref()])
            .args(&program.argv)
            .current_dir(&program.cwd)
            .env_clear()
            .envs(runner.environment.iter().map(|(name, value)| (name, value)))
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .env(MARK, &status)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| match refused(program, e) {
                ProcessError::NotStarted { source, .. } => {
                    lost(program, format!("cannot start the supervisor: {source}"))
                }
                other => other,
            })?;
        let out = child.stdout.take().map(OwnedFd::from);
        let err = child.stderr.take().map(OwnedFd::from);
        let due = Instant::now() + program.bounded_deadline();
        Ok(Run {
            program,
            lifeline: child.stdin.take(),
            asked: false,
            pump: Pump::new(out, err),
            due,
            patience: due + to_end(program),
            mark: format!("{MARK}={}", status.display()),
            status,
            child,
        })
    }

    /// Receives output until the run is over, or the supervisor is stuck.
    fn follow(&mut self, cancel: &Cancel, out: &mut Out, err: &mut HeadTail) {
        while !self.pump.step(TICK, out, err) {
            if !self.asked && (cancel.is_set() || out.has_enough()) {
                self.ask_to_end();
            }
            // without a supervisor the pipes say nothing: whoever is left may hold them for ever
            if !matches!(self.child.try_wait(), Ok(None)) || Instant::now() >= self.patience {
                return;
            }
            if Instant::now() >= self.due {
                self.wake();
            }
        }
    }

    fn ask_to_end(&mut self) {
        self.asked = true;
        // a pipe that nobody reads any more belongs to a supervisor that is ending
        let _ = self.lifeline.as_mut().map(|lifeline| lifeline.write_all(b"."));
        self.due = self.due.min(Instant::now());
        self.patience = self.patience.min(self.due + to_end(self.program));
    }

    /// Continues a supervisor that the program has stopped.
    fn wake(&self) {
        let pid = rustix::process::Pid::from_raw(self.supervisor());
        let _ = pid.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::CONT));
    }

    /// Gets the account, or makes sure that nothing is left where there is none.
    fn finish(mut self, out: &mut Out, err: &mut HeadTail) -> Result<Status, ProcessError> {
        // the supervisor holds the pipes until it ends, so at their end it is about to
        let ended = wait_until(&mut self.child, self.patience);
        let status = match ended {
            Some(how) if how.success() => {
                Status::read(&self.status).map_err(|e| format!("no account: {e}"))
            }
            Some(how) => Err(self.sweep_remains(how)),
            None => Err(self.end_stuck()),
        };
        let until = Instant::now() + AFTER_END;
        while Instant::now() < until && !self.pump.step(TICK, out, err) {}
        status.map_err(|detail| lost(self.program, detail))
    }

    /// Ends what a supervisor left that was itself killed.
    fn sweep_remains(&self, how: ExitStatus) -> String {
        let session = self.supervisor();
        let left = tree::end_all(KILL_LIMIT, |pause| {
            std::thread::sleep(pause);
            tree::remains(session, session, &self.mark)
        });
        format!("the supervisor ended early ({how}), {left} processes are left")
    }

    /// Ends the tree of a supervisor that does not do it, then the supervisor.
    fn end_stuck(&mut self) -> String {
        let root = self.supervisor();
        let left = tree::end_all(KILL_LIMIT, |pause| {
            std::thread::sleep(pause);
            let mut found = tree::descendants(root, root);
            found.retain(tree::Process::is_alive);
            found
        });
        let _ = self.child.kill();
        let _ = self.child.wait();
        format!("the supervisor was stuck and was ended, {left} processes are left")
    }

    fn supervisor(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or_default()
    }
}

/// Longest time the supervisor may take from the request to end to its own end.
fn to_end(program: &Program) -> Duration {
    program.bounded_grace() + KILL_LIMIT + SLACK
}

fn milliseconds(time: Duration) -> OsString {
    time.as_millis().to_string().into()
}

/// The receiver of standard output.
enum Out {
    Memory(HeadTail),
    File { file: File, left: u64, bytes: u64, over: bool, fault: Option<io::Error> },
}

impl Out {
    fn open(sink: &Sink) -> Result<Out, ProcessError> {
        match sink {
            Sink::Capture => Ok(Out::Memory(HeadTail::new(CAPTURE_EACH))),
            Sink::File { path, limit } => {
                let file = File::create(path)
                    .map_err(|source| ProcessError::Output { path: path.clone(), source })?;
                Ok(Out::File { file, left: *limit, bytes: 0, over: false, fault: None })
            }
        }
    }

    fn error(&mut self, program: &Program) -> Option<ProcessError> {
        match (self, &program.stdout) {
            (Out::File { fault, .. }, Sink::File { path, .. }) => {
                let source = fault.take()?;
                Some(ProcessError::Output { path: path.clone(), source })
            }
            _ => None,
        }
    }

    fn finish(self) -> Captured {
        match self {
            Out::Memory(taker) => taker.finish(),
            Out::File { bytes, .. } => Captured { bytes, ..Captured::default() },
        }
    }
}

impl Take for Out {
    fn take(&mut self, piece: &[u8]) {
        match self {
            Out::Memory(taker) => taker.take(piece),
            Out::File { file, left, bytes, over, fault } => {
                *bytes += piece.len() as u64;
                let room = usize::try_from(*left).unwrap_or(usize::MAX).min(piece.len());
                *over |= room < piece.len();
                *left -= room as u64;
                if fault.is_none() {
                    *fault = file.write_all(&piece[..room]).err();
                }
            }
        }
    }

    fn has_enough(&self) -> bool {
        matches!(self, Out::File { over, fault, .. } if *over || fault.is_some())
    }
}
