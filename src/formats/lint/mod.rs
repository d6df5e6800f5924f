//! Findings of linters and scanners.

mod cargo;
mod checkstyle;
mod eslint;
mod json;
mod ruff;
mod sarif;
mod sarif_rows;
mod sarif_rules;
mod sarif_severity;
#[cfg(test)]
mod sarif_tests;
mod text;
mod xml;

pub use sarif::with_severities;

use crate::formats::Format;

pub(super) use json::FORMATS as JSON;
pub(super) use text::FORMATS as TEXT;
pub(super) use xml::FORMATS as XML;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] =
    &[sarif::FORMAT, checkstyle::FORMAT, ruff::FORMAT, eslint::FORMAT, cargo::FORMAT];
