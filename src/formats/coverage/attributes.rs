//! Numbers in attributes, for coverage in XML. What is not there or no number is none.

use crate::formats::text;
use crate::formats::xml::Element;

/// A count.
pub(super) fn count(e: &Element<'_>, name: &str) -> Option<u64> {
    e.with_attr(name, text::count).flatten()
}

/// A count of branches.
pub(super) fn small(e: &Element<'_>, name: &str) -> Option<u32> {
    count(e, name).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// A line, from 1.
pub(super) fn line(e: &Element<'_>, name: &str) -> Option<u32> {
    e.with_attr(name, text::line_number).flatten()
}

/// Two counts, that of what was covered first; what is not there is none covered of none.
pub(super) fn covered(e: &Element<'_>, covered: &str, all: &str) -> (u64, u64) {
    (count(e, covered).unwrap_or(0), count(e, all).unwrap_or(0))
}
