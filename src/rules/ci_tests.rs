//! Which CI findings the base had too, and what follows from that.

use super::*;
use crate::model::{DiffMap, Hunk, Level};
use crate::rules::judge::{Base, Judgement, judge};
use crate::rules::samples::{edited, error, in_file, lint, moved, of_level};
use crate::rules::thresholds::{CiLevel, Thresholds};
use Severity::{Critical, High, Low};

fn at(severity: Severity, rule: &str, line: u32) -> CiFinding {
    CiFinding { severity, finding: error(rule, line) }
}

/// Lint without a finding, and these findings of the CI.
fn ci(findings: Vec<CiFinding>) -> Evidence {
    let mut evidence = lint(Vec::new());
    let found = CiFound { runs: vec![7], artifacts: vec!["q".into()], findings };
    evidence.add_ci(Ok(found), false);
    evidence
}

fn judged(head: &Evidence, base: Option<&Evidence>, diff: &DiffMap, t: &Thresholds) -> Judgement {
    judge(head, base.map_or(Base::Synthetic, Base::Measured), diff, t)
}

fn reasons(head: &Evidence, base: &Evidence, diff: &DiffMap, level: CiLevel) -> String {
    let limits = Thresholds { ci_level: level, ..Thresholds::default() };
    let reasons = judged(head, Some(base), diff, &limits).reasons;
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_the_base_had_is_told_by_identity() {
    let same = DiffMap::default();
    let shifted = edited(&[(1, 0, 1, 4)]);
    let renamed = moved("src/a.rs", Some("src/b.rs"), &[]);
    let in_b = |f: CiFinding| CiFinding { finding: in_file("src/b.rs", f.finding), ..f };
    for (why, head, base, diff, expected) in [
        ("the same", vec![at(Critical, "A", 3)], vec![at(Critical, "A", 3)], &same, ""),
        ("its line moved", vec![at(Critical, "A", 7)], vec![at(Critical, "A", 3)], &shifted, ""),
        (
            "its file moved",
            vec![in_b(at(Critical, "A", 3))],
            vec![at(Critical, "A", 3)],
            &renamed,
            "",
        ),
        (
            "one for another",
            vec![at(Critical, "N", 9)],
            vec![at(Critical, "A", 3)],
            &same,
            "ci_critical:1>0",
        ),
        (
            "one more",
            vec![at(Critical, "A", 3), at(Critical, "N", 9)],
            vec![at(Critical, "A", 3), at(Critical, "B", 5)],
            &same,
            "ci_critical:2>1",
        ),
        (
            "graver than it was",
            vec![at(Critical, "A", 3)],
            vec![at(High, "A", 3)],
            &same,
            "ci_critical:1>0",
        ),
        ("less grave", vec![at(High, "A", 3)], vec![at(Critical, "A", 3)], &same, ""),
        ("mended", vec![], vec![at(Critical, "A", 3)], &same, ""),
        ("high ones do not count", vec![at(High, "N", 9)], vec![], &same, ""),
    ] {
        assert_eq!(reasons(&ci(head), &ci(base), diff, CiLevel::Critical), expected, "{why}");
    }
}

#[test]
fn high_ones_count_where_that_is_asked_for() {
    let same = DiffMap::default();
    for (head, base, expected) in [
        (vec![at(High, "A", 3)], vec![at(High, "A", 3)], ""),
        (vec![at(High, "A", 3)], vec![at(Critical, "A", 3)], ""),
        (vec![at(High, "N", 9)], vec![at(High, "A", 3)], "ci_high:critical=0,high=1"),
        (
            vec![at(High, "N", 9), at(Critical, "A", 3)],
            vec![at(Critical, "A", 3)],
            "ci_high:critical=1,high=1",
        ),
        (vec![at(Critical, "N", 9)], vec![], "ci_critical:1>0"),
        (vec![at(Low, "N", 9)], vec![], ""),
    ] {
        assert_eq!(reasons(&ci(head.clone()), &ci(base), &same, CiLevel::High), expected);
        assert_eq!(reasons(&ci(head), &ci(vec![]), &same, CiLevel::Off), "");
    }
}

#[test]
fn without_holding_the_line_all_of_them_count() {
    let limits = Thresholds { hold_the_line: false, ..Thresholds::default() };
    let both = ci(vec![at(Critical, "A", 3)]);
    let judgement = judged(&both, Some(&both), &DiffMap::default(), &limits);
    assert_eq!(judgement.reasons[0].to_string(), "ci_critical:1>0");
    assert_eq!(judgement.shortfalls[0], "A at src/a.rs:3");
}

#[test]
fn numbers_alone_are_compared_as_numbers() {
    let numbers = Evidence { ci: Some((2, 0)), ..lint(Vec::new()) };
    let listed = ci(vec![at(Critical, "N", 3), at(Critical, "M", 4)]);
    let same = DiffMap::default();
    assert_eq!(reasons(&listed, &numbers, &same, CiLevel::Critical), "");
    let more = Evidence { ci: Some((3, 0)), ..lint(Vec::new()) };
    assert_eq!(reasons(&more, &numbers, &same, CiLevel::Critical), "ci_critical:3>2");
    assert_eq!(reasons(&more, &listed, &same, CiLevel::Critical), "ci_critical:3>2");
}

#[test]
fn a_base_of_which_nothing_is_known_is_named_and_compared_with_nothing() {
    let head = ci(vec![at(High, "A", 3), of_note("B")]);
    let mut base = lint(Vec::new());
    base.security = Some(Vec::new());
    base.add_ci(Err("no run of it".into()), false);
    let judgement = judged(&head, Some(&base), &DiffMap::default(), &Thresholds::default());
    assert!(judgement.reasons.is_empty() && judgement.block_dimensions.is_empty());
    assert_eq!(judgement.decision, crate::model::Decision::AutoApprove, "{}", judgement.sentence);
    let said =
        "ci: the base's CI findings are not known, so nothing is compared with them: no run of it";
    assert_eq!(judgement.warnings, [said]);
    let grave = ci(vec![at(Critical, "A", 3)]);
    let judgement = judged(&grave, Some(&base), &DiffMap::default(), &Thresholds::default());
    assert_eq!(judgement.reasons[0].to_string(), "ci_critical:1>0");
}

fn of_note(rule: &str) -> CiFinding {
    CiFinding { severity: Low, finding: of_level(Level::Note, error(rule, 4)) }
}

#[test]
fn what_is_not_known_of_the_head_is_a_warning_or_a_gap() {
    let (mut warned, mut gap) = (lint(Vec::new()), lint(Vec::new()));
    warned.add_ci(Err("why".into()), false);
    gap.add_ci(Err("why".into()), true);
    let judgement = judged(&warned, None, &DiffMap::default(), &Thresholds::default());
    assert!(judgement.decision.approves(), "{}", judgement.sentence);
    assert!(judgement.warnings.contains(&"not measured: ci: why".to_string()));
    let judgement = judged(&gap, None, &DiffMap::default(), &Thresholds::default());
    assert_eq!(judgement.decision, crate::model::Decision::SeverelyDegraded);
    assert_eq!(judgement.sentence, "not measured: ci: why");
}

#[test]
fn the_record_lists_the_gravest_and_newest_first_and_cuts() {
    let base = ci(vec![at(Critical, "A", 3), at(High, "D", 30)]);
    let head =
        ci(vec![at(Low, "Z", 1), at(High, "D", 30), at(Critical, "A", 3), at(Critical, "N", 9)]);
    let baseline = CiBaseline::new(&head, Some(&base), &DiffMap::default());
    let got = json!(metrics(&head, &baseline, 3).unwrap());
    let listed: Vec<String> = got["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{} {} {}", f["rule"], f["severity"], f["baseline_state"]))
        .collect();
    assert_eq!(
        listed.join(", ").replace('"', ""),
        "N critical new, A critical unchanged, D high unchanged"
    );
    assert_eq!((&got["available"], &got["ci_run_id"]), (&json!(true), &json!(7)));
    assert_eq!((&got["problems_critical"], &got["problems_high"]), (&json!(2), &json!(1)));
    assert_eq!(got["source"], json!(["q"]));
    let mut unknown = lint(Vec::new());
    assert_eq!(metrics(&unknown, &CiBaseline::default(), 3), None);
    unknown.add_ci(Err("why".into()), false);
    let got = json!(metrics(&unknown, &CiBaseline::default(), 3).unwrap());
    assert_eq!((&got["available"], &got["reason"]), (&json!(false), &json!("why")));
}

#[test]
fn a_line_that_went_away_and_another_that_came_are_two_findings() {
    let hunk = Hunk { old_start: 3, old_len: 1, new_start: 3, new_len: 0 };
    let diff =
        edited(&[(hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len), (9, 0, 9, 1)]);
    let hashed = |line, hash| {
        let mut f = at(Critical, "A", line);
        f.finding.line_hash = Some(hash);
        f
    };
    let (base, head) = (ci(vec![hashed(3, 1)]), ci(vec![hashed(9, 2)]));
    assert_eq!(reasons(&head, &base, &diff, CiLevel::Critical), "ci_critical:1>0");
    let moved_line = ci(vec![hashed(9, 1)]);
    assert_eq!(reasons(&moved_line, &base, &diff, CiLevel::Critical), "");
}
