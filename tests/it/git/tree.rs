//! Checkouts that move without destroying.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use git_evidence::git::{GitError, Repo};
use git_evidence::model::CommitId;

use super::id;
use crate::support::repo::TestRepo;

/// Moves there and back and expects a clean tree each time.
fn there_and_back(test: &TestRepo, from: &CommitId, to: &CommitId) {
    let repo = test.open();
    repo.two_way(from, to).unwrap();
    test.git(&["update-ref", "HEAD", to.as_str()]);
    assert_eq!(test.git(&["status", "--porcelain"]), "");
    repo.two_way(to, from).unwrap();
    test.git(&["update-ref", "HEAD", from.as_str()]);
    assert_eq!(test.git(&["status", "--porcelain"]), "");
}

fn blocked(result: Result<(), GitError>) -> Vec<PathBuf> {
    match result {
        Err(GitError::InTheWay { paths }) => paths,
        other => panic!("{other:?}"),
    }
}

fn everything(test: &TestRepo) -> (CommitId, CommitId) {
    test.write("edited", "1\n");
    test.write("gone/deep/file", "1\n");
    test.write("old name", "a\nb\nc\n");
    test.write("tool", "#!/bin/sh\n");
    test.write("becomes-folder", "1\n");
    test.write("becomes-file/x", "1\n");
    test.write("becomes-link", "1\n");
    test.write("crlf", "a\r\nb\r\n");
    symlink("edited", test.path.join("link")).unwrap();
    let first = id(&test.commit("first"));
    test.write("edited", "2\n");
    test.git(&["rm", "-rq", "gone", "becomes-folder", "becomes-file", "becomes-link", "link"]);
    test.git(&["mv", "old name", "new name"]);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(test.path.join("tool"), executable).unwrap();
    test.write("becomes-folder/x", "1\n");
    test.write("becomes-file", "1\n");
    test.write("crlf", "a\r\nc\r\n");
    symlink("edited", test.path.join("becomes-link")).unwrap();
    symlink("tool", test.path.join("link")).unwrap();
    (first, id(&test.commit("second")))
}

#[test]
fn every_kind_of_change_moves_there_and_back() {
    for autocrlf in ["false", "true", "input"] {
        let test = TestRepo::new();
        test.git(&["config", "core.autocrlf", autocrlf]);
        let (first, second) = everything(&test);
        there_and_back(&test, &second, &first);
    }
    let test = TestRepo::with(&["--object-format=sha256"]);
    let (first, second) = everything(&test);
    there_and_back(&test, &second, &first);
}

#[test]
fn a_persons_edit_stops_it_before_anything_moves() {
    let test = TestRepo::new();
    let (first, second) = everything(&test);
    let repo = test.open();
    test.write("edited", "by hand\n");
    std::fs::remove_file(test.path.join("crlf")).unwrap();
    let paths = blocked(repo.two_way(&second, &first));
    assert_eq!(paths, [PathBuf::from("crlf"), PathBuf::from("edited")]);
    assert_eq!(test.text("edited").as_deref(), Some("by hand\n"));
    assert!(test.path.join("new name").exists() && !test.path.join("old name").exists());
}

#[test]
fn an_edit_elsewhere_stays() {
    let test = TestRepo::new();
    test.write("same", "1\n");
    let (first, second) = everything(&test);
    test.write("same", "by hand\n");
    test.write("untracked", "mine\n");
    test.open().two_way(&second, &first).unwrap();
    assert_eq!(test.text("same").as_deref(), Some("by hand\n"));
    assert_eq!(test.text("untracked").as_deref(), Some("mine\n"));
    assert_eq!(test.text("edited").as_deref(), Some("1\n"));
}

#[test]
fn untracked_and_ignored_files_in_the_way_are_kept() {
    let test = TestRepo::new();
    let (first, second) = everything(&test);
    std::fs::write(test.path.join(".git/info/exclude"), "*\n").unwrap();
    test.write("gone/deep/file", "mine, ignored\n");
    test.write("old name/inner", "a folder of mine\n");
    test.write("becomes-folder/y", "beside what goes\n");
    let paths = blocked(test.open().two_way(&second, &first));
    let expected = ["becomes-folder", "gone/deep/file", "old name"].map(PathBuf::from);
    assert_eq!(paths, expected);
    assert_eq!(test.text("gone/deep/file").as_deref(), Some("mine, ignored\n"));
    assert_eq!(test.text("edited").as_deref(), Some("2\n"));
}

