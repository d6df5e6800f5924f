//! Which finding of the head is which finding of the base: one to one, through moved lines,
//! edited neighbours, renamed and moved files, and duplicates, with the sign by which it was known.
//!
//! What is known stays out of the next step, from the surest sign to the weakest:
//! 1. the same message at the same place, followed through the diff; then with its digits blotted out
//!    (`too complex (12 > 10)`);
//! 2. a fingerprint of the tool's own that stands for one finding on each side;
//! 3. the same message on a line of the same text, elsewhere in the file (a block that moved);
//! 4. with a diff: the same message in the same hunk (the line was edited), or on lines that both
//!    stood still (the tool reports it elsewhere now), or once on each side of the file.
//!    Without one: the same message in the same file in order, then with blotted digits where the
//!    neighbours that are known say that the line is;
//! 5. the same message on a line of the same text in another file; where no text is known, once on
//!    each side and the old file gone.
//!
//! So five errors mended and five made elsewhere are five new ones, whatever the counts say.

mod files;
mod pairs;
mod place;

use crate::model::{DiffMap, Finding};

use pairs::Pool;
use place::Spot;

/// By what a finding was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It stands where it stood, moved lines and renamed files followed.
    Place,
    /// The tool's own fingerprint.
    Fingerprint,
    /// Its line says the same elsewhere.
    LineText,
    /// Its line was edited.
    Edited,
    /// The message alone.
    Message,
}

/// The finding of the base that a finding of the head is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Its index at the base.
    pub base: usize,
    /// By what it was known.
    pub by: Sign,
}

/// For each finding of the head the one of the base that it is, each base finding at most once.
/// Without a diff (two reports alone) lines and renames are inferred from what is the same.
pub fn match_findings(
    base: &[&Finding],
    head: &[&Finding],
    diff: Option<&DiffMap>,
) -> Vec<Option<Known>> {
    let mut pool = Pool::new(base, head, diff);
    same_place(&mut pool);
    pool.only_one(Sign::Fingerprint, |s| s.fingerprint.map(|f| (s.who, f)));
    pool.nearest(Sign::LineText, |s| Some((s.who, s.at?, s.hash?, s.blotted)));
    if diff.is_some() {
        in_the_file(&mut pool);
        in_another_file(&mut pool);
    } else {
        without_diff(&mut pool, base, head);
    }
    pool.finish()
}

fn same_place(pool: &mut Pool<'_>) {
    let placed = |s: &Spot<'_>| !s.removed();
    pool.nearest(Sign::Place, |s| placed(s).then_some((s.who, s.at, s.line, s.what)));
    pool.nearest(Sign::Place, |s| placed(s).then_some((s.who, s.at, s.line, s.blotted)));
}

/// With a diff: an edited line, a line that stands still, the only one of the file.
fn in_the_file(pool: &mut Pool<'_>) {
    pool.nearest(Sign::Edited, |s| Some((s.who, s.hunk?, s.blotted)));
    pool.nearest(Sign::Message, |s| s.hunk.is_none().then_some((s.who, s.at, s.blotted)));
    // A line taken away and another brought in another place, whose texts differ, are two things.
    let comparable = |s: &Spot<'_>| s.hunk.is_some() && s.hash.is_some();
    pool.only_one_if(
        Sign::Message,
        |s| Some((s.who, s.at?, s.blotted)),
        |b, h| !(comparable(b) && comparable(h)),
    );
    pool.nearest(Sign::Message, |s| {
        (s.hunk.is_some() && s.hash.is_none()).then_some((s.who, s.at?, s.what))
    });
}

fn in_another_file(pool: &mut Pool<'_>) {
    pool.nearest(Sign::LineText, |s| s.hunk.is_some().then_some((s.who, s.hash?, s.blotted)));
    pool.only_one_if(
        Sign::Message,
        |s| Some((s.who, s.what)),
        |b, h| b.file_gone && h.hunk.is_some() && (b.hash.is_none() || h.hash.is_none()),
    );
}

/// Two reports alone: the order of what is the same tells where lines went.
fn without_diff<'a>(pool: &mut Pool<'a>, base: &[&'a Finding], head: &[&'a Finding]) {
    pool.nearest(Sign::Message, |s| Some((s.who, s.at?, s.what)));
    files::follow_renames(pool, base, head);
    pool.nearest(Sign::Message, |s| Some((s.who, s.at?, s.what)));
    for side in [place::Neighbour::Before, place::Neighbour::After] {
        pool.shift(side);
        pool.nearest(Sign::Edited, |s| Some((s.who, s.at?, s.shifted.or(s.line)?, s.blotted)));
    }
    pool.only_one_if(Sign::Message, |s| Some((s.who, s.what)), |b, _| b.file_gone);
}

#[cfg(test)]
#[path = "../matching_tests.rs"]
mod tests;
