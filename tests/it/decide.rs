//! `git fix-evidence decide`: a verdict on standard output, or one sentence and exit code 2.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::cmd::{Done, run};

const HEAD: &str = "0123456789012345678901234567890123456789";

/// The three documents of a loop that may go on, in the order of the options.
pub(crate) fn documents(head: &str) -> [Value; 3] {
    let decision = json!({
        "schema": "bounded_loop_decision_v1", "task_id": "T-1", "head_sha": head,
        "remediation_round": 0, "max_rounds": 2, "code_fix_applied": false,
        "gates": {"lint": "RED"}, "expected_files": ["code.txt"], "changed_files": ["code.txt"],
        "requested_actions": ["code_fix"], "next_allowed_actions": ["code_fix"],
        "forbidden_actions": ["force_push"], "secret_literal_count": 0,
    });
    let attribution = json!({
        "schema": "finding_attribution_v1",
        "findings": [{
            "finding_id": "F-1", "severity": "MEDIUM", "classification": "logic",
            "dismissed": false, "reviewed_head_sha": head, "file": "code.txt", "function": "f",
        }],
        "history": [{"round": 0, "finding_id": "F-1", "file": "code.txt", "function": "f"}],
    });
    let capabilities = json!({
        "schema": "automation_capability_matrix_v1",
        "capabilities": {
            "fixer": {"IMPLEMENTED": true, "VERIFIED": true, "WIRED": true, "ACTIVE": true},
        },
        "required_for": {"code_fix": "fixer"},
    });
    [decision, attribution, capabilities]
}

/// A folder that is no repository, with the documents in it.
struct Folder(tempfile::TempDir);

const FILES: [&str; 3] = ["decision.json", "attribution.json", "capabilities.json"];

impl Folder {
    fn with(documents: &[Value; 3]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, value) in FILES.iter().zip(documents) {
            std::fs::write(folder.path(name), value.to_string()).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, files: [&str; 3]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_git-fix-evidence"));
        command.current_dir(self.0.path()).stdin(Stdio::null()).arg("decide");
        for (option, file) in ["--decision", "--attribution", "--capabilities"].iter().zip(files) {
            command.args([option, file]);
        }
        command
    }

    fn decide(&self) -> Done {
        run(self.command(FILES))
    }

    /// Exit code 2, nothing on standard output, one line with these words.
    #[track_caller]
    fn refuses(&self, words: &[&str]) {
        let done = self.decide().ended(2);
        assert_eq!((done.out.as_str(), done.err.lines().count()), ("", 1), "{done:?}");
        for word in words {
            assert!(done.err.contains(word), "{word}: {}", done.err);
        }
    }
}

#[test]
fn a_verdict_is_printed_where_no_repository_is() {
    let folder = Folder::with(&documents(HEAD));
    let done = folder.decide().ended(0);
    assert_eq!(
        done.json(),
        json!({
            "schema": "bounded_loop_verdict_v1", "verdict": "AUTO_CONTINUE",
            "reasons": ["MEDIUM_WITHIN_ROUNDS", "MEDIUM F-1 in code.txt, f", "round 0 of 2"],
            "next_allowed_actions": ["code_fix"], "forbidden_actions": ["force_push"],
            "remediation_round_after": 1, "chair_required_reason": null,
        })
    );
    assert_eq!(done.err, "");
    // A verdict that stops is a result too.
    let mut grave = documents(HEAD);
    grave[1]["findings"][0]["severity"] = json!("CRITICAL");
    let done = Folder::with(&grave).decide().ended(0);
    assert_eq!(done.json()["chair_required_reason"], "NEW_HIGH_OR_CRITICAL");
}

#[test]
fn one_of_the_three_may_be_standard_input() {
    let documents = documents(HEAD);
    for at in 0..3 {
        let folder = Folder::with(&documents);
        std::fs::remove_file(folder.path(FILES[at])).unwrap();
        let mut files = FILES;
        files[at] = "-";
        let mut child =
            folder.command(files).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(documents[at].to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("AUTO_CONTINUE"));
    }
    let done = run(Folder::with(&documents).command(["-", "-", FILES[2]])).ended(2);
    assert!(done.out.is_empty() && done.err.contains("one of the three only"), "{done:?}");
    let done = run(Folder::with(&documents).command(["-", FILES[1], FILES[2]])).ended(2);
    assert!(done.err.contains("--decision (standard input): it is empty"), "{done:?}");
}

