//! A person's waiver, from the base's configuration alone.

use super::{edit, play};

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
