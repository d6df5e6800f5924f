//! The TAP reader against small reports.

use super::tap::FORMAT;
use crate::model::TestStatus::{Failed, Passed, Skipped};
use crate::model::{Reading, TestCase};

fn read(tap: &str) -> (Vec<TestCase>, Vec<String>) {
    match (FORMAT.read)(&mut tap.as_bytes()) {
        Reading::Figures(f) => (f.tests.unwrap().cases, vec![]),
        Reading::Degraded(f, causes) => (f.tests.unwrap().cases, causes),
        Reading::Refused(why) => panic!("{why}"),
    }
}

#[test]
fn points() {
    for (text, name, status) in [
        ("ok", "(unnamed 1)", Passed),
        ("not ok 1", "(unnamed 1)", Failed),
        ("ok 1 - adds up # time=3ms", "adds up", Passed),
        ("ok 1 adds up", "adds up", Passed),
        ("not ok - 2 and 2", "2 and 2", Failed),
        ("ok 1 - a # SKIP no network", "a", Skipped),
        ("not ok 1 - a # SKIP no network", "a", Failed),
        ("not ok 1 - a #todolist", "a #todolist", Failed),
        ("ok 1 # skipped on this", "(unnamed 1)", Skipped),
        ("not ok 1 - a # TODO later", "a", Skipped),
        ("ok 1 - a # todo", "a", Passed),
        ("not ok 1 - a \\# TODO", "a # TODO", Failed),
        ("ok 1 - issue #12", "issue #12", Passed),
        ("ok 1 - a {", "a", Passed),
    ] {
        let (cases, causes) = read(&format!("1..1\n{text}\n"));
        assert_eq!((cases.len(), causes.len()), (1, 0), "{text}");
        assert_eq!((cases[0].id.as_str(), cases[0].status), (name, status), "{text}");
        assert!((FORMAT.sniff)(format!("{text}\n1..1\n").as_bytes()), "{text}");
    }
}

#[test]
fn whole_and_broken_runs() {
    for whole in [
        "1..0 # SKIP no database\n",
        "TAP version 14\n1..1\nok 1 - a\n    not ok 1 - inner\n    1..1\n# end\n",
        "ok 1\nsome text\nok 2\n1..2 \n",
    ] {
        assert_eq!(read(whole).1, Vec::<String>::new(), "{whole}");
    }
    for (broken, cause) in [
        ("ok 1\n", "it has no plan, so it may be cut off"),
        ("TAP version 13\n", "it has no plan, so it may be cut off"),
        ("1..3\nok 1\n", "3 tests were planned and 1 ran"),
        ("1..2\nok 1\nok 3\n", "a test's number is outside of the plan 1..2"),
        ("ok 1\n1..2\nok 2\n", "the plan stands between the tests"),
        ("1..1 todo 1;\nok 1\n", "its plan is followed by text that is no part of one"),
        ("1..1\nok 1\n1..1\n", "it has more than one plan"),
        ("1..2\nok 1\nBail out! no disk\nok 2\n", "the run bailed out: no disk"),
        ("pragma +strict\n1..1\nok 1\ntext\n", "it is strict and has lines that are no TAP"),
    ] {
        assert_eq!(read(broken).1, [cause], "{broken}");
    }
}

#[test]
fn messages_and_names() {
    let tap = "1..3\nnot ok 1 - a\n  ---\n  message: it is 3\n  ...\nnot ok 2 - a\n# got 1\nok 3 - b\n# bye\n";
    let (cases, _) = read(tap);
    assert_eq!(cases[0].message.as_deref(), Some("message: it is 3"));
    assert_eq!((cases[1].id.as_str(), cases[1].message.as_deref()), ("a#2", Some("got 1")));
    assert_eq!(cases[2].message, None);
}

#[test]
fn foreign() {
    for text in ["okay\n", "<testsuite/>", "{}", "all is well\n"] {
        assert!(matches!((FORMAT.read)(&mut text.as_bytes()), Reading::Refused(_)), "{text}");
        assert!(!(FORMAT.sniff)(text.as_bytes()), "{text}");
    }
    assert!(!(FORMAT.sniff)(b"ok  \texample.org/shop\t0.1s\n"));
}
