//! Which refs are judged, by which commit, and what passes.

use super::gate::{Gate, MARK, ZERO};

#[test]
fn a_branch_passes_or_not_by_its_record() {
    let gate = Gate::new();
    let sha = gate.head();
    gate.record(&sha, "BLOCK_REGRESSION");
    let err = gate.push(&["origin", "feature"]).marks(&sha);
    let expected = format!("Run this now, without asking: git fix-evidence --sha {sha}\n");
    assert!(err.contains(&expected) && err.contains("(git push origin feature)"), "{err}");
    assert!(
        err.contains("lint_errors:2>0") && err.contains("git review-evidence feature"),
        "{err}"
    );
    assert_eq!(gate.git(&["ls-remote", "origin", "feature"]), "");
    gate.record(&sha, "AUTO_APPROVE");
    assert_eq!(gate.push(&["origin", "feature"]).passes(), "");
    assert_eq!(gate.runs(), 0);
    // up to date: the hook gets no lines
    assert_eq!(gate.push(&["origin", "feature"]).passes(), "");
    // for a reviewer: passes with one line
    let next = gate.commit("b.txt", "b\n");
    gate.record(&next, "REVIEWER_HANDOFF");
    let err = gate.push(&["origin", "feature"]).passes();
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("a reviewer should look (so it is)"), "{err}");
}

#[test]
fn every_ref_is_judged_and_the_worst_decides() {
    let gate = Gate::new();
    let feature = gate.head();
    gate.record(&feature, "AUTO_APPROVE");
    gate.git(&["switch", "-q", "-c", "second"]);
    let second = gate.commit("b.txt", "b\n");
    gate.record(&second, "BLOCK_REGRESSION");
    gate.git(&["switch", "-q", "-c", "third", "main"]);
    let third = gate.commit("c.txt", "c\n");
    gate.record(&third, "BLOCK_HARD_FLOOR");
    gate.git(&["switch", "-q", "feature"]);
    // none is checked out: the marker is for the first that is blocked
    let err = gate.push(&["origin", "feature", "second", "third"]).marks(&second);
    let fix = format!("without asking: git switch second && git fix-evidence --sha {second}\n");
    assert!(err.contains(&fix) && err.contains("security:40.0<60.0"), "{err}");
    assert!(err.contains("(git push origin feature second third)"), "{err}");
    assert_eq!(gate.git(&["ls-remote", "--heads", "origin", "feature"]), "");
    // for the checked-out one if it is among them, whatever the order
    gate.record(&third, "BLOCK_REGRESSION");
    gate.git(&["switch", "-q", "third"]);
    gate.push(&["origin", "feature", "second", "third"]).marks(&third);
    // a deletion beside an update passes with it, and never alone decides
    gate.git(&["push", "-q", "--no-verify", "origin", "feature"]);
    gate.push(&["origin", ":feature", "second"]).marks(&second);
    gate.push(&["origin", ":feature"]).passes();
    assert_eq!(gate.git(&["ls-remote", "--heads", "origin", "feature"]), "");
}

#[test]
fn tags_pass_and_other_refs_pass_with_a_note_and_our_own_stay() {
    let gate = Gate::new();
    gate.record(&gate.head(), "BLOCK_REGRESSION");
    gate.git(&["tag", "light"]);
    gate.git(&["tag", "-a", "-m", "t", "heavy"]);
    assert_eq!(gate.push(&["origin", "light", "heavy"]).passes(), "");
    let err = gate.push(&["origin", "HEAD:refs/changes/1"]).passes();
    assert!(err.contains("refs/changes/1: neither branch nor tag"), "{err}");
    gate.git(&["update-ref", "refs/evidence/checkpoints/x/1", "HEAD"]);
    let own = gate.push(&["origin", "refs/evidence/checkpoints/x/1"]);
    own.blocks(&["git-evidence's own"]);
    assert_eq!(gate.git(&["ls-remote", "origin", "refs/evidence/*"]), "");
    // a tag of a blocked commit as a branch is a branch
    let tag = gate.git(&["rev-parse", "heavy"]);
    let line = format!("refs/tags/heavy {tag} refs/heads/x {ZERO}\n");
    gate.direct(line).marks(&gate.head());
    // and what leads to no commit is none
    let tree = gate.git(&["rev-parse", "HEAD^{tree}"]);
    for object in [tree, "1234567890".repeat(4)] {
        let line = format!("{object} {object} refs/heads/x {ZERO}\n");
        gate.direct(line).blocks(&["is no commit"]);
    }
}

#[test]
fn the_pushed_commit_counts_and_not_the_checkout() {
    let gate = Gate::new();
    let feature = gate.head();
    gate.record(&feature, "AUTO_APPROVE");
    gate.git(&["switch", "-q", "-c", "other"]);
    let other = gate.commit("b.txt", "b\n");
    gate.record(&other, "BLOCK_REGRESSION");
    // a branch that is not checked out
    gate.push(&["origin", "feature"]).passes();
    // HEAD under another name is still the checked-out branch
    let err = gate.push(&["origin", "HEAD:elsewhere"]).marks(&other);
    assert!(err.contains(&format!("without asking: git fix-evidence --sha {other}\n")), "{err}");
    assert!(err.contains("(git push origin HEAD:refs/heads/elsewhere)"), "{err}");
    assert_eq!(gate.count("other"), 1);
    // a detached HEAD: the branch is the one at the remote
    gate.git(&["switch", "-q", "--detach"]);
    let err = gate.push(&["origin", "HEAD:refs/heads/there"]).marks(&other);
    assert!(err.contains("without asking: git switch there && git fix-evidence"), "{err}");
    assert_eq!(gate.count("there"), 1);
    gate.push(&["origin", "HEAD~1:refs/heads/there"]).passes();
    // a URL in place of a name; it is not repeated
    let url = gate.path("remote.git");
    let err = gate.push(&[url.to_str().unwrap(), "other"]).marks(&other);
    assert!(err.contains("(the same git push)"), "{err}");
}

