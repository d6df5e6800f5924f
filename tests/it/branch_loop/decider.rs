//! The loop asks the decider before each dispatch, and can be explained afterwards.

use serde_json::{Value, json};

use super::story::Story;
use crate::decide::documents;

const FILES: [&str; 3] = ["decision.ignored", "attribution.ignored", "capabilities.ignored"];

const CONFIG: &str = "[decider]\ndecision = \"decision.ignored\"\nattribution = \"attribution.ignored\"\n\
                      capabilities = \"./capabilities.ignored\"\n";

fn story(findings: usize) -> Story {
    let story = Story::configured(findings, CONFIG);
    put(&story, |_| {});
    story
}

/// The documents for the present tip, changed as told.
fn put(story: &Story, change: impl FnOnce(&mut [Value; 3])) {
    let mut documents = documents(&story.head());
    change(&mut documents);
    for (name, value) in FILES.iter().zip(&documents) {
        story.repo.write(name, value.to_string());
    }
}

/// A step of the fixer after which the documents are about the tip that it makes.
const IMPROVE: &str = "before=$(git rev-parse HEAD); improve; commit; after=$(git rev-parse HEAD)\n\
                       for f in \"$TOP\"/decision.ignored \"$TOP\"/attribution.ignored; do\n\
                       sed \"s/$before/$after/g\" \"$f\" > \"$D/new\" && cat \"$D/new\" > \"$f\"\n\
                       done\n";

fn events(story: &Story, run: &str) -> Vec<(String, Value)> {
    let json = story.fix(&["log", "--explain", run, "--json"]).json();
    assert_eq!(json["schema"], "fix_evidence_explain_v1");
    let events = json["events"].as_array().unwrap();
    events.iter().map(|e| (e["event"].as_str().unwrap().to_string(), e.clone())).collect()
}

fn journal(story: &Story, run: &str) -> String {
    story.repo.text(&format!(".git/evidence/runs/{run}.jsonl")).unwrap()
}

