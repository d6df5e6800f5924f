//! Known coding agents: how each is started without a terminal, and where it says how many tokens it
//! used. Measured on the real programs; `EVIDENCE_PROMPT` names the file with the task.
//!
//! Use is counted as fresh input + cache writes + output. Cache reads are left out: they are cheap,
//! and one long run reads its cache a hundred times.

use std::collections::HashMap;

use serde_json::Value;

/// One agent.
pub(super) struct Agent {
    /// The word for `agent = "…"`.
    pub(super) name: &'static str,
    /// The command, for the shell.
    pub(super) command: &'static str,
    /// Reads use from what the agent wrote to standard output, line by line.
    pub(super) usage: fn(&mut dyn Iterator<Item = String>) -> Option<u64>,
}

/// What a dispatch is charged where the use of an agent is unknown.
pub(super) const ESTIMATE: u64 = 40_000;

pub(super) static AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        command: concat!(
            "exec claude -p \"$(cat \"$EVIDENCE_PROMPT\")\" --output-format stream-json --verbose ",
            "--permission-mode acceptEdits --allowedTools 'Bash Edit Write Read Grep Glob' ",
            "--disallowedTools 'Bash(git push:*) Bash(git reset:*) Bash(git clean:*) ",
            "Bash(git stash:*) Bash(git checkout:*) Bash(git rebase:*) WebFetch WebSearch'",
        ),
        usage: claude,
    },
    Agent {
        name: "codex",
        command: "exec codex exec --json -s workspace-write --skip-git-repo-check \"$(cat \"$EVIDENCE_PROMPT\")\"",
        usage: codex,
    },
    Agent {
        name: "gemini",
        command: "exec gemini -p \"$(cat \"$EVIDENCE_PROMPT\")\" --output-format json --approval-mode yolo --skip-trust",
        usage: gemini,
    },
    Agent {
        name: "copilot",
        // It says what it used in a file only: its one line goes to standard output at the end.
        command: concat!(
            "copilot -p \"$(cat \"$EVIDENCE_PROMPT\")\" --output-format json --allow-all-tools ",
            "--no-ask-user --deny-tool 'shell(git push)' --deny-tool 'shell(git reset)' ",
            "--usage-output-file \"$EVIDENCE_USAGE.copilot\"; code=$?; ",
            "tr -d '\\n' < \"$EVIDENCE_USAGE.copilot\" 2>/dev/null; echo; exit $code",
        ),
        usage: copilot,
    },
    Agent {
        name: "opencode",
        command: "exec opencode run --format json --auto \"$(cat \"$EVIDENCE_PROMPT\")\"",
        usage: opencode,
    },
    Agent {
        name: "aider",
        command: concat!(
            "exec aider --message-file \"$EVIDENCE_PROMPT\" --yes-always --no-auto-commits ",
            "--no-dirty-commits --no-gitignore --no-check-update --no-analytics --no-pretty --no-stream",
        ),
        usage: aider,
    },
];

/// The agent of that name.
pub(super) fn by_name(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|a| a.name == name)
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The closing `result` line has use by model; a run that was ended has none, but each message says
/// its own, once per content block, so messages are counted by their id.
fn claude(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let mut by_message: HashMap<String, u64> = HashMap::new();
    let mut total = None;
    for line in lines {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        match event.get("type").and_then(Value::as_str) {
            Some("assistant") => {
                let Some(message) = event.get("message") else { continue };
                let Some(usage) = message.get("usage") else { continue };
                let id = message.get("id").and_then(Value::as_str).unwrap_or_default();
                let spent = number(usage, "input_tokens")
                    + number(usage, "cache_creation_input_tokens")
                    + number(usage, "output_tokens");
                by_message.insert(id.to_string(), spent);
            }
            Some("result") => {
                let Some(models) = event.get("modelUsage").and_then(Value::as_object) else {
                    continue;
                };
                let spent = models.values().map(|m| {
                    number(m, "inputTokens")
                        + number(m, "cacheCreationInputTokens")
                        + number(m, "outputTokens")
                });
                total = Some(spent.sum());
            }
            _ => {}
        }
    }
    total.or_else(|| (!by_message.is_empty()).then(|| by_message.values().sum()))
}

/// `turn.completed` events; `input_tokens` includes what was cached.
fn codex(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let mut total = None;
    for line in lines {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        if event.get("type").and_then(Value::as_str) != Some("turn.completed") {
            continue;
        }
        let Some(usage) = event.get("usage") else { continue };
        let fresh =
            number(usage, "input_tokens").saturating_sub(number(usage, "cached_input_tokens"));
        *total.get_or_insert(0) += fresh + number(usage, "output_tokens");
    }
    total
}

