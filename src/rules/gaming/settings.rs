//! Settings of tools, compared as what they say: which of two values is the weaker one.
//!
//! `said` reads them. What cannot be read (a configuration that is a program) is not compared: any
//! change of it is for a person. CI has rules of its own in `ci`.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};

use super::ci;
use super::ruler::{is_ci, is_setting};
use super::said::{Said, read};
use super::{Change, File, Hit, Severity, View};

/// Files that list findings which are accepted.
const BASELINES: &[&str] = &[
    ".rubocop_todo.yml",
    "eslint-suppressions.json",
    ".eslint-todo",
    "detekt-baseline.xml",
    "lint-baseline.xml",
    "phpstan-baseline.neon",
    "psalm-baseline.xml",
    "mypy-baseline.txt",
    "baseline.json",
    ".betterer.results",
    ".secrets.baseline",
    "spotbugs-exclude.xml",
    "pmd-suppressions.xml",
    "cppcheck-suppressions.txt",
    "brakeman.ignore",
    ".bulk-suppressions.json",
];

/// Files that list advisories which are accepted.
const AUDITS: &[&str] = &[
    "audit.toml",
    "osv-scanner.toml",
    ".trivyignore",
    ".trivyignore.yaml",
    ".snyk",
    ".nsprc",
    "audit-ci.json",
    "audit-ci.jsonc",
    ".grype.yaml",
    "dependency-check-suppressions.xml",
    "bundler-audit.yml",
    ".auditignore",
];

/// All of them.
pub(super) fn check(view: &View<'_>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = view.files.iter().flat_map(of_file).collect();
    hits.extend(view.files.iter().filter_map(|f| hiding(view.change, f)));
    hits
}

/// AG18: many tools leave out what git ignores, tracked or not.
fn hiding(change: &Change, file: &File<'_>) -> Option<Hit> {
    let path = file.file.diff.new.as_deref()?;
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(f, n)| (f, n));
    if ![".gitignore", ".ignore", ".rgignore", ".prettierignore"].contains(&name) {
        return None;
    }
    let gone: BTreeSet<&str> = file.removed().iter().map(|l| l.text.trim()).collect();
    file.added().iter().filter(|l| !gone.contains(l.text.trim())).find_map(|line| {
        let ignored = Ignored::read(folder, line.text)?;
        let hidden: Vec<&String> = change.tracked.iter().filter(|p| ignored.holds(p)).collect();
        let first = hidden.first()?;
        let more = match hidden.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let text = format!("tools that go by it see {first}{more} no longer");
        Some(Hit::of("AG18", path, text).at(line.number).lines(None, Some(line.text)))
    })
}

/// A line of `.gitignore`, as gitignore(5) reads it.
struct Ignored {
    pattern: GlobMatcher,
    below: GlobMatcher,
}

impl Ignored {
    fn read(folder: &str, line: &str) -> Option<Ignored> {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with(['#', '!']) {
            return None;
        }
        let line = line.strip_prefix('\\').unwrap_or(line);
        let (plain, only_folders) =
            line.strip_suffix('/').map_or((line, false), |plain| (plain, true));
        let root = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let anchored = match plain.strip_prefix('/') {
            Some(rest) => format!("{root}{rest}"),
            None if plain.contains('/') => format!("{root}{plain}"),
            None => format!("{root}**/{plain}"),
        };
        let glob = |text: &str| {
            let built = GlobBuilder::new(text).literal_separator(true).build().ok()?;
            Some(built.compile_matcher())
        };
        let below = glob(&format!("{anchored}/**"))?;
        let pattern = if only_folders { below.clone() } else { glob(&anchored)? };
        Some(Ignored { pattern, below })
    }

    fn holds(&self, path: &str) -> bool {
        self.pattern.is_match(path) || self.below.is_match(path)
    }
}

fn of_file(file: &File<'_>) -> Vec<Hit> {
    let path = file.path();
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let grew = file.added().iter().filter(|l| !l.text.trim().is_empty()).count()
        > file.removed().iter().filter(|l| !l.text.trim().is_empty()).count();
    let line = file.added().first().map(|l| (l.number, l.text.to_string()));
    let at = |hit: Hit| match &line {
        Some((n, text)) => hit.at(*n).lines(None, Some(text)),
        None => hit,
    };
    if BASELINES.contains(&name.as_str()) {
        let text = "more findings are accepted than before";
        return if grew { vec![at(Hit::of("AG19", path, text))] } else { Vec::new() };
    }
    if AUDITS.contains(&name.as_str()) {
        let text = "more advisories are accepted than before";
        return if grew { vec![at(Hit::of("AG32", path, text))] } else { Vec::new() };
    }
    let shared = ["pyproject.toml", "package.json", "cargo.toml", "setup.cfg", "tox.ini"];
    if is_ci(path) {
        return ci::check(file);
    }
    if !is_setting(path) && !shared.contains(&name.as_str()) || test_harness(&name) {
        return Vec::new();
    }
    let (Some(old), Some(new)) =
        (read(&name, file.file.old_text()), read(&name, file.file.new_text()))
    else {
        let text = "settings that cannot be compared were changed";
        return vec![at(Hit::of("AG17", path, text))];
    };
    compare(path, &old, &new)
}

/// Those have a rule of their own.
fn test_harness(name: &str) -> bool {
    [".rspec", "directory.build.props", "directory.build.targets"].contains(&name)
        || name.ends_with(".runsettings")
}

