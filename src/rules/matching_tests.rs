//! One to one, through whatever a change does to the lines.

use proptest::prelude::*;

use super::*;
use crate::model::{FileDiff, Hunk};
use crate::rules::samples::{edited, error, in_file, moved, saying};

/// A finding whose line says what this number stands for.
fn on(line: u32, text: u64) -> Finding {
    Finding { line_hash: Some(text), ..error("R", line) }
}

/// Pairs as (base index, head index, sign), in order of the head.
fn pairs(base: &[Finding], head: &[Finding], diff: Option<&DiffMap>) -> Vec<(usize, usize, Sign)> {
    let (b, h): (Vec<&Finding>, Vec<&Finding>) = (base.iter().collect(), head.iter().collect());
    let found = match_findings(&b, &h, diff);
    assert_eq!(found.len(), head.len());
    found.iter().enumerate().filter_map(|(i, k)| k.map(|k| (k.base, i, k.by))).collect()
}

#[test]
fn a_finding_is_known_where_its_line_went() {
    // three lines came before it
    let diff = edited(&[(0, 0, 1, 3)]);
    assert_eq!(pairs(&[on(5, 1)], &[on(8, 1)], Some(&diff)), [(0, 0, Sign::Place)]);
    // the number in the message is another one
    let (old, new) = (saying("12 > 10", error("C", 5)), saying("13 > 10", error("C", 8)));
    assert_eq!(pairs(&[old], &[new], Some(&diff)), [(0, 0, Sign::Place)]);
    let renamed = moved("src/a.rs", Some("src/b.rs"), &[(0, 0, 1, 3)]);
    let new = in_file("src/b.rs", on(8, 1));
    assert_eq!(pairs(&[on(5, 1)], &[new], Some(&renamed)), [(0, 0, Sign::Place)]);
}

#[test]
fn of_equal_findings_the_added_one_is_new() {
    // the first of three lines that say the same is new
    let diff = edited(&[(0, 0, 1, 1)]);
    let (base, head) = ([on(1, 1), on(2, 1)], [on(1, 1), on(2, 1), on(3, 1)]);
    let want = [(0, 1, Sign::Place), (1, 2, Sign::Place)];
    assert_eq!(pairs(&base, &head, Some(&diff)), want);
}

#[test]
fn an_edited_line_keeps_its_finding() {
    let diff = edited(&[(5, 1, 5, 2)]);
    assert_eq!(pairs(&[on(5, 1)], &[on(6, 2)], Some(&diff)), [(0, 0, Sign::Edited)]);
}

#[test]
fn a_block_that_moved_keeps_its_findings() {
    // lines 2 and 3 went behind line 9
    let diff = edited(&[(2, 2, 1, 0), (9, 0, 8, 2)]);
    let (base, head) = ([on(2, 7), on(3, 8)], [on(8, 7), on(9, 8)]);
    let want = [(0, 0, Sign::LineText), (1, 1, Sign::LineText)];
    assert_eq!(pairs(&base, &head, Some(&diff)), want);
    // into another file, which is new
    let side = |old: Option<&str>, new: Option<&str>, hunk| FileDiff {
        old: old.map(str::to_string),
        new: new.map(str::to_string),
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        hunks: vec![hunk],
        binary: false,
    };
    let cut = Hunk { old_start: 2, old_len: 2, new_start: 1, new_len: 0 };
    let put = Hunk { old_start: 0, old_len: 0, new_start: 1, new_len: 2 };
    let diff = DiffMap::new(vec![
        side(Some("src/a.rs"), Some("src/a.rs"), cut),
        side(None, Some("src/n.rs"), put),
    ]);
    let there = |line, text| in_file("src/n.rs", on(line, text));
    let want = [(0, 0, Sign::LineText), (1, 1, Sign::LineText)];
    assert_eq!(pairs(&base, &[there(1, 7), there(2, 8)], Some(&diff)), want);
    assert_eq!(pairs(&base, &[there(1, 5), there(2, 6)], Some(&diff)), [], "other code");
}

#[test]
fn mending_one_and_making_another_is_no_exchange() {
    // line 2 is gone, line 20 is new; the lines differ
    let diff = edited(&[(2, 1, 1, 0), (20, 0, 20, 1)]);
    assert_eq!(pairs(&[on(2, 1)], &[on(20, 2)], Some(&diff)), []);
    // where nobody looked at the lines, the message has to do
    let got = pairs(&[error("R", 2)], &[error("R", 20)], Some(&diff));
    assert_eq!(got, [(0, 0, Sign::Message)]);
}

