//! Findings of a commit's CI, by a `gh` that is a script and notes what it was asked.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{lines, lint, project};
use crate::hooked::write_script;
use crate::support::cmd::{Done, record_file, review, review_command, run};
use crate::support::repo::TestRepo;

const TOKEN: &str = "ghp_0123456789abcdef";

/// Answers from files beside the repository: `ci/<sha>.json` lists runs, `ci/<run>/<artifact>/` is
/// what a run uploaded, `mode` is read first and may end it all.
const GH: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit 9
echo "$*" >> gh.log
cat > stdin.seen
env | grep '^GIT_DIR=' >> gh.log
[ -f mode ] && . ./mode
case "$1 $2" in
  "run list") cat "ci/$4.json" 2>/dev/null || echo '[]' ;;
  "run download")
    [ -d "ci/$3" ] || { echo 'no valid artifacts found to download' >&2; exit 1; }
    got=
    for artifact in "ci/$3"/*; do
      case "${artifact##*/}" in
        $5) cp -R "$artifact" "$7/" && got=1 ;;
      esac
    done
    [ -n "$got" ] || { echo 'no artifact matches any of the names or patterns provided' >&2; exit 1; } ;;
  *) echo "unknown command $*" >&2; exit 2 ;;
esac
"#;

/// `main` and `topic` with lint, and a `[ci]` that asks the script.
fn asking(rest: &str) -> TestRepo {
    let repo = project(|repo| {
        let gh = repo.beside("gh-fake");
        write_script(&gh, GH, 0o755);
        let own = format!("[ci]\nquality = \"scan\"\ngh = \"{}\"\n{rest}\n", gh.display());
        lint(repo) + &own
    });
    std::fs::create_dir(repo.beside("ci")).unwrap();
    repo
}

/// One commit on `topic` that changes nothing that is found.
fn topic(repo: &TestRepo) -> String {
    repo.write("src/b.py", "x = 1\n");
    repo.commit("more")
}

fn mode(repo: &TestRepo, script: &str) {
    std::fs::write(repo.beside("mode"), script).unwrap();
}

/// What the script was asked since the last question.
fn asked(repo: &TestRepo) -> Vec<String> {
    let text = std::fs::read_to_string(repo.beside("gh.log")).unwrap_or_default();
    let _ = std::fs::remove_file(repo.beside("gh.log"));
    text.lines().map(str::to_string).collect()
}

/// A run of a commit, and what it uploaded as `scan`: (rule, severity, line of `src/a.py`).
fn ran(repo: &TestRepo, sha: &str, id: u64, findings: &[(&str, &str, u32)]) {
    listed(repo, sha, id, "completed");
    let result = |(rule, severity, line): &(&str, &str, u32)| {
        json!({"ruleId": rule, "level": "warning", "message": {"text": format!("{rule} is bad")},
            "properties": {"severity": severity},
            "locations": [{"physicalLocation": {"region": {"startLine": line},
                "artifactLocation": {"uri": "file:///home/runner/work/r/r/src/a.py"}}}]})
    };
    let results: Vec<Value> = findings.iter().map(result).collect();
    let tool = json!({"driver": {"name": "scanner"}});
    let log = json!({"version": "2.1.0", "runs": [{"tool": tool, "results": results}]});
    uploaded(repo, id, "scan.sarif", &log.to_string());
}

fn listed(repo: &TestRepo, sha: &str, id: u64, status: &str) {
    let runs = json!([{"databaseId": id, "status": status, "conclusion": "failure",
        "workflowName": "Scan", "createdAt": "2026-01-02T03:04:05Z"}]);
    std::fs::write(repo.beside(&format!("ci/{sha}.json")), runs.to_string()).unwrap();
}

