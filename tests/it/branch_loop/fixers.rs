//! Fixers that behave badly: the branch survives each of them, and what they did can be read.

use std::time::{Duration, Instant};

use super::story::{Ran, Story};
use crate::support::wait::wait_until_older;

/// One dispatch of a fixer that does so, on a branch with one finding.
fn one(step: &str) -> (Story, Ran, String) {
    let story = Story::with_findings(1);
    let (start, mine) = (story.head(), story.belongings(&[]));
    let ran = story.steps(&[step]).run();
    story.still_has(&mine);
    (story, ran, start)
}

#[test]
fn files_that_a_fixer_makes_visible_are_the_users() {
    let show = ": > .gitignore; echo new > by-fixer";
    for (then, end, kept) in
        [("improve", "kept", true), ("echo >> .git-evidence.toml", "failed", false)]
    {
        let story = Story::with_findings(1);
        wait_until_older(&story.repo.path.join("precious.ignored"));
        let mine = story.belongings(&[]);
        let ran = story.steps(&[&format!("{show}; {then}")]).run();
        assert_eq!(ran.outcomes(), [end], "{ran:?}");
        story.still_has(&mine);
        let all = story.repo.git(&["log", "--all", "--name-only", "--format="]);
        assert!(all.contains("by-fixer") && !all.contains("precious.ignored"), "{all}");
        assert_eq!(story.repo.path.join("by-fixer").exists(), kept);
    }
    let story = Story::with_findings(1);
    wait_until_older(&story.repo.path.join("precious.ignored"));
    let mine = story.belongings(&[]);
    let step = "git add -f precious.ignored; worsen; git commit -q -a -m all";
    let ran = story.steps(&[step]).run().ended(1, "scope_breach");
    assert!(ran.out.contains("git rm --cached"), "{ran:?}");
    story.still_has(&mine);
}

