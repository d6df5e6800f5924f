//! Runs that decide nothing: one check, foreign reports, a dirty tree; and `import`.

use super::{coverage, lint, project};
use crate::support::cmd::{counted, record_file, review};
use crate::support::repo::TestRepo;

#[test]
fn one_check_alone_is_printed_and_not_stored() {
    let repo = project(|repo| lint(repo) + &coverage(repo));
    repo.write("findings.txt", "F401 3 src/a.py\n");
    let sha = repo.commit("worse");
    let done = review(&repo, &["--check", "lint"]).ended(1);
    assert!(done.out.contains("lint_errors:1>0"), "{}", done.out);
    assert!(done.err.contains("not stored: --check"), "{}", done.err);
    // At the base the other check is not run either.
    assert_eq!(counted(&repo), 2);
    assert!(!record_file(&repo, &sha).exists());
    let done = review(&repo, &["--check", "lnt"]).ended(2);
    assert!(done.err.contains("no check is called 'lnt'; did you mean 'lint'?"), "{}", done.err);
}

#[test]
fn a_foreign_report_counts_in_what_is_printed() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    let sha = repo.commit("more");
    let report = repo.beside("other: report.json");
    let finding = r#"[{"code":"E9","filename":"src/b.py","location":{"row":1,"column":1},"end_location":null,"message":"m"}]"#;
    std::fs::write(&report, finding).unwrap();
    let report = report.to_str().unwrap();
    for typed in [format!("ruff-json:{report}"), format!("auto:{report}"), report.to_string()] {
        let done = review(&repo, &["--import", &typed]).ended(1);
        assert!(done.out.contains("src/b.py:1: E9 m"), "{}", done.out);
        assert!(!done.out.contains("--check import"), "{}", done.out);
    }
    assert!(!record_file(&repo, &sha).exists());
    let done = review(&repo, &["--import", &format!("ruf-json:{report}")]).ended(2);
    assert!(done.err.contains("did you mean 'ruff-json'?"), "{}", done.err);
    let done = review(&repo, &["--import", "ruff-json:gone.json"]).ended(2);
    assert!(done.err.contains("there is no file"), "{}", done.err);
}

#[test]
fn a_dirty_tree_is_measured_and_decides_nothing() {
    let repo = project(lint);
    let sha = repo.commit("more");
    repo.write("findings.txt", "F401 3 src/a.py\n");
    let done = review(&repo, &[]).ended(1);
    assert!(done.err.contains("findings.txt is not committed"), "{}", done.err);
    assert!(done.out.contains("measured with uncommitted changes"), "{}", done.out);
    assert_eq!(review(&repo, &["--json"]).ended(1).json()["dirty_tree"], true);
    assert!(!record_file(&repo, &sha).exists());
    counted(&repo);
    repo.git(&["checkout", "-q", "--", "findings.txt"]);
    // What was measured in the dirty tree is not taken for the commit's.
    review(&repo, &[]).ended(0);
    assert!(record_file(&repo, &sha).is_file());
}

#[test]
fn import_needs_no_repository() {
    let repo = TestRepo::new();
    let home = repo.beside("home");
    let lcov = "TN:\nSF:a.py\nDA:1,1\nDA:2,0\nDA:3,1\nend_of_record\n";
    std::fs::write(home.join("a.info"), lcov).unwrap();
    std::fs::write(home.join("b.info"), lcov).unwrap();
    std::fs::write(home.join("empty"), "").unwrap();
    let dir = home.to_str().unwrap();
    let done = review(&repo, &["-C", dir, "import", "lcov:a.info", "b.info"]).ended(0);
    let value = done.json();
    assert_eq!(value["schema"], "evidence_import_v1");
    assert_eq!(value["reports"][0]["path"], "a.info");
    assert_eq!(value["reports"][1]["format"], "lcov");
    assert_eq!(value["reports"][1]["outcome"], "figures");
    assert_eq!(value["metrics"]["coverage"]["lines_found"], 3);
    assert_eq!(value["metrics"]["coverage"]["overall_pct"], 66.666_667);
    let done = review(&repo, &["-C", dir, "import", "auto:empty", "a.info"]).ended(4);
    let value = done.json();
    assert_eq!(value["reports"][0]["outcome"], "refused");
    assert_eq!(value["reports"][0]["causes"][0], "the report is empty");
    assert_eq!(value["metrics"]["coverage"]["lines_hit"], 2);
    let done = review(&repo, &["import", "lcv:a.info"]).ended(2);
    assert!(done.err.contains("did you mean 'lcov'?"), "{}", done.err);
    review(&repo, &["-C", dir, "import", "gone"]).ended(2);
}

#[test]
fn formats_are_listed() {
    let repo = TestRepo::new();
    let dir = repo.beside("home");
    let done = review(&repo, &["-C", dir.to_str().unwrap(), "formats"]).ended(0);
    assert!(done.out.contains("\njunit                  tests "), "{}", done.out);
    let value = review(&repo, &["formats", "--json"]).ended(0).json();
    assert_eq!(value["formats"].as_array().unwrap().len(), done.out.lines().count() - 1);
    assert_eq!(value["formats"][0]["name"], "sarif");
}