/// One JSON document with counts by model; thinking counts as output.
fn gemini(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let text: String = lines.collect::<Vec<_>>().join("\n");
    let start = text.find('{')?;
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let document = documents.next()?.ok()?;
    let models = document.pointer("/stats/models")?.as_object()?;
    Some(
        models
            .values()
            .filter_map(|m| m.get("tokens"))
            .map(|t| number(t, "input") + number(t, "candidates") + number(t, "thoughts"))
            .sum(),
    )
}

/// Counts by model; `inputTokens` includes what was read from the cache.
fn copilot(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let mut total = None;
    for line in lines {
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(models) = value.get("modelMetrics").and_then(Value::as_object) else { continue };
        let used = models.values().filter_map(|m| m.get("usage")).map(|u| {
            number(u, "inputTokens").saturating_sub(number(u, "cacheReadTokens"))
                + number(u, "outputTokens")
        });
        total = Some(used.sum());
    }
    total
}

/// `step_finish` events, each of one request; `input` leaves out what was cached.
fn opencode(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let mut total = None;
    for line in lines {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        if event.get("type").and_then(Value::as_str) != Some("step_finish") {
            continue;
        }
        let Some(tokens) = event.pointer("/part/tokens") else { continue };
        let written = tokens.pointer("/cache/write").and_then(Value::as_u64).unwrap_or(0);
        *total.get_or_insert(0) += number(tokens, "input") + number(tokens, "output") + written;
    }
    total
}

/// `Tokens: 12k sent, 1.5k received.` once per request, rounded.
fn aider(lines: &mut dyn Iterator<Item = String>) -> Option<u64> {
    let mut total = None;
    for line in lines {
        let Some(rest) = line.trim_start().strip_prefix("Tokens: ") else { continue };
        let counts = rest.split(", ").filter_map(|part| {
            let (count, what) = part.trim_end_matches('.').split_once(' ')?;
            let counted = ["sent", "received", "cache write"];
            counted.iter().any(|w| what.starts_with(w)).then(|| rounded(count)).flatten()
        });
        *total.get_or_insert(0) += counts.sum::<u64>();
    }
    total
}

/// `777`, `1.5k`, `2M`.
fn rounded(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['k', 'M']) {
        Some(digits) if text.ends_with('k') => (digits, 1_000),
        Some(digits) => (digits, 1_000_000),
        None => (text, 1),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let part: u64 = part.get(..1)?.parse().ok()?;
    Some(whole.parse::<u64>().ok()? * unit + part * unit / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(agent: &str, text: &str) -> Option<u64> {
        (by_name(agent).unwrap().usage)(&mut text.lines().map(str::to_string))
    }

    #[test]
    fn every_configurable_agent_has_a_row() {
        let names: Vec<&str> = AGENTS.iter().map(|a| a.name).collect();
        assert_eq!(names, crate::config::AGENTS);
    }

    #[test]
    fn use_is_fresh_input_cache_writes_and_output() {
        let result =
            r#"{"type":"result","usage":{"input_tokens":0},"modelUsage":{"m":{"inputTokens":100,
            "outputTokens":20,"cacheReadInputTokens":9000,"cacheCreationInputTokens":7}}}"#
                .replace('\n', "");
        assert_eq!(read("claude", &format!("noise\n{result}\n")), Some(127));
        let message = r#"{"type":"assistant","message":{"id":"a","usage":{"input_tokens":10,"output_tokens":2}}}"#;
        assert_eq!(
            read("claude", &format!("{message}\n{message}\n")),
            Some(12),
            "once per message"
        );
        let turn = r#"{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":300,"output_tokens":77}}"#;
        assert_eq!(read("codex", turn), Some(777));
        let stats = r#"warning: x
{"response":"r","stats":{"models":{"m":{"tokens":{"input":150,"cached":50,"candidates":30,"thoughts":10}}}}}"#;
        assert_eq!(read("gemini", stats), Some(190));
        let tokens = "Tokens: 12k sent, 2.5k cache write, 9k cache hit, 777 received. Cost: $0.12 message.\n";
        assert_eq!(read("aider", tokens), Some(12_000 + 2_500 + 777));
        let metrics = r#"{"modelMetrics":{"m":{"usage":{"inputTokens":100,"outputTokens":20,"cacheReadTokens":60,"cacheWriteTokens":5}}}}"#;
        assert_eq!(read("copilot", &format!("{{\"type\":\"result\"}}\n{metrics}\n")), Some(60));
        let step = r#"{"type":"step_finish","part":{"tokens":{"input":10,"output":3,"reasoning":1,"cache":{"read":900,"write":4}}}}"#;
        assert_eq!(read("opencode", &format!("{step}\n{step}\n")), Some(34));
        for agent in crate::config::AGENTS {
            assert_eq!(read(agent, "nothing of the kind\n{\n"), None, "{agent}");
        }
    }
}
