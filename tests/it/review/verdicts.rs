//! Every decision, and its exit code.

use super::{COVERAGE, check, coverage, lines, lint, project};
use crate::support::cmd::{record_file, review};

#[test]
fn a_commit_without_new_findings_is_approved_and_its_record_stored() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    let sha = repo.commit("more");
    let done = review(&repo, &[]).ended(0);
    let main = repo.git(&["rev-parse", "main"]);
    let first =
        format!("approved: {} against main at {} (local default)\n", &sha[..10], &main[..10]);
    assert!(done.out.starts_with(&first), "{}", done.out);
    assert!(done.err.contains("measuring lint (head)"), "{}", done.err);
    assert!(record_file(&repo, &sha).is_file());
    let shown = review(&repo, &["show"]).ended(0);
    assert_eq!(shown.out, done.out);
    let record = review(&repo, &["show", "--json"]).ended(0).json();
    assert_eq!(record["sha"], sha);
    assert_eq!(record["config_source"], "base");
    assert_eq!(record["branch"], "topic");
    let path = review(&repo, &["show", "--path"]).ended(0).out;
    assert_eq!(path.trim_end(), record_file(&repo, &sha).to_str().unwrap());
}

#[test]
fn a_new_lint_error_blocks_and_is_named() {
    let repo = project(lint);
    repo.write("findings.txt", "F401 3 src/a.py\n");
    repo.commit("worse");
    let done = review(&repo, &["--quiet"]).ended(1);
    assert_eq!(done.err, "");
    for text in [
        "blocked: ",
        "\nlint_errors:1>0\n",
        "    src/a.py:3: F401 m\n",
        "git review-evidence --check lint\n",
        "git fix-evidence\n",
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let record = review(&repo, &["run", "--format", "json"]).ended(1).json();
    assert_eq!(record["regression_verdict"]["decision"], "BLOCK_REGRESSION");
    assert_eq!(record["verdict"]["block_reasons"][0], "lint_errors:1>0");
}

#[test]
fn a_fall_of_coverage_blocks_with_the_shortfall() {
    let repo = project(coverage);
    repo.write("covered.txt", "14 7\n");
    repo.write("src/a.py", lines(14));
    repo.commit("untested");
    let done = review(&repo, &[]).ended(1);
    for text in [
        "\ncoverage_below_threshold:50.0<60.0\n",
        "    7 of 14 lines are covered; 2 more lines of the 7 uncovered would reach",
        "\ncoverage_delta:-30.0<-5.0\n",
        "    src/a.py:11-14 changed and not covered\n",
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
}

#[test]
fn the_line_is_held_and_not_more() {
    let repo = project(|repo| lint(repo) + &coverage(repo));
    repo.git(&["switch", "-q", "main"]);
    repo.write("findings.txt", "F401 3 src/a.py\nF401 5 src/a.py\n");
    repo.write("covered.txt", "10 4\n");
    repo.commit("an old mess");
    repo.git(&["switch", "-q", "-C", "topic"]);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("no worse");
    let done = review(&repo, &[]).ended(0);
    assert!(done.out.starts_with("approved"), "{}", done.out);
    repo.write("findings.txt", "F401 3 src/a.py\nF401 5 src/a.py\nE501 1 src/b.py\n");
    repo.commit("worse");
    let done = review(&repo, &[]).ended(1);
    assert!(done.out.contains("\nlint_errors:3>2\n"), "{}", done.out);
    let (new, old) = (done.out.find("src/b.py:1: E501"), done.out.find("src/a.py:3: F401"));
    assert!(new.is_some() && new < old, "{}", done.out);
}

#[test]
fn a_hard_floor_is_code_3() {
    let repo = project(|repo| {
        format!("[policy]\nmax_lint_errors = 9\n[policy.hard_floors]\nquality = 90\n{}", lint(repo))
    });
    repo.write("findings.txt", "A 1 src/a.py\nB 2 src/a.py\nC 3 src/a.py\n");
    repo.commit("far worse");
    let done = review(&repo, &[]).ended(3);
    assert!(done.out.starts_with("blocked: a hard floor is broken: "), "{}", done.out);
    assert!(done.out.contains("quality:85<90"), "{}", done.out);
    assert!(!done.out.contains("git fix-evidence"), "{}", done.out);
}

#[test]
fn what_is_not_measured_is_never_good() {
    let old =
        "touch -d 2001-01-01 old.json; cp -p old.json \"$EVIDENCE_CHECK_OUT/r.json\"; rm old.json";
    let report = "echo '[]' >";
    for (script, reports, why) in [
        ("true", "r.json", "it wrote no report r.json to {out}"),
        ("echo '[]'; exit 7", "-", "it ended with exit code 7"),
        ("echo '[]'; exec tail -f /dev/null", "-", "it did not end within 1s"),
        (&format!("{report} old.json; {old}"), "r.json", "it is older than this run"),
        ("echo '['", "-", "standard output: "),
        ("", "-", "it is empty or cut off"),
    ] {
        let repo = project(|repo| {
            check(repo, "odd", "ruff-json", script).replace("\"-\"", &format!("\"{reports}\""))
                + "timeout = \"1s\"\n"
        });
        repo.write("src/b.py", "x = 1\n");
        repo.commit("more");
        let done = review(&repo, &[]).ended(4);
        assert!(done.out.starts_with("NOT MEASURED: "), "{script}: {}", done.out);
        assert!(done.out.contains("\n  odd: ") && done.out.contains(why), "{script}: {}", done.out);
        assert!(done.out.contains("git review-evidence --check odd\n"), "{}", done.out);
    }
}

#[test]
fn a_report_about_other_files_is_not_measured() {
    let script = COVERAGE.replace("src/a.py", "/elsewhere/z.py");
    let repo = project(|repo| check(repo, "coverage", "lcov", &script));
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    let done = review(&repo, &[]).ended(4);
    assert!(done.out.contains("none of the 1 files in the report is in the"), "{}", done.out);
}

#[test]
fn a_check_that_is_not_required_is_a_warning() {
    let repo =
        project(|repo| lint(repo) + &check(repo, "extra", "auto", "exit 7") + "required = false\n");
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    let done = review(&repo, &[]).ended(0);
    assert!(
        done.out.contains("warning: not measured: extra: it ended with exit code 7"),
        "{}",
        done.out
    );
}
