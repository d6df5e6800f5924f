//! What other programs read: keys, shapes, and that looking writes nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::story::Story;

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn has(value: &Value, wanted: &[&str]) {
    let found = keys(value);
    let missing: Vec<&&str> = wanted.iter().filter(|k| !found.contains(**k)).collect();
    assert!(missing.is_empty(), "{missing:?} in {found:?}");
}

#[test]
fn reports_have_the_contracts_keys() {
    let story = Story::with_findings(2);
    let ran = story.steps(&["improve"]).fix(&["--json", "--max-iter", "1"]);
    let report = ran.ended(6, "MAX_ITER_EXCEEDED").json();
    has(
        &report,
        &[
            "schema",
            "status",
            "escalation",
            "sha",
            "start_sha",
            "branch",
            "iterations",
            "max_iterations",
            "tokens",
            "token_budget",
            "tokens_estimated",
            "final_reasons",
            "log",
            "cumulative_iterations",
            "cumulative_limit",
            "reverts",
            "run_id",
        ],
    );
    assert_eq!(report["escalation"], Value::Null);
    has(
        &report["log"][0],
        &[
            "iteration",
            "fixer",
            "kind",
            "reason",
            "sha_before",
            "sha_after",
            "outcome",
            "tokens",
            "seconds",
        ],
    );
}

#[test]
fn status_has_the_contracts_keys() {
    let story = Story::with_findings(2);
    let ran = story.steps(&["improve"]).fix(&["--json", "--max-iter", "1"]);
    let report = ran.ended(6, "MAX_ITER_EXCEEDED").json();
    let status = story.status();
    has(
        &status,
        &[
            "branch",
            "state",
            "auto_triggers",
            "state_file",
            "running",
            "interrupted",
            "checkpoints",
        ],
    );
    has(
        &status["state"],
        &["iter_count_total", "tokens_total", "last_reasons_set", "reverts", "updated_at"],
    );
    let first = &status["checkpoints"][0];
    has(first, &["name", "sha", "run_id", "iteration"]);
    assert_eq!((&first["run_id"], &first["iteration"]), (&report["run_id"], &1.into()));
    assert_eq!(status["state"]["last_reasons_set"], serde_json::json!(["lint_errors:2>0"]));
    assert_eq!(status["would_not_start"], Value::Null);
}

#[test]
fn the_log_counts_by_fixer_and_kind() {
    let story = Story::with_findings(2);
    story.steps(&["usage 5 5; improve", "worsen", "exit 3"]).run().ended(1, "fixer_failed");
    let log = story.fix(&["log", "--json"]).json();
    assert_eq!(log["attempts"].as_array().unwrap().len(), 3);
    let tally = &log["summary"][0];
    has(tally, &["fixer", "kind", "kept", "rolled_back", "no_change", "tokens", "seconds"]);
    let counts = ["dispatched", "kept", "rolled_back", "failed", "tokens"]
        .map(|k| tally[k].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 1, 1, 10]);
    let text = story.fix(&["log"]);
    assert!(text.code == 0 && text.out.contains("mender"), "{text:?}");
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let story = Story::configured(
        1,
        "[[fixer]]\nname = \"agent\"\nkinds = [\"lint\"]\nagent = \"claude\"\n",
    );
    let plan = story.fix(&["--dry-run", "--json"]).json();
    assert!(plan["detail"].as_str().unwrap().contains("measures it first"), "{plan}");
    assert!(!story.repo.path.join(".git/evidence").exists(), "nothing is written");
    story.fix(&["--json", "--max-iter", "0"]).ended(6, "MAX_ITER_EXCEEDED");
    let files = || {
        let listed = story.repo.command("find").args([".git", "-type", "f"]).output().unwrap();
        String::from_utf8(listed.stdout).unwrap()
    };
    let before = (files(), story.repo.git(&["for-each-ref"]));
    let ran = story.fix(&["--dry-run", "--json", "--max-iter", "3"]);
    let plan = ran.json();
    assert_eq!(
        (ran.code, &plan["reason"], &plan["kind"]),
        (0, &"lint_errors:1>0".into(), &"lint".into())
    );
    assert_eq!((&plan["iterations_left"], &plan["cumulative_left"]), (&3.into(), &10.into()));
    let fixers = plan["fixers"].as_array().unwrap();
    assert_eq!(fixers.len(), 2);
    assert!(fixers[0]["command"].as_str().unwrap().contains("fixer.sh"));
    assert!(fixers[1]["prompt"].as_str().unwrap().contains("bad 1"), "{plan}");
    assert_eq!(
        (files(), story.repo.git(&["for-each-ref"]), story.dispatches()),
        (before.0, before.1, 0)
    );
    story.repo.write("new", "x");
    assert_eq!(story.fix(&["--dry-run", "--json"]).json()["escalation"], "dirty_tree");
    assert!(story.status()["would_not_start"].as_str().unwrap().starts_with("dirty_tree"));
}

