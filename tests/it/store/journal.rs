//! The journal: whatever byte the writer was stopped at, the reader knows where the run stood.

use git_evidence::model::{BlockReason, Decision, Escalation, Kind, Status};
use git_evidence::store::journal::{
    Before, Consulted, Entry, FixerEnd, Journal, Mode, Read, RunStarted, read,
};
use proptest::prelude::*;

use super::{home, others, sha};

fn run(id: &str) -> RunStarted {
    RunStarted {
        run_id: id.to_string(),
        branch: "refs/heads/x".to_string(),
        checkout: "/somewhere/with space\nand \"more\" ü".to_string(),
        mode: Mode::InPlace,
        start_sha: sha('a'),
        at: "2026-01-01T00:00:00Z".to_string(),
        iterations_before: 1,
        tokens_before: 2,
        reverts_before: 0,
        max_iter: 5,
        token_budget: 200_000,
        max_cumulative_iter: Some(10),
    }
}

/// One of each kind.
fn all() -> Vec<Entry> {
    let reason = BlockReason::parse("lint_errors:3>0");
    let before = [Before::Paths(vec!["a b".into()]), Before::File("snap".into())];
    let dispatch = |before: &Before| Entry::Dispatch {
        iteration: 1,
        fixer: "ruff".into(),
        kind: Kind::Lint,
        reason: reason.clone(),
        before: before.clone(),
    };
    vec![
        Entry::RunStarted(run("r1")),
        Entry::Resumed { at: "2026-01-01T00:00:01Z".into() },
        Entry::Checkpoint { iteration: 1, ref_name: "refs/x/1".into(), sha: sha('a') },
        dispatch(&before[0]),
        dispatch(&before[1]),
        Entry::FixerEnded {
            outcome: FixerEnd::Done,
            tokens: 7,
            estimated: true,
            seconds: 1.25,
            head: sha('b'),
            paths: vec!["ü".into()],
        },
        Entry::Committed { sha: sha('b') },
        Entry::Measured {
            sha: sha('b'),
            decision: Decision::BlockRegression,
            reasons: vec![reason, BlockReason::parse("odd: text")],
        },
        Entry::RollingBack { from: sha('b'), to: sha('a'), why: "worse".into() },
        Entry::RolledBack { to: sha('a') },
        Entry::Kept { sha: sha('b') },
        Entry::NoChange { sha: sha('b') },
        Entry::Consulted(Consulted {
            iteration: 1,
            kind: Kind::Lint,
            reason: BlockReason::parse("lint_errors:3>0"),
            verdict: Some("AUTO_CONTINUE".into()),
            reasons: vec!["MEDIUM_WITHIN_ROUNDS".into()],
            goes_on: true,
            decision_sha256: Some("0".repeat(64)),
            attribution_sha256: None,
            capabilities_sha256: None,
        }),
        Entry::RunEnded {
            status: Status::Escalated,
            escalation: Some(Escalation::WorseningDetected),
            sha: sha('a'),
            detail: String::new(),
        },
    ]
}

#[test]
fn a_run_is_written_read_and_archived() {
    let home = home();
    let path = home.layout.journal("b-x");
    assert_eq!(read(&path).unwrap(), Read::default());
    assert!(Journal::open(&path).unwrap().is_none());
    let journal = Journal::start(&path, &run("r1")).unwrap();
    for (at, entry) in all().iter().enumerate().skip(1) {
        assert!(read(&path).unwrap().interrupted().is_some(), "before {at}");
        journal.append(entry).unwrap();
    }
    let whole = read(&path).unwrap();
    assert_eq!((&whole.entries, whole.torn), (&all(), false));
    assert_eq!(whole.interrupted(), None);
    let archived = journal.archive(&home.layout.runs()).unwrap();
    assert_eq!(archived, home.layout.runs().join("r1.jsonl"));
    assert_eq!(read(&archived).unwrap(), whole);
    // the same id once more overwrites nothing
    let again = Journal::start(&path, &run("r1")).unwrap().archive(&home.layout.runs()).unwrap();
    assert_ne!(again, archived);
    assert_eq!(read(&archived).unwrap(), whole);
    assert_eq!(
        others(home.dir.path(), &["r1.jsonl", "r1.2.jsonl"]),
        Vec::<std::path::PathBuf>::new()
    );
}

#[test]
fn a_run_that_did_not_end_is_not_overwritten() {
    let home = home();
    let path = home.layout.journal("b-x");
    Journal::start(&path, &run("r1")).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = Journal::start(&path, &run("r2")).unwrap_err().to_string();
    assert!(error.contains("r1") && error.contains("git fix-evidence abort"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let (journal, read) = Journal::open(&path).unwrap().unwrap();
    assert_eq!(read.interrupted(), Some(&run("r1")));
    journal.append(&Entry::Resumed { at: "t".into() }).unwrap();
}

#[test]
fn a_run_id_that_is_no_file_name_is_refused() {
    let home = home();
    for id in ["", ".", "..", "a/b", "../x", "a b", "ü", &"x".repeat(300)] {
        assert!(Journal::start(&home.layout.journal("b-x"), &run(id)).is_err(), "{id}");
    }
}

#[test]
fn half_a_journal_in_the_middle_is_an_error() {
    let home = home();
    let path = home.layout.journal("b-x");
    let journal = Journal::start(&path, &run("r1")).unwrap();
    journal.append(&Entry::Kept { sha: sha('a') }).unwrap();
    let good = std::fs::read_to_string(&path).unwrap();
    let newer = format!("{good}{{\"step\":\"teleported\"}}\n");
    let broken = good.replacen("\"step\"", "\"st", 1);
    let headless = good.lines().nth(1).unwrap().to_string() + "\n";
    for text in [newer, broken, headless] {
        std::fs::write(&path, &text).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()) && error.contains("undo"), "{error}");
        assert!(Journal::start(&path, &run("r2")).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "left as it was");
    }
}

#[test]
fn stopped_at_every_byte_the_whole_lines_remain_and_the_next_line_is_sound() {
    let home = home();
    let path = home.layout.journal("b-x");
    let journal = Journal::start(&path, &run("r1")).unwrap();
    for entry in &all()[1..4] {
        journal.append(entry).unwrap();
    }
    let bytes = std::fs::read(&path).unwrap();
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let got = read(&path).unwrap();
        let complete = bytes[..cut].iter().filter(|b| **b == b'\n').count();
        // a line that lacks only its newline is a whole one
        let lacks_newline = bytes.get(cut) == Some(&b'\n');
        let expected = complete + usize::from(lacks_newline);
        assert_eq!(got.entries, all()[..expected], "cut at {cut}");
        let rest = cut > 0 && bytes[cut - 1] != b'\n' && !lacks_newline;
        assert_eq!(got.torn, rest, "cut at {cut}");
        if expected == 0 {
            // nothing had begun: a new run may start
            Journal::start(&path, &run("r2")).unwrap();
            assert_eq!(read(&path).unwrap().run(), Some(&run("r2")));
            continue;
        }
        let (journal, _) = Journal::open(&path).unwrap().unwrap();
        journal.append(&all()[13]).unwrap();
        let mended = read(&path).unwrap();
        let mut wanted = all()[..expected].to_vec();
        wanted.push(all()[13].clone());
        assert_eq!((mended.entries, mended.torn), (wanted, false), "cut at {cut}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn no_bytes_make_the_reader_panic_or_invent_a_run(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let home = home();
        let path = home.layout.journal("b-x");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(read) = read(&path) {
            prop_assert!(read.entries.is_empty());
        }
        prop_assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
