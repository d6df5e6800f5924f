//! What the rules look at beside the reports.

use std::collections::BTreeSet;

use crate::model::{Changed, Kind};

/// Everything that the rules look at beside the reports.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The files that differ between the checkpoint and the candidate.
    pub files: Vec<Changed>,
    /// Every file of the candidate.
    pub tracked: BTreeSet<String>,
    /// The kind of the reason that was to be mended; none for a look at a commit of a person.
    pub kind: Option<Kind>,
    /// Files in which the reason's findings lie.
    pub targets: BTreeSet<String>,
    /// Tests that failed before, by their identity.
    pub failing: Vec<(String, Option<String>)>,
}
