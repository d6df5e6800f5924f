//! Tests of the whole, one program for all of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod process;
mod store;
