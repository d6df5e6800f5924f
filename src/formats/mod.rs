//! Report formats: bytes in, [`Reading`] out. One file a format, one row in [`FORMATS`], one folder
//! under `fixtures/`; nothing else has to be touched to add one.
//!
//! What holds for every reader here:
//! * It streams: memory grows with what is kept (findings, lines, cases), not with the report's size.
//! * It never answers "nothing found" for something that it did not understand: an empty, cut off or
//!   foreign input is [`Reading::Refused`], an unfinished run is [`Reading::Degraded`].
//! * It counts leaves (results, cases, lines), never declared totals, and notes where they differ.
//! * It touches no file, fetches nothing, and resolves no XML entity or DTD.

#![deny(clippy::disallowed_methods)]

use std::io::BufRead;

use crate::model::Reading;

/// What a format is about. One report can hold one kind only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    /// Findings of linters and scanners.
    Lint,
    /// Test cases.
    Tests,
    /// Covered lines.
    Coverage,
    /// Cyclomatic complexity.
    Complexity,
}

/// One row of the table.
pub struct Format {
    /// The word for `format = "…"`.
    pub name: &'static str,
    /// What it is about.
    pub kind: FormatKind,
    /// Tools that write it, for people.
    pub tools: &'static str,
    /// Whether these first bytes (at most [`HEAD_BYTES`]) can only be this format.
    pub sniff: fn(&[u8]) -> bool,
    /// Reads a report to its end.
    pub read: fn(&mut dyn BufRead) -> Reading,
}

/// How much of a report is looked at to tell its format.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Every format, in the order that `git review-evidence formats` prints.
pub static FORMATS: &[Format] = &[];
