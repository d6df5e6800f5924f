//! Hooks: putting them in place beside others.

pub mod install;
mod manager;
