//! Which commit a command is about, wherever it is given and however it is written.

use super::ask::reason_of;
use crate::hooked::write_script;
use crate::pre_push::gate::{Gate, MARK};

#[test]
fn a_push_is_judged_however_it_is_written() {
    let (gate, sha) = Gate::regression();
    gate.git(&["config", "alias.pu", "push origin"]);
    gate.git(&["config", "alias.ship", "!git push origin HEAD"]);
    for command in [
        "git push",
        "git push origin feature",
        "git push origin +HEAD:refs/heads/other",
        "git push origin feature:main",
        "git push --all",
        "git push --mirror",
        "git push origin 'refs/heads/*:refs/heads/*'",
        "git push origin heads/feature",
        "cd . && git -c a.b=c push -u origin HEAD",
        "bash -c 'git push'",
        "git pu feature",
        "git ship",
        "cd \"$(git rev-parse --show-toplevel)\" && git push",
        "git add -A; git push origin feature",
    ] {
        let marked = format!("{MARK}{sha}");
        gate.stops(command, &[&marked, "lint_errors:2>0"]);
    }
    for harmless in [
        "git push origin main",
        "git push origin --delete feature",
        "git push origin :feature",
        "git push -n origin feature",
        "git push --tags",
        "git push origin tag v1",
        "git push origin no-such-branch",
        "git config alias.pu",
        "git log --grep 'git push'",
    ] {
        gate.git(&["tag", "-f", "v1"]);
        gate.lets(harmless);
    }
}

#[test]
fn push_default_says_what_a_bare_push_is() {
    let (gate, _) = Gate::regression();
    gate.git(&["config", "push.default", "nothing"]);
    gate.lets("git push");
    gate.git(&["config", "push.default", "matching"]);
    // the remote does not have it
    gate.lets("git push");
    gate.git(&["update-ref", "refs/remotes/origin/feature", "main"]);
    gate.stops("git push", &["feature ("]);
    gate.stops("git push origin :", &["feature ("]);
    gate.git(&["config", "push.default", "upstream"]);
    gate.git(&["config", "branch.feature.merge", "refs/heads/theirs"]);
    gate.stops("git push", &["feature to theirs ("]);
    gate.git(&["config", "remote.origin.push", "refs/heads/main:refs/heads/main"]);
    gate.lets("git push");
    gate.git(&["config", "--unset", "remote.origin.push"]);
    gate.git(&["switch", "-q", "--detach"]);
    gate.lets("git push");
    gate.stops("git push origin HEAD:x", &["HEAD to x ("]);
}

