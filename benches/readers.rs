//! What it costs to read large reports: `cargo bench --bench readers` (with `-- quick` without the
//! reports of 1000 MB).
//!
//! Each case is the command that a person would type, as a process of its own, so that its peak memory
//! is its own. Beside it, in turns in the same run: reading the same file and counting its lines, and
//! other tools where they are on PATH. It prints whether the bounds are met and never fails on a clock.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "its result")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OURS: &str = env!("CARGO_BIN_EXE_git-review-evidence");
const ROUNDS: usize = 7;
/// Another tool that takes longer than this is run once.
const SLOW: Duration = Duration::from_secs(3);
const COUNT_LINES: &str = "--count-lines";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, file] = args.as_slice()
        && word == COUNT_LINES
    {
        let bytes = std::fs::read(file).unwrap();
        println!("{}", bytes.iter().filter(|b| **b == b'\n').count());
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    println!(
        "{:<34} {:>8} {:>10} {:>9} {:>12}  bound",
        "case", "MB", "median s", "peak MB", "/ fs::read"
    );
    coverage(temp.path());
    sarif(temp.path());
    if !args.iter().any(|a| a == "quick") {
        linear(temp.path());
    }
}

/// Patch coverage of a branch with 2,000 changed lines, from 20 MB of report.
fn coverage(temp: &Path) {
    let repo = temp.join("repo");
    repository(&repo);
    for (format, name, seconds) in [("lcov", "cov.info", 0.1), ("cobertura", "cov.xml", 0.25)] {
        let file = temp.join(name);
        match format {
            "lcov" => lcov(&file, FILES),
            _ => cobertura(&file),
        }
        let named = format!("{format}:{}", file.display());
        let import = vec!["--base", "main", "--no-run", "--import", &named, "--format", "json"];
        let mut case = Case::new(&format!("{format}, 2,000 changed lines"), &file, &repo);
        case.bound(seconds, None);
        case.ours(&import);
        let shown = file.to_string_lossy();
        case.other("diff-cover", &[&shown, "--compare-branch", "main"]);
        if format == "lcov" {
            case.other("lcov", &["--summary", &shown]);
        }
        case.run();
    }
}

fn sarif(temp: &Path) {
    let (old, new) = (temp.join("old.sarif"), temp.join("new.sarif"));
    for prints in [false, true] {
        results(&old, &Sarif { mb: 100, moved: false, prints });
        results(&new, &Sarif { mb: 100, moved: true, prints });
        let (a, b) = (format!("sarif:{}", old.display()), format!("sarif:{}", new.display()));
        let (old_name, new_name) = (old.to_string_lossy(), new.to_string_lossy());
        let with = if prints { ", fingerprints" } else { "" };
        let mut case = Case::new(&format!("sarif import{with}"), &old, temp);
        case.bound(0.6, Some(60.0));
        case.ours(&["import", &a]);
        case.other("sarif", &["summary", &old_name]);
        case.run();
        let mut case = Case::new(&format!("sarif compare{with}"), &old, temp);
        case.bound(2.5, Some(250.0));
        case.ours(&["compare", &a, &b]);
        if !prints {
            case.other("sarif", &["diff", &old_name, &new_name]);
        }
        case.run();
    }
}

/// The same report at three sizes: the cost of a MB should not grow.
fn linear(temp: &Path) {
    println!(
        "\n{:<34} {:>8} {:>10} {:>9} {:>12}",
        "linear", "MB", "median s", "peak MB", "ms / MB"
    );
    for format in ["sarif", "lcov"] {
        for mb in [10, 100, 1000] {
            let file = temp.join(format!("large.{format}"));
            match format {
                "sarif" => results(&file, &Sarif { mb, moved: false, prints: false }),
                _ => lcov(&file, FILES * mb / 20),
            }
            let named = format!("{format}:{}", file.display());
            let rounds = if mb > 100 { 3 } else { ROUNDS };
            let run =
                Run { program: OURS.into(), args: vec!["import".into(), named], dir: temp.into() };
            let times: Vec<f64> = (0..rounds).map(|_| run.time().as_secs_f64()).collect();
            let size = megabytes(&file);
            let median = median(times);
            let per = median * 1000.0 / size;
            let name = format!("{format} import");
            println!("{name:<34} {size:>8.1} {median:>10.3} {:>9} {per:>12.2}", run.peak_shown());
            std::fs::remove_file(&file).unwrap();
        }
    }
}

