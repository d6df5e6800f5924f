//! A change against its plan and against the rules of architecture, through the real command.

use serde_json::{Value, json};

use super::{base, lines, lint, project};
use crate::support::cmd::review;
use crate::support::repo::TestRepo;

const PLAN: &str = "docs/plans/2026-01-02-login.md";

const LAYERS: &str = "[[architecture]]\nname = \"layers\"\nfrom = \"src/ui/**\"\n\
                      forbid = [\"src/db/**\"]\nallow = [\"src/db/types.py\"]\n\
                      reason = \"the surface asks the core\"\n";

fn with(more: &str) -> TestRepo {
    project(|repo| lint(repo) + more)
}

fn judged(repo: &TestRepo, code: i32) -> Value {
    review(repo, &["--json"]).ended(code).json()
}

fn drift(record: &Value) -> (&Value, &Value) {
    (&record["spec_drift"]["severity"], &record["spec_drift"]["unplanned_files"])
}

#[test]
fn a_change_that_keeps_to_the_plan_it_carries_is_approved() {
    let repo = with("");
    repo.write(PLAN, "# Login\n\n- `src/login.py`: the form\n");
    repo.write("src/login.py", "x = 1\n");
    repo.write("tests/test_login.py", "x = 1\n");
    repo.commit("login");
    let record = judged(&repo, 0);
    assert_eq!(drift(&record), (&json!("none"), &json!([])));
    assert_eq!(record["spec_drift"]["design"], PLAN);
    assert_eq!(record["spec_drift"]["planned_files"], 3);
    assert_eq!(record["current_scores"]["spec_compliance"], 100.0);
}

#[test]
fn files_beside_the_plan_block_and_are_named() {
    let repo = with("");
    repo.write(PLAN, "# Login\n\n- `src/login.py`: the form\n");
    repo.write("src/other.py", "x = 1\n");
    repo.write("src/third.py", "x = 1\n");
    repo.commit("something else");
    let done = review(&repo, &[]).ended(1);
    for part in [
        "drift_severity:high\n",
        "2 of 3 changed files are not in",
        "    src/other.py is not in the plan\n",
        "    remedy: name the file in the plan",
        "how to fix:       git fix-evidence",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", done.out);
    }
    let record = review(&repo, &["show", "--json"]).ended(0).json();
    assert_eq!(record["verdict"]["block_reasons"], json!(["drift_severity:high"]));
    assert_eq!(drift(&record), (&json!("high"), &json!(["src/other.py", "src/third.py"])));
    assert_eq!(record["current_scores"]["spec_compliance"], 94.0);
    // The way out that is named.
    repo.write(PLAN, "# Login\n\n- `src/login.py`: the form\n- `src/{other,third}.py`\n");
    repo.commit("the plan grew");
    assert_eq!(drift(&judged(&repo, 0)).0, "none");
}

#[test]
fn a_few_files_beside_the_plan_do_not_block() {
    let repo = with("");
    repo.write(PLAN, "`src/new/`\n");
    for n in 0..20 {
        repo.write(&format!("src/new/{n}.py"), "x = 1\n");
    }
    for n in 0..4 {
        repo.write(&format!("lib/{n}.py"), "x = 1\n");
    }
    repo.commit("much");
    let record = judged(&repo, 0);
    assert_eq!(drift(&record).0, "medium");
    assert_eq!(record["current_scores"]["spec_compliance"], 88.0);
    assert_eq!(record["verdict"]["warnings"], json!([]));
}

#[test]
fn without_a_plan_nothing_is_measured_or_said() {
    let repo = with("");
    repo.write("src/other.py", "x = 1\n");
    repo.commit("no plan");
    let record = judged(&repo, 0);
    assert_eq!(record["spec_drift"], json!({}));
    assert_eq!(record["verdict"]["warnings"], json!([]));
    assert_eq!(record["current_scores"]["spec_compliance"], Value::Null);
}

#[test]
fn drift_warns_or_is_not_looked_at_where_that_is_configured() {
    for (policy, severity, warnings) in [("warn", json!("high"), 1), ("off", Value::Null, 0)] {
        let repo = with(&format!("[policy]\ndrift = \"{policy}\"\n{LAYERS}"));
        repo.write(PLAN, "`src/login.py`\n");
        repo.write("src/ui/a.py", "import src.db.x\n");
        repo.write("src/db/x.py", "x = 1\n");
        repo.commit("something else");
        let record = judged(&repo, 0);
        assert_eq!(record["spec_drift"]["severity"], severity, "{policy}");
        let said = record["verdict"]["warnings"].as_array().unwrap();
        assert_eq!(said.len(), warnings, "{said:?}");
        assert!(said.iter().all(|w| w.as_str().unwrap().contains("src/ui/a.py:1 imports")));
        assert_eq!(record["regression_verdict"]["block_dimensions"], json!([]));
    }
}

