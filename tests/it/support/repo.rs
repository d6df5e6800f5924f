//! A repository in a temporary folder that knows nothing of the machine's own configuration.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use git_evidence::git::Repo;
use tempfile::TempDir;

/// A repository with a folder and a home of its own.
pub(crate) struct TestRepo {
    folder: TempDir,
    /// The top of the working tree (or the bare repository).
    pub(crate) path: PathBuf,
}

impl TestRepo {
    /// A repository with branch `main` and no commit.
    pub(crate) fn new() -> TestRepo {
        TestRepo::with(&[])
    }

    /// As [`TestRepo::new`] with options for `git init`.
    pub(crate) fn with(options: &[&str]) -> TestRepo {
        TestRepo::named("repo", options)
    }

    /// As [`TestRepo::with`] in a folder of that name.
    pub(crate) fn named(name: &str, options: &[&str]) -> TestRepo {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("home")).unwrap();
        let repo = TestRepo { path: real.join(name), folder };
        std::fs::create_dir(&repo.path).unwrap();
        let init = ["init", "-q", "--initial-branch=main"];
        repo.git(&[init.as_slice(), options].concat());
        repo
    }

    /// A path beside the repository, in the same temporary folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Variables that shut out the machine's configuration and fix identity and time.
    pub(crate) fn env(&self) -> Vec<(OsString, OsString)> {
        let home = self.folder.path().join("home");
        let pairs: [(&str, &OsStr); 10] = [
            ("HOME", home.as_os_str()),
            ("XDG_CONFIG_HOME", home.as_os_str()),
            ("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
            ("GIT_CONFIG_GLOBAL", OsStr::new("/dev/null")),
            ("GIT_AUTHOR_NAME", OsStr::new("A U Thor")),
            ("GIT_AUTHOR_EMAIL", OsStr::new("author@example.com")),
            ("GIT_COMMITTER_NAME", OsStr::new("C O Mitter")),
            ("GIT_COMMITTER_EMAIL", OsStr::new("committer@example.com")),
            ("GIT_AUTHOR_DATE", OsStr::new("2026-01-02T03:04:05Z")),
            ("GIT_COMMITTER_DATE", OsStr::new("2026-01-02T03:04:05Z")),
        ];
        pairs.iter().map(|(k, v)| ((*k).into(), v.to_os_string())).collect()
    }

    /// A command in the repository's folder without inherited `GIT_*` variables.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command.current_dir(&self.path).envs(self.env());
        command
    }

    /// Runs git, which must succeed, and gives its stdout without the last line end.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.path, args)
    }

    /// As [`TestRepo::git`] in another folder.
    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let done = self.command("git").current_dir(folder).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "git {args:?}: {stderr}");
        String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_owned()
    }

    /// Writes a file, its folders too.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The text of a file; none where there is none.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path.join(path)).ok()
    }

    /// Commits everything and gives the commit's name.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// An executable hook.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path.join(self.git(&["rev-parse", "--git-path", "hooks"])).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The adapter on it.
    pub(crate) fn open(&self) -> Repo {
        self.open_at(&self.path)
    }

    /// The adapter on another folder, with the same surroundings.
    pub(crate) fn open_at(&self, folder: &Path) -> Repo {
        Repo::discover(folder, None, None).unwrap().with_env(self.env())
    }
}
