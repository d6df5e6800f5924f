//! How long a push waits for the gate when the verdict is recorded: `cargo bench --bench pre_push`.
//!
//! Measured beside `git status` and a hook that does nothing, in turns in the same run, since a
//! machine's load changes from minute to minute. It prints and never fails on a clock.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "its result")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

const ROUNDS: usize = 41;
const OURS: &str = env!("CARGO_BIN_EXE_git-review-evidence");
const CONFIG: &str = "[[check]]\nname = \"lint\"\nrun = \"true\"\nreports = [\"a.sarif\"]\n";

fn main() {
    println!(
        "{:>7}  {:<14} {:>9} {:>9}  {:>10} {:>10}  {:>8}",
        "files", "what", "median ms", "min ms", "/ status", "/ sh hook", "peak MB"
    );
    for files in [10, 50_000] {
        let dir = tempfile::tempdir().unwrap();
        let repo = Repo::new(dir.path().join("repo"), files);
        repo.compare(files);
    }
}

struct Repo {
    top: PathBuf,
    line: String,
}

impl Repo {
    /// A trunk with this many files, at the remote too, and a branch one commit ahead of it.
    fn new(top: PathBuf, files: usize) -> Repo {
        std::fs::create_dir(&top).unwrap();
        let repo = Repo { top, line: String::new() };
        repo.git(&["init", "-q", "-b", "main"]);
        repo.import(files);
        repo.git(&["checkout", "-q", "-f", "feature"]);
        repo.git(&["remote", "add", "origin", "https://example.org/x.git"]);
        let base = repo.git(&["rev-parse", "main"]);
        repo.git(&["update-ref", "refs/remotes/origin/main", &base]);
        let tip = repo.git(&["rev-parse", "feature"]);
        repo.record(&tip, &base);
        let line = format!("refs/heads/feature {tip} refs/heads/feature {}\n", "0".repeat(40));
        Repo { line, ..repo }
    }

    fn import(&self, files: usize) {
        let mut text = String::new();
        let who = "committer t <t@example.org> 1700000000 +0000\ndata 1\nx\n";
        let file = |text: &mut String, path: &str, content: &str| {
            text.push_str(&format!("M 644 inline {path}\ndata {}\n{content}\n", content.len()));
        };
        text.push_str(&format!("commit refs/heads/main\n{who}"));
        file(&mut text, ".git-evidence.toml", CONFIG);
        for n in 0..files.saturating_sub(1) {
            file(&mut text, &format!("d{}/f{n}.py", n / 500), &format!("x = {n}\n"));
        }
        text.push_str(&format!("commit refs/heads/feature\n{who}from refs/heads/main\n"));
        file(&mut text, "changed.py", "x = 1\n");
        let mut import = self.command("git", &["fast-import", "--quiet"]);
        let mut child = import.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// As this program writes it, with 200 findings.
    fn record(&self, tip: &str, base: &str) {
        let finding = |n: usize| {
            serde_json::json!({"rule": "F401", "level": "warning", "path": format!("d0/f{n}.py"),
                "line": n, "message": "imported but unused", "tool": "ruff",
                "baseline_state": "unchanged"})
        };
        let findings: Vec<_> = (0..200).map(finding).collect();
        let digest = Sha256::digest(CONFIG.as_bytes());
        let digest: String = digest.iter().map(|b| format!("{b:02x}")).collect();
        let record = serde_json::json!({
            "schema_version": "2.0", "sha": tip, "branch": "feature",
            "computed_at": "2026-01-01T00:00:00Z", "dirty_tree": false,
            "base_branch": "refs/remotes/origin/main", "base_sha": base, "stack_detected": [],
            "spec_drift": {}, "config_source": "base", "config_sha256": digest,
            "metrics": {"lint": {"errors": 0, "warnings": 200, "findings": findings}},
            "verdict": {"block": false, "block_reasons": [], "warnings": []},
            "regression_verdict": {"decision": "AUTO_APPROVE"},
            "checks": [{"name": "lint", "status": "measured", "exit": 0, "seconds": 1.0}],
            "tool": {"name": "git-evidence", "version": "0.1.0"}
        });
        let path = self.top.join(".git/evidence/records").join(&tip[..2]);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join(format!("{tip}.json")), record.to_string()).unwrap();
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.top).stderr(Stdio::inherit());
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    fn git(&self, args: &[&str]) -> String {
        let output = self.command("git", args).output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    /// One run with the hook's input.
    fn time(&self, program: &str, args: &[&str]) -> Duration {
        let mut command = self.command(program, args);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        // who does not read has its reasons
        let _ = child.stdin.take().unwrap().write_all(self.line.as_bytes());
        let status = child.wait().unwrap();
        let took = started.elapsed();
        assert!(status.success(), "{program} {args:?}");
        took
    }

    /// Peak memory of one run in MB, where GNU time is there to ask.
    fn peak(&self, program: &str, args: &[&str]) -> Option<f64> {
        let gnu = Path::new("/usr/bin/time").exists().then_some("/usr/bin/time")?;
        let args: Vec<&str> = ["-f", "%M", program].iter().chain(args).copied().collect();
        let mut command = self.command(gnu, &args);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(self.line.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.trim().lines().last()?.parse::<f64>().ok().map(|kb| kb / 1024.0)
    }

    fn compare(&self, files: usize) {
        let what: [(&str, &str, &[&str]); 3] = [
            ("pre-push gate", OURS, &["hook", "pre-push", "origin", "https://example.org/x.git"]),
            ("git status", "git", &["status", "--porcelain"]),
            ("sh hook", "sh", &["-c", "cat >/dev/null"]),
        ];
        let mut times = [const { Vec::new() }; 3];
        for round in 0..=ROUNDS {
            for ((_, program, args), times) in what.iter().zip(&mut times) {
                let took = self.time(program, args);
                // the first fills caches
                if round > 0 {
                    times.push(took);
                }
            }
        }
        times.iter_mut().for_each(|t| t.sort());
        let median = times.each_ref().map(|t| t[t.len() / 2].as_secs_f64() * 1000.0);
        for (i, (name, program, args)) in what.iter().enumerate() {
            let peak = self.peak(program, args);
            println!(
                "{files:>7}  {name:<14} {:>9.2} {:>9.2}  {:>10.2} {:>10.2}  {:>8}",
                median[i],
                times[i][0].as_secs_f64() * 1000.0,
                median[i] / median[1],
                median[i] / median[2],
                peak.map_or("?".to_string(), |mb| format!("{mb:.1}")),
            );
        }
    }
}
