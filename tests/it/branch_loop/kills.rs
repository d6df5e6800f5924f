//! Killed at any instant: nothing of the user's is lost, and `continue` or `abort` end it well.

use std::path::Path;
use std::process::{Child, Stdio};

use super::story::{Belongings, Ran, Story};
use crate::hooked::write_script;
use crate::support::wait::wait_for;

/// Counts the calls that our program makes itself, and kills it at one of them: before the real git
/// (which then runs on without a parent), after it, or instead of it.
const GIT: &str = r#"#!/bin/sh
read -r name < "/proc/$PPID/comm"
if [ "$name" != git-fix-evidenc ]; then exec "$REAL_GIT" "$@"; fi
n=0; [ -e "$KILL_DIR/count" ] && read -r n < "$KILL_DIR/count"
n=$((n + 1)); echo "$n" > "$KILL_DIR/count"
if [ "$n" != "$KILL_AT" ]; then exec "$REAL_GIT" "$@"; fi
case "$KILL_HOW" in
    instead) kill -9 "$PPID" ;;
    before) kill -9 "$PPID"; "$REAL_GIT" "$@" ;;
    after) "$REAL_GIT" "$@"; kill -9 "$PPID" ;;
esac
echo > "$KILL_DIR/done"
"#;

/// A run with one iteration that helps, one that is rolled back, one that is put back.
fn eventful(more: &str) -> Story {
    let story = Story::configured(2, more);
    story.steps(&[
        "improve",
        "worsen; commit; worsen; echo new > new-file",
        "improve; commit; echo >> .git-evidence.toml; echo other > other-file",
        "improve",
        "improve",
    ]);
    story
}

fn with_git(story: &mut Story, at: usize, how: &str) {
    let bin = story.beside("bin");
    write_script(&bin.join("git"), GIT, 0o755);
    let path = std::env::var("PATH").unwrap();
    let real = path.split(':').map(|d| Path::new(d).join("git")).find(|p| p.is_file()).unwrap();
    story.set("REAL_GIT", real.to_str().unwrap());
    story.set("PATH", &format!("{}:{path}", bin.display()));
    story.set("KILL_DIR", story.beside("").to_str().unwrap());
    story.set("KILL_AT", &at.to_string());
    story.set("KILL_HOW", how);
}

