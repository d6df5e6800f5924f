//! A repository whose pushes go through the real hook and the real program.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use git_evidence::git::branch_key;
use git_evidence::hook::install::script;
use git_evidence::store::Layout;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hooked::write_script;

pub(crate) const OURS: &str = env!("CARGO_BIN_EXE_git-review-evidence");
pub(crate) const MARK: &str = "AUTO_FIX_TRIGGER:/forge-fix-evidence:sha=";
pub(crate) const ZERO: &str = "0000000000000000000000000000000000000000";

/// What a hook or a push came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.stdout.is_empty(), "a hook's stdout is not for us: {output:?}");
        assert!(!err.contains("no-verify"), "{err}");
        Ran { code: output.status.code(), err }
    }

    #[track_caller]
    pub(crate) fn passes(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        assert!(!self.err.contains(MARK), "{}", self.err);
        self.err
    }

    #[track_caller]
    pub(crate) fn blocks(self, with: &[&str]) -> String {
        assert_eq!(self.code, Some(1), "{}", self.err);
        for text in with {
            assert!(self.err.contains(text), "no '{text}' in:\n{}", self.err);
        }
        self.err
    }

    /// Blocks, and the marker for this commit is the first line.
    #[track_caller]
    pub(crate) fn marks(self, sha: &str) -> String {
        let err = self.blocks(&[]);
        assert_eq!(err.lines().next(), Some(format!("{MARK}{sha}").as_str()), "{err}");
        assert_eq!(err.matches(MARK).count(), 1, "{err}");
        err
    }

    #[track_caller]
    pub(crate) fn is_silent(self) -> String {
        let err = self.blocks(&[]);
        assert!(!err.contains(MARK), "{err}");
        err
    }
}

pub(crate) struct Gate {
    dir: TempDir,
    pub(crate) top: PathBuf,
    pub(crate) env: Vec<(&'static str, String)>,
}

impl Gate {
    /// `main` with a configuration, at the remote too; `feature` one commit ahead, checked out.
    pub(crate) fn new() -> Gate {
        Gate::with(&[])
    }

    pub(crate) fn with(init: &[&str]) -> Gate {
        let gate = Gate::empty(init);
        gate.configure("");
        gate.git(&["push", "-q", "origin", "main"]);
        gate.git(&["fetch", "-q"]);
        gate.git(&["switch", "-q", "-c", "feature"]);
        gate.commit("a.txt", "fine\n");
        gate.install();
        gate
    }

    /// Nothing but a remote.
    pub(crate) fn empty(init: &[&str]) -> Gate {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("it's a repo");
        std::fs::create_dir(&top).unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        let gate = Gate { top, dir, env: Vec::new() };
        let remote = gate.path("remote.git");
        let remote = remote.to_str().unwrap();
        gate.git(&[&["init", "-q", "-b", "main"][..], init].concat());
        gate.git(&[&["init", "-q", "-b", "main", "--bare"][..], init, &[remote]].concat());
        gate.git(&["remote", "add", "origin", remote]);
        gate
    }

