//! Floor 7, showing: a record in words, for people. Pure: values in, text out; whoever calls prints it.
//!
//! * `human`: the whole page, in order. * `places`: where a reason can be looked at. * `tables`: scores
//!   and checks. * `page`: lines of at most 80 columns, and colour. * `pretty`: JSON indented without
//!   changing it.

#![deny(clippy::disallowed_methods)]

pub mod comparison;
pub mod human;
mod page;
mod places;
mod pretty;
mod tables;

pub use pretty::pretty;