/// After a kill: what must hold at once, and that there is a good way on.
fn survives(story: &Story, start: &str, mine: &Belongings, go_on: bool, what: &str) {
    story.still_has(mine);
    assert_eq!(story.repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/work", "{what}");
    let before = story.status();
    let interrupted = !before["interrupted"].is_null();
    let args: &[&str] = match (interrupted, go_on) {
        (false, _) => &["--json"],
        (true, true) => &["continue", "--json"],
        (true, false) => &["abort", "--json"],
    };
    let ran = story.fix(args);
    let what = format!("{what}: {args:?}: {ran:#?}");
    assert!([0, 1, 6, 7].contains(&ran.code), "{what}");
    assert_eq!(story.dirt(), "", "{what}");
    let after = story.status();
    assert!(after["interrupted"].is_null() && after["running"].is_null(), "{what}");
    if interrupted && !go_on {
        assert_eq!((ran.code, story.head().as_str()), (0, start), "{what}");
    }
    let kept = story.repo.git(&["diff", "--name-only", "main", "HEAD"]);
    assert!(!kept.contains(".git-evidence.toml"), "protected: {what}");
    let code = story.repo.text("code.txt").unwrap();
    assert!(code.matches("bad").count() <= 2, "worse than before: {what}");
    assert!(ran.json()["reverts"].as_u64().unwrap() <= 1, "{what}");
    story.still_has(mine);
    // The branch is usable again.
    let again = story.run();
    assert!([0, 1].contains(&again.code), "{what}: {again:#?}");
    assert_eq!(story.dirt(), "", "{what}");
    let linked = story.repo.git(&["worktree", "list", "--porcelain"]);
    assert!(!linked.contains("/run-"), "{what}: {linked}");
}

/// `GIT_EVIDENCE_KILLS` kills, spread over the calls of a whole run; few where it is not set.
fn kills(more: &str, few: usize) {
    let mut whole = eventful(more);
    with_git(&mut whole, 0, "instead");
    whole.run().ended(1, "protected_path");
    let count = std::fs::read_to_string(whole.beside("count")).unwrap();
    let count: usize = count.trim().parse().unwrap();
    let wanted = std::env::var("GIT_EVIDENCE_KILLS").ok().and_then(|n| n.parse().ok());
    let wanted: usize = wanted.unwrap_or(few);
    for i in 0..wanted {
        let at = 1 + (i * count / wanted + i / count) % count;
        let how = ["before", "after", "instead"][i % 3];
        let mut story = eventful(more);
        let (start, mine) = (story.head(), story.belongings(&[]));
        with_git(&mut story, at, how);
        let ran = story.run();
        let what = format!("killed {how} call {at} of {count}");
        assert_eq!(ran.code, -9, "{what}: {ran:?}");
        wait_for("the orphaned git", || story.beside("done").exists());
        story.set("KILL_AT", "0");
        survives(&story, &start, &mine, (i / 3) % 2 == 0, &what);
    }
}

#[test]
fn at_any_call_of_git() {
    kills("", 9);
}

#[test]
fn at_any_call_of_git_in_a_worktree_of_its_own() {
    kills("[workspace]\nmode = \"worktree\"\n", 6);
}

#[test]
fn an_undo_is_gone_on_from_or_taken_back() {
    let mut story = Story::with_findings(1);
    let target = story.head();
    story.steps(&["improve; echo new > new-file"]).run().ended(0, "AUTO_APPROVE");
    let (tip, mine) = (story.head(), story.belongings(&[]));
    with_git(&mut story, 0, "instead");
    assert_eq!(story.fix(&["undo", "1"]).code, 0);
    let count = std::fs::read_to_string(story.beside("count")).unwrap();
    let count: usize = count.trim().parse().unwrap();
    for at in count.saturating_sub(14)..count {
        for (go_on, expected) in [("continue", &target), ("abort", &tip)] {
            story.repo.git(&["reset", "-q", "--hard", &tip]);
            let _ = std::fs::remove_file(story.beside("count"));
            let _ = std::fs::remove_file(story.beside("done"));
            story.set("KILL_AT", &at.to_string());
            story.set("KILL_HOW", if at % 2 == 0 { "after" } else { "instead" });
            assert_eq!(story.fix(&["undo", "1"]).code, -9);
            wait_for("the orphaned git", || story.beside("done").exists());
            story.set("KILL_AT", "0");
            let what = format!("killed at call {at} of {count}, {go_on}");
            if !story.status()["interrupted"].is_null() {
                let ran = story.fix(&[go_on, "--json"]);
                assert_eq!((ran.code, &story.head()), (0, expected), "{what}: {ran:#?}");
            }
            assert_eq!(story.dirt(), "", "{what}");
            assert!(story.status()["interrupted"].is_null(), "{what}");
            story.still_has(&mine);
        }
    }
}

fn journal_lines(story: &Story) -> usize {
    let folder = story.repo.path.join(".git/evidence/branches/b-work/journal.jsonl");
    std::fs::read(folder).unwrap_or_default().iter().filter(|b| **b == b'\n').count()
}

#[test]
fn at_any_line_of_the_journal() {
    for (i, lines) in [1, 3, 4, 5, 7, 9, 10, 12].into_iter().enumerate() {
        let story = eventful("");
        let (start, mine) = (story.head(), story.belongings(&[]));
        let mut command = story.command(&["--json"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("the journal", || journal_lines(&story) >= lines || gone(&mut child));
        child.kill().unwrap();
        child.wait().unwrap();
        // A git that was running is not killed with it and may still write.
        wait_for("orphans", || !is_working(&story));
        survives(&story, &start, &mine, i % 2 == 0, &format!("killed at line {lines}"));
    }
}

fn gone(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_some()
}

/// Whether any process works in the repository's folder.
fn is_working(story: &Story) -> bool {
    let top = story.beside("");
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|p| std::fs::read_link(p.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&top)))
}

#[test]
fn a_lock_that_was_left_behind_is_told_and_not_deleted() {
    let story = Story::with_findings(1);
    let lock = story.repo.path.join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let ran = story.run().ended(1, "in_progress_operation");
    assert!(ran.out.contains("index.lock") && ran.out.contains("remove the file"), "{ran:?}");
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    story.steps(&["kill -9 $(cat \"$D/pid\")", "improve"]);
    let mut command = story.command(&["--json"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::fs::write(story.beside("pid"), child.id().to_string()).unwrap();
    child.wait().unwrap();
    wait_for("orphans", || !is_working(&story));
    std::fs::write(&lock, "").unwrap();
    story.fix(&["continue", "--json"]).ended(1, "in_progress_operation");
    story.fix(&["abort", "--json"]).ended(1, "in_progress_operation");
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    story.fix(&["continue", "--json"]).ended(0, "AUTO_APPROVE");
    story.at_rest("work");
}

/// Starts a run whose fixer waits, and gives it when the fixer has begun.
fn with_waiting_fixer(story: &Story) -> Child {
    let ready = story.beside("ready");
    story.steps(&[&format!(
        "worsen; setsid sleep 300 & echo $! > \"$D/pids\"; echo $$ >> \"$D/pids\"; echo > '{}'; sleep 300",
        ready.display()
    )]);
    let mut command = story.command(&["--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the fixer", || ready.exists());
    child
}

fn nobody_is_left(story: &Story) {
    for pid in std::fs::read_to_string(story.beside("pids")).unwrap().lines() {
        wait_for("the fixer's processes", || !Path::new("/proc").join(pid).exists());
    }
}

#[test]
fn signals_end_it_in_order() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let story = Story::with_findings(1);
        let (start, mine) = (story.head(), story.belongings(&[]));
        let child = with_waiting_fixer(&story);
        let kill = std::process::Command::new("kill");
        let mut kill = kill;
        assert!(
            kill.args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success()
        );
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (128 + number, ""), "{ran:?}");
        assert!(ran.err.contains("continue") && ran.err.contains("abort"), "{ran:?}");
        nobody_is_left(&story);
        story.fix(&["--json"]).refused(2, "git fix-evidence continue");
        let args: &[&str] =
            if number == 2 { &["abort", "--json"] } else { &["continue", "--json"] };
        if number != 2 {
            story.steps(&["improve"]);
        }
        let ran = story.fix(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        if number == 2 {
            assert_eq!(story.head(), start);
        } else {
            assert_eq!(ran.outcomes(), ["failed", "kept"]);
            assert_eq!(ran.json()["iterations"], 2);
        }
        assert_eq!(
            story.checkpoints().len(),
            if number == 2 { 2 } else { 4 },
            "{:?}",
            story.checkpoints()
        );
        story.still_has(&mine);
        story.at_rest("work");
    }
}

#[test]
fn a_killed_program_takes_its_fixer_along() {
    let story = Story::with_findings(1);
    let mut child = with_waiting_fixer(&story);
    child.kill().unwrap();
    child.wait().unwrap();
    nobody_is_left(&story);
    assert_ne!(story.status()["interrupted"]["run_id"], serde_json::Value::Null);
    assert!(story.status()["interrupted"]["checkpoint"].as_str().unwrap().ends_with("/1"));
    story.steps(&["improve"]).fix(&["continue", "--json"]).ended(0, "AUTO_APPROVE");
    story.at_rest("work");
}

#[test]
fn a_persons_edits_and_commits_after_the_kill_stay() {
    let story = Story::with_findings(1);
    story.steps(&["worsen; kill -9 $(cat \"$D/pid\"); sleep 5"]);
    let mut command = story.command(&["--json"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::fs::write(story.beside("pid"), child.id().to_string()).unwrap();
    child.wait().unwrap();
    wait_for("orphans", || !is_working(&story));
    story.fix(&["abort", "--json"]);
    assert_eq!(story.dirt(), "");
    // The same kill, then a commit of a person's own.
    let story = eventful("");
    let mut command = story.command(&["--json"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the second iteration", || journal_lines(&story) >= 9 || gone(&mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("orphans", || !is_working(&story));
    story.repo.git(&["stash", "-q", "-u"]);
    story.repo.write("mine.txt", "my own work");
    let mine = story.repo.commit("my own");
    let ran = story.fix(&["abort", "--json"]);
    if ran.code == 1 {
        assert_eq!(story.head(), mine, "nothing was moved: {ran:?}");
    }
    let all = story.repo.git(&["rev-list", "--all"]);
    assert!(all.contains(&mine));
}
