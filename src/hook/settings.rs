//! An agent's own settings: our hook put into them, and taken out again. Pure: text in, text out.
//!
//! What else stands there keeps its place, its comments and its form. Facts about the files are those
//! of the agents' own manuals and of trying them: which file, which events, which unit of time.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};

/// An agent whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// Its name, as it is typed.
    pub name: &'static str,
    /// The file, from the top of the checkout.
    pub file: &'static str,
    /// What a person should know.
    pub note: &'static str,
    /// `version` that the file has to state.
    version: Option<u8>,
    /// Before and after a command is run.
    events: [&'static str; 2],
    shape: Shape,
}

/// How a hook is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Groups with a matcher, each with its hooks; seconds, and whether what fails blocks.
    Matched { matcher: &'static str, timeout: &'static str, closed: bool },
    /// Hooks with `bash` and `timeoutSec`.
    Bash,
    /// Hooks with `command` alone.
    Plain,
}

/// All of them.
pub static AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        // The personal one: a program that others lack would stop each of their commands.
        file: ".claude/settings.local.json",
        note: "it counts for you in this checkout",
        version: None,
        events: ["PreToolUse", "PostToolUse"],
        shape: Shape::Matched { matcher: "Bash", timeout: "10", closed: true },
    },
    Agent {
        name: "codex",
        file: ".codex/hooks.json",
        note: "Codex reads it in a trusted project only, and skips hooks that were not trusted \
               without a word: start it once and trust them",
        version: None,
        events: ["PreToolUse", "PostToolUse"],
        shape: Shape::Matched { matcher: "Bash", timeout: "10", closed: false },
    },
    Agent {
        name: "gemini",
        file: ".gemini/settings.json",
        note: "it counts in this checkout",
        version: None,
        events: ["BeforeTool", "AfterTool"],
        // milliseconds
        shape: Shape::Matched { matcher: "run_shell_command", timeout: "10000", closed: false },
    },
    Agent {
        name: "copilot",
        file: ".github/hooks/git-evidence.json",
        note: "Copilot reads it in a trusted folder only",
        version: Some(1),
        events: ["preToolUse", "postToolUse"],
        shape: Shape::Bash,
    },
    Agent {
        name: "cursor",
        file: ".cursor/hooks.json",
        note: "it counts in this checkout",
        version: Some(1),
        events: ["beforeShellExecution", "afterShellExecution"],
        shape: Shape::Plain,
    },
];

/// The agent of this name.
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|a| a.name == name)
}

/// What is in an agent's settings already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Present {
    /// No hook of ours.
    No,
    /// Ours, with this command, for every event.
    Yes(String),
    /// Ours, but not for every event.
    Partly,
    /// Ours, and all hooks are switched off.
    SwitchedOff,
}

/// Puts our hook into the settings; none where it is there as it should be.
///
/// # Errors
/// One clause: what of the file cannot be used.
pub fn install(agent: &Agent, text: Option<&str>, command: &str) -> Result<Option<String>, String> {
    let root = parse(text.unwrap_or("{}\n"))?;
    let top = root.object_value().ok_or("it holds no object")?;
    let before = root.to_string();
    if let Some(version) = agent.version
        && top.get("version").is_none()
    {
        top.append("version", CstInputValue::Number(version.to_string()));
    }
    let hooks = top.object_value_or_create("hooks").ok_or("its \"hooks\" is no object")?;
    for (at, event) in agent.events.into_iter().enumerate() {
        let list = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("its \"hooks\".\"{event}\" is no list"))?;
        let ours = ours_in(&list);
        if ours.len() == 1 && ours[0] == command {
            continue;
        }
        take_out(&list);
        list.append(agent.entry(command, at == 0));
        list.ensure_multiline();
    }
    let after = root.to_string();
    Ok((text.is_none() || after != before).then_some(after))
}

/// What is left without our hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// Nothing of ours was there.
    Unchanged,
    /// This.
    Text(String),
    /// Nothing at all: the file can go.
    Nothing,
}

/// Takes our hook out of the settings.
///
/// # Errors
/// One clause: what of the file cannot be used.
pub fn remove(agent: &Agent, text: &str) -> Result<Left, String> {
    let root = parse(text)?;
    let top = root.object_value().ok_or("it holds no object")?;
    let Some(hooks) = top.object_value("hooks") else { return Ok(Left::Unchanged) };
    let mut found = false;
    for prop in hooks.properties() {
        let Some(list) = prop.array_value() else { continue };
        if ours_in(&list).is_empty() {
            continue;
        }
        found = true;
        take_out(&list);
        if list.elements().is_empty() {
            prop.remove();
        }
    }
    if !found {
        return Ok(Left::Unchanged);
    }
    if hooks.properties().is_empty()
        && let Some(prop) = top.get("hooks")
    {
        prop.remove();
    }
    let rest: Vec<Option<String>> =
        top.properties().iter().map(CstObjectProp::decoded_name).collect();
    let only_version = agent.version.is_some() && rest == [Some("version".to_string())];
    Ok(match rest.is_empty() || only_version {
        true => Left::Nothing,
        false => Left::Text(root.to_string()),
    })
}

