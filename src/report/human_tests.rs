//! The text for people, held line by line.

use serde_json::{Value, json};

use super::*;

fn blocked() -> Value {
    json!({
        "schema_version": "2.0", "sha": "1".repeat(40), "branch": "f", "computed_at": "t",
        "dirty_tree": false, "base_branch": "refs/remotes/origin/main", "base_sha": "2".repeat(40),
        "base_rung": "remote_default", "stack_detected": [], "spec_drift": {},
        "metrics": {
            "lint": {"errors": 3, "source": ["ruff"], "findings": [
                {"rule": "F401", "level": "error", "path": "a dir/ä.py", "line": 3, "message": "unused\nimport", "tool": "ruff", "baseline_state": "unchanged"},
                {"rule": "E501", "level": "error", "path": "b.py", "line": 9, "message": "too long", "tool": "ruff", "baseline_state": "new"},
                {"rule": "W1", "level": "warning", "path": "c.py", "line": 1, "message": "w", "tool": "ruff"}
            ]},
            "coverage": {"overall_pct": 59.9, "source": ["py test"]},
            "patch_coverage": {"covered": 1, "total": 5, "per_file": {"a.py": {"covered": 1, "total": 5, "missing": [2, 3, 4, 8]}}}
        },
        "verdict": {
            "block": true, "warnings": ["the budget was read late"],
            "block_reasons": ["coverage_below_threshold:59.9<60.0", "lint_errors:2>1", "odd:1"],
            "shortfalls": ["599 of 1000 lines are covered; 1 more line of the 401 uncovered would reach the limit", "E501 at b.py:9", ""]
        },
        "current_scores": {"coverage": 59.9, "overall": 70.0, "quality": 90.0},
        "baseline_scores": {"coverage": 65.0, "overall": 70.0},
        "deltas": {"coverage": -5.1, "overall": 0.0},
        "regression_verdict": {"decision": "BLOCK_REGRESSION", "reason": "3 limits are broken"},
        "checks": [
            {"name": "ruff", "status": "measured", "exit": 1, "seconds": 0.25},
            {"name": "py test", "status": "reused", "exit": 0, "seconds": 12.0, "notes": ["declared totals differ"]}
        ]
    })
}

fn record(value: &Value) -> Record {
    Record::parse(value.to_string().as_bytes()).unwrap()
}

const BLOCKED: &str = "\
blocked: 1111111111 against origin/main at 2222222222 (remote default)
  3 limits are broken

coverage_below_threshold:59.9<60.0
    599 of 1000 lines are covered; 1 more line of the 401 uncovered would reach
      the limit
    a.py:2-4,8 changed and not covered

lint_errors:2>1
    E501 at b.py:9
    b.py:9: E501 too long
    a dir/ä.py:3: F401 unused import (the base has it too)

odd:1

score                  now    base   change
quality               90.0       -        -
coverage              59.9    65.0     -5.1
overall               70.0    70.0      0.0

check    status           seconds
ruff     measured             0.2
py test  kept                12.0
    declared totals differ

warning: the budget was read late

how to reproduce: git review-evidence --check 'py test' ruff
how to fix:       git fix-evidence
";

#[test]
fn a_blocked_record_says_why_where_and_what_to_do() {
    assert_eq!(text(&record(&blocked()), false), BLOCKED);
}

#[test]
fn colour_only_adds_to_the_words() {
    let colored = text(&record(&blocked()), true);
    assert!(colored.starts_with("\u{1b}[31mblocked\u{1b}[0m: 1111111111 against"));
    assert!(colored.contains("\u{1b}[31m     -5.1\u{1b}[0m"));
    assert_eq!(crate::model::sanitize(&colored), BLOCKED);
}

#[test]
fn what_was_not_measured_is_named_with_its_reason() {
    let mut value = blocked();
    value["verdict"] = json!({"block": true, "block_reasons": [], "warnings": []});
    value["regression_verdict"] = json!({"decision": "SEVERELY_DEGRADED", "reason": "not measured: ruff: it wrote no report"});
    value["checks"] = json!([
        {"name": "ruff", "status": "failed", "exit": 0, "seconds": 1.0, "notes": ["it wrote no report ruff.sarif to {out}"]},
        {"name": "tests", "status": "timeout", "exit": null, "seconds": 600.0},
        {"name": "ok", "status": "measured", "exit": 0, "seconds": 1.0}
    ]);
    value["current_scores"] = json!({});
    let want = "\
NOT MEASURED: 1111111111 against origin/main at 2222222222 (remote default)
  ruff: it wrote no report ruff.sarif to {out}
  tests: it gave no figures

check  status           seconds
ruff   not measured         1.0
    it wrote no report ruff.sarif to {out}
tests  timed out          600.0
ok     measured             1.0

how to reproduce: git review-evidence --check ruff tests
";
    assert_eq!(text(&record(&value), false), want);
    value["regression_verdict"]["reason"] = json!("only 1 of 2 dimensions could be measured");
    let told = text(&record(&value), false);
    let both = "\n  only 1 of 2 dimensions could be measured\n  ruff: it wrote no report";
    assert!(told.contains(both), "{told}");
    value["regression_verdict"]["reason"] = json!("not measured: ruff: it wrote no report");
    value["checks"] = json!([]);
    let told = text(&record(&value), false);
    assert!(told.contains("\n  not measured: ruff: it wrote no report\n"), "{told}");
}

