//! Refs that move together, from where they are expected to be, or not at all.

use git_evidence::git::{Expect, GitError, RefEdit, branch_key};

use super::id;
use crate::support::repo::TestRepo;

fn edit(name: &str, new: Option<&str>, old: Expect) -> RefEdit {
    RefEdit { name: name.to_owned(), new: new.map(id), old }
}

#[test]
fn a_set_moves_whole_or_not_at_all() {
    for options in [[].as_slice(), &["--ref-format=reftable"], &["--object-format=sha256"]] {
        let test = TestRepo::with(options);
        let first = test.commit("first");
        let second = test.commit("second");
        let repo = test.open();
        let key = branch_key(b"Feature/x");
        let checkpoint = format!("refs/evidence/checkpoints/{key}/1");
        repo.update(
            &[
                edit(&checkpoint, Some(&first), Expect::Absent),
                edit("refs/heads/main", Some(&first), Expect::Is(id(&second))),
            ],
            "to the\ncheckpoint",
        )
        .unwrap();
        assert_eq!(test.git(&["rev-parse", &checkpoint]), first);
        assert_eq!(test.git(&["log", "-g", "-1", "--format=%gs", "main"]), "to the checkpoint");
        assert_eq!(repo.list("refs/evidence/").unwrap(), [(checkpoint.clone(), id(&first))]);
        let moved = repo.update(
            &[
                edit("refs/evidence/x/2", Some(&first), Expect::Any),
                edit("refs/heads/main", Some(&second), Expect::Is(id(&second))),
            ],
            "stale",
        );
        let Err(GitError::RefMoved { name, expected, found }) = moved else { panic!("{moved:?}") };
        assert_eq!((name.as_str(), expected, found), ("refs/heads/main", second, first.clone()));
        assert_eq!(repo.resolve("refs/evidence/x/2").unwrap(), None);
        let exists = repo.update(&[edit(&checkpoint, Some(&first), Expect::Absent)], "again");
        assert!(matches!(exists, Err(GitError::RefMoved { .. })), "{exists:?}");
        repo.update(&[edit(&checkpoint, None, Expect::Is(id(&first)))], "done").unwrap();
        assert_eq!(repo.list("refs/evidence/").unwrap(), []);
    }
}

#[test]
fn an_attached_head_is_not_detached_and_names_are_checked() {
    let test = TestRepo::new();
    let first = test.commit("first");
    let second = test.commit("second");
    let repo = test.open();
    let head = [edit("HEAD", Some(&first), Expect::Any)];
    assert!(matches!(repo.update(&head, "x"), Err(GitError::RefMoved { .. })));
    for name in ["main", "refs/x\0y", "../x", "refs/heads/a b"] {
        assert!(repo.update(&[edit(name, Some(&first), Expect::Any)], "x").is_err(), "{name}");
    }
    assert_eq!(test.git(&["rev-parse", "main"]), second);
    test.git(&["checkout", "-q", "--detach"]);
    repo.update(&head, "back").unwrap();
    assert_eq!(repo.head().unwrap().commit, Some(id(&first)));
    assert_eq!(test.git(&["rev-parse", "main"]), second);
}

#[test]
fn a_hook_that_refuses_is_heard() {
    let test = TestRepo::new();
    let first = test.commit("first");
    test.hook("reference-transaction", "[ \"$1\" = prepared ] && exit 1; exit 0");
    let repo = test.open();
    let refused = repo.update(&[edit("refs/evidence/x/1", Some(&first), Expect::Absent)], "x");
    assert!(matches!(refused, Err(GitError::Failed { .. })), "{refused:?}");
    assert_eq!(repo.resolve("refs/evidence/x/1").unwrap(), None);
}

#[test]
fn published_commits_are_found_with_their_refs() {
    let test = TestRepo::new();
    let first = id(&test.commit("first"));
    let second = id(&test.commit("second"));
    test.git(&["update-ref", "refs/remotes/origin/main", first.as_str()]);
    test.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let repo = test.open();
    let refs = repo.contained_in_remotes(&[first.clone(), second.clone()]).unwrap();
    assert_eq!(refs, ["refs/remotes/origin/main"]);
    assert!(repo.contained_in_remotes(&[second]).unwrap().is_empty());
    assert!(repo.contained_in_remotes(&[]).unwrap().is_empty());
}