#[test]
fn a_configured_document_holds_every_change_and_is_missed_aloud() {
    let config = "[drift]\ndesign = \"rfc/*.md\"\nignore = [\"*.txt\"]\n";
    let repo = with(config);
    repo.write("src/other.py", "x = 1\n");
    repo.commit("no document yet");
    let record = judged(&repo, 0);
    assert_eq!(record["spec_drift"], json!({}));
    let warning = record["verdict"]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("no design document matches rfc/*.md"), "{warning}");
    repo.write("rfc/2025-01-01-old.md", "`src/other.py` `src/a.py`\n");
    repo.write("rfc/2026-01-01-new.md", "`src/a.py`\n");
    repo.write("notes.txt", "x\n");
    repo.write("src/third.py", "x = 1\n");
    repo.write("src/fourth.py", "x = 1\n");
    repo.write("src/fifth.py", "x = 1\n");
    repo.commit("documents");
    let record = judged(&repo, 1);
    assert_eq!(record["spec_drift"]["design"], "rfc/2026-01-01-new.md");
    let beside = json!(["src/fifth.py", "src/fourth.py", "src/other.py", "src/third.py"]);
    assert_eq!(drift(&record), (&json!("high"), &beside));
    repo.write("rfc/2027-01-01-words.md", b"only words \xff\n");
    repo.commit("it names nothing");
    let record = judged(&repo, 0);
    let warning = record["verdict"]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("rfc/2027-01-01-words.md names no file"), "{warning}");
    assert_eq!(record["spec_drift"], json!({}), "not known is not none");
}

/// A project in which `src/ui/old.py` breaks the rule already.
fn layered() -> TestRepo {
    let repo = with(LAYERS);
    repo.git(&["switch", "-q", "main"]);
    repo.write("src/ui/old.py", "import os\nfrom src.db import store\n".to_string() + &lines(9));
    repo.write("src/db/store.py", "x = 1\n");
    repo.write("src/db/types.py", "x = 1\n");
    repo.commit("layers");
    repo.git(&["switch", "-q", "-C", "topic"]);
    repo
}

#[test]
fn a_new_forbidden_import_blocks_and_an_old_one_does_not() {
    let repo = layered();
    repo.write(
        "src/ui/old.py",
        "import os\nimport sys\n\nfrom src.db import store\n".to_string() + &lines(9),
    );
    repo.write("src/ui/fine.py", "from src.db.types import T  # from src.db import store\n");
    repo.commit("the old one moved");
    let record = judged(&repo, 0);
    assert_eq!(drift(&record).0, "none");
    let old = json!([{"rule": "layers", "path": "src/ui/old.py", "line": 4,
        "imports": "src/db/store.py", "new": false, "reason": "the surface asks the core"}]);
    assert_eq!(record["spec_drift"]["architecture_violations"], old);
    assert_eq!(record["current_scores"]["spec_compliance"], 85.0);
    assert_eq!(record["deltas"]["spec_compliance"], 0.0);
    repo.write("src/ui/new.py", "\nfrom src.db.store import x\n");
    repo.commit("a new one");
    let done = review(&repo, &[]).ended(1);
    for part in [
        "drift_severity:high\n",
        "src/ui/new.py:2: imports src/db/store.py, which rule layers",
        "the surface asks the core",
        "remedy: import what the rule allows",
    ] {
        assert!(done.out.contains(part), "{part}\n{}", done.out);
    }
    assert!(!done.out.contains("src/ui/old.py:4"), "{}", done.out);
    // Without the line to be held, old ones count too.
    repo.git(&["switch", "-q", "main"]);
    let config = repo.text(".git-evidence.toml").unwrap();
    repo.write(".git-evidence.toml", config + "[policy]\nhold_the_line = false\n");
    repo.commit("strict");
    repo.git(&["switch", "-q", "-C", "topic"]);
    repo.write("src/a.py", "x = 2\n");
    repo.commit("nothing of it");
    let done = review(&repo, &[]).ended(1);
    assert!(done.out.contains("src/ui/old.py:2 imports"), "{}", done.out);
}

#[test]
fn renames_keep_a_violation_old() {
    let repo = layered();
    repo.git(&["mv", "src/ui/old.py", "src/ui/renamed.py"]);
    repo.git(&["mv", "src/db/store.py", "src/db/kept.py"]);
    // Another line differs, too: git takes it for renamed as long as half of it is the same.
    repo.write("src/ui/renamed.py", "import os\nfrom src.db import kept\n".to_string() + &lines(8));
    repo.commit("renamed");
    let record = judged(&repo, 0);
    let violation = &record["spec_drift"]["architecture_violations"][0];
    assert_eq!(
        (&violation["path"], &violation["new"]),
        (&json!("src/ui/renamed.py"), &json!(false))
    );
    repo.git(&["rm", "-q", "src/ui/renamed.py"]);
    repo.commit("gone");
    let record = judged(&repo, 0);
    assert_eq!(record["deltas"]["spec_compliance"], 15.0);
}

