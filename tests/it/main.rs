//! x
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod store;
