//! Test cases.

mod cases;
mod go_test_json;
mod junit;
mod nunit;
mod tap;
mod trx;
mod xunit;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] =
    &[junit::FORMAT, tap::FORMAT, go_test_json::FORMAT, trx::FORMAT, nunit::FORMAT, xunit::FORMAT];
