//! The record has every key of the contract, and lists that a hook can read in milliseconds.

use super::*;
use crate::model::{CheckStatus, DiffMap, ReportRef, Severity};
use crate::rules::judge::{Base, judge};
use crate::rules::samples::{
    advisory, beside_the_plan, complexity, covered, edited, error, failing, function, lines, lint,
    of_level,
};

fn about() -> About {
    let report = ReportRef { path: "r".into(), format: "sarif".into(), sha256: "0".into() };
    let kinds = json!(["lint", "coverage", "complexity"]);
    let run = CheckRun {
        name: "all".into(),
        status: CheckStatus::Measured,
        exit: Some(0),
        seconds: 1.0,
        reports: vec![report],
        notes: vec![],
        left: vec![],
        other: Map::from_iter([("kinds".to_string(), kinds)]),
    };
    About {
        sha: "a".repeat(40),
        tree: "b".repeat(40),
        branch: "topic".into(),
        base: Some(("main".into(), "remote".into(), "c".repeat(40))),
        at: "2026-01-02T03:04:05Z".into(),
        config_source: "base".into(),
        checks: vec![run],
        stack: vec!["rust".into()],
        warnings: vec!["first".into()],
        ..About::default()
    }
}

/// Everything measured.
fn evidence() -> Evidence {
    Evidence {
        coverage: covered(8, 10).coverage,
        complexity: complexity(vec![function("src/a.rs", "f", 16)]).complexity,
        tests: failing(&["t"]).tests,
        dependencies: Some(vec![advisory("a", Severity::High)]),
        ci: Some((0, 1)),
        drift: beside_the_plan(10, 1),
        ..lint(vec![error("A", 1)])
    }
}

fn made(about: About, head: &Evidence, base: Base<'_>) -> Value {
    let limits = Thresholds::default();
    let judgement = judge(head, base, &edited(&[(1, 0, 1, 3)]), &limits);
    json!(record(about, head, &judgement, &limits))
}

fn keys(value: &Value, pointer: &str, expected: &str) {
    let object = value.pointer(pointer).and_then(Value::as_object).expect(pointer);
    for key in expected.split(' ') {
        assert!(object.contains_key(key), "{pointer} has no {key}: {object:?}");
    }
}

#[test]
fn every_key_of_the_contract_is_there() {
    let base = Evidence { coverage: covered(9, 10).coverage, ..evidence() };
    let got = made(about(), &evidence(), Base::Measured(&base));
    keys(
        &got,
        "",
        "schema_version sha branch computed_at dirty_tree base_branch stack_detected metrics \
         spec_drift verdict base_sha current_scores baseline_scores deltas regression_verdict \
         reviewer_verdict budget_snapshot_at baseline_synthetic tree_sha config_source is_bot_pr \
         checks tool",
    );
    keys(&got, "/verdict", "block block_reasons warnings");
    keys(
        &got,
        "/regression_verdict",
        "block_dimensions warn_dimensions improved_dimensions hard_floor_breaches decision reason",
    );
    keys(&got, "/metrics", "coverage lint complexity ci_quality tests dependencies patch_coverage");
    keys(&got, "/metrics/coverage", "overall_pct delta_vs_base per_file source");
    keys(&got, "/metrics/lint", "errors warnings findings source available reason");
    keys(&got, "/metrics/complexity", "max_cyclomatic files_over_threshold source");
    keys(
        &got,
        "/metrics/ci_quality",
        "available ci_run_id problems_critical problems_high findings source",
    );
    keys(&got, "/metrics/tests", "passed failed errored skipped cases_failed");
    keys(&got, "/metrics/dependencies", "critical high medium low findings");
    keys(&got, "/metrics/patch_coverage", "covered total pct per_file");
    keys(&got, "/checks/0", "name status exit seconds reports");
    keys(&got, "/checks/0/reports/0", "path format sha256");
    keys(&got, "/tool", "name version");
    keys(&got, "/metrics/lint/findings/0", "rule level path line message tool");
}

#[test]
fn figures_stand_where_readers_look_for_them() {
    let base = Evidence { coverage: covered(9, 10).coverage, ..lint(vec![]) };
    let got = made(about(), &evidence(), Base::Measured(&base));
    for (pointer, expected) in [
        ("/schema_version", json!("2.0")),
        ("/verdict/block", json!(true)),
        ("/verdict/warnings/0", json!("first")),
        ("/baseline_synthetic", json!(false)),
        ("/base_branch", json!("main")),
        ("/base_rung", json!("remote")),
        ("/spec_drift/severity", json!("low")),
        ("/spec_drift/design", json!("docs/plans/p.md")),
        ("/spec_drift/planned_files", json!(9)),
        ("/spec_drift/unplanned_files", json!(["src/0.rs"])),
        ("/metrics/coverage/overall_pct", json!(80.0)),
        ("/metrics/coverage/delta_vs_base", json!(-10.0)),
        ("/metrics/coverage/per_file/src~1a.rs", json!(80.0)),
        ("/metrics/coverage/source", json!(["all"])),
        ("/metrics/lint/errors", json!(1)),
        ("/metrics/lint/findings/0/baseline_state", json!("new")),
        ("/metrics/complexity/max_cyclomatic", json!(16)),
        ("/metrics/complexity/files_over_threshold", json!(["src/a.rs:7 f 16"])),
        ("/metrics/tests/cases_failed", json!(["t"])),
        ("/metrics/patch_coverage/total", json!(3)),
        ("/metrics/patch_coverage/pct", json!(100.0)),
        ("/is_bot_pr", json!(false)),
    ] {
        assert_eq!(got.pointer(pointer), Some(&expected), "{pointer}");
    }
    let text = got.to_string();
    let back = Record::parse(text.as_bytes()).expect("it is a record");
    assert_eq!(back.decision(), Decision::BlockRegression);
    assert_eq!(back.reasons().len(), 5);
}