/// One program with its arguments.
struct Run {
    program: PathBuf,
    args: Vec<String>,
    dir: PathBuf,
}

impl Run {
    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.dir).stdin(Stdio::null()).stdout(Stdio::null());
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    fn time(&self) -> Duration {
        let mut command = self.command(&self.program, &self.args());
        let started = Instant::now();
        let output = command.output().unwrap();
        let took = started.elapsed();
        // a verdict other than approved is a result as well
        let ended = output.status.code().is_some_and(|code| code < 64 && code != 2);
        assert!(ended, "{:?}: {}", self.args, String::from_utf8_lossy(&output.stderr));
        took
    }

    /// Peak memory in MB, where GNU time is there to ask.
    fn peak(&self) -> Option<f64> {
        let gnu = Path::new("/usr/bin/time").exists().then_some("/usr/bin/time")?;
        let program = self.program.to_string_lossy();
        let args: Vec<&str> = ["-f", "%M", &*program].into_iter().chain(self.args()).collect();
        let output = self.command(Path::new(gnu), &args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.trim().lines().last()?.parse::<f64>().ok().map(|kb| kb / 1024.0)
    }

    fn peak_shown(&self) -> String {
        self.peak().map_or("?".into(), |mb| format!("{mb:.1}"))
    }
}

/// Programs that do the same to one file, ours first, and what ours may cost.
struct Case {
    name: String,
    size: f64,
    dir: PathBuf,
    runs: Vec<(String, Run)>,
    bound: (f64, Option<f64>),
}

impl Case {
    fn new(name: &str, file: &Path, dir: &Path) -> Case {
        let this = std::env::current_exe().unwrap();
        let args = vec![COUNT_LINES.to_string(), file.display().to_string()];
        let baseline = Run { program: this, args, dir: dir.into() };
        Case {
            name: name.to_string(),
            size: megabytes(file),
            dir: dir.into(),
            runs: vec![("fs::read, lines counted".into(), baseline)],
            bound: (f64::MAX, None),
        }
    }

    fn bound(&mut self, seconds: f64, peak: Option<f64>) {
        self.bound = (seconds, peak);
    }

    fn ours(&mut self, args: &[&str]) {
        self.add(&self.name.clone(), Path::new(OURS), args);
    }

    /// Another tool, where it is installed.
    fn other(&mut self, program: &str, args: &[&str]) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        match std::env::split_paths(&path).map(|dir| dir.join(program)).find(|p| p.is_file()) {
            Some(found) => self.add(&format!("  {program} {}", args[0]), &found, args),
            None => println!("  ({program} is not on PATH)"),
        }
    }

    fn add(&mut self, name: &str, program: &Path, args: &[&str]) {
        let args = args.iter().map(ToString::to_string).collect();
        self.runs.push((name.into(), Run { program: program.into(), args, dir: self.dir.clone() }));
    }

    /// All of them in turns, so that a machine's changing load meets all alike.
    fn run(&self) {
        let mut times = vec![Vec::new(); self.runs.len()];
        for round in 0..=ROUNDS {
            for (n, (_, run)) in self.runs.iter().enumerate() {
                if round > 1 && times[n].first().is_some_and(|t| *t > SLOW.as_secs_f64()) {
                    continue;
                }
                let took = run.time().as_secs_f64();
                // the first fills caches
                if round > 0 || took > SLOW.as_secs_f64() {
                    times[n].push(took);
                }
            }
        }
        let medians: Vec<f64> = times.into_iter().map(median).collect();
        for (n, (name, run)) in self.runs.iter().enumerate() {
            let name: String = name.chars().take(34).collect();
            let (peak, ratio) = (run.peak(), medians[n] / medians[0]);
            let shown = peak.map_or("?".into(), |mb| format!("{mb:.1}"));
            let bound = if n == 1 { self.verdict(medians[n], peak) } else { String::new() };
            println!(
                "{name:<34} {:>8.1} {:>10.3} {shown:>9} {ratio:>12.1}  {bound}",
                self.size, medians[n]
            );
        }
    }

    fn verdict(&self, seconds: f64, peak: Option<f64>) -> String {
        let word = |met| if met { "met" } else { "NOT met" };
        let mut text = format!("{} s {}", self.bound.0, word(seconds <= self.bound.0));
        if let (Some(most), Some(peak)) = (self.bound.1, peak) {
            let _ = write!(text, ", {most} MB {}", word(peak <= most));
        }
        text
    }
}

