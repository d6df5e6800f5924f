//! `compare`: two commits, whether measured here or known by their records alone.

use super::{coverage, lint, project};
use crate::support::cmd::{record_file, review};
use crate::support::repo::TestRepo;

/// A file whose lines differ from each other.
fn module(lines: impl Iterator<Item = u32>) -> String {
    lines.map(|n| format!("value_{n} = compute({n})\n")).collect()
}

/// `main` with two findings, and a topic that moved one, mended one and made one.
fn changed() -> (TestRepo, String) {
    let repo = project(|repo| lint(repo) + &coverage(repo));
    repo.write("src/m.py", module(1..=9));
    repo.write("covered.txt", "9 9\n");
    repo.write("findings.txt", "F1 2 src/m.py\nF1 8 src/m.py\n");
    repo.commit("before");
    review(&repo, &[]);
    repo.git(&["branch", "before"]);
    repo.git(&["mv", "src/m.py", "src/n.py"]);
    // three lines came first, the eighth is gone, and the last is new
    let text = module(101..=103) + &module((1..=9).filter(|n| *n != 8)) + &module(200..=200);
    repo.write("src/n.py", &text);
    repo.write("findings.txt", "F1 5 src/n.py\nF1 12 src/n.py\n");
    let sha = repo.commit("after");
    (repo, sha)
}

#[test]
fn two_commits_are_compared_by_what_each_finding_is() {
    let (repo, _) = changed();
    review(&repo, &[]);
    let value = review(&repo, &["compare", "before", "HEAD", "--json"]).ended(0).json();
    assert_eq!(value["lint"]["new"][0]["line"], 12, "{value:#}");
    assert_eq!(value["lint"]["fixed"][0]["line"], 8);
    assert_eq!(value["lint"]["moved"][0]["from"]["path"], "src/m.py");
    assert_eq!(value["lint"]["moved"][0]["to"]["line"], 5);
    assert_eq!(value["lint"]["moved"][0]["known_by"], "place");
    assert_eq!(value["lint"]["unchanged"], 0);
    assert_eq!(value["coverage"]["base"], 100.0);
    assert_eq!(value["tests"], serde_json::Value::Null);
    let text = review(&repo, &["compare", "before", "HEAD"]).ended(0).out;
    assert!(text.contains("findings: 1 new, 1 fixed, 1 moved, 0 unchanged"), "{text}");
    assert!(text.contains("src/n.py:5: F1 m (moved from src/m.py:2)"), "{text}");
}

#[test]
fn the_record_does_where_measurements_are_not_kept() {
    let (repo, sha) = changed();
    let done = review(&repo, &["compare", "before", "HEAD"]).ended(4);
    assert!(done.err.contains("'git review-evidence HEAD' measures it"), "{}", done.err);
    review(&repo, &[]);
    let record = record_file(&repo, &sha);
    let kept = record.ancestors().find(|p| p.ends_with("evidence")).unwrap().join("measurements");
    assert!(kept.is_dir(), "{}", kept.display());
    std::fs::remove_dir_all(kept).unwrap();
    let value = review(&repo, &["compare", "before", "HEAD", "--json"]).ended(0).json();
    assert_eq!(value["lint"]["new"].as_array().unwrap().len(), 1, "{value:#}");
    assert_eq!(value["coverage"]["patch"], serde_json::Value::Null);
    assert!(value["notes"][0].as_str().unwrap().contains("only the record"), "{value:#}");
}

#[test]
fn a_report_and_a_commit_are_two_things() {
    let repo = project(lint);
    let done = review(&repo, &["compare", "HEAD", "sarif:x"]).ended(2);
    assert!(done.err.contains("one side is a report"), "{}", done.err);
    review(&repo, &["compare", "HEAD", "nosuch"]).ended(2);
    let done = review(&repo, &["compare", "auto:gone", "auto:gone"]).ended(2);
    assert!(done.err.contains("there is no file"), "{}", done.err);
}
