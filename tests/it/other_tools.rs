//! Records that another tool writes, where that tool writes them, drive the loop unchanged.

use std::process::Output;

use serde_json::{Value, json};

use super::support::repo::TestRepo;

const CONFIGURATION: &str = r#"
[evidence]
record = ".claude/review-evidence/{sha}.json"
measure = ["sh", "tools/measure.sh"]

[[fixer]]
name = "done"
kinds = ["lint"]
run = "sed 's/TODO/DONE/' list.txt >list.new && mv list.new list.txt"
"#;

/// Another tool: a line with TODO is an error. Its records have a field that nobody here knows.
fn measure(version: &str) -> String {
    let verdict = |decision: &str| match version {
        "2.0" => format!(r#","regression_verdict":{{"decision":"{decision}","reason":"r"}}"#),
        _ => String::new(),
    };
    let record = |reasons: &str, block: bool, decision: &str| {
        format!(
            r#"{{"schema_version":"{version}","sha":"%s","branch":"topic","computed_at":"2026-01-01T00:00:00Z","dirty_tree":false,"base_branch":"main","stack_detected":["text"],"metrics":{{}},"spec_drift":{{}},"their_own":{{"kept":true}},"verdict":{{"block":{block},"block_reasons":[{reasons}],"warnings":[]}}{}}}\n"#,
            verdict(decision)
        )
    };
    format!(
        "echo measured >>\"$HOME/measured\"\nn=$(grep -c TODO list.txt)\n\
         if [ \"$n\" -gt 0 ]; then\n\
         printf '{}' \"$EVIDENCE_SHA\" \"$n\" >\"$EVIDENCE_OUT\"\nelse\n\
         printf '{}' \"$EVIDENCE_SHA\" >\"$EVIDENCE_OUT\"\nfi\n",
        record("\"lint_errors:%s>0\"", true, "BLOCK_REGRESSION"),
        record("", false, "AUTO_APPROVE"),
    )
}

fn project(version: &str) -> TestRepo {
    let repo = TestRepo::new();
    repo.write(".git-evidence.toml", CONFIGURATION);
    repo.write("tools/measure.sh", measure(version));
    repo.write("list.txt", "DONE one\n");
    repo.commit("A list");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.write("list.txt", "DONE one\nTODO two\nTODO three\n");
    repo.commit("More of it");
    repo
}

fn fix(repo: &TestRepo) -> (Output, Value) {
    let program = env!("CARGO_BIN_EXE_git-fix-evidence");
    let output = repo.command(program).arg("--json").output().unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (output, report)
}

fn measured(repo: &TestRepo) -> usize {
    std::fs::read_to_string(repo.beside("home/measured")).unwrap_or_default().lines().count()
}

#[test]
fn a_program_that_measures_drives_the_loop() {
    for version in ["1.0", "1.4", "2.0"] {
        let repo = project(version);
        let (output, report) = fix(&repo);
        assert_eq!(output.status.code(), Some(0), "{version}: {report}");
        assert_eq!(report["status"], "AUTO_APPROVE", "{version}");
        assert_eq!(report["log"][0]["reason"], "lint_errors:2>0", "{version}");
        assert_eq!(measured(&repo), 2, "{version}: once before and once after");
        let sha = report["sha"].as_str().unwrap();
        let stored = repo.text(&format!(".claude/review-evidence/{sha}.json")).unwrap();
        let stored: Value = serde_json::from_str(&stored).unwrap();
        assert_eq!(stored["their_own"], json!({"kept": true}), "{version}");
        assert_eq!(stored["schema_version"], version);
        let head = repo.git(&["show", "--stat", "--format=", "HEAD"]);
        assert!(!head.contains(".claude"), "a record was committed: {head}");
    }
}

#[test]
fn a_record_that_is_there_is_taken_as_it_is() {
    for version in ["1.0", "2.1"] {
        let repo = project("2.0");
        let sha = repo.git(&["rev-parse", "HEAD"]);
        let mut record = json!({
            "schema_version": version, "sha": sha, "branch": "topic",
            "computed_at": "2026-01-01T00:00:00Z", "dirty_tree": false, "base_branch": "main",
            "stack_detected": [], "metrics": {}, "spec_drift": {"severity": "none"},
            "verdict": {"block": true, "block_reasons": ["lint_errors:7>0"], "warnings": []},
        });
        if version != "1.0" {
            record["regression_verdict"] = json!({"decision": "BLOCK_REGRESSION", "reason": "r"});
        }
        let path = format!(".claude/review-evidence/{sha}.json");
        let text = record.to_string();
        repo.write(&path, &text);
        let (output, report) = fix(&repo);
        assert_eq!(output.status.code(), Some(0), "{version}: {report}");
        assert_eq!(report["log"][0]["reason"], "lint_errors:7>0", "{version}");
        assert_eq!(measured(&repo), 1, "{version}: the tip had a record");
        assert_eq!(repo.text(&path).unwrap(), text, "{version}: not rewritten");
    }
}

#[test]
fn a_record_of_another_major_version_is_refused_by_name() {
    let repo = project("3.0");
    let program = env!("CARGO_BIN_EXE_git-fix-evidence");
    let output = repo.command(program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("measure_failed") && said.contains("3.0"), "{said}");
}
