//! What it costs to start a program: bare, plain (as git is started), and supervised (as checks and
//! fixers are). Prints medians and their ratio to the bare start, and judges nothing.
//!
//! `cargo bench --bench process`

use std::io::Write;
use std::time::{Duration, Instant};

use git_evidence::process::{Cancel, Program, Runner, plain};

const RUNS: usize = 100;

fn median(mut action: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn main() {
    let program = Program::new(["true"], std::env::temp_dir(), Duration::from_secs(60));
    let runner = Runner::new(env!("CARGO_BIN_EXE_git-fix-evidence"), Cancel::new());
    let bare = median(|| {
        std::process::Command::new("true").output().expect("`true` is on PATH");
    });
    let light = median(|| drop(plain(&program, b"").expect("`true` runs")));
    let supervised = median(|| drop(runner.run(&program).expect("`true` runs")));
    let mut out = std::io::stdout().lock();
    for (name, ms) in [("bare start", bare), ("plain", light), ("supervised", supervised)] {
        // A reader that went away is no failure of the measurement.
        let _ = writeln!(out, "{name:<12} {ms:7.2} ms   {:5.2} x bare start", ms / bare);
    }
}