fn megabytes(file: &Path) -> f64 {
    std::fs::metadata(file).unwrap().len() as f64 / 1e6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Source files that the coverage reports are about, and lines of each.
const FILES: usize = 820;
const LINES: usize = 2000;

/// Its check is not run: the report is imported.
const CONFIG: &str = "[[check]]\nname = \"lint\"\nrun = \"true\"\nreports = [\"a.sarif\"]\n";

fn source(n: usize) -> String {
    format!("src/part{}/module_{n}.py", n / 50)
}

/// A trunk with these files, and a branch that changes 100 lines in each of 20 of them.
fn repository(top: &Path) {
    std::fs::create_dir(top).unwrap();
    let git = |args: &[&str], input: &[u8]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(top).stdin(Stdio::piped()).stdout(Stdio::null());
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        assert!(child.wait().unwrap().success(), "git {args:?}");
    };
    let mut text = String::new();
    let who = "committer t <t@example.org> 1700000000 +0000\ndata 1\nx\n";
    let content = |changed: bool| -> String {
        (0..LINES)
            .map(|n| match changed && n % 20 == 7 {
                true => format!("    changed = {n}\n"),
                false => format!("    value_{n} = compute({n})\n"),
            })
            .collect()
    };
    for (branch, from, files) in
        [("main", "", 0..FILES), ("feature", "from refs/heads/main\n", 0..20)]
    {
        let _ = write!(text, "commit refs/heads/{branch}\n{who}{from}");
        if branch == "main" {
            let _ =
                write!(text, "M 644 inline .git-evidence.toml\ndata {}\n{CONFIG}\n", CONFIG.len());
        }
        for n in files {
            let content = content(branch == "feature");
            let (path, size) = (source(n), content.len());
            let _ = write!(text, "M 644 inline {path}\ndata {size}\n{content}\n");
        }
    }
    git(&["init", "-q", "-b", "main"], b"");
    git(&["fast-import", "--quiet"], text.as_bytes());
    git(&["checkout", "-q", "-f", "feature"], b"");
}

/// A tracefile about this many files.
fn lcov(file: &Path, files: usize) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let mut dice = Dice(7);
    for n in 0..files {
        let mut text = format!("TN:\nSF:{}\n", source(n));
        for f in 0..40 {
            let _ = write!(text, "FN:{},function_{f}\nFNDA:{},function_{f}\n", f * 50 + 1, f % 3);
        }
        let mut hit = 0;
        for line in 1..=LINES {
            let hits = dice.below(4) * dice.below(50);
            hit += u64::from(hits > 0);
            let _ = writeln!(text, "DA:{line},{hits}");
            if line % 25 == 0 {
                let _ = writeln!(text, "BRDA:{line},0,0,{}\nBRDA:{line},0,1,-", dice.below(9));
            }
        }
        let _ = write!(text, "LF:{LINES}\nLH:{hit}\nend_of_record\n");
        out.write_all(text.as_bytes()).unwrap();
    }
}

