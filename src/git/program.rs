//! Runs the `git` program: no terminal, no editor, a deadline, its own process group.
//!
//! Self-contained on purpose: nothing else of this folder starts a process.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::error::GitError;

/// How long a command may take where the caller names nothing else.
const DEADLINE: Duration = Duration::from_secs(120);
/// The most that is held of one stream.
const LIMIT: usize = 512 * 1024 * 1024;
/// How long a command that was told to end may take to remove its lock files.
const GRACE: Duration = Duration::from_secs(2);
/// How long a pipe that a left-over background process holds open is waited for.
const DRAIN: Duration = Duration::from_millis(300);

/// Variables that point git at another repository, index or configuration, as named by
/// `git rev-parse --local-env-vars`, and others that change what a command prints or runs.
const DROPPED: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_EXEC_PATH",
    "GIT_NAMESPACE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_ATTR_SOURCE",
    "GIT_REFLOG_ACTION",
    "GIT_QUARANTINE_PATH",
    "GIT_INDEX_VERSION",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_REF_PARANOIA",
];

/// Families of such variables.
const DROPPED_PREFIXES: &[&str] =
    &["GIT_TRACE", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_REDIRECT_", "GIT_PUSH_OPTION_"];

/// Always set: nothing may ask, open an editor or a pager, translate or substitute objects.
const FIXED: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// Where git is to work.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    /// The folder it is started in.
    pub(crate) cwd: PathBuf,
    /// Given explicitly where it is not to be searched for.
    pub(crate) git_dir: Option<PathBuf>,
    /// Likewise.
    pub(crate) work_tree: Option<PathBuf>,
    /// Set for every command, after the rest.
    pub(crate) env: Vec<(OsString, OsString)>,
}

impl Git {
    /// Git started in a folder, searching the repository itself.
    pub(crate) fn at(cwd: &Path) -> Git {
        Git { cwd: cwd.to_owned(), git_dir: None, work_tree: None, env: Vec::new() }
    }

    /// A command that only reads: it takes no lock and refreshes nothing.
    pub(crate) fn read(&self, args: &[&str]) -> Call {
        self.write(args).env("GIT_OPTIONAL_LOCKS", "0")
    }

    /// A command that may write.
    pub(crate) fn write(&self, args: &[&str]) -> Call {
        Call {
            git: self.clone(),
            args: args.iter().map(OsString::from).collect(),
            stdin: Vec::new(),
            deadline: DEADLINE,
            limit: LIMIT,
        }
    }
}

/// One command line, not yet started.
#[derive(Debug)]
pub(crate) struct Call {
    git: Git,
    args: Vec<OsString>,
    stdin: Vec<u8>,
    deadline: Duration,
    limit: usize,
}

/// What a command that ended by itself left.
#[derive(Debug)]
pub(crate) struct Done {
    /// The exit status; none after a signal.
    pub(crate) status: Option<i32>,
    /// All of stdout.
    pub(crate) stdout: Vec<u8>,
    /// The end of stderr, safe to print.
    pub(crate) stderr: String,
    /// The command line for messages.
    pub(crate) command: String,
}

impl Done {
    /// This end as an error.
    pub(crate) fn failed(self) -> GitError {
        let Done { status, stderr, command, .. } = self;
        GitError::Failed { command, status, stderr }
    }
}