#[test]
fn a_base_that_could_not_be_measured_is_said_first() {
    let mut value = blocked();
    value["baseline_failed"] = json!("tests: it was ended by signal 9");
    value["dirty_tree"] = json!(true);
    value["verdict"]["warnings"] = json!(["baseline_failed: tests: it was ended by signal 9"]);
    let told = text(&record(&value), false);
    let start = "\
blocked: 1111111111 against origin/main at 2222222222 (remote default)
  the base could not be measured, so only absolute limits count
    why: tests: it was ended by signal 9
    remedy: make the checks work there: git review-evidence 2222222222
  measured with uncommitted changes: this decides nothing and is not stored
";
    assert!(told.starts_with(start), "{told}");
    assert_eq!(told.matches("ended by signal 9").count(), 1);
}

#[test]
fn approvals_are_short() {
    let mut value = blocked();
    value["verdict"] =
        json!({"block": false, "block_reasons": [], "warnings": ["baseline_synthetic: none"]});
    value["regression_verdict"] = json!({"decision": "REVIEWER_HANDOFF"});
    for key in ["base_sha", "base_rung", "checks", "current_scores"] {
        value.as_object_mut().unwrap().remove(key);
    }
    value["baseline_synthetic"] = json!(true);
    let want = "\
approved, a reviewer should look: 1111111111 (there is no base commit)

warning: baseline_synthetic: none
";
    assert_eq!(text(&record(&value), false), want);
}

#[test]
fn records_of_other_tools_and_odd_shapes_do_not_break_it() {
    let bare = json!({"schema_version": "1.0", "sha": "ä", "branch": "", "computed_at": "", "dirty_tree": false,
        "base_branch": "", "stack_detected": null, "metrics": {}, "spec_drift": null,
        "verdict": {"block": true, "block_reasons": ["lint_errors:1>0", "complexity_max:9>1", "test_failures:1>0",
        "ci_critical:1>0", "vulnerabilities:critical=1,high=0", "patch_coverage:1.0<2.0", "coverage_delta:-9.0<-5.0",
        "drift_severity_high"], "warnings": [], "shortfalls": {"a": 1}}});
    let told = text(&record(&bare), false);
    assert!(told.starts_with("blocked: ä against its base\n"), "{told}");
    for odd in [
        json!(null),
        json!(3),
        json!("x"),
        json!([null, 1, "s", [], {}, {"path": 1, "line": "x"}]),
        json!({"a": [1]}),
    ] {
        let mut value = bare.clone();
        value["metrics"] = json!({
            "lint": {"findings": odd, "source": odd}, "coverage": {"per_file": odd, "source": odd, "lines_no_longer_covered": odd},
            "complexity": {"files_over_threshold": odd, "source": odd}, "ci_quality": {"findings": odd},
            "dependencies": {"findings": odd}, "patch_coverage": {"per_file": odd},
        });
        value["verdict"]["shortfalls"] = odd.clone();
        value["stack_detected"] = odd;
        value["current_scores"] = json!({"overall": "A", "coverage": [1]});
        assert!(text(&record(&value), false).contains("lint_errors:1>0\n"));
    }
}

#[test]
fn nothing_from_outside_can_draw_on_the_terminal_or_forge_a_line() {
    let mut value = blocked();
    value["base_branch"] = json!("ma\u{1b}[2Jin\napproved");
    value["verdict"]["block_reasons"] = json!(["x\u{1b}]0;t\u{7}\napproved: all good"]);
    value["checks"][0]["name"] = json!("ru\u{202e}ff\nok");
    let told = text(&record(&value), false);
    assert!(!told.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{told}");
    assert!(!told.lines().any(|l| l.starts_with("approved")), "{told}");
}

#[test]
fn ten_places_are_enough() {
    let mut value = blocked();
    let findings: Vec<Value> =
        (1..=14).map(|n| json!({"path": "p", "line": n, "rule": "R"})).collect();
    value["metrics"]["lint"]["findings"] = json!(findings);
    let told = text(&record(&value), false);
    assert!(told.contains("    p:10: R\n    and 4 more\n") && !told.contains("p:11"), "{told}");
}

#[test]
fn long_lines_break_between_words_and_paths_stay_whole() {
    let mut value = blocked();
    let long = format!("{}/file name with spaces.py", "d".repeat(90));
    value["metrics"]["lint"]["findings"] =
        json!([{"path": long, "line": 1, "rule": "R", "message": "word ".repeat(40)}]);
    let told = text(&record(&value), false);
    assert!(told.contains(&format!("    {long}:1:\n      R word")), "{told}");
    for line in told.lines().filter(|l| !l.contains(&long)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
