//! A full disk and a read-only one: a clear error, and the former file is still there.

use git_evidence::store::branch::{BranchState, BranchStore};
use git_evidence::store::journal::{Entry, Journal, read};
use git_evidence::store::lock::{Holder, Lock, peek};
use git_evidence::store::{Layout, StoreError, write};

use super::{others, sha};
use crate::small_disk::SmallDisk;

fn store(layout: &Layout) -> (BranchStore, Lock) {
    let store = BranchStore::new(layout, "b-x", "refs/heads/x");
    let held = store.lock(&Holder::this_process("test")).unwrap();
    (store, held)
}

fn state(size: usize) -> BranchState {
    let mut state = BranchState::new("refs/heads/x");
    state.iter_count_total = size as u64;
    state.last_reasons_set = Some(vec!["y".repeat(size)]);
    state
}

#[test]
fn a_full_disk_keeps_the_former_state_and_leaves_no_temporary_file() {
    let Some(disk) = SmallDisk::mount() else { return };
    let layout = Layout::new(disk.path());
    let (store, held) = store(&layout);
    store.save(&state(5), &held).unwrap();
    let filler = disk.fill();
    let error = store.save(&state(9000), &held).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }));
    let text = error.to_string();
    assert!(text.contains("state.json") && text.contains("free some space"), "{text}");
    assert_eq!(store.load().unwrap().iter_count_total, 5);
    let mine = ["state.json", "b-x/lock", "filler"];
    assert!(others(disk.path(), &mine).is_empty(), "{:?}", others(disk.path(), &mine));
    // locking and removing still work: a branch must be put back on a full disk too
    drop(held);
    let held = store.lock(&Holder::this_process("test")).unwrap();
    std::fs::remove_file(filler).unwrap();
    store.save(&state(9), &held).unwrap();
    assert_eq!(store.load().unwrap().iter_count_total, 9);
}

#[test]
fn a_line_that_does_not_fit_is_taken_back_whole() {
    let Some(disk) = SmallDisk::mount() else { return };
    let layout = Layout::new(disk.path());
    let path = layout.journal("b-x");
    let run =
        serde_json::from_value(serde_json::json!({"run_id": "r", "branch": "b", "checkout": "c",
        "mode": "in-place", "start_sha": "a".repeat(40), "at": "t", "iterations_before": 0,
        "tokens_before": 0, "reverts_before": 0, "max_iter": 5, "token_budget": 9}))
        .unwrap();
    let journal = Journal::start(&path, &run).unwrap();
    let before = std::fs::read(&path).unwrap();
    let filler = disk.fill();
    let why = "w".repeat(10_000);
    let long = Entry::RollingBack { from: sha('a'), to: sha('b'), why };
    let error = journal.append(&long).unwrap_err().to_string();
    assert!(error.contains("journal.jsonl") && error.contains("free some space"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::remove_file(filler).unwrap();
    journal.append(&long).unwrap();
    assert_eq!(read(&path).unwrap().entries.len(), 2);
}

#[test]
fn a_read_only_disk_is_named_and_can_still_be_looked_at() {
    let Some(disk) = SmallDisk::mount() else { return };
    let layout = Layout::new(disk.path());
    let (store, held) = store(&layout);
    store.save(&state(5), &held).unwrap();
    drop(held);
    disk.remount("remount,ro");
    let error = store.lock(&Holder::this_process("test")).unwrap_err().to_string();
    assert!(error.contains("b-x/lock") && error.contains("read-only"), "{error}");
    let error = write::write_atomic(&layout.state("b-x"), b"x").unwrap_err().to_string();
    assert!(error.contains("state.json") && error.contains("read-only"), "{error}");
    let error = write::write_atomic(&layout.state("b-new"), b"x").unwrap_err().to_string();
    assert!(error.contains("b-new") && error.contains("read-only"), "{error}");
    assert_eq!(store.load().unwrap().iter_count_total, 5);
    assert_eq!(peek(&layout.branch_lock("b-x")), None);
    disk.remount("remount,rw");
}

#[test]
fn a_file_where_a_folder_has_to_be_is_named() {
    let home = super::home();
    std::fs::write(home.dir.path().join("evidence"), "mine").unwrap();
    let error = write::write_atomic(&home.layout.state("b-x"), b"x").unwrap_err().to_string();
    assert!(error.contains("evidence'"), "{error}");
    assert_eq!(std::fs::read(home.dir.path().join("evidence")).unwrap(), b"mine");
}

#[test]
fn a_file_is_private_and_replacing_it_leaves_one_name() {
    use std::os::unix::fs::PermissionsExt;
    let home = super::home();
    let path = home.layout.state("b-x");
    for text in ["one", "two", ""] {
        write::write_atomic(&path, text.as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(others(home.dir.path(), &["state.json"]).is_empty());
}
