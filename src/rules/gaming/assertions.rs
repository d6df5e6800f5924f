//! Rules over tests: deleted ones, lost and weakened assertions, edited expectations, tests that
//! assert nothing, snapshots rewritten.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;

use super::ruler::is_test_path;
use super::tokens::Source;
use super::{Change, File, Hit, Severity, View, regex};
use crate::model::{Kind, Line};

/// All of them.
pub(super) fn check(view: &View<'_>) -> Vec<Hit> {
    let change = view.change;
    let tests: Vec<&File<'_>> = view.files.iter().filter(|f| has_tests(f)).collect();
    let defined = balance(&tests, "testdef");
    let asserted = balance(&tests, "assert");
    let mut hits = deleted(view, defined);
    if asserted < 0 && defined >= 0 {
        hits.extend(lost(change, &tests, asserted));
    }
    if defined > 0 && asserted <= 0 {
        hits.extend(hollow(&tests));
    }
    for file in &tests {
        hits.extend(pairs(change, file));
        hits.extend(tautologies(file));
        hits.extend(commented_out(file));
    }
    hits.extend(view.files.iter().filter_map(|f| snapshot(change, f)));
    hits
}

fn has_tests(file: &File<'_>) -> bool {
    if file.test {
        return true;
    }
    let Some((old, new)) = file.sides() else { return false };
    // Rust keeps tests beside the code.
    let defines =
        |source: &Source<'_>, text: &str| !source.find("testdef", &every_line(text)).is_empty();
    defines(old, file.file.old_text()) || defines(new, file.file.new_text())
}

pub(super) fn every_line(text: &str) -> Vec<Line<'_>> {
    text.split('\n').zip(1..).map(|(text, number)| Line { number, text }).collect()
}

/// Signs of one sort that came, minus those that went, over all tests: moving one is free.
fn balance(tests: &[&File<'_>], key: &str) -> i64 {
    let of = |file: &&File<'_>| {
        let Some((old, new)) = file.sides() else { return 0 };
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        count(new.find(key, file.added()).len()) - count(old.find(key, file.removed()).len())
    };
    tests.iter().map(of).sum()
}

/// AG02.
fn deleted(view: &View<'_>, defined: i64) -> Vec<Hit> {
    let mut hits = Vec::new();
    for file in &view.files {
        let Some(old) = file.file.diff.old.as_deref().filter(|p| is_test_path(p)) else { continue };
        let held = file.sides().is_some_and(|(old, _)| {
            !old.find("testdef", &every_line(file.file.old_text())).is_empty()
        });
        match file.file.diff.new.as_deref() {
            None if held && defined < 0 => {
                let hit = Hit::of("AG02", old, "the file and its tests are gone");
                // with what it tested, which a person has to want
                let with_code = view.files.iter().any(|f| f.file.new.is_none() && tested(old, f));
                hits.push(if with_code { hit.weighing(Severity::Escalate) } else { hit });
            }
            Some(new) if held && !is_test_path(new) => {
                hits.push(Hit::of("AG02", old, format!("no runner looks for tests in {new}")));
            }
            _ => {}
        }
    }
    hits
}

/// Whether a file is what a test of this name tests.
fn tested(test: &str, file: &File<'_>) -> bool {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
        name.to_ascii_lowercase()
    };
    let own = stem(test);
    let ends = ["_test", "_spec", "test", "tests", "spec"];
    let plain = ends.iter().find_map(|e| own.strip_suffix(e)).or_else(|| own.strip_prefix("test_"));
    !file.test && plain.is_some_and(|p| !p.is_empty() && p == stem(file.path()))
}