/// 20 MB about the first of these files.
fn cobertura(file: &Path) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let mut dice = Dice(7);
    let mut text = String::from(
        "<?xml version=\"1.0\" ?>\n<coverage version=\"7\" line-rate=\"0.7\">\n\t<packages>\n\
         \t\t<package name=\"src\">\n\t\t\t<classes>\n",
    );
    for n in 0..250 {
        let path = source(n);
        let _ = writeln!(
            text,
            "\t\t\t\t<class name=\"module_{n}.py\" filename=\"{path}\" complexity=\"0\" line-rate=\"0.7\">\n\
             \t\t\t\t\t<methods/>\n\t\t\t\t\t<lines>"
        );
        for line in 1..=LINES {
            let hits = dice.below(4) * dice.below(50);
            let branch = match line % 25 {
                0 => " branch=\"true\" condition-coverage=\"50% (1/2)\" missing-branches=\"12\"",
                _ => "",
            };
            let _ = writeln!(text, "\t\t\t\t\t\t<line number=\"{line}\" hits=\"{hits}\"{branch}/>");
        }
        text.push_str("\t\t\t\t\t</lines>\n\t\t\t\t</class>\n");
        out.write_all(text.as_bytes()).unwrap();
        text.clear();
    }
    out.write_all(b"\t\t\t</classes>\n\t\t</package>\n\t</packages>\n</coverage>\n").unwrap();
}

/// What a SARIF report is to be.
struct Sarif {
    mb: usize,
    /// A later one: 3 % of the findings mended, 3 % new, lines moved in 40 % of the files.
    moved: bool,
    prints: bool,
}

/// One line of JSON, about 470 bytes for each result, the tool after the results.
fn results(file: &Path, kind: &Sarif) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let head = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"results\":[";
    out.write_all(head.as_bytes()).unwrap();
    let (mut dice, mut size, mut n) = (Dice(11), head.len(), 0usize);
    while size < kind.mb * 1_000_000 {
        let (chance, path) = (dice.below(100), n / 40);
        let line = (n % 40) * 12 + 1 + dice.below(8) as usize;
        let text = if n == 0 { String::new() } else { ",".to_string() };
        let text = match kind.moved {
            // mended, and one that was not there in its place
            true if chance < 3 => text + &result(n + 100_000_000, path, line + 3, kind.prints),
            true if path % 5 < 2 => text + &result(n, path, line + 17, kind.prints),
            _ => text + &result(n, path, line, kind.prints),
        };
        out.write_all(text.as_bytes()).unwrap();
        size += text.len();
        n += 1;
    }
    let rules: Vec<String> = (0..RULES)
        .map(|r| {
            format!(
                "{{\"id\":\"scan/rule-{r}\",\"shortDescription\":{{\"text\":\"Rule {r}\"}},\
                 \"defaultConfiguration\":{{\"level\":\"warning\"}}}}"
            )
        })
        .collect();
    let tail = format!(
        "],\"tool\":{{\"driver\":{{\"name\":\"scan\",\"version\":\"4.2.0\",\"rules\":[{}]}}}}}}]}}\n",
        rules.join(",")
    );
    out.write_all(tail.as_bytes()).unwrap();
}

const RULES: usize = 40;

fn result(n: usize, path: usize, line: usize, prints: bool) -> String {
    let rule = n * 7 % RULES;
    let mark = match prints {
        true => format!(
            ",\"partialFingerprints\":{{\"primaryLocationLineHash\":\"{:016x}:1\"}}",
            n as u64 ^ 0x5bd1_e995_9d1b_54a3
        ),
        false => String::new(),
    };
    format!(
        "{{\"ruleId\":\"scan/rule-{rule}\",\"ruleIndex\":{rule},\"level\":\"warning\",\"message\":{{\"text\":\
         \"The value of 'item_{n}' is never used after it was assigned in this scope.\"}},\"locations\":\
         [{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":\"src/pkg{}/component_{path}.js\",\
         \"uriBaseId\":\"%SRCROOT%\"}},\"region\":{{\"startLine\":{line},\"startColumn\":5,\"endLine\":{line},\
         \"endColumn\":24,\"snippet\":{{\"text\":\"    const item_{n} = compute(\\\"{n}\\\");\\n\"}}}}}}}}]{mark}}}",
        path % 97
    )
}

/// The same numbers in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
