//! Helpers of several tests.

pub(crate) mod repo;