#[test]
fn a_link_or_file_above_a_new_path_is_in_the_way() {
    for link in [true, false] {
        let test = TestRepo::new();
        test.write("a", "1");
        let first = id(&test.commit("first"));
        test.write("d/x", "1");
        let second = id(&test.commit("second"));
        let repo = test.open();
        repo.two_way(&second, &first).unwrap();
        let elsewhere = test.beside("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        if link {
            symlink(&elsewhere, test.path.join("d")).unwrap();
        } else {
            test.write("d", "a file of mine");
        }
        assert_eq!(blocked(repo.two_way(&first, &second)), [PathBuf::from("d/x")]);
        assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
    }
}

#[test]
fn an_edit_within_the_clock_tick_of_the_index_is_seen() {
    let test = TestRepo::new();
    let repo = test.open();
    for n in 0..20 {
        test.write("a", format!("{n:04}\n"));
        let first = id(&test.commit("first"));
        test.write("a", format!("{n:04}x\n"));
        let second = id(&test.commit("second"));
        // same size, same tick
        test.write("a", format!("{n:04}y\n"));
        assert_eq!(blocked(repo.two_way(&second, &first)), [PathBuf::from("a")]);
    }
}

#[test]
fn an_interrupted_move_goes_on() {
    let test = TestRepo::new();
    let (first, second) = everything(&test);
    // as if killed after some files, before the index was written
    test.write("edited", "1\n");
    test.write("gone/deep/file", "1\n");
    std::fs::remove_file(test.path.join("new name")).unwrap();
    std::fs::remove_file(test.path.join("becomes-folder/x")).unwrap();
    std::fs::remove_dir(test.path.join("becomes-folder")).unwrap();
    test.write("becomes-folder", "1\n");
    test.open().two_way(&second, &first).unwrap();
    test.git(&["update-ref", "HEAD", first.as_str()]);
    assert_eq!(test.git(&["status", "--porcelain"]), "");
}

#[test]
fn something_else_in_the_index_stops_it() {
    let test = TestRepo::new();
    let (first, second) = everything(&test);
    test.write("edited", "staged\n");
    test.git(&["add", "edited"]);
    test.write("edited", "2\n");
    let refused = test.open().two_way(&second, &first);
    assert!(matches!(refused, Err(GitError::Failed { .. })), "{refused:?}");
    assert_eq!(test.git(&["show", ":edited"]), "staged");
}

#[test]
fn sparse_checkouts_stay_sparse() {
    let test = TestRepo::new();
    test.write("in/a", "1");
    test.write("out/b", "1");
    let first = id(&test.commit("first"));
    test.write("in/a", "2");
    test.write("out/b", "2");
    test.write("out/c", "2");
    let second = id(&test.commit("second"));
    test.git(&["sparse-checkout", "set", "in"]);
    assert!(!test.path.join("out").exists());
    there_and_back(&test, &second, &first);
    assert!(!test.path.join("out").exists());
    assert_eq!(test.text("in/a").as_deref(), Some("2"));
    test.git(&["sparse-checkout", "set", "--sparse-index", "in"]);
    there_and_back(&test, &second, &first);
    assert!(!test.path.join("out").exists());
}

#[test]
fn filters_run_both_ways() {
    let test = TestRepo::new();
    test.git(&["config", "filter.rot.clean", "tr a-z b-za"]);
    test.git(&["config", "filter.rot.smudge", "tr b-za a-z"]);
    test.write(".gitattributes", "*.rot filter=rot\n");
    test.write("x.rot", "abc\n");
    let first = id(&test.commit("first"));
    assert_eq!(test.git(&["show", "HEAD:x.rot"]), "bcd");
    test.write("x.rot", "abd\n");
    let second = id(&test.commit("second"));
    there_and_back(&test, &second, &first);
    let repo = test.open();
    repo.two_way(&second, &first).unwrap();
    assert_eq!(test.text("x.rot").as_deref(), Some("abc\n"));
    test.write("x.rot", "xyz\n");
    let kept = repo.commit_tree_of(&[b"x.rot".to_vec()], &first, "tried").unwrap();
    assert_eq!(repo.read_blob(&kept, "x.rot").unwrap().as_deref(), Some(b"yza\n".as_slice()));
}

