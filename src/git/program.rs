//! Runs the `git` program: no terminal, no editor, a deadline, its own process group.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::GitError;
use crate::model::sanitize_bytes;
use crate::process::{Exit, PlainRan, ProcessError, Program, plain_within};

/// How long a command may take where the caller names nothing else.
const DEADLINE: Duration = Duration::from_secs(120);
/// The most that is held of one stream.
const LIMIT: usize = 512 * 1024 * 1024;
/// How long a command that was told to end may take to remove its lock files.
const GRACE: Duration = Duration::from_secs(2);

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
        let command = self.shown();
        let ran = plain_within(&self.program(), &self.stdin, self.limit).map_err(|e| match e {
            ProcessError::NotStarted { source, .. } => GitError::NoGit(source),
            ProcessError::Folder { folder, source } => GitError::io(folder, source),
            other => GitError::NoGit(std::io::Error::other(other)),
        })?;
        let PlainRan { exit, stdout, stderr } = ran;
        let status = match exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) | Exit::Cancelled => None,
            Exit::Deadline => return Err(GitError::Deadline { command, after: self.deadline }),
            Exit::TooMuchOutput => return Err(GitError::TooMuch { command, limit: self.limit }),
        };
        Ok(Done { status, stdout, stderr: printable(&stderr), command })
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

    fn program(&self) -> Program {
        let mut argv = vec![OsString::from("git")];
        argv.extend(self.git.git_dir.as_ref().map(|dir| joined("--git-dir=", dir)));
        argv.extend(self.git.work_tree.as_ref().map(|tree| joined("--work-tree=", tree)));
        argv.extend(self.args.iter().cloned());
        let mut program = Program::new(argv, &self.git.cwd, self.deadline)
            .grace(GRACE)
            // nothing may substitute objects
            .env("GIT_NO_REPLACE_OBJECTS", "1");
        program.env.extend(self.git.env.iter().cloned());
        program
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

/// Text of another program, safe for a terminal: its last 2,000 characters.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let clean: Vec<char> = sanitize_bytes(bytes).trim_end().chars().collect();
    clean[clean.len().saturating_sub(2000)..].iter().collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn text_of_others_cannot_steer_a_terminal() {
        assert_eq!(printable(b"a\x1b[31mb\x07\n\xe2\x80\xaec\n"), "ab\nc");
        assert_eq!(printable(&vec![b'x'; 5000]).len(), 2000);
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
