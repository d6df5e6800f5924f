//! Covered lines and branches.

mod cobertura;
mod coveragepy;
mod gathered;
mod lcov;

use crate::formats::Format;

pub(super) use gathered::Gathered;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[lcov::FORMAT, cobertura::FORMAT, coveragepy::FORMAT];
