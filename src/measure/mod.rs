//! Floor 5, measuring: from a commit to its record.
//!
//! * `setting`: which base, and which commit's configuration counts.
//! * `checks`: runs `[[check]]`s in a tree, each in an output folder of its own; `reports` reads what
//!   they wrote there, and nothing else: an older report cannot be mistaken for this run's.
//! * `kept`: measurements by content (tree, check), so that nothing is measured twice.
//! * `workplace`: a linked worktree of our own, for commits that are not checked out.
//! * `lines`: what the lines say that findings are about, so that moved ones are known again.
//! * `links`: which dependency folders lead back into the checkout and are not shared.
//! * `ci`: what the scanners of a commit's CI found; `gh` is how that is asked for.
//! * `drift`: the change against its plan and the rules of the architecture.
//! * `outside`: a program that measures instead.
//! * `review`: all of it in order.
//!
//! Judging itself is `rules`; nothing here compares anything.

mod checks;
mod ci;
mod drift;
mod gathered;
mod gh;
mod import;
mod kept;
mod lines;
mod links;
mod out;
mod outside;
mod reports;
mod review;
mod setting;
mod workplace;

pub use import::read_report;
pub use kept::{audits_are_fresh, check_key};
pub use review::{HeadMoved, MeasureFailed, Measurer, Request, Reviewed};
pub use setting::{ConfigSource, Setting, SettingError, load_setting};
pub use workplace::Workplace;

/// Somebody who is told what is going on, one plain line at a time.
pub trait Progress: Sync {
    /// One line, without a line end.
    fn say(&self, line: &str);
}

/// Nobody.
pub struct Silent;

impl Progress for Silent {
    fn say(&self, _: &str) {}
}
