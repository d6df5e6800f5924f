//! Any move between any two trees, with any mess of a person in the way, loses nothing.

use std::collections::BTreeMap;
use std::path::Path;

use git_evidence::git::GitError;
use proptest::prelude::*;

use super::id;
use crate::support::repo::TestRepo;

/// Names that can stand in each other's way as file and folder.
const NAMES: [&str; 7] = ["a", "a/b", "a/b/c", "d", "d/e", "f", "g/h"];

/// Content by path; a later name that does not fit beside an earlier one is left out.
type Files = BTreeMap<String, String>;

fn files_of(picked: &[(usize, u8)]) -> Files {
    let mut files = Files::new();
    for (name, content) in picked {
        let name = NAMES[*name];
        let clash = |other: &String| {
            other.starts_with(&format!("{name}/")) || name.starts_with(&format!("{other}/"))
        };
        if !files.keys().any(clash) {
            files.insert(name.to_owned(), format!("{content}\n"));
        }
    }
    files
}

fn picks(most: usize) -> impl Strategy<Value = Vec<(usize, u8)>> {
    proptest::collection::vec((0..NAMES.len(), 0u8..4), 0..most)
}

/// One act of a person: write (some content) or remove (none).
fn mess() -> impl Strategy<Value = Vec<(usize, Option<u8>)>> {
    proptest::collection::vec((0..NAMES.len(), proptest::option::of(0u8..6)), 0..4)
}

fn read_all(top: &Path, below: &str, into: &mut Files) {
    for entry in top.join(below).read_dir().unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if path == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            read_all(top, &path, into);
        } else {
            into.insert(path.clone(), std::fs::read_to_string(top.join(&path)).unwrap());
        }
    }
}

fn found(test: &TestRepo) -> Files {
    let mut files = Files::new();
    read_all(&test.path, "", &mut files);
    files
}

/// Makes the files the whole working tree and commits them.
fn commit(test: &TestRepo, files: &Files) -> git_evidence::model::CommitId {
    test.git(&["rm", "-rqf", "--ignore-unmatch", "."]);
    for (path, text) in files {
        test.write(path, text);
    }
    id(&test.commit("files"))
}

fn act(test: &TestRepo, name: &str, content: Option<u8>) {
    let path = test.path.join(name);
    match content {
        Some(content) => {
            // a person cannot write everywhere either
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
                std::fs::write(&path, format!("{content}\n")).ok();
            }
        }
        None if path.is_dir() => std::fs::remove_dir_all(&path).unwrap(),
        None => drop(std::fs::remove_file(&path)),
    }
}

fn check(from: &Files, to: &Files, mess: &[(usize, Option<u8>)], ignored: bool) {
    let test = TestRepo::new();
    let target = commit(&test, to);
    let start = commit(&test, from);
    if ignored {
        std::fs::write(test.path.join(".git/info/exclude"), "*\n").unwrap();
    }
    for (name, content) in mess {
        act(&test, NAMES[*name], *content);
    }
    let before = found(&test);
    let moved = test.open().two_way(&start, &target);
    let after = found(&test);
    match moved {
        Ok(()) => {
            for (path, text) in to.iter().filter(|(p, t)| from.get(*p) != Some(*t)) {
                assert_eq!(after.get(path), Some(text), "{path} arrived");
            }
        }
        Err(GitError::InTheWay { paths }) => {
            assert!(!paths.is_empty());
            assert_eq!(before, after, "refused, so nothing moved");
        }
        Err(other) => panic!("{other}"),
    }
    for (path, text) in &before {
        if from.get(path) != Some(text) {
            assert_eq!(after.get(path), Some(text), "{path} was a person's");
        }
    }
    if mess.is_empty() {
        assert_eq!(&after, to);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_move_loses_what_a_person_wrote(
        from in picks(6), to in picks(6), mess in mess(), ignored in any::<bool>(),
    ) {
        check(&files_of(&from), &files_of(&to), &mess, ignored);
    }
}
