//! `[workspace] mode = "worktree"`: the checkout is touched once, at the end, and only if it is clean.

use super::story::Story;

const MODE: &str = "[workspace]\nmode = \"worktree\"\n";

fn linked(story: &Story) -> usize {
    story.repo.git(&["worktree", "list"]).lines().count() - 1
}

#[test]
fn the_branch_is_fast_forwarded_where_it_stands() {
    let story = Story::configured(2, MODE);
    let (start, mine) = (story.head(), story.belongings(&[]));
    let ran = story.steps(&["improve", "worsen; commit", "improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(ran.outcomes(), ["kept", "rolled_back", "kept"]);
    assert_eq!(ran.json()["sha"], story.head());
    assert_eq!(story.repo.git(&["rev-parse", "HEAD~2"]), start);
    assert_eq!((story.repo.text("code.txt").unwrap().as_str(), linked(&story)), ("fine\n", 0));
    story.still_has(&mine);
    story.at_rest("work");
}

#[test]
fn where_somebody_works_the_result_waits_on_its_checkpoint() {
    for (meanwhile, words) in [
        ("echo mine >> feature.txt", "not committed"),
        ("git commit -q --allow-empty -m mine", "moved"),
        ("git switch -q main", "stays"),
    ] {
        let story = Story::configured(1, MODE);
        let start = story.head();
        let step = format!("improve; (cd \"$TOP\" && {meanwhile})");
        let ran = story.steps(&[&step]).run();
        let report = ran.ended(0, "AUTO_APPROVE").json();
        let detail = report["detail"].as_str().unwrap().to_string();
        assert!(detail.contains(words) && detail.contains("git merge --ff-only"), "{detail}");
        let result = report["sha"].as_str().unwrap().to_string();
        assert!(story.checkpoints().contains(&result), "{meanwhile}");
        assert_ne!(story.repo.git(&["rev-parse", "work"]), result, "{meanwhile}");
        assert_eq!(linked(&story), 0, "{meanwhile}");
        assert!(story.repo.git(&["rev-list", "--all"]).contains(&start));
        if meanwhile.starts_with("echo") {
            assert_eq!(story.dirt(), " M feature.txt");
        }
    }
}

#[test]
fn shared_folders_and_set_up_are_nobodys_edits() {
    let more = "[workspace]\nmode = \"worktree\"\nsetup = \"echo x > prepared.txt\"\n\
                share = [\"node_modules\"]\n";
    let story = Story::configured(1, more);
    story.repo.write(".git/info/exclude", "node_modules/\n");
    story.repo.write("node_modules/x.js", "x");
    story.steps(&["[ -e node_modules/x.js ] && improve"]).run().ended(0, "AUTO_APPROVE");
    assert_eq!(linked(&story), 0);
    assert_eq!(story.repo.text("node_modules/x.js").unwrap(), "x");
    assert!(!story.repo.git(&["show", "--name-only", "--format=", "HEAD"]).contains("prepared"));
    story.at_rest("work");
}

#[test]
fn what_a_fixer_left_when_it_broke_out_stays_to_be_read() {
    let story = Story::configured(1, MODE);
    let start = story.head();
    let ran = story.steps(&["improve; git switch -q -c elsewhere"]).run().ended(1, "scope_breach");
    assert_eq!((story.head(), linked(&story)), (start, 1));
    assert!(ran.out.contains("what is not committed (code.txt) is in"), "{ran:?}");
    story.at_rest("work");
}
