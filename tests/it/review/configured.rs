//! Configuration and base: where they come from, and what is said where they do not.

use super::{LINT, check, lint, project};
use crate::support::cmd::{record_file, review};
use crate::support::repo::TestRepo;

#[test]
fn without_configuration_a_ready_one_is_shown_and_nothing_done() {
    let repo = TestRepo::new();
    repo.write("a.py", "x = 1\n");
    repo.commit("one");
    let done = review(&repo, &[]).ended(2);
    assert_eq!(done.out, "");
    for text in [".git-evidence.toml", "[[check]]", "ruff check", "pytest"] {
        assert!(done.err.contains(text), "{text}: {}", done.err);
    }
    assert!(review(&repo, &["--check", "x"]).ended(2).err.contains("[[check]]"));
    assert!(!repo.path.join(".git/evidence").exists());
}

#[test]
fn a_configuration_that_is_not_committed_counts_at_first_and_stores_nothing() {
    let repo = TestRepo::new();
    repo.write("findings.txt", "");
    repo.write("src/a.py", "x = 1\n");
    let sha = repo.commit("one");
    repo.write(".git-evidence.toml", lint(&repo));
    let done = review(&repo, &["--json"]).ended(0);
    let record = done.json();
    assert_eq!(record["config_source"], "worktree");
    assert_eq!(record["dirty_tree"], true);
    assert!(done.err.contains(".git-evidence.toml is not committed"), "{}", done.err);
    assert!(!record_file(&repo, &sha).exists());
}

#[test]
fn a_wrong_configuration_is_named_with_its_line_and_nothing_is_written() {
    let repo = project(|repo| lint(repo) + "\n[policy]\nmax_lint_erors = 1\n");
    repo.commit("more");
    let done = review(&repo, &[]).ended(2);
    assert!(
        done.err.contains(".git-evidence.toml (of the base):8: unknown key 'max_lint_erors'"),
        "{}",
        done.err
    );
    assert!(done.err.contains("did you mean 'max_lint_errors'?"), "{}", done.err);
    assert_eq!(done.out, "");
    assert!(!repo.path.join(".git/evidence").exists());
}

#[test]
fn a_base_that_was_typed_is_printed_and_not_stored() {
    let repo = project(lint);
    repo.write("findings.txt", "F401 3 src/a.py\n");
    repo.commit("first");
    repo.write("src/b.py", "x = 1\n");
    let sha = repo.commit("second");
    let done = review(&repo, &["--base", "HEAD~1"]).ended(0);
    assert!(done.out.contains(" (--base)\n"), "{}", done.out);
    assert!(done.err.contains("not stored: --base"), "{}", done.err);
    assert!(!record_file(&repo, &sha).exists());
    let done = review(&repo, &["--base", "nowhere"]).ended(2);
    assert!(
        done.err.ends_with("no base to compare with: --base: nowhere does not exist\n"),
        "{}",
        done.err
    );
}

#[test]
fn a_misspelt_command_is_told_from_a_revision() {
    let repo = project(lint);
    let done = review(&repo, &["instal"]).ended(2);
    let meant =
        "'instal' is neither a command nor a commit of this repository; did you mean 'install'?";
    assert!(done.err.contains(meant), "{}", done.err);
    for asked in [&["nosuchbranch"][..], &["run", "instal"], &["show", "instal"]] {
        let done = review(&repo, asked).ended(2);
        assert!(done.err.contains("' names no commit in this repository\n"), "{}", done.err);
    }
}

#[test]
fn without_a_base_only_absolute_limits_count() {
    let repo = project(lint);
    repo.git(&["switch", "-q", "main"]);
    let done = review(&repo, &["--json"]).ended(0);
    assert_eq!(done.json()["baseline_synthetic"], true);
    let done = review(&repo, &["show"]).ended(0);
    assert!(done.out.contains("(there is no base commit)\n"), "{}", done.out);
    assert!(done.out.contains("warning: baseline_synthetic: "), "{}", done.out);
}

#[test]
fn a_base_that_cannot_be_measured_is_said_first() {
    let script = format!("[ -f ok ] || {{ echo no tool here >&2; exit 9; }}\n{LINT}");
    let repo = project(|repo| check(repo, "lint", "ruff-json", &script));
    repo.write("ok", "");
    repo.commit("now it can be measured");
    let done = review(&repo, &[]).ended(0);
    let second = done.out.lines().nth(1).unwrap();
    assert_eq!(second, "  the base could not be measured, so only absolute limits count");
    assert!(done.out.contains("    why: lint: it ended with exit code 9"), "{}", done.out);
    let record = review(&repo, &["show", "--json"]).ended(0).json();
    assert!(record["baseline_failed"].as_str().unwrap().contains("no tool here"));
    assert_eq!(record["baseline_synthetic"], false);
}

#[test]
fn a_shallow_clone_without_the_common_commit_says_how_to_deepen_it() {
    let repo = project(lint);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("topic");
    repo.git(&["switch", "-q", "main"]);
    repo.write("src/c.py", "x = 1\n");
    repo.commit("main goes on");
    let url = format!("file://{}", repo.path.display());
    let clone = repo.beside("clone");
    let target = clone.to_str().unwrap();
    repo.git(&["clone", "-q", "--depth=1", "--no-single-branch", "-b", "topic", &url, target]);
    let done = review(&repo, &["-C", target]).ended(2);
    assert!(done.err.contains("git fetch --deepen=50 origin main"), "{}", done.err);
    assert_eq!(done.out, "");
}

#[test]
fn repositories_and_revisions_that_cannot_be_judged_are_refused() {
    let unborn = TestRepo::new();
    assert!(review(&unborn, &[]).ended(2).err.contains("has no commit yet"));
    let bare = TestRepo::with(&["--bare"]);
    assert!(review(&bare, &[]).ended(2).err.contains("no working tree"));
    let repo = project(lint);
    assert!(review(&repo, &["nothing"]).ended(2).err.contains("'nothing' names no commit"));
    let nowhere = repo.beside("home");
    let done = review(&repo, &["-C", nowhere.to_str().unwrap()]).ended(2);
    assert!(done.err.contains("not in a git repository"), "{}", done.err);
    review(&repo, &["--recompute", "show"]).ended(2);
    review(&repo, &["--no-such-option"]).ended(2);
}

#[test]
fn git_config_may_name_an_older_base_but_no_easier_one() {
    let repo = project(lint);
    let first = repo.git(&["rev-parse", "main"]);
    repo.write("findings.txt", "F401 3 src/a.py\n");
    repo.commit("worse");
    repo.git(&["config", "evidence.base", "topic"]);
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more");
    let done = review(&repo, &[]).ended(1);
    assert!(done.err.contains("evidence.base = topic is no ancestor of"), "{}", done.err);
    assert!(done.out.contains("(local default)\n"), "{}", done.out);
    repo.git(&["config", "evidence.base", &first]);
    let done = review(&repo, &[]).ended(1);
    assert!(done.out.contains("(configured)\n"), "{}", done.out);
}