#[test]
fn what_is_reported_elsewhere_in_code_that_stands_still_is_the_same() {
    let none = DiffMap::default();
    assert_eq!(pairs(&[on(2, 1)], &[on(20, 2)], Some(&none)), [(0, 0, Sign::Message)]);
    // the end of the file, where a line was added
    let diff = edited(&[(20, 0, 21, 1)]);
    assert_eq!(pairs(&[on(20, 1)], &[on(21, 2)], Some(&diff)), [(0, 0, Sign::Message)]);
}

#[test]
fn a_fingerprint_counts_where_it_tells_findings_apart() {
    let marked = |line, mark: &str| Finding { fingerprint: Some(mark.into()), ..on(line, 9) };
    let diff = edited(&[(2, 1, 1, 0), (20, 0, 20, 1)]);
    let head = [Finding { line_hash: Some(8), message: "new words".into(), ..marked(20, "x") }];
    assert_eq!(pairs(&[marked(2, "x")], &head, Some(&diff)), [(0, 0, Sign::Fingerprint)]);
    // the same for all of them: no vote
    let base = [marked(2, "0"), Finding { message: "other".into(), ..marked(2, "0") }];
    assert_eq!(pairs(&base, &head, Some(&diff)), []);
}

#[test]
fn two_reports_alone() {
    let said = |path: &str, line, text: &str| in_file(path, saying(text, error("R", line)));
    // shifted by ten, one new, one gone; the new one's words are the old one's but for the number
    let base = [said("a", 1, "x1"), said("a", 5, "n 7"), said("a", 9, "x2")];
    let head = [said("a", 11, "x1"), said("a", 17, "n 8"), said("a", 19, "x2")];
    let known = pairs(&base, &head, None);
    assert_eq!(known, [(0, 0, Sign::Message), (2, 2, Sign::Message)]);
    let head = [said("a", 11, "x1"), said("a", 15, "n 8"), said("a", 19, "x2")];
    assert_eq!(pairs(&base, &head, None).len(), 3, "where its neighbours say that it is");
    // a file with another name
    let head = [said("b", 1, "x1"), said("b", 5, "n 7"), said("b", 9, "x2")];
    assert_eq!(pairs(&base, &head, None).len(), 3);
    // a copy is new
    let both: Vec<Finding> = base.iter().chain(&head).cloned().collect();
    assert_eq!(pairs(&base, &both, None).len(), 3);
}

#[test]
fn findings_without_a_place_are_known_by_their_words() {
    let bare = |text: &str| Finding { path: None, line: None, ..saying(text, error("R", 1)) };
    let (base, head) = ([bare("a"), bare("a")], [bare("a"), bare("b"), bare("a"), bare("a")]);
    for diff in [None, Some(&DiffMap::default())] {
        assert_eq!(pairs(&base, &head, diff).len(), 2);
    }
}

fn any_finding() -> impl Strategy<Value = Finding> {
    (0..3usize, 0..3usize, 0..40u32).prop_map(|(rule, path, line)| {
        let finding = in_file(["a", "b", "c"][path], error(["R", "S", "T"][rule], line));
        saying(&format!("at {line} of 100"), finding)
    })
}

fn counts(findings: &[Finding]) -> std::collections::HashMap<(&str, &str), usize> {
    let mut counts = std::collections::HashMap::new();
    for f in findings {
        *counts.entry((f.rule.as_str(), f.path.as_deref().unwrap_or(""))).or_default() += 1;
    }
    counts
}

proptest! {
    #[test]
    fn in_equal_trees_the_smaller_number_is_known(
        head in prop::collection::vec(any_finding(), 0..30),
        base in prop::collection::vec(any_finding(), 0..30),
    ) {
        let found = pairs(&base, &head, Some(&DiffMap::default()));
        let (of_head, of_base) = (counts(&head), counts(&base));
        let least: usize = of_head
            .iter()
            .map(|(key, n)| *n.min(of_base.get(key).unwrap_or(&0)))
            .sum();
        prop_assert_eq!(found.len(), least);
    }

    #[test]
    fn each_is_one_and_is_itself(
        base in prop::collection::vec(any_finding(), 0..30),
        head in prop::collection::vec(any_finding(), 0..30),
        with_diff in any::<bool>(),
    ) {
        let diff = edited(&[(3, 2, 3, 4)]);
        let found = pairs(&base, &head, with_diff.then_some(&diff));
        let mut used: Vec<usize> = found.iter().map(|p| p.0).collect();
        used.sort_unstable();
        used.dedup();
        prop_assert_eq!(used.len(), found.len(), "each of the base at most once");
        for (b, h, _) in found {
            prop_assert_eq!((&base[b].rule, &base[b].tool), (&head[h].rule, &head[h].tool));
        }
        let same = pairs(&base, &base, None);
        prop_assert_eq!(same.len(), base.len());
        prop_assert!(same.iter().all(|(b, h, _)| base[*b].line == base[*h].line));
    }
}
