//! Settings of agents: put in, taken out, left alone.

use super::*;

const PROGRAM: &str = "git-review-evidence";

fn with(name: &str, text: Option<&str>) -> String {
    let agent = agent(name).unwrap();
    install(agent, text, &agent.command(PROGRAM)).unwrap().unwrap()
}

#[test]
fn where_nothing_is_the_smallest_file_is_written() {
    let claude = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "git-review-evidence hook claude",
            "timeout": 10,
            "onFailure": "block"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "git-review-evidence hook claude",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(with("claude", None), claude);
    for agent in AGENTS {
        let text = with(agent.name, None);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        for event in agent.events {
            let entry = &value["hooks"][event][0];
            let inner = if entry["hooks"].is_array() { &entry["hooks"][0] } else { entry };
            let command =
                if inner["bash"].is_string() { &inner["bash"] } else { &inner["command"] };
            assert_eq!(command, &format!("git-review-evidence hook {}", agent.name));
        }
        assert_eq!(value["version"].as_u64(), agent.version.map(u64::from));
        let again = install(agent, Some(&text), &agent.command(PROGRAM)).unwrap();
        assert_eq!(again, None, "{}: a second time changes nothing", agent.name);
        assert_eq!(remove(agent, &text).unwrap(), Left::Nothing);
        assert_eq!(present(agent, &text).unwrap(), Present::Yes(agent.command(PROGRAM)));
    }
}

#[test]
fn what_stands_there_keeps_its_place_its_comments_and_its_form() {
    let text = "{\n    // mine\n    \"model\": \"x\",\n    \"hooks\": {\n        \"PreToolUse\": [\n            \
        {\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}\n        ],\n        \
        \"Stop\": []\n    },\n    \"env\": {\"A\": \"b\"}\n}\n";
    let agent = agent("claude").unwrap();
    let put = with("claude", Some(text));
    for kept in [
        "// mine",
        "{\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}",
        "\"Stop\": []",
        "\"env\": {\"A\": \"b\"}",
    ] {
        assert!(put.contains(kept), "{kept}\n{put}");
    }
    let Left::Text(back) = remove(agent, &put).unwrap() else { panic!() };
    assert_eq!(back, text);
}

#[test]
fn an_older_entry_of_ours_is_replaced_and_those_of_others_stay() {
    let text = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [\n\
        {\"type\": \"command\", \"command\": \"'/old place/git-review-evidence' hook claude\"},\n\
        {\"type\": \"command\", \"command\": \"other\"}]}]}}";
    let agent = agent("claude").unwrap();
    let put = with("claude", Some(text));
    assert!(!put.contains("old place") && put.contains("\"other\""), "{put}");
    assert_eq!(put.matches("git-review-evidence hook claude").count(), 2);
    let Left::Text(back) = remove(agent, &put).unwrap() else { panic!() };
    assert!(!back.contains("git-review-evidence") && back.contains("\"other\""), "{back}");
    assert_eq!(remove(agent, &back).unwrap(), Left::Unchanged);
}

#[test]
fn only_our_own_command_is_ours() {
    for (command, ours) in [
        ("git-review-evidence hook claude", true),
        ("/opt/x/git-review-evidence hook cursor", true),
        ("\"/a b/git-review-evidence\" hook codex", true),
        ("my-git-review-evidence hook claude", false),
        ("git-review-evidence hook pre-push", false),
        ("echo git-review-evidence", false),
        ("git-review-evidence hook claude && rm x", false),
    ] {
        assert_eq!(is_ours(command), ours, "{command}");
    }
}

#[test]
fn what_cannot_be_used_is_said_and_not_touched() {
    let claude = agent("claude").unwrap();
    for (text, want) in [
        ("[]", "it holds no object"),
        ("{\"hooks\": []}", "its \"hooks\" is no object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "its \"hooks\".\"PreToolUse\" is no list"),
        ("{\"hooks\": ", "line 1"),
        ("{'hooks': {}}", "line 1"),
        ("{hooks: {}}", "line 1"),
        ("{\"hooks\": {}, \"hooks\": {}}", "twice"),
    ] {
        let said = install(claude, Some(text), "x").unwrap_err();
        assert!(said.contains(want), "{text}: {said}");
    }
    for text in ["", " \n", "\u{feff}{}"] {
        assert!(install(claude, Some(text), "git-review-evidence hook claude").unwrap().is_some());
    }
}

#[test]
fn what_is_switched_off_or_half_there_is_seen() {
    let claude = agent("claude").unwrap();
    let whole = with("claude", None);
    let off = whole.replacen("{\n", "{\n  \"disableAllHooks\": true,\n", 1);
    assert_eq!(present(claude, &off).unwrap(), Present::SwitchedOff);
    assert!(all_off(&off) && !all_off(&whole) && !all_off("["));
    let half = whole.replace("PostToolUse", "Stop");
    assert_eq!(present(claude, &half).unwrap(), Present::Partly);
    assert_eq!(present(claude, "{}").unwrap(), Present::No);
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_much(text in "[ {}\\[\\]\":,a/*\\\\n]{0,60}") {
        for agent in AGENTS {
            if let Ok(Some(put)) = install(agent, Some(&text), "git-review-evidence hook claude") {
                proptest::prop_assert!(!matches!(remove(agent, &put), Ok(Left::Unchanged)));
            }
        }
    }
}
