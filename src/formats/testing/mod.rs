//! Test cases.

mod cases;
mod go_test_json;
mod junit;
mod tap;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[junit::FORMAT, tap::FORMAT, go_test_json::FORMAT];