fn compare(path: &str, old: &Said, new: &Said) -> Vec<Hit> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let none = BTreeSet::new();
    let mut hits = Vec::new();
    for key in keys {
        let (before, now) = (old.get(key).unwrap_or(&none), new.get(key).unwrap_or(&none));
        if before == now || !concerns_tools(path, key) {
            continue;
        }
        let shown = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(", ");
        let (rule, weight) = match weaker(key, before, now) {
            Weaker::No => continue,
            Weaker::Threshold => ("AG16", Severity::Reject),
            Weaker::Rules => ("AG17", Severity::Reject),
            Weaker::Scope => ("AG18", Severity::Reject),
            Weaker::Unknown => ("AG17", Severity::Escalate),
        };
        let hit = Hit::of(rule, path, format!("{key} was changed")).weighing(weight);
        hits.push(hit.lines(Some(&shown(before)), Some(&shown(now))));
    }
    hits
}

/// Of files that hold more than settings only the parts of tools count.
fn concerns_tools(path: &str, key: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let parts: &[&str] = match name.as_str() {
        "pyproject.toml" => &[
            "tool.ruff",
            "tool.mypy",
            "tool.pyright",
            "tool.pylint",
            "tool.bandit",
            "tool.pytest",
            "tool.coverage",
            "tool.flake8",
            "tool.black",
            "tool.isort",
        ],
        "package.json" => &[
            "eslintConfig",
            "jest",
            "scripts",
            "lint-staged",
            "c8",
            "nyc",
            "mocha",
            "stylelint",
            "overrides",
            "resolutions",
        ],
        "global.json" => &["test", "msbuild-sdks"],
        "cargo.toml" => &[
            "lints",
            "workspace.lints",
            "workspace.exclude",
            "workspace.default-members",
            "profile",
            "test",
        ],
        _ => return true,
    };
    parts.iter().any(|p| key == *p || key.strip_prefix(p).is_some_and(|rest| rest.starts_with('.')))
}

/// In which way the new value asks for less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weaker {
    /// It asks for as much or more.
    No,
    Threshold,
    Rules,
    Scope,
    /// Nobody knows here.
    Unknown,
}

fn weaker(key: &str, old: &BTreeSet<String>, new: &BTreeSet<String>) -> Weaker {
    let key = key.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| key.contains(w));
    // how an environment is built, not what is looked at
    if key.ends_with("skip_install") || key.ends_with("skip_missing_interpreters") {
        return Weaker::No;
    }
    if let (Some(before), Some(now)) = (level(old), level(new)) {
        return if now < before { Weaker::Rules } else { Weaker::No };
    }
    let (gained, lost) = (new.difference(old).count() > 0, old.difference(new).count() > 0);
    let least = [
        "fail_under",
        "fail-under",
        "failunder",
        "min",
        "threshold",
        "branches",
        "lines",
        "functions",
        "statements",
        "target",
    ];
    let most = [
        "max",
        "complexity",
        "line-length",
        "line_length",
        "retries",
        "retry",
        "reruns",
        "timeout",
    ];
    if let (Some(before), Some(now)) = (number(old), number(new)) {
        // Clippy's thresholds are ceilings, and so is all that is called a maximum.
        let ceiling = has(&most) || key.ends_with("-threshold");
        if ceiling {
            return if now > before { Weaker::Threshold } else { Weaker::No };
        }
        if has(&least) {
            return if now < before { Weaker::Threshold } else { Weaker::No };
        }
        return Weaker::Unknown;
    }
    if has(&least) && number(old).is_some() && new.is_empty() {
        return Weaker::Threshold;
    }
    if let (Some(before), Some(now)) = (flag(old), flag(new)) {
        let loosens = has(&[
            "ignore",
            "skip",
            "allow",
            "passwithnotests",
            "exit_zero",
            "exit-zero",
            "quiet",
            "informational",
        ]);
        return if (before, now) == (loosens, !loosens) { Weaker::No } else { Weaker::Rules };
    }
    if has(&[
        "ignore",
        "exclude",
        "omit",
        "disable",
        "skip",
        "suppress",
        "allow",
        "nowarn",
        "norecursedirs",
        "addopts",
    ]) {
        return if gained { Weaker::Scope } else { Weaker::No };
    }
    if has(&[
        "select",
        "enable",
        "include",
        "source",
        "testpaths",
        "collectcoveragefrom",
        "testmatch",
        "plugins",
        "extends",
        "python_files",
        "checks",
    ]) {
        // what a folder above it covers is not lost
        let covered = |one: &String| new.iter().any(|n| one.starts_with(&format!("{n}/")));
        let lost = lost && !old.difference(new).all(covered);
        return if lost { Weaker::Scope } else { Weaker::No };
    }
    Weaker::Unknown
}

fn only(all: &BTreeSet<String>) -> Option<&str> {
    (all.len() == 1).then(|| all.first().map(String::as_str)).flatten()
}

fn number(all: &BTreeSet<String>) -> Option<f64> {
    only(all)?.trim_end_matches('%').parse().ok()
}

fn flag(all: &BTreeSet<String>) -> Option<bool> {
    match only(all)?.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// How hard a rule bites.
fn level(all: &BTreeSet<String>) -> Option<u8> {
    Some(match only(all)? {
        "off" | "allow" | "none" | "ignore" | "silent" => 0,
        "warn" | "warning" | "suggestion" => 1,
        "error" | "deny" => 2,
        "forbid" => 3,
        _ => return None,
    })
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