/// AG11.
fn lost(change: &Change, tests: &[&File<'_>], balance: i64) -> Option<Hit> {
    let loser = tests.iter().min_by_key(|f| self::balance(&[f], "assert"))?;
    let (old, _) = loser.sides()?;
    let gone = old.find("assert", loser.removed());
    let first = gone.first()?;
    let text = format!("{} fewer than before, and no test fewer", -balance);
    let hit = Hit::of("AG11", loser.path(), text).lines(Some(first.line.text), None);
    let target = change.kind == Some(Kind::Tests);
    Some(if target { hit.weighing(Severity::Reject) } else { hit })
}

/// AG15: tests that only run code. An assertion may stand on a line that was there before, or in a
/// helper that is called so or that is given the test's own `t`.
fn hollow(tests: &[&File<'_>]) -> Option<Hit> {
    static HELPER: OnceLock<Option<Regex>> = OnceLock::new();
    // a statement that calls it, not a definition, a string or a word in another call
    let helper = r"(?i)^\s*(await\s+|self\.|this\.|\w+\.|\w+::)*\w*(assert|verify|expect)\w*\s*!?\s*\(.*[^{:]$|^\s*\w+(\.\w+)*\((t\s*,.*|.*,\s*t)\)\s*$";
    let helper = regex(&HELPER, helper)?;
    tests.iter().find_map(|file| {
        let (_, new) = file.sides()?;
        let lines = every_line(file.file.new_text());
        let starts: Vec<u32> = new.find("testdef", &lines).iter().map(|t| t.line.number).collect();
        let asserts = |at: u32| {
            let next = starts.iter().copied().find(|s| *s > at).unwrap_or(u32::MAX);
            let body: Vec<Line<'_>> =
                lines.iter().filter(|l| (at..next).contains(&l.number)).copied().collect();
            let calls = |l: &Line<'_>| {
                l.number > at && new.is_code(l) && helper.is_match(l.text.trim_end())
            };
            !new.find("assert", &body).is_empty() || body.iter().any(calls)
        };
        let first =
            new.find("testdef", file.added()).into_iter().find(|t| !asserts(t.line.number))?;
        let text = "tests were added, and they assert nothing";
        let hit = Hit::of("AG15", file.path(), text).at(first.line.number);
        Some(hit.lines(None, Some(first.line.text)))
    })
}

/// AG15: an assertion that holds whatever the code does.
fn tautologies(file: &File<'_>) -> Vec<Hit> {
    static TRUE: OnceLock<Option<Regex>> = OnceLock::new();
    static TWO: OnceLock<Option<Regex>> = OnceLock::new();
    let literal = r"(?i)^\s*(assert!?|self\.assertTrue|assertTrue|assert\.(True|ok|isTrue)|expect_true|assert_true|check|require)\s*\(?\s*(t\s*,\s*)?(true|1\s*==\s*1)\s*[,)]?|expect\(\s*true\s*\)\.(toBe\(\s*true|toBeTruthy|toEqual\(\s*true)";
    let two = r"(?:assert_eq!|assertEquals?|self\.assertEqual|assert\.(?:equal|Equal|strictEqual|AreEqual)|EXPECT_EQ|ASSERT_EQ|assert_equal)\s*\(?\s*(?:t\s*,\s*)?([\w.\[\]]+)\s*,\s*([\w.\[\]]+)\s*[,)]?|expect\(\s*([\w.\[\]]+)\s*\)\.(?:toBe|toEqual|to\.equal)\(\s*([\w.\[\]]+)\s*\)|^\s*assert\s+([\w.]+)\s*==\s*([\w.]+)\s*(?:#.*)?$";
    let (Some(literal), Some(two)) = (regex(&TRUE, literal), regex(&TWO, two)) else {
        return Vec::new();
    };
    let same = |text: &str| {
        two.captures(text).is_some_and(|c| {
            let pairs = [(1, 2), (3, 4), (5, 6)];
            pairs.iter().any(|(a, b)| match (c.get(*a), c.get(*b)) {
                (Some(a), Some(b)) => a.as_str() == b.as_str(),
                _ => false,
            })
        })
    };
    let gone: BTreeSet<&str> = file.removed().iter().map(|l| l.text.trim()).collect();
    let added = file.added();
    let hollow = added.iter().filter(|l| literal.is_match(l.text) || same(l.text));
    hollow
        .filter(|l| !gone.contains(l.text.trim()))
        .map(|l| {
            Hit::of("AG15", file.path(), "it holds whatever the code does")
                .at(l.number)
                .lines(None, Some(l.text))
        })
        .collect()
}

/// AG12, AG13: lines of one hunk that say the same thing less strictly, or with another value.
fn pairs<'a>(change: &Change, file: &File<'a>) -> Vec<Hit> {
    let Some((old, new)) = file.sides() else { return Vec::new() };
    let mut hits = Vec::new();
    for hunk in file.file.diff.hunks.iter().filter(|h| h.old_len > 0 && h.new_len > 0) {
        let asserts = |source: &Source<'a>, lines: &[Line<'a>]| {
            let found = source.find("assert", lines).into_iter();
            found.map(|t| (t.line, words(t.line.text))).collect::<Vec<_>>()
        };
        let before = asserts(old, file.removed_in(hunk));
        let mut after = asserts(new, file.added_in(hunk));
        for (line, said) in &before {
            let near = after
                .iter()
                .enumerate()
                .map(|(at, (_, now))| (in_common(said, now), at))
                .filter(|(like, _)| *like >= 0.5)
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, at)) = near else { continue };
            let (now, _) = after.remove(at);
            hits.extend(weakened(change, file, line, &now));
        }
    }
    hits
}