#[test]
fn a_push_elsewhere_is_judged_there() {
    let (gate, sha) = Gate::regression();
    let outside = gate.path("home");
    for command in [
        "git -C \"../it's a repo\" push",
        "cd \"../it's a repo\" && git push",
        "git --git-dir \"../it's a repo/.git\" push",
        "GIT_DIR=\"../it's a repo/.git\" git push origin feature",
    ] {
        let reason = reason_of(&gate.claude_at(&outside, command));
        let fix = format!("s a repo' && git fix-evidence --sha {sha}");
        assert!(reason.contains(&fix), "{command}: {reason}");
        assert!(reason.contains("the commands are for the repository in /"), "{reason}");
    }
    // not a repository, and none yet
    for command in
        ["git push", "git -C no-such push", "gh pr create", "git clone x && cd x && git push"]
    {
        assert_eq!(gate.claude_at(&outside, command), "{}\n", "{command}");
    }
    std::fs::create_dir(gate.top.join("sub")).unwrap();
    let reason = gate.stops("cd sub && git push", &["asking: git fix-evidence"]);
    assert!(!reason.contains("are for the repository"), "{reason}");
    let linked = gate.path("linked");
    gate.git(&["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    gate.git_at(&linked, &["switch", "-q", "-c", "there"]);
    let reason = reason_of(&gate.claude_at(&linked, "git push"));
    assert!(reason.contains("there (") && reason.contains(&sha), "{reason}");
}

#[test]
fn without_a_record_our_hook_decides_and_nothing_is_measured() {
    let gate = Gate::new();
    for command in ["git push", "git push origin \"$B\"", "git commit -am x && git push"] {
        gate.lets(command);
    }
    let by_hand = "measure it, then repeat the same command: git review-evidence feature";
    for command in [
        "git push --no-verify",
        "git -c core.hooksPath=/dev/null push",
        "GIT_CONFIG_COUNT=1 git push",
        "gh pr create --fill",
        "gh pr edit 3 --title t",
        "glab mr create",
        "glab mr update 3 -t t",
        "gh pr create --head feature",
        "gh pr create --head me:feature",
    ] {
        let reason = gate.stops(command, &["not measured", by_hand]);
        assert!(!reason.contains(MARK), "{reason}");
    }
    gate.unhooked();
    gate.stops("git push", &["git-evidence: the push is blocked\n", by_hand]);
    gate.stops("git push origin \"$B\"", &["write the names of the remote and the branches out"]);
    gate.stops("git commit -am x && git push", &["run that part alone"]);
    gate.stops("gh pr create -H \"$B\"", &["write its name out"]);
    gate.stops("git switch main && gh pr create", &["run that part alone"]);
    gate.stops("gh pr create -H gone", &["its branch is not here"]);
    gate.lets("git commit -am x && git push --dry-run");
    assert_eq!(gate.runs(), 0);
    assert_eq!(gate.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "feature");
}

#[test]
fn what_is_kept_of_the_same_content_makes_a_record() {
    let gate = Gate::new();
    gate.commit("a.txt", "BAD\n");
    gate.push(&["origin", "feature"]).blocks(&["lint_errors:1>0"]);
    gate.git(&["commit", "-q", "--amend", "--no-verify", "-m", "another"]);
    let runs = gate.runs();
    gate.unhooked();
    gate.stops("git push", &["lint_errors:1>0", &gate.head()]);
    assert_eq!(
        (gate.runs(), gate.stored(&gate.head())["sha"].as_str()),
        (runs, Some(&*gate.head()))
    );
}

#[test]
fn a_pull_request_is_of_its_branch() {
    let (gate, sha) = Gate::regression();
    gate.git(&["switch", "-q", "main"]);
    gate.record(&gate.head(), "AUTO_APPROVE");
    gate.lets("gh pr create --fill");
    gate.lets("gh pr view");
    let switch = format!("git switch feature && git fix-evidence --sha {sha}");
    let reason = gate.stops("gh pr create --head feature", &["gh pr create is blocked", &switch]);
    assert!(reason.starts_with(&format!("{MARK}{sha}\n")), "{reason}");
    gate.stops("glab mr create -s feature", &["glab mr create is blocked", &switch]);
    // known from the remote only
    gate.git(&["update-ref", "refs/remotes/origin/far", &sha]);
    gate.stops("gh pr create -H far", &["git switch far && git fix-evidence"]);
}

#[test]
fn a_repository_of_sha256_is_judged_alike() {
    let gate = Gate::with(&["--object-format=sha256"]);
    let sha = gate.head();
    assert_eq!(sha.len(), 64);
    gate.record(&sha, "BLOCK_REGRESSION");
    for command in ["git push", "git push origin HEAD:other", "gh pr create"] {
        let reason = gate.stops(command, &[&format!("git fix-evidence --sha {sha}")]);
        assert!(reason.starts_with(&format!("{MARK}{sha}\n")), "{reason}");
    }
    gate.record(&sha, "AUTO_APPROVE");
    gate.lets("git push");
}

#[test]
fn where_nothing_is_configured_everything_passes() {
    let gate = Gate::empty(&[]);
    gate.lets("git push origin main");
    gate.lets("gh pr create");
    gate.commit("a.txt", "BAD\n");
    for command in [
        "git push origin main",
        "gh pr create",
        "git push origin $B",
        "git commit -m x && git push",
    ] {
        gate.lets(command);
    }
}

#[test]
fn whatever_is_broken_on_the_way_blocks_and_says_why() {
    let (gate, sha) = Gate::regression();
    gate.write_record(&sha, "{ torn");
    gate.stops("git push", &["git-evidence: the push is blocked", &sha[..10]]);
    gate.stops("gh pr create", &["gh pr create is blocked"]);
    std::fs::remove_file(gate.layout().record(&sha)).unwrap();
    gate.unhooked();
    std::fs::write(gate.top.join(".git/config"), "[broken").unwrap();
    gate.stops("git push", &["is blocked"]);
    gate.lets("git status");

    let gate = Gate::empty(&[]);
    gate.commit(".git-evidence.toml", "[policy]\nmin_coverag = 1\n");
    gate.git(&["push", "-q", "origin", "main"]);
    gate.git(&["switch", "-q", "-c", "feature"]);
    gate.commit("a.txt", "a\n");
    gate.stops("git push", &["min_coverag"]);
    gate.stops("git commit -m x && git push", &["min_coverag"]);
}

#[test]
fn a_hook_counts_where_git_would_run_it_and_it_would_call_us() {
    let gate = Gate::new();
    let hook = gate.top.join(".git/hooks/pre-push");
    let ours = std::fs::read_to_string(&hook).unwrap();
    let line = "git-review-evidence hook pre-push \"$@\"";
    for (text, mode, lives) in [
        (ours.clone(), 0o755, true),
        (ours.clone(), 0o644, false),
        (format!("#!/bin/sh\n{line} || exit 1\n"), 0o755, true),
        (format!("#!/bin/sh\n# {line}\n"), 0o755, false),
        ("#!/bin/sh\nexit 0\n".to_string(), 0o755, false),
    ] {
        write_script(&hook, &text, mode);
        match lives {
            true => gate.lets("git push"),
            false => drop(gate.stops("git push", &["not measured"])),
        }
    }
    // git looks elsewhere
    write_script(&hook, &ours, 0o755);
    gate.git(&["config", "core.hooksPath", "/dev/null"]);
    gate.stops("git push", &["not measured"]);
}
