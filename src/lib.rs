//! git-evidence
#![forbid(unsafe_code)]

pub mod formats;
pub mod git;
pub mod model;
