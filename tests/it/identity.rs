//! Findings that come back are known: over generated pairs of reports whose truth is known.
//!
//! A pair: 3 % of the findings fixed, 3 % new, 40 % of the files shifted by lines that came or went,
//! 2 % of the files renamed, 2 % of the findings twice. Of those that the second report has, less
//! than 1 % may be called new that are old, and less than 1 % of the new ones be missed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use git_evidence::model::{DiffMap, FileDiff, Finding, Hunk, Level};
use git_evidence::rules::matching::match_findings;
use serde_json::{Value, json};

use crate::support::cmd::review;
use crate::support::repo::TestRepo;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }

    fn percent(&mut self, p: u64) -> bool {
        self.roll(100) < p
    }
}

/// How tools word what they find.
#[derive(Clone, Copy, PartialEq)]
enum Words {
    /// A name in each message, seldom the same twice.
    Named,
    /// One sentence a rule.
    Generic,
}

/// A finding with the number by which its comeback is the truth.
type Told = (u64, Finding);

/// Both sides and the diff between them.
struct Pair {
    base: Vec<Told>,
    head: Vec<Told>,
    diff: DiffMap,
}

fn finding(dice: &mut Dice, words: Words, (path, line, text): (&str, u32, u64)) -> Finding {
    let rule = dice.roll(25);
    let message = match words {
        Words::Named => format!("'name{}' of {} is not used", dice.roll(1_000_000), dice.roll(90)),
        Words::Generic => format!("rule {} does not hold here", char::from(b'a' + rule as u8)),
    };
    Finding {
        rule: format!("R{rule}").into(),
        level: Level::Error,
        path: Some(path.into()),
        line: Some(line),
        message,
        tool: "linter".into(),
        fingerprint: None,
        line_hash: Some(text),
    }
}

/// One file on both sides: some findings go, some come, and lines come and go where the file is
/// edited. A line's text is told by a number; a finding that is new stands on a new line.
fn file(dice: &mut Dice, words: Words, n: u64, pair: &mut Pair, files: &mut Vec<FileDiff>) {
    let path = format!("src/dir{}/file{n}.py", n % 17);
    let renamed = dice.percent(2);
    let now = if renamed { format!("lib/moved/file{n}.py") } else { path.clone() };
    let shifted = dice.percent(40);
    let (mut old_line, mut new_line) = (0u32, 0u32);
    let mut hunks = Vec::new();
    for _ in 0..20 + dice.roll(20) {
        let gap = 1 + dice.roll(9) as u32;
        (old_line, new_line) = (old_line + gap, new_line + gap);
        if shifted && dice.one_in(6) {
            let len = 1 + dice.roll(4) as u32;
            hunks.push(Hunk {
                old_start: old_line,
                old_len: 0,
                new_start: new_line + 1,
                new_len: len,
            });
            new_line += len;
        }
        let (id, text) = (dice.roll(1 << 40), dice.roll(1 << 40));
        if dice.percent(3) {
            // its line is new
            hunks.push(Hunk {
                old_start: old_line,
                old_len: 0,
                new_start: new_line + 1,
                new_len: 1,
            });
            new_line += 1;
            pair.head.push((id, finding(dice, words, (&now, new_line, text))));
            continue;
        }
        (old_line, new_line) = (old_line + 1, new_line + 1);
        let old = finding(dice, words, (&path, old_line, text));
        let new = Finding { path: Some(now.as_str().into()), line: Some(new_line), ..old.clone() };
        let copies = 1 + u64::from(dice.percent(2));
        let gone = dice.percent(3);
        for copy in 0..copies {
            pair.base.push((id + copy, old.clone()));
            if !gone {
                pair.head.push((id + copy, new.clone()));
            }
        }
        if gone {
            // its line was mended away
            new_line -= 1;
            hunks.push(Hunk { old_start: old_line, old_len: 1, new_start: new_line, new_len: 0 });
        }
    }
    if renamed || !hunks.is_empty() {
        let (old, new) = (Some(path), Some(now));
        let mode = 0o100_644;
        files.push(FileDiff { old, new, old_mode: mode, new_mode: mode, hunks, binary: false });
    }
}

