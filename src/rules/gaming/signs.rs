//! Rules over signs in source: skips, suppressions, early exits, hijacked comparisons, swallowed
//! errors. Counted net over the whole change, so that moving, reindenting and removing are free.

use std::collections::BTreeMap;

use super::assertions::likeness;
use super::tokens::Source;
use super::{File, Hit, Severity, View};
use crate::model::{Kind, Line};

/// A sign that came or went.
struct Seen<'a> {
    path: &'a str,
    line: Line<'a>,
    said: String,
    /// The file is one of tests, by its name or by what it defines.
    test: bool,
    /// It stands in a test that was added, and more tests came than went.
    new_test: bool,
}

/// What came and went of one sort.
#[derive(Default)]
struct Moved<'a> {
    added: Vec<Seen<'a>>,
    removed: Vec<Seen<'a>>,
}

/// All of them.
pub(super) fn check(view: &View<'_>) -> Vec<Hit> {
    let mut hits = suppressions(view);
    for (rule, key, severity) in [
        ("AG08", "skip", skips as Judge),
        ("AG23", "exit0", exits as Judge),
        ("AG24", "hijack", every as Judge),
        ("AG25", "testaware", outside_tests as Judge),
        ("AG27", "swallow", outside_tests as Judge),
        ("AG36", "patience", in_tests as Judge),
        ("AG37", "dead", every as Judge),
    ] {
        for seen in net(moved(view, key)) {
            if let Some(weight) = severity(&seen) {
                let hit = hit(rule, &seen);
                hits.push(weight.map_or(hit.clone(), |w| hit.weighing(w)));
            }
        }
    }
    hits
}

/// Whether a sign counts, and with which severity where it is not the rule's own.
type Judge = fn(&Seen<'_>) -> Option<Option<Severity>>;

#[allow(clippy::unnecessary_wraps, reason = "one of several judges")]
fn every(_: &Seen<'_>) -> Option<Option<Severity>> {
    Some(None)
}

fn outside_tests(seen: &Seen<'_>) -> Option<Option<Severity>> {
    (!seen.test).then_some(None)
}

fn in_tests(seen: &Seen<'_>) -> Option<Option<Severity>> {
    seen.test.then_some(None)
}

/// A skip in a test that is new beside all the old ones loses nothing yet.
fn skips(seen: &Seen<'_>) -> Option<Option<Severity>> {
    Some(seen.new_test.then_some(Severity::Escalate))
}

/// In a test, or where a module is loaded: a program's own end is its business.
fn exits(seen: &Seen<'_>) -> Option<Option<Severity>> {
    let at_load = !seen.line.text.starts_with([' ', '\t']);
    (seen.test || at_load).then_some(None)
}

fn moved<'a>(view: &View<'a>, key: &str) -> Moved<'a> {
    let mut moved = Moved::default();
    for file in &view.files {
        let Some((old, new)) = file.sides() else { continue };
        moved.added.extend(found(file, new, key, file.added()));
        moved.removed.extend(found(file, old, key, file.removed()));
    }
    moved
}

fn found<'a>(
    file: &File<'a>,
    source: &Source<'a>,
    key: &str,
    lines: &[Line<'a>],
) -> impl Iterator<Item = Seen<'a>> {
    let (path, test) = (file.path(), file.test);
    let found = source.find(key, lines);
    let fresh = if key == "skip" && !found.is_empty() { file.fresh_tests() } else { Vec::new() };
    found.into_iter().map(move |t| {
        let new_test = fresh.iter().any(|range| range.contains(&t.line.number));
        Seen { path, line: t.line, said: t.said, test, new_test }
    })
}

/// What came more often than it went; of equal signs the last ones.
fn net<'a>(moved: Moved<'a>) -> Vec<Seen<'a>> {
    let mut went: BTreeMap<String, usize> = BTreeMap::new();
    for seen in moved.removed {
        *went.entry(seen.said).or_default() += 1;
    }
    let came = moved.added.into_iter().filter(|seen| match went.get_mut(&seen.said) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    });
    came.collect()
}

fn hit(rule: &'static str, seen: &Seen<'_>) -> Hit {
    let message = format!("{} in {}", shortened(&seen.said), words(seen));
    Hit::of(rule, seen.path, message).at(seen.line.number).lines(None, Some(seen.line.text))
}

fn words(seen: &Seen<'_>) -> &'static str {
    if seen.test { "a test" } else { "code" }
}

fn shortened(said: &str) -> String {
    said.chars().take(60).collect()
}

/// A suppression that went.
struct Gone {
    name: String,
    list: Option<Vec<String>>,
    said: String,
    line: String,
}

impl Gone {
    fn of(seen: &Seen<'_>) -> Gone {
        let (name, list) = rules_of(&seen.said);
        Gone { name, list, said: seen.said.clone(), line: seen.line.text.to_string() }
    }
}

/// AG09, AG10: a suppression more, or one that says less about what it suppresses.
fn suppressions(view: &View<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for key in ["suppress", "coverage", "noisy"] {
        let all = moved(view, key);
        let mut gone: Vec<Gone> = all.removed.iter().map(Gone::of).collect();
        for seen in net(all) {
            let aimed =
                view.change.kind == Some(Kind::Lint) && view.change.targets.contains(seen.path);
            // A cast or an `any` is a word of the language unless it answers the finding itself.
            if key == "noisy" && !aimed {
                continue;
            }
            let (name, list) = rules_of(&seen.said);
            let known = |g: &Gone| g.name == name && narrower(list.as_deref(), g.list.as_deref());
            if let Some(at) = gone.iter().position(known) {
                gone.swap_remove(at);
                continue;
            }
            let same = |g: &&Gone| g.name == name && likeness(&g.line, seen.line.text) >= 0.5;
            if let Some(old) = gone.iter().find(same) {
                let text = format!("{} became {}", shortened(&old.said), shortened(&seen.said));
                let wide = Hit::of("AG10", seen.path, text).at(seen.line.number);
                hits.push(wide.lines(Some(&old.line), Some(seen.line.text)));
                continue;
            }
            let hit = hit("AG09", &seen);
            hits.push(if seen.test { hit.weighing(Severity::Escalate) } else { hit });
        }
    }
    hits
}

/// The name of a suppression and the rules that it lists; none where it names none and so means all.
fn rules_of(said: &str) -> (String, Option<Vec<String>>) {
    let at = said.find([':', '(', '[', '=']).filter(|at| *at > 0);
    // `type:ignore[x]`, `eslint-disable-next-linex,y`
    let (name, list) = match at {
        Some(at) if said[..at].ends_with("type") || said[..at].ends_with("ruff") => {
            match said[at + 1..].find([':', '(', '[', '=']) {
                Some(next) => (&said[..=at + next], &said[at + next + 1..]),
                None => (said, ""),
            }
        }
        Some(at) => (&said[..at], &said[at + 1..]),
        None => (said, ""),
    };
    let rules: Vec<String> = list
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '/' | '.')))
        .filter(|r| !r.is_empty())
        .map(str::to_string)
        .collect();
    (name.to_string(), (!rules.is_empty()).then_some(rules))
}

/// Whether the new list suppresses nothing that the old one did not.
fn narrower(new: Option<&[String]>, old: Option<&[String]>) -> bool {
    match (new, old) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(new), Some(old)) => new.iter().all(|r| old.contains(r)),
    }
}

#[cfg(test)]
#[path = "signs_tests.rs"]
mod tests;