#[test]
fn undo_goes_back_and_can_be_undone() {
    let story = Story::with_findings(2);
    let start = story.head();
    story.steps(&["improve", "improve"]).run().ended(0, "AUTO_APPROVE");
    let end = story.head();
    story.repo.write("untracked", "mine");
    let ran = story.fix(&["undo", "1"]).refused(2, "untracked");
    assert!(!ran.err.contains("in_progress"), "{ran:?}");
    std::fs::remove_file(story.repo.path.join("untracked")).unwrap();
    assert_eq!(story.fix(&["undo", "1"]).code, 0);
    assert_eq!((story.head(), story.dirt()), (start, String::new()));
    story.fix(&["undo", "77"]).refused(2, "no checkpoint '77'");
    let newest = story.checkpoints().len().to_string();
    assert_eq!(story.fix(&["undo", &newest]).code, 0);
    assert_eq!(story.head(), end);
    story.at_rest("work");
    let mine = story.repo.commit("more");
    assert_eq!(story.fix(&["undo"]).code, 0);
    assert_eq!(story.head(), end);
    assert!(story.checkpoints().contains(&mine));
}

#[test]
fn reset_is_a_persons_act() {
    let story = Story::with_findings(1);
    story.steps(&["true"]).run().ended(1, "oscillation_detected");
    story.fix(&["reset"]).refused(2, "terminal");
    story.fix(&["reset", "work"]).refused(2, "terminal");
    assert_eq!(story.status()["state"]["iter_count_total"], 1);
}

#[test]
fn policy_says_where_each_limit_comes_from() {
    let story = Story::configured(1, "[limits]\nmax_iter = 4\n");
    story.repo.git(&["config", "evidence.tokenBudget", "1000"]);
    let policy = story.fix(&["policy", "--json"]);
    assert_eq!(policy.code, 0, "{policy:?}");
    assert!(
        policy.out.contains("evidence.tokenBudget") || policy.out.contains("git config"),
        "{policy:?}"
    );
    assert!(policy.json()["rows"].is_array());
}

#[test]
fn nothing_to_go_on_with_is_said() {
    let story = Story::with_findings(1);
    for command in ["continue", "abort"] {
        story.fix(&[command, "--json"]).refused(2, "no run of work was interrupted");
    }
}

#[test]
fn another_tool_may_measure_and_keep_the_records() {
    let story = Story::with_findings(0);
    let script = story.beside("measure.sh");
    let record = r#"{"schema_version":"2.0","sha":"%s","branch":"x","computed_at":"2026-01-01T00:00:00Z","dirty_tree":false,"base_branch":"main","stack_detected":[],"metrics":{"lint":{"errors":%d,"warnings":0,"findings":[]}},"spec_drift":null,"verdict":{"block":%s,"block_reasons":[%s],"warnings":[]},"regression_verdict":{"decision":"%s","block_dimensions":[],"warn_dimensions":[],"improved_dimensions":[],"hard_floor_breaches":[],"reason":"x"}}"#;
    std::fs::write(
        &script,
        format!(
            "n=$(grep -c '^bad' code.txt); if [ $n = 0 ]; then b=false r= d=AUTO_APPROVE; else b=true r=\"\\\"lint_errors:$n>0\\\"\" d=BLOCK_REGRESSION; fi\n\
             printf '{record}' \"$EVIDENCE_SHA\" $n $b \"$r\" $d > \"$EVIDENCE_OUT\"\n"
        ),
    )
    .unwrap();
    let toml = format!(
        "[evidence]\nmeasure = [\"sh\", \"{}\"]\nrecord = \".claude/review-evidence/{{sha}}.json\"\n\
         [[fixer]]\nname = \"mender\"\nkinds = [\"lint\"]\nrun = \"sh '{}'\"\n",
        script.display(),
        story.beside("fixer.sh").display()
    );
    story.repo.git(&["switch", "-q", "main"]);
    story.repo.write(".git-evidence.toml", toml);
    story.repo.commit("another tool");
    story.repo.git(&["switch", "-q", "-c", "other"]);
    story.findings(2);
    let ran = story.steps(&["improve", "worsen", "improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["kept", "rolled_back", "kept"]);
    let path = story.repo.path.join(format!(".claude/review-evidence/{}.json", story.head()));
    let record: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(record["sha"], story.head());
    assert!(!story.repo.git(&["log", "--all", "--name-only", "--format="]).contains(".claude"));
    // Records alone are not dirt.
    assert_eq!(story.status()["would_not_start"], Value::Null);
}
