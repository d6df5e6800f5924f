//! Records, measurements and the fix log.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use git_evidence::model::{BlockReason, Kind, Outcome, Record};
use git_evidence::store::log::{self, Attempt};
use git_evidence::store::measurements::Measurements;
use git_evidence::store::records::Place;
use serde_json::json;

use super::{home, others, sha};

fn record(id: &str) -> Record {
    let value = json!({"schema_version": "2.0", "sha": id, "branch": "b", "computed_at": "t",
        "dirty_tree": false, "base_branch": "main", "stack_detected": [], "metrics": {},
        "spec_drift": {}, "verdict": {"block": false, "block_reasons": [], "warnings": []},
        "theirs": {"kept": 1}});
    Record::parse(value.to_string().as_bytes()).unwrap()
}

#[test]
fn a_record_is_found_under_its_commit_in_either_place() {
    let home = home();
    let top = home.dir.path().join("top");
    std::fs::create_dir(&top).unwrap();
    let template = Place::template(&top, ".claude/review-evidence/{sha}.json").unwrap();
    let id = sha('a');
    for place in [Place::GitDir(home.layout.clone()), template] {
        assert!(place.read(&id).unwrap().is_none());
        let path = place.write(&id, &record(id.as_str())).unwrap();
        assert_eq!(path, place.path(&id));
        assert!(path.ends_with(format!("{id}.json")));
        assert_eq!(place.read(&id).unwrap(), Some(record(id.as_str())));
        assert!(place.read(&sha('b')).unwrap().is_none());
    }
    assert!(home.layout.record(id.as_str()).ends_with(format!("records/aa/{id}.json")));
    let name = format!("{id}.json");
    assert!(others(home.dir.path(), &[&name]).is_empty(), "no temporary file is left");
}

#[test]
fn a_record_that_is_none_or_of_another_commit_is_an_error_that_names_the_file() {
    let home = home();
    let place = Place::GitDir(home.layout.clone());
    let path = place.write(&sha('a'), &record(sha('a').as_str())).unwrap();
    let good = std::fs::read_to_string(&path).unwrap();
    for (text, word) in [
        (String::new(), "no evidence record"),
        ("{}".to_string(), "schema_version"),
        (good.replace("\"2.0\"", "\"3.0\""), "3.0"),
        (good[..good.len() / 2].to_string(), "no evidence record"),
        (good.replace(sha('a').as_str(), sha('b').as_str()), "record of"),
        (good.replace(sha('a').as_str(), "aaa"), "record of"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let error = place.read(&sha('a')).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(path.to_str().unwrap()), "{text}: {error}");
    }
    std::fs::write(&path, good.replace(sha('a').as_str(), "AAAAAAAA")).unwrap();
    assert!(place.read(&sha('a')).unwrap().is_some(), "a shortened name of the same commit");
}

#[test]
fn a_template_stays_inside_the_checkout() {
    let home = home();
    let top = home.dir.path().join("top");
    std::fs::create_dir(&top).unwrap();
    for bad in [
        "x.json",
        "/tmp/{sha}.json",
        "../{sha}.json",
        "a/../../{sha}",
        ".git/{sha}",
        "a/.GIT/{sha}.json",
        "{sha}/",
        "",
    ] {
        assert!(Place::template(&top, bad).is_err(), "{bad}");
    }
    // a branch brings a link that leads out
    let outside = home.dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, top.join("ev")).unwrap();
    for template in ["ev/{sha}.json", "ev/deeper/{sha}.json"] {
        let place = Place::template(&top, template).unwrap();
        let error = place.write(&sha('a'), &record(sha('a').as_str())).unwrap_err().to_string();
        assert!(error.contains("leads out"), "{error}");
    }
    assert!(others(&outside, &[]).is_empty());
}

#[test]
fn a_measurement_is_found_by_tree_and_key_and_damage_is_absence() {
    let home = home();
    let cache = Measurements::new(&home.layout);
    let (tree, key) = ("1".repeat(40), "ruff check . /with/slashes");
    assert!(cache.get::<Vec<u32>>(&tree, key).is_none());
    cache.put(&tree, key, &vec![1u32, 2]).unwrap();
    let got = cache.get::<Vec<u32>>(&tree, key).unwrap();
    assert_eq!((got.value, got.tree.as_str()), (vec![1, 2], tree.as_str()));
    assert!(cache.get::<Vec<u32>>(&tree, "other").is_none());
    assert!(cache.get::<String>(&tree, key).is_none(), "another shape");
    let folder = home.layout.measurements().join(&tree);
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let good = std::fs::read_to_string(&file).unwrap();
    let half = &good[..good.len() / 2];
    let other_tree = good.replace(&tree, &"2".repeat(40));
    let other_key = good.replace("ruff check", "flake8");
    for text in ["", "{}", half, &other_tree, &other_key] {
        std::fs::write(&file, text).unwrap();
        assert!(cache.get::<Vec<u32>>(&tree, key).is_none(), "{text}");
    }
    cache.put(&tree, key, &vec![3u32]).unwrap();
    assert_eq!(cache.get::<Vec<u32>>(&tree, key).unwrap().value, [3]);
}

