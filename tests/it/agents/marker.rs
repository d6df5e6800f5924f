//! The marker in what agents read: counted once, silenced, capped, healed.

use super::ask::{AGENTS, claude, reason_of};
use crate::pre_push::gate::{Gate, MARK};

#[test]
fn one_push_through_every_hook_counts_one_marker() {
    let (gate, sha) = Gate::regression();
    let cwd = gate.top.to_str().unwrap();
    for (name, document) in AGENTS {
        let answer = gate.ask(name, document(cwd, "git push origin HEAD").to_string());
        assert!(answer.contains(&format!("\"{MARK}{sha}\\n")), "first of all: {answer}");
    }
    gate.push(&["origin", "feature"]).marks(&sha);
    assert_eq!(gate.count("feature"), 1);
}

#[test]
fn three_markers_then_none_and_a_damaged_counter_is_repaired() {
    let (gate, mut sha) = Gate::regression();
    for n in 1..=3 {
        let reason = gate.stops("git push", &[&format!("git fix-evidence --sha {sha}")]);
        assert!(reason.starts_with(&format!("{MARK}{sha}\n")), "{reason}");
        assert_eq!(gate.count("feature"), n);
        sha = gate.commit("b.txt", &format!("{n}\n"));
        gate.record(&sha, "BLOCK_REGRESSION");
    }
    let reason = gate.stops("git push", &["lint_errors:2>0", "at most 3 times"]);
    assert!(!reason.contains(MARK), "{reason}");
    for damaged in ["", "{", "{\"count\":99}"] {
        std::fs::write(gate.counter("feature"), damaged).unwrap();
        gate.stops("git push", &[&format!("{MARK}{sha}")]);
        assert_eq!(gate.count("feature"), 1);
    }
}

#[test]
fn the_switch_counts_in_the_text_and_in_the_environment() {
    let (mut gate, sha) = Gate::regression();
    for command in [
        "DEVFORGE_FIX_EVIDENCE_AUTO=0 git push",
        "export DEVFORGE_FIX_EVIDENCE_AUTO=no; git push",
        "env DEVFORGE_FIX_EVIDENCE_AUTO= git push origin feature",
    ] {
        let reason = gate.stops(command, &["lint_errors:2>0", "To fix it: a person"]);
        assert!(!reason.contains(MARK) && !reason.contains("without asking"), "{reason}");
    }
    for (name, value) in [("DEVFORGE_FIX_EVIDENCE_AUTO", "0"), ("EVIDENCE_RUN", "r1")] {
        gate.env = vec![(name, value.to_string())];
        // what the text switches on stays off where the environment says so
        let reason = gate.stops("DEVFORGE_FIX_EVIDENCE_AUTO=1 git push", &["lint_errors:2>0"]);
        assert!(!reason.contains(MARK), "{name}: {reason}");
    }
    gate.env.clear();
    assert!(gate.count("feature").is_null());
    gate.stops("DEVFORGE_FIX_EVIDENCE_AUTO=1 git push", &[&format!("{MARK}{sha}")]);
}

#[test]
fn what_no_fixer_may_mend_gets_no_marker() {
    let (gate, sha) = Gate::regression();
    for (decision, says) in [
        ("BLOCK_HARD_FLOOR", "this needs a person"),
        ("SEVERELY_DEGRADED", "make every required check give figures"),
    ] {
        gate.record(&sha, decision);
        let reason = gate.stops("git push", &[decision, says]);
        assert!(!reason.contains(MARK), "{reason}");
    }
    gate.record(&sha, "REVIEWER_HANDOFF");
    gate.lets("git push");
}

#[test]
fn several_acts_of_one_command_get_one_marker() {
    let (gate, sha) = Gate::regression();
    gate.git(&["branch", "-q", "second"]);
    for command in ["git push && gh pr create --fill", "git push origin feature second"] {
        let answer = gate.ask("plain", claude(gate.top.to_str().unwrap(), command).to_string());
        let reason = reason_of(&answer);
        assert_eq!(reason.matches(MARK).count(), 1, "{reason}");
        assert!(reason.starts_with(&format!("{MARK}{sha}\n")), "{reason}");
    }
}
