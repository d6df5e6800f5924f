//! What stops a further dispatch: limits of a run and of a branch's life, and who may set them.

use super::story::Story;

#[test]
fn the_last_allowed_dispatch_may_succeed() {
    let story = Story::with_findings(2);
    let ran = story.steps(&["improve", "improve"]).fix(&["--json", "--max-iter", "2"]);
    ran.ended(0, "AUTO_APPROVE");
    let story = Story::with_findings(2);
    let ran = story.steps(&["improve"]).fix(&["--json", "--max-iter", "1"]);
    assert_eq!(ran.ended(6, "MAX_ITER_EXCEEDED").outcomes(), ["kept"]);
    story.fix(&["--json", "--max-iter", "0"]).ended(6, "MAX_ITER_EXCEEDED");
    assert_eq!(story.dispatches(), 1);
    story.at_rest("work");
}

#[test]
fn tokens_are_counted_from_what_the_fixer_wrote() {
    let story = Story::with_findings(3);
    let step = "usage 60 50; improve";
    let ran = story.steps(&[step, step, step]).fix(&["--json", "--token-budget", "200"]);
    let ran = ran.ended(7, "TOKEN_BUDGET_EXCEEDED");
    let report = ran.json();
    assert_eq!((&report["tokens"], &report["iterations"]), (&220.into(), &2.into()));
    assert_eq!(report["tokens_estimated"], false);
    assert_eq!(story.status()["state"]["tokens_total"], 220);
    story.at_rest("work");
}

#[test]
fn absurd_use_ends_in_the_limit_not_in_a_crash() {
    let story = Story::with_findings(3);
    let step = "usage 18446744073709551615 18446744073709551615; improve";
    story.steps(&[step]).run().ended(7, "TOKEN_BUDGET_EXCEEDED");
    story.steps(&[step]).run().ended(7, "TOKEN_BUDGET_EXCEEDED");
    story.at_rest("work");
}

#[test]
fn an_agent_that_says_nothing_is_estimated_and_marked() {
    let mut story = Story::configured(
        1,
        "[[fixer]]\nname = \"agent\"\nkinds = [\"lint\"]\nagent = \"claude\"\n",
    );
    let agent = story.beside("bin");
    std::fs::create_dir(&agent).unwrap();
    crate::hooked::write_script(&agent.join("claude"), "#!/bin/sh\necho fine > code.txt\n", 0o755);
    let path = std::env::var("PATH").unwrap();
    story.set("PATH", &format!("{}:{path}", agent.display()));
    let ran = story.run().ended(0, "AUTO_APPROVE");
    let report = ran.json();
    assert_eq!((&report["tokens"], &report["tokens_estimated"]), (&40_000.into(), &true.into()));
    assert_eq!(ran.outcomes(), ["no_change", "kept"]);
}

#[test]
fn the_branch_has_a_limit_over_its_life() {
    let story = Story::configured(9, "[limits]\nmax_cumulative_iter = 3\n");
    story.steps(&["improve"; 4]);
    story.fix(&["--json", "--max-iter", "2"]).ended(6, "MAX_ITER_EXCEEDED");
    let ran = story.run().ended(1, "cumulative_iter_exceeded");
    let report = ran.json();
    assert_eq!((&report["cumulative_iterations"], &report["iterations"]), (&3.into(), &1.into()));
    story.run().ended(1, "cumulative_iter_exceeded");
    assert_eq!(story.dispatches(), 3);
    std::fs::remove_file(story.state_file()).unwrap();
    story.fix(&["--json", "--max-iter", "1"]).ended(6, "MAX_ITER_EXCEEDED");
}

#[test]
fn limits_can_only_be_tightened_from_outside() {
    let mut story = Story::with_findings(2);
    story.steps(&["improve"; 2]);
    let before = story.repo.git(&["for-each-ref"]);
    for args in [["--json", "--max-iter", "6"], ["--json", "--token-budget", "200001"]] {
        story.fix(&args).refused(2, "looser");
    }
    story.fix(&["--json", "--max-iter", "many"]).refused(2, "no number");
    story.repo.git(&["config", "evidence.maxIter", "7"]);
    story.run().refused(2, "evidence.maxIter = 7 is looser");
    story.repo.git(&["config", "evidence.maxIter", "1"]);
    story.repo.git(&["config", "evidence.maxCumulativeIter", "11"]);
    story.run().refused(2, "evidence.maxCumulativeIter = 11");
    story.repo.git(&["config", "--unset", "evidence.maxCumulativeIter"]);
    assert_eq!((story.dispatches(), story.repo.git(&["for-each-ref"])), (0, before));
    assert!(!story.repo.path.join(".git/evidence/records").exists(), "nothing was measured");
    story.run().ended(6, "MAX_ITER_EXCEEDED");
    story.set("DEVFORGE_FIX_EVIDENCE_MAX_ITER", "0");
    assert_eq!(story.run().ended(6, "MAX_ITER_EXCEEDED").json()["max_iterations"], 0);
    story.set("DEVFORGE_FIX_EVIDENCE_MAX_ITER", "6");
    story.run().refused(2, "looser");
}

#[test]
fn a_committed_configuration_may_raise_a_limit() {
    let story = Story::configured(7, "[limits]\nmax_iter = 7\nmax_cumulative_iter = 20\n");
    let ran = story.steps(&["improve"; 7]).fix(&["--json", "--max-iter", "7"]);
    assert_eq!(ran.ended(0, "AUTO_APPROVE").json()["iterations"], 7);
}

#[test]
fn the_named_commit_must_be_the_tip() {
    let story = Story::with_findings(1);
    let tip = story.head();
    story.fix(&["--json", "--sha", "0000000"]).refused(2, "names no commit");
    story.repo.commit("moved on");
    let ran = story.fix(&["--json", "--sha", &tip]).refused(2, &tip);
    assert!(ran.err.contains(&story.head()) && ran.err.contains("git fix-evidence"), "{}", ran.err);
    assert!(!ran.err.contains("--sha <"), "{}", ran.err);
    let now = story.head();
    story.repo.git(&["switch", "-q", "main"]);
    story.fix(&["--json", "--sha", &now]).refused(2, "git switch work");
    story.repo.git(&["switch", "-q", "work"]);
    story.steps(&["improve"]).fix(&["--json", "--sha", &now]).ended(0, "AUTO_APPROVE");
}
