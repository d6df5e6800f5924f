//! What an agent tells its hook on standard input. Pure.
//!
//! Each agent has names of its own for the same facts. They are told apart by what is given; the
//! name that was typed decides only where two agents send the same.

#![deny(clippy::disallowed_methods)]

use std::path::PathBuf;

use serde_json::Value;

use crate::model::{sanitize, shell_word};

/// The most that is read.
pub(super) const MOST: usize = 16 * 1024 * 1024;
/// What agents call the tool that runs shell commands, in small letters.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "shell_command",
    "local_shell",
    "exec_command",
    "execute_command",
    "run_command",
    "run_in_terminal",
    "run_shell_command",
    "run_terminal_cmd",
    "terminal",
];

/// Whose names are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Claude Code, and Copilot where its hooks are set up under Claude's names.
    Claude,
    /// Codex: Claude's names, and no answer with a key that it does not know.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Copilot under its own names.
    Copilot,
    /// Cursor.
    Cursor,
    /// `{"command", "cwd"}`: any program.
    Plain,
}

impl Dialect {
    /// What this agent calls the event before a tool, where it does not say.
    pub(super) fn before_tool(self) -> &'static str {
        match self {
            Dialect::Claude | Dialect::Codex | Dialect::Plain => "PreToolUse",
            Dialect::Gemini => "BeforeTool",
            Dialect::Copilot => "preToolUse",
            Dialect::Cursor => "beforeShellExecution",
        }
    }
}

/// When the hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A tool is about to run.
    PreTool,
    /// A tool has run.
    PostTool,
    /// Anything else, the end of a turn too: whether an agent may stop is not for evidence to say,
    /// and Codex would ask again for ever.
    Other,
}

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Payload {
    /// Whose names these are.
    pub(super) dialect: Dialect,
    /// When.
    pub(super) event: Event,
    /// The event as the agent calls it; the answer repeats it.
    pub(super) event_name: String,
    /// The tool runs shell commands.
    pub(super) tool_is_shell: bool,
    /// The command's text.
    pub(super) command: Option<String>,
    /// The folder that it is run in.
    pub(super) cwd: Option<PathBuf>,
}

/// Reads it; `typed` is the agent that the hook was set up for, none for `auto`.
///
/// # Errors
/// One sentence where it is no JSON object, or too much.
pub(super) fn read(bytes: &[u8], typed: Option<Dialect>) -> Result<Payload, String> {
    if bytes.len() > MOST {
        return Err(format!("standard input holds more than {} MiB", MOST >> 20));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("standard input is empty where the agent's JSON has to be".to_string());
    }
    let given: Value = serde_json::from_slice(bytes)
        .map_err(|e| format!("the agent's JSON cannot be read: {}", sanitize(&e.to_string())))?;
    if !given.is_object() {
        return Err("the agent's JSON is no object".to_string());
    }
    let dialect = dialect(&given, typed);
    let said = text(&given, "hook_event_name").filter(|name| !name.is_empty());
    let event = said.map_or_else(|| unsaid(&given), event);
    let tool = text(&given, "tool_name").or_else(|| text(&given, "toolName"));
    let command = command(&given);
    Ok(Payload {
        dialect,
        event,
        event_name: said.unwrap_or(dialect.before_tool()).to_string(),
        tool_is_shell: tool.map_or(command.is_some(), is_shell),
        command,
        cwd: folder(&given),
    })
}

/// Where the command will run: the agent's folder, or the one that its tool is given besides.
fn folder(given: &Value) -> Option<PathBuf> {
    let cwd = text(given, "cwd").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let input = given.get("tool_input").or_else(|| given.get("toolArgs"));
    let own = ["workdir", "dir_path", "directory", "cwd"].iter().find_map(|k| text(input?, k));
    match (cwd, own.filter(|dir| !dir.is_empty())) {
        (Some(cwd), Some(own)) => Some(cwd.join(own)),
        (None, Some(own)) => Some(PathBuf::from(own)),
        (cwd, None) => cwd,
    }
}

fn is_shell(tool: &str) -> bool {
    SHELLS.contains(&tool.to_ascii_lowercase().as_str())
}

fn text<'a>(given: &'a Value, key: &str) -> Option<&'a str> {
    given.get(key)?.as_str()
}

