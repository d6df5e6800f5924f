//! When the marker is emitted, how often, and what is said where it is not.

use git_evidence::git::branch_key;
use git_evidence::store::lock::{Holder, Lock};

use super::gate::Gate;

/// Blocked by a regression on the checked-out branch.
fn blocked() -> (Gate, String) {
    let gate = Gate::new();
    let sha = gate.head();
    gate.record(&sha, "BLOCK_REGRESSION");
    (gate, sha)
}

#[test]
fn the_switch_silences_the_marker_and_never_the_block() {
    let (mut gate, sha) = blocked();
    for (value, on) in [("0", false), ("", false), ("true", false), ("1", true)] {
        gate.env = vec![("DEVFORGE_FIX_EVIDENCE_AUTO", value.to_string())];
        let ran = gate.push(&["origin", "feature"]);
        let err = if on { ran.marks(&sha) } else { ran.is_silent() };
        assert!(on || err.contains("To fix it: a person"), "{err}");
        assert!(on || err.contains(&format!("git fix-evidence --sha {sha}")), "{err}");
        assert!(on || gate.count("feature").is_null());
    }
    gate.env.clear();
    for (value, on) in [("false", false), ("maybe", false), ("true", true)] {
        gate.git(&["config", "evidence.auto", value]);
        let ran = gate.direct(gate.line("feature"));
        if on {
            ran.marks(&sha)
        } else {
            ran.is_silent()
        };
    }
}

#[test]
fn the_committed_switch_counts_from_the_base() {
    let gate = Gate::empty(&[]);
    gate.configure("[hook]\nauto = false");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    // the branch's own configuration does not
    let sha = gate.configure("[hook]\nauto = true");
    gate.record(&sha, "BLOCK_REGRESSION");
    gate.direct(gate.line("feature")).is_silent();
}

#[test]
fn what_no_fixer_may_mend_gets_no_marker() {
    let (mut gate, sha) = blocked();
    let loops = ("EVIDENCE_RUN", "r1".to_string());
    let bot = ("GITHUB_ACTOR", "dependabot[bot]".to_string());
    for (env, says) in [(loops, "running already"), (bot, "A bot made this change")] {
        gate.env = vec![env];
        let err = gate.direct(gate.line("feature")).is_silent();
        assert!(err.contains(says), "{err}");
    }
    gate.env.clear();
    let mut record = gate.record(&sha, "BLOCK_REGRESSION");
    record["is_bot_pr"] = true.into();
    gate.write_record(&sha, &record.to_string());
    gate.direct(gate.line("feature")).is_silent();
    for (decision, says) in [
        ("BLOCK_HARD_FLOOR", "this needs a person"),
        ("SEVERELY_DEGRADED", "make every required check give figures"),
    ] {
        gate.record(&sha, decision);
        let err = gate.direct(gate.line("feature")).is_silent();
        assert!(err.contains(decision) && err.contains(says), "{err}");
    }
    assert!(gate.count("feature").is_null());
}

#[test]
fn three_markers_a_branch_and_a_damaged_counter_is_repaired() {
    let (gate, first) = blocked();
    let mut sha = first;
    for n in 1..=3 {
        gate.direct(gate.line("feature")).marks(&sha);
        // the same commit a moment later is the same marker
        gate.direct(gate.line("feature")).marks(&sha);
        assert_eq!(gate.count("feature"), n);
        sha = gate.commit("b.txt", &format!("{n}\n"));
        gate.record(&sha, "BLOCK_REGRESSION");
    }
    let err = gate.direct(gate.line("feature")).is_silent();
    assert!(err.contains("at most 3 times") && err.contains("To fix it: a person"), "{err}");
    // another branch has its own
    gate.git(&["branch", "-q", "fresh"]);
    gate.direct(gate.line("fresh")).marks(&sha);
    for damaged in ["", "{", "[1]", "{\"count\":99}"] {
        std::fs::write(gate.counter("feature"), damaged).unwrap();
        gate.direct(gate.line("feature")).marks(&sha);
        assert_eq!(gate.count("feature"), 1);
    }
}

#[test]
fn the_strictest_limit_counts_and_a_looser_one_is_said() {
    let (mut gate, sha) = blocked();
    let max = |n: &str| vec![("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS", n.to_string())];
    gate.env = max("0");
    gate.direct(gate.line("feature")).is_silent();
    gate.env = max("9");
    let err = gate.direct(gate.line("feature")).marks(&sha);
    assert!(err.contains("= 9 is looser than max_auto_triggers = 3"), "{err}");
    gate.env = max("many");
    let err = gate.direct(gate.line("feature")).marks(&sha);
    assert!(err.contains("'many' is no number"), "{err}");
    gate.env.clear();
    gate.git(&["config", "evidence.maxAutoTriggers", "1"]);
    let next = gate.commit("b.txt", "b\n");
    gate.record(&next, "BLOCK_REGRESSION");
    let err = gate.direct(gate.line("feature")).is_silent();
    assert!(err.contains("at most 1 times"), "{err}");
}

#[test]
fn a_marker_that_cannot_be_counted_is_not_emitted() {
    let (gate, _) = blocked();
    let branch = gate.layout().branch(&branch_key(b"feature"));
    std::fs::create_dir_all(branch.parent().unwrap()).unwrap();
    std::fs::write(&branch, "a file where a folder has to be").unwrap();
    let err = gate.direct(gate.line("feature")).is_silent();
    assert!(err.contains("cannot be counted"), "{err}");
}

#[test]
fn a_branch_that_a_run_holds_is_not_pushed() {
    let (gate, sha) = blocked();
    gate.record(&sha, "AUTO_APPROVE");
    gate.git(&["switch", "-q", "-c", "other"]);
    let other = gate.commit("b.txt", "b\n");
    gate.record(&other, "BLOCK_REGRESSION");
    let path = gate.layout().branch_lock(&branch_key(b"feature"));
    let lock = Lock::acquire(&path, &Holder::this_process("git fix-evidence")).unwrap();
    let held = format!(
        "a run of git fix-evidence holds it: git fix-evidence (process {}",
        std::process::id()
    );
    gate.push(&["origin", "feature"]).blocks(&[&held]);
    gate.push(&["origin", "feature:elsewhere"]).blocks(&[&held]);
    // no other repair is started meanwhile
    gate.push(&["origin", "feature", "other"]).is_silent();
    // the checked-out branch under the name HEAD
    gate.git(&["switch", "-q", "feature"]);
    gate.push(&["origin", "HEAD:elsewhere"]).blocks(&[&held]);
    drop(lock);
    gate.push(&["origin", "feature"]).passes();
}

#[test]
fn names_of_branches_do_not_become_commands() {
    let (gate, sha) = blocked();
    gate.git(&["branch", "-q", "x;echo$IFS'y'"]);
    gate.git(&["switch", "-q", "main"]);
    let err = gate.push(&["origin", "x;echo$IFS'y'"]).marks(&sha);
    assert!(err.contains(r"git switch 'x;echo$IFS'\''y'\''' && git fix-evidence"), "{err}");
}
