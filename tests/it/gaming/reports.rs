//! What the rules see in the reports, and what the fixer is told.

use super::{Case, edit, play, play_with};
use crate::support::repo::TestRepo;

fn source() -> Case {
    edit("an edit", "tests", "src/a.py", ("x = 1\n", "x = 2\n"))
}

fn junit(cases: &str) -> String {
    format!("<testsuite>{cases}</testsuite>")
}

const BLOCKED: &str =
    "<testcase name='ok'/><testcase name='ok2'/><testcase name='bad'><failure/></testcase>";

#[test]
fn fewer_tests_are_taken_back_whoever_dropped_them() {
    for (after, rule) in [
        ("<testcase name='ok'/><testcase name='bad'/>", "AG03"),
        ("<testcase name='ok'/><testcase name='ok2'/>", "AG06"),
        (
            "<testcase name='ok'/><testcase name='ok2'/><testcase name='bad'><skipped/></testcase>",
            "AG06",
        ),
        (
            "<testcase name='ok'/><testcase name='ok2'><skipped/></testcase><testcase name='bad'/>",
            "AG05",
        ),
    ] {
        let repo = TestRepo::new();
        let got = play_with(&repo, &source(), "", ("junit", &junit(BLOCKED), &junit(after)));
        assert!(!got.kept && got.done.code == 1, "{after}: {}", got.done.err);
        assert!(got.done.err.contains(rule), "{after}: {}", got.done.err);
    }
    let repo = TestRepo::new();
    let after = "<testcase name='ok'/><testcase name='ok3'/><testcase name='bad'/>";
    let got = play_with(&repo, &source(), "", ("junit", &junit(BLOCKED), &junit(after)));
    assert!(got.kept && got.done.code == 0, "renamed: {}", got.done.err);
}

#[test]
fn a_target_that_vanished_is_no_fix() {
    let repo = TestRepo::new();
    let after = junit("<testcase name='ok'/><testcase name='ok2'/><testcase name='new'/>");
    let got = play_with(&repo, &source(), "", ("junit", &junit(BLOCKED), &after));
    assert!(got.done.out.contains("target_vanished"), "{}\n{}", got.done.out, got.done.err);
}

#[test]
fn a_denominator_is_no_coverage() {
    let lcov = |hit: u32, found: u32| {
        let lines: String =
            (1..=found).map(|n| format!("DA:{n},{}\n", u32::from(n <= hit))).collect();
        format!("SF:base.txt\n{lines}end_of_record\n")
    };
    let repo = TestRepo::new();
    let case = edit("lines are counted no more", "coverage", "src/a.py", ("x = 1\n", "x = 2\n"));
    let got = play_with(&repo, &case, "", ("lcov", &lcov(1, 3), &lcov(1, 1)));
    assert!(!got.kept && got.done.err.contains("AG29"), "{}", got.done.err);
}

#[test]
fn it_is_told_once_and_the_report_shows_both_lines() {
    let case = edit("suppressed", "lint", "src/a.py", ("x = 1\n", "x = 1  # noqa\n"));
    let got = play(&case, "");
    assert!(got.done.out.contains("gaming_detected"), "{}", got.done.out);
    assert!(got.done.out.contains("Reverts:       0"), "{}", got.done.out);
    assert!(got.done.out.contains("2/5"), "{}", got.done.out);
    let said = "rejected: AG09 (a suppression was added) at src/a.py:1";
    assert!(got.done.err.contains(said), "{}", got.done.err);
    assert!(got.done.err.contains("+ x = 1  # noqa"), "{}", got.done.err);
}
