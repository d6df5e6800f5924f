//! Nothing is measured twice.

use super::{COVERAGE, LINT, check, lint, project};
use crate::support::cmd::{counted, record_file, review};
use crate::support::repo::TestRepo;

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

#[test]
fn lines_that_come_and_go_by_themselves_are_set_apart() {
    let script = |repo: &TestRepo| {
        let hit = repo.beside("hit");
        std::fs::write(&hit, "5\n").unwrap();
        format!("cp covered.txt before; echo \"9 $(cat '{}')\" > covered.txt\n", hit.display())
            + COVERAGE
            + "mv before covered.txt\n"
    };
    let repo = project(|repo| {
        let policy = "[policy]\nmin_coverage = 0.0\nmax_coverage_drop = 20.0\n";
        policy.to_string() + &check(repo, "coverage", "lcov", &script(repo))
    });
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    review(&repo, &[]);
    std::fs::write(repo.beside("hit"), "4\n").unwrap();
    repo.write("src/b.py", "x = 2\n");
    repo.commit("and more");
    let record = review(&repo, &["--json"]).json();
    let coverage = &record["metrics"]["coverage"];
    assert_eq!(coverage["lines_no_longer_covered"][0], "src/a.py:5", "{record:#}");
    let warned = record["verdict"]["warnings"].to_string();
    assert!(warned.contains("--recompute sets them apart"), "{warned}");
    // The same content, measured again: that line runs.
    std::fs::write(repo.beside("hit"), "5\n").unwrap();
    let record = review(&repo, &["--recompute", "--json"]).json();
    let coverage = &record["metrics"]["coverage"];
    assert_eq!(coverage["unstable_lines"][0], "src/a.py:5", "{record:#}");
    assert_eq!(coverage["lines_no_longer_covered"], serde_json::Value::Null);
    assert_eq!(coverage["lines_hit"], 5);
    std::fs::write(repo.beside("hit"), "4\n").unwrap();
    let record = review(&repo, &["--recompute", "--json"]).json();
    assert_eq!(record["metrics"]["coverage"]["lines_hit"], 5, "it is remembered");
    assert!(record["verdict"]["warnings"].to_string().contains("unstable_lines: "));
}
