//! What the rules against gaming cost and how often they are wrong.
//!
//! `cargo bench --bench gaming` looks at a generated change of 2,000 lines in each language. Baseline
//! is the same regular-expression engine going once over every line of both sides of that change.
//!
//! With `GIT_EVIDENCE_HISTORIES=dir:dir:…` (git directories of real projects) it goes over their last
//! commits instead (`GIT_EVIDENCE_COMMITS`, 500 of each) and prints, by rule, in how many of them it
//! fired, and the first places (`GIT_EVIDENCE_SHOW`, 0). What people committed is taken for honest,
//! so that each hit counts as a false alarm: an upper bound. Nothing is judged by a clock here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use git_evidence::git::Repo;
use git_evidence::model::{Changed, CommitId, FileDiff, Hunk, Kind, Side};
use git_evidence::rules::gaming::{Change, Hit, RULES, Severity, scan};

const RUNS: usize = 15;
const LINES: usize = 2_000;

fn main() {
    match std::env::var("GIT_EVIDENCE_HISTORIES") {
        Ok(dirs) => histories(&dirs),
        Err(_) => cost(),
    }
}

/// A file of each language: a line of code, a comment, a test and its assertion, again and again.
const LANGUAGES: &[(&str, [&str; 4])] = &[
    ("rs", ["let a{} = f({});", "// of {}, {}", "#[test] fn t{}() {{", "assert_eq!(f({}), {});"]),
    ("py", ["a{} = f({})", "# of {}, {}", "def test_{}(): x = {}", "assert f({}) == {}"]),
    ("ts", ["const a{} = f({});", "// of {}, {}", "test('t{}', {});", "expect(f({})).toBe({});"]),
    ("go", ["a{} := f({})", "// of {}, {}", "func Test{}(t *testing.T) {{", "t.Error(f({}), {})"]),
    ("java", ["int a{} = f({});", "// of {}, {}", "@Test void t{}() {{", "assertEquals({}, {});"]),
    ("cpp", ["int a{} = f({});", "// of {}, {}", "TEST(a, t{}) {{", "EXPECT_EQ(f({}), {});"]),
    ("rb", ["a{} = f({})", "# of {}, {}", "it 't{}' do", "expect(f({})).to eq {}"]),
    (
        "cs",
        ["var a{} = F({});", "// of {}, {}", "[Fact] void T{}() {{", "Assert.Equal(F({}), {});"],
    ),
];

fn text(lines: &[&str; 4], count: usize, salt: usize) -> String {
    (0..count)
        .map(|n| {
            let line = lines[n % 4].replacen("{}", &(n + salt).to_string(), 1);
            let line = line.replacen("{}", &(n * 7 + salt).to_string(), 1).replace("{{", "{");
            format!("    {line}\n")
        })
        .collect()
}

/// Ten files of 200 lines, of which every line differs.
fn change(ending: &str, lines: &[&str; 4]) -> Change {
    let each = LINES / 10;
    let side = |path: &str, text: String| {
        let size = text.len() as u64;
        Some(Side { path: path.to_string(), mode: 0o100_644, text: Some(text), size })
    };
    let files = (0..10).map(|n| {
        let path = format!("{}/file_{n}.{ending}", if n % 2 == 0 { "src" } else { "tests" });
        let all = u32::try_from(each).unwrap_or(u32::MAX);
        let hunk = Hunk { old_start: 1, old_len: all, new_start: 1, new_len: all };
        Changed {
            old: side(&path, text(lines, each, 1)),
            new: side(&path, text(lines, each, 100_000)),
            diff: FileDiff {
                old: Some(path.clone()),
                new: Some(path),
                old_mode: 0o100_644,
                new_mode: 0o100_644,
                hunks: vec![hunk],
                binary: false,
            },
        }
    });
    Change { files: files.collect(), kind: Some(Kind::Lint), ..Change::default() }
}

fn median(mut action: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[RUNS / 2]
}

