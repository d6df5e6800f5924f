//! `[evidence] measure`: another program measures and judges.

use serde_json::json;

use super::base;
use crate::support::cmd::{counted, record_file, review};
use crate::support::repo::TestRepo;

/// A program that writes this as its record; `SHA` becomes the commit's name.
fn measured_by(script: &str) -> (TestRepo, String) {
    let repo = TestRepo::new();
    let program = repo.beside("measure.sh");
    std::fs::write(&program, format!("echo run >> \"$COUNT\"\n{script}")).unwrap();
    let words = format!("[\"sh\", \"{}\"]", program.display());
    base(&repo, &format!("[evidence]\nmeasure = {words}\n"));
    repo.write("src/b.py", "x = 1\n");
    let sha = repo.commit("more");
    (repo, sha)
}

fn writes(version: &str) -> String {
    let record = json!({
        "schema_version": version, "sha": "SHA", "branch": "topic", "computed_at": "now",
        "dirty_tree": false, "base_branch": "main", "stack_detected": ["x"], "metrics": {},
        "spec_drift": {}, "verdict": {"block": true, "block_reasons": ["lint_errors:2>0"], "warnings": []},
        "theirs": {"z": 1.50, "a": [1]},
    });
    format!("echo '{record}' | sed \"s/SHA/$EVIDENCE_SHA/\" > \"$EVIDENCE_OUT\"; exit 1\n")
}

#[test]
fn its_record_is_stored_and_shown_again() {
    let (repo, sha) = measured_by(&writes("2.0"));
    let done = review(&repo, &[]).ended(1);
    assert!(done.out.contains("\nlint_errors:2>0\n"), "{}", done.out);
    assert!(record_file(&repo, &sha).is_file());
    assert_eq!(counted(&repo), 1);
    assert_eq!(review(&repo, &[]).ended(1).out, done.out);
    assert_eq!(counted(&repo), 0);
    review(&repo, &["--recompute"]).ended(1);
    assert_eq!(counted(&repo), 1);
    let record = review(&repo, &["show", "--json"]).ended(0).json();
    assert_eq!(record["theirs"], json!({"z": 1.5, "a": [1]}));
    review(&repo, &["--check", "x"]).ended(2);
}

#[test]
fn no_run_shows_what_is_stored_only() {
    let (repo, _) = measured_by(&writes("2.0"));
    let done = review(&repo, &["--no-run"]).ended(4);
    assert!(done.err.contains("--no-run forbids measuring"), "{}", done.err);
    review(&repo, &[]).ended(1);
    review(&repo, &["--no-run"]).ended(1);
    assert_eq!(counted(&repo), 1);
}

#[test]
fn without_a_record_of_the_commit_nothing_is_judged() {
    let other = writes("2.0").replace("$EVIDENCE_SHA", &"3".repeat(40));
    for (script, why) in [
        ("true", "wrote no record to $EVIDENCE_OUT"),
        ("echo it broke >&2; exit 9", "it broke"),
        ("echo '{' > \"$EVIDENCE_OUT\"", "it is no evidence record"),
        (&other, "wrote a record of '333"),
        (&writes("3.1"), "its schema_version is '3.1'"),
    ] {
        let (repo, sha) = measured_by(script);
        let done = review(&repo, &[]).ended(4);
        assert!(done.err.contains(why), "{why}: {}", done.err);
        assert_eq!(done.out, "");
        assert!(!record_file(&repo, &sha).exists());
    }
}
