//! What a run costs. Run by hand: `cargo test --release --test it -- --ignored --nocapture speed`.

use std::time::{Duration, Instant};

use git_evidence::process::{Program, plain};

use super::{LONG, Place, runner};

/// The middle of 200 times.
fn median(mut action: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[100]
}

#[test]
#[ignore = "a measurement, not a check"]
#[allow(clippy::print_stdout)] // its only purpose
fn speed_of_a_run() {
    let place = Place::new();
    let program = Program::new(["true"], place.path(), LONG);
    let bare = median(|| {
        std::process::Command::new("true").output().unwrap();
    });
    let light = median(|| drop(plain(&program, b"").unwrap()));
    let supervised = median(|| drop(runner().run(&program).unwrap()));
    println!("bare spawn {bare:?}, plain {light:?}, supervised {supervised:?}");
}
