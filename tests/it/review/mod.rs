//! `git review-evidence` as a person runs it, with checks that are scripts.

mod ci;
mod compare;
mod configured;
mod dependencies;
mod drift;
mod kept;
mod outside;
mod partial;
mod stored;
mod verdicts;

use crate::support::cmd::counter;
use crate::support::repo::TestRepo;

/// Prints Ruff's JSON for `findings.txt` (`rule line path`, one finding a line) and counts its runs.
const LINT: &str = r#"echo lint >> "$COUNT"
sep=
printf '['
while read -r rule line path; do
  printf '%s{"code":"%s","filename":"%s","location":{"row":%s,"column":1},"end_location":null,"message":"m"}' "$sep" "$rule" "$path" "$line"
  sep=,
done < findings.txt
printf ']\n'
"#;

/// Prints LCOV for `covered.txt` (`found hit`) about `src/a.py`, and counts its runs.
const COVERAGE: &str = r#"echo coverage >> "$COUNT"
read -r found hit < covered.txt
echo TN:
echo SF:src/a.py
n=1
while [ $n -le $found ]; do
  if [ $n -le $hit ]; then echo "DA:$n,1"; else echo "DA:$n,0"; fi
  n=$((n + 1))
done
echo end_of_record
"#;

/// A `[[check]]` that runs a script beside the repository and reads its output.
fn check(repo: &TestRepo, name: &str, format: &str, script: &str) -> String {
    let path = repo.beside(&format!("{name}.sh"));
    std::fs::write(&path, script).unwrap();
    format!(
        "[[check]]\nname = \"{name}\"\nrun = \"sh '{}'\"\nreports = [\"-\"]\nformat = \"{format}\"\n",
        path.display()
    )
}

fn lint(repo: &TestRepo) -> String {
    check(repo, "lint", "ruff-json", LINT)
}

fn coverage(repo: &TestRepo) -> String {
    check(repo, "coverage", "lcov", COVERAGE)
}

/// `main` with configuration and files, and `topic` checked out on it.
fn project(config: impl Fn(&TestRepo) -> String) -> TestRepo {
    let repo = TestRepo::new();
    base(&repo, &config(&repo));
    repo
}

fn base(repo: &TestRepo, config: &str) {
    assert!(!counter(repo).exists());
    repo.write(".git-evidence.toml", config);
    repo.write("findings.txt", "");
    repo.write("covered.txt", "10 8\n");
    repo.write("src/a.py", lines(10));
    repo.commit("base");
    repo.git(&["switch", "-q", "-c", "topic"]);
}

/// Different lines.
fn lines(n: usize) -> String {
    (1..=n).map(|n| format!("line_{n} = {n}\n")).collect()
}
