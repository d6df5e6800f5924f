//! Several runs at once.

use std::process::{Child, Stdio};

use super::story::{Ran, Story};
use crate::support::wait::wait_for;

fn start(story: &Story) -> Child {
    start_in(story, &story.repo.path)
}

fn start_in(story: &Story, dir: &std::path::Path) -> Child {
    let mut command = story.command_in(dir, &["--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A step that says that it began and waits for permission to go on.
const WAITS: &str = "echo > \"$D/ready\"; while [ ! -e \"$D/go\" ]; do sleep 0.02; done; improve";

#[test]
fn of_six_runs_one_works() {
    let story = Story::with_findings(1);
    story.steps(&[WAITS]);
    let mut runs: Vec<Child> = (0..6).map(|_| start(&story)).collect();
    wait_for("five refusals", || {
        runs.iter_mut().filter_map(|r| r.try_wait().unwrap()).count() == 5
    });
    wait_for("the fixer", || story.beside("ready").exists());
    let status = story.status();
    assert!(status["running"]["pid"].as_u64().unwrap() > 0 && status["interrupted"].is_null());
    assert_eq!(status["would_not_start"], "a run holds this branch");
    std::fs::write(story.beside("go"), "").unwrap();
    let mut codes: Vec<i32> = Vec::new();
    for run in runs {
        let ran = Ran::of(&run.wait_with_output().unwrap());
        if ran.code == 8 {
            assert!(ran.out.is_empty() && ran.err.contains("process"), "{ran:?}");
        }
        codes.push(ran.code);
    }
    codes.sort_unstable();
    assert_eq!(codes, [0, 8, 8, 8, 8, 8]);
    assert_eq!(story.dispatches(), 1);
    story.at_rest("work");
}

#[test]
fn two_branches_in_two_worktrees_do_not_disturb_each_other() {
    let story = Story::with_findings(1);
    let other = story.beside("other tree");
    story.repo.git(&["worktree", "add", "-q", "-b", "other", other.to_str().unwrap(), "work"]);
    std::fs::write(other.join("more.txt"), "more").unwrap();
    story.repo.git_in(&other, &["add", "-A"]);
    story.repo.git_in(&other, &["commit", "-q", "-m", "more"]);
    story.steps(&["improve", "improve"]);
    let runs = [start(&story), start_in(&story, &other)];
    for run in runs {
        Ran::of(&run.wait_with_output().unwrap()).ended(0, "AUTO_APPROVE");
    }
    story.at_rest("work");
    assert_eq!(story.repo.git_in(&other, &["status", "--porcelain"]), "");
}

#[test]
fn a_checkout_has_one_run() {
    let story = Story::with_findings(1);
    story.steps(&[WAITS]);
    let run = start(&story);
    wait_for("the fixer", || story.beside("ready").exists());
    story.repo.git(&["switch", "-q", "-c", "other"]);
    story.fix(&["--json"]).refused(8, "this checkout");
    story.fix(&["undo", "1"]).refused(8, "this checkout");
    std::fs::write(story.beside("go"), "").unwrap();
    let ran = Ran::of(&run.wait_with_output().unwrap()).ended(1, "scope_breach");
    assert!(ran.out.contains("other"), "{ran:?}");
}
