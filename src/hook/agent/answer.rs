//! The answer that each agent understands: one JSON object on one line. Pure.
//!
//! An answer of another shape lets the command run in most agents, so each gets exactly the keys
//! that it knows. What a model reads is the reason in every one of them, the context in some: all
//! that matters stands in the reason.

#![deny(clippy::disallowed_methods)]

use serde_json::{Map, Value};

use super::payload::Dialect;

/// The command may run.
pub(super) fn pass(dialect: Dialect) -> String {
    match dialect {
        Dialect::Cursor => line(&object(&[("permission", text("allow"))])),
        _ => "{}\n".to_string(),
    }
}

/// The command may not run. `event` is what the agent called it; `context` is one sentence.
pub(super) fn block(dialect: Dialect, event: &str, reason: &str, context: &str) -> String {
    let flat = [("decision", text("block")), ("reason", text(reason))];
    let extra = [("additional_context", text(context))];
    let keys: Vec<(&str, Value)> = match dialect {
        Dialect::Claude => [&flat[..], &extra, &[specific(event, true, reason, context)]].concat(),
        // an unknown key, and Codex lets the command run
        Dialect::Codex => [&flat[..], &[specific(event, true, reason, context)]].concat(),
        Dialect::Gemini => [&flat[..], &extra, &[specific(event, false, reason, context)]].concat(),
        Dialect::Copilot => denied(reason, context).to_vec(),
        Dialect::Cursor => vec![
            ("permission", text("deny")),
            ("user_message", text(context)),
            ("agent_message", text(reason)),
        ],
        Dialect::Plain => [&flat[..], &extra].concat(),
    };
    line(&object(&keys))
}

/// What Claude calls the output of one event.
fn specific(event: &str, decides: bool, reason: &str, context: &str) -> (&'static str, Value) {
    let name = ("hookEventName", text(event));
    let rest = denied(reason, context);
    let rest = if decides { &rest[..] } else { &rest[2..] };
    ("hookSpecificOutput", object(&[&[name], rest].concat()))
}

fn denied(reason: &str, context: &str) -> [(&'static str, Value); 3] {
    [
        ("permissionDecision", text("deny")),
        ("permissionDecisionReason", text(reason)),
        ("additionalContext", text(context)),
    ]
}

fn text(text: &str) -> Value {
    Value::String(text.to_string())
}

fn object(keys: &[(&str, Value)]) -> Value {
    Value::Object(keys.iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect::<Map<_, _>>())
}

/// A line end inside a text is escaped, so this is one line.
fn line(answer: &Value) -> String {
    format!("{answer}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Dialect; 6] = [
        Dialect::Claude,
        Dialect::Codex,
        Dialect::Gemini,
        Dialect::Copilot,
        Dialect::Cursor,
        Dialect::Plain,
    ];

    #[test]
    fn every_answer_is_exactly_what_the_agent_takes() {
        let specific = |event: &str, denied: &str| {
            format!(r#"{{"additionalContext":"C","hookEventName":"{event}"{denied}}}"#)
        };
        let deny = r#","permissionDecision":"deny","permissionDecisionReason":"R\n\"""#;
        let flat = r#""additional_context":"C","decision":"block""#;
        let reason = r#""reason":"R\n\"""#;
        let claude = specific("PreToolUse", deny);
        let gemini = specific("BeforeTool", "");
        for (dialect, event, expected) in [
            (
                Dialect::Claude,
                "PreToolUse",
                format!(r#"{{{flat},"hookSpecificOutput":{claude},{reason}}}"#),
            ),
            (
                Dialect::Codex,
                "PreToolUse",
                format!(r#"{{"decision":"block","hookSpecificOutput":{claude},{reason}}}"#),
            ),
            (
                Dialect::Gemini,
                "BeforeTool",
                format!(r#"{{{flat},"hookSpecificOutput":{gemini},{reason}}}"#),
            ),
            (Dialect::Copilot, "preToolUse", format!(r#"{{"additionalContext":"C"{deny}}}"#)),
            (
                Dialect::Cursor,
                "beforeShellExecution",
                r#"{"agent_message":"R\n\"","permission":"deny","user_message":"C"}"#.to_string(),
            ),
            (Dialect::Plain, "", format!("{{{flat},{reason}}}")),
        ] {
            assert_eq!(block(dialect, event, "R\n\"", "C"), expected + "\n", "{dialect:?}");
        }
    }

    #[test]
    fn what_passes_is_nothing_but_json_on_one_line() {
        for dialect in ALL {
            let expected =
                if dialect == Dialect::Cursor { "{\"permission\":\"allow\"}\n" } else { "{}\n" };
            assert_eq!(pass(dialect), expected);
            let blocked = block(dialect, "PreToolUse", "a\u{2028}b\r\n\u{7f}é\u{0}", "");
            assert_eq!(blocked.matches('\n').count(), 1, "{blocked}");
            assert!(serde_json::from_str::<Value>(&blocked).is_ok(), "{blocked}");
        }
    }
}
