//! The manual in `man/` is what the commands say of themselves: pages, completions, help texts.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use git_evidence::cli::args::{Fix, Review};
use git_evidence::host::env::VARIABLES;
use git_evidence::host::exit::Code;

/// Set to 1, the test writes the files instead of comparing them.
const UPDATE: &str = "UPDATE_MANUAL";
const REMEDY: &str = "rewrite the manual with: UPDATE_MANUAL=1 cargo test --test it manual";

fn commands() -> [Command; 2] {
    [Review::command(), Fix::command()]
}

/// Every file of the manual, by its name below `man/`.
fn generated() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let [review, fix] = commands();
    for (command, other) in [(&review, &fix), (&fix, &review)] {
        let name = command.get_name().to_string();
        files.insert(format!("{name}.1"), page::page(command, other.get_name()));
        for (shell, file) in [
            (Shell::Bash, format!("{name}.bash")),
            (Shell::Zsh, format!("_{name}")),
            (Shell::Fish, format!("{name}.fish")),
        ] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), name.clone(), &mut text);
            files.insert(format!("completions/{file}"), String::from_utf8(text).unwrap());
        }
    }
    files
}

/// Names of the files below a folder, relative to it.
fn committed(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                names.insert(name.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    names
}

#[test]
fn the_manual_says_what_the_commands_do() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("man");
    let files = generated();
    if std::env::var_os(UPDATE).is_some_and(|v| v == "1") {
        std::fs::create_dir_all(folder.join("completions")).unwrap();
        for (name, text) in &files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        for stale in committed(&folder).iter().filter(|name| !files.contains_key(*name)) {
            std::fs::remove_file(folder.join(stale)).unwrap();
        }
    }
    for (name, text) in &files {
        let there = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let differs = there.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = differs.unwrap_or(there.lines().count().min(text.lines().count())) + 1;
        assert!(there == *text, "man/{name} differs from line {line} on; {REMEDY}");
    }
    let names: BTreeSet<String> = files.into_keys().collect();
    assert_eq!(committed(&folder), names, "files that nobody generates; {REMEDY}");
}

/// Calls back for a command and all below it, with the path to each.
fn walk(command: &Command, above: &str, look: &mut impl FnMut(&Command, &str)) {
    let name = format!("{above} {}", command.get_name());
    look(command, name.trim());
    for sub in command.get_subcommands() {
        walk(sub, &name, look);
    }
}

#[test]
fn everything_that_can_be_typed_has_a_help_text() {
    let mut wrong = Vec::new();
    let mut look = |command: &Command, path: &str| {
        let mut text = |what: String, help: Option<String>| match help {
            None => wrong.push(format!("{what} has no help text")),
            Some(help) if help.trim().is_empty() => wrong.push(format!("{what}: empty")),
            Some(help) if help.lines().next().is_some_and(|l| l.trim_end().ends_with('.')) => {
                wrong.push(format!("{what}: a summary ends without a full stop"));
            }
            Some(_) => {}
        };
        text(path.to_string(), command.get_about().map(ToString::to_string));
        for argument in command.get_arguments() {
            let what = format!("{path} {}", argument.get_id());
            text(what.clone(), argument.get_help().map(ToString::to_string));
            for value in argument.get_possible_values() {
                let plain = argument.get_num_args().is_some_and(|n| !n.takes_values());
                if !plain && !value.is_hide_set() {
                    text(
                        format!("{what}={}", value.get_name()),
                        value.get_help().map(ToString::to_string),
                    );
                }
            }
        }
    };
    for mut command in commands() {
        command.build();
        walk(&command, "", &mut look);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_lines_hold_together() {
    for command in commands() {
        command.debug_assert();
    }
}

#[test]
fn the_tables_are_part_of_every_page() {
    let numbers: Vec<i32> = Code::ALL.iter().map(|c| *c as i32).collect();
    assert_eq!(numbers, (0..=9).collect::<Vec<_>>(), "one code a number, none left out");
    let files = generated();
    for page in ["git-review-evidence.1", "git-fix-evidence.1"] {
        let text = files[page].replace("\\-", "-");
        for code in Code::ALL {
            let start = code.meaning().split(['\'', ';']).next().unwrap();
            assert!(text.contains(start), "{page} explains {code:?}");
        }
        for variable in VARIABLES {
            assert!(text.contains(variable.name), "{page} names {}", variable.name);
        }
    }
}

#[test]
fn the_short_table_in_the_help_names_every_code() {
    for command in commands() {
        let help = command.get_after_help().expect("exit codes").to_string();
        for code in Code::ALL {
            let n = *code as i32;
            let named = help.split(|c: char| !c.is_ascii_digit()).any(|d| d == n.to_string());
            assert!(named, "{} names {n}", command.get_name());
        }
    }
}
