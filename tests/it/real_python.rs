//! Real tools on a real project: ruff, pytest and coverage measure, `ruff check --fix` and a script
//! repair. Skipped, with a word, where one of them cannot be had.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::support::repo::TestRepo;

/// How the tools are called here.
struct Tools {
    ruff: String,
    python: &'static str,
}

/// The tools, where all of them answer.
fn tools(repo: &TestRepo) -> Option<Tools> {
    let answers = |command: &str| {
        let output = repo.command("sh").args(["-c", command]).output().unwrap();
        output.status.success()
    };
    let python = ["python3", "python"].into_iter().find(|python| {
        answers(&format!("{python} -m pytest --version && {python} -m coverage --version"))
    });
    let Some(python) = python else {
        println!("skipped: pytest and coverage cannot be had here");
        return None;
    };
    let ruff = ["ruff".to_string(), format!("{python} -m ruff")];
    let Some(ruff) = ruff.into_iter().find(|ruff| answers(&format!("{ruff} --version"))) else {
        println!("skipped: ruff cannot be had here");
        return None;
    };
    Some(Tools { ruff, python })
}

/// The configuration; `report` is the word by which coverage writes its report.
fn configuration(tools: &Tools, report: &str) -> String {
    let Tools { ruff, python } = tools;
    format!(
        r#"[policy]
min_coverage = 90.0

[[check]]
name = "ruff"
run = "{ruff} check --output-format=sarif --output-file={{out}}/ruff.sarif ."
reports = ["ruff.sarif"]

[[check]]
name = "tests"
run = """
{python} -m coverage run --data-file={{out}}/data --source=. -m pytest -q --junitxml={{out}}/junit.xml
code=$?
{python} -m coverage {report} --data-file={{out}}/data -o {{out}}/coverage.{report}
exit $code"""
reports = ["junit.xml", "coverage.{report}"]

[[fixer]]
name = "ruff-fix"
kinds = ["lint"]
run = "{ruff} check --fix ."

[[fixer]]
name = "test-writer"
kinds = ["coverage"]
run = "sh tools/write-tests.sh"
"#
    )
}

const MAIN: &[(&str, &str)] = &[
    (".gitignore", "__pycache__/\n.pytest_cache/\n.ruff_cache/\n"),
    (
        "pyproject.toml",
        "[tool.ruff.lint]\nselect = [\"E\", \"F\", \"I\", \"W\"]\n\n\
         [tool.pytest.ini_options]\npythonpath = [\".\"]\n",
    ),
    ("marks.py", "def total(marks):\n    return sum(marks)\n"),
    (
        "test_marks.py",
        "from marks import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    ),
    (
        "tools/write-tests.sh",
        "cat >test_grade.py <<'END'\nimport pytest\n\nfrom marks import grade\n\n\n\
         @pytest.mark.parametrize(\"mark, expected\", [(95, \"A\"), (75, \"B\"), (10, \"F\")])\n\
         def test_grade(mark, expected):\n    assert grade(mark) == expected\nEND\n",
    ),
];

/// Two unused imports, an order of imports that the style forbids, blanks at a line's end; and a
/// function without a test.
const BRANCH: &str = "import sys\nimport os\n\n\ndef total(marks):\n    return sum(marks)  \n\n\n\
def grade(mark):\n    if mark >= 90:\n        return \"A\"\n    if mark >= 60:\n        \
return \"B\"\n    return \"F\"\n";

/// The project with branch `grades` checked out.
fn project(repo: &TestRepo, configuration: &str) {
    repo.write(".git-evidence.toml", configuration);
    for (path, text) in MAIN {
        repo.write(path, text);
    }
    repo.commit("Marks");
    repo.git(&["switch", "-q", "-c", "grades"]);
    repo.write("marks.py", BRANCH);
    repo.commit("Grades");
}

fn run(repo: &TestRepo, program: &str, args: &[&str]) -> Output {
    repo.command(program).args(args).output().unwrap()
}

fn review(repo: &TestRepo, args: &[&str]) -> Output {
    run(repo, env!("CARGO_BIN_EXE_git-review-evidence"), args)
}

fn all(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned()).concat()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", all(output)))
}

fn bare_remote(repo: &TestRepo) -> std::path::PathBuf {
    let remote = repo.beside("remote.git");
    repo.git(&["init", "-q", "--bare", remote.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    repo.git(&["push", "-q", "origin", "main"]);
    remote
}

fn remote_tip(remote: &Path) -> Option<String> {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(remote)
        .args(["rev-parse", "--verify", "-q", "refs/heads/grades"])
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_string())
}

#[test]
fn a_blocked_push_is_repaired_by_real_tools_and_passes() {
    let repo = TestRepo::new();
    let Some(tools) = tools(&repo) else { return };
    project(&repo, &configuration(&tools, "json"));
    let remote = bare_remote(&repo);
    assert_eq!(review(&repo, &["install"]).status.code(), Some(0));

    let push = run(&repo, "git", &["push", "-u", "origin", "grades"]);
    let said = all(&push);
    assert!(!push.status.success(), "{said}");
    for part in ["lint_errors:4>0", "F401", "W291", "I001", "coverage_below_threshold:"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert_eq!(remote_tip(&remote), None);

    let fix = run(&repo, env!("CARGO_BIN_EXE_git-fix-evidence"), &["--json"]);
    assert_eq!(fix.status.code(), Some(0), "{}", all(&fix));
    let report = json(&fix);
    assert_eq!(report["status"], "AUTO_APPROVE");
    let went: Vec<[&str; 3]> = report["log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| ["fixer", "kind", "outcome"].map(|key| e[key].as_str().unwrap()))
        .collect();
    assert_eq!(went, [["ruff-fix", "lint", "kept"], ["test-writer", "coverage", "kept"]]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.text("marks.py").unwrap().contains("import"));

    let push = run(&repo, "git", &["push", "-u", "origin", "grades"]);
    assert!(push.status.success(), "{}", all(&push));
    assert_eq!(remote_tip(&remote), Some(repo.git(&["rev-parse", "HEAD"])));
}

#[test]
fn all_coverage_reports_of_one_tool_lead_to_one_verdict() {
    let mut verdicts = Vec::new();
    for report in ["json", "xml", "lcov"] {
        let repo = TestRepo::new();
        let Some(tools) = tools(&repo) else { return };
        project(&repo, &configuration(&tools, report));
        let output = review(&repo, &["--json"]);
        assert_eq!(output.status.code(), Some(1), "{}", all(&output));
        let record = json(&output);
        verdicts.push((
            record["verdict"]["block_reasons"].clone(),
            record["metrics"]["coverage"]["overall_pct"].clone(),
            record["metrics"]["tests"]["passed"].clone(),
        ));
    }
    assert_eq!(verdicts[0], verdicts[1], "json, xml");
    assert_eq!(verdicts[0], verdicts[2], "json, lcov");
    assert_eq!(verdicts[0].2, 1);
}
