//! What git hands to the hook arrives, and what the program says is what git does.

use std::io::Write;
use std::process::{Command, Stdio};

use git_evidence::hook::install::Plan;

use crate::hooked::{Hooked, write_script};

const ZERO: &str = "0000000000000000000000000000000000000000";

#[test]
fn a_push_is_judged_and_the_programs_answer_is_gits() {
    let repo = Hooked::new();
    let plan = repo.install();
    assert!(matches!(plan, Plan::Write { note: None, .. }), "{plan:?}");
    assert!(matches!(repo.install(), Plan::UpToDate { .. }));
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.program(1);
    assert_eq!(repo.try_git(&["push", "-q", "origin", "main"]).status.code(), Some(1));
    assert_eq!(repo.git(&["ls-remote", "origin"]), "");
    repo.program(0);
    repo.git(&["push", "-q", "origin", "main"]);
    let (stdin, args) = repo.take("ours").unwrap();
    let line = format!("refs/heads/main {head} refs/heads/main {ZERO}\n");
    assert_eq!(String::from_utf8(stdin).unwrap(), line);
    let url = repo.git(&["remote", "get-url", "origin"]);
    assert_eq!(args, format!("[hook][pre-push][origin][{url}]"));
}

#[test]
fn both_hooks_get_the_same_bytes_and_either_can_block() {
    let repo = Hooked::new();
    repo.their_hook(0);
    assert!(matches!(repo.install(), Plan::Chain { .. }));
    assert!(matches!(repo.install(), Plan::UpToDate { .. }));
    repo.git(&["branch", "-q", "second"]);
    repo.git(&["tag", "-a", "-m", "t", "v1"]);
    repo.git(&["push", "-q", "origin", "main", "second", "v1"]);
    let (theirs, their_args) = repo.take("theirs").unwrap();
    let (ours, our_args) = repo.take("ours").unwrap();
    assert_eq!(theirs, ours);
    assert_eq!(theirs.iter().filter(|b| **b == b'\n').count(), 3);
    assert_eq!(our_args, format!("[hook][pre-push]{their_args}"));
    // a deletion
    repo.git(&["push", "-q", "origin", ":second"]);
    let (theirs, _) = repo.take("theirs").unwrap();
    assert!(
        String::from_utf8_lossy(&theirs)
            .starts_with(&format!("(delete) {ZERO} refs/heads/second "))
    );
    assert_eq!(theirs, repo.take("ours").unwrap().0);
    // nothing to push: no bytes for either
    repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(repo.take("theirs").unwrap().0, b"");
    assert_eq!(repo.take("ours").unwrap().0, b"");
    // theirs blocks, and ours is not asked
    repo.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    repo.uninstall();
    repo.their_hook(3);
    repo.install();
    assert!(!repo.try_git(&["push", "-q", "origin", "main"]).status.success());
    assert!(repo.take("theirs").is_some() && repo.take("ours").is_none());
    // theirs passes, ours blocks
    repo.uninstall();
    repo.their_hook(0);
    repo.install();
    repo.program(1);
    assert!(!repo.try_git(&["push", "-q", "origin", "main"]).status.success());
    assert!(repo.take("theirs").is_some() && repo.take("ours").is_some());
}

#[test]
fn a_push_from_a_linked_worktree_runs_the_same_hook() {
    let repo = Hooked::new();
    let other = repo.path("other tree");
    repo.git(&["worktree", "add", "-q", other.to_str().unwrap(), "-b", "side"]);
    repo.their_hook(0);
    repo.install();
    repo.git(&["-C", other.to_str().unwrap(), "push", "-q", "origin", "side"]);
    let (ours, _) = repo.take("ours").unwrap();
    assert!(String::from_utf8_lossy(&ours).contains("refs/heads/side"));
    assert_eq!(ours, repo.take("theirs").unwrap().0);
}

#[test]
fn a_missing_program_blocks_with_one_sentence_and_the_fallback_is_tried() {
    let repo = Hooked::new();
    repo.install();
    let output = repo.try_git_without_program(&["push", "-q", "origin", "main"]);
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    let ours: Vec<_> = message.lines().filter(|l| l.starts_with("git-evidence:")).collect();
    assert_eq!(ours.len(), 1, "{message}");
    assert!(ours[0].contains("no such/git-review-evidence"), "{message}");
    // the program comes to the place that was put into the hook
    let fallback = repo.path("no such/git-review-evidence");
    let program = std::fs::read_to_string(repo.path("bin dir/git-review-evidence")).unwrap();
    write_script(&fallback, &program, 0o755);
    let output = repo.try_git_without_program(&["push", "-q", "origin", "main"]);
    assert!(output.status.success(), "{output:?}");
    assert!(repo.take("ours").is_some());
}

/// Runs the installed hook itself, as git would.
fn run_hook(repo: &Hooked, stdin: &[u8]) -> Option<i32> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut hook = Command::new(repo.hooks_dir().join("pre-push"))
        .args(["origin", "some url"])
        .env("PATH", format!("{}:{path}", repo.path("bin dir").display()))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin.take().unwrap().write_all(stdin).unwrap();
    hook.wait().unwrap().code()
}

#[test]
fn twenty_thousand_refs_reach_both_and_every_exit_code_passes() {
    let repo = Hooked::new();
    repo.their_hook(0);
    repo.install();
    let id = "a".repeat(64);
    let mut lines = Vec::new();
    for n in 0..20_000 {
        writeln!(lines, "refs/heads/b{n} {id} refs/heads/b{n} {id}").unwrap();
    }
    // names are bytes, and the last line's newline may be missing or doubled
    lines.extend_from_slice(b"refs/heads/\xff%s\\n ' \" $(x)\n\n\n");
    for exit in [0, 1, 3, 77, 255] {
        repo.program(exit);
        assert_eq!(run_hook(&repo, &lines), Some(exit));
        assert_eq!(repo.take("ours").unwrap().0, lines);
        assert_eq!(repo.take("theirs").unwrap().0, lines);
    }
    for short in [&b""[..], b"\n", b"no newline", b".", b".\n."] {
        repo.program(0);
        assert_eq!(run_hook(&repo, short), Some(0));
        assert_eq!(repo.take("ours").unwrap().0, short);
        assert_eq!(repo.take("theirs").unwrap().0, short);
    }
}

#[test]
fn hooks_that_do_not_read_are_no_failure() {
    let repo = Hooked::new();
    let theirs = repo.hooks_dir().join("pre-push");
    write_script(&theirs, "#!/bin/sh\nexit 0\n", 0o755);
    write_script(&repo.path("bin dir/git-review-evidence"), "#!/bin/sh\nexit 0\n", 0o755);
    repo.install();
    assert_eq!(run_hook(&repo, &b"x".repeat(1 << 20)), Some(0));
}

#[test]
fn a_hook_that_git_would_not_have_run_is_not_run_by_ours() {
    let repo = Hooked::new();
    let theirs = repo.their_hook(1);
    write_script(&theirs, "#!/bin/sh\nexit 1\n", 0o644);
    repo.install();
    repo.git(&["push", "-q", "origin", "main"]);
    assert!(repo.take("ours").is_some());
}