#[test]
fn what_was_not_measured_is_absent_or_says_so() {
    let got = made(About { base: None, ..about() }, &failing(&[]), Base::Synthetic);
    assert_eq!(got["baseline_synthetic"], json!(true));
    assert_eq!(got["metrics"]["lint"]["available"], json!(false));
    assert_eq!(got["metrics"]["lint"]["errors"], Value::Null);
    for key in ["coverage", "complexity", "ci_quality", "dependencies", "patch_coverage"] {
        assert_eq!(got["metrics"].get(key), None, "{key}");
    }
    let failed = About { base_failed: Some("why".into()), ..about() };
    let got = made(failed, &failing(&[]), Base::Failed("why"));
    assert_eq!(
        (&got["baseline_synthetic"], &got["baseline_failed"]),
        (&json!(false), &json!("why"))
    );
}

#[test]
fn lists_are_cut_and_counts_are_exact() {
    let many = 1500;
    let names: Vec<String> = (0..many).map(|n| format!("t{n}")).collect();
    let head = Evidence {
        tests: failing(&names.iter().map(String::as_str).collect::<Vec<_>>()).tests,
        dependencies: Some(vec![advisory("a", Severity::Low); many]),
        complexity: Some(vec![function("src/a.rs", "f", 20); many]),
        coverage: Some(crate::model::CoverageFigures {
            files: (0..many).map(|n| lines(&format!("f{n:04}"), 1, 2)).collect(),
        }),
        ..lint(vec![error("A", 1); many])
    };
    let got = made(about(), &head, Base::Synthetic);
    let len = |pointer: &str| match got.pointer(pointer).expect(pointer) {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        other => panic!("{pointer}: {other}"),
    };
    for pointer in [
        "/metrics/lint/findings",
        "/metrics/tests/cases_failed",
        "/metrics/dependencies/findings",
        "/metrics/complexity/files_over_threshold",
        "/metrics/coverage/per_file",
    ] {
        assert_eq!(len(pointer), 1000, "{pointer}");
    }
    assert_eq!(got["metrics"]["lint"]["errors"], json!(many));
    assert_eq!(got["metrics"]["tests"]["failed"], json!(many));
    assert_eq!(got["metrics"]["dependencies"]["low"], json!(many));
    assert_eq!(got["metrics"]["coverage"]["lines_found"], json!(2 * many));
}

#[test]
fn lines_that_no_test_runs_are_cut_over_all_files() {
    let file = |path: &str| PatchFile {
        path: path.into(),
        covered: 0,
        total: 700,
        missing: (1..=700).collect(),
    };
    let got = patch(&[file("a"), file("b"), file("c")]);
    let missing = |path: &str| got.per_file[path]["missing"].as_array().unwrap().len();
    assert_eq!((missing("a"), missing("b"), missing("c")), (700, 300, 0));
    assert_eq!((got.total, got.pct), (2100, Some(0.0)));
}

#[test]
fn new_findings_come_first_and_the_gravest_of_them_before_all() {
    let old = error("OLD", 1);
    let note = of_level(Level::Note, error("NOTE", 2));
    let grave = error("GRAVE", 3);
    let head = lint(vec![old.clone(), note, grave]);
    let base = lint(vec![old]);
    let judgement =
        judge(&head, Base::Measured(&base), &DiffMap::default(), &Thresholds::default());
    let got = json!(record(about(), &head, &judgement, &Thresholds::default()));
    let list: Vec<(&str, &str)> = got["metrics"]["lint"]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["rule"].as_str().unwrap(), f["baseline_state"].as_str().unwrap()))
        .collect();
    assert_eq!(list, [("GRAVE", "new"), ("NOTE", "new"), ("OLD", "unchanged")]);
}

#[test]
fn only_a_clean_record_of_its_own_commit_stands_for_it() {
    let stands = |dirty, sha: &str| {
        let limits = Thresholds::default();
        let judgement = judge(&evidence(), Base::Synthetic, &DiffMap::default(), &limits);
        let made = record(About { dirty, ..about() }, &evidence(), &judgement, &limits);
        stands_for(&made, sha)
    };
    assert!(stands(false, &"a".repeat(40)));
    assert!(!stands(true, &"a".repeat(40)));
    assert!(!stands(false, &"c".repeat(40)));
}

#[test]
fn languages_stand_by_frequency() {
    let paths = ["a.rs", "b/c.rs", "x.py", "y.PY", "noending", ".rs", "d.tsx", "e.ts", "f.ts"];
    assert_eq!(stack(paths.into_iter()), ["rust", "typescript", "python"].map(String::from));
}
