//! Helpers of several tests.

pub(crate) mod cmd;
pub(crate) mod repo;
pub(crate) mod wait;
