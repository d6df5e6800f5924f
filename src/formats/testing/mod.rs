//! Test cases.

mod junit;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[junit::FORMAT];
