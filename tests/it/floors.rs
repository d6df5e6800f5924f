//! The conventions of this house that no compiler knows: which module may use which, and what
//! stands in no source at all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Floor, module, and all that it may use below it. On one floor nobody uses a neighbour. The
/// narrowest table that holds: who needs more says so here, where it is seen in review.
const FLOORS: &[(u8, &str, &[&str])] = &[
    (0, "model", &[]),
    (1, "rules", &["model"]),
    (1, "formats", &["model"]),
    (2, "config", &["model", "rules", "formats"]),
    (2, "engine", &["model", "rules"]),
    (3, "store", &["model", "rules"]),
    (3, "process", &["model"]),
    (4, "git", &["model", "process"]),
    (5, "measure", &["model", "rules", "formats", "config", "git", "store", "process"]),
    (6, "host", &["model", "rules", "config", "git", "store", "process", "measure"]),
    (
        7,
        "repair",
        &["model", "rules", "config", "engine", "git", "store", "process", "measure", "host"],
    ),
    (7, "hook", &["model", "rules", "config", "git", "store", "process", "measure", "host"]),
    (7, "report", &["model", "rules"]),
    (7, "demo", &["model", "host", "process"]),
    (
        8,
        "cli",
        &[
            "model", "rules", "formats", "config", "engine", "git", "store", "process", "measure",
            "host", "repair", "hook", "report", "demo",
        ],
    ),
];

/// What the two programs may name of the library.
const PROGRAMS: &[&str] = &["cli", "process"];

/// Modules whose clippy refuses files, the clock, the environment and processes.
const PURE: &[&str] = &["model", "rules", "formats", "config", "engine"];

/// Longer than 500 lines, each with the reason. None is the goal.
const LONG_FILES: &[(&str, &str)] =
    &[("src/repair/session.rs", "a run from its lock to its report; it is to be split")];

/// The two calls that take away a linked worktree of our own.
const FORCED: (&str, &str) =
    ("src/git/worktree.rs", r#"self.write(&["worktree", "remove", "--force", "--force", "--"])"#);

/// Pauses of a loop that asks again until a deadline; nothing else in the tests waits.
const POLLS: &[&str] = &["tests/it/process/mod.rs", "tests/it/support/wait.rs"];

/// One source file.
struct Source {
    /// From the root of the package, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The lines that are no comment, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(i, line)| (i + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The same without tests.
    fn product(&self) -> Vec<(usize, &str)> {
        if self.path.ends_with("_tests.rs") || self.path.ends_with("/samples.rs") {
            return Vec::new();
        }
        let mut tests = false;
        let mut marked = false;
        let mut kept = Vec::new();
        for (number, line) in self.code() {
            if marked && line.starts_with("mod ") && line.ends_with('{') {
                tests = true;
            }
            if !tests {
                kept.push((number, line));
            }
            tests = tests && line != "}";
            marked = line == "#[cfg(test)]";
        }
        kept
    }

    /// The module below `src`.
    fn module(&self) -> &str {
        let rest = self.path.strip_prefix("src/").expect("a file of src");
        rest.split(['/', '.']).next().unwrap_or(rest)
    }
}

/// Cargo tells a test where its package lies.
fn root() -> PathBuf {
    let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    told.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into())
}

/// Every Rust file below a folder of the package, sorted.
fn sources(folder: &str) -> Vec<Source> {
    let root = root();
    let mut open = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no source in {folder}");
    found
}

/// Fails with all of it.
fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

/// `module` and `module::next` of every path that starts with a prefix.
fn paths<'a>(line: &'a str, prefix: &str) -> Vec<(&'a str, String)> {
    let word = |text: &'a str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        &text[..end]
    };
    let after = line.match_indices(prefix).map(|(at, _)| &line[at + prefix.len()..]);
    let two = |rest: &'a str| {
        let first = word(rest);
        let second = rest[first.len()..].strip_prefix("::").map(word).unwrap_or_default();
        (first, format!("{first}::{second}"))
    };
    after.map(two).collect()
}