    /// A check that reports each `BAD` in `a.txt`, and the rest of the configuration.
    pub(crate) fn configure(&self, rest: &str) -> String {
        let script = self.path("check.sh");
        let log = self.path("log");
        let text = format!(
            "echo run >>'{}'\n{{ printf '{{\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":\
             {{\"name\":\"t\"}}}},\"results\":['\nsep=\nfor n in $(grep -n BAD a.txt 2>/dev/null | cut -d: -f1); \
             do printf '%s{{\"ruleId\":\"R1\",\"level\":\"error\",\"message\":{{\"text\":\"bad word\"}},\
             \"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"a.txt\"}},\"region\":\
             {{\"startLine\":%s}}}}}}]}}' \"$sep\" \"$n\"; sep=,; done; printf ']}}]}}'; }} >\"$1/a.sarif\"\n",
            log.display()
        );
        std::fs::write(&script, text).unwrap();
        let config = format!(
            "{rest}\n[[check]]\nname = \"words\"\nrun = \"sh '{}' {{out}}\"\nreports = [\"a.sarif\"]\n",
            script.display()
        );
        self.commit(".git-evidence.toml", &config)
    }

    /// How often the check ran.
    pub(crate) fn runs(&self) -> usize {
        std::fs::read_to_string(self.path("log")).map_or(0, |l| l.lines().count())
    }

    pub(crate) fn install(&self) {
        let hooks = self.top.join(self.git(&["rev-parse", "--git-path", "hooks"]));
        let text = String::from_utf8(script(Path::new("/no such"))).unwrap();
        write_script(&hooks.join("pre-push"), &text, 0o755);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>, cwd: &Path) -> Command {
        let mut command = Command::new(program);
        let keep = |name: &str| {
            !["GIT_", "DEVFORGE_", "XDG_", "EVIDENCE_"].iter().any(|p| name.starts_with(p))
                && name != "GITHUB_ACTOR"
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = Path::new(OURS).parent().unwrap();
        command
            .env_clear()
            .envs(std::env::vars().filter(|(name, _)| keep(name)))
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.path("home"))
            .env("GIT_CONFIG_GLOBAL", self.path("home/.gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "t")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "t@example.org")))
            .envs(self.env.iter().map(|(k, v)| (k, v)))
            .current_dir(cwd);
        command
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_at(&self.top, args)
    }

    #[track_caller]
    pub(crate) fn git_at(&self, cwd: &Path, args: &[&str]) -> String {
        let output = self.command("git", cwd).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_string()
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn commit(&self, file: &str, text: &str) -> String {
        std::fs::write(self.top.join(file), text).unwrap();
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "-m", file]);
        self.head()
    }

    /// A push through the installed hook.
    pub(crate) fn push(&self, args: &[&str]) -> Ran {
        self.push_at(&self.top, args)
    }

    pub(crate) fn push_at(&self, cwd: &Path, args: &[&str]) -> Ran {
        let output = self.command("git", cwd).args(["push", "-q"]).args(args).output().unwrap();
        Ran::of(&output)
    }

    /// The hook's program itself.
    pub(crate) fn direct(&self, stdin: impl AsRef<[u8]>) -> Ran {
        self.direct_at(&self.top, stdin)
    }

    pub(crate) fn direct_at(&self, cwd: &Path, stdin: impl AsRef<[u8]>) -> Ran {
        let mut command = self.command(OURS, cwd);
        command.args(["hook", "pre-push", "origin", "some url"]).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // all of it is read, whatever comes of it
        child.stdin.take().unwrap().write_all(stdin.as_ref()).unwrap();
        Ran::of(&child.wait_with_output().unwrap())
    }

    /// Git's line for a new branch.
    pub(crate) fn line(&self, branch: &str) -> String {
        let sha = self.git(&["rev-parse", branch]);
        format!("refs/heads/{branch} {sha} refs/heads/{branch} {ZERO}\n")
    }

    pub(crate) fn layout(&self) -> Layout {
        let common = self.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        Layout::new(Path::new(&common))
    }

    /// A record as another tool writes it.
    pub(crate) fn record(&self, sha: &str, decision: &str) -> Value {
        let block = decision != "AUTO_APPROVE" && decision != "REVIEWER_HANDOFF";
        let reasons =
            if decision == "BLOCK_REGRESSION" { json!(["lint_errors:2>0"]) } else { json!([]) };
        let floors =
            if decision == "BLOCK_HARD_FLOOR" { json!(["security:40.0<60.0"]) } else { json!([]) };
        let record = json!({
            "schema_version": "2.0", "sha": sha, "branch": "b", "computed_at": "2026-01-01T00:00:00Z",
            "dirty_tree": false, "base_branch": "main", "stack_detected": [], "metrics": {},
            "spec_drift": {}, "verdict": {"block": block, "block_reasons": reasons, "warnings": []},
            "regression_verdict": {"decision": decision, "hard_floor_breaches": floors,
                "reason": "so it is"},
        });
        self.write_record(sha, &record.to_string());
        record
    }

    pub(crate) fn write_record(&self, sha: &str, text: &str) {
        let path = self.layout().record(sha);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn stored(&self, sha: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.layout().record(sha)).unwrap()).unwrap()
    }

    /// The counter of a branch.
    pub(crate) fn counter(&self, branch: &str) -> PathBuf {
        self.layout().autocount(&branch_key(branch.as_bytes()))
    }

    pub(crate) fn count(&self, branch: &str) -> Value {
        let text = std::fs::read_to_string(self.counter(branch)).unwrap_or_default();
        serde_json::from_str::<Value>(&text).map_or(Value::Null, |v| v["count"].clone())
    }
}
