//! Which record decides, and what happens without one.

use super::gate::{Gate, MARK};

/// `main` with this configuration at the remote, `feature` ahead and checked out.
fn configured(rest: &str) -> Gate {
    let gate = Gate::empty(&[]);
    gate.configure(rest);
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.commit("a.txt", "fine\n");
    gate.install();
    gate
}

#[test]
fn what_is_missing_is_measured_once_stored_and_told_with_places() {
    let gate = Gate::new();
    let sha = gate.commit("a.txt", "fine\nBAD\n");
    let err = gate.push(&["origin", "feature"]).blocks(&[
        "lint_errors:1>0: ",
        "new: a.txt:2: R1 bad word",
        "against refs/remotes/origin/main at",
        &format!("{MARK}{sha}"),
    ]);
    assert!(err.contains("measuring words (head)"), "{err}");
    assert_eq!(gate.runs(), 2); // head and base
    let err = gate.push(&["origin", "feature"]).marks(&sha);
    assert!(!err.contains("measuring"), "{err}");
    assert_eq!((gate.runs(), gate.stored(&sha)["sha"].as_str()), (2, Some(sha.as_str())));
    // another message, the same tree: nothing is run again
    gate.git(&["commit", "-q", "--amend", "--no-verify", "-m", "another"]);
    let amended = gate.head();
    let err = gate.push(&["origin", "feature"]).marks(&amended);
    assert!(!err.contains("measuring"), "{err}");
    assert_eq!((gate.runs(), gate.stored(&amended)["sha"].as_str()), (2, Some(amended.as_str())));
}

