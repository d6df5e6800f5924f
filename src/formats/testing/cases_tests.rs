//! Repeated identities, and names.

use super::cases::{Raw, Repeats, after, file_name, finish, id, split_name};
use crate::model::TestStatus::{self, Errored, Failed, Passed, Skipped};

fn settled(runs: &[(TestStatus, usize)], repeats: Repeats) -> Vec<(String, TestStatus, bool)> {
    let raw = |(status, suite): &(TestStatus, usize)| {
        let mut raw = Raw::new("t".into(), *status, None);
        raw.suite = *suite;
        raw
    };
    let found = finish(runs.iter().map(raw).collect(), repeats, vec![], vec![]);
    let cases = found.unwrap().0.tests.unwrap().cases;
    cases.into_iter().map(|c| (c.id, c.status, c.flaky)).collect()
}

#[test]
fn runs_of_one_test() {
    for (ends, status, flaky) in [
        (vec![Failed, Failed], Failed, false),
        (vec![Failed, Errored, Passed], Passed, true),
        (vec![Failed, Errored], Errored, false),
        (vec![Errored, Failed], Failed, false),
        (vec![Skipped, Failed], Failed, false),
        (vec![Skipped, Skipped, Passed], Passed, false),
        (vec![Failed, Skipped], Failed, false),
    ] {
        let runs: Vec<_> = ends.iter().map(|s| (*s, 0)).collect();
        for repeats in [Repeats::Tell, Repeats::Runs] {
            assert_eq!(settled(&runs, repeats), [("t".to_owned(), status, flaky)], "{ends:?}");
        }
    }
    assert_eq!(
        settled(&[(Passed, 0), (Failed, 0)], Repeats::Runs),
        [("t".to_owned(), Failed, false)]
    );
}

#[test]
fn tests_of_one_name() {
    let t = |id: &str, status| (id.to_owned(), status, false);
    for repeats in [Repeats::Tell, Repeats::Tests] {
        assert_eq!(
            settled(&[(Failed, 0), (Passed, 0), (Passed, 0)], repeats),
            [t("t", Failed), t("t#2", Passed), t("t#3", Passed)]
        );
    }
    assert_eq!(
        settled(&[(Failed, 0), (Passed, 0)], Repeats::Tests),
        [t("t", Failed), t("t#2", Passed)]
    );
}

#[test]
fn suites_of_one_name() {
    let t = |id: &str, status| (id.to_owned(), status, false);
    let twice = [(Failed, 0), (Passed, 1), (Passed, 2)];
    assert_eq!(settled(&twice, Repeats::Tell), [t("t", Failed)]);
    let flaky_then = [(Failed, 0), (Failed, 1), (Passed, 1)];
    assert_eq!(settled(&flaky_then, Repeats::Tell), [t("t", Failed)]);
    assert_eq!(settled(&[(Passed, 0), (Passed, 1)], Repeats::Tests), [t("t", Passed)]);
    assert_eq!(settled(&[(Skipped, 0), (Passed, 1)], Repeats::Tests), [t("t", Passed)]);
}

#[test]
fn names() {
    assert_eq!(id(["a", " ", "b::c"]), "a::b::c");
    assert_eq!(after("Ns.Class.Method(1)", "Ns.Class", &['.', '+']), "Method(1)");
    assert_eq!(after("Shop adds", "Shop", &[' ']), "adds");
    assert_eq!(after("Shopping", "Shop", &[' ']), "Shopping");
    assert_eq!(after("Shop ", "Shop", &[' ']), "Shop ");
    assert_eq!(split_name("Ns.Class.Method(1.5)"), ("Ns.Class", "Method(1.5)"));
    assert_eq!(split_name("plain"), ("", "plain"));
    assert_eq!(file_name("C:\\x\\a.dll"), "a.dll");
}
