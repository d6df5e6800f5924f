//! A full or read-only disk, damaged state, clocks that run backwards.

use std::path::{Path, PathBuf};

use super::story::Story;
use crate::small_disk::SmallDisk;

/// Puts the state's folder on a small disk.
fn on_small_disk(story: &Story) -> Option<SmallDisk> {
    let disk = SmallDisk::of_kib(2048)?;
    std::os::unix::fs::symlink(disk.path(), story.repo.path.join(".git/evidence")).unwrap();
    Some(disk)
}

#[test]
fn a_full_disk_changes_nothing_and_can_be_gone_on_from() {
    let story = Story::with_findings(1);
    let Some(disk) = on_small_disk(&story) else { return };
    let (start, mine) = (story.head(), story.belongings(&[]));
    let filler = disk.fill();
    story.run().refused(5, "full");
    assert_eq!((story.head(), story.dispatches()), (start.clone(), 0));
    std::fs::remove_file(&filler).unwrap();
    // Full again in the middle of an iteration: what the fixer did is there, and can be put aside.
    let fill = format!("worsen; dd if=/dev/zero of='{}' bs=4k 2> /dev/null", filler.display());
    story.steps(&[&fill]);
    story.run().refused(5, "full");
    story.still_has(&mine);
    std::fs::remove_file(&filler).unwrap();
    assert!(!story.status()["interrupted"].is_null());
    story.steps(&["improve"]).fix(&["continue", "--json"]).ended(0, "AUTO_APPROVE");
    story.still_has(&mine);
    story.at_rest("work");
}

#[test]
fn a_read_only_state_folder_is_an_error_before_anything_happens() {
    let story = Story::with_findings(1);
    let Some(disk) = on_small_disk(&story) else { return };
    let start = story.head();
    disk.remount("remount,ro");
    story.run().refused(5, "read-only");
    assert_eq!((story.head(), story.dispatches()), (start, 0));
    assert_eq!(story.status()["interrupted"], serde_json::Value::Null);
}

fn branch_file(story: &Story, name: &str) -> PathBuf {
    let folder = story.repo.path.join(".git/evidence/branches/b-work");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[test]
fn damaged_state_is_named_with_its_remedy_and_never_taken_for_none() {
    let story = Story::with_findings(1);
    let file = branch_file(&story, "state.json");
    for text in [
        "{",
        "",
        "[]",
        "{\"iter_count_total\":-1}",
        "{\"schema\":\"v9\"}",
        "{\"branch\":\"refs/heads/x\"}",
    ] {
        put(&file, text);
        let ran = story.run().refused(2, "state.json");
        assert!(ran.err.contains("git fix-evidence reset"), "{text}: {ran:?}");
        story.fix(&["status", "--json"]).refused(2, "state.json");
        story.fix(&["--dry-run", "--json"]).refused(2, "state.json");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "kept to be looked at");
    }
    assert_eq!(story.dispatches(), 0);
}

#[test]
fn the_contracts_keys_alone_are_a_state() {
    let story = Story::with_findings(1);
    let file = branch_file(&story, "state.json");
    put(
        &file,
        r#"{"iter_count_total":9,"tokens_total":5,"last_reasons_set":null,"reverts":1,"updated_at":null,"theirs":1}"#,
    );
    let state = &story.status()["state"];
    assert_eq!((&state["iter_count_total"], &state["reverts"]), (&9.into(), &1.into()));
    let ran = story.steps(&["true"]).run().ended(1, "cumulative_iter_exceeded");
    assert_eq!(ran.json()["cumulative_iterations"], 10);
    let saved: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&saved["theirs"], &saved["iter_count_total"]), (&1.into(), &10.into()));
}

#[test]
fn a_damaged_counter_counts_as_nothing_and_times_to_come_do_not_matter() {
    let story = Story::with_findings(1);
    put(&branch_file(&story, "autocount.json"), "{{{");
    put(
        &branch_file(&story, "state.json"),
        r#"{"iter_count_total":1,"tokens_total":0,"last_reasons_set":["x"],"reverts":0,"updated_at":"2199-01-01T00:00:00Z"}"#,
    );
    assert_eq!(story.status()["auto_triggers"], 0);
    let ran = story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.json()["cumulative_iterations"], 2);
    assert!(!branch_file(&story, "autocount.json").exists(), "success clears it");
}

#[test]
fn a_damaged_journal_is_named_and_undo_still_works() {
    let story = Story::with_findings(2);
    let start = story.head();
    story.steps(&["improve", "improve"]).run().ended(0, "AUTO_APPROVE");
    let file = branch_file(&story, "journal.jsonl");
    put(&file, "{\"step\":\"nonsense\"}\n{}\n");
    for args in [&["--json"][..], &["continue", "--json"], &["abort", "--json"]] {
        let ran = story.fix(args).refused(2, "journal.jsonl");
        assert!(ran.err.contains("undo"), "{ran:?}");
    }
    let ran = story.fix(&["undo", "1"]);
    assert_eq!((ran.code, story.head()), (0, start), "{ran:?}");
    std::fs::remove_file(file).unwrap();
    story.at_rest("work");
}
