//! Commits in a person's name.

use std::time::{Duration, Instant};

use git_evidence::git::{CommitRequest, GitError, Repo};

use crate::support::repo::TestRepo;

fn request<'a>(paths: &'a [Vec<u8>]) -> CommitRequest<'a> {
    CommitRequest {
        paths,
        message: "fix(lint): lint_errors:3>0",
        trailers: &[],
        env: &[],
        deadline: Duration::from_secs(60),
    }
}

fn paths(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|n| n.as_bytes().to_vec()).collect()
}

/// A repository without identity or with a signing key, whatever the machine has.
fn configured(test: &TestRepo, pairs: &[(&str, &str)]) -> Repo {
    for (key, value) in pairs {
        test.git(&["config", key, value]);
    }
    test.open()
}

#[test]
fn exactly_the_paths_are_committed_under_the_persons_name() {
    let test = TestRepo::new();
    test.write("*.txt", "1");
    test.write("a.txt", "1");
    test.write("gone", "1");
    test.write("theirs", "1");
    let first = test.commit("first");
    test.write("*.txt", "2");
    test.write("a.txt", "2");
    test.write("new", "2");
    test.write("theirs", "staged by a person");
    test.git(&["add", "theirs"]);
    std::fs::remove_file(test.path.join("gone")).unwrap();
    let repo = test.open();
    repo.can_commit().unwrap();
    let paths = paths(&["*.txt", "new", "gone", "never-was"]);
    let trailers = [("Evidence-Run", "r1".to_owned())];
    let made = repo
        .commit_paths(&CommitRequest { trailers: &trailers, ..request(&paths) })
        .unwrap()
        .unwrap();
    assert_eq!(test.git(&["rev-parse", "HEAD^"]), first);
    assert_eq!(test.git(&["rev-parse", "HEAD"]), made.as_str());
    assert_eq!(
        test.git(&["show", "--no-renames", "--format=%an %cn", "--name-status", "HEAD"]),
        "A U Thor C O Mitter\n\nM\t*.txt\nD\tgone\nA\tnew"
    );
    assert_eq!(test.git(&["log", "-1", "--format=%(trailers)"]).trim(), "Evidence-Run: r1");
    assert_eq!(test.git(&["status", "--porcelain"]), " M a.txt\nM  theirs");
    assert_eq!(repo.commit_paths(&request(&paths)).unwrap(), None);
}

#[test]
fn hooks_run_as_in_a_persons_commit_and_may_refuse() {
    let test = TestRepo::new();
    test.write("a", "1");
    test.commit("first");
    test.hook("pre-commit", "echo \"$MARK:${GIT_DIR-unset}:$(cat)\" >> ../seen; test ! -e refuse");
    let repo = test.open();
    test.write("a", "2");
    let env = [("MARK".into(), "m".into())];
    let all = paths(&["a"]);
    let request = CommitRequest { env: &env, ..request(&all) };
    assert!(repo.commit_paths(&request).unwrap().is_some());
    // no explicit directory reaches the hook, and there is nobody to ask
    assert_eq!(std::fs::read_to_string(test.beside("seen")).unwrap(), "m:unset:\n");
    test.write("refuse", "");
    test.write("a", "3");
    let refused = repo.commit_paths(&request);
    assert!(matches!(refused, Err(GitError::Failed { .. })), "{refused:?}");
    assert_eq!(test.text("a").as_deref(), Some("3"));
}

#[test]
fn a_hook_that_does_not_end_is_ended() {
    let test = TestRepo::new();
    test.commit("first");
    test.hook("pre-commit", "sleep 100");
    test.write("a", "1");
    let started = Instant::now();
    let all = paths(&["a"]);
    let request = CommitRequest { deadline: Duration::from_millis(300), ..request(&all) };
    let ended = test.open().commit_paths(&request);
    assert!(matches!(ended, Err(GitError::Deadline { .. })), "{ended:?}");
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(!test.path.join(".git/index.lock").exists());
}

#[test]
fn without_identity_nothing_is_begun() {
    let test = TestRepo::new();
    test.commit("first");
    let none = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"];
    let repo = configured(&test, &[("user.useConfigOnly", "true")])
        .with_env(none.map(|name| (name.into(), "".into())));
    let refused = repo.can_commit();
    assert!(matches!(refused, Err(GitError::NoIdentity(_))), "{refused:?}");
}

#[test]
fn a_signature_that_cannot_be_made_is_known_before() {
    let test = TestRepo::new();
    test.write("a", "1");
    test.commit("first");
    let repo = configured(
        &test,
        &[("commit.gpgsign", "true"), ("gpg.format", "ssh"), ("user.signingkey", "/nowhere/key")],
    );
    let refused = repo.can_commit();
    assert!(matches!(refused, Err(GitError::Signing { .. })), "{refused:?}");
    test.write("a", "2");
    let refused = repo.commit_paths(&request(&paths(&["a"])));
    assert!(matches!(refused, Err(GitError::Signing { .. })), "{refused:?}");
    assert_eq!(test.text("a").as_deref(), Some("2"));
}

#[test]
fn a_signer_that_works_is_used() {
    let test = TestRepo::new();
    test.commit("first");
    let script = test.beside("gpg");
    std::fs::write(
        &script,
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n\
         printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n",
    )
    .unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = ("gpg.program", script.to_str().unwrap());
    let repo = configured(&test, &[("commit.gpgsign", "true"), program]);
    repo.can_commit().unwrap();
    test.write("a", "1");
    let made = repo.commit_paths(&request(&paths(&["a"]))).unwrap().unwrap();
    assert!(test.git(&["cat-file", "-p", made.as_str()]).contains("PGP SIGNATURE"));
}

#[test]
fn a_redirected_git_file_is_refused() {
    let test = TestRepo::new();
    test.commit("first");
    let linked = test.beside("linked");
    test.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let repo = test.open_at(&linked);
    let other = TestRepo::new();
    other.commit("other");
    let gitfile = format!("gitdir: {}\n", other.path.join(".git").display());
    std::fs::write(linked.join(".git"), gitfile).unwrap();
    std::fs::write(linked.join("a"), "1").unwrap();
    let refused = repo.commit_paths(&request(&paths(&["a"])));
    assert!(matches!(refused, Err(GitError::Redirected { .. })), "{refused:?}");
}

#[test]
fn a_commit_in_a_linked_worktree_and_a_sha256_repository_works() {
    let test = TestRepo::with(&["--object-format=sha256"]);
    test.commit("first");
    let linked = test.beside("linked");
    test.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let repo = test.open_at(&linked);
    std::fs::write(linked.join("a"), "1").unwrap();
    let made = repo.commit_paths(&request(&paths(&["a"]))).unwrap().unwrap();
    assert_eq!(made.as_str().len(), 64);
    assert_eq!(test.git(&["rev-parse", "side"]), made.as_str());
}
