//! `doctor`: what is wrong is named with its remedy, and what is well is said to be.

use serde_json::Value;

use crate::support::cmd::{review, review_command, run};
use crate::support::repo::TestRepo;

const CONFIG: &str = "[[check]]\nname = \"c\"\nformat = \"ruff-json\"\nrun = \"cat report.json\"\n";

fn adopted(more: &str) -> TestRepo {
    let repo = TestRepo::new();
    repo.write(".git-evidence.toml", format!("{CONFIG}{more}"));
    repo.write("report.json", "[]");
    repo.commit("base");
    repo
}

/// The looks of one name: health, text, remedy.
fn looks(document: &Value, name: &str) -> Vec<(String, String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let all = document["looks"].as_array().unwrap().iter();
    all.filter(|l| l["name"] == name)
        .map(|l| (text(&l["health"]), text(&l["text"]), text(&l["remedy"])))
        .collect()
}

#[track_caller]
fn has(document: &Value, name: &str, health: &str, part: &str) {
    let all = looks(document, name);
    let found = all.iter().any(|(h, text, remedy)| {
        h == health && text.contains(part) && (health == "ok" || !remedy.is_empty())
    });
    assert!(found, "{name} {health} {part}: {all:#?}");
}

#[test]
fn where_all_is_well_nothing_is_a_problem() {
    let repo = adopted("");
    review(&repo, &["install", "--pre-push"]).ended(0);
    review(&repo, &["install", "--agent", "claude"]).ended(0);
    let before = repo.git(&["status", "--porcelain", "--ignored"]);
    let document = review(&repo, &["doctor", "--json"]).ended(0).json();
    assert_eq!(document["schema"], "evidence_doctor_v1");
    assert_eq!(document["healthy"], true);
    for (name, part) in [
        ("git", "git 2."),
        ("repository", "SHA-1 objects"),
        ("state", "evidence"),
        ("identity", "your name"),
        ("configuration", "counts as it stands in"),
        ("tool", "check 'c': /"),
        ("sandbox", "without a box"),
        ("pre-push", "judges what is pushed"),
        ("pre-push", "its program is"),
        ("agent", "claude: /"),
    ] {
        has(&document, name, "ok", part);
    }
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]), before, "it changes nothing");
    let text = review(&repo, &["doctor"]).ended(0).out;
    assert!(text.contains("ok       pre-push") && !text.contains("PROBLEM"), "{text}");
}

#[test]
fn where_nothing_is_set_up_the_next_step_is_named() {
    let repo = TestRepo::new();
    repo.write("a", "1");
    repo.commit("a");
    let document = review(&repo, &["doctor", "--json"]).ended(0).json();
    has(&document, "configuration", "warning", "there is no .git-evidence.toml");
    has(&document, "pre-push", "warning", "every push passes");
    has(&document, "program", "warning", "is not on PATH");
    let remedy = &looks(&document, "pre-push")[0].2;
    assert_eq!(remedy, "git review-evidence install --pre-push");
}

#[test]
fn what_keeps_it_from_working_ends_with_1() {
    let missing = "[[check]]\nname = \"t\"\nrun = \"no-such-tool --all\"\n[[fixer]]\nname = \"f\"\n\
                   kinds = [\"lint\"]\nrun = \"no-such-fixer\"\n[sandbox]\nfixers = \"full\"\n";
    let repo = adopted(missing);
    let document = review(&repo, &["doctor", "--json"]).ended(1).json();
    assert_eq!(document["healthy"], false);
    has(&document, "tool", "problem", "check 't' runs 'no-such-tool'");
    has(&document, "tool", "warning", "fixer 'f' runs 'no-such-fixer'");
    has(&document, "sandbox", "problem", "cannot be had");

    let repo = adopted("[policy]\nmin_coverag = 1.0\n");
    let document = review(&repo, &["doctor", "--json"]).ended(1).json();
    has(&document, "configuration", "problem", "min_coverage");

    let repo = adopted("");
    let mut command = review_command(&repo, &["doctor", "--json"]);
    command.env("DEVFORGE_FIX_EVIDENCE_MAX_ITER", "many");
    command.env("DEVFORGE_FIX_EVIDENCE_AUTO", "0");
    let document = run(command).ended(1).json();
    has(&document, "environment", "problem", "MAX_ITER is 'many'");
    has(&document, "environment", "warning", "start no repair by themselves");
}

#[test]
fn a_hook_that_does_not_hold_is_seen() {
    use std::os::unix::fs::PermissionsExt;
    let repo = adopted("");
    review(&repo, &["install", "--pre-push"]).ended(0);
    let hook = repo.path.join(".git/hooks/pre-push");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o644)).unwrap();
    let document = review(&repo, &["doctor", "--json"]).ended(1).json();
    has(&document, "pre-push", "problem", "cannot be executed");

    let text = std::fs::read_to_string(&hook).unwrap();
    let line = text.lines().find(|l| l.starts_with("fallback='")).unwrap();
    std::fs::write(&hook, text.replace(line, "fallback='/nowhere/at-all'")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let document = review(&repo, &["doctor", "--json"]).ended(1).json();
    has(&document, "pre-push", "problem", "neither on PATH nor at '/nowhere/at-all'");

    std::fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    let document = review(&repo, &["doctor", "--json"]).ended(0).json();
    has(&document, "pre-push", "warning", "somebody else's, so pushes are not judged");
    std::fs::write(&hook, "#!/bin/sh\ngit-review-evidence hook pre-push \"$@\" || exit 1\n")
        .unwrap();
    let document = review(&repo, &["doctor", "--json"]).ended(0).json();
    has(&document, "pre-push", "ok", "calls git-review-evidence");
}

#[test]
fn hooks_of_agents_that_are_off_or_lead_nowhere_are_seen() {
    let repo = adopted("");
    let off = "{\"disableAllHooks\": true}";
    repo.write(".claude/settings.json", off);
    repo.write(
        ".cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": \
         [{\"command\": \"/nowhere/git-review-evidence hook cursor\"}], \"afterShellExecution\": \
         [{\"command\": \"/nowhere/git-review-evidence hook cursor\"}]}}",
    );
    repo.write(".gemini/settings.json", "{");
    let document = review(&repo, &["doctor", "--json"]).ended(1).json();
    has(&document, "agent", "warning", "switches all hooks off");
    has(&document, "agent", "problem", "starts '/nowhere/git-review-evidence'");
    has(&document, "agent", "warning", "gemini");
}

#[test]
fn outside_of_a_repository_and_in_odd_ones_it_answers_too() {
    let repo = TestRepo::new();
    let nowhere = repo.beside("nowhere");
    std::fs::create_dir_all(&nowhere).unwrap();
    let mut command = review_command(&repo, &["doctor", "--json"]);
    command.current_dir(&nowhere).env("GIT_CEILING_DIRECTORIES", repo.beside(""));
    let done = run(command).ended(1);
    has(&done.json(), "repository", "problem", "not in a git repository");

    let bare = repo.beside("bare.git");
    repo.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let mut command = review_command(&repo, &["doctor", "--json"]);
    command.current_dir(&bare);
    let document = run(command).ended(0).json();
    has(&document, "repository", "warning", "no working tree");
    has(&document, "configuration", "warning", "there is no commit yet");
}
