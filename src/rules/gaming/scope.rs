//! Rules over files as such: masks in scripts, harness files, what is marked as generated, what is
//! hidden, secrets, and the size of the change.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;

use super::{Change, File, Hit, Severity, View, regex};
use crate::model::Line;

/// The mode of a symbolic link.
const LINK: u32 = 0o120_000;

/// The mode of a submodule.
const GITLINK: u32 = 0o160_000;

/// Beyond this a person sees that the change is large.
const MANY_FILES: usize = 10;
const MANY_LINES: usize = 400;

/// All of them.
pub(super) fn check(view: &View<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for file in &view.files {
        hits.extend(masks(file));
        hits.extend(harness(file));
        hits.extend(generated(file));
        hits.extend(plumbing(file));
        hits.extend(hidden(file));
        hits.extend(secrets(file));
        hits.extend(flipped(view.change, file));
        hits.extend(super::bodies::check(file));
    }
    hits.extend(super::bodies::special_cases(view));
    hits.extend(size(view));
    hits
}

fn name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase()
}

/// Added lines whose like was not removed.
fn fresh<'a>(file: &File<'a>) -> Vec<Line<'a>> {
    let gone: BTreeSet<&str> = file.removed().iter().map(|l| l.text.trim()).collect();
    file.added().iter().copied().filter(|l| !gone.contains(l.text.trim())).collect()
}

/// Whether a file is a script or tells a tool what to run.
fn runs_things(path: &str) -> bool {
    let name = name(path);
    let ends =
        [".sh", ".bash", ".mk", ".yml", ".yaml", ".gradle", ".ps1", ".bat", ".cmake", ".ini"];
    let names = [
        "makefile",
        "gnumakefile",
        "justfile",
        "package.json",
        "tox.ini",
        "noxfile.py",
        "rakefile",
        "pom.xml",
        "jenkinsfile",
        "taskfile",
        "dockerfile",
        "cmakelists.txt",
        "setup.cfg",
    ];
    ends.iter().any(|e| name.ends_with(e)) || names.contains(&name.as_str()) || !name.contains('.')
}

/// AG21, AG38.
fn masks(file: &File<'_>) -> Vec<Hit> {
    static MASK: OnceLock<Option<Regex>> = OnceLock::new();
    static NARROW: OnceLock<Option<Regex>> = OnceLock::new();
    let mask = r"\|\|\s*(true|:|exit 0|/bin/true)(\s|$|\x22)|;\s*true\s*(\x22|$)|set \+e\b|--no-fail\b|--exit-zero\b|--passWithNoTests|--allow-no-tests|-DskipTests|maven\.test\.(skip|failure\.ignore)|ignoreFailures|continue-on-error:\s*true|allow_failure:\s*true|failOnError[^\w]*false|-Wno-\w|--cap-lints";
    let narrow = r"--deselect\b|--ignore[= ]|\s-k\s|-m\s+.?not\s|--testPathIgnorePatterns|--exclude[= ]|--skip[= ]|-skip\s|--exitfirst|\s--filter\b|--test-name-pattern";
    let Some(path) = file.file.diff.new.as_deref().filter(|p| runs_things(p)) else {
        return Vec::new();
    };
    let found = |rule, pattern: Option<&Regex>, text: &'static str| -> Vec<Hit> {
        let Some(pattern) = pattern else { return Vec::new() };
        let mut had: Vec<Vec<String>> =
            file.removed().iter().filter_map(|l| masked(rule, pattern, l.text)).collect();
        // the same mask on the same command is no news, whatever else of the line is another
        let mut lines = file.added().to_vec();
        lines.retain(|line| {
            let Some(now) = masked(rule, pattern, line.text) else { return false };
            match had.iter().position(|was| *was == now) {
                Some(at) => drop(had.swap_remove(at)),
                None => return true,
            }
            false
        });
        lines
            .into_iter()
            .map(|l| Hit::of(rule, path, text).at(l.number).lines(None, Some(l.text)))
            .collect()
    };
    let mut hits = found("AG21", regex(&MASK, mask), "a failure does not show any more");
    hits.extend(found("AG38", regex(&NARROW, narrow), "fewer tests or files are looked at"));
    hits
}

