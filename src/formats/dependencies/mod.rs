//! Advisories against dependencies.

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[];