#[test]
fn a_submodule_is_left_as_it_is_checked_out() {
    let inner = TestRepo::new();
    inner.write("i", "1");
    inner.commit("inner");
    let test = TestRepo::new();
    let url = inner.path.to_str().unwrap();
    test.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "sub"]);
    test.write("a", "1");
    let first = id(&test.commit("first"));
    test.write("a", "2");
    let second = id(&test.commit("second"));
    there_and_back(&test, &second, &first);
    test.write("sub/i", "2");
    let entries = test.open().status(true, false).unwrap();
    assert!(entries[0].submodule && entries[0].path == b"sub");
    test.open().two_way(&second, &first).unwrap();
    assert_eq!(test.text("sub/i").as_deref(), Some("2"));
    // from inside, it is a repository like any other
    let sub = test.open_at(&test.path.join("sub"));
    assert_eq!(sub.top, Some(test.path.join("sub")));
    assert_eq!(sub.git_dir, test.path.join(".git/modules/sub"));
    let kept = keep_and_go_back(&sub, &sub.commit("HEAD").unwrap());
    assert_eq!(test.text("sub/i").as_deref(), Some("1"));
    assert_eq!(sub.read_blob(&kept, "i").unwrap().as_deref(), Some(b"2".as_slice()));
}

#[test]
fn hidden_edits_are_not_overwritten() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let test = TestRepo::new();
        let (first, second) = everything(&test);
        test.git(&["update-index", flag, "edited"]);
        test.write("edited", "a setting of mine\n");
        assert_eq!(test.git(&["status", "--porcelain"]), "");
        assert!(test.open().two_way(&second, &first).is_err());
        assert_eq!(test.text("edited").as_deref(), Some("a setting of mine\n"), "{flag}");
        assert!(test.path.join("new name").exists());
    }
}

#[test]
fn unusual_indexes_are_fine() {
    for (key, value) in
        [("core.splitIndex", "true"), ("feature.manyFiles", "true"), ("index.skipHash", "true")]
    {
        let test = TestRepo::new();
        test.git(&["config", key, value]);
        let (first, second) = everything(&test);
        test.git(&["update-index", "--force-write-index"]);
        there_and_back(&test, &second, &first);
    }
}

/// What the loop does with a failed try: keeps it, then goes back.
fn keep_and_go_back(repo: &Repo, checkpoint: &CommitId) -> CommitId {
    let paths: Vec<Vec<u8>> =
        repo.status(true, false).unwrap().into_iter().map(|e| e.path).collect();
    let head = repo.commit("HEAD").unwrap();
    let kept = repo.commit_tree_of(&paths, &head, "tried").unwrap();
    repo.set_index_to(&kept).unwrap();
    repo.two_way(&kept, checkpoint).unwrap();
    kept
}

#[test]
fn what_was_tried_is_kept_before_it_goes() {
    let test = TestRepo::new();
    test.write("a", "1");
    test.write("b", "1");
    let first = id(&test.commit("first"));
    test.write("a", "tried");
    test.write("new/file", "tried");
    std::fs::remove_file(test.path.join("b")).unwrap();
    test.git(&["add", "a"]);
    let repo = test.open();
    let kept = keep_and_go_back(&repo, &first);
    assert_eq!(test.git(&["status", "--porcelain"]), "");
    assert_eq!(test.text("a").as_deref(), Some("1"));
    assert_eq!(test.text("b").as_deref(), Some("1"));
    assert_eq!(test.git(&["show", &format!("{kept}:new/file")]), "tried");
    assert_eq!(repo.read_blob(&kept, "b").unwrap(), None);
    assert_eq!(repo.parents(&kept).unwrap(), [first]);
    let left: Vec<_> = std::fs::read_dir(&repo.git_dir)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().as_encoded_bytes().starts_with(b"evidence-"))
        .collect();
    assert!(left.is_empty());
}

#[test]
fn setting_the_index_leaves_the_files() {
    let test = TestRepo::new();
    let (first, second) = everything(&test);
    let repo = test.open();
    repo.set_index_to(&first).unwrap();
    assert_eq!(test.text("edited").as_deref(), Some("2\n"));
    assert!(test.git(&["status", "--porcelain"]).contains("new name"));
    repo.set_index_to(&second).unwrap();
    assert_eq!(test.git(&["status", "--porcelain"]), "");
}
