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