/// What a line masks: its command, and each mask with the value behind it; none where it has none.
fn masked(rule: &str, pattern: &Regex, line: &str) -> Option<Vec<String>> {
    // what is left out is named behind the option
    let values = |end: usize| {
        if rule != "AG38" {
            return String::new();
        }
        let rest = line[end..].trim_start_matches([' ', '=']);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let value = match quote {
            Some(quote) => rest[1..].split(quote).next(),
            None => rest.split(char::is_whitespace).next(),
        };
        value.unwrap_or_default().to_string()
    };
    let first = pattern.find(line)?;
    let command: Vec<&str> = line[..first.start()].split_whitespace().take(3).collect();
    let masks = pattern.find_iter(line).map(|m| m.as_str().to_string() + " " + &values(m.end()));
    Some(std::iter::once(command.join(" ")).chain(masks).collect())
}

/// AG22: what is loaded before or around every test.
fn harness(file: &File<'_>) -> Option<Hit> {
    static HOOK: OnceLock<Option<Regex>> = OnceLock::new();
    let names = [
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "junit-platform.properties",
        "spec_helper.rb",
        "rails_helper.rb",
        "test_helper.rb",
        ".rspec",
        "jest.setup.js",
        "jest.setup.ts",
        "vitest.setup.ts",
        "setuptests.js",
        "setuptests.ts",
        "build.rs",
        "directory.build.targets",
        "directory.build.props",
        ".npmrc",
    ];
    let path = file.path();
    let lower = name(path);
    let by_name = names.contains(&lower.as_str())
        || [".pth", ".runsettings"].iter().any(|e| lower.ends_with(e))
        || path.starts_with(".cargo/")
        || path.contains("META-INF/services/");
    let line = file.added().iter().find(|l| acts(file, l));
    if by_name && (line.is_some() || file.file.new.is_none()) {
        let text = "it is loaded around every test, so it can make any of them pass";
        let hit = Hit::of("AG22", path, text);
        return Some(match line {
            Some(l) => hit.at(l.number).lines(None, Some(l.text)),
            None => hit,
        });
    }
    let pattern = r"\bpytest_plugins\b|\bPYTEST_ADDOPTS\b|\bNODE_OPTIONS\b|\bRUBYOPT\b|\bLD_PRELOAD\b|\bGOFLAGS\b|\bMAVEN_OPTS\b|\bharness\s*=\s*false|rustc-wrapper|func TestMain\(";
    let hook = regex(&HOOK, pattern)?;
    let line = fresh(file).into_iter().find(|l| hook.is_match(l.text))?;
    let text = "it changes how tests are run";
    Some(Hit::of("AG22", path, text).at(line.number).lines(None, Some(line.text)))
}

/// Whether an added line can do anything: no comment, and not only another version of a package.
fn acts(file: &File<'_>, line: &Line<'_>) -> bool {
    static VERSION: OnceLock<Option<Regex>> = OnceLock::new();
    let version = regex(&VERSION, r"^\s*<(\w*Version)>[\w.*-]*</\w*Version>\s*$");
    let code = file.sides().is_none_or(|(_, new)| new.is_code(line));
    code && !line.text.trim().is_empty() && !version.is_some_and(|v| v.is_match(line.text))
}

/// AG31.
fn generated(file: &File<'_>) -> Option<Hit> {
    static MARK: OnceLock<Option<Regex>> = OnceLock::new();
    let path = file.file.diff.new.as_deref()?;
    let folders = ["vendor/", "gen/", "generated/", "third_party/", "node_modules/", "dist/"];
    let inside = |p: &str| folders.iter().any(|f| p.starts_with(f) || p.contains(&format!("/{f}")));
    if let Some(old) = file.file.diff.old.as_deref().filter(|old| *old != path)
        && inside(path)
        && !inside(old)
    {
        return Some(Hit::of("AG31", path, format!("{old} went to where checks do not look")));
    }
    let pattern =
        r"@generated\b|Code generated .* DO NOT EDIT|<auto-generated|linguist-(generated|vendored)";
    let mark = regex(&MARK, pattern)?;
    // nobody checks those, and their tools write so into them
    let lock = name(path).ends_with(".lock") || name(path).ends_with("-lock.json");
    if lock {
        return None;
    }
    let line = fresh(file).into_iter().find(|l| mark.is_match(l.text))?;
    let text = "checks pass over what is marked so";
    Some(Hit::of("AG31", path, text).at(line.number).lines(None, Some(line.text)))
}

