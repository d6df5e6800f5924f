//! What an iteration of the loop costs besides fixer and checks, at 10 and at 50,000 files.
//!
//! The same branch is repaired with a limit of one and of five iterations; the difference by four is
//! one iteration, and what fixer and check cost alone is taken off. Beside it `git status` of the
//! same tree in the same run, since both look at every file.
//!
//! `cargo bench --bench branch_loop`

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 5;
const CHECK: &str = "printf '['; i=0; n=$(cat bad); while [ $i -lt $n ]; do [ $i -gt 0 ] && printf ,; \
    printf '{\"filename\":\"bad\",\"code\":\"X\",\"message\":\"bad\",\"location\":{\"row\":1,\"column\":1},\
    \"end_location\":{\"row\":1,\"column\":2},\"fix\":null,\"noqa_row\":null,\"url\":null,\"cell\":null}'; \
    i=$((i+1)); done; printf ']'";
const FIX: &str = "echo $(($(cat bad) - 1)) > bad.new && cat bad.new > bad && rm bad.new";

fn git(dir: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"])
        .args(args)
        .current_dir(dir)
        .output()
        .expect("git is on PATH");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn repository(dir: &Path, files: usize) {
    git(dir, &["init", "-q", "-b", "main"]);
    git(dir, &["config", "user.name", "a"]);
    git(dir, &["config", "user.email", "a@b"]);
    for i in 0..files {
        let folder = dir.join(format!("d{:03}", i / 100));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        std::fs::write(folder.join(format!("f{:02}.txt", i % 100)), format!("{i}\n"))
            .expect("a file can be written");
    }
    let config = format!(
        "[[check]]\nname = \"c\"\nformat = \"ruff-json\"\nrun = '''{CHECK}'''\n\
         [[fixer]]\nname = \"f\"\nkinds = [\"lint\"]\nrun = '''{FIX}'''\n"
    );
    std::fs::write(dir.join(".git-evidence.toml"), config).expect("a file can be written");
    std::fs::write(dir.join("bad"), "0\n").expect("a file can be written");
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-qm", "base"]);
    git(dir, &["switch", "-qc", "work"]);
    std::fs::write(dir.join("bad"), "9\n").expect("a file can be written");
    git(dir, &["commit", "-qam", "nine problems"]);
}

fn timed(mut action: impl FnMut()) -> f64 {
    let start = Instant::now();
    action();
    start.elapsed().as_secs_f64() * 1000.0
}

fn fix(dir: &Path, iterations: &str) -> f64 {
    let ms = timed(|| {
        let done = Command::new(env!("CARGO_BIN_EXE_git-fix-evidence"))
            .args(["--max-iter", iterations])
            .current_dir(dir)
            .output()
            .expect("the program runs");
        assert_eq!(done.status.code(), Some(6), "{}", String::from_utf8_lossy(&done.stderr));
    });
    git(dir, &["reset", "-q", "--keep", "work@{upstream}"]);
    let _ = std::fs::remove_dir_all(dir.join(".git/evidence/branches"));
    ms
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut out = std::io::stdout().lock();
    for files in [10, 50_000] {
        let temp = tempfile::tempdir().expect("a temporary folder can be made");
        let dir = temp.path();
        repository(dir, files);
        git(dir, &["branch", "start"]);
        git(dir, &["branch", "-q", "--set-upstream-to=start"]);
        git(dir, &["config", "evidence.base", "main"]);
        fix(dir, "1");
        let (mut one, mut five, mut status, mut alone) = (vec![], vec![], vec![], vec![]);
        for _ in 0..RUNS {
            one.push(fix(dir, "1"));
            five.push(fix(dir, "5"));
            status.push(timed(|| git(dir, &["status", "--porcelain"])));
            alone.push(timed(|| {
                for script in [CHECK, "true"] {
                    let _ = Command::new("sh").args(["-c", script]).current_dir(dir).output();
                }
            }));
        }
        let (status, alone) = (median(status), median(alone));
        let iteration = (median(five) - median(one)) / 4.0 - alone;
        let _ = writeln!(
            out,
            "{files:>6} files: an iteration {iteration:7.1} ms, git status {status:6.1} ms, ratio {:4.1}",
            iteration / status
        );
    }
}