fn uploaded(repo: &TestRepo, id: u64, file: &str, text: &str) {
    let folder = repo.beside(&format!("ci/{id}/scan"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(file), text).unwrap();
}

fn warnings(done: &Done) -> String {
    done.json()["verdict"]["warnings"].to_string()
}

fn main_of(repo: &TestRepo) -> String {
    repo.git(&["rev-parse", "main"])
}

#[test]
fn a_new_critical_finding_blocks_with_the_exact_reason() {
    let repo = asking("");
    let sha = topic(&repo);
    ran(&repo, &main_of(&repo), 11, &[("OLD", "high", 2)]);
    ran(&repo, &sha, 12, &[("OLD", "high", 2), ("INJ", "Critical", 3), ("NIT", "Info", 4)]);
    let done = review(&repo, &["--json"]).ended(1);
    let record = done.json();
    assert_eq!(record["verdict"]["block_reasons"], json!(["ci_critical:1>0"]));
    let ci = &record["metrics"]["ci_quality"];
    assert_eq!((&ci["available"], &ci["ci_run_id"]), (&json!(true), &json!(12)));
    assert_eq!((&ci["problems_critical"], &ci["problems_high"]), (&json!(1), &json!(1)));
    assert_eq!(ci["source"], json!(["scan"]));
    assert_eq!(ci["findings"].as_array().unwrap().len(), 3);
    assert_eq!(ci["findings"][0]["path"], "src/a.py");
    assert_eq!(ci["findings"][1]["baseline_state"], "unchanged");
    let shown = review(&repo, &["show"]).ended(0).out;
    assert!(shown.contains("    src/a.py:3: INJ critical INJ is bad\n"), "{shown}");
    assert!(!shown.contains("NIT is bad"), "{shown}");
    let said = asked(&repo);
    assert_eq!(said.len(), 4, "{said:?}");
    let fields = "databaseId,status,conclusion,workflowName,createdAt";
    assert_eq!(said[0], format!("run list --commit {sha} --json {fields} --limit 50"));
    assert!(said[1].starts_with("run download 12 --pattern scan --dir "), "{said:?}");
    let seen = std::fs::read_to_string(repo.beside("stdin.seen")).unwrap();
    assert_eq!(seen, "", "standard input is empty");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(std::fs::read_dir(repo.path.join(".git/evidence/out/ci")).unwrap().next().is_none());
}

#[test]
fn what_the_base_had_does_not_block_wherever_it_stands_now() {
    let repo = asking("");
    ran(&repo, &main_of(&repo), 11, &[("INJ", "critical", 3)]);
    repo.write("src/a.py", format!("first = 0\nsecond = 0\n{}", lines(10)));
    let sha = repo.commit("two lines above");
    ran(&repo, &sha, 12, &[("INJ", "critical", 5)]);
    let record = review(&repo, &["--json"]).ended(0).json();
    assert_eq!(record["metrics"]["ci_quality"]["findings"][0]["baseline_state"], "unchanged");
    // Another one in its stead is another one, whatever the numbers say.
    repo.write("src/c.py", "y = 2\n");
    let sha = repo.commit("another");
    ran(&repo, &sha, 13, &[("XSS", "critical", 9)]);
    let record = review(&repo, &["--json"]).ended(1).json();
    assert_eq!(record["verdict"]["block_reasons"], json!(["ci_critical:1>0"]));
}

#[test]
fn high_ones_block_where_the_policy_says_so() {
    let repo = asking("[policy]\nci_level = \"high\"");
    let sha = topic(&repo);
    ran(&repo, &main_of(&repo), 11, &[("OLD", "critical", 2)]);
    ran(&repo, &sha, 12, &[("OLD", "critical", 2), ("NEW", "high", 3)]);
    let done = review(&repo, &["--json"]).ended(1);
    assert_eq!(done.json()["verdict"]["block_reasons"], json!(["ci_high:critical=1,high=1"]));
}

#[test]
fn a_base_without_ci_is_named_and_all_counts_as_new() {
    let repo = asking("");
    let sha = topic(&repo);
    ran(&repo, &sha, 12, &[("INJ", "critical", 3)]);
    let done = review(&repo, &["--json"]).ended(1);
    assert_eq!(done.json()["verdict"]["block_reasons"], json!(["ci_critical:1>0"]));
    assert!(warnings(&done).contains("the base's CI findings are not known"), "{}", done.out);
}

#[test]
fn what_cannot_be_known_is_a_warning_or_where_it_is_required_a_gap() {
    for (script, part) in [
        ("exit 1", "'run list' failed (exit code 1): it said nothing"),
        ("echo 'HTTP 401' >&2; echo more >&2; exit 4", "failed (exit code 4): HTTP 401; "),
        ("sleep 60", "did not answer within 1s"),
        ("echo '{'; exit 0", "gave no list of runs"),
        ("true", "there is no CI run of this commit; push it"),
    ] {
        for (rest, code) in [("", 0), ("quality_required = true", 4)] {
            let repo = asking(&format!("timeout = \"1s\"\n{rest}"));
            topic(&repo);
            mode(&repo, script);
            let part = part.replace("'run list'", "gh-fake run list'");
            let done = review(&repo, &["--json"]).ended(code);
            let record = done.json();
            assert_eq!(record["metrics"]["ci_quality"]["available"], false);
            assert_eq!(record["metrics"]["ci_quality"]["problems_critical"], Value::Null);
            let said = match code {
                0 => warnings(&done),
                _ => record["regression_verdict"]["reason"].to_string(),
            };
            assert!(said.contains("not measured: ci: ") && said.contains(&part), "{said}");
        }
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let repo = asking("");
    topic(&repo);
    std::fs::remove_file(repo.beside("gh-fake")).unwrap();
    let done = review(&repo, &[]).ended(0);
    let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("not measured: ci: cannot start '"), "{said}");
    assert!(said.contains("install the GitHub CLI, or name the program with [ci] gh"), "{said}");
}

#[test]
fn artifacts_that_say_nothing_are_named() {
    for (file, text, part) in [
        (None, "", "no artifact 'scan' in the 1 CI runs of this commit"),
        (Some("notes.txt"), "x", "the artifact 'scan': it holds no *.sarif"),
        (Some("a.sarif.json"), "", "a.sarif.json: it is empty or cut off"),
        (
            Some("a.sarif"),
            r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[],
               "invocations":[{"executionSuccessful":false}]}]}"#,
            "the tool did not finish: t: it says that it did not succeed",
        ),
    ] {
        let repo = asking("");
        let sha = topic(&repo);
        listed(&repo, &sha, 12, "completed");
        if let Some(file) = file {
            uploaded(&repo, 12, file, text);
        }
        let done = review(&repo, &["--json"]).ended(0);
        assert!(warnings(&done).contains(part), "{part}: {}", warnings(&done));
    }
    let repo = asking("");
    let sha = topic(&repo);
    ran(&repo, &sha, 12, &[]);
    listed(&repo, &sha, 12, "in_progress");
    let done = review(&repo, &["--json"]).ended(0);
    assert!(warnings(&done).contains("the CI run 12 (Scan) is not over yet"), "{}", done.out);
    assert_eq!(asked(&repo).len(), 1, "nothing is taken from a run that is not over");
}

