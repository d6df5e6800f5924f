//! Lines that lost their coverage, coverage of a change.

use proptest::prelude::*;

use super::*;
use crate::rules::samples::{edited, lines, moved};

fn figures(files: Vec<FileCoverage>) -> CoverageFigures {
    CoverageFigures { files }
}

fn lost(base: FileCoverage, head: Vec<FileCoverage>, diff: &DiffMap) -> Vec<(String, u32)> {
    lost_lines(&figures(vec![base]), &figures(head), diff)
}

#[test]
fn a_line_is_lost_only_where_it_is_still_there_and_runs_no_more() {
    let a = |n| ("src/a.rs".to_string(), n);
    let base = lines("src/a.rs", 5, 10);
    let same = DiffMap::default();
    assert_eq!(lost(base.clone(), vec![base.clone()], &same), []);
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 3, 10)], &same), [a(4), a(5)]);
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 9, 10)], &same), [], "more is no loss");
    // lines 4 and 5 are deleted
    let cut = edited(&[(4, 2, 3, 0)]);
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 3, 8)], &cut), [], "deleted code");
    // two lines came before: old 5 is 7 now
    let pushed = edited(&[(0, 0, 1, 2)]);
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 7, 12)], &pushed), []);
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 6, 12)], &pushed), [a(7)]);
    // the head does not count line 5 as code any more
    assert_eq!(lost(base.clone(), vec![lines("src/a.rs", 4, 4)], &same), []);
}

#[test]
fn a_file_that_left_the_report_lost_its_lines_and_a_deleted_one_did_not() {
    let base = lines("src/a.rs", 2, 4);
    let gone: Vec<(String, u32)> = lost(base.clone(), vec![], &DiffMap::default());
    assert_eq!(gone, [("src/a.rs".to_string(), 1), ("src/a.rs".to_string(), 2)]);
    let deleted = moved("src/a.rs", None, &[(1, 4, 0, 0)]);
    assert_eq!(lost(base.clone(), vec![], &deleted), []);
    let renamed = moved("src/a.rs", Some("src/b.rs"), &[]);
    assert_eq!(lost(base.clone(), vec![lines("src/b.rs", 2, 4)], &renamed), []);
    let now = lost(base, vec![lines("src/b.rs", 1, 4)], &renamed);
    assert_eq!(now, [("src/b.rs".to_string(), 2)]);
}

#[test]
fn a_line_that_comes_and_goes_by_itself_is_named_and_not_lost() {
    let of = |hit| figures(vec![lines("src/a.rs", hit, 6)]);
    let mut again = of(3);
    settle(&of(5), &mut again);
    assert_eq!(again.files[0].unstable, [4, 5]);
    assert_eq!(again.totals().lines_hit, 5, "what ran once can run");
    let mut third = of(6);
    settle(&again, &mut third);
    assert_eq!(third.files[0].unstable, [4, 5, 6]);
    // neither at the base nor at the head such a line is lost
    let same = DiffMap::default();
    let unstable = |hit, which: &[u32]| {
        let file = FileCoverage { unstable: which.to_vec(), ..lines("src/a.rs", hit, 6) };
        figures(vec![file])
    };
    assert_eq!(lost_lines(&unstable(5, &[5]), &of(3), &same), [("src/a.rs".to_string(), 4)]);
    assert_eq!(lost_lines(&of(5), &unstable(3, &[4, 5]), &same), []);
}

#[test]
fn changed_code_that_no_report_knows_is_named() {
    let file = |new: &str| moved("old", Some(new), &[(0, 0, 1, 3)]).files.remove(0);
    let changed = ["src/new.rs", "src/a.rs", "tests/it.rs", "README.md", "src/x_test.rs"];
    let diff = DiffMap::new(changed.map(file).into());
    assert_eq!(not_in_report(&figures(vec![lines("src/a.rs", 1, 2)]), &diff), ["src/new.rs"]);
}

#[test]
fn the_patch_is_the_changed_coverable_lines() {
    let head = figures(vec![lines("src/a.rs", 3, 6), lines("src/z.rs", 0, 9)]);
    let got = patch_coverage(&head, &edited(&[(1, 1, 2, 3), (9, 0, 40, 5)]));
    let file = PatchFile { path: "src/a.rs".to_string(), covered: 2, total: 3, missing: vec![4] };
    assert_eq!(got, [file]);
    assert_eq!(patch_coverage(&head, &DiffMap::default()), []);
}

#[test]
fn two_checks_cover_what_either_ran() {
    let union = union_coverage(
        &figures(vec![lines("b", 1, 3)]),
        &figures(vec![lines("a", 0, 1), lines("b", 2, 2)]),
    );
    let paths: Vec<&str> = union.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["a", "b"]);
    let hits: Vec<u64> = union.files[1].lines.iter().map(|l| l.hits).collect();
    assert_eq!(hits, [2, 1, 0]);
}

fn any_coverage() -> impl Strategy<Value = CoverageFigures> {
    (0..9u32, 0..9u32, 0..9u32).prop_map(|(x, y, found)| {
        figures(vec![lines("a", x.min(found), found), lines("b", y.min(found), found)])
    })
}

proptest! {
    #[test]
    fn a_union_covers_at_least_each_part(a in any_coverage(), b in any_coverage()) {
        let union = union_coverage(&a, &b);
        prop_assert_eq!(union.totals(), union_coverage(&b, &a).totals());
        let hit = union.totals().lines_hit;
        prop_assert!(hit >= a.totals().lines_hit && hit >= b.totals().lines_hit);
        prop_assert_eq!(lost_lines(&a, &union, &DiffMap::default()), vec![]);
    }
}
