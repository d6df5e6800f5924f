//! Asks again until something is true: the only place besides the process tests where a test pauses.

use std::time::{Duration, Instant};

/// Waits until something is true, for half a minute at most.
pub(crate) fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_true() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Waits until a file's last change lies so far back that a program started now is surely younger:
/// file systems keep times in steps.
pub(crate) fn wait_until_older(path: &std::path::Path) {
    let is_old = || {
        let changed = std::fs::metadata(path).unwrap().modified().unwrap();
        changed.elapsed().is_ok_and(|age| age > Duration::from_millis(50))
    };
    wait_for("a file to be older", is_old);
}