/// Makes a folder or file look as old as this.
fn age(path: &std::path::Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    std::fs::File::open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn the_oldest_trees_go_and_the_newest_stay() {
    let home = home();
    let cache = Measurements::keeping(&home.layout, 10);
    for n in 0..30u64 {
        cache.put(&format!("tree{n}"), "k", &n).unwrap();
        let folder = home.layout.measurements().join(format!("tree{n}"));
        age(&folder, 1000 - n);
        age(&folder.join("k.json"), 1000 - n);
        let count = std::fs::read_dir(home.layout.measurements()).unwrap().count();
        assert!(count <= 11, "{count}");
        assert_eq!(cache.get::<u64>(&format!("tree{n}"), "k").unwrap().value, n);
        assert_eq!(cache.latest_for_key::<u64>("k").unwrap().value, n);
    }
    assert!(cache.get::<u64>("tree0", "k").is_none());
    assert!(cache.get::<u64>("tree25", "k").is_some());
    assert!(cache.latest_for_key::<u64>("other").is_none());
}

fn attempt(fixer: &str, kind: Kind, outcome: Outcome) -> Attempt {
    Attempt {
        run_id: "r1".into(),
        branch: "refs/heads/x".into(),
        iteration: 1,
        fixer: fixer.into(),
        kind,
        reason: BlockReason::parse("lint_errors:3>0"),
        outcome,
        tokens: 10,
        estimated: fixer == "claude",
        seconds: 0.5,
        at: "2026-01-01T00:00:00Z".into(),
        gaming: std::collections::BTreeMap::new(),
    }
}

#[test]
fn every_branch_appends_to_the_log_and_bad_lines_take_nothing_from_others() {
    let home = home();
    assert!(log::read(&home.layout).unwrap().entries.is_empty());
    std::thread::scope(|scope| {
        for fixer in ["ruff", "claude", "eslint", "cargo"] {
            let layout = &home.layout;
            scope.spawn(move || {
                for _ in 0..5 {
                    log::append(layout, &attempt(fixer, Kind::Lint, Outcome::Kept)).unwrap();
                }
            });
        }
    });
    let read = log::read(&home.layout).unwrap();
    assert_eq!((read.entries.len(), read.torn, read.bad.len()), (20, false, 0));
    let text = std::fs::read_to_string(home.layout.log()).unwrap();
    std::fs::write(home.layout.log(), format!("{{\"odd\":1}}\n{text}{{\"run_id\":\"to")).unwrap();
    let read = log::read(&home.layout).unwrap();
    assert_eq!((read.entries.len(), read.torn, read.bad.len()), (20, true, 1));
    log::append(&home.layout, &attempt("ruff", Kind::Lint, Outcome::Kept)).unwrap();
    let read = log::read(&home.layout).unwrap();
    assert_eq!((read.entries.len(), read.torn, read.bad.len()), (21, false, 1));
}

#[test]
fn the_summary_counts_every_outcome_by_fixer_and_kind() {
    let mut attempts: Vec<Attempt> = Outcome::ALL
        .iter()
        .flat_map(|o| [attempt("claude", Kind::Lint, *o), attempt("claude", Kind::Coverage, *o)])
        .collect();
    attempts.push(attempt("claude", Kind::Lint, Outcome::Kept));
    attempts.push(attempt("ruff", Kind::Lint, Outcome::Kept));
    let tallies = log::summary(&attempts);
    let names: Vec<_> = tallies.iter().map(|t| (t.fixer.as_str(), t.kind.as_str())).collect();
    assert_eq!(names, [("claude", "coverage"), ("claude", "lint"), ("ruff", "lint")]);
    let lint = &tallies[1];
    assert_eq!((lint.dispatched, lint.kept, lint.rolled_back), (6, 2, 1));
    assert_eq!((lint.no_change, lint.failed, lint.timeout), (1, 1, 1));
    assert_eq!((lint.tokens, lint.estimated, lint.seconds), (60, true, 3.0));
    assert!(!tallies[2].estimated);
    let sums: BTreeSet<bool> = tallies
        .iter()
        .map(|t| t.kept + t.rolled_back + t.no_change + t.failed + t.timeout == t.dispatched)
        .collect();
    assert_eq!(sums, BTreeSet::from([true]));
    assert!(log::summary(&[]).is_empty());
}

#[test]
fn a_rule_that_is_excused_too_often_is_named() {
    let of = |rule: &str, hits: u64, waived: u64| {
        let gaming = [(rule.to_string(), log::Fired { hits, waived })].into();
        Attempt { gaming, ..attempt("ruff", Kind::Lint, Outcome::Kept) }
    };
    let all = [of("AG09", 9, 1), of("AG08", 4, 0), of("AG09", 1, 0), of("AG17", 9, 1)];
    let rules = log::rule_summary(&all);
    let said: Vec<_> =
        rules.iter().map(|r| (r.rule.as_str(), r.hits, r.waiver_rate, r.demote)).collect();
    let want = [("AG08", 4, 0.0, false), ("AG09", 10, 10.0, false), ("AG17", 9, 11.1, true)];
    assert_eq!(said, want);
    // A line of an older version has no such key.
    let mut old = serde_json::to_value(&all[1]).unwrap();
    old.as_object_mut().unwrap().remove("gaming");
    assert!(serde_json::from_value::<Attempt>(old).unwrap().gaming.is_empty());
}