fn words(text: &str) -> Vec<&str> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut all: Vec<&str> = split.filter(|w| !w.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Words in common over the words of the shorter.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    in_common(&words(a), &words(b))
}

/// Both without repetitions and in order.
fn in_common(a: &[&str], b: &[&str]) -> f64 {
    let least = a.len().min(b.len());
    let (mut i, mut j, mut same) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, same) = (i + 1, j + 1, same + 1),
        }
    }
    if least == 0 { 0.0 } else { f64::from(same) / least as f64 }
}

fn weakened(change: &Change, file: &File<'_>, old: &Line<'_>, new: &Line<'_>) -> Option<Hit> {
    let at = |hit: Hit| hit.at(new.number).lines(Some(old.text), Some(new.text));
    let sizes = counts(old.text) && counts(new.text);
    let weaker = match (strictness(old.text), strictness(new.text)) {
        _ if sizes => counts_exactly(old.text) && !counts_exactly(new.text),
        (Some(before), Some(now)) => now < before,
        _ => false,
    };
    if weaker {
        return Some(at(Hit::of("AG12", file.path(), "it accepts more than it did")));
    }
    let (plain_old, plain_new) = (without_literals(old.text), without_literals(new.text));
    let edited = plain_old == plain_new && old.text.trim() != new.text.trim();
    let aimed = change.kind == Some(Kind::Tests) && names_target(change, file, new.number);
    (edited && aimed).then(|| {
        at(Hit::of("AG13", file.path(), "the value that the failing test expects is another one"))
    })
}

/// Whether an assertion is about how many there are: in other words it says the same.
fn counts(text: &str) -> bool {
    let words = [
        "hasSize(",
        "toHaveLength(",
        "HaveCount(",
        "len(",
        ".size()",
        ".length",
        ".len()",
        ".Count",
    ];
    words.iter().any(|w| text.contains(w))
}

/// Whether it says how many, and not only that it is some or more.
fn counts_exactly(text: &str) -> bool {
    let loose = ["<", ">", "Greater", "Less", "!=", "not", "Not", "NE(", "Contain"];
    counts(text) && !loose.iter().any(|w| text.contains(w))
}

/// How much an assertion pins down; none where it is none of a known sort.
fn strictness(text: &str) -> Option<u8> {
    static SORTS: OnceLock<Vec<(u8, Regex)>> = OnceLock::new();
    let sorts = SORTS.get_or_init(|| {
        [
            (1, r"toThrow\(\s*\)|raises\(\s*(Base)?Exception\s*\)|assertRaises\(\s*(Base)?Exception\b|\.is_ok\(\)|\.is_some\(\)|\.is_err\(\)|toBeDefined|toBeTruthy|assertIsNotNone|is not None\s*$|assertNotNull|NotNil\(|isNotNull\(|isinstance\(|IsType|matches!\(|assertTrue\(|assert_true|EXPECT_TRUE|ASSERT_TRUE|EXPECT_NE|assertNotEqual|assert_ne!|\.not\.toBe\(|!="),
            (2, r"approx|assertAlmostEqual|toBeCloseTo|InDelta|EXPECT_NEAR|toContain|assertIn\(|\bin\b|contains\(|Contains\(|startswith|starts_with|toMatch\(|match\(|toMatchObject|objectContaining|toHaveLength|hasSize\(|len\(|assertGreater|assertLess|toBeGreater|toBeLess|>=|<="),
            (3, r"assert_eq!|assertEquals?\(|assertEqual\(|toBe\(|toEqual\(|toStrictEqual|\.equal\(|\.Equal\(|AreEqual|EXPECT_EQ|ASSERT_EQ|REQUIRE\(|isEqualTo|assert_equal|must_equal|==|raises\(\s*\w+|toThrow\(\s*\w|assertRaises\(\s*\w|assertIs\(|deepEqual|containsExactly|eq\("),
        ]
        .into_iter()
        .filter_map(|(rank, p)| Some((rank, Regex::new(p).ok()?)))
        .collect()
    });
    // The weakest word in it decides: `assert x in y == z` is rare, `assertTrue(a == b or c)` is not.
    sorts.iter().find(|(_, sort)| sort.is_match(text)).map(|(rank, _)| *rank)
}

