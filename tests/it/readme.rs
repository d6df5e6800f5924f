//! The README's tour is run as it stands there, and its tables name what there is.

use git_evidence::host::env::VARIABLES;
use git_evidence::host::exit::Code;

use super::support::repo::TestRepo;

const README: &str = include_str!("../../README.md");

/// The texts of all blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_tour_can_be_typed_as_it_stands() {
    let repo = TestRepo::new();
    let wanted = "ruff --version && python3 -m pytest --version && python3 -m coverage --version";
    let there = repo.command("sh").args(["-c", wanted]).output().unwrap();
    if !there.status.success() {
        println!("skipped: ruff, pytest or coverage cannot be had here");
        return;
    }
    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_git-fix-evidence")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let path = [programs.as_os_str(), ":".as_ref(), &path].join("".as_ref());
    let mut script = String::from("set -x\n");
    for (i, block) in blocks("sh").iter().enumerate() {
        script.push_str(&format!("{block}echo block {i} ended with $?\n"));
    }
    let done = repo
        .command("sh")
        .args(["-c", &format!("{{ {script} }} 2>&1")])
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    for (block, code) in [0, 0, 1, 0, 0].iter().enumerate() {
        assert!(said.contains(&format!("block {block} ended with {code}\n")), "{block}\n{said}");
    }
    for part in [
        "git-evidence: the push is blocked",
        "lint_errors:2>0: F401 at price.py:1, F401 at price.py:2",
        "with ruff-fix: ruff check --fix .",
        "Status:        AUTO_APPROVE",
        "* [new branch]      discount -> discount",
        "(checkpoint 1); where it was is checkpoint 2",
        "ruff-fix lint: 1 of 1 kept",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn its_configuration_is_one() {
    for block in blocks("toml") {
        git_evidence::config::Config::parse("README.md", block).unwrap();
    }
    let own = include_str!("../../.git-evidence.toml");
    git_evidence::config::Config::parse(".git-evidence.toml", own).unwrap();
}

#[test]
fn its_tables_name_every_code_and_variable() {
    for code in Code::ALL {
        assert!(README.contains(&format!("\n| {} | ", *code as i32)), "{code:?}");
    }
    for variable in VARIABLES {
        assert!(README.contains(&format!("`{}`", variable.name)), "{}", variable.name);
    }
}