#[test]
fn modules_use_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for source in sources("src") {
        let module = source.module();
        if matches!(module, "lib" | "bin") {
            continue;
        }
        let row = FLOORS.iter().find(|(_, name, _)| *name == module);
        let (_, _, below) = row.unwrap_or_else(|| panic!("{module} has no floor in this table"));
        for (number, line) in source.code() {
            for (used, exact) in paths(line, "crate::") {
                let fine = used == module
                    || below.contains(&used)
                    || used.chars().next().is_some_and(char::is_uppercase);
                if !fine {
                    wrong.push(format!("{}:{number} uses {exact}", source.path));
                }
            }
            if line.contains("super::super::") {
                wrong.push(format!("{}:{number} goes up twice; write crate::", source.path));
            }
        }
    }
    none("imports that do not point down", &wrong);
}

#[test]
fn the_table_itself_points_down() {
    let floor = |name: &str| {
        let row = FLOORS.iter().find(|(_, module, _)| *module == name);
        row.unwrap_or_else(|| panic!("{name} is in the table")).0
    };
    for (own, module, below) in FLOORS {
        for used in *below {
            assert!(floor(used) < *own, "{module} is on floor {own}, {used} on {}", floor(used));
        }
    }
}

#[test]
fn a_module_that_says_its_floor_says_the_right_one() {
    for (floor, module, _) in FLOORS {
        let path = root().join(format!("src/{module}/mod.rs"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(said) = text.strip_prefix("//! Floor ") {
            assert_eq!(said.split(',').next(), Some(floor.to_string().as_str()), "{module}");
        }
    }
}

#[test]
fn the_programs_only_call_the_command_line() {
    let mut wrong = Vec::new();
    for source in sources("src/bin") {
        for (number, line) in source.code() {
            let used = paths(line, "git_evidence::");
            let strange = used.iter().filter(|(module, _)| !PROGRAMS.contains(module));
            wrong.extend(strange.map(|(m, _)| format!("{}:{number} uses {m}", source.path)));
        }
    }
    none("programs that do more than call", &wrong);
}

#[test]
fn the_pure_modules_refuse_the_world() {
    for module in PURE {
        let text = std::fs::read_to_string(root().join(format!("src/{module}/mod.rs"))).unwrap();
        assert!(text.contains("#![deny(clippy::disallowed_methods)]"), "{module}");
    }
}

#[test]
fn every_file_says_first_what_it_is() {
    let all = sources("src").into_iter().chain(sources("tests"));
    let undocumented = |s: &Source| !s.text.starts_with("//! ");
    let wrong: Vec<String> = all.filter(undocumented).map(|s| s.path).collect();
    none("files without a module doc in their first line", &wrong);
}

#[test]
fn files_and_functions_stay_short() {
    let mut wrong = Vec::new();
    for source in sources("src").iter().chain(&sources("tests")) {
        let lines: Vec<&str> = source.text.lines().collect();
        let excused = LONG_FILES.iter().any(|(path, why)| *path == source.path && !why.is_empty());
        if lines.len() > 500 && !excused {
            wrong.push(format!("{}: {} lines, at most 500", source.path, lines.len()));
        }
        for (number, length) in functions(&lines) {
            if length > 100 {
                wrong.push(format!("{}:{number}: a function of {length} lines", source.path));
            }
        }
    }
    none("too long", &wrong);
}

/// First line and length of each function; the sources are formatted, so a function ends with the
/// first closing brace of its own indent.
fn functions(lines: &[&str]) -> Vec<(usize, usize)> {
    let starts = lines.iter().enumerate().filter(|(_, line)| {
        let words = line.split_whitespace();
        let before_fn = words.take_while(|w| *w != "fn").collect::<Vec<_>>();
        let qualifier = |w: &&str| w.starts_with("pub") || ["const", "unsafe", "async"].contains(w);
        line.contains("fn ") && before_fn.iter().all(|w| qualifier(w) || w.starts_with("super)"))
    });
    starts
        .filter_map(|(at, line)| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            let length = lines[at..].iter().position(|l| *l == end)?;
            Some((at + 1, length + 1))
        })
        .collect()
}

/// Lines of the product that contain a text.
fn lines_with(needles: &[&str], allowed: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources("src") {
        for (number, line) in source.product() {
            if needles.iter().any(|n| line.contains(n)) && !allowed(&source.path, line) {
                found.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    found
}

#[test]
fn nothing_prints_beside_the_console_or_is_left_undone() {
    let macros =
        ["println!", "eprintln!", " print!(", " eprint!(", "dbg!(", "todo!(", "unimplemented!("];
    none("text that goes past the console, or is unfinished", &lines_with(&macros, |_, _| false));
}

#[test]
fn the_product_never_unwraps() {
    none("unwrap (expect with the reason is allowed)", &lines_with(&[".unwrap()"], |_, _| false));
}

#[test]
fn each_dangerous_tool_is_held_in_one_place() {
    let of_git = lines_with(&["git2::"], |path, _| path.starts_with("src/git/"));
    none("git2 outside the git adapter", &of_git);
    // The demo plays the person, who types commands.
    let starts =
        |path: &str, _: &str| path.starts_with("src/process/") || path == "src/demo/stage.rs";
    none("programs started elsewhere", &lines_with(&["Command::new"], starts));
    // The demo hands a few variables of its caller on to the person it plays.
    let reads = |path: &str, _: &str| ["src/host/env.rs", "src/demo/stage.rs"].contains(&path);
    let variables = lines_with(&["env::var(", "env::var_os("], reads);
    none("variables that the manual does not name", &variables);
    let locks: BTreeSet<String> = sources("src")
        .iter()
        .filter(|s| s.product().iter().any(|(_, line)| line.contains("fs2::")))
        .map(|s| s.path.clone())
        .collect();
    assert_eq!(locks, BTreeSet::from(["src/store/lock.rs".to_string()]), "who takes file locks");
}

#[test]
fn git_is_never_told_to_destroy_or_to_push() {
    let words = [
        "\"push\"",
        "\"--force\"",
        "\"--force-with-lease\"",
        "\"--force-if-includes\"",
        "\"--mirror\"",
        "\"--hard\"",
        "\"--merge\"",
        "\"stash\"",
        "\"clean\"",
        "\"gc\"",
        "\"prune\"",
        "reset --hard",
        "clean -",
        "push -",
    ];
    // The demo plays the person, who pushes to a remote of the same throw-away folder. The reader of
    // an agent's commands knows git's words and, being pure, can start nothing.
    let forced = |path: &str, line: &str| {
        path.starts_with("src/hook/command/")
            || (path == FORCED.0 && line.contains(FORCED.1))
            || (path == "src/demo/mod.rs" && line.contains("&[\"git\", \"push\", "))
    };
    none("words that git must not hear", &lines_with(&words, forced));
    let source = sources("src").into_iter().find(|s| s.path == FORCED.0).expect(FORCED.0);
    let n = source.product().iter().filter(|(_, line)| line.contains(FORCED.1)).count();
    assert_eq!(n, 2, "the exception is as narrow as it can be");
}

#[test]
fn no_test_is_switched_off_or_waits_for_luck() {
    let ignored = concat!("#[", "ignore");
    let sleep = concat!("thread::", "sleep");
    let mut wrong = Vec::new();
    for source in sources("src").iter().chain(&sources("tests")) {
        let in_tests = source.path.starts_with("tests/");
        let may_poll = usize::from(POLLS.contains(&source.path.as_str()));
        let mut sleeps = 0;
        for (number, line) in source.code() {
            sleeps += usize::from(line.contains(sleep));
            if line.contains(ignored) || (in_tests && line.contains(sleep) && sleeps > may_poll) {
                wrong.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none("tests that do not run, or wait a fixed time", &wrong);
}

#[test]
fn no_test_file_is_forgotten() {
    let main = std::fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    let mut wrong = Vec::new();
    for source in sources("tests/it") {
        let path = Path::new(&source.path);
        let folder = path.parent().unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let (parent, name) = match stem {
            "main" => continue,
            "mod" => (folder.parent().unwrap(), folder.file_name().unwrap().to_str().unwrap()),
            _ => (folder, stem),
        };
        let declared = |text: &str| {
            text.lines().any(|l| l.trim_start_matches("pub(crate) ") == format!("mod {name};"))
        };
        let of_main = source.path.strip_prefix("tests/it/").unwrap();
        let by_path = main.contains(&format!("#[path = \"{of_main}\"]"));
        let read = |file: PathBuf| std::fs::read_to_string(root().join(file)).unwrap_or_default();
        let texts = [
            read(parent.join("mod.rs")),
            read(parent.join("main.rs")),
            read(parent.with_extension("rs")),
        ];
        if !by_path && !texts.iter().any(|t| declared(t)) {
            wrong.push(source.path.clone());
        }
    }
    none("test files that no module names, so that they never run", &wrong);
}
