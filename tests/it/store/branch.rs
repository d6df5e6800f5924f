//! The branch's counters: kept, checked, and never given back by accident.

use git_evidence::model::CommitId;
use git_evidence::rules::trigger::{Autocount, Counted, count_marker};
use git_evidence::store::branch::{BranchState, BranchStore};
use git_evidence::store::lock::Holder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Home, home, others, sha};

const NAME: &str = "refs/heads/feature/x";
const ENCODED: &str = "b-feature%2fx";

fn store(home: &Home) -> BranchStore {
    BranchStore::new(&home.layout, ENCODED, NAME)
}

fn me() -> Holder {
    Holder::this_process("test")
}

#[test]
fn a_state_is_saved_sorted_stamped_and_with_what_others_wrote() {
    let home = home();
    let store = store(&home);
    assert_eq!(store.load().unwrap(), BranchState::new(NAME));
    let held = store.lock(&me()).unwrap();
    let mut state = store.load().unwrap();
    state.iter_count_total = 3;
    state.last_reasons_set = Some(vec!["b".into(), "a".into(), "b".into()]);
    state.other.insert("theirs".into(), json!({"deep": [1]}));
    store.save(&state, &held).unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.last_reasons_set, Some(vec!["a".to_string(), "b".to_string()]));
    assert!(loaded.updated_at.ends_with('Z'), "{}", loaded.updated_at);
    assert_eq!(loaded.other["theirs"], json!({"deep": [1]}));
    assert!(others(home.dir.path(), &["state.json", "b-feature%2fx/lock"]).is_empty());
    store.remove(&held).unwrap();
    store.remove(&held).unwrap();
    assert_eq!(store.load().unwrap(), BranchState::new(NAME));
}

#[test]
fn the_lock_of_another_branch_does_not_let_save() {
    let home = home();
    let other = BranchStore::new(&home.layout, "b-feature-x", "refs/heads/feature-x");
    let held = other.lock(&me()).unwrap();
    let error = store(&home).save(&BranchState::new(NAME), &held).unwrap_err();
    assert!(error.to_string().contains("b-feature-x"), "{error}");
}

#[test]
fn a_state_that_cannot_be_trusted_is_an_error_with_its_way_out() {
    let home = home();
    let path = home.layout.state(ENCODED);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let good = json!({"schema": "fix_evidence_state_v1", "branch": NAME, "iter_count_total": 9});
    let with = |key: &str, value: Value| {
        let mut state = good.clone();
        state[key] = value;
        state.to_string()
    };
    for (text, word) in [
        (String::new(), "damaged"),
        ("{\"schema\": \"fix_evid".to_string(), "damaged"),
        ("[]".to_string(), "neither"),
        ("{}".to_string(), "neither"),
        (with("schema", json!("fix_evidence_state_v2")), "fix_evidence_state_v2"),
        (with("branch", json!("refs/heads/other")), "refs/heads/other"),
        (with("iter_count_total", json!(-1)), "damaged"),
        (with("last_reasons_set", json!("a")), "damaged"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = store(&home).load().unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert!(error.contains("git fix-evidence reset"), "{error}");
        // and a reset works on it
        let held = store(&home).lock(&me()).unwrap();
        store(&home).remove(&held).unwrap();
        assert_eq!(store(&home).load().unwrap(), BranchState::new(NAME));
    }
    std::fs::write(&path, good.to_string()).unwrap();
    assert_eq!(store(&home).load().unwrap().iter_count_total, 9);
}

#[test]
fn a_damaged_counter_counts_as_none_and_is_repaired() {
    let home = home();
    let path = home.layout.autocount(ENCODED);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let valid = json!({"schema": "fix_evidence_autocount_v1", "branch": NAME, "count": 3,
        "sha": "a".repeat(40), "at": "2026-01-01T00:00:00Z"});
    let mut damaged: Vec<String> = vec![String::new(), "nonsense".into(), "{\"count\": 3".into()];
    for (key, value) in [
        ("branch", json!("refs/heads/other")),
        ("count", json!(-3)),
        ("count", json!("3")),
        ("sha", json!("short")),
        ("at", json!("yesterday")),
        ("schema", json!("v9")),
    ] {
        let mut text = valid.clone();
        text[key] = value;
        damaged.push(text.to_string());
    }
    for text in damaged {
        std::fs::write(&path, &text).unwrap();
        assert_eq!(store(&home).autocount(), Autocount::default(), "{text}");
        let answer = store(&home).count(|c| count_marker(c, &sha('a'), 50, 3)).unwrap();
        assert_eq!(answer, Counted::Emit);
        let repaired = Autocount { count: 1, last: Some((sha('a'), 50)) };
        assert_eq!(store(&home).autocount(), repaired);
    }
    std::fs::write(&path, valid.to_string()).unwrap();
    assert_eq!(store(&home).autocount().count, 3);
    store(&home).clear_autocount().unwrap();
    store(&home).clear_autocount().unwrap();
    assert_eq!(store(&home).autocount(), Autocount::default());
}

#[test]
fn hooks_at_once_count_one_marker_once() {
    let home = home();
    // A run holds the branch meanwhile; counting is not its business.
    let _run = store(&home).lock(&me()).unwrap();
    let answers: Vec<Counted> = std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| store(&home).count(|c| count_marker(c, &sha('a'), 5, 3))))
            .collect();
        hooks.into_iter().map(|h| h.join().unwrap().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|a| **a == Counted::Emit).count(), 1);
    assert_eq!(answers.iter().filter(|a| **a == Counted::Repeat).count(), 7);
    assert_eq!(store(&home).autocount().count, 1);
}

fn states() -> impl Strategy<Value = BranchState> {
    let reasons = proptest::option::of(proptest::collection::btree_set(".{0,12}", 0..4));
    let tip = proptest::option::of("[a-f0-9]{40}");
    (any::<u64>(), any::<u64>(), any::<u64>(), reasons, tip, "x_[a-z]{1,5}", any::<i64>()).prop_map(
        |(iterations, tokens, reverts, reasons, tip, key, value)| {
            let mut state = BranchState::new(NAME);
            state.iter_count_total = iterations;
            state.tokens_total = tokens;
            state.reverts = reverts;
            state.last_reasons_set = reasons.map(|set| set.into_iter().collect());
            state.tip = tip.map(|t| CommitId::parse(&t).map_or(t, String::from));
            state.other.insert(key, json!(value));
            state
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn saving_and_loading_are_inverses(state in states()) {
        let home = home();
        let held = store(&home).lock(&me()).unwrap();
        store(&home).save(&state, &held).unwrap();
        let mut loaded = store(&home).load().unwrap();
        loaded.updated_at = String::new();
        prop_assert_eq!(loaded, state);
    }
}
