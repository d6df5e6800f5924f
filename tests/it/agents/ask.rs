//! Documents as the agents send them, and the answer of the real command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::pre_push::gate::{Gate, MARK, OURS};

/// The document of an agent, from the folder and the command.
type Document = fn(&str, &str) -> Value;

/// Every agent: the name that is typed, and how it tells of a command before it runs.
pub(crate) const AGENTS: [(&str, Document); 7] = [
    ("claude", claude),
    ("codex", codex),
    ("gemini", gemini),
    ("copilot", copilot),
    ("copilot", claude),
    ("cursor", cursor),
    ("plain", plain),
];

pub(crate) fn claude(cwd: &str, command: &str) -> Value {
    json!({"session_id": "f099652b", "transcript_path": "/t/f099652b.jsonl", "cwd": cwd,
        "prompt_id": "78dd10e4", "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command, "description": "say"},
        "tool_use_id": "toolu_1"})
}

pub(crate) fn codex(cwd: &str, command: &str) -> Value {
    json!({"session_id": "s", "turn_id": "1", "transcript_path": null, "cwd": cwd,
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c1"})
}

pub(crate) fn gemini(cwd: &str, command: &str) -> Value {
    json!({"session_id": "s", "transcript_path": "/t", "cwd": cwd,
        "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z",
        "tool_name": "run_shell_command",
        "tool_input": {"command": command, "description": "say"}})
}

pub(crate) fn copilot(cwd: &str, command: &str) -> Value {
    json!({"sessionId": "s", "timestamp": 1, "cwd": cwd, "toolName": "bash",
        "toolArgs": json!({"command": command, "description": "say"}).to_string()})
}

pub(crate) fn cursor(cwd: &str, command: &str) -> Value {
    json!({"conversation_id": "c", "generation_id": "g", "workspace_roots": [cwd],
        "hook_event_name": "beforeShellExecution", "command": command, "cwd": cwd})
}

pub(crate) fn plain(cwd: &str, command: &str) -> Value {
    json!({"command": command, "cwd": cwd})
}

/// What is said about `feature` by a recorded regression, the marker first if there is one.
pub(crate) fn reason(sha: &str) -> String {
    let short: String = sha.chars().take(10).collect();
    format!(
        "{MARK}{sha}\n\
         git-evidence: the push is blocked\n\
         feature ({short}): blocked (BLOCK_REGRESSION)\n  \
           lint_errors:2>0\n  \
           to see it again: git review-evidence feature\n\
         Run this now, without asking: git fix-evidence --sha {sha}\n\
         If it exits with 0, repeat what was blocked (the same command). Otherwise show its report \
         to the person and push nothing."
    )
}

pub(crate) fn context(sha: &str) -> String {
    format!("git-evidence: the push is blocked; git review-evidence show {sha} has all of it")
}

impl Gate {
    /// The hook's standard output; it says nothing else and exits with 0.
    #[track_caller]
    pub(crate) fn ask(&self, agent: &str, stdin: impl AsRef<[u8]>) -> String {
        let mut command = self.command(OURS, &self.path("home"));
        command.args(["hook", agent]);
        asked(command, stdin)
    }

    /// The same for a command in the repository, as Claude tells it.
    #[track_caller]
    pub(crate) fn claude(&self, command: &str) -> String {
        self.claude_at(&self.top, command)
    }

    #[track_caller]
    pub(crate) fn claude_at(&self, cwd: &Path, command: &str) -> String {
        let answer = self.ask("claude", claude(cwd.to_str().unwrap(), command).to_string());
        assert!(!answer.contains("no-verify"), "{answer}");
        answer
    }

    /// Passes without a word.
    #[track_caller]
    pub(crate) fn lets(&self, command: &str) {
        assert_eq!(self.claude(command), "{}\n", "{command}");
    }

    /// Blocks; the reason.
    #[track_caller]
    pub(crate) fn stops(&self, command: &str, with: &[&str]) -> String {
        let reason = reason_of(&self.claude(command));
        for text in with {
            assert!(reason.contains(text), "{command}: no '{text}' in:\n{reason}");
        }
        reason
    }

    /// `feature` is blocked by a record.
    pub(crate) fn regression() -> (Gate, String) {
        let gate = Gate::new();
        let sha = gate.head();
        gate.record(&sha, "BLOCK_REGRESSION");
        (gate, sha)
    }

    /// Our pre-push hook is taken away.
    pub(crate) fn unhooked(&self) {
        std::fs::remove_file(self.top.join(".git/hooks/pre-push")).unwrap();
    }
}

/// The reason of a block.
#[track_caller]
pub(crate) fn reason_of(answer: &str) -> String {
    let value: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(value["decision"], "block", "{answer}");
    value["reason"].as_str().unwrap().to_string()
}

#[track_caller]
pub(crate) fn asked(mut command: Command, stdin: impl AsRef<[u8]>) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // all of it is read, whatever comes of it
    child.stdin.take().unwrap().write_all(stdin.as_ref()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