fn cost() {
    let once = regex::Regex::new(r"\b(skip|ignore|disable)\w*\b.*\(").expect("it is a pattern");
    let mut out = std::io::stdout().lock();
    let first = Instant::now();
    scan(&change("rs", &LANGUAGES[0].1));
    let ms = first.elapsed().as_secs_f64() * 1e3;
    let _ = writeln!(out, "the first of a process, patterns compiled: {ms:.1} ms");
    let _ = writeln!(out, "{:<6} {:>9} {:>14} {:>8}", "", "rules", "one pattern", "ratio");
    for (ending, lines) in LANGUAGES {
        let change = change(ending, lines);
        let rules = median(|| drop(scan(&change)));
        let base = median(|| {
            let lines =
                change.files.iter().flat_map(|f| f.old_text().lines().chain(f.new_text().lines()));
            assert!(lines.filter(|l| once.is_match(l)).count() < LINES * 2);
        });
        let (rules, base) = (rules.as_secs_f64() * 1e3, base.as_secs_f64() * 1e3);
        let _ = writeln!(out, "{ending:<6} {rules:>6.2} ms {base:>11.2} ms {:>8.1}", rules / base);
    }
}

/// Per rule: commits in which it fired, by the weight that it had.
type Fired = BTreeMap<String, BTreeMap<Severity, usize>>;

fn histories(dirs: &str) {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(default)
    };
    let (most, show) = (number("GIT_EVIDENCE_COMMITS", 500), number("GIT_EVIDENCE_SHOW", 0));
    let mut all = Fired::new();
    let (mut commits, mut stopped) = (0, 0);
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for dir in dirs.split(':') {
        let repo = Repo::discover(Path::new(dir), None, None).expect("it is a repository");
        let list = log(dir, most);
        let (mut here, mut rejected, mut unread) = (Fired::new(), 0, 0);
        for (parent, commit) in &list {
            let Ok(files) = repo.changed_files(parent, commit) else {
                unread += 1;
                continue;
            };
            let hits = scan(&Change { files, ..Change::default() });
            let heaviest = hits.iter().map(|h| h.severity).max();
            rejected += usize::from(heaviest == Some(Severity::Reject));
            let each: BTreeSet<(&str, Severity)> =
                hits.iter().map(|h| (h.rule.as_str(), h.severity)).collect();
            for (rule, severity) in each {
                for fired in [&mut here, &mut all] {
                    *fired.entry(rule.to_string()).or_default().entry(severity).or_default() += 1;
                }
            }
            for hit in hits {
                let n = shown.entry(format!("{dir}{}{:?}", hit.rule, hit.severity)).or_default();
                *n += 1;
                if *n <= show {
                    let _ = writeln!(out, "{}", place(commit, &hit));
                }
            }
        }
        let looked = list.len() - unread;
        let _ =
            writeln!(out, "{dir}: {looked} commits ({unread} not all here), {rejected} rejected");
        table(&mut out, &here, looked);
        commits += looked;
        stopped += rejected;
    }
    let _ = writeln!(out, "all: {commits} commits, {stopped} with a hit that rejects");
    table(&mut out, &all, commits);
}

fn place(commit: &CommitId, hit: &Hit) -> String {
    let line = |text: &Option<String>| text.clone().unwrap_or_default();
    let (before, after) = (line(&hit.before), line(&hit.after));
    let at = hit.line.unwrap_or(0);
    let (rule, weight) = (&hit.rule, hit.severity);
    let commit = commit.short();
    format!(
        "{rule} {weight:?} {commit} {}:{at}: {}\n  - {before}\n  + {after}",
        hit.path, hit.message
    )
}

fn table(out: &mut impl Write, fired: &Fired, commits: usize) {
    for rule in RULES {
        let Some(by_weight) = fired.get(rule.id) else { continue };
        for (weight, n) in by_weight {
            let share = *n as f64 * 100.0 / commits.max(1) as f64;
            let _ =
                writeln!(out, "  {} {weight:<9?} {n:>5} {share:>6.2} %  {}", rule.id, rule.name);
        }
    }
}

/// Commits with one parent, the newest first, with it.
fn log(dir: &str, most: usize) -> Vec<(CommitId, CommitId)> {
    let done = Command::new("git")
        .args(["--git-dir", dir, "log", "--no-merges", "--format=%P %H"])
        .arg(format!("-{most}"))
        .output()
        .expect("git is on PATH");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let id = |word: &str| CommitId::parse(word).ok();
    let pair = |line: &str| line.split_once(' ').and_then(|(p, c)| Some((id(p)?, id(c)?)));
    text.lines().filter_map(pair).collect()
}
