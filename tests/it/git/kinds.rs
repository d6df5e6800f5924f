//! Discovery, reads, state and status, whatever kind of repository it is.

use std::path::{Path, PathBuf};

use git_evidence::git::{GitError, ObjectFormat, RefFormat, Repo, StatusKind};

use super::id;
use crate::support::repo::TestRepo;

/// What must hold for every kind.
fn exercise(test: &TestRepo) -> Repo {
    test.write("a.txt", "one\n");
    let first = id(&test.commit("first"));
    test.write("d/b.txt", "two\n");
    let second = id(&test.commit("second"));
    test.git(&["tag", "-a", "v1", "-m", "tag", first.as_str()]);
    let repo = test.open();
    let head = repo.head().unwrap();
    assert_eq!((head.branch.as_deref(), head.commit.as_ref()), (Some("main"), Some(&second)));
    for rev in ["v1", "refs/tags/v1", "main~1", first.as_str(), ":/first"] {
        assert_eq!(repo.resolve(rev).unwrap().as_ref(), Some(&first), "{rev}");
    }
    for rev in ["-h", "--all", "nothing", "refs/heads/none", "", "main:a.txt", "HEAD@{9}", "HEAD~9"]
    {
        assert_eq!(repo.resolve(rev).unwrap(), None, "{rev}");
    }
    assert_eq!(repo.tree_of(&second).unwrap(), test.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(repo.parents(&second).unwrap(), std::slice::from_ref(&first));
    assert_eq!(repo.parents(&first).unwrap(), []);
    assert_eq!(repo.read_blob(&second, "d/b.txt").unwrap().as_deref(), Some(b"two\n".as_slice()));
    assert_eq!(repo.read_blob(&first, "d/b.txt").unwrap(), None);
    assert_eq!(repo.read_blob(&second, "d").unwrap(), None);
    assert_eq!(repo.merge_base(&first, &second).unwrap().as_ref(), Some(&first));
    assert!(repo.is_ancestor(&first, &second).unwrap());
    assert!(!repo.is_ancestor(&second, &first).unwrap());
    assert_eq!(repo.ahead(&first, &second).unwrap(), 1);
    assert_eq!(repo.commits_between(&first, &second).unwrap(), std::slice::from_ref(&second));
    assert!(repo.exists(&first).unwrap());
    let absent = "1".repeat(first.as_str().len());
    assert!(!repo.exists(&id(&absent)).unwrap());
    assert_eq!(repo.status(true, true).unwrap(), []);
    assert_eq!(repo.in_progress_operation(Some("main")).unwrap(), None);
    assert_eq!(repo.diff(&first, &second).unwrap().files.len(), 1);
    repo
}

#[test]
fn an_ordinary_repository_is_read_by_libgit2() {
    let test = TestRepo::new();
    let repo = exercise(&test);
    assert_eq!(repo.slow_reason(), None);
    assert_eq!(repo.top.as_deref(), Some(test.path.as_path()));
    assert_eq!(repo.git_dir, test.path.join(".git"));
    assert_eq!(repo.common_dir, repo.git_dir);
    assert!(!repo.bare && !repo.shallow);
}

#[test]
fn sha256_and_reftable_are_read_by_the_program() {
    let test = TestRepo::with(&["--object-format=sha256"]);
    let repo = exercise(&test);
    assert_eq!(repo.object_format, ObjectFormat::Sha256);
    assert!(repo.slow_reason().is_some());
    let test = TestRepo::with(&["--ref-format=reftable"]);
    let repo = exercise(&test);
    assert_eq!(repo.ref_format, RefFormat::Reftable);
    assert!(repo.slow_reason().is_some());
}

#[test]
fn spaces_accents_and_line_ends_in_the_path_do_no_harm() {
    for name in ["with space", "übung – 測試", "line\nend"] {
        let test = TestRepo::named(name, &[]);
        let repo = exercise(&test);
        assert_eq!(repo.top.as_deref(), Some(test.path.as_path()));
    }
}

#[test]
fn a_linked_worktree_shares_the_common_directory() {
    let test = TestRepo::new();
    test.commit("first");
    let linked = test.beside("linked");
    test.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let repo = test.open_at(&linked);
    assert_eq!(repo.top.as_deref(), Some(linked.as_path()));
    assert_eq!(repo.common_dir, test.path.join(".git"));
    assert_eq!(repo.git_dir, test.path.join(".git/worktrees/linked"));
    assert_eq!(repo.head().unwrap().branch.as_deref(), Some("side"));
    assert_eq!(repo.slow_reason(), None);
    // as git sets it in the hooks of a linked worktree
    for find in [Repo::discover, Repo::discover_fast] {
        let inherited = find(&linked, Some(&repo.git_dir), None).unwrap();
        assert_eq!(inherited.top, repo.top);
        assert_eq!(inherited.head().unwrap(), repo.head().unwrap());
    }
}

#[test]
fn fast_discovery_finds_the_same() {
    let test = TestRepo::new();
    test.write("d/a", "1");
    test.commit("first");
    let linked = test.beside("linked");
    test.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let sha256 = TestRepo::with(&["--object-format=sha256"]);
    let bare = TestRepo::with(&["--bare"]);
    for folder in [&test.path.join("d"), &test.path, &linked, &sha256.path, &bare.path] {
        let slow = Repo::discover(folder, None, None).unwrap();
        let fast = Repo::discover_fast(folder, None, None).unwrap();
        let seen = |r: &Repo| {
            let dirs: (Option<PathBuf>, PathBuf, PathBuf) =
                (r.top.clone(), r.git_dir.clone(), r.common_dir.clone());
            (dirs, r.object_format, r.ref_format.clone(), r.shallow, r.bare)
        };
        assert_eq!(seen(&slow), seen(&fast), "{}", folder.display());
    }
}

#[test]
fn an_explicit_git_dir_and_work_tree_are_honoured() {
    let test = TestRepo::new();
    test.write("a", "1");
    test.commit("first");
    let elsewhere = test.beside("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let git_dir = test.path.join(".git");
    let repo =
        Repo::discover(&elsewhere, Some(&git_dir), Some(&elsewhere)).unwrap().with_env(test.env());
    assert_eq!(repo.top.as_deref(), Some(elsewhere.as_path()));
    let status = repo.status(true, false).unwrap();
    assert_eq!(status.iter().map(|e| e.letters).collect::<Vec<_>>(), [*b".D"]);
    // the same by configuration, found from inside
    test.git(&["config", "core.worktree", elsewhere.to_str().unwrap()]);
    let repo = test.open_at(&elsewhere.join("..").join("repo/.git"));
    assert_eq!(repo.git_dir, git_dir);
}

#[test]
fn inherited_directories_may_be_relative() {
    let bare = TestRepo::with(&["--bare"]);
    let test = TestRepo::new();
    test.write("d/a", "1");
    test.commit("first");
    for find in [Repo::discover, Repo::discover_fast] {
        // as in the hooks of a bare repository
        let found = find(&bare.path, Some(Path::new(".")), None).unwrap();
        assert!(found.bare && found.top.is_none() && found.git_dir == bare.path);
        let found = find(&test.path, Some(Path::new(".git")), None).unwrap();
        assert_eq!(found.top.as_deref(), Some(test.path.as_path()));
        // git takes the present folder for the top when only the directory is given
        let found = find(&test.path.join("d"), Some(Path::new("../.git")), None).unwrap();
        assert_eq!(found.top, Some(test.path.join("d")));
    }
}

#[test]
fn no_repository_bare_and_unborn_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let none = Repo::discover_fast(folder.path(), None, None).unwrap_err();
    assert!(matches!(none, GitError::NotARepository { .. }), "{none}");

    let test = TestRepo::with(&["--bare"]);
    let bare = test.open();
    assert!(bare.bare && bare.top.is_none());
    assert!(matches!(bare.status(true, false), Err(GitError::Bare { .. })));

    for options in [[].as_slice(), &["--object-format=sha256"]] {
        let test = TestRepo::with(options);
        let unborn = test.open();
        let head = unborn.head().unwrap();
        assert_eq!((head.branch.as_deref(), head.commit), (Some("main"), None));
        assert!(matches!(unborn.commit("HEAD"), Err(GitError::BadRevision(_))));
    }
}

#[test]
fn a_repository_of_another_user_is_refused_with_gits_own_words() {
    let test = TestRepo::new();
    test.commit("first");
    let foreign = |path: &Path| std::os::unix::fs::chown(path, Some(65534), None);
    let mut git = std::process::Command::new("git");
    let listed = git.args(["config", "--get-all", "safe.directory"]).output().unwrap().stdout;
    let trusted = listed.split(|b| *b == b'\n').any(|line| line == b"*");
    if trusted || foreign(&test.path).and(foreign(&test.path.join(".git"))).is_err() {
        // only root can give a folder away
        return;
    }
    for find in [Repo::discover, Repo::discover_fast] {
        let refused = find(&test.path, None, None).unwrap_err();
        assert!(matches!(&refused, GitError::DubiousOwnership(_)), "{refused}");
        assert!(refused.to_string().contains("safe.directory"), "{refused}");
    }
}

#[test]
fn a_detached_head_has_no_branch() {
    for options in [[].as_slice(), &["--ref-format=reftable"]] {
        let test = TestRepo::with(options);
        let first = test.commit("first");
        test.git(&["checkout", "-q", "--detach"]);
        let head = test.open().head().unwrap();
        assert_eq!((head.branch, head.commit), (None, Some(id(&first))));
    }
}

#[test]
fn the_configuration_is_gits_own() {
    let test = TestRepo::new();
    test.git(&["config", "evidence.maxIter", "3"]);
    test.git(&["config", "remote.O.url", "u"]);
    let config = test.open().config().unwrap();
    assert_eq!(config.get("evidence.maxiter"), Some("3"));
    assert_eq!(config.subsections("remote"), ["O"]);
}

fn word(repo: &Repo) -> Option<&'static str> {
    repo.in_progress_operation(Some("main")).unwrap().map(|o| o.word)
}