#[test]
fn a_tip_that_is_not_checked_out_and_a_dirty_tree_are_measured_elsewhere() {
    let gate = Gate::new();
    gate.commit("a.txt", "BAD\n");
    // the tree says otherwise
    std::fs::write(gate.top.join("a.txt"), "fine\n").unwrap();
    gate.push(&["origin", "feature"]).blocks(&["lint_errors:1>0"]);
    gate.git(&["checkout", "-q", "--", "."]);
    gate.git(&["switch", "-q", "main"]);
    gate.git(&["switch", "-q", "-c", "good"]);
    gate.commit("b.txt", "b\n");
    gate.git(&["switch", "-q", "feature"]);
    gate.push(&["origin", "good"]).passes();
    assert_eq!(gate.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(gate.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_record_of_ours_counts_for_the_present_base_and_configuration_only() {
    let gate = Gate::new();
    let sha = gate.head();
    gate.push(&["origin", "feature"]).passes();
    let good = gate.stored(&sha);
    let runs = gate.runs();
    for (key, other) in [("base_sha", "f".repeat(40)), ("config_sha256", "0".repeat(64))] {
        let mut stale = good.clone();
        stale[key] = other.into();
        stale["regression_verdict"]["decision"] = "BLOCK_REGRESSION".into();
        gate.write_record(&sha, &stale.to_string());
        assert_eq!(gate.direct(gate.line("feature")).passes(), "");
        assert_eq!(gate.stored(&sha)["regression_verdict"]["decision"], "AUTO_APPROVE");
    }
    assert_eq!(gate.runs(), runs);
    // another tool's counts as it is, one of a dirty tree never
    let mut foreign = good.clone();
    foreign["base_sha"] = "f".repeat(40).into();
    foreign["tool"]["name"] = "another".into();
    foreign["regression_verdict"]["decision"] = "BLOCK_REGRESSION".into();
    gate.write_record(&sha, &foreign.to_string());
    gate.direct(gate.line("feature")).marks(&sha);
    foreign["dirty_tree"] = true.into();
    gate.write_record(&sha, &foreign.to_string());
    assert_eq!(gate.direct(gate.line("feature")).passes(), "");
}

#[test]
fn without_a_record_block_and_allow_say_so() {
    let gate = configured("[hook]\non_missing = \"block\"");
    let err = gate.push(&["origin", "feature"]).silent();
    assert!(err.contains("not measured") && err.contains("git review-evidence feature"), "{err}");
    let gate = configured("[hook]\non_missing = \"allow\"");
    let err = gate.push(&["origin", "feature"]).passes();
    assert!(err.contains("NOT MEASURED") && err.lines().count() == 1, "{err}");
    assert_eq!(gate.runs(), 0);
}

#[test]
fn a_verdict_that_could_not_be_reached_blocks_or_warns() {
    for (rest, passes) in [("", false), ("[policy]\non_degraded = \"warn\"", true)] {
        let gate = configured(rest);
        gate.record(&gate.head(), "SEVERELY_DEGRADED");
        let ran = gate.push(&["origin", "feature"]);
        if passes {
            let err = ran.passes();
            assert!(err.contains("NOT MEASURED: so it is") && err.lines().count() == 1, "{err}");
        } else {
            ran.blocks(&["SEVERELY_DEGRADED", "so it is"]);
        }
    }
}

#[test]
fn measuring_ends_at_the_limit() {
    let gate = Gate::empty(&[]);
    let config = "[hook]\ntime_limit = \"1s\"\n[[check]]\nname = \"slow\"\nrun = \"sleep 600\"\n\
                  reports = [\"x.sarif\"]\n";
    gate.commit(".git-evidence.toml", config);
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.commit("a.txt", "a\n");
    gate.git(&["branch", "-q", "second"]);
    let lines = gate.line("feature") + &gate.line("second");
    let err = gate.direct(lines).silent();
    let says = "did not end within 1 s ([hook] time_limit)";
    assert_eq!(err.matches(says).count(), 2, "{err}");
    assert!(err.contains("push again: git review-evidence feature"), "{err}");
    assert!(!gate.layout().record(&gate.head()).exists());
}

#[test]
fn damaged_records_and_wrong_configurations_block_with_their_place() {
    let gate = Gate::new();
    let sha = gate.head();
    for text in ["", "{", "{\"schema_version\":\"9.0\"}", "[]"] {
        gate.write_record(&sha, text);
        let err = gate.push(&["origin", "feature"]).blocks(&[&format!("{sha}.json")]);
        assert!(!err.contains(MARK) && gate.runs() == 0, "{err}");
    }
    let gate = Gate::empty(&[]);
    gate.commit(".git-evidence.toml", "\n[hook]\nautoo = true\n");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.configure("");
    gate.direct(gate.line("feature"))
        .blocks(&[".git-evidence.toml (of the base):3: unknown key 'autoo'; did you mean 'auto'?"]);
}

#[test]
fn a_repository_that_has_not_adopted_passes_with_one_line() {
    let gate = Gate::empty(&[]);
    let sha = gate.commit("a.txt", "a\n");
    gate.install();
    gate.git(&["branch", "-q", "second"]);
    let err = gate.push(&["origin", "main", "second"]).passes();
    assert!(err.contains("no .git-evidence.toml") && err.lines().count() == 1, "{err}");
    // somebody's record decides all the same
    gate.record(&sha, "BLOCK_REGRESSION");
    gate.direct(gate.line("main")).marks(&sha);
}

#[test]
fn a_configuration_without_checks_needs_records_of_others() {
    let gate = Gate::empty(&[]);
    gate.commit(".git-evidence.toml", "[evidence]\nrecord = \".e/{sha}.json\"\n");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.commit(".gitignore", ".e\n");
    let sha = gate.commit("a.txt", "a\n");
    gate.direct(gate.line("feature")).blocks(&["names neither a [[check]] nor [evidence] measure"]);
    let record = gate.record(&sha, "AUTO_APPROVE");
    gate.direct(gate.line("feature")).blocks(&[]);
    std::fs::create_dir(gate.top.join(".e")).unwrap();
    std::fs::write(gate.top.join(format!(".e/{sha}.json")), record.to_string()).unwrap();
    assert_eq!(gate.direct(gate.line("feature")).passes(), "");
}

#[test]
fn an_outside_program_is_asked_where_it_left_no_record() {
    let gate = Gate::empty(&[]);
    let sha = gate.commit("measure", "echo run >>../log; cat ../record >\"$EVIDENCE_OUT\"\n");
    gate.record(&sha, "AUTO_APPROVE");
    gate.commit(".git-evidence.toml", "[evidence]\nmeasure = [\"sh\", \"measure\"]\n");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    let sha = gate.commit("a.txt", "a\n");
    let record = gate.record(&sha, "BLOCK_REGRESSION").to_string();
    std::fs::write(gate.path("record"), &record).unwrap();
    // a stored one counts as it is
    gate.direct(gate.line("feature")).marks(&sha);
    assert_eq!(gate.runs(), 0);
    std::fs::remove_file(gate.layout().record(&sha)).unwrap();
    gate.direct(gate.line("feature")).blocks(&[&format!("{MARK}{sha}")]);
    assert_eq!((gate.runs(), gate.stored(&sha)["sha"].as_str()), (1, Some(sha.as_str())));
    // one of another commit is none
    std::fs::remove_file(gate.layout().record(&sha)).unwrap();
    std::fs::write(gate.path("record"), record.replace(&sha, &"a".repeat(40))).unwrap();
    gate.direct(gate.line("feature")).blocks(&["wrote a record of"]);
}

#[test]
fn an_audit_of_yesterday_is_left_aside() {
    let gate = Gate::empty(&[]);
    let (script, log) = (gate.path("audit.sh"), gate.path("log"));
    let report = r#"{"auditReportVersion":2,"vulnerabilities":{}}"#;
    let text = format!("echo audit >>'{}'\nprintf '{report}'\n", log.display());
    std::fs::write(&script, text).unwrap();
    let audit = format!("[[check]]\nname = \"audit\"\nrun = \"sh '{}'\"\n", script.display());
    gate.configure(&audit);
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    let sha = gate.commit("a.txt", "fine\n");
    gate.install();
    gate.push(&["origin", "feature"]).passes();
    let runs = gate.runs();
    let mut record = gate.stored(&sha);
    let audited = record["checks"][0]["audited_at"].clone();
    assert!(audited.is_string(), "{record:#}");
    // the record is old, what is kept is not: another is made of that
    record["checks"][0]["audited_at"] = "2020-01-01T00:00:00Z".into();
    gate.write_record(&sha, &record.to_string());
    let err = gate.direct(gate.line("feature")).passes();
    assert!(err.contains("more than 24 h old"), "{err}");
    assert_eq!((gate.runs(), &gate.stored(&sha)["checks"][0]["audited_at"]), (runs, &audited));
    // nothing that is kept is young enough: it is measured again, head and base
    gate.write_record(&sha, &record.to_string());
    std::fs::remove_dir_all(gate.top.join(".git/evidence/measurements")).unwrap();
    gate.direct(gate.line("feature")).passes();
    assert_eq!(gate.runs(), 2 * runs);
    assert_ne!(gate.stored(&sha)["checks"][0]["audited_at"], "2020-01-01T00:00:00Z");
}

#[test]
fn an_audit_of_yesterday_blocks_where_nothing_may_be_measured() {
    let gate = configured("[hook]\non_missing = \"block\"\n");
    let sha = gate.head();
    let measured = std::process::Command::new(super::gate::OURS).current_dir(&gate.top).output();
    assert!(measured.unwrap().status.success());
    gate.direct(gate.line("feature")).passes();
    let mut record = gate.stored(&sha);
    record["metrics"]["dependencies"] = serde_json::json!({"critical": 0});
    record["computed_at"] = "2020-01-01T00:00:00Z".into();
    gate.write_record(&sha, &record.to_string());
    std::fs::remove_dir_all(gate.top.join(".git/evidence/measurements")).unwrap();
    gate.direct(gate.line("feature")).blocks(&["more than 24 h old", "not measured"]);
}