fn pair(words: Words, files: u64) -> Pair {
    let mut dice = Dice(7);
    let mut pair = Pair { base: Vec::new(), head: Vec::new(), diff: DiffMap::default() };
    let mut diffs = Vec::new();
    for n in 0..files {
        file(&mut dice, words, n, &mut pair, &mut diffs);
    }
    pair.diff = DiffMap::new(diffs);
    pair
}

/// How many old findings are called new, new ones old, of how many new ones and all.
fn judged(pair: &Pair, known: &[bool]) -> (usize, usize, usize) {
    let old: std::collections::HashSet<u64> = pair.base.iter().map(|(id, _)| *id).collect();
    let truly = |i: usize| !old.contains(&pair.head[i].0);
    let count = |f: &dyn Fn(usize) -> bool| (0..known.len()).filter(|i| f(*i)).count();
    let false_new = count(&|i| !known[i] && !truly(i));
    let missed = count(&|i| known[i] && truly(i));
    (false_new, missed, count(&|i| truly(i)))
}

#[test]
fn with_a_diff_each_finding_is_known_again() {
    for words in [Words::Named, Words::Generic] {
        let pair = pair(words, 200);
        let (base, head): (Vec<&Finding>, Vec<&Finding>) =
            (pair.base.iter().map(|f| &f.1).collect(), pair.head.iter().map(|f| &f.1).collect());
        let found = match_findings(&base, &head, Some(&pair.diff));
        let known: Vec<bool> = found.iter().map(Option::is_some).collect();
        let (false_new, missed, new) = judged(&pair, &known);
        assert!(new > 100, "{new}");
        assert_eq!((false_new, missed), (0, 0), "of {} with {new} new", head.len());
    }
}

fn sarif(findings: &[Told]) -> String {
    let result = |(_, f): &Told| {
        json!({
            "ruleId": f.rule, "level": "error", "message": {"text": f.message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": f.path}, "region": {"startLine": f.line},
            }}],
        })
    };
    let results: Vec<Value> = findings.iter().map(result).collect();
    let driver = json!({"name": "linter", "version": "1"});
    json!({"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]})
        .to_string()
}

#[test]
fn two_reports_alone_say_what_is_new() {
    let pair = pair(Words::Named, 200);
    let repo = TestRepo::new();
    let home = repo.beside("home");
    std::fs::write(home.join("old.sarif"), sarif(&pair.base)).unwrap();
    std::fs::write(home.join("new.sarif"), sarif(&pair.head)).unwrap();
    let dir = home.to_str().unwrap();
    let sides = ["compare", "sarif:old.sarif", "auto:new.sarif"];
    let done = review(&repo, &[&["-C", dir], &sides[..], &["--json"]].concat()).ended(0).json();
    assert_eq!(done["schema"], "evidence_compare_v1");
    let lint = &done["lint"];
    let count = |key: &str| lint[key].as_array().unwrap().len();
    let unchanged = lint["unchanged"].as_u64().unwrap() as usize;
    assert_eq!(count("new") + count("moved") + unchanged, pair.head.len());
    assert_eq!(count("fixed") + count("moved") + unchanged, pair.base.len());
    // A place and a message name one finding, or two equal ones.
    let said: std::collections::HashSet<(String, u64, String)> = lint["new"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            let text = |key: &str| f[key].as_str().unwrap().to_string();
            (text("path"), f["line"].as_u64().unwrap(), text("message"))
        })
        .collect();
    let known: Vec<bool> = pair
        .head
        .iter()
        .map(|(_, f)| {
            let key =
                (f.path.clone().unwrap().to_string(), f.line.unwrap().into(), f.message.clone());
            !said.contains(&key)
        })
        .collect();
    let (false_new, missed, new) = judged(&pair, &known);
    let old = pair.head.len() - new;
    assert!(false_new * 100 < old, "{false_new} of {old} old ones are called new");
    assert!(missed * 100 < new.max(100), "{missed} of {new} new ones are missed");
    let text = review(&repo, &[&["-C", dir], &sides[..]].concat()).ended(0).out;
    assert!(text.contains("(moved from"), "{text}");
}
