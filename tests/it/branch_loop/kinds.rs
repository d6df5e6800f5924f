//! Repositories of every kind: the loop mends each of them, or refuses in words.

use super::story::Story;
use crate::support::repo::TestRepo;

/// One iteration that helps and one that is rolled back.
fn mends(story: &Story, branch: &str, what: &str) {
    let mine = story.belongings(&[]);
    let ran = story.steps(&["improve", "worsen", "improve"]).run();
    assert_eq!(ran.code, 0, "{what}: {ran:#?}");
    assert_eq!(ran.outcomes(), ["kept", "rolled_back", "kept"], "{what}");
    story.still_has(&mine);
    story.at_rest(branch);
}

#[test]
fn object_and_ref_formats_and_odd_paths() {
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let story = Story::new(TestRepo::with(options), 2, "");
        mends(&story, "work", options[0]);
    }
    mends(&Story::new(TestRepo::named("ä path with spaces", &[]), 2, ""), "work", "path");
}

#[test]
fn names_of_branches() {
    let long = format!("long/{}", "x".repeat(230));
    let story = Story::with_findings(0);
    for name in ["feature/x", "feature-x", "Feature/x", "Zweig-ä", &long] {
        story.repo.git(&["switch", "-q", "-c", name, "main"]);
        story.findings(1);
        story.repo.commit(name);
        let ran = story.run().ended(1, "oscillation_detected");
        assert_eq!(ran.json()["cumulative_iterations"], 1, "{name} has a state of its own");
        assert_eq!(story.status()["branch"], name);
        story.steps(&["improve"]);
        let file = story.state_file();
        assert!(file.exists());
        std::fs::remove_file(file).unwrap();
        story.run().ended(0, "AUTO_APPROVE");
    }
}

