//! How a run ends: every status, and every word of an escalation.

use super::story::Story;

#[test]
fn a_branch_that_can_be_mended_is_mended_step_by_step() {
    let story = Story::with_findings(2);
    let (start, mine) = (story.head(), story.belongings(&[]));
    let ran = story.steps(&["improve", "improve"]).run().ended(0, "AUTO_APPROVE");
    let report = ran.json();
    assert_eq!(ran.outcomes(), ["kept", "kept"]);
    assert_eq!(report["sha"], story.head());
    assert_eq!(report["start_sha"], start);
    assert_eq!(report["branch"], "work");
    assert_eq!((&report["iterations"], &report["max_iterations"]), (&2.into(), &5.into()));
    assert_eq!((&report["tokens"], &report["token_budget"]), (&0.into(), &200_000.into()));
    assert_eq!(report["final_reasons"], serde_json::json!([]));
    assert_eq!(report["cumulative_limit"], 10);
    let log = &report["log"][0];
    assert_eq!(
        (&log["iteration"], &log["fixer"], &log["kind"]),
        (&1.into(), &"mender".into(), &"lint".into())
    );
    assert_eq!((&log["reason"], &log["sha_before"]), (&"lint_errors:2>0".into(), &start.into()));
    let message = story.repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("fix(lint): lint_errors:1>0\n\nEvidence-Run: "), "{message}");
    assert!(message.contains("Evidence-Iteration: 2\nEvidence-Fixer: mender"), "{message}");
    assert!(!story.state_file().exists(), "success forgets");
    story.still_has(&mine);
    story.at_rest("work");
}

#[test]
fn nothing_to_mend_is_approved_without_a_dispatch() {
    let story = Story::with_findings(0);
    let ran = story.run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.json()["iterations"], 0);
    assert_eq!(story.dispatches(), 0);
    story.at_rest("work");
}

#[test]
fn going_in_circles_is_seen_across_runs() {
    let story = Story::with_findings(1);
    story.steps(&["true"]).run().ended(1, "oscillation_detected");
    assert_eq!(story.dispatches(), 1);
    story.run().ended(1, "oscillation_detected");
    assert_eq!(story.dispatches(), 1, "the second run dispatches nothing");
    story.at_rest("work");
}

#[test]
fn what_makes_it_worse_twice_ends_it_in_one_run_and_across_runs() {
    let story = Story::with_findings(1);
    let (start, mine) = (story.head(), story.belongings(&[]));
    let ran = story.steps(&["worsen", "worsen; worsen"]).run().ended(1, "worsening_detected");
    assert_eq!(ran.outcomes(), ["rolled_back", "rolled_back"]);
    assert_eq!((ran.json()["reverts"].as_u64(), story.head()), (Some(2), start));
    assert_eq!(ran.json()["final_reasons"][0], "lint_errors:1>0");
    story.still_has(&mine);
    story.at_rest("work");

    let story = Story::with_findings(1);
    story.steps(&["worsen"]).fix(&["--json", "--max-iter", "1"]).ended(6, "MAX_ITER_EXCEEDED");
    assert_eq!(story.status()["state"]["reverts"], 1);
    story.steps(&["worsen; worsen"]).run().ended(1, "worsening_detected");
    story.at_rest("work");
}

#[test]
fn a_bot_a_floor_and_scores_alone_are_for_people() {
    let mut story = Story::with_findings(1);
    story.set("GITHUB_ACTOR", "renovate[bot]");
    story.run().ended(1, "bot");
    let story = Story::configured(1, "[policy.hard_floors]\nquality = 97\n");
    story.run().ended(1, "hard_floor");
    let story = Story::configured(2, "[policy]\nmax_lint_errors = 5\n");
    let ran = story.run().ended(1, "unknown_block_reason");
    assert!(ran.json()["detail"].as_str().unwrap().contains("quality"), "{ran:?}");
    assert_eq!(story.dispatches(), 0);
    story.at_rest("work");
}

#[test]
fn what_cannot_be_measured_is_not_mended() {
    let story = Story::configured(1, "[[check]]\nname = \"broken\"\nrun = \"exit 9\"\n");
    let ran = story.run().ended(1, "severely_degraded");
    assert!(ran.json()["detail"].as_str().unwrap().contains("broken"), "{ran:?}");
    let story = Story::with_findings(1);
    for (toml, word) in
        [("[evidence]\nmeasure = [\"false\", \"x\"]\n", "measure_failed"), ("", "no_evidence")]
    {
        story.repo.git(&["switch", "-q", "main"]);
        story.repo.write(".git-evidence.toml", toml);
        story.repo.commit("measures otherwise");
        story.repo.git(&["switch", "-q", "-C", "other"]);
        story.repo.commit("ahead");
        story.run().ended(1, word);
    }
    assert_eq!(story.dispatches(), 0);
}

#[test]
fn preconditions_have_their_words_and_touch_nothing() {
    let story = Story::with_findings(1);
    let refs = || story.repo.git(&["for-each-ref"]);
    let before = refs();
    story.repo.write("new file", "mine");
    story.repo.write("feature.txt", "edited");
    let ran = story.run().ended(1, "dirty_tree");
    let detail = ran.json()["detail"].as_str().unwrap().to_string();
    assert!(detail.contains("feature.txt") && detail.contains("new file"), "{detail}");
    assert_eq!(story.repo.text("new file").as_deref(), Some("mine"));
    story.repo.git(&["stash", "-q", "-u"]);
    story.repo.git(&["switch", "-q", "--detach"]);
    story.run().ended(1, "detached_head");
    story.repo.git(&["switch", "-q", "-c", "empty", "main"]);
    story.run().ended(1, "not_ahead");
    story.repo.git(&["switch", "-q", "work"]);
    story.repo.git(&["branch", "-q", "-d", "empty"]);
    story.repo.git(&["stash", "drop", "-q"]);
    assert_eq!((refs(), story.dispatches()), (before, 0));
}

#[test]
fn a_kind_without_a_fixer_is_named_with_a_block_to_copy() {
    let story = Story::configured(0, "");
    story.repo.write("cov.txt", "0\n".repeat(10));
    story.repo.commit("untested");
    let toml = story.config("").replace("\"lint\", \"coverage\"", "\"lint\"");
    story.repo.git(&["switch", "-q", "main"]);
    story.repo.write(".git-evidence.toml", toml);
    story.repo.commit("no fixer for coverage");
    story.repo.git(&["switch", "-q", "work"]);
    story.repo.git(&["rebase", "-q", "main"]);
    let ran = story.run().ended(1, "no_fixer");
    let detail = ran.json()["detail"].as_str().unwrap().to_string();
    assert!(detail.contains("[[fixer]]") && detail.contains("kinds = [\"coverage\"]"), "{detail}");
    assert_eq!(story.dispatches(), 0);
}

#[test]
fn a_merged_branch_starts_anew() {
    let story = Story::with_findings(1);
    story.steps(&["true"]).run().ended(1, "oscillation_detected");
    assert_eq!(story.status()["state"]["iter_count_total"], 1);
    story.repo.git(&["switch", "-q", "main"]);
    story.repo.git(&["merge", "-q", "work"]);
    story.repo.write("code.txt", "fine\n");
    story.repo.commit("clean again");
    story.repo.git(&["switch", "-q", "-C", "work"]);
    story.findings(1);
    let ran = story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.json()["cumulative_iterations"], 1);
}