/// AG34: how git itself treats files.
fn plumbing(file: &File<'_>) -> Option<Hit> {
    let path = file.path();
    let modes = [file.file.diff.old_mode, file.file.diff.new_mode];
    if [".gitattributes", ".gitmodules"].contains(&name(path).as_str()) {
        let line = file.added().first().map(|l| l.text.to_string());
        let hit = Hit::of("AG34", path, "it changes what git shows and how");
        return Some(hit.lines(None, line.as_deref()));
    }
    let text = "a submodule was added, taken away or moved";
    modes.contains(&GITLINK).then(|| Hit::of("AG34", path, text))
}

/// AG35.
fn hidden(file: &File<'_>) -> Option<Hit> {
    let new = file.file.new.as_ref()?;
    let added = file.file.old.is_none();
    if new.mode == LINK {
        let target = new.text.as_deref().unwrap_or_default();
        let depth = new.path.matches('/').count();
        let up = target.split('/').filter(|p| *p == "..").count();
        if target.starts_with('/') || up > depth {
            return Some(Hit::of(
                "AG35",
                &new.path,
                format!("a link that leaves the tree, to {target}"),
            ));
        }
    }
    if added && file.file.diff.binary && new.size > 0 {
        let hit = Hit::of("AG35", &new.path, format!("a binary file of {} bytes", new.size));
        return Some(hit.weighing(Severity::Escalate));
    }
    let odd = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{2060}' | '\u{e0001}'..='\u{e007f}');
    let line = fresh(file).into_iter().find(|l| l.text.contains(odd))?;
    let shown: String = line.text.chars().map(|c| if odd(c) { '?' } else { c }).collect();
    let hit = Hit::of("AG35", &new.path, "a character that a reader cannot see");
    Some(hit.at(line.number).lines(None, Some(&shown)))
}

/// AG43. What looks like a secret is not shown again.
fn secrets(file: &File<'_>) -> Option<Hit> {
    static SECRET: OnceLock<Option<Regex>> = OnceLock::new();
    static HOME: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r#"-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bxox[abpr]-[A-Za-z0-9-]{10,}|\bglpat-[\w-]{20,}|(?i)\b(api[_-]?key|secret|passw(or)?d|access[_-]?token)\b\s*[:=]\s*["'][A-Za-z0-9+/_=-]{20,}["']"#;
    let path = file.file.diff.new.as_deref()?;
    let lines = fresh(file);
    if let Some(line) =
        regex(&SECRET, pattern).and_then(|p| lines.iter().find(|l| p.is_match(l.text)))
    {
        return Some(Hit::of("AG43", path, "it looks like a secret").at(line.number));
    }
    let home = r"(^|[\s\x22'=(:])(/home/[a-z][\w.-]*/|/Users/[A-Za-z][\w.-]*/|[A-Z]:\\Users\\)";
    let line = regex(&HOME, home).and_then(|p| lines.iter().find(|l| p.is_match(l.text)))?;
    let hit = Hit::of("AG43", path, "a path of one machine").weighing(Severity::Escalate);
    Some(hit.at(line.number).lines(None, Some(line.text)))
}

/// AG44.
fn flipped(change: &Change, file: &File<'_>) -> Option<Hit> {
    let (old, new) =
        (file.file.old.as_ref()?.text.as_deref()?, file.file.new.as_ref()?.text.as_deref()?);
    let plain = |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let lines = old.lines().count();
    let touched = file.removed().len();
    let whole = touched * 10 > lines * 9 && lines > 1 && old != new && plain(old) == plain(new);
    let asked = change.targets.contains(file.path());
    let text = "every line differs, and only by its end or by the mark at the file's start";
    (whole && !asked).then(|| Hit::of("AG44", file.path(), text))
}

/// AG39.
fn size(view: &View<'_>) -> Option<Hit> {
    let lines: usize = view.files.iter().map(|f| f.added().len() + f.removed().len()).sum();
    let files = view.files.len();
    let large = view.change.kind.is_some() && (files > MANY_FILES || lines > MANY_LINES);
    large.then(|| Hit::of("AG39", "", format!("{files} files and {lines} lines differ")))
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