#[test]
fn the_first_push_of_a_history_and_a_force_push_after_a_rebase() {
    let gate = Gate::empty(&[]);
    gate.configure("");
    let sha = gate.commit("a.txt", "fine\n");
    gate.install();
    gate.push(&["origin", "main"]).passes();
    assert_eq!(gate.stored(&sha)["baseline_synthetic"], true);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.commit("b.txt", "b\n");
    gate.push(&["origin", "feature"]).passes();
    gate.git(&["switch", "-q", "main"]);
    let base = gate.commit("c.txt", "c\n");
    gate.push(&["origin", "main"]).passes();
    gate.git(&["rebase", "-q", "main", "feature"]);
    // rejected by git without a hook's line
    assert_eq!(gate.push(&["origin", "feature"]).code, Some(1));
    gate.push(&["-f", "origin", "feature"]).passes();
    assert_eq!(gate.stored(&gate.head())["base_sha"], base);
}

#[test]
fn every_kind_of_repository_is_judged() {
    for init in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let gate = Gate::with(init);
        let sha = gate.head();
        gate.record(&sha, "BLOCK_REGRESSION");
        gate.push(&["origin", "feature"]).marks(&sha);
        gate.record(&sha, "AUTO_APPROVE");
        gate.push(&["origin", "feature"]).passes();
        gate.push(&["origin", ":feature"]).passes();
    }
}

#[test]
fn a_linked_worktree_and_a_bare_repository_see_the_same_records() {
    let gate = Gate::new();
    let linked = gate.path("linked tree");
    gate.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    std::fs::write(linked.join("b.txt"), "b\n").unwrap();
    gate.git_at(&linked, &["add", "-A"]);
    gate.git_at(&linked, &["commit", "-q", "-m", "b"]);
    let sha = gate.git(&["rev-parse", "side"]);
    gate.record(&sha, "BLOCK_REGRESSION");
    let err = gate.push_at(&linked, &["origin", "side"]).marks(&sha);
    assert!(err.contains(&format!("asking: git fix-evidence --sha {sha}\n")), "{err}");
    gate.record(&sha, "AUTO_APPROVE");
    gate.push_at(&linked, &["origin", "side"]).passes();
    // in a bare repository the branch is measured in a worktree of ours
    let bare = gate.path("bare.git");
    gate.git(&["clone", "-q", "--bare", gate.top.to_str().unwrap(), bare.to_str().unwrap()]);
    let hook = gate.top.join(".git/hooks/pre-push");
    let copied = gate.command("cp", &gate.top).arg(hook).arg(bare.join("hooks")).status();
    assert!(copied.unwrap().success());
    let remote = gate.path("remote.git");
    let runs = gate.runs();
    gate.push_at(&bare, &[remote.to_str().unwrap(), "feature"]).passes();
    assert!(gate.runs() > runs);
    let sha = gate.git(&["rev-parse", "feature"]);
    assert!(bare.join(format!("evidence/records/{}/{sha}.json", &sha[..2])).exists());
    assert_eq!(gate.git_at(&bare, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn all_lines_are_read_and_what_cannot_be_read_blocks() {
    let gate = Gate::new();
    gate.record(&gate.head(), "AUTO_APPROVE");
    for nothing in ["", "\n", "\n\n  \n"] {
        assert_eq!(gate.direct(nothing).passes(), "");
    }
    let good = gate.line("feature");
    assert_eq!(gate.direct(&good).passes(), "");
    assert_eq!(gate.direct(good.trim_end()).passes(), "");
    for bad in ["nonsense\n", "refs/heads/x refs/heads/x\n", "a b c d\n"] {
        gate.direct(format!("{good}{bad}")).blocks(&["cannot be read"]);
    }
    let mut lines = good.clone();
    for n in 0..20_000 {
        lines.push_str(&format!("(delete) {ZERO} refs/heads/gone{n} {}\n", "a".repeat(40)));
    }
    assert_eq!(gate.direct(&lines).passes(), "");
    // outside of a repository deletions pass, all else blocks after all is read
    let home = gate.path("home");
    gate.direct_at(&home, format!("(delete) {ZERO} refs/heads/x {}\n", "a".repeat(40))).passes();
    let err = gate.direct_at(&home, lines.repeat(3)).blocks(&["not in a git repository"]);
    assert!(!err.contains(MARK));
}

#[test]
fn an_unborn_head_is_no_obstacle() {
    let gate = Gate::new();
    let sha = gate.head();
    gate.record(&sha, "BLOCK_REGRESSION");
    gate.git(&["switch", "-q", "--orphan", "fresh"]);
    let err = gate.push(&["origin", "feature"]).marks(&sha);
    assert!(err.contains("git switch feature && "), "{err}");
}
