//! Nothing is measured twice.

use super::{LINT, check, lint, project};
use crate::support::cmd::{counted, record_file, review};

#[test]
fn head_and_base_are_measured_once() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    let done = review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 2);
    assert!(done.err.contains("has not been measured yet"), "{}", done.err);
    let done = review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 0);
    assert_eq!(done.err, "");
    assert!(done.out.contains("\nlint   kept"), "{}", done.out);
    review(&repo, &["--recompute"]).ended(0);
    assert_eq!(counted(&repo), 1);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn another_message_or_another_parent_measures_nothing() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 2);
    repo.git(&["commit", "-q", "--amend", "-m", "in other words"]);
    review(&repo, &[]).ended(0);
    let sha = repo.git(&["rev-parse", "HEAD"]);
    assert!(record_file(&repo, &sha).is_file());
    repo.git(&["switch", "-q", "main"]);
    repo.commit("the same tree");
    repo.git(&["switch", "-q", "topic"]);
    repo.git(&["rebase", "-q", "main"]);
    review(&repo, &[]).ended(0);
    assert_eq!(counted(&repo), 0);
}

#[test]
fn no_run_uses_what_is_kept_and_says_what_is_not() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    let sha = repo.commit("more");
    let done = review(&repo, &["--no-run"]).ended(4);
    assert!(done.out.contains("lint: "), "{}", done.out);
    assert_eq!(counted(&repo), 0);
    review(&repo, &["--check", "lint"]).ended(0);
    std::fs::remove_file(record_file(&repo, &sha)).ok();
    let done = review(&repo, &["--no-run"]).ended(0);
    assert!(done.err.contains("not stored: --no-run"), "{}", done.err);
    assert!(!record_file(&repo, &sha).exists());
}

#[test]
fn a_commit_that_is_not_checked_out_is_measured_apart() {
    let repo = project(lint);
    repo.write("findings.txt", "F401 3 src/a.py\n");
    let worse = repo.commit("worse");
    repo.write("findings.txt", "");
    repo.commit("better");
    repo.write("findings.txt", "not even committed");
    let done = review(&repo, &["HEAD~1"]).ended(1);
    assert!(done.out.contains("lint_errors:1>0"), "{}", done.out);
    assert!(record_file(&repo, &worse).is_file());
    assert_eq!(repo.text("findings.txt").as_deref(), Some("not even committed"));
    // In a worktree of its own the checkout's changes do not matter.
    let head = repo.git(&["rev-parse", "HEAD"]);
    review(&repo, &["--isolated"]).ended(0);
    assert!(record_file(&repo, &head).is_file());
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_head_that_moves_meanwhile_spoils_the_run() {
    let moving = format!("[ -d .git ] && git switch -q main\n{LINT}");
    let repo = project(|repo| check(repo, "lint", "ruff-json", &moving));
    repo.write("findings.txt", "F401 3 src/a.py\n");
    let sha = repo.commit("worse");
    let done = review(&repo, &[]).ended(5);
    assert!(done.err.contains("run it again"), "{}", done.err);
    assert!(!record_file(&repo, &sha).exists());
    let done = review(&repo, &["topic", "--no-run"]).ended(4);
    assert!(done.out.contains("no measurement of this content is kept"), "{}", done.out);
}