#[test]
fn the_rules_of_the_base_count() {
    let repo = layered();
    repo.write("src/ui/new.py", "from src.db.store import x\n");
    let config = repo.text(".git-evidence.toml").unwrap();
    repo.write(".git-evidence.toml", config.split("[[architecture]]").next().unwrap());
    repo.commit("without the rule");
    let record = judged(&repo, 1);
    assert_eq!(record["verdict"]["block_reasons"], json!(["drift_severity:high"]));
}

#[test]
fn it_needs_no_tool_and_no_kept_measurement() {
    let repo = with(LAYERS);
    repo.write("src/db/x.py", "x = 1\n");
    repo.commit("fine");
    judged(&repo, 0);
    // Another commit of the same tree, with what was measured kept.
    repo.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "other words"]);
    let record = judged(&repo, 0);
    assert_eq!(record["checks"][0]["status"], "reused");
    assert_eq!(drift(&record).0, "none");
}

#[test]
fn repositories_that_no_library_opens_are_read_by_git() {
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        let repo = TestRepo::with(&[option]);
        base(&repo, &(lint(&repo) + LAYERS));
        repo.write(PLAN, "`src/ui/`\n");
        repo.write("src/ui/a.py", "from src.db import x\n");
        repo.write("src/db/x.py", "x = 1\n");
        repo.commit("a change");
        let record = judged(&repo, 1);
        assert_eq!(drift(&record), (&json!("high"), &json!(["src/db/x.py"])), "{option}");
        let found = &record["spec_drift"]["architecture_violations"][0];
        assert_eq!((&found["line"], &found["imports"]), (&json!(1), &json!("src/db/x.py")));
    }
}

#[test]
fn each_language_is_read_by_its_manifests() {
    let rules = "[[architecture]]\nname = \"layers\"\nfrom = [\"*/ui\", \"*/src/ui\"]\n\
                 forbid = [\"*/db\", \"*/src/db\", \"module:axios\"]\n";
    let repo = with(rules);
    for (path, text) in [
        ("go/go.mod", "module example.com/m\n"),
        ("go/db/store.go", "package db\n"),
        ("go/ui/view.go", "package ui\n\nimport (\n\t\"fmt\"\n\t\"example.com/m/db\"\n)\n"),
        ("rs/Cargo.toml", "[package]\nname = \"m\"\n"),
        ("rs/src/lib.rs", "mod db;\nmod ui;\n"),
        ("rs/src/db.rs", "pub fn open() {}\n"),
        ("rs/src/db/store.rs", "pub fn get() {}\n"),
        ("rs/src/ui/mod.rs", "use std::io;\nuse crate::db::{self, store};\n"),
        ("js/db/index.ts", "export const x = 1\n"),
        ("js/ui/view.tsx", "import { x } from '../db'\nimport axios from 'axios'\n"),
        ("jvm/db/Store.java", "package db;\n"),
        ("jvm/ui/View.kt", "package ui\n\nimport db.Store\n"),
    ] {
        repo.write(path, text);
    }
    repo.commit("four languages");
    let record = judged(&repo, 1);
    let found = record["spec_drift"]["architecture_violations"].as_array().unwrap();
    let told = |v: &Value| {
        let text = |key: &str| v[key].as_str().unwrap().to_string();
        format!("{}:{} {}", text("path"), v["line"], text("imports"))
    };
    let told: Vec<String> = found.iter().map(told).collect();
    assert_eq!(
        told,
        [
            "go/ui/view.go:5 go/db/",
            "js/ui/view.tsx:1 js/db/index.ts",
            "js/ui/view.tsx:2 module:axios",
            "jvm/ui/View.kt:3 jvm/db/Store.java",
            "rs/src/ui/mod.rs:2 rs/src/db/store.rs",
        ]
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let repo = with(LAYERS);
    repo.write(PLAN, b"`src/a.py`\0".as_slice());
    repo.write("src/ui/a.py", b"import src.db.x\0".as_slice());
    repo.commit("no text");
    let record = judged(&repo, 0);
    let said = record["verdict"]["warnings"].to_string();
    assert!(said.contains("is no text of at most 1 MiB"), "{said}");
    assert!(said.contains("the first is src/ui/a.py"), "{said}");
    assert_eq!(record["spec_drift"].get("design"), None);
}

#[test]
fn without_a_base_no_plan_holds_the_commit() {
    let repo = TestRepo::new();
    let config = lint(&repo) + "[drift]\ndesign = \"plan.md\"\n" + LAYERS;
    repo.write(".git-evidence.toml", config);
    repo.write("findings.txt", "");
    repo.write("plan.md", "`src/a.py`\n");
    repo.write("src/ui/a.py", "from src.db import x\n");
    repo.write("src/db/x.py", "x = 1\n");
    repo.commit("first");
    let record = judged(&repo, 1);
    assert_eq!(record["baseline_synthetic"], true);
    assert_eq!(record["spec_drift"].get("unplanned_files"), None);
    assert_eq!(record["spec_drift"]["architecture_violations"][0]["new"], true);
}
