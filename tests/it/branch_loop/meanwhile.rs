//! A person works in the same checkout while the loop runs.

use super::story::Story;

#[test]
fn a_tracked_file_edited_while_checks_run_stops_it_and_is_kept() {
    for findings in [1, 0] {
        let story = Story::with_findings(findings);
        let start = story.head();
        story.during_check("echo mine >> feature.txt; echo fine > code.txt");
        let ran = story.run().ended(1, "dirty_tree");
        assert!(ran.out.contains("feature.txt"), "{ran:?}");
        assert_eq!((story.head(), story.dispatches()), (start, 0));
        assert_eq!(story.repo.text("feature.txt").unwrap(), "what the branch is for\nmine\n");
        let record = story.repo.path.join(format!(".git/evidence/records/{}", &story.head()[..2]));
        assert!(!record.exists(), "no record of what was not the commit");
        story.repo.git(&["checkout", "-q", "."]);
        let expected =
            if findings == 0 { (0, "AUTO_APPROVE") } else { (1, "oscillation_detected") };
        story.run().ended(expected.0, expected.1);
        assert_eq!(story.dispatches(), findings, "the edited figures were not kept");
    }
}

#[test]
fn an_edit_while_the_result_is_measured_stops_it_and_is_kept() {
    let story = Story::with_findings(2);
    let mine = story.belongings(&[]);
    let edit = "echo 'echo mine >> feature.txt' > \"$D/during-check\"; improve";
    let ran = story.steps(&[edit]).run().ended(1, "dirty_tree");
    assert_eq!(ran.outcomes(), ["kept"]);
    assert!(story.repo.text("feature.txt").unwrap().ends_with("mine\n"));
    assert_eq!(story.dirt(), " M feature.txt");
    story.still_has(&mine);
}

#[test]
fn an_edit_that_a_roll_back_would_overwrite_stays() {
    let story = Story::with_findings(1);
    let start = story.head();
    let edit = "echo 'echo mine >> code.txt' > \"$D/during-check\"; worsen; worsen";
    story.steps(&[edit]).run().ended(1, "dirty_tree");
    assert!(story.repo.text("code.txt").unwrap().ends_with("mine\n"));
    assert!(story.checkpoints().contains(&start));
}

#[test]
fn what_a_person_edits_while_a_fixer_runs_is_reachable() {
    let story = Story::with_findings(1);
    // Nobody can tell whose edit it is: it is committed with the fixer's, or kept with it.
    story.steps(&["improve; echo mine >> feature.txt"]).run().ended(0, "AUTO_APPROVE");
    assert!(story.repo.text("feature.txt").unwrap().ends_with("mine\n"));
    let story = Story::with_findings(1);
    let step = "echo >> .git-evidence.toml; echo mine >> feature.txt; echo new > new.txt";
    story.steps(&[step]).run().ended(1, "protected_path");
    let kept = story.checkpoints().pop().unwrap();
    assert!(story.repo.git(&["show", &format!("{kept}:feature.txt")]).ends_with("mine"));
    assert_eq!(story.repo.git(&["show", &format!("{kept}:new.txt")]), "new");
    story.at_rest("work");
}

#[test]
fn a_commit_in_between_is_never_moved() {
    let story = Story::with_findings(2);
    let commit =
        "echo 'echo x > mine.txt; git add mine.txt; git commit -q -m mine' > \"$D/during-check\"";
    let ran = story.steps(&[&format!("{commit}; worsen")]).run().ended(1, "scope_breach");
    assert!(ran.out.contains("by somebody else"), "{ran:?}");
    assert_eq!(story.repo.git(&["log", "-1", "--format=%s"]), "mine");
    assert_eq!(story.dirt(), "");
    let fixers = story.repo.git(&["rev-parse", "HEAD~1"]);
    let record =
        story.repo.path.join(format!(".git/evidence/records/{}/{fixers}.json", &fixers[..2]));
    assert!(!record.exists(), "what was measured is not that commit");
}

#[test]
fn a_persons_commit_while_a_fixer_works_is_not_taken_back() {
    for after in ["echo >> .git-evidence.toml", "worsen; worsen"] {
        let story = Story::with_findings(1);
        let person = "echo x > mine.txt; git add mine.txt; \
                      env -u GIT_REFLOG_ACTION git commit -q -m mine";
        let step = format!("echo 1 > by-fixer; {person}; {after}");
        let ran = story.steps(&[&step]).run().ended(1, "scope_breach");
        assert!(ran.out.contains("somebody else's commit"), "{ran:?}");
        assert_eq!(story.repo.text("mine.txt").unwrap(), "x\n");
        assert!(story.repo.git(&["log", "--format=%s"]).contains("mine"));
    }
}

#[test]
fn a_switch_in_between_is_left_alone() {
    let story = Story::with_findings(2);
    let step = "echo 'git switch -q main' > \"$D/during-check\"; worsen";
    let ran = story.steps(&[step]).run().ended(1, "scope_breach");
    assert!(ran.out.contains("branch main") && ran.out.contains("git switch work"), "{ran:?}");
    assert_eq!(story.repo.git(&["symbolic-ref", "--short", "HEAD"]), "main");
    assert_eq!(story.dirt(), "");
}

#[test]
fn an_ignored_file_where_a_roll_back_would_restore_one_is_not_overwritten() {
    let story = Story::with_findings(1);
    story.repo.git(&["add", "-f", "precious.ignored"]);
    story.repo.git(&["commit", "-q", "-m", "tracked for now"]);
    // The fixer removes it from git; then a person makes it anew, ignored this time.
    let person = "echo 'echo precious > precious.ignored' > \"$D/during-check\"";
    let step = format!("git rm -q precious.ignored; worsen; {person}");
    let ran = story.steps(&[&step]).run().ended(1, "scope_breach");
    assert!(ran.out.contains("precious.ignored"), "{ran:?}");
    assert_eq!(story.repo.text("precious.ignored").unwrap(), "precious\n");
    assert_eq!(story.dirt(), "");
}

#[test]
fn what_checks_leave_is_never_committed_and_named_once() {
    let story = Story::with_findings(2);
    let lint = std::fs::read_to_string(story.beside("lint.sh")).unwrap();
    let leave = "mkdir -p build; date +%N > build/report.xml\n";
    std::fs::write(story.beside("lint.sh"), format!("{leave}{lint}")).unwrap();
    let ran = story.steps(&["improve", "worsen", "improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["kept", "rolled_back", "kept"]);
    assert_eq!(ran.err.matches("/build/report.xml").count(), 1, "{}", ran.err);
    assert_eq!(story.dirt(), "?? build/");
    assert!(!story.repo.git(&["log", "--all", "--name-only", "--format="]).contains("report.xml"));
}

#[test]
fn leavings_survive_a_kill_and_are_still_nobodys() {
    let story = Story::with_findings(1);
    let lint = std::fs::read_to_string(story.beside("lint.sh")).unwrap();
    std::fs::write(story.beside("lint.sh"), format!("echo x > left.xml\n{lint}")).unwrap();
    story.steps(&["worsen; kill -9 $(cat \"$D/pid\"); sleep 5", "improve"]);
    let mut command = story.command(&["--json"]);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    std::fs::write(story.beside("pid"), child.id().to_string()).unwrap();
    child.wait().unwrap();
    let ran = story.fix(&["continue", "--json"]).ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["failed", "kept"]);
    assert_eq!(story.dirt(), "?? left.xml");
    assert!(!story.repo.git(&["log", "--all", "--name-only", "--format="]).contains("left.xml"));
}
