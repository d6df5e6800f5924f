//! git-evidence
#![forbid(unsafe_code)]

pub mod cli;
pub mod config;
pub mod demo;
pub mod engine;
pub mod formats;
pub mod git;
pub mod hook;
pub mod measure;
pub mod model;
pub mod process;
pub mod repair;
pub mod report;
pub mod rules;
pub mod store;