impl Call {
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Call {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Call {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    pub(crate) fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Call {
        self.git.env.push((key.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Lets `git -c key=value` of whoever called us count, for a command that only lists
    /// configuration.
    pub(crate) fn with_callers_config(mut self) -> Call {
        let names = ["GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"];
        let families = ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];
        for (name, value) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if names.contains(&&*text) || families.iter().any(|f| text.starts_with(f)) {
                self.git.env.push((name, value));
            }
        }
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Call {
        self.stdin = bytes.into();
        self
    }

    pub(crate) fn deadline(mut self, deadline: Duration) -> Call {
        self.deadline = deadline;
        self
    }

    pub(crate) fn limit(mut self, bytes: usize) -> Call {
        self.limit = bytes;
        self
    }

    /// Runs it; any exit status is an answer.
    pub(crate) fn run(self) -> Result<Done, GitError> {
        let shown = self.shown();
        let mut command = self.command();
        let mut child = command.spawn().map_err(|e| {
            // the system does not tell a missing program from a missing folder
            let folder = self.git.cwd.is_dir();
            if folder { GitError::NoGit(e) } else { GitError::io(&self.git.cwd, e) }
        })?;
        let streams = Streams::attach(&mut child, self.stdin, self.limit);
        let status = match wait(&mut child, &streams, Instant::now() + self.deadline) {
            Ok(Some(status)) => status,
            Ok(None) => {
                end_group(&mut child);
                return Err(if streams.overrun() {
                    GitError::TooMuch { command: shown, limit: self.limit }
                } else {
                    GitError::Deadline { command: shown, after: self.deadline }
                });
            }
            Err(error) => {
                end_group(&mut child);
                return Err(GitError::NoGit(error));
            }
        };
        let (stdout, stderr) = streams.collect();
        if streams_cut(&stdout, self.limit) {
            return Err(GitError::TooMuch { command: shown, limit: self.limit });
        }
        Ok(Done { status: status.code(), stdout, stderr: printable(&stderr), command: shown })
    }

    /// Runs it; anything but status 0 is an error.
    pub(crate) fn ok(self) -> Result<Vec<u8>, GitError> {
        let done = self.run()?;
        if done.status == Some(0) { Ok(done.stdout) } else { Err(done.failed()) }
    }

    /// As [`Call::ok`], one line of text.
    pub(crate) fn line(self) -> Result<String, GitError> {
        let mut bytes = self.ok()?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        String::from_utf8(bytes)
            .map_err(|e| GitError::NotUtf8(String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.git.cwd).process_group(0);
        if let Some(dir) = &self.git.git_dir {
            command.arg(joined("--git-dir=", dir));
        }
        if let Some(tree) = &self.git.work_tree {
            command.arg(joined("--work-tree=", tree));
        }
        command.args(&self.args);
        for (name, _) in std::env::vars_os() {
            if dropped(&name) {
                command.env_remove(&name);
            }
        }
        command.envs(FIXED.iter().copied());
        command.envs(self.git.env.iter().map(|(k, v)| (k, v)));
        let stdin = if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The command line for messages: at most 200 characters.
    fn shown(&self) -> String {
        let mut text = String::from("git");
        for arg in &self.args {
            text.push(' ');
            text.push_str(&printable(arg.as_encoded_bytes()));
        }
        if text.chars().count() > 200 {
            text = text.chars().take(200).collect::<String>() + "…";
        }
        text
    }
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut text = OsString::from(option);
    text.push(path);
    text
}

fn dropped(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    DROPPED.contains(&name) || DROPPED_PREFIXES.iter().any(|p| name.starts_with(p))
}

/// The pipes of a running command, each served by a thread of its own.
struct Streams {
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    ends: Receiver<()>,
    limit: usize,
    open: std::cell::Cell<u8>,
}

impl Streams {
    fn attach(child: &mut Child, input: Vec<u8>, limit: usize) -> Streams {
        if let Some(mut pipe) = child.stdin.take() {
            // a command that does not read all of its input has its reasons: its status tells
            std::thread::spawn(move || drop(pipe.write_all(&input)));
        }
        let (sender, ends) = channel();
        let stdout = gather(child.stdout.take(), limit, &sender);
        let stderr = gather(child.stderr.take(), limit, &sender);
        Streams { stdout, stderr, ends, limit, open: std::cell::Cell::new(2) }
    }

    fn overrun(&self) -> bool {
        [&self.stdout, &self.stderr].iter().any(|s| lock(s).len() > self.limit)
    }

    /// Waits until a stream ends or the time is over.
    fn pause(&self, time: Duration) {
        if self.open.get() == 0 {
            std::thread::sleep(time.min(Duration::from_micros(200)));
            return;
        }
        match self.ends.recv_timeout(time) {
            Ok(()) => self.open.set(self.open.get() - 1),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.open.set(0),
        }
    }

    /// What was read once the command has ended.
    fn collect(&self) -> (Vec<u8>, Vec<u8>) {
        let until = Instant::now() + DRAIN;
        while self.open.get() > 0 && Instant::now() < until {
            self.pause(until.saturating_duration_since(Instant::now()));
        }
        (std::mem::take(&mut lock(&self.stdout)), std::mem::take(&mut lock(&self.stderr)))
    }
}

fn lock(bytes: &Mutex<Vec<u8>>) -> std::sync::MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn streams_cut(bytes: &[u8], limit: usize) -> bool {
    bytes.len() > limit
}

/// Reads a pipe to its end, or to one chunk over the limit.
fn gather(
    pipe: Option<impl Read + Send + 'static>,
    limit: usize,
    ended: &Sender<()>,
) -> Arc<Mutex<Vec<u8>>> {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let (into, ended) = (Arc::clone(&bytes), ended.clone());
    std::thread::spawn(move || {
        let mut chunk = [0u8; 64 * 1024];
        if let Some(mut pipe) = pipe {
            while let Ok(n) = pipe.read(&mut chunk) {
                let mut held = lock(&into);
                held.extend_from_slice(&chunk[..n]);
                if n == 0 || held.len() > limit {
                    break;
                }
            }
        }
        // nobody listens any more where the command was given up
        ended.send(()).ok();
    });
    bytes
}

/// The exit status, or none where the command is to be ended: past its deadline or its limit.
fn wait(
    child: &mut Child,
    streams: &Streams,
    until: Instant,
) -> std::io::Result<Option<ExitStatus>> {
    let mut step = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || streams.overrun() {
            return Ok(None);
        }
        streams.pause(step.min(left));
        step = (step * 2).min(Duration::from_millis(20));
    }
}

/// Ends a command with all that it started: first politely, because git then removes its locks.
fn end_group(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let signal = |signal| {
        if let Some(group) = group {
            // gone already: that is what is wanted
            kill_process_group(group, signal).ok();
        }
    };
    signal(Signal::TERM);
    // one that waits for a terminal is stopped and would not hear it
    signal(Signal::CONT);
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Ok(Some(_)) | Err(_) => break,
        }
    }
    signal(Signal::KILL);
    child.wait().ok();
}

/// Text of another program, safe for a terminal: its last 2,000 characters without control,
/// direction and zero-width characters.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let clean: Vec<char> =
        text.trim_end().chars().filter(|c| *c == '\n' || !(c.is_control() || hidden(*c))).collect();
    clean[clean.len().saturating_sub(2000)..].iter().collect()
}

fn hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_steer_a_terminal() {
        assert_eq!(printable(b"a\x1b[31mb\x07\r\n\xe2\x80\xaec\n"), "a[31mb\nc");
        assert_eq!(printable(&vec![b'x'; 5000]).len(), 2000);
    }

    #[test]
    fn variables_that_redirect_git_are_dropped_and_identity_passes() {
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_TRACE2_EVENT", "GIT_CONFIG_KEY_0"] {
            assert!(dropped(OsStr::new(name)), "{name}");
        }
        for name in ["GIT_AUTHOR_NAME", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "PATH", "HOME"] {
            assert!(!dropped(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_command_past_its_deadline_is_ended_with_its_children() {
        let started = Instant::now();
        let error = Git::at(Path::new("/"))
            .read(&["-c", "alias.wait=!sleep 100 & sleep 100", "wait"])
            .deadline(Duration::from_millis(100))
            .run()
            .unwrap_err();
        assert!(matches!(error, GitError::Deadline { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_background_process_that_keeps_the_pipe_does_not_hold_us() {
        let started = Instant::now();
        let done = Git::at(Path::new("/"))
            .read(&["-c", "alias.leave=!echo hi; sleep 5 &", "leave"])
            .run()
            .unwrap();
        assert_eq!(done.stdout, b"hi\n");
        assert!(started.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn output_past_the_limit_is_an_error_and_input_reaches_the_command() {
        let git = Git::at(Path::new("/"));
        let big = git.read(&["-c", "alias.yes=!yes", "yes"]).limit(10_000).run();
        assert!(matches!(big, Err(GitError::TooMuch { .. })));
        let id = git.read(&["hash-object", "--stdin"]).stdin("hi\n").line().unwrap();
        assert_eq!(id, "45b983be36b73c0788dc9cbcb76cbb80fc7bb057");
    }
}
