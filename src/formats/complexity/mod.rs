//! Cyclomatic complexity by function.

mod lizard_csv;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[lizard_csv::FORMAT];
