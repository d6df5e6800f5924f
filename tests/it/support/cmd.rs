//! Our commands in a repository that knows nothing of the machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::repo::TestRepo;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Done {
    /// The exit code; 128 + n after signal n.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Done {
    /// Has to have ended so.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Done {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// `git-review-evidence` in the repository, not started yet. The environment is empty but for PATH,
/// home and identity.
pub(crate) fn review_command(repo: &TestRepo, args: &[&str]) -> Command {
    command(repo, Path::new(env!("CARGO_BIN_EXE_git-review-evidence")), args)
}

fn command(repo: &TestRepo, program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(repo.env())
        .env("COUNT", counter(repo))
        .current_dir(&repo.path)
        .stdin(Stdio::null())
        .args(args);
    command
}

/// Runs `git review-evidence`.
pub(crate) fn review(repo: &TestRepo, args: &[&str]) -> Done {
    run(review_command(repo, args))
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command) -> Done {
    use std::os::unix::process::ExitStatusExt;
    let output = command.output().unwrap();
    let code = output.status.code();
    Done {
        code: code.unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0)),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Where scripted checks note that they ran: outside the tree.
pub(crate) fn counter(repo: &TestRepo) -> PathBuf {
    repo.beside("count")
}

/// How often scripted checks have run since the last question.
pub(crate) fn counted(repo: &TestRepo) -> usize {
    let text = std::fs::read_to_string(counter(repo)).unwrap_or_default();
    let _ = std::fs::remove_file(counter(repo));
    text.lines().count()
}

/// The file of a commit's stored record.
pub(crate) fn record_file(repo: &TestRepo, sha: &str) -> PathBuf {
    repo.path.join(format!(".git/evidence/records/{}/{sha}.json", &sha[..2]))
}
