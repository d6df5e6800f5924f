//! Test cases.

mod cases;
#[cfg(test)]
mod cases_tests;
mod dart_json;
mod go_test_json;
mod jest_json;
mod json_report;
mod junit;
#[cfg(test)]
mod junit_tests;
mod mocha_json;
mod nunit;
mod rspec_json;
mod tap;
#[cfg(test)]
mod tap_tests;
mod trx;
mod xunit;

use crate::formats::Format;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[
    junit::FORMAT,
    tap::FORMAT,
    go_test_json::FORMAT,
    trx::FORMAT,
    nunit::FORMAT,
    xunit::FORMAT,
    mocha_json::FORMAT,
    rspec_json::FORMAT,
    dart_json::FORMAT,
    jest_json::FORMAT,
];
