//! The file that agents' settings call.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ask::{asked, claude};
use crate::hooked::write_script;
use crate::pre_push::gate::{Gate, OURS};

fn text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/review-evidence");
    std::fs::read_to_string(path).unwrap()
}

/// The script with a line of its own, in the repository.
fn installed(gate: &Gate, fallback: &str) -> PathBuf {
    let path = gate.path("agent hook");
    let line = format!("fallback='{fallback}'");
    write_script(&path, &text().replacen("fallback=''", &line, 1), 0o755);
    path
}

#[test]
fn the_script_finds_the_program_by_path_or_by_its_own_line() {
    let (gate, sha) = Gate::regression();
    let given = claude(gate.top.to_str().unwrap(), "git push").to_string();
    let expected = gate.ask("claude", &given);
    assert!(expected.contains(&sha), "{expected}");
    for (fallback, path) in [("", None), (OURS, Some("/usr/bin:/bin"))] {
        let hook = installed(&gate, fallback);
        for args in [&["claude"][..], &[]] {
            let mut command = gate.command(&hook, &gate.top);
            command.args(args).envs(path.map(|p| ("PATH", p)));
            assert_eq!(asked(command, &given), expected);
        }
    }
}

#[test]
fn without_the_program_only_what_evidence_is_asked_for_is_blocked() {
    let (gate, _) = Gate::regression();
    let hook = installed(&gate, "/no/such program");
    let run = |args: &[&str], command: &str| {
        let mut hook = gate.command(&hook, &gate.top);
        hook.args(args).env("PATH", "/usr/bin:/bin");
        let given = claude(gate.top.to_str().unwrap(), command).to_string();
        let answer = asked(hook, given);
        assert_eq!(answer.lines().count(), 1, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    for command in ["git push", "cd x\ngit -C . push", "gh pr create", "glab mr update 3"] {
        let answer = run(&["claude"], command);
        assert_eq!(answer["decision"], "block", "{command}");
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
        assert!(answer["reason"].as_str().unwrap().contains("cargo install git-evidence"));
        assert_eq!(run(&[], command), answer);
        assert_eq!(run(&["cursor"], command)["permission"], "deny");
        assert_eq!(run(&["gemini"], command)["decision"], "block");
    }
    assert_eq!(run(&["claude"], "ls"), serde_json::json!({}));
}