/// Every path to a field that must be there, with the value that stands there.
fn fields(at: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        // The names of gates, capabilities and actions are the writer's.
        Value::Object(map) => {
            for (key, below) in map {
                let own = matches!(at, "/gates" | "/capabilities" | "/required_for");
                if !own {
                    found.push((format!("{at}/{key}"), below.clone()));
                }
                fields(&format!("{at}/{key}"), below, found);
            }
        }
        Value::Array(list) => {
            for (index, below) in list.iter().enumerate() {
                fields(&format!("{at}/{index}"), below, found);
            }
        }
        _ => {}
    }
}

#[test]
fn every_field_that_is_missing_or_of_another_type_is_named() {
    let good = documents(HEAD);
    let mut tried = 0;
    for doc in 0..3 {
        let mut all = Vec::new();
        fields("", &good[doc], &mut all);
        for (path, value) in all {
            let (parent, key) = path.rsplit_once('/').unwrap();
            let file = format!("--{} '{}'", FILES[doc].trim_end_matches(".json"), FILES[doc]);
            let mut missing = good.clone();
            missing[doc].pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
            Folder::with(&missing).refuses(&[&file, &format!("{key}: it is missing")]);
            // `true` is no text, number, list or object; where it is right, 1 is wrong.
            let other = if value.is_boolean() { json!(1) } else { json!(true) };
            for other in [other, Value::Null] {
                let mut wrong = good.clone();
                *wrong[doc].pointer_mut(&path).unwrap() = other;
                Folder::with(&wrong).refuses(&[&file, &format!("{key}: "), "is expected"]);
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 13 + 3 + 7 + 4 + 3 + 4, "every field of the contract");
}

#[test]
fn what_is_no_file_or_no_json_is_named() {
    let folder = Folder::with(&documents(HEAD));
    std::fs::write(folder.path(FILES[1]), "{\"findings\": [").unwrap();
    folder.refuses(&["--attribution 'attribution.json': it is no JSON"]);
    std::fs::remove_file(folder.path(FILES[1])).unwrap();
    folder.refuses(&["--attribution 'attribution.json': it cannot be read"]);
    std::fs::create_dir(folder.path(FILES[1])).unwrap();
    folder.refuses(&["--attribution 'attribution.json'"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_git-fix-evidence"));
    command.current_dir(folder.path("")).args(["decide", "--decision", FILES[0]]);
    let done = run(command).ended(2);
    assert!(done.out.is_empty() && done.err.contains("--attribution"), "{done:?}");
}

#[test]
fn nothing_of_a_wrong_value_is_repeated_and_no_secret_is_printed() {
    let secret = "sk-0123456789abcdefghijkl";
    for key in ["remediation_round", "gates", "code_fix_applied", "schema", "changed_files"] {
        let mut wrong = documents(HEAD);
        wrong[0][key] = json!(secret);
        let done = Folder::with(&wrong).decide().ended(2);
        assert!(!done.err.contains(secret), "{done:?}");
    }
    let mut right = documents(HEAD);
    right[0]["task_id"] = json!(secret);
    right[0]["next_allowed_actions"] = json!([secret, "report\u{1b}[2J"]);
    right[0]["forbidden_actions"] = json!([secret]);
    right[1]["findings"][0]["finding_id"] = json!(secret);
    right[1]["findings"][0]["function"] = json!(secret);
    let done = Folder::with(&right).decide().ended(0);
    assert!(!done.out.contains(secret) && done.out.contains("[withheld]"), "{done:?}");
    assert_eq!(done.json()["next_allowed_actions"], json!(["report"]));
}

#[test]
fn the_folder_of_the_command_line_counts() {
    let folder = Folder::with(&documents(HEAD));
    let mut command = folder.command(FILES);
    command.current_dir(Path::new("/")).args(["-C", folder.path("").to_str().unwrap()]);
    assert_eq!(run(command).ended(0).json()["verdict"], "AUTO_CONTINUE");
}
