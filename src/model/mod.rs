//! Floor 0, words: plain values with their serialised shape.
//!
//! Nothing here decides anything and nothing touches a file, the clock, the environment or a
//! process. Every other module speaks in these words.

#![deny(clippy::disallowed_methods)]

pub mod advisory;
mod change;
mod diff;
mod end;
mod figures;
mod finding;
mod ids;
mod ratio;
mod reason;
mod record;
mod shared;
mod text;
mod verdict;

pub use change::{Changed, Line, Side};
pub use diff::{DiffMap, FileDiff, Hunk};
pub use end::{Escalation, Outcome, Status};
pub use figures::{
    Advisory, CoverageFigures, DependencyFigures, Figures, FileCoverage, FunctionComplexity,
    LineBranches, LineHits, LintFigures, Reading, Severity, TestCase, TestFigures, TestStatus,
    Totals,
};
pub use finding::{Finding, Level};
pub(crate) use ids::is_zero;
pub use ids::{BadId, CommitId};
pub use ratio::{Decimal, Ratio, decimals_apart};
pub use reason::{BlockReason, Kind};
pub use record::{
    CheckRun, CheckStatus, CiMetrics, ComplexityMetrics, CoverageMetrics, DependencyMetrics,
    LintMetrics, Metrics, PatchCoverage, Record, RecordError, ReportRef, SCHEMA_VERSION,
    TestMetrics, ToolRef,
};
pub use shared::{Interner, SharedText};
pub use text::{sanitize, sanitize_bytes, shell_word, unescaped};
pub use verdict::{Decision, Dimension, RegressionVerdict, Scores, Verdict};