fn dialect(given: &Value, typed: Option<Dialect>) -> Dialect {
    let Some(event) = text(given, "hook_event_name").filter(|name| !name.is_empty()) else {
        return match typed {
            _ if given.get("toolName").is_some() => Dialect::Copilot,
            None | Some(Dialect::Copilot) => Dialect::Plain,
            Some(typed) => typed,
        };
    };
    match event {
        "BeforeTool"
        | "AfterTool"
        | "BeforeAgent"
        | "AfterAgent"
        | "BeforeModel"
        | "AfterModel"
        | "BeforeToolSelection"
        | "PreCompress" => Dialect::Gemini,
        // Cursor writes its events small, and says which
        _ if event.starts_with(|c: char| c.is_ascii_lowercase()) => Dialect::Cursor,
        // a turn has a number in Codex alone
        _ if given.get("turn_id").is_some() => Dialect::Codex,
        _ if typed == Some(Dialect::Codex) => Dialect::Codex,
        "SessionStart" | "SessionEnd" | "Notification" if typed == Some(Dialect::Gemini) => {
            Dialect::Gemini
        }
        _ => Dialect::Claude,
    }
}

fn event(name: &str) -> Event {
    match name {
        "PreToolUse" | "BeforeTool" | "preToolUse" | "beforeShellExecution" => Event::PreTool,
        "PostToolUse" | "AfterTool" | "postToolUse" | "afterShellExecution" => Event::PostTool,
        _ => Event::Other,
    }
}

/// Where the agent leaves it to the place that the hook was written in.
fn unsaid(given: &Value) -> Event {
    let has = |key: &str| given.get(key).is_some();
    if has("toolResult") || has("tool_response") || has("tool_output") {
        return Event::PostTool;
    }
    let tool = has("toolName") || has("tool_name") || has("tool_input") || has("command");
    if tool { Event::PreTool } else { Event::Other }
}

/// The first place where one stands.
fn command(given: &Value) -> Option<String> {
    let input = given.get("tool_input").or_else(|| given.get("toolArgs"));
    let nested: Option<Value> = match input {
        // Copilot hands the arguments over as JSON in a text
        Some(Value::String(json)) => serde_json::from_str(json).ok(),
        other => other.cloned(),
    };
    let inside = nested.as_ref().and_then(|n| n.get("command").or_else(|| n.get("cmd")));
    words(inside.or_else(|| given.get("command"))?)
}

