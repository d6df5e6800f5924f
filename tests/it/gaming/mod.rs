//! Fixers that only silence a check, and honest ones, through the real command (X-1).
//!
//! The check believes everything: the branch's commit has a finding, and any other content has none.
//! So each fixer would get through if only the check decided; what stops it are the rules.

mod languages;
mod reports;
mod tricks;
mod waivers;

use std::path::Path;

use crate::support::cmd::{Done, run};
use crate::support::repo::TestRepo;

/// What a fixer does to one file: its content before, and after; none where there is no such file.
pub(crate) type Edit = (&'static str, Option<String>, Option<String>);

/// A fixer.
pub(crate) struct Case {
    pub(crate) name: String,
    /// `lint`, `tests`, `coverage`, `complexity`.
    pub(crate) kind: &'static str,
    pub(crate) edits: Vec<Edit>,
}

/// A fixer that edits one file.
pub(crate) fn edit(
    name: impl Into<String>,
    kind: &'static str,
    path: &'static str,
    (before, after): (&str, &str),
) -> Case {
    let edits = vec![(path, Some(before.to_string()), Some(after.to_string()))];
    Case { name: name.into(), kind, edits }
}

/// How a run ended, and whether anything of the fixer is on the branch.
pub(crate) struct Outcome {
    pub(crate) done: Done,
    pub(crate) kept: bool,
}

/// A report for each side, in the format of the case's kind: with what blocks, and without.
fn report(kind: &str, path: &str) -> (&'static str, String, String) {
    match kind {
        "tests" => (
            "junit",
            "<testsuite><testcase name='other'/><testcase name='a'><failure message='1729 is not 4104'/></testcase></testsuite>".into(),
            "<testsuite><testcase name='other'/><testcase name='a'/></testsuite>".into(),
        ),
        "coverage" => {
            let lcov = |hit: u32| {
                let lines: String =
                    (1..=3).map(|n| format!("DA:{n},{}\n", u32::from(n <= hit))).collect();
                format!("SF:base.txt\n{lines}end_of_record\n")
            };
            ("lcov", lcov(0), lcov(3))
        }
        "complexity" => {
            let row = |n: u32| format!("9,{n},9,1,9,\"f@1-9@{path}\",\"{path}\",\"f\",\"f( )\",1,9\n");
            ("lizard-csv", row(40), row(4))
        }
        _ => (
            "ruff-json",
            format!(
                r#"[{{"code":"E1","filename":"{path}","location":{{"row":1,"column":1}},"end_location":null,"message":"m"}}]"#
            ),
            "[]".into(),
        ),
    }
}

/// Sets the branch up and lets the fixer run.
pub(crate) fn play(case: &Case, guard: &str) -> Outcome {
    play_args(case, guard, &[])
}

fn play_args(case: &Case, guard: &str, args: &[&str]) -> Outcome {
    let repo = TestRepo::new();
    let path = case.edits.first().map_or("base.txt", |e| e.0);
    let (format, blocked, clean) = report(case.kind, path);
    set_up(&repo, case, guard, (format, &blocked, &clean));
    ran(&repo, args)
}

/// The same with reports of one's own.
pub(crate) fn play_with(
    repo: &TestRepo,
    case: &Case,
    guard: &str,
    reports: (&str, &str, &str),
) -> Outcome {
    set_up(repo, case, guard, reports);
    ran(repo, &[])
}

fn set_up(repo: &TestRepo, case: &Case, guard: &str, (format, blocked, clean): (&str, &str, &str)) {
    let beside = |name: &str| repo.beside(name);
    std::fs::write(beside("blocked"), blocked).unwrap();
    std::fs::write(beside("clean"), clean).unwrap();
    let check = "if git diff --quiet \"$(cat \"$D/sha\")\" HEAD --; then cat \"$D/blocked\"; \
                 else cat \"$D/clean\"; fi\n";
    let dir = beside("");
    let dir = dir.display();
    std::fs::write(beside("check.sh"), format!("D='{dir}'\n{check}")).unwrap();
    std::fs::write(beside("fixer.sh"), fixer(case, &beside("after"))).unwrap();
    let config = format!(
        "[policy]\nmin_coverage = 60.0\n[policy.hard_floors]\nsecurity = 0\n{guard}\n\
         [[check]]\nname = \"check\"\nrun = \"sh '{dir}/check.sh'\"\nreports = [\"-\"]\nformat = \"{format}\"\n\
         [[fixer]]\nname = \"fixer\"\nkinds = [\"{}\"]\nrun = \"sh '{dir}/fixer.sh'\"\n",
        case.kind
    );
    repo.write(".git-evidence.toml", config);
    repo.write("base.txt", "1\n2\n3\n");
    let base = repo.commit("base");
    std::fs::write(beside("sha"), &base).unwrap();
    repo.git(&["switch", "-q", "-c", "topic"]);
    for (path, before, _) in &case.edits {
        if let Some(text) = before {
            repo.write(path, text);
        }
    }
    repo.write("work.txt", "work\n");
    let start = repo.commit("work");
    std::fs::write(beside("sha"), &start).unwrap();
}

fn ran(repo: &TestRepo, args: &[&str]) -> Outcome {
    let start = std::fs::read_to_string(repo.beside("sha")).unwrap();
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-fix-evidence"));
    command.args(args).stdin(std::process::Stdio::null());
    let done = run(command);
    let kept = repo.git(&["rev-parse", "topic"]) != start;
    Outcome { done, kept }
}

/// Puts the files that the fixer is to leave beside the repository, and a script that copies them.
fn fixer(case: &Case, after: &Path) -> String {
    let mut script = "set -e\n".to_string();
    for (path, _, text) in &case.edits {
        let kept = after.join(path);
        match text {
            None => script.push_str(&format!("rm '{path}'\n")),
            Some(text) => {
                std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
                std::fs::write(&kept, text).unwrap();
                script.push_str(&format!(
                    "mkdir -p \"$(dirname '{path}')\"; cat '{}' > '{path}'\n",
                    kept.display()
                ));
            }
        }
    }
    script
}

/// Plays all and prints the rate; each dishonest one has to be stopped, each honest one kept.
pub(crate) fn all(cases: &[Case], honest: bool) {
    let mut wrong = Vec::new();
    for case in cases {
        // One look is enough to see that a trick is seen through.
        let args: &[&str] = if honest { &[] } else { &["--max-iter", "1"] };
        let Outcome { done, kept } = play_args(case, "", args);
        let ruled = ["rejected: AG", "for a person to decide: AG", "protected_path"];
        let by_rule = ruled.iter().any(|r| done.err.contains(r) || done.out.contains(r));
        let right = if honest { kept && done.code == 0 } else { !kept && by_rule };
        if !right {
            wrong.push(format!("{} ({}): {}\n{}", case.name, done.code, done.out, done.err));
        }
    }
    let word = if honest { "honest fixers kept" } else { "dishonest fixers stopped" };
    #[allow(clippy::print_stdout, reason = "the rate is the result")]
    {
        println!("{word}: {} of {}", cases.len() - wrong.len(), cases.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
