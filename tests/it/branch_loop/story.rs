//! A repository with a blocked branch, checks that read its files, and a fixer that does what a list
//! of steps outside the tree says, one step a dispatch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::repo::TestRepo;

/// `code.txt`: a line that begins with `bad` is a finding. `cov.txt`: a line is a line of code and
/// says how often it ran.
const LINT: &str = r#"
if [ -e "$D/during-check" ] && [ "$PWD" = "$TOP" ]; then
    mv "$D/during-check" "$D/now-check"; . "$D/now-check"
fi
awk 'BEGIN { printf "[" } /^bad/ { printf "%s{\"code\":\"E1\",\"filename\":\"code.txt\",\"location\":{\"row\":%d,\"column\":1},\"end_location\":{\"row\":%d,\"column\":2},\"message\":\"%s\"}", s, NR, NR, $0; s = "," } END { print "]" }' code.txt
"#;

const COVERAGE: &str = r#"
awk 'BEGIN { print "SF:cov.txt" } { printf "DA:%d,%d\n", NR, $1 } END { print "end_of_record" }' cov.txt
"#;

const FIXER: &str = r#"
improve() { awk 'd || !/^bad/ { print; next } { d = 1 }' code.txt > "$D/new" && cat "$D/new" > code.txt; }
worsen() { echo "bad w$(wc -l < code.txt)" >> code.txt; }
commit() { git commit -q -a -m "by the fixer"; }
usage() { printf '{"input_tokens":%s,"output_tokens":%s}' "$1" "$2" > "$EVIDENCE_USAGE"; }
echo "$EVIDENCE_ITERATION $EVIDENCE_KIND $EVIDENCE_REASON" >> "$D/dispatched"
for step in "$D"/steps/*; do
    [ -e "$step" ] || exit 0
    mv "$step" "$D/now"
    . "$D/now"
    exit
done
"#;

/// The repository, what lies beside it, and how the program is started.
pub(crate) struct Story {
    pub(crate) repo: TestRepo,
    env: Vec<(String, String)>,
    steps: std::cell::Cell<usize>,
}

/// What a start of the program came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        let killed = output.status.signal().map(|n| -n);
        Ran {
            code: output.status.code().or(killed).unwrap(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as exactly one document.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Exit code and status, and the escalation where it is escalated.
    pub(crate) fn ended(self, code: i32, how: &str) -> Ran {
        let json = self.json();
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_string();
        let (status, why) = (text("status"), text("escalation"));
        let found = if status == "ESCALATED" { why } else { status };
        assert_eq!((self.code, found.as_str()), (code, how), "{self:#?}");
        assert_eq!(json["schema"], "fix_evidence_report_v1");
        self
    }

    /// Exit code 2 or the like: nothing on standard output, these words on standard error.
    pub(crate) fn refused(self, code: i32, words: &str) -> Ran {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{self:#?}");
        assert!(self.err.contains(words), "{words}: {}", self.err);
        self
    }

    /// Outcome, fixer and kind of each dispatch.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let json = self.json();
        let log = json["log"].as_array().unwrap();
        log.iter().map(|e| e["outcome"].as_str().unwrap().to_string()).collect()
    }
}

/// What belongs to the user and must outlive everything.
pub(crate) struct Belongings {
    commits: Vec<String>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Story {
    /// Branch `work` has that many findings, `main` none.
    pub(crate) fn with_findings(findings: usize) -> Story {
        Story::new(TestRepo::new(), findings, "")
    }

    /// With more lines in the configuration of `main`.
    pub(crate) fn configured(findings: usize, more: &str) -> Story {
        Story::new(TestRepo::new(), findings, more)
    }

    /// In a repository that was made by the caller.
    pub(crate) fn new(repo: TestRepo, findings: usize, more: &str) -> Story {
        let mut story = Story { repo, env: Vec::new(), steps: 0.into() };
        std::fs::create_dir(story.beside("steps")).unwrap();
        for (name, text) in [("lint.sh", LINT), ("cov.sh", COVERAGE), ("fixer.sh", FIXER)] {
            let head = format!(
                "D='{}'; TOP='{}'\n",
                story.beside("").display(),
                story.repo.path.display()
            );
            std::fs::write(story.beside(name), head + text).unwrap();
        }
        story.set("XDG_CACHE_HOME", story.beside("cache").to_str().unwrap());
        story.start(findings, more);
        story
    }

    fn start(&self, findings: usize, more: &str) {
        let repo = &self.repo;
        repo.write(".git-evidence.toml", self.config(more));
        repo.write(".gitignore", "*.ignored\n");
        repo.write("code.txt", "fine\n");
        repo.write("cov.txt", "1\n".repeat(10));
        repo.write("precious.ignored", "not in git\n");
        repo.commit("base");
        repo.git(&["switch", "-q", "-c", "work"]);
        self.findings(findings);
    }

    /// Commits that many findings on top.
    pub(crate) fn findings(&self, count: usize) {
        let bad: String = (1..=count).map(|i| format!("bad {i}\n")).collect();
        self.repo.write("code.txt", format!("fine\n{bad}"));
        self.repo.write("feature.txt", "what the branch is for\n");
        self.repo.commit("feature");
    }

    /// The configuration with more lines.
    pub(crate) fn config(&self, more: &str) -> String {
        let run = |name: &str| format!("sh '{}'", self.beside(name).display());
        format!(
            "[[check]]\nname = \"lint\"\nrun = \"{}\"\nreports = [\"-\"]\nformat = \"ruff-json\"\n\
             [[check]]\nname = \"coverage\"\nrun = \"{}\"\nreports = [\"-\"]\nformat = \"lcov\"\n\
             [[fixer]]\nname = \"mender\"\nkinds = [\"lint\", \"coverage\"]\nrun = \"{}\"\ntimeout = \"30s\"\n{more}",
            run("lint.sh"),
            run("cov.sh"),
            run("fixer.sh"),
        )
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.repo.beside(name)
    }

    /// What the fixer does at its next dispatches.
    pub(crate) fn steps(&self, steps: &[&str]) -> &Story {
        for step in steps {
            let number = self.steps.get();
            self.steps.set(number + 1);
            std::fs::write(self.beside(&format!("steps/{number:03}")), step).unwrap();
        }
        self
    }

    /// What happens once while the lint check runs on the checkout.
    pub(crate) fn during_check(&self, script: &str) {
        std::fs::write(self.beside("during-check"), script).unwrap();
    }

    /// A variable of every later start.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.into(), value.into()));
    }

    /// `git fix-evidence` with arguments, not yet started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in(&self.repo.path, args)
    }

    pub(crate) fn command_in(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = self.repo.command(env!("CARGO_BIN_EXE_git-fix-evidence"));
        for name in ["GITHUB_ACTOR", "NO_COLOR"] {
            command.env_remove(name);
        }
        let pairs = self.env.iter().map(|(k, v)| (k, v));
        command.envs(pairs).current_dir(dir).args(args).stdin(Stdio::null());
        command
    }

    pub(crate) fn fix(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// The loop, with a JSON report.
    pub(crate) fn run(&self) -> Ran {
        self.fix(&["--json"])
    }

    /// `status --json`.
    pub(crate) fn status(&self) -> Value {
        let ran = self.fix(&["status", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    pub(crate) fn head(&self) -> String {
        self.repo.git(&["rev-parse", "HEAD"])
    }

    /// What git calls dirty.
    pub(crate) fn dirt(&self) -> String {
        self.repo.git(&["status", "--porcelain"])
    }

    /// How often fixers were started.
    pub(crate) fn dispatches(&self) -> usize {
        std::fs::read_to_string(self.beside("dispatched")).unwrap_or_default().lines().count()
    }

    /// Paths and contents of the checkpoints, the oldest first.
    pub(crate) fn checkpoints(&self) -> Vec<String> {
        let format = "--format=%(objectname)";
        let all = self.repo.git(&[
            "for-each-ref",
            "--sort=version:refname",
            format,
            "refs/evidence/checkpoints",
        ]);
        all.lines().map(str::to_string).collect()
    }

    /// The branch's state, none where there is none.
    pub(crate) fn state_file(&self) -> PathBuf {
        self.status()["state_file"].as_str().unwrap().into()
    }

    /// Everything that must be there afterwards too: commits, and the named files with their content.
    pub(crate) fn belongings(&self, files: &[&str]) -> Belongings {
        let commits = self.repo.git(&["rev-list", "--all"]);
        let names = files.iter().copied().chain(["precious.ignored"]);
        let read = |name: &str| {
            let path = self.repo.path.join(name);
            let bytes = std::fs::read(&path).unwrap();
            (path, bytes)
        };
        Belongings {
            commits: commits.lines().map(str::to_string).collect(),
            files: names.map(read).collect(),
        }
    }

    /// Nothing of it is lost.
    pub(crate) fn still_has(&self, belongings: &Belongings) {
        for (path, bytes) in &belongings.files {
            let now = std::fs::read(path);
            assert_eq!(now.ok().as_ref(), Some(bytes), "{}", path.display());
        }
        let now = self.repo.git(&["rev-list", "--all"]);
        let lost: Vec<&String> =
            belongings.commits.iter().filter(|c| !now.lines().any(|n| n == c.as_str())).collect();
        assert_eq!(lost, Vec::<&String>::new(), "commits that no ref keeps");
    }

    /// At rest: on the branch, nothing uncommitted, no commit that no ref keeps, no run open.
    pub(crate) fn at_rest(&self, branch: &str) {
        assert_eq!(self.repo.git(&["symbolic-ref", "--short", "HEAD"]), branch);
        assert_eq!(self.dirt(), "");
        let unreachable =
            self.repo.git(&["fsck", "--unreachable", "--no-reflogs", "--no-progress"]);
        let commits: Vec<&str> = unreachable.lines().filter(|l| l.contains(" commit ")).collect();
        assert_eq!(commits, Vec::<&str>::new());
        let status = self.status();
        assert_eq!((&status["interrupted"], &status["running"]), (&Value::Null, &Value::Null));
    }
}