/// Looks whether our hook is there.
///
/// # Errors
/// One clause: what of the file cannot be used.
pub fn present(agent: &Agent, text: &str) -> Result<Present, String> {
    let root = parse(text)?;
    let top = root.object_value().ok_or("it holds no object")?;
    let Some(hooks) = top.object_value("hooks") else { return Ok(Present::No) };
    let each: Vec<Option<String>> = agent
        .events
        .iter()
        .map(|event| ours_in(&hooks.array_value(event)?).into_iter().next())
        .collect();
    let off = top.get("disableAllHooks").and_then(|p| p.value());
    let off = off.and_then(|v| v.as_boolean_lit()).is_some_and(|b| b.value());
    Ok(match (each.iter().flatten().next(), each.iter().all(Option::is_some)) {
        (None, _) => Present::No,
        (Some(_), _) if off => Present::SwitchedOff,
        (Some(command), true) => Present::Yes(command.clone()),
        (Some(_), false) => Present::Partly,
    })
}

/// Whether settings switch every hook off.
pub fn all_off(text: &str) -> bool {
    let off = || {
        let top = parse(text).ok()?.object_value()?;
        Some(top.get("disableAllHooks")?.value()?.as_boolean_lit()?.value())
    };
    off().unwrap_or(false)
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let text = text.trim_start_matches('\u{feff}');
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let strict = ParseOptions {
        allow_loose_object_property_names: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_missing_commas: false,
        ..ParseOptions::default()
    };
    let root = CstRootNode::parse(text, &strict).map_err(|e| e.to_string())?;
    let named = |p: &CstObjectProp| p.decoded_name().as_deref() == Some("hooks");
    let twice =
        root.object_value().map_or(0, |o| o.properties().iter().filter(|p| named(p)).count());
    // which of the two counts depends on who reads it
    if twice > 1 { Err("it has \"hooks\" twice".into()) } else { Ok(root) }
}

impl Agent {
    /// The agent's own program.
    pub fn program(&self) -> &'static str {
        if self.name == "cursor" { "cursor-agent" } else { self.name }
    }

    /// The command that its settings hold.
    pub fn command(&self, program: &str) -> String {
        format!("{program} hook {}", self.name)
    }

    fn entry(&self, command: &str, before: bool) -> CstInputValue {
        let text = |t: &str| CstInputValue::String(t.to_string());
        let number = |n: &str| CstInputValue::Number(n.to_string());
        let object = |pairs: Vec<(&str, CstInputValue)>| {
            CstInputValue::Object(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
        };
        match self.shape {
            Shape::Matched { matcher, timeout, closed } => {
                let mut hook = vec![
                    ("type", text("command")),
                    ("command", text(command)),
                    ("timeout", number(timeout)),
                ];
                if closed && before {
                    hook.push(("onFailure", text("block")));
                }
                let hooks = CstInputValue::Array(vec![object(hook)]);
                object(vec![("matcher", text(matcher)), ("hooks", hooks)])
            }
            Shape::Bash => object(vec![
                ("type", text("command")),
                ("bash", text(command)),
                ("timeoutSec", number("10")),
            ]),
            Shape::Plain if before => {
                object(vec![("command", text(command)), ("failClosed", CstInputValue::Bool(true))])
            }
            Shape::Plain => object(vec![("command", text(command))]),
        }
    }
}

/// Our commands in a list of hooks, or of groups of hooks.
fn ours_in(list: &CstArray) -> Vec<String> {
    let objects = list.elements().into_iter().filter_map(|n| n.as_object());
    objects
        .flat_map(|entry| match entry.array_value("hooks") {
            Some(inner) => ours_in(&inner),
            None => our_command(&entry).into_iter().collect(),
        })
        .collect()
}

fn our_command(entry: &CstObject) -> Option<String> {
    ["command", "bash"].iter().find_map(|key| {
        let text = entry.get(key)?.value()?.as_string_lit()?.decoded_value().ok()?;
        is_ours(&text).then_some(text)
    })
}

/// Whether a command is our hook, under whatever path and in whatever quotes.
fn is_ours(command: &str) -> bool {
    let command = command.trim();
    let Some(at) = command.rfind(" hook ") else { return false };
    let program = command[..at].trim_end_matches(['\'', '"']);
    let name = command[at + 6..].trim();
    (program == "git-review-evidence" || program.ends_with("/git-review-evidence"))
        && (agent(name).is_some() || name == "auto")
}

fn take_out(list: &CstArray) {
    for node in list.elements() {
        let Some(entry) = node.as_object() else { continue };
        match entry.array_value("hooks") {
            Some(inner) if !ours_in(&inner).is_empty() => {
                take_out(&inner);
                if inner.elements().is_empty() {
                    node.remove();
                }
            }
            None if our_command(&entry).is_some() => node.remove(),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
