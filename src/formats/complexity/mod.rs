//! Cyclomatic complexity by function.

mod lizard_csv;
mod lizard_xml;
mod radon;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[lizard_csv::FORMAT, lizard_xml::FORMAT, radon::FORMAT];
