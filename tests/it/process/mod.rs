//! Programs that do what agents and test suites do at their worst.

#![allow(clippy::unwrap_used)] // a test fails by it, helpers included

mod hostile;
mod lifeline;
mod light;
mod normal;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use git_evidence::process::{Cancel, Program, Runner};
use tempfile::TempDir;

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_git-fix-evidence");
/// Long enough that no run that should end by itself meets it, on a busy machine too.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

fn runner() -> Runner {
    Runner::new(SUPERVISOR, Cancel::new())
}

/// A folder for the files by which scripts talk to tests.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// A script that runs here for at most `deadline`, with little grace.
    fn script(&self, text: &str, deadline: Duration) -> Program {
        Program::shell(text, self.path(), deadline).grace(Duration::from_millis(100))
    }

    /// The process numbers a script has written into a file, one a line.
    fn pids(&self, name: &str) -> Vec<i32> {
        let text = std::fs::read_to_string(self.file(name)).unwrap_or_default();
        text.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }

    fn the_pid(&self, name: &str) -> i32 {
        wait_for(|| self.pids(name).first().copied())
    }
}

/// Polls until there is an answer; fails after ten seconds.
fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < until, "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process exists and is not merely waiting to be reaped.
fn is_alive(pid: i32) -> bool {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    line.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

fn assert_gone(pids: &[i32]) {
    assert!(!pids.is_empty(), "the script wrote no process number");
    let alive: Vec<&i32> = pids.iter().filter(|pid| is_alive(**pid)).collect();
    assert!(alive.is_empty(), "still there: {alive:?} of {pids:?}");
}
