//! A person's waiver, from the base's configuration alone.

use super::{edit, play, play_with, report};
use crate::support::cmd::run;
use crate::support::repo::TestRepo;

#[test]
fn a_waiver_lets_one_rule_pass_until_its_day() {
    let case = || edit("suppressed", "lint", "src/a.py", ("x = 1\n", "x = 1  # noqa\n"));
    let guard = |rule: &str, until: &str| {
        format!(
            "[guard]\nwaive = [{{ rule = \"{rule}\", paths = \"src/**\", reason = \"old code\", until = {until} }}]"
        )
    };
    let got = play(&case(), &guard("AG09", "2999-12-31"));
    assert!(got.kept, "{}", got.done.err);
    assert!(got.done.err.contains("waived (old code): AG09"), "{}", got.done.err);
    let got = play(&case(), &guard("AG09", "2020-01-01"));
    assert!(!got.kept, "{}", got.done.err);
    assert!(got.done.err.contains("the waiver of AG09 for src/** ended on 2020-01-01"));
    assert!(!play(&case(), &guard("AG08", "2999-12-31")).kept);
}

#[test]
fn how_often_a_rule_is_excused_is_shown() {
    let repo = TestRepo::new();
    let case = edit("suppressed", "lint", "src/a.py", ("x = 1\n", "x = 1  # noqa\n"));
    let (format, blocked, clean) = report("lint", "src/a.py");
    let guard = "[guard]\nwaive = [{ rule = \"AG09\", paths = \"src/**\", reason = \"old code\", \
                 until = 2999-12-31 }]";
    assert!(play_with(&repo, &case, guard, (format, &blocked, &clean)).kept);
    let log = |args: &[&str]| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-fix-evidence"));
        command.arg("log").args(args);
        run(command).ended(0)
    };
    let rules = log(&["--json"]).json()["rules"].clone();
    let want = serde_json::json!([{"rule": "AG09", "hits": 1, "waived": 1, "waiver_rate": 100.0,
        "demote": true}]);
    assert_eq!(rules, want);
    let text = log(&[]).out;
    assert!(text.contains("AG09 (a suppression was added): 1, 1 excused (100 %)"), "{text}");
    assert!(text.contains("too strict for this project"), "{text}");
}
