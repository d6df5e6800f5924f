//! Linked working trees of our own.

use git_evidence::git::{GitError, Worktree};

use super::id;
use crate::support::repo::TestRepo;

#[test]
fn ours_is_added_without_hooks_and_removed_again() {
    let test = TestRepo::new();
    test.write("a", "1");
    let first = id(&test.commit("first"));
    test.hook("post-checkout", "touch ran");
    let repo = test.open();
    let path = test.beside("own tree");
    repo.add_worktree(&path, &first).unwrap();
    assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "1");
    assert!(!path.join("ran").exists());
    let ours: Vec<_> = repo.worktrees().unwrap().into_iter().filter(Worktree::is_ours).collect();
    assert_eq!(ours.len(), 1);
    assert_eq!((ours[0].head.as_ref(), ours[0].branch.as_ref()), (Some(&first), None));
    std::fs::write(path.join("left"), "by a check").unwrap();
    assert!(matches!(repo.remove_worktree(&path, false), Err(GitError::Failed { .. })));
    assert!(path.join("left").exists());
    assert!(repo.worktrees().unwrap().iter().any(|t| t.is_ours() && t.path == path));
    repo.remove_worktree(&path, true).unwrap();
    assert!(!path.exists());
    assert_eq!(repo.worktrees().unwrap().len(), 1);
}

#[test]
fn one_can_be_added_from_a_bare_repository_and_from_a_linked_worktree() {
    let test = TestRepo::new();
    test.write("a", "1");
    let first = id(&test.commit("first"));
    let (linked, bare) = (test.beside("linked"), test.beside("bare"));
    test.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    test.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    for folder in [linked, bare] {
        let repo = test.open_at(&folder);
        let path = test.beside("own");
        repo.add_worktree(&path, &first).unwrap();
        let inner = test.open_at(&path);
        assert_eq!((&inner.common_dir, inner.head().unwrap().branch), (&repo.common_dir, None));
        assert_eq!(inner.status(true, true).unwrap(), []);
        repo.remove_worktree(&path, false).unwrap();
        assert!(!path.exists());
    }
}

#[test]
fn a_persons_worktree_is_never_removed() {
    let test = TestRepo::new();
    test.commit("first");
    let path = test.beside("theirs");
    test.git(&["worktree", "add", "-q", "--detach", path.to_str().unwrap()]);
    let repo = test.open();
    for path in [&path, &test.path] {
        assert!(matches!(repo.remove_worktree(path, true), Err(GitError::NotOurs(_))));
    }
    std::fs::rename(&path, test.beside("moved")).unwrap();
    assert!(repo.prune_worktrees().unwrap().is_empty());
    assert_eq!(repo.worktrees().unwrap().len(), 2);
}

#[test]
fn commits_that_no_ref_keeps_hold_the_worktree() {
    let test = TestRepo::new();
    let first = id(&test.commit("first"));
    let repo = test.open();
    let (path, dead) = (test.beside("own"), test.beside("dead"));
    for path in [&path, &dead] {
        repo.add_worktree(path, &first).unwrap();
    }
    test.git_in(&path, &["commit", "-q", "--allow-empty", "-m", "made here"]);
    assert!(matches!(repo.remove_worktree(&path, true), Err(GitError::Unkept { .. })));
    // folders that went without us
    for path in [&path, &dead] {
        std::fs::rename(path, path.with_extension("moved")).unwrap();
    }
    let unkept = repo.prune_worktrees().unwrap();
    assert_eq!(unkept.len(), 1);
    let made = unkept[0].head.clone().unwrap();
    test.git(&["update-ref", "refs/evidence/kept/1", made.as_str()]);
    assert!(repo.prune_worktrees().unwrap().is_empty());
    assert_eq!(repo.worktrees().unwrap().len(), 1);
}
