//! `git fix-evidence demo`: the story goes as it is told, and touches nothing outside its folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The executable alone in a folder, and empty folders around it.
struct Alone {
    dir: TempDir,
}

impl Alone {
    fn new() -> Alone {
        let alone = Alone { dir: tempfile::tempdir().unwrap() };
        for name in ["bin", "home", "tmp dir", "here"] {
            std::fs::create_dir(alone.path(name)).unwrap();
        }
        let program = alone.path("bin/git-fix-evidence");
        let copied = Command::new("cp")
            .arg(env!("CARGO_BIN_EXE_git-fix-evidence"))
            .arg(&program)
            .status()
            .unwrap();
        assert!(copied.success());
        alone
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// In an environment that holds PATH and the place for temporary folders, and nothing else.
    fn command(&self) -> Command {
        let mut command = Command::new(self.path("bin/git-fix-evidence"));
        command
            .current_dir(self.path("here"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TMPDIR", self.path("tmp dir"))
            .arg("demo");
        command
    }

    fn assert_untouched(&self, names: &[&str]) {
        for name in names {
            assert_eq!(entries(&self.path(name)), [""; 0], "{name}");
        }
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_story_goes_as_it_is_told_and_leaves_nothing() {
    let alone = Alone::new();
    let done = alone.command().output().unwrap();
    let text = text(&done);
    assert_eq!(done.status.code(), Some(0), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    for told in [
        "    $ git push -u origin words\n",
        "git-evidence: the push is blocked",
        "lint_errors:3>0",
        "coverage_below_threshold:80.0<90.0",
        "test_failures:1>0",
        "it made things worse: rolled back",
        "(1, tidy, lint: kept), (2, hasty, tests: rolled_back), (3, hasty, tests: no_change), \
         (3, careful, tests: kept), (4, testwriter, coverage: kept)",
        "Status:        AUTO_APPROVE",
        "* [new branch]      words -> words",
        "undo",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
    let at = |part: &str| text.find(part).unwrap();
    assert!(
        at("the push is blocked") < at("rolled back") && at("rolled back") < at("[new branch]")
    );
    assert!(!text.contains('\x1b'), "colour without a terminal");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    alone.assert_untouched(&["home", "tmp dir", "here"]);
    assert_eq!(entries(&alone.path("bin")), ["git-fix-evidence"]);
}

#[test]
fn a_persons_surroundings_have_no_say_and_are_not_touched() {
    let alone = Alone::new();
    let config = alone.path("home/.gitconfig");
    let hostile = "[core]\n\thooksPath = /nowhere\n[commit]\n\tgpgSign = true\n\
                   [push]\n\tdefault = nothing\n[init]\n\ttemplateDir = /nowhere\n";
    std::fs::write(&config, hostile).unwrap();
    let done = alone
        .command()
        .args(["--keep", "--color", "always"])
        .env("HOME", alone.path("home"))
        .env("GIT_CONFIG_GLOBAL", &config)
        .env("GIT_DIR", "/nowhere")
        .env("GITHUB_ACTOR", "dependabot[bot]")
        .env("DEVFORGE_FIX_EVIDENCE_MAX_ITER", "1")
        .env("XDG_CACHE_HOME", alone.path("home/cache"))
        .output()
        .unwrap();
    let text = text(&done);
    assert_eq!(done.status.code(), Some(0), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(text.contains("\x1b[1m1. A project"), "{text}");
    assert_eq!(entries(&alone.path("home")), [".gitconfig"]);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), hostile);
    alone.assert_untouched(&["here"]);
    let kept = entries(&alone.path("tmp dir"));
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(text.contains(&format!("tmp dir/{}", kept[0])), "{text}");
    let project = alone.path("tmp dir").join(&kept[0]).join("project");
    assert!(project.join(".git/evidence/log.jsonl").is_file());
}

#[test]
fn without_git_it_says_so() {
    let alone = Alone::new();
    let done = alone.command().env("PATH", alone.path("home")).output().unwrap();
    assert_eq!(done.status.code(), Some(5));
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(stderr.contains("'git' cannot be started"), "{stderr}");
    alone.assert_untouched(&["home", "tmp dir", "here"]);
}