#[test]
fn what_was_fetched_is_not_asked_for_again() {
    let repo = asking("");
    let sha = topic(&repo);
    ran(&repo, &main_of(&repo), 11, &[]);
    ran(&repo, &sha, 12, &[("INJ", "critical", 3)]);
    review(&repo, &[]).ended(1);
    assert_eq!(asked(&repo).len(), 4);
    let done = review(&repo, &[]).ended(1);
    assert_eq!(done.err, "");
    review(&repo, &["--no-run"]).ended(1);
    assert_eq!(asked(&repo), [""; 0]);
    // Single checks are another question.
    let done = review(&repo, &["--check", "lint", "--json"]).ended(0);
    assert_eq!(done.json()["metrics"].get("ci_quality"), None);
    ran(&repo, &sha, 12, &[]);
    review(&repo, &["--recompute"]).ended(0);
    assert_eq!(asked(&repo).len(), 2, "the head alone");
    // It is kept by commit: the same tree in another commit has no run yet.
    repo.git(&["commit", "-q", "--amend", "-m", "in other words"]);
    let done = review(&repo, &["--json"]).ended(0);
    assert!(warnings(&done).contains("there is no CI run of this commit"), "{}", done.out);
    assert_eq!(asked(&repo).len(), 1);
    let done = review(&repo, &["--json", "--no-run"]).ended(0);
    assert!(warnings(&done).contains("nobody was asked"), "{}", done.out);
    assert_eq!(asked(&repo).len(), 0);
}

