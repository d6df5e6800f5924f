//! The ladder to the base, and shallow or unrelated histories.

use git_evidence::git::{BaseQuery, GitError, Repo};

use super::id;
use crate::support::repo::TestRepo;

fn found(repo: &Repo, query: &BaseQuery<'_>) -> (String, &'static str) {
    let base = repo.base(query).unwrap();
    (base.name, base.rung)
}

fn for_branch(branch: &str) -> BaseQuery<'_> {
    BaseQuery { branch: Some(branch), config: Some("auto"), ..BaseQuery::default() }
}

/// A clone on branch `work`, and the repository that it was cloned from.
fn cloned(options: &[&str]) -> (TestRepo, std::path::PathBuf) {
    let test = TestRepo::new();
    test.write("a", "1");
    test.commit("first");
    test.commit("second");
    test.git(&["branch", "develop"]);
    let clone = test.beside("clone");
    test.git(&[&["clone", "-q"], options, &[".", clone.to_str().unwrap()]].concat());
    test.git_in(&clone, &["checkout", "-q", "-b", "work"]);
    (test, clone)
}

#[test]
fn rungs_are_tried_in_order() {
    let (test, clone) = cloned(&[]);
    let repo = test.open_at(&clone);
    let work = for_branch("work");
    let named = |name: &str, rung| (name.to_owned(), rung);
    assert_eq!(found(&repo, &work), named("refs/remotes/origin/main", "remote_default"));
    assert_eq!(
        found(&repo, &for_branch("main")),
        named("refs/remotes/origin/main", "remote_default")
    );
    test.git_in(&clone, &["branch", "-q", "--set-upstream-to=origin/develop"]);
    assert_eq!(found(&repo, &work), named("refs/remotes/origin/develop", "upstream"));
    let config = BaseQuery { config: Some("main"), ..work };
    assert_eq!(found(&repo, &config), named("refs/remotes/origin/main", "config"));
    let flag = BaseQuery { flag: Some("HEAD~1"), ..config };
    assert_eq!(found(&repo, &flag), named("HEAD~1", "flag"));
    let typo = BaseQuery { flag: Some("mian"), ..config };
    assert!(matches!(repo.base(&typo), Err(GitError::NoBase { tried }) if tried.len() == 1));
}

#[test]
fn an_upstream_of_the_same_name_is_the_branch_itself() {
    for options in [[].as_slice(), &["--ref-format=reftable"]] {
        let (test, clone) = cloned(options);
        test.git_in(&clone, &["push", "-q", "-u", "origin", "work"]);
        let base = test.open_at(&clone).base(&for_branch("work")).unwrap();
        assert_eq!(base.name, "refs/remotes/origin/main");
        let upstream = base.skipped.iter().find(|(rung, _)| *rung == "upstream").unwrap();
        assert!(upstream.1.contains("is the branch itself"), "{upstream:?}");
    }
}

#[test]
fn without_remotes_the_local_trunk_counts_and_alone_there_is_none() {
    let test = TestRepo::new();
    test.commit("first");
    let repo = test.open();
    assert_eq!(found(&repo, &for_branch("x")), ("refs/heads/main".to_owned(), "main"));
    let alone = repo.base(&for_branch("main")).unwrap_err();
    assert!(alone.to_string().contains("refs/heads/main is the branch itself"), "{alone}");
}

#[test]
fn a_shallow_clone_without_common_commit_names_the_remedy() {
    let (test, clone) = cloned(&[]);
    test.git(&["checkout", "-q", "develop"]);
    test.commit("third");
    let shallow = test.beside("shallow");
    let url = format!("file://{}", test.path.display());
    let args = ["clone", "-q", "--depth=1", "--no-single-branch", &url];
    test.git(&[args.as_slice(), &[shallow.to_str().unwrap()]].concat());
    let repo = test.open_at(&shallow);
    assert!(repo.shallow && Repo::discover_fast(&shallow, None, None).unwrap().shallow);
    let head = repo.commit("HEAD").unwrap();
    let flag = BaseQuery { flag: Some("origin/main"), ..BaseQuery::default() };
    let config = BaseQuery { config: Some("main"), ..for_branch("develop") };
    for query in [flag, config] {
        let base = repo.base(&query).unwrap();
        let error = repo.base_point(&base, &head).unwrap_err();
        assert!(error.to_string().contains("git fetch --deepen=50 origin"), "{error}");
    }
    drop(clone);
}

#[test]
fn unrelated_histories_are_an_error_not_an_empty_diff() {
    let test = TestRepo::new();
    let first = test.commit("first");
    test.git(&["checkout", "-q", "--orphan", "other"]);
    let other = id(&test.commit("other"));
    let repo = test.open();
    let base = repo.base(&for_branch("other")).unwrap();
    assert_eq!(base.commit, id(&first));
    assert!(matches!(repo.base_point(&base, &other), Err(GitError::Unrelated { .. })));
    let own = repo.base(&BaseQuery { flag: Some("other"), ..BaseQuery::default() }).unwrap();
    assert_eq!(repo.base_point(&own, &other).unwrap(), other);
}