#[test]
fn operations_in_progress_and_locks_are_seen() {
    let test = TestRepo::new();
    test.write("a", "1\n");
    test.commit("first");
    test.git(&["checkout", "-q", "-b", "side"]);
    test.write("a", "2\n");
    test.commit("side");
    test.git(&["checkout", "-q", "main"]);
    test.write("a", "3\n");
    test.commit("main");
    let repo = test.open();
    for (args, expected) in [
        (["merge", "side"], "merge"),
        (["cherry-pick", "side"], "cherry-pick"),
        (["rebase", "side"], "rebase"),
    ] {
        test.command("git").args(args).output().unwrap();
        assert_eq!(word(&repo), Some(expected));
        test.git(&[args[0], "--abort"]);
        assert_eq!(word(&repo), None);
    }
    test.git(&["bisect", "start"]);
    assert_eq!(word(&repo), Some("bisect"));
    test.git(&["bisect", "reset"]);
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
        let path = repo.git_dir.join(lock);
        std::fs::write(&path, "").unwrap();
        assert_eq!(word(&repo), Some("lock"), "{lock}");
        std::fs::remove_file(&path).unwrap();
    }
    // conflicts without any of the files
    test.command("git").args(["cherry-pick", "-n", "side"]).output().unwrap();
    assert_eq!(word(&repo), Some("unmerged"));
}

