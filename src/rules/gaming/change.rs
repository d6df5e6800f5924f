//! What the rules look at beside the reports.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::assertions::every_line;
use super::ruler::is_test_path;
use super::tokens::Source;
use crate::model::{Changed, Hunk, Kind, Line};

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

/// A change while it is looked at: every rule asks the same of every file, so that is found out once.
pub(super) struct View<'a> {
    pub(super) change: &'a Change,
    pub(super) files: Vec<File<'a>>,
}

/// One file of it.
pub(super) struct File<'a> {
    pub(super) file: &'a Changed,
    /// Some name of it is one of tests.
    pub(super) test: bool,
    added: OnceCell<Vec<Line<'a>>>,
    removed: OnceCell<Vec<Line<'a>>>,
    sides: OnceCell<Option<(Source<'a>, Source<'a>)>>,
}

impl<'a> View<'a> {
    pub(super) fn of(change: &'a Change) -> View<'a> {
        View { change, files: change.files.iter().map(File::of).collect() }
    }
}

impl<'a> File<'a> {
    fn of(file: &'a Changed) -> File<'a> {
        let names = [file.diff.old.as_deref(), file.diff.new.as_deref()];
        File {
            file,
            test: names.into_iter().flatten().any(is_test_path),
            added: OnceCell::new(),
            removed: OnceCell::new(),
            sides: OnceCell::new(),
        }
    }

    /// How it is called now, or was where it is gone.
    pub(super) fn path(&self) -> &'a str {
        self.file.path()
    }

    /// The lines that came.
    pub(super) fn added(&self) -> &[Line<'a>] {
        self.added.get_or_init(|| self.file.added())
    }

    /// The lines that went.
    pub(super) fn removed(&self) -> &[Line<'a>] {
        self.removed.get_or_init(|| self.file.removed())
    }

    /// The lines that came in one hunk.
    pub(super) fn added_in(&self, hunk: &Hunk) -> &[Line<'a>] {
        within(self.added(), hunk.new_start, hunk.new_len)
    }

    /// The lines that went in one hunk.
    pub(super) fn removed_in(&self, hunk: &Hunk) -> &[Line<'a>] {
        within(self.removed(), hunk.old_start, hunk.old_len)
    }

    /// The lines of tests that are new here, where more tests came than went; attributes above a
    /// definition are its own.
    pub(super) fn fresh_tests(&self) -> Vec<Range<u32>> {
        let Some((old, new)) = self.sides() else { return Vec::new() };
        let came: BTreeSet<u32> =
            new.find("testdef", self.added()).iter().map(|t| t.line.number).collect();
        if came.len() <= old.find("testdef", self.removed()).len() {
            return Vec::new();
        }
        let all = new.find("testdef", &every_line(self.file.new_text()));
        let starts: Vec<u32> = all.iter().map(|t| t.line.number).collect();
        let end = |at: u32| starts.iter().copied().find(|s| *s > at).unwrap_or(u32::MAX);
        came.into_iter().map(|at| at.saturating_sub(2)..end(at).saturating_sub(2)).collect()
    }

    /// Both texts, in a language that is known.
    pub(super) fn sides(&self) -> Option<&(Source<'a>, Source<'a>)> {
        self.sides.get_or_init(|| Source::sides(self.file)).as_ref()
    }
}

fn within<'l, 'a>(lines: &'l [Line<'a>], start: u32, len: u32) -> &'l [Line<'a>] {
    let from = lines.partition_point(|l| l.number < start);
    let to = lines.partition_point(|l| l.number < start.saturating_add(len));
    &lines[from..to]
}