#[test]
fn where_the_decider_says_continue_the_loop_goes_on_and_the_journal_says_by_what() {
    let story = story(2);
    let ran = story.steps(&[IMPROVE, IMPROVE]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["kept", "kept"]);
    assert!(ran.err.contains("decider: AUTO_CONTINUE: MEDIUM_WITHIN_ROUNDS"), "{}", ran.err);
    let run = ran.json()["run_id"].as_str().unwrap().to_string();
    let lines = journal(&story, &run);
    let asked: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .filter(|l: &Value| l["step"] == "consulted")
        .collect();
    assert_eq!(asked.len(), 2, "{lines}");
    for line in &asked {
        assert_eq!((&line["verdict"], &line["goes_on"]), (&"AUTO_CONTINUE".into(), &true.into()));
        for role in ["decision", "attribution", "capabilities"] {
            assert_eq!(line[format!("{role}_sha256")].as_str().unwrap().len(), 64);
        }
    }
    assert_ne!(asked[0]["decision_sha256"], asked[1]["decision_sha256"]);
    let events = events(&story, &run);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    let iteration =
        ["look", "machine", "decider", "dispatch", "fixer", "commit", "measured", "outcome"];
    let mut expected = vec!["start"];
    expected.extend(iteration);
    expected.extend(iteration);
    expected.extend(["look", "end"]);
    assert_eq!(names, expected);
    assert_eq!(events[1].1["reasons"], json!(["lint_errors:2>0"]));
    assert_eq!(events[1].1["iterations_left"], 5);
    assert_eq!(events[9].1["iterations_left"], 4);
    assert_eq!(events[9].1["cumulative_left"], 9);
    let text = story.fix(&["log", "--explain", &run]).out;
    for part in [
        "  machine   iteration 1: lint_errors:2>0 is to be mended (lint)\n",
        "  decider   AUTO_CONTINUE: MEDIUM_WITHIN_ROUNDS; MEDIUM F-1 in code.txt, f; round 0 of 2 (goes on)\n",
        "  outcome   kept: from [lint_errors:2>0] to [lint_errors:1>0]\n",
        "  end       AUTO_APPROVE at ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    story.at_rest("work");
}

#[test]
fn every_other_verdict_stops_before_the_dispatch() {
    for (change, detail) in [
        (
            (|d: &mut [Value; 3]| {
                let again = json!({"round": 1, "finding_id": "F-1", "file": "x", "function": "y"});
                d[1]["history"].as_array_mut().unwrap().push(again);
            }) as fn(&mut [Value; 3]),
            "LOOP_BOUNDARY: SAME_BLOCKER_REPEATED",
        ),
        (
            |d| d[1]["findings"][0]["severity"] = json!("HIGH"),
            "CHAIR_REQUIRED: NEW_HIGH_OR_CRITICAL",
        ),
        (|d| d[0]["max_rounds"] = json!(0), "DEFER_EVIDENCE_RESOLVE: ROUNDS_USED_UP"),
        (
            |d| {
                d[1]["findings"] = json!([]);
                d[2]["capabilities"]["fixer"]["WIRED"] = json!(false);
            },
            "BLOCKED_BY_CAPABILITY: CAPABILITY_NOT_WIRED",
        ),
        (|d| d[1]["findings"] = json!([]), "CHAIR_REQUIRED: NO_RULE_MATCHED"),
    ] {
        let story = story(1);
        put(&story, change);
        let (start, mine) = (story.head(), story.belongings(&[]));
        let plan = story.fix(&["--dry-run", "--json"]);
        assert_eq!(plan.json()["escalation"], Value::Null, "nothing is measured yet");
        let ran = story.run().ended(1, "decider");
        assert_eq!(ran.json()["detail"], detail);
        assert_eq!((story.head(), story.dispatches()), (start, 0));
        assert_eq!(story.checkpoints(), Vec::<String>::new());
        let plan = story.fix(&["--dry-run", "--json"]).json();
        assert_eq!((&plan["escalation"], &plan["detail"]), (&"decider".into(), &detail.into()));
        let run = ran.json()["run_id"].as_str().unwrap().to_string();
        let last = events(&story, &run).pop().unwrap().1;
        assert_eq!((&last["escalation"], &last["detail"]), (&"decider".into(), &detail.into()));
        story.still_has(&mine);
        story.at_rest("work");
    }
}

#[test]
fn a_candidate_for_merging_goes_on_too() {
    let story = story(1);
    put(&story, |d| {
        d[0]["code_fix_applied"] = json!(true);
        d[0]["gates"] = json!({"lint": "GREEN"});
        d[1]["findings"] = json!([]);
    });
    story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
}

#[test]
fn what_cannot_be_read_or_is_about_another_commit_stops_and_is_named() {
    let story = story(1);
    let stopped = |words: &str| {
        let ran = story.run().ended(1, "decider");
        let detail = ran.json()["detail"].as_str().unwrap().to_string();
        assert!(detail.contains(words), "{words}: {detail}");
        assert_eq!(story.dispatches(), 0);
    };
    story.repo.write(FILES[1], "{\"schema\":");
    stopped("attribution (attribution.ignored): it is no JSON");
    std::fs::remove_file(story.repo.path.join(FILES[1])).unwrap();
    stopped("attribution (attribution.ignored): it cannot be read");
    std::fs::create_dir(story.repo.path.join(FILES[1])).unwrap();
    stopped("attribution (attribution.ignored): it is no file");
    std::fs::remove_dir(story.repo.path.join(FILES[1])).unwrap();
    put(&story, |d| *d = documents(&"c".repeat(40)));
    stopped("decision (decision.ignored): head_sha: it is about another commit than the tip");
    put(&story, |d| d[2]["required_for"] = json!(3));
    stopped("capabilities (./capabilities.ignored): required_for: an object");
    // A permission for one tip is none for the next.
    put(&story, |_| {});
    story.findings(2);
    put(&story, |_| {});
    let ran = story.steps(&["improve"]).run().ended(1, "decider");
    assert_eq!((ran.outcomes(), story.dispatches()), (vec!["kept".to_string()], 1));
    story.at_rest("work");
}

#[test]
fn a_worktree_takes_what_lies_in_the_checkout() {
    let more = format!("[workspace]\nmode = \"worktree\"\n{CONFIG}");
    let story = Story::configured(1, &more);
    put(&story, |_| {});
    story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
    put(&story, |_| {});
    story.findings(1);
    story.run().ended(1, "decider");
}

#[test]
fn a_fixer_may_not_write_what_lets_it_go_on() {
    let config = CONFIG.replace("./capabilities.ignored", "./matrix.json");
    let story = Story::configured(1, &config);
    story.repo.write("matrix.json", documents("")[2].to_string());
    story.repo.commit("the matrix");
    put(&story, |_| {});
    let start = story.head();
    story.steps(&["improve; echo >> matrix.json"]).run().ended(1, "protected_path");
    assert_eq!((story.head(), story.dispatches()), (start, 1));
    story.at_rest("work");
}

#[test]
fn a_run_is_explained_by_the_beginning_of_its_id() {
    let story = Story::with_findings(1);
    story.fix(&["log", "--explain", "x"]).refused(2, "none has been started here yet");
    let ran = story.steps(&["worsen"]).fix(&["--json", "--max-iter", "1"]);
    let run = ran.ended(6, "MAX_ITER_EXCEEDED").json()["run_id"].as_str().unwrap().to_string();
    let text = story.fix(&["log", "--explain", &run[..run.len() - 1]]).out;
    for part in [
        "machine   back from ",
        "it made things worse",
        "outcome   rolled back: from [lint_errors:1>0] to [lint_errors:2>0]",
        "end       MAX_ITER_EXCEEDED at ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let refused = story.fix(&["log", "--explain", "nonsense"]).refused(2, &run);
    assert!(refused.err.contains("the newest are"), "{}", refused.err);
    story.steps(&["true"]).run().ended(1, "oscillation_detected");
    story.fix(&["log", "--explain", &run[..4]]).refused(2, "several runs begin with");
    // Other runs' journals are of no matter, and an old one without the newer fields is read.
    let runs = story.repo.path.join(".git/evidence/runs");
    std::fs::write(runs.join("broken.jsonl"), "no json\n{}\n").unwrap();
    let old = journal(&story, &run);
    let old = old.replace(",\"max_cumulative_iter\":10", "").replace(&run, "old");
    assert!(!old.contains("max_cumulative_iter"), "{old}");
    std::fs::write(runs.join("old.jsonl"), old).unwrap();
    let text = story.fix(&["log", "--explain", "old"]).out;
    assert!(text.contains("left: 1 iterations, 200000 tokens\n"), "{text}");
    // Undo has a journal, too.
    assert_eq!(story.fix(&["undo", "2"]).code, 0);
    let text = story.fix(&["log", "--explain", "undo-"]).out;
    assert!(text.contains("ESCALATED at ") && text.contains("the branch is at "), "{text}");
}

#[test]
fn an_interrupted_run_says_that_it_has_not_ended() {
    let story = story(1);
    story.steps(&["kill -9 $(cat \"$D/pid\"); sleep 5"]);
    let mut child = story.command(&["--json"]);
    child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = child.spawn().unwrap();
    std::fs::write(story.beside("pid"), child.id().to_string()).unwrap();
    child.wait().unwrap();
    let run = story.status()["interrupted"]["run_id"].as_str().unwrap().to_string();
    let text = story.fix(&["log", "--explain", &run]).out;
    assert!(text.contains("decider   AUTO_CONTINUE") && text.contains("has not ended"), "{text}");
    story.fix(&["abort"]);
    let text = story.fix(&["log", "--explain", &run]).out;
    assert!(text.contains("ended by a person: aborted; the branch is back at "), "{text}");
}
