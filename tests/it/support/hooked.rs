//! A repository with a bare remote and a fake `git-review-evidence` on PATH, for tests of hooks.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use git_evidence::hook::install::{Found, Plan, apply, look, plan, plan_removal};
use tempfile::TempDir;

/// Folders of one test; every name has a space and a quote in it.
pub(crate) struct Hooked {
    dir: TempDir,
    /// The top of the checkout.
    pub(crate) top: PathBuf,
    /// Where the fake program notes what it got.
    pub(crate) seen: PathBuf,
}

impl Hooked {
    /// With one commit on `main`, which the remote does not have yet.
    pub(crate) fn new() -> Hooked {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("it's a repo");
        let seen = dir.path().join("what was seen");
        let hooked = Hooked { top, seen, dir };
        for folder in ["it's a repo", "what was seen", "bin dir", "home"] {
            std::fs::create_dir(hooked.dir.path().join(folder)).unwrap();
        }
        hooked.git(&["init", "-q", "-b", "main"]);
        let bare = hooked.dir.path().join("remote repo.git");
        hooked.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
        hooked.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
        hooked.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        hooked.program(0);
        hooked
    }

    /// A path inside the test's own folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Puts the fake program on PATH, with this exit code.
    pub(crate) fn program(&self, exit: i32) {
        let text = recorder("ours", &self.seen, exit);
        write_script(&self.path("bin dir/git-review-evidence"), &text, 0o755);
    }

    /// A script in the place of somebody else's hook.
    pub(crate) fn their_hook(&self, exit: i32) -> PathBuf {
        let path = self.hooks_dir().join("pre-push");
        write_script(&path, &recorder("theirs", &self.seen, exit), 0o750);
        path
    }

    /// git in this repository, away from the user's own configuration.
    pub(crate) fn try_git(&self, args: &[&str]) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        self.command(&self.top)
            .env("PATH", format!("{}:{path}", self.path("bin dir").display()))
            .args(args)
            .output()
            .unwrap()
    }

    /// As [`Hooked::try_git`], without the fake program.
    pub(crate) fn try_git_without_program(&self, args: &[&str]) -> Output {
        self.command(&self.top).args(args).output().unwrap()
    }

    fn command(&self, cwd: &Path) -> Command {
        let mut git = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXEC_PATH"] {
            git.env_remove(name);
        }
        git.current_dir(cwd)
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_GLOBAL", self.path("home/.gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "t")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "t@example.org")));
        git
    }

    /// As [`Hooked::try_git`]; has to succeed.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_string()
    }

    /// As git says.
    pub(crate) fn hooks_dir(&self) -> PathBuf {
        self.top.join(self.git(&["rev-parse", "--git-path", "hooks"]))
    }

    /// What is there.
    pub(crate) fn found(&self) -> Found {
        let common = self.top.join(self.git(&["rev-parse", "--git-common-dir"]));
        look(&self.hooks_dir(), &common, Some(&self.top)).unwrap()
    }

    /// Plans and does.
    pub(crate) fn install(&self) -> Plan {
        let plan = plan(&self.found(), &self.path("no such/git-review-evidence"));
        apply(&plan).unwrap();
        plan
    }

    /// Plans and does.
    pub(crate) fn uninstall(&self) -> Plan {
        let plan = plan_removal(&self.found());
        apply(&plan).unwrap();
        plan
    }

    /// Standard input and arguments that `who` got last, and forgets them.
    pub(crate) fn take(&self, who: &str) -> Option<(Vec<u8>, String)> {
        let stdin = self.seen.join(format!("{who}.stdin"));
        let args = self.seen.join(format!("{who}.args"));
        let got = Some((std::fs::read(&stdin).ok()?, std::fs::read_to_string(&args).ok()?));
        std::fs::remove_file(stdin).unwrap();
        std::fs::remove_file(args).unwrap();
        got
    }
}

/// A script that notes its input and arguments and exits so.
fn recorder(who: &str, seen: &Path, exit: i32) -> String {
    let seen = seen.display();
    format!(
        "#!/bin/sh\ncat > \"{seen}/{who}.stdin\"\nprintf '[%s]' \"$@\" > \"{seen}/{who}.args\"\nexit {exit}\n"
    )
}

/// Writes an executable by another process: a file that this process has open for writing while
/// another test forks cannot be executed ("text file busy").
pub(crate) fn write_script(path: &Path, text: &str, mode: u32) {
    let source = path.with_extension("source");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&source, text).unwrap();
    let copied = Command::new("cp").arg(&source).arg(path).status().unwrap();
    assert!(copied.success());
    std::fs::remove_file(source).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
