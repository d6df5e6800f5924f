//! Linters' reports in XML.

mod cpd;
mod cppcheck;
mod pmd;
mod spotbugs;

use crate::formats::Format;

/// The formats of XML.
pub(in crate::formats) static FORMATS: &[Format] =
    &[pmd::FORMAT, cpd::FORMAT, spotbugs::FORMAT, cppcheck::FORMAT];
