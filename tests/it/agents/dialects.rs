//! Each agent in its own words, byte for byte.

use serde_json::{Value, json};

use super::ask::{
    AGENTS, claude, codex, context, copilot, cursor, gemini, plain, reason, reason_of,
};
use crate::pre_push::gate::Gate;

/// As a JSON text.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[test]
fn a_block_is_told_in_the_words_of_each_agent() {
    let (gate, sha) = Gate::regression();
    let cwd = gate.top.to_str().unwrap();
    let (r, c) = (quoted(&reason(&sha)), quoted(&context(&sha)));
    let flat = format!(r#""additional_context":{c},"decision":"block""#);
    let deny = format!(r#""permissionDecision":"deny","permissionDecisionReason":{r}"#);
    let claudes = format!(
        r#""hookSpecificOutput":{{"additionalContext":{c},"hookEventName":"PreToolUse",{deny}}},"reason":{r}"#
    );
    let geminis = format!(
        r#""hookSpecificOutput":{{"additionalContext":{c},"hookEventName":"BeforeTool"}},"reason":{r}"#
    );
    let cursors = format!(r#"{{"agent_message":{r},"permission":"deny","user_message":{c}}}"#);
    for (name, document, expected) in [
        ("claude", claude(cwd, "git push"), format!("{{{flat},{claudes}}}")),
        ("codex", codex(cwd, "git push"), format!(r#"{{"decision":"block",{claudes}}}"#)),
        ("gemini", gemini(cwd, "git push"), format!("{{{flat},{geminis}}}")),
        ("copilot", copilot(cwd, "git push"), format!(r#"{{"additionalContext":{c},{deny}}}"#)),
        ("copilot", claude(cwd, "git push"), format!("{{{flat},{claudes}}}")),
        ("cursor", cursor(cwd, "git push"), cursors),
        ("plain", plain(cwd, "git push"), format!(r#"{{{flat},"reason":{r}}}"#)),
    ] {
        for name in [name, "auto"] {
            assert_eq!(gate.ask(name, document.to_string()), format!("{expected}\n"), "{name}");
        }
    }
    // what an agent sends counts more than what was typed
    let given = gemini(cwd, "git push").to_string();
    assert_eq!(gate.ask("claude", &given), gate.ask("gemini", &given));
    assert_eq!(gate.count("feature"), 1);
}

#[test]
fn what_passes_is_told_in_the_words_of_each_agent() {
    let (gate, sha) = Gate::regression();
    let cwd = gate.top.to_str().unwrap();
    for (name, document) in AGENTS {
        let expected = if name == "cursor" { "{\"permission\":\"allow\"}\n" } else { "{}\n" };
        for command in ["echo git push", "git status", "git push --dry-run", ""] {
            let given = document(cwd, command).to_string();
            assert_eq!(gate.ask(name, &given), expected, "{name} {command}");
            assert_eq!(gate.ask("auto", &given), expected, "{name} {command}");
        }
    }
    gate.record(&sha, "AUTO_APPROVE");
    for (name, document) in AGENTS {
        let expected = if name == "cursor" { "{\"permission\":\"allow\"}\n" } else { "{}\n" };
        assert_eq!(gate.ask(name, document(cwd, "git push").to_string()), expected, "{name}");
    }
    assert!(gate.count("feature").is_null());
}

#[test]
fn other_events_and_other_tools_pass() {
    let (gate, _) = Gate::regression();
    let cwd = gate.top.to_str().unwrap();
    let with = |key: &str, value: &str| {
        let mut document = claude(cwd, "git push");
        document[key] = json!(value);
        document.to_string()
    };
    for given in [
        with("tool_name", "Edit"),
        with("hook_event_name", "PostToolUse"),
        with("hook_event_name", "PostToolUseFailure"),
        with("hook_event_name", "Stop"),
        with("hook_event_name", "SessionStart"),
        json!({"hook_event_name": "Stop", "stop_hook_active": true}).to_string(),
        json!({}).to_string(),
    ] {
        assert_eq!(gate.ask("claude", &given), "{}\n", "{given}");
    }
}

#[test]
fn what_cannot_be_read_blocks_where_it_may_be_a_push() {
    let (gate, _) = Gate::regression();
    let whole = claude(gate.top.to_str().unwrap(), "git push").to_string();
    let torn = &whole[..whole.len() - 1];
    for agent in ["claude", "codex", "auto"] {
        let reason = reason_of(&gate.ask(agent, torn));
        assert!(reason.contains("the agent's JSON cannot be read: EOF"), "{reason}");
        assert!(!reason.contains('\n'), "{reason}");
        let log = format!("a log line\n{whole}");
        assert!(reason_of(&gate.ask(agent, log)).contains("cannot be read"));
    }
    let deny = |text: &str| serde_json::from_str::<Value>(text).unwrap()["permission"].clone();
    let torn = "{\"hook_event_name\": \"beforeShellExecution\", \"command\": \"git push";
    assert_eq!(deny(&gate.ask("auto", torn)), "deny");
    let strange = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": {"git": "push"}}});
    let reason = reason_of(&gate.ask("claude", strange.to_string()));
    assert!(reason.contains("no readable command"), "{reason}");
    for harmless in ["", "{", "not json", "[]", "\u{1}"] {
        assert_eq!(gate.ask("claude", harmless), "{}\n", "{harmless}");
    }
    let much = format!("{{\"command\": \"git push {}\"}}", "x".repeat(17 << 20));
    assert!(reason_of(&gate.ask("plain", much)).contains("more than 16 MiB"));
}