/// Numbers and strings blotted out.
fn without_literals(text: &str) -> String {
    static LITERAL: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r#""[^"]*"|'[^']*'|\b\d[\w.]*\b|\b(true|false|True|False|None|null|nil)\b"#;
    let text: String = text.split_whitespace().collect();
    match regex(&LITERAL, pattern) {
        Some(literal) => literal.replace_all(&text, "#").into_owned(),
        None => text,
    }
}

/// Whether the test around a line is one that failed.
fn names_target(change: &Change, file: &File<'_>, line: u32) -> bool {
    let Some((_, new)) = file.sides() else { return false };
    let lines = every_line(file.file.new_text());
    let above: Vec<Line<'_>> = lines.iter().filter(|l| l.number <= line).copied().collect();
    let Some(def) = new.find("testdef", &above).into_iter().next_back() else { return false };
    // an attribute stands before the name
    let near = lines.iter().skip(def.line.number as usize - 1).take(3).map(|l| l.text);
    let near: Vec<&str> = near.collect();
    change.failing.iter().any(|(id, _)| {
        let name = id.rsplit("::").next().unwrap_or(id);
        let name = name.split(['[', '(']).next().unwrap_or(name).trim();
        !name.is_empty() && near.iter().any(|text| text.contains(name))
    })
}

/// AG37: a line of a test that is a comment now.
fn commented_out(file: &File<'_>) -> Vec<Hit> {
    let Some((old, new)) = file.sides() else { return Vec::new() };
    let plain = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '/' | '#' | '*')).collect()
    };
    let removed = file.removed();
    let code: Vec<(String, Line<'_>)> = removed
        .iter()
        .filter(|l| old.is_code(l))
        .map(|l| (plain(l.text), *l))
        .filter(|(text, _)| text.len() >= 8)
        .collect();
    let added = file.added();
    let comments = added.iter().filter(|l| !new.is_code(l) && !l.text.trim().is_empty());
    comments
        .filter_map(|l| {
            let text = plain(l.text);
            let (_, was) = code.iter().find(|(code, _)| *code == text)?;
            let hit = Hit::of("AG37", file.path(), "a line of a test is a comment now");
            Some(hit.at(l.number).lines(Some(was.text), Some(l.text)))
        })
        .collect()
}

/// AG14.
fn snapshot(change: &Change, file: &File<'_>) -> Option<Hit> {
    let (old, new) = (file.file.diff.old.as_deref()?, file.file.diff.new.as_deref()?);
    let lower = new.to_ascii_lowercase();
    let folders = ["__snapshots__/", "testdata/", "fixtures/", "cassettes/", "golden/"];
    let ends = [".snap", ".golden", ".ambr"];
    let golden = folders.iter().any(|f| lower.contains(f))
        || ends.iter().any(|e| lower.ends_with(e))
        || lower.contains(".approved.");
    if !golden || old != new || file.file.diff.hunks.is_empty() && !file.file.diff.binary {
        return None;
    }
    let first = file.added().first().map(|l| (l.number, l.text.to_string()));
    let hit = Hit::of("AG14", new, "what a test compares with was rewritten");
    let hit = match (&first, file.removed().first()) {
        (Some((n, text)), was) => hit.at(*n).lines(was.map(|l| l.text), Some(text)),
        (None, _) => hit,
    };
    let target = change.kind == Some(Kind::Tests);
    Some(if target { hit.weighing(Severity::Reject) } else { hit })
}

#[cfg(test)]
#[path = "assertions_tests.rs"]
mod tests;
