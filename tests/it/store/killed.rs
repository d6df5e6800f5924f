//! A writer that is killed: whatever it was doing, all that it had finished is there.

use std::path::Path;
use std::process::{Command, Stdio};

use git_evidence::store::branch::{BranchState, BranchStore};
use git_evidence::store::journal::{self, Entry, Journal};
use git_evidence::store::lock::{Holder, peek};
use git_evidence::store::{Layout, write};

use super::{home, sha};

const FOLDER: &str = "EVIDENCE_TEST_FOLDER";
const NAME: &str = "refs/heads/x";

fn state(number: u64) -> BranchState {
    let mut state = BranchState::new(NAME);
    state.iter_count_total = number;
    state.tokens_total = number;
    state.last_reasons_set = Some((0..200).map(|n| format!("reason {number:06}:{n:03}")).collect());
    state
}

/// The writer: another process, started below, which never ends by itself. Run as one of the tests
/// it has no folder to write to and is over at once.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let layout = Layout::new(Path::new(&folder));
    let store = BranchStore::new(&layout, "b-x", NAME);
    let held = store.lock(&Holder::this_process("writing")).unwrap();
    let journal = match Journal::open(&layout.journal("b-x")).unwrap() {
        Some((journal, _)) => journal,
        None => Journal::start(&layout.journal("b-x"), &run()).unwrap(),
    };
    let first = store.load().unwrap().iter_count_total + 1;
    for number in first.. {
        journal
            .append(&Entry::RollingBack { from: sha('a'), to: sha('b'), why: number.to_string() })
            .unwrap();
        store.save(&state(number), &held).unwrap();
        write::write_atomic(&layout.root().join("saved"), number.to_string().as_bytes()).unwrap();
    }
}

fn run() -> journal::RunStarted {
    serde_json::from_value(serde_json::json!({"run_id": "r", "branch": NAME, "checkout": "c",
        "mode": "worktree", "start_sha": "a".repeat(40), "at": "t", "iterations_before": 0,
        "tokens_before": 0, "reverts_before": 0, "max_iter": 5, "token_budget": 9}))
    .unwrap()
}

/// The number that the writer says it has saved, 0 before the first.
fn saved(layout: &Layout) -> u64 {
    let text = std::fs::read_to_string(layout.root().join("saved")).unwrap_or_default();
    text.parse().unwrap_or(0)
}

#[test]
fn a_writer_killed_at_any_instant_loses_nothing_that_it_had_saved() {
    let home = home();
    let layout = &home.layout;
    let store = BranchStore::new(layout, "b-x", NAME);
    for round in 0..12u64 {
        let target = saved(layout) + 1 + round % 4;
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::killed::writer"])
            .env(FOLDER, home.dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while saved(layout) < target {
            assert!(child.try_wait().unwrap().is_none(), "the writer ended by itself");
            std::thread::yield_now();
        }
        assert_eq!(peek(&layout.branch_lock("b-x")).map(|h| h.pid), Some(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(peek(&layout.branch_lock("b-x")), None, "the lock went with its process");
        let promised = saved(layout);
        let loaded = store.load().unwrap();
        assert!((promised..=promised + 1).contains(&loaded.iter_count_total));
        let mut expected = state(loaded.iter_count_total);
        expected.updated_at.clone_from(&loaded.updated_at);
        assert_eq!(loaded, expected, "whole, never half of one and half of the next");
        let read = journal::read(&layout.journal("b-x")).unwrap();
        assert_eq!(read.interrupted(), Some(&run()));
        let Some(Entry::RollingBack { why, .. }) = read.entries.last() else { panic!() };
        assert!(why.parse::<u64>().unwrap() >= loaded.iter_count_total, "announced before done");
    }
    // what the killed ones left goes when somebody takes the branch, but not a young file
    let folder = layout.branch("b-x");
    let (old, young) = (folder.join(".tmp-old"), folder.join(".tmp-young"));
    for path in [&old, &young] {
        std::fs::write(path, "half").unwrap();
    }
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    let held = store.lock(&Holder::this_process("looking")).unwrap();
    assert_eq!(store.running().map(|h| h.what), Some("looking".to_string()));
    assert!(!old.exists() && young.exists() && layout.state("b-x").exists());
    drop(held);
    assert_eq!(store.running(), None);
}
