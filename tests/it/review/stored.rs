//! Where records lie, other tools' records, and where the command can be run.

use std::process::Stdio;

use serde_json::json;

use super::{base, check, lint, project};
use crate::support::cmd::{counter, record_file, review, review_command};
use crate::support::repo::TestRepo;

#[test]
fn a_record_path_of_another_tool_is_written_and_does_not_make_the_tree_dirty() {
    let repo = project(|repo| {
        format!("[evidence]\nrecord = \".claude/evidence/{{sha}}.json\"\n{}", lint(repo))
    });
    let sha = repo.commit("more");
    review(&repo, &[]).ended(0);
    assert!(repo.path.join(format!(".claude/evidence/{sha}.json")).is_file());
    assert!(!record_file(&repo, &sha).exists());
    let done = review(&repo, &["--json"]).ended(0);
    assert_eq!(done.json()["dirty_tree"], false);
    assert!(!done.err.contains("not stored"), "{}", done.err);
    let path = review(&repo, &["show", "--path"]).ended(0).out;
    assert!(path.ends_with(&format!(".claude/evidence/{sha}.json\n")), "{path}");
}

#[test]
fn git_config_may_name_the_record_path() {
    let repo = project(lint);
    let sha = repo.commit("more");
    repo.git(&["config", "evidence.record", "{sha}.json"]);
    review(&repo, &[]).ended(0);
    assert!(repo.path.join(format!("{sha}.json")).is_file());
    repo.git(&["config", "evidence.record", "../{sha}.json"]);
    assert!(review(&repo, &[]).ended(2).err.contains("without '..'"));
}

fn old_record(sha: &str, version: &str) -> String {
    json!({
        "schema_version": version, "sha": sha, "branch": "topic", "computed_at": "t", "dirty_tree": false,
        "base_branch": "main", "stack_detected": "python", "metrics": {"lint": {"errors": 2}},
        "spec_drift": {}, "verdict": {"block": true, "block_reasons": ["lint_errors:2>0"], "warnings": ["w"]},
    })
    .to_string()
}

#[test]
fn records_of_1_x_are_shown_and_of_other_majors_refused() {
    let repo = project(lint);
    let sha = repo.commit("more");
    let done = review(&repo, &["show"]).ended(4);
    assert!(done.err.contains("'git review-evidence' measures it"), "{}", done.err);
    let file = record_file(&repo, &sha);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, old_record(&sha, "1.2").replace("\"python\"", "[1.50, \"\\u00e4\"]"))
        .unwrap();
    let done = review(&repo, &["show"]).ended(0);
    let first = format!("blocked: {} against main\n", &sha[..10]);
    assert!(done.out.starts_with(&first), "{}", done.out);
    assert!(done.out.contains("\nlint_errors:2>0\n") && done.out.contains("warning: w\n"));
    let shown = review(&repo, &["show", "--json"]).ended(0);
    assert!(
        shown.out.contains("  \"stack_detected\": [\n    1.50,\n    \"\\u00e4\"\n  ]"),
        "{}",
        shown.out
    );
    for text in [old_record(&sha, "3.0"), "{".into(), old_record(&"4".repeat(40), "2.0")] {
        std::fs::write(&file, text).unwrap();
        let done = review(&repo, &["show"]).ended(2);
        assert!(done.err.contains(file.to_str().unwrap()), "{}", done.err);
    }
}

#[test]
fn it_runs_in_any_folder_and_worktree() {
    let repo = TestRepo::named("ein Ordner mit 'Häkchen' \u{1f600}", &[]);
    base(&repo, &lint(&repo));
    repo.write("src/ä ö.py", "x = 1\n");
    repo.write("findings.txt", "F401 1 src/ä ö.py\n");
    let sha = repo.commit("more");
    let src = repo.path.join("src");
    let done = review(&repo, &["-C", src.to_str().unwrap(), "-o", "result.txt"]).ended(1);
    assert_eq!(done.out, "");
    let text = std::fs::read_to_string(src.join("result.txt")).unwrap();
    assert!(text.contains("    src/ä ö.py:1: F401 m\n"), "{text}");
    assert!(record_file(&repo, &sha).is_file());
    std::fs::remove_file(src.join("result.txt")).unwrap();
    let linked = repo.beside("linked tree");
    repo.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap(), "topic"]);
    std::fs::write(linked.join("findings.txt"), "").unwrap();
    repo.git_in(&linked, &["commit", "-qam", "mended"]);
    let done = review(&repo, &["-C", linked.to_str().unwrap()]).ended(0);
    assert!(done.out.starts_with("approved"), "{}", done.out);
    let sha = repo.git(&["rev-parse", "other"]);
    assert!(record_file(&repo, &sha).is_file());
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let repo = project(lint);
    repo.write("findings.txt", "F401 3 src/a.py\n");
    let sha = repo.commit("worse");
    let mut command = review_command(&repo, &["--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(record_file(&repo, &sha).is_file());
}

#[test]
fn what_checks_leave_is_named_once() {
    let repo = project(|repo| {
        check(
            repo,
            "lint",
            "ruff-json",
            "mkdir -p cache; echo x > cache/y; echo x > .data; echo '[]'",
        )
    });
    let sha = repo.commit("more");
    let done = review(&repo, &[]).ended(0);
    assert!(done.err.contains("lines for .gitignore:\n  /.data\n  /cache/\n"), "{}", done.err);
    assert!(record_file(&repo, &sha).is_file());
}

#[test]
fn a_signal_ends_it_in_order_and_stores_nothing() {
    let repo = project(|repo| {
        check(repo, "slow", "ruff-json", "echo up >> \"$COUNT\"; exec tail -f /dev/null")
    });
    let sha = repo.commit("more");
    let child =
        review_command(&repo, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !counter(&repo).exists() {
        assert!(begun.elapsed().as_secs() < 60, "the check never started");
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(143), "{err}");
    assert!(err.contains("ended by signal 15; nothing was stored"), "{err}");
    assert!(!record_file(&repo, &sha).exists());
}

#[test]
fn the_hook_is_put_in_place_and_taken_away() {
    let repo = project(lint);
    let hook = repo.path.join(".git/hooks/pre-push");
    let done = review(&repo, &["install", "--dry-run"]).ended(0);
    assert!(done.out.contains("#!/bin/sh\n") && !hook.exists(), "{}", done.out);
    let done = review(&repo, &["install", "--pre-push"]).ended(0);
    assert!(
        done.out.contains("wrote '") && done.out.contains("From now on 'git push'"),
        "{}",
        done.out
    );
    let text = std::fs::read_to_string(&hook).unwrap();
    assert!(
        text.contains(&format!("fallback='{}'", env!("CARGO_BIN_EXE_git-review-evidence"))),
        "{text}"
    );
    assert!(review(&repo, &["install"]).ended(0).out.contains("in place already"));
    review(&repo, &["install", "--uninstall"]).ended(0);
    assert!(!hook.exists());
    let shared = repo.beside("shared hooks");
    repo.git(&["config", "core.hooksPath", shared.to_str().unwrap()]);
    let done = review(&repo, &["install"]).ended(2);
    assert!(done.err.contains("git-review-evidence hook pre-push"), "{}", done.err);
}
