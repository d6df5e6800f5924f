//! Floor 1, rules: pure decisions over the words of the model.

#![deny(clippy::disallowed_methods)]

pub mod trigger;