/// The hook, for a push of `topic`.
fn pushed(repo: &TestRepo) -> Done {
    let sha = repo.git(&["rev-parse", "topic"]);
    let zero = "0".repeat(40);
    let mut command = review_command(repo, &["hook", "pre-push", "origin", "nowhere"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let line = format!("refs/heads/topic {sha} refs/heads/topic {zero}\n");
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_hook_uses_what_is_kept_and_asks_nobody() {
    let repo = asking("");
    let sha = topic(&repo);
    ran(&repo, &sha, 12, &[("INJ", "critical", 3)]);
    pushed(&repo).ended(0);
    assert_eq!(asked(&repo).len(), 0);
    let record = std::fs::read_to_string(record_file(&repo, &sha)).unwrap();
    assert!(record.contains("nobody was asked; 'git review-evidence' asks"), "{record}");
    review(&repo, &[]).ended(1);
    asked(&repo);
    std::fs::remove_file(record_file(&repo, &sha)).unwrap();
    let done = pushed(&repo).ended(1);
    assert!(done.err.contains("ci_critical:1>0"), "{}", done.err);
    assert_eq!(asked(&repo).len(), 0);
}

#[test]
fn a_hook_blocks_where_it_is_required_and_was_never_fetched() {
    let repo = asking("quality_required = true");
    let sha = topic(&repo);
    let done = pushed(&repo).ended(1);
    assert!(done.err.contains("nobody was asked"), "{}", done.err);
    ran(&repo, &sha, 12, &[]);
    review(&repo, &[]).ended(0);
    asked(&repo);
    pushed(&repo).ended(0);
    assert_eq!(asked(&repo).len(), 0);
}

#[test]
fn secrets_of_the_environment_stay_there() {
    let repo = asking("");
    let sha = topic(&repo);
    mode(&repo, "echo \"token $GH_TOKEN refused\" >&2; exit 1");
    let with_token = || {
        let mut command = review_command(&repo, &["--json"]);
        command.env("GH_TOKEN", TOKEN).env("GIT_DIR", repo.path.join(".git"));
        run(command)
    };
    let done = with_token().ended(0);
    assert!(warnings(&done).contains("token *** refused"), "{}", done.out);
    let record = std::fs::read_to_string(record_file(&repo, &sha)).unwrap();
    for text in [&done.out, &done.err, &record] {
        assert!(!text.contains(TOKEN), "{text}");
    }
    assert!(asked(&repo).iter().all(|line| !line.contains("GIT_DIR")));
    // It gets the token all the same.
    ran(&repo, &sha, 12, &[]);
    mode(&repo, &format!("[ \"$GH_TOKEN\" = {TOKEN} ] || exit 7"));
    let done = with_token().ended(0);
    assert_eq!(done.json()["metrics"]["ci_quality"]["available"], true);
}

#[test]
fn the_program_may_be_a_file_of_the_tree_and_ci_may_be_all_that_there_is() {
    let repo = project(|_| "[ci]\nquality = [\"sc*\"]\ngh = \"./gh fake\"\n".to_string());
    write_script(&repo.path.join("gh fake"), &GH.replace("$(dirname \"$0\")", ".."), 0o755);
    let sha = repo.commit("a program");
    std::fs::create_dir(repo.beside("ci")).unwrap();
    ran(&repo, &sha, 12, &[("INJ", "critical", 3)]);
    let done = review(&repo, &["--json"]).ended(1);
    assert_eq!(done.json()["verdict"]["block_reasons"], json!(["ci_critical:1>0"]), "{}", done.err);
    repo.git(&["commit", "-q", "--amend", "-m", "not pushed"]);
    let done = review(&repo, &["--json"]).ended(4);
    let said = done.json()["regression_verdict"]["reason"].to_string();
    assert!(said.contains("ci: there is no CI run of this commit"), "{said}");
}

#[test]
fn the_loop_asks_and_no_fixer_may_change_the_program_that_answers() {
    let repo = project(|repo| {
        let fixer = "[[fixer]]\nname = \"f\"\nkinds = [\"ci\"]\nrun = \"echo exit >> 'gh fake'\"\n";
        lint(repo) + fixer + "[ci]\nquality = \"scan\"\ngh = \"./gh fake\"\n"
    });
    write_script(&repo.path.join("gh fake"), &GH.replace("$(dirname \"$0\")", ".."), 0o755);
    let sha = repo.commit("a program");
    std::fs::create_dir(repo.beside("ci")).unwrap();
    ran(&repo, &sha, 12, &[("INJ", "critical", 3)]);
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-fix-evidence"));
    command.arg("--json").env("COUNT", repo.beside("count")).stdin(Stdio::null());
    let report = run(command).ended(1).json();
    assert_eq!(report["escalation"], "protected_path", "{report}");
    assert_eq!(report["log"][0]["reason"], "ci_critical:1>0");
    assert!(asked(&repo).iter().any(|line| line.starts_with("run download 12 ")));
}

#[test]
fn nothing_is_asked_or_said_unless_it_is_configured() {
    let repo = project(|repo| lint(repo) + "[ci]\ngh = \"./none\"\n");
    topic(&repo);
    let done = review(&repo, &["--json"]).ended(0);
    assert_eq!(done.json()["metrics"].get("ci_quality"), None);
    assert!(!done.out.contains("not measured"), "{}", done.out);
}
