//! Floor 1, pure rules: every decision of the product as a function of values.
//!
//! No file, clock, environment or process; clippy refuses them here. Each file holds the rules of
//! one question, and its tests are tables.

#![deny(clippy::disallowed_methods)]

pub mod actions;
mod advisories;
pub mod baseline;
pub mod ci;
pub mod compare;
pub mod comparison;
pub mod decide;
pub mod drift;
pub mod evidence;
pub mod gaming;
pub mod imports;
pub mod judge;
mod limits;
pub mod matching;
pub mod paths;
pub mod progress;
#[cfg(test)]
mod properties_tests;
pub mod protect;
pub mod record;
pub mod reread;
#[cfg(test)]
mod samples;
pub mod scores;
pub mod thresholds;
pub mod tighten;
pub mod trigger;
