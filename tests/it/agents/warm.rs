//! After a commit its record is made in the background, and nobody waits for it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::ask::{AGENTS, claude};
use crate::pre_push::gate::{Gate, OURS};
use crate::support::wait::wait_for;

/// What an agent tells after a tool has run, made from what it tells before.
fn afterwards(mut document: Value) -> String {
    for (before, after) in [
        ("PreToolUse", "PostToolUse"),
        ("BeforeTool", "AfterTool"),
        ("beforeShellExecution", "afterShellExecution"),
    ] {
        if document["hook_event_name"] == before {
            document["hook_event_name"] = json!(after);
        }
    }
    if document.get("toolName").is_some() {
        document["toolResult"] = json!({"resultType": "success"});
    }
    document["tool_response"] = json!({"stdout": ""});
    document.to_string()
}

impl Gate {
    #[track_caller]
    fn committed(&self, command: &str) {
        let given = afterwards(claude(self.top.to_str().unwrap(), command));
        assert_eq!(self.ask("claude", given), "{}\n");
    }

    /// The check stands still until [`Gate::release`].
    fn hold(&self) {
        let (script, fifo, go) = (self.path("check.sh"), self.path("fifo"), self.path("go"));
        assert!(Command::new("mkfifo").arg(&fifo).output().unwrap().status.success());
        let text = std::fs::read_to_string(&script).unwrap();
        let wait = format!("[ -e '{}' ] || cat '{}' >/dev/null\n", go.display(), fifo.display());
        std::fs::write(script, wait + &text).unwrap();
    }

    /// The background has come to the check.
    fn reached(&self) -> File {
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut open = None;
        wait_for("the check to run", || {
            let fifo =
                OpenOptions::new().write(true).custom_flags(nonblock).open(self.path("fifo"));
            open = fifo.ok();
            open.is_some()
        });
        open.unwrap()
    }

    fn release(&self, held: File) {
        std::fs::write(self.path("go"), "").unwrap();
        drop(held);
    }

    fn recorded(&self, sha: &str) -> Value {
        let path = self.layout().record(sha);
        wait_for("the record", || path.is_file());
        self.stored(sha)
    }
}

#[test]
fn a_commit_is_measured_in_the_background_once_at_a_time() {
    let gate = Gate::new();
    gate.hold();
    let first = gate.commit("a.txt", "BAD\n");
    // the answer comes while the check stands still
    gate.committed("git commit -am x");
    let held = gate.reached();
    assert!(!gate.layout().record(&first).exists());
    // who comes meanwhile leaves it to the one at work, who looks again before he ends
    let second = gate.commit("a.txt", "fine\nBAD\n");
    let mut again = gate.command(OURS, &gate.top);
    again.args(["hook", "warm"]).arg(&gate.top);
    assert!(again.output().unwrap().status.success());
    // the agent works on meanwhile
    std::fs::write(gate.top.join("a.txt"), "fine\n").unwrap();
    gate.release(held);
    for sha in [&first, &second] {
        let record = gate.recorded(sha);
        assert_eq!(record["verdict"]["block_reasons"], json!(["lint_errors:1>0"]));
    }
    // two tips and their base
    assert_eq!(gate.runs(), 3);
    gate.git(&["checkout", "-q", "--", "."]);
    gate.push(&["origin", "feature"]).marks(&second);
    assert_eq!(gate.runs(), 3);
    wait_for("the linked worktree to go", || gate.git(&["worktree", "list"]).lines().count() == 1);
}

#[test]
fn every_agent_and_every_spelling_warms() {
    let gate = Gate::new();
    gate.git(&["config", "alias.ci", "commit"]);
    let cwd = gate.top.to_str().unwrap();
    let spellings =
        ["git commit -m x", "git -C . commit", "git ci -m x", "git add . && git commit"];
    for (n, (name, document)) in AGENTS.iter().enumerate() {
        let sha = gate.commit("b.txt", &format!("{n}\n"));
        let given = afterwards(document(cwd, spellings[n % spellings.len()]));
        let answer = gate.ask(name, given);
        assert!(["{}\n", "{\"permission\":\"allow\"}\n"].contains(&answer.as_str()), "{answer}");
        assert_eq!(gate.recorded(&sha)["regression_verdict"]["decision"], "AUTO_APPROVE");
        wait_for("the background to end", || {
            gate.git(&["worktree", "list"]).lines().count() == 1 && free(&gate)
        });
    }
}

