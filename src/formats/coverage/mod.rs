//! Covered lines and branches.

mod attributes;
mod by_line;
mod clover;
mod cobertura;
mod coveragepy;
mod coveralls;
mod entries;
mod gathered;
mod gcovr;
mod go_cover;
mod istanbul;
mod istanbul_summary;
mod jacoco;
mod lcov;
mod llvm_cov;
mod llvm_lines;
mod opencover;
mod simplecov;
mod sonarqube;

use crate::formats::Format;

pub(super) use gathered::Gathered;

/// The formats of this kind.
pub(super) static FORMATS: &[Format] = &[
    lcov::FORMAT,
    cobertura::FORMAT,
    coveragepy::FORMAT,
    jacoco::FORMAT,
    clover::FORMAT,
    opencover::FORMAT,
    llvm_cov::FORMAT,
    go_cover::FORMAT,
    istanbul::FORMAT,
    istanbul_summary::FORMAT,
    simplecov::FORMAT,
    gcovr::FORMAT,
    coveralls::FORMAT,
    sonarqube::FORMAT,
];
