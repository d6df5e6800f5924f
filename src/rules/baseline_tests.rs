//! New, unchanged, updated, not compared.

use super::*;
use crate::model::{Figures, LintFigures};
use crate::rules::evidence::{Bucket, CheckResult};
use crate::rules::samples::{edited, error, errors, lint, of_level};

fn ran(version: &str, findings: Vec<Finding>) -> Evidence {
    let lint = LintFigures { findings, ..LintFigures::default() };
    Evidence::gather(&[CheckResult {
        name: "lint".into(),
        bucket: Bucket::Quality,
        required: true,
        feeds: None,
        version: Some(version.into()),
        figures: Ok(Figures { lint: Some(lint), ..Figures::default() }),
    }])
}

#[test]
fn words_and_places() {
    let diff = edited(&[(0, 0, 1, 2)]);
    let warned = of_level(Level::Warning, error("B", 2));
    let base = lint(vec![error("A", 1), warned]);
    let head = lint(vec![error("A", 3), error("B", 4), error("C", 1)]);
    let got = baseline(&head, Some(&base), &diff);
    let words: Vec<&str> = got.states.iter().map(|s| s.word()).collect();
    assert_eq!(words, ["unchanged", "updated", "new"]);
    let from: Vec<Option<&str>> = got.moved_from.iter().map(Option::as_deref).collect();
    assert_eq!(from, [Some("src/a.rs:1"), Some("src/a.rs:2"), None]);
    let counts: Vec<bool> = (0..3).map(|i| got.counts_as_new(i, Level::Error)).collect();
    assert_eq!(counts, [false, true, true], "an error that was a warning is new as an error");
    assert_eq!(got.warnings(), Vec::<String>::new());
    assert!(baseline(&head, None, &diff).states.iter().all(|s| *s == State::New));
}

#[test]
fn another_version_of_the_tool_is_said_and_not_compared_blindly() {
    // line 9 is of the change, line 1 is not
    let diff = edited(&[(8, 0, 9, 1)]);
    let base = ran("1.0", errors(&["A"]));
    let head = || vec![error("A", 1), error("N", 1), error("N", 9)];
    let got = baseline(&ran("1.1", head()), Some(&base), &diff);
    let words: Vec<&str> = got.states.iter().map(|s| s.word()).collect();
    assert_eq!(words, ["unchanged", "not_compared", "new"]);
    let said = got.warnings();
    assert!(said[0].starts_with("tool_changed: another version of linter"), "{said:?}");
    assert!(said[0].contains(" 1 finding on lines"), "{said:?}");
    let same = baseline(&ran("1.0", head()), Some(&base), &diff);
    assert_eq!(same.states[1], State::New);
}
