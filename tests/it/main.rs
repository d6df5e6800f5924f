//! Tests against the outside world: real repositories, real programs.

// clippy's own exception covers test functions, not their helpers
#![allow(clippy::unwrap_used)]

mod git;
mod support;
