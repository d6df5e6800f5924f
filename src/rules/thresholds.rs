//! The limits that a commit is judged by, with the defaults of the reference system.
//!
//! A *limit* asks something of the head alone, a *budget* says how far a score may fall against the
//! base, a *floor* is absolute and is never mended by comparison.

use std::collections::BTreeMap;

use crate::model::{Decimal, Dimension};

/// Which findings of the forge's CI block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CiLevel {
    /// Critical ones.
    Critical,
    /// High ones too.
    High,
    /// None.
    Off,
}

/// What a limit does when it is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// It blocks.
    Block,
    /// It is said.
    Warn,
    /// It is not looked at.
    Off,
}

/// `[policy]` as values.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// Least line coverage of the tree, in percent.
    pub min_coverage: Decimal,
    /// Most that line coverage may fall against the base, in points.
    pub max_coverage_drop: Decimal,
    /// Most findings of level error.
    pub max_lint_errors: u64,
    /// Most failed and errored tests.
    pub max_test_failures: u64,
    /// Largest cyclomatic complexity of a function.
    pub max_complexity: u64,
    /// Least coverage of the changed lines, in percent; 0 is off.
    pub min_patch_coverage: Decimal,
    /// Below this many changed coverable lines their coverage does not gate.
    pub patch_coverage_min_lines: u64,
    /// Most critical and high advisories.
    pub max_vulnerabilities: (u64, u64),
    /// See [`CiLevel`].
    pub ci_level: CiLevel,
    /// What drift of severity high does.
    pub drift: Severity,
    /// Whether a commit that could not be judged is blocked by hooks, or only named.
    pub on_degraded: Severity,
    /// A limit never asks for better than the base already had.
    pub hold_the_line: bool,
    /// Share of each dimension in the overall score; they sum to 1 ± 0.01.
    pub weights: BTreeMap<&'static str, f64>,
    /// Least score by dimension (or `overall`).
    pub hard_floors: BTreeMap<&'static str, f64>,
    /// Most a score may change before it blocks (0 or negative, points).
    pub hard_block: BTreeMap<&'static str, f64>,
    /// Most a score may change before a reviewer is asked.
    pub warn_reviewer: BTreeMap<&'static str, f64>,
}

fn by_dimension(values: [f64; 5]) -> BTreeMap<&'static str, f64> {
    // The order of the reference: security, quality, coverage, spec compliance, discipline.
    Dimension::ALL.iter().map(|d| d.word()).zip(values).collect()
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds {
            min_coverage: Decimal::whole(60),
            max_coverage_drop: Decimal::whole(5),
            max_lint_errors: 0,
            max_test_failures: 0,
            max_complexity: 15,
            min_patch_coverage: Decimal::ZERO,
            patch_coverage_min_lines: 10,
            max_vulnerabilities: (0, 0),
            ci_level: CiLevel::Critical,
            drift: Severity::Block,
            on_degraded: Severity::Block,
            hold_the_line: true,
            weights: by_dimension([0.30, 0.20, 0.20, 0.15, 0.15]),
            hard_floors: BTreeMap::from([(Dimension::Security.word(), 60.0)]),
            hard_block: by_dimension([-2.0, -5.0, -5.0, -10.0, -20.0]),
            warn_reviewer: by_dimension([0.0, -2.0, -2.0, -5.0, -10.0]),
        }
    }
}