#[test]
fn status_takes_no_lock_and_lists_every_kind() {
    let test = TestRepo::new();
    test.write(".gitignore", "out/\n");
    test.write("kept", "1");
    test.write("gone", "1");
    test.commit("first");
    test.write("kept", "2");
    std::fs::remove_file(test.path.join("gone")).unwrap();
    test.write("new/inner", "1");
    test.write("out/x", "1");
    let repo = test.open();
    std::fs::write(repo.git_dir.join("index.lock"), "").unwrap();
    let seen: Vec<(String, StatusKind)> = repo
        .status(true, true)
        .unwrap()
        .into_iter()
        .map(|e| (String::from_utf8(e.path).unwrap(), e.kind))
        .collect();
    let named = |path: &str, kind| (path.to_owned(), kind);
    assert_eq!(
        seen,
        [
            named("gone", StatusKind::Changed),
            named("kept", StatusKind::Changed),
            named("new/inner", StatusKind::Untracked),
            named("out/", StatusKind::Ignored),
        ]
    );
}

#[test]
fn paths_that_are_no_text_survive() {
    use std::os::unix::ffi::OsStrExt;
    let test = TestRepo::new();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::write(test.path.join(odd), "1").unwrap();
    let entries = test.open().status(true, false).unwrap();
    assert_eq!(entries[0].path, b"caf\xe9");
    assert_eq!(entries[0].to_path(), odd);
}