/// Nobody is measuring in the background.
fn free(gate: &Gate) -> bool {
    use git_evidence::store::{Layout, lock::peek};
    let id = Layout::checkout_id(&gate.top.join(".git").canonicalize().unwrap());
    peek(&gate.layout().warm_lock(&id)).is_none()
}

#[test]
fn what_cannot_be_measured_or_need_not_be_leaves_nothing() {
    let gate = Gate::empty(&[]);
    gate.configure("[hook]\ntime_limit = \"1s\"");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    let sha = gate.commit("a.txt", "fine\n");
    let warm = |env: &[(&str, &str)]| {
        let mut warm = gate.command(OURS, &gate.path("home"));
        warm.args(["hook", "warm"]).arg(&gate.top).envs(env.iter().copied());
        assert!(warm.output().unwrap().status.success());
    };
    gate.hold();
    // past its limit
    warm(&[]);
    assert!(!gate.layout().record(&sha).exists());
    std::fs::write(gate.path("go"), "").unwrap();
    // a check that gives no figures says nothing about the checkout
    std::fs::write(gate.path("check.sh"), "exit 1\n").unwrap();
    warm(&[]);
    assert!(!gate.layout().record(&sha).exists());
    // inside a loop, which measures by itself
    let mut inside = gate.command(OURS, &gate.top);
    inside.args(["hook", "claude"]).env("EVIDENCE_RUN", "r1");
    let given = afterwards(claude(gate.top.to_str().unwrap(), "git commit"));
    assert_eq!(super::ask::asked(inside, given), "{}\n");
    // not adopted, and no repository
    let bare = Gate::empty(&[]);
    bare.commit("a.txt", "a\n");
    for dir in [&bare.top, &bare.path("home")] {
        let mut warm = bare.command(OURS, dir);
        assert!(warm.args(["hook", "warm"]).arg(dir).output().unwrap().status.success());
    }
    assert!(!bare.layout().root().join("records").exists());
}

#[test]
fn a_test_that_fails_away_from_the_checkout_is_run_again_in_it() {
    let gate = Gate::empty(&[]);
    let case =
        |end: &str| format!("<testsuite name='s'><testcase name='a'>{end}</testcase></testsuite>");
    std::fs::write(gate.path("pass.xml"), case("")).unwrap();
    std::fs::write(gate.path("fail.xml"), case("<failure message='no data'/>")).unwrap();
    let dir = gate.path("");
    let dir = dir.display();
    gate.configure(&format!(
        "[[check]]\nname = \"tests\"\nreports = [\"-\"]\nformat = \"junit\"\nrun = '''\nif grep -q data \
         a.txt 2>/dev/null && ! [ -e local.db ]; then cat \"{dir}/fail.xml\"; else cat \"{dir}/pass.xml\"; \
         fi'''\n"
    ));
    let mut install = gate.command(OURS, &gate.top);
    assert!(install.args(["install", "--pre-push"]).output().unwrap().status.success());
    std::fs::write(gate.top.join(".gitignore"), "local.db\n").unwrap();
    gate.commit("b.txt", "1\n");
    gate.git(&["push", "-q", "--no-verify", "origin", "HEAD:main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    std::fs::write(gate.top.join("local.db"), "1").unwrap();
    let sha = gate.commit("a.txt", "data\n");
    let mut warm = gate.command(OURS, &gate.top);
    assert!(warm.args(["hook", "warm"]).arg(&gate.top).output().unwrap().status.success());
    assert!(!gate.layout().record(&sha).exists(), "what may be wrong is not recorded");
    let given = claude(gate.top.to_str().unwrap(), "git push origin feature");
    assert_eq!(
        gate.ask("claude", given.to_string()),
        "{}\n",
        "the git hook measures in the checkout"
    );
    gate.push(&["origin", "feature"]).passes();
    assert_eq!(gate.stored(&sha)["regression_verdict"]["decision"], "AUTO_APPROVE");
}