/// A text, or the words of a command.
fn words(command: &Value) -> Option<String> {
    match command {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => {
            let words: Option<Vec<String>> =
                all.iter().map(|word| word.as_str().map(shell_word)).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AUTO: Option<Dialect> = None;

    fn of(given: &Value, typed: Option<Dialect>) -> Payload {
        read(given.to_string().as_bytes(), typed).unwrap()
    }

    #[test]
    fn each_agent_is_known_by_what_it_gives() {
        let input = json!({"command": "git push", "description": "d"});
        let claude = json!({"session_id": "s", "cwd": "/r", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": input, "tool_use_id": "t", "new": [1]});
        let mut codex = claude.clone();
        codex["turn_id"] = json!("1");
        let gemini = json!({"cwd": "/r", "hook_event_name": "BeforeTool", "timestamp": "t",
            "tool_name": "run_shell_command", "tool_input": input});
        let copilot = json!({"sessionId": "s", "cwd": "/r", "toolName": "bash", "toolArgs": input});
        let as_text = json!({"cwd": "/r", "toolName": "bash", "toolArgs": input.to_string()});
        let cursor = json!({"conversation_id": "c", "hook_event_name": "beforeShellExecution",
            "command": "git push", "cwd": "/r"});
        let plain = json!({"command": "git push", "cwd": "/r"});
        let words = json!({"command": ["git", "push"], "cwd": "/r"});
        for (given, typed, dialect, name) in [
            (&claude, AUTO, Dialect::Claude, "PreToolUse"),
            (&claude, Some(Dialect::Codex), Dialect::Codex, "PreToolUse"),
            (&claude, Some(Dialect::Copilot), Dialect::Claude, "PreToolUse"),
            (&claude, Some(Dialect::Gemini), Dialect::Claude, "PreToolUse"),
            (&codex, AUTO, Dialect::Codex, "PreToolUse"),
            (&codex, Some(Dialect::Claude), Dialect::Codex, "PreToolUse"),
            (&gemini, AUTO, Dialect::Gemini, "BeforeTool"),
            (&gemini, Some(Dialect::Claude), Dialect::Gemini, "BeforeTool"),
            (&copilot, AUTO, Dialect::Copilot, "preToolUse"),
            (&as_text, Some(Dialect::Claude), Dialect::Copilot, "preToolUse"),
            (&cursor, AUTO, Dialect::Cursor, "beforeShellExecution"),
            (&plain, AUTO, Dialect::Plain, "PreToolUse"),
            (&words, Some(Dialect::Plain), Dialect::Plain, "PreToolUse"),
            (&plain, Some(Dialect::Cursor), Dialect::Cursor, "beforeShellExecution"),
            (&plain, Some(Dialect::Claude), Dialect::Claude, "PreToolUse"),
        ] {
            let expected = Payload {
                dialect,
                event: Event::PreTool,
                event_name: name.to_string(),
                tool_is_shell: true,
                command: Some("git push".to_string()),
                cwd: Some("/r".into()),
            };
            assert_eq!(of(given, typed), expected, "{typed:?} {given}");
        }
    }

    #[test]
    fn events_after_a_tool_and_at_the_end_are_known() {
        for (given, dialect, event) in [
            (json!({"hook_event_name": "PostToolUse"}), Dialect::Claude, Event::PostTool),
            (json!({"hook_event_name": "PostToolUseFailure"}), Dialect::Claude, Event::Other),
            (
                json!({"hook_event_name": "Stop", "stop_hook_active": true}),
                Dialect::Claude,
                Event::Other,
            ),
            (json!({"hook_event_name": "AfterTool"}), Dialect::Gemini, Event::PostTool),
            (json!({"hook_event_name": "AfterAgent"}), Dialect::Gemini, Event::Other),
            (json!({"hook_event_name": "afterShellExecution"}), Dialect::Cursor, Event::PostTool),
            (json!({"hook_event_name": "stop"}), Dialect::Cursor, Event::Other),
            (json!({"hook_event_name": "SessionStart"}), Dialect::Claude, Event::Other),
            (
                json!({"toolName": "bash", "toolArgs": "{}", "toolResult": {}}),
                Dialect::Copilot,
                Event::PostTool,
            ),
            (
                json!({"tool_input": {"command": "x"}, "tool_response": "y"}),
                Dialect::Plain,
                Event::PostTool,
            ),
            (json!({}), Dialect::Plain, Event::Other),
        ] {
            let payload = of(&given, AUTO);
            assert_eq!((payload.dialect, payload.event), (dialect, event), "{given}");
        }
    }

    #[test]
    fn other_tools_are_no_shell_and_a_strange_command_is_none() {
        let tool = |name: &str, command: Value| {
            json!({"hook_event_name": "PreToolUse", "tool_name": name,
                "tool_input": {"command": command}})
        };
        let edit = of(&tool("Edit", json!("git push")), AUTO);
        assert!(!edit.tool_is_shell);
        for strange in [json!(7), json!(null), json!(["git", 7]), json!({"a": "git push"})] {
            let bash = of(&tool("Bash", strange), AUTO);
            assert_eq!((bash.tool_is_shell, bash.command), (true, None));
        }
        let quoted = of(&tool("shell", json!(["bash", "-lc", "git push"])), AUTO);
        assert_eq!(quoted.command.as_deref(), Some("bash -lc 'git push'"));
    }

    #[test]
    fn what_cannot_be_read_is_said_in_one_sentence() {
        let deep = "[".repeat(100_000);
        for (bytes, says) in [
            (&b""[..], "is empty"),
            (b" \n", "is empty"),
            (b"{\"command\": ", "cannot be read: EOF"),
            (b"\xff\xfe", "cannot be read"),
            (b"log\n{}", "cannot be read"),
            (b"[]", "no object"),
            (deep.as_bytes(), "cannot be read: recursion"),
        ] {
            let why = read(bytes, AUTO).unwrap_err();
            assert!(why.contains(says) && !why.contains('\n'), "{why}");
        }
        let much = vec![b' '; MOST + 1];
        assert!(read(&much, AUTO).unwrap_err().contains("more than 16 MiB"));
        let marked = [b"\xef\xbb\xbf", &b"{\"command\":\"git push\"}"[..]].concat();
        assert_eq!(read(&marked, AUTO).unwrap().command.as_deref(), Some("git push"));
    }
}