#[test]
fn snapshots_tell_what_changed_between_them() {
    let test = TestRepo::new();
    test.write("a", "1");
    test.write("b", "1");
    test.write("c", "1");
    test.commit("first");
    test.write("a", "edited before");
    test.write("d", "untracked before");
    let repo = test.open();
    let before = repo.snapshot().unwrap();
    assert!(repo.snapshot().unwrap().changed_since(&before).is_empty());
    test.write("b", "2");
    test.write("d", "changed");
    std::os::unix::fs::symlink("a", test.path.join("e")).unwrap();
    test.git(&["rm", "-q", "c"]);
    let changed = repo.snapshot().unwrap().changed_since(&before);
    assert_eq!(changed, [b"b".to_vec(), b"c".to_vec(), b"d".to_vec(), b"e".to_vec()]);
    // staging alone is a change, too
    let before = repo.snapshot().unwrap();
    test.git(&["add", "a"]);
    assert_eq!(repo.snapshot().unwrap().changed_since(&before), [b"a".to_vec()]);
}

#[test]
fn a_real_diff_follows_renames_and_lines() {
    let test = TestRepo::new();
    let lines: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    test.write("old name.txt", &lines);
    test.write("bin", [0u8, 1, 2]);
    test.write("ünïcode", "1\n2\n");
    let first = id(&test.commit("first"));
    test.git(&["mv", "old name.txt", "new\tname.txt"]);
    test.write("new\tname.txt", lines.replace("line 5\n", "").replace("line 9\n", "9\n9b\n"));
    test.write("bin", [0u8, 1, 3]);
    test.write("ünïcode", "0\n1\n2\n");
    let second = id(&test.commit("second"));
    // preferences of a person change nothing
    for (key, value) in
        [("diff.noprefix", "true"), ("diff.renames", "false"), ("core.quotePath", "false")]
    {
        test.git(&["config", key, value]);
    }
    let map = test.open().diff(&first, &second).unwrap();
    let to = |line| map.map_line("old name.txt", line);
    assert_eq!(to(1), Some(("new\tname.txt".to_owned(), 1)));
    assert_eq!(to(5), None);
    assert_eq!(to(6).map(|t| t.1), Some(5));
    assert_eq!(to(20).map(|t| t.1), Some(20));
    assert!(map.added_lines("new\tname.txt").into_iter().flatten().eq([8, 9]));
    assert_eq!(map.map_line("ünïcode", 2).map(|t| t.1), Some(3));
    assert!(map.file("bin").is_some_and(|f| f.binary));
}