#[test]
fn a_linked_worktree_is_a_checkout_like_others() {
    let story = Story::with_findings(0);
    let linked = story.beside("linked");
    story.repo.git(&["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap(), "main"]);
    std::fs::write(linked.join("code.txt"), "fine\nbad 1\n").unwrap();
    story.repo.git_in(&linked, &["commit", "-q", "-a", "-m", "finding"]);
    story.steps(&["worsen", "improve"]);
    let ran = super::story::Ran::of(&story.command_in(&linked, &["--json"]).output().unwrap());
    assert_eq!(ran.ended(0, "AUTO_APPROVE").outcomes(), ["rolled_back", "kept"]);
    assert_eq!(story.repo.git_in(&linked, &["status", "--porcelain"]), "");
    story.at_rest("work");
}

#[test]
fn submodules_filters_and_line_ends() {
    let story = Story::with_findings(2);
    let sub = story.beside("sub");
    std::fs::create_dir(&sub).unwrap();
    story.repo.git_in(&sub, &["init", "-q"]);
    story.repo.git_in(&sub, &["commit", "-q", "--allow-empty", "-m", "sub"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    story.repo.git(&[&add[..], &[sub.to_str().unwrap(), "sub"]].concat());
    story.repo.commit("submodule");
    mends(&story, "work", "submodule");

    let story = Story::with_findings(2);
    story.repo.git(&["config", "filter.caps.clean", "tr a-z A-Z"]);
    story.repo.git(&["config", "filter.caps.smudge", "tr A-Z a-z"]);
    story.repo.write(".gitattributes", "*.caps filter=caps\n");
    story.repo.write("big.caps", "small letters\n");
    story.repo.commit("filter");
    story.steps(&["improve; echo more >> big.caps", "worsen; echo less > big.caps", "improve"]);
    let ran = story.run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["kept", "rolled_back", "kept"]);
    assert_eq!(story.repo.text("big.caps").unwrap(), "small letters\nmore\n");
    assert_eq!(story.repo.git(&["cat-file", "-p", "HEAD:big.caps"]), "SMALL LETTERS\nMORE");
    story.at_rest("work");

    let story = Story::with_findings(2);
    story.repo.git(&["config", "core.autocrlf", "true"]);
    mends(&story, "work", "autocrlf");
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let story = Story::with_findings(2);
    story.repo.write("left/out.txt", "x\n");
    story.repo.write("taken/in.txt", "x\n");
    story.repo.commit("folders");
    story.repo.git(&["sparse-checkout", "set", "--cone", "taken"]);
    assert!(!story.repo.path.join("left").exists());
    mends(&story, "work", "sparse");
    assert!(!story.repo.path.join("left").exists());
    assert_eq!(story.repo.git(&["show", "HEAD:left/out.txt"]), "x");
}

#[test]
fn a_commit_that_could_not_be_signed_is_known_before_anything_changes() {
    let story = Story::with_findings(1);
    story.repo.git(&["config", "commit.gpgsign", "true"]);
    story.repo.git(&["config", "gpg.program", "false"]);
    let refs = story.repo.git(&["for-each-ref"]);
    story.run().refused(5, "sign");
    assert_eq!((story.repo.git(&["for-each-ref"]), story.dispatches()), (refs, 0));
    story.at_rest("work");
    story.repo.git(&["config", "--unset", "commit.gpgsign"]);
    story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
}

#[test]
fn bare_unborn_and_no_repositories_are_refused() {
    let story = Story::with_findings(1);
    let bare = story.beside("bare.git");
    story.repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let unborn = story.beside("unborn");
    story.repo.git(&["init", "-q", unborn.to_str().unwrap()]);
    for (dir, words) in [
        (&bare, "no working tree"),
        (&unborn, "no commit"),
        (&story.beside("steps"), "not in a git repository"),
    ] {
        for args in [&["--json"][..], &["status", "--json"], &["continue"], &["undo"]] {
            super::story::Ran::of(&story.command_in(dir, args).output().unwrap()).refused(2, words);
        }
    }
}

#[test]
fn hooks_of_the_user_run_and_may_refuse() {
    let story = Story::with_findings(1);
    let (start, mine) = (story.head(), story.belongings(&[]));
    story.repo.hook("pre-commit", "echo 'no commits today' >&2; exit 1");
    let ran = story.steps(&["improve"]).run().ended(1, "fixer_failed");
    assert!(ran.out.contains("no commits today"), "{ran:?}");
    assert_eq!((story.head(), story.checkpoints().len()), (start, 2));
    story.still_has(&mine);
    story.at_rest("work");

    let story = Story::with_findings(1);
    story.repo.hook("pre-commit", "echo formatted >> feature.txt; git add feature.txt");
    story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
    assert!(story.repo.git(&["show", "HEAD:feature.txt"]).ends_with("formatted"));
    story.at_rest("work");

    let story = Story::with_findings(1);
    story
        .repo
        .write("hooks/commit-msg", "#!/bin/sh\necho >> \"$1\"; echo Checked: yes >> \"$1\"\n");
    story.repo.commit("hooks");
    let chmod = story.repo.command("chmod").args(["+x", "hooks/commit-msg"]).status().unwrap();
    assert!(chmod.success());
    story.repo.commit("executable");
    story.repo.git(&["config", "core.hooksPath", "hooks"]);
    story.steps(&["improve"]).run().ended(0, "AUTO_APPROVE");
    assert!(story.repo.git(&["log", "-1", "--format=%B"]).contains("Checked: yes"));
    story.at_rest("work");
}

#[test]
fn operations_in_progress_have_their_word() {
    for (begin, word) in [
        ("git merge -q --no-ff --no-commit side", "merge"),
        ("git cherry-pick -n side; git rev-parse side > .git/CHERRY_PICK_HEAD", "cherry-pick"),
        ("git revert --no-commit HEAD; git rev-parse HEAD > .git/REVERT_HEAD", "revert"),
        ("git bisect start", "bisect"),
        ("git rebase -q --exec false main", "rebase"),
    ] {
        let story = Story::with_findings(1);
        story.repo.git(&["switch", "-q", "-c", "side", "main"]);
        story.repo.write("side.txt", "x");
        story.repo.commit("side");
        story.repo.git(&["switch", "-q", "work"]);
        story.repo.command("sh").args(["-c", begin]).output().unwrap();
        let before = (story.head(), story.dirt());
        let ran = story.run().ended(1, "in_progress_operation");
        assert!(ran.out.contains(word), "{word}: {ran:?}");
        assert_eq!((story.head(), story.dirt()), before, "{word}");
    }
}