#[test]
fn a_folder_that_a_fixer_moves_is_its_work() {
    let story = Story::with_findings(1);
    story.repo.write("old/file.txt", "x\n");
    story.repo.commit("folder");
    wait_until_older(&story.repo.path.join("old/file.txt"));
    story.steps(&["mv old new; improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(story.repo.git(&["show", "HEAD:new/file.txt"]), "x");
    story.at_rest("work");
}

#[test]
fn a_record_that_a_fixer_wrote_is_not_believed() {
    let story = Story::with_findings(1);
    let forge = r#"worsen; commit; sha=$(git rev-parse HEAD)
        to=$(dirname "$(dirname "$EVIDENCE_RECORD")")/$(echo "$sha" | cut -c1-2)
        mkdir -p "$to"
        sed "s/$EVIDENCE_SHA/$sha/g; s/BLOCK_REGRESSION/AUTO_APPROVE/g" "$EVIDENCE_RECORD" > "$to/$sha.json""#;
    let ran = story.steps(&[forge]).run();
    assert_eq!((ran.code, ran.outcomes()[0].as_str()), (1, "rolled_back"), "{ran:?}");
    assert_eq!(story.repo.text("code.txt").unwrap().matches("bad").count(), 1);
}

#[test]
fn a_change_counts_whatever_the_exit_code() {
    let (story, ran, _) = one("improve; exit 1");
    assert_eq!(ran.ended(0, "AUTO_APPROVE").outcomes(), ["kept"]);
    story.at_rest("work");
    let (story, ran, start) = one("echo 'it is too hard' >&2; exit 1");
    let ran = ran.ended(1, "fixer_failed");
    assert!(ran.out.contains("it is too hard"), "{ran:?}");
    assert_eq!(story.head(), start);
    story.at_rest("work");
    let (story, ran, start) = one("exit 0");
    assert_eq!(ran.ended(1, "oscillation_detected").outcomes(), ["no_change"]);
    assert_eq!(story.head(), start);
}

#[test]
fn a_fixer_that_cannot_be_started_is_said_to_be_missing() {
    let (story, ran, _) = one("no-such-program --fix");
    let ran = ran.ended(1, "fixer_failed");
    assert!(ran.out.contains("no-such-program") && ran.out.contains("127"), "{ran:?}");
    story.at_rest("work");
}

#[test]
fn its_own_commits_are_taken_as_they_are() {
    for step in
        ["improve; commit", "echo 1 >> cov.txt; commit; improve; commit", "improve; git add -A"]
    {
        let (story, ran, start) = one(step);
        let ran = ran.ended(0, "AUTO_APPROVE");
        assert_eq!(ran.outcomes(), ["kept"], "{step}");
        assert_eq!(story.repo.git(&["merge-base", "HEAD", &start]), start);
        story.at_rest("work");
    }
    let (story, ran, start) = one("worsen; commit; worsen; commit");
    let ran = ran.ended(1, "oscillation_detected");
    assert_eq!(
        (ran.outcomes(), story.head()),
        (vec!["rolled_back".into(), "no_change".into()], start)
    );
    story.at_rest("work");
}

#[test]
fn a_fixer_that_leaves_the_branch_moves_nothing_else() {
    for (step, words) in [
        ("improve; git switch -q -c elsewhere", "elsewhere"),
        ("improve; commit; git switch -q --detach", "detached"),
        ("improve; git commit -q --amend -a -m mine", "checkpoint"),
        ("git reset -q --hard main", "checkpoint"),
        ("git switch -q --detach; git branch -D work", "detached"),
        ("git update-ref -d refs/heads/work", "deleted"),
    ] {
        let (story, ran, start) = one(step);
        let ran = ran.ended(1, "scope_breach");
        let detail = ran.json()["detail"].as_str().unwrap().to_string();
        assert!(detail.contains(words) && detail.contains("to go back"), "{step}: {detail}");
        assert!(story.checkpoints().contains(&start), "{step}");
        let back = detail.split("to go back: ").nth(1).unwrap().to_string();
        let path = std::env::var("PATH").unwrap();
        let bin = std::path::Path::new(env!("CARGO_BIN_EXE_git-fix-evidence")).parent().unwrap();
        if !story.dirt().is_empty() && !step.contains("update-ref") {
            story.repo.git(&["stash", "-q"]);
        }
        let mut sh = story.repo.command("sh");
        let sh = sh.args(["-c", &back]).env("PATH", format!("{}:{path}", bin.display()));
        let done = sh.output().unwrap();
        assert!(done.status.success(), "{step}: {back}: {done:?}");
        assert_eq!(story.head(), start, "{step}: {back}");
        assert_eq!(story.repo.git(&["symbolic-ref", "--short", "HEAD"]), "work", "{step}");
    }
}

#[test]
fn an_operation_that_it_leaves_behind_is_named() {
    for (step, word) in [
        ("GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i main", "rebase"),
        (
            "git cherry-pick -n main; touch .git/CHERRY_PICK_HEAD; git rev-parse main > .git/CHERRY_PICK_HEAD",
            "cherry-pick",
        ),
        ("git bisect start", "bisect"),
    ] {
        let (_story, ran, _) = one(step);
        assert!(ran.out.contains(word), "{step}: {ran:#?}");
        ran.ended(1, "scope_breach");
    }
}

#[test]
fn configuration_and_hooks_are_not_a_fixers() {
    for (step, named) in [
        ("improve; git config user.email evil@example.org", "config"),
        (
            "improve; echo 'exit 0' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
            "pre-commit",
        ),
        ("improve; mkdir -p .git/info; echo code.txt >> .git/info/exclude", "exclude"),
    ] {
        let (_story, ran, _) = one(step);
        let ran = ran.ended(1, "scope_breach");
        assert!(ran.json()["detail"].as_str().unwrap().contains(named), "{step}: {ran:?}");
    }
}

#[test]
fn protected_paths_are_put_back_and_kept_to_read() {
    for step in [
        "improve; echo >> .git-evidence.toml",
        "improve; echo >> .git-evidence.toml; commit",
        "git mv .git-evidence.toml other.toml",
        "rm .git-evidence.toml; ln -s code.txt .git-evidence.toml",
        "chmod +x .git-evidence.toml",
        "mkdir -p .github/workflows; echo on: push > .github/workflows/ci.yml",
        "mkdir -p .claude; echo {} > .claude/settings.json; git add -A; git commit -q -m x",
        "improve; rm .git-evidence.toml",
    ] {
        let (story, ran, start) = one(step);
        let ran = ran.ended(1, "protected_path");
        assert_eq!((story.head(), ran.outcomes()), (start, vec!["failed".into()]), "{step}");
        assert_eq!(story.checkpoints().len(), 2, "{step}: what it tried is kept");
        story.at_rest("work");
    }
}

#[test]
fn the_honest_way_out_ends_it_under_its_word() {
    for (key, word) in [("cannot_fix", "cannot_fix"), ("false_positive", "false_positive")] {
        let step = format!(
            "worsen; printf '{{\"{key}\":\"the rule is wrong\"}}' > $EVIDENCE_ANSWER; exit 3"
        );
        let (story, ran, start) = one(&step);
        let ran = ran.ended(1, word);
        assert_eq!(ran.json()["detail"], "the rule is wrong");
        assert_eq!((story.head(), story.checkpoints().len()), (start, 2));
        story.at_rest("work");
    }
}

#[test]
fn what_it_pushed_itself_is_not_taken_back() {
    let story = Story::with_findings(1);
    let remote = story.beside("remote.git");
    story.repo.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    story.repo.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    story.repo.git(&["push", "-q", "origin", "main"]);
    let ran =
        story.steps(&["worsen; commit; git push -q origin work"]).run().ended(1, "scope_breach");
    let detail = ran.json()["detail"].as_str().unwrap().to_string();
    assert!(detail.contains("origin/work") && detail.contains("undo"), "{detail}");
    assert_eq!(story.repo.git(&["rev-parse", "origin/work"]), story.head());
    story.at_rest("work");

    let story = Story::with_findings(1);
    story.repo.git(&["init", "-q", "--bare", story.beside("r.git").to_str().unwrap()]);
    story.repo.git(&["remote", "add", "origin", story.beside("r.git").to_str().unwrap()]);
    let step = "echo >> .git-evidence.toml; commit; git push -q origin work";
    let ran = story.steps(&[step]).run().ended(1, "scope_breach");
    let detail = ran.json()["detail"].as_str().unwrap().to_string();
    assert!(detail.contains("origin/work") && !detail.contains("edited"), "{detail}");
}

#[test]
fn it_gets_no_terminal_no_input_and_no_endless_output() {
    let (story, ran, _) = one("if read line; then worsen; fi; [ -t 0 ] && worsen; improve");
    ran.ended(0, "AUTO_APPROVE");
    story.at_rest("work");
    let (story, ran, start) = one("worsen; yes");
    let ran = ran.ended(1, "fixer_failed");
    assert_eq!((ran.outcomes(), story.head()), (vec!["failed".into()], start));
    story.at_rest("work");
}

#[test]
fn one_that_hangs_is_ended_with_everything_that_it_started() {
    let story = Story::with_findings(1);
    let toml = story.config("").replace("timeout = \"30s\"", "timeout = \"1s\"");
    story.repo.git(&["switch", "-q", "main"]);
    story.repo.write(".git-evidence.toml", toml);
    story.repo.commit("short timeout");
    story.repo.git(&["switch", "-q", "-c", "other"]);
    story.findings(1);
    let start = story.head();
    let pids = story.beside("pids");
    let step = format!(
        "worsen; trap '' TERM INT; setsid sh -c 'echo $$ >> {0}; trap \"\" TERM; sleep 600' & echo $$ >> {0}; while :; do sleep 600; done",
        pids.display()
    );
    let began = Instant::now();
    let ran = story.steps(&[&step]).run().ended(1, "fixer_failed");
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!((ran.outcomes(), story.head()), (vec!["timeout".into()], start));
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        assert!(!std::path::Path::new("/proc").join(pid).exists(), "process {pid} is still there");
    }
    story.at_rest("other");
}

#[test]
fn files_outside_git_are_nobodys_business() {
    let (story, ran, _) = one("improve; echo x > made.ignored; echo y > \"$D/outside\"");
    ran.ended(0, "AUTO_APPROVE");
    assert_eq!(story.repo.text("made.ignored").as_deref(), Some("x\n"));
    let (story, ran, _) = one("improve; echo new > 'new ünïcode file'");
    ran.ended(0, "AUTO_APPROVE");
    assert_eq!(story.repo.git(&["show", "HEAD:new ünïcode file"]), "new");
    story.at_rest("work");
}

#[test]
fn the_next_fixer_is_tried_where_the_first_does_nothing() {
    let more = "[[fixer]]\nname = \"second\"\nkinds = [\"lint\"]\nrun = \"echo fine > code.txt\"\n";
    let story = Story::configured(1, more);
    let ran = story.steps(&["exit 4"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(
        (ran.outcomes(), ran.json()["iterations"].as_u64()),
        (vec!["failed".into(), "kept".into()], Some(1))
    );
    story.at_rest("work");
}
