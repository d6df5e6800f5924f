//! git-evidence
#![forbid(unsafe_code)]

pub mod formats;
pub mod hook;
pub mod model;
pub mod rules;
pub mod store;
