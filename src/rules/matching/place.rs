//! Where a finding stands, in the head's words: the base's through the diff.

use crate::model::{DiffMap, Finding};

/// A finding as it is looked for.
#[derive(Debug, Clone)]
pub(super) struct Spot<'a> {
    pub(super) tool: &'a str,
    pub(super) rule: &'a str,
    /// Numbers that stand for tool and rule, message, and path: told apart at a glance.
    pub(super) who: u32,
    pub(super) what: u32,
    pub(super) at: Option<u32>,
    /// The message with each run of digits blotted out, as a number that stands for it.
    pub(super) blotted: u32,
    /// The path at the head.
    pub(super) path: Option<&'a str>,
    /// The line at the head; of a line that was taken away the one of the base.
    pub(super) line: Option<u32>,
    /// The hunk that took its line away, or brought it.
    pub(super) hunk: Option<(usize, usize)>,
    /// The base's file is no more (base side only).
    pub(super) file_gone: bool,
    pub(super) hash: Option<u64>,
    pub(super) fingerprint: Option<&'a str>,
    /// The line where known neighbours say that it is (base side only).
    pub(super) shifted: Option<u32>,
    /// Which side it is of.
    pub(super) of_base: bool,
}

/// Which known neighbour tells where a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// The nearest above.
    Before,
    /// The nearest below.
    After,
}

impl<'a> Spot<'a> {
    /// Its line is not there any more.
    pub(super) fn removed(&self) -> bool {
        self.of_base && self.hunk.is_some()
    }

    fn plain(finding: &'a Finding, blotted: u32, of_base: bool) -> Spot<'a> {
        Spot {
            tool: &finding.tool,
            rule: &finding.rule,
            who: 0,
            what: 0,
            at: None,
            blotted,
            path: finding.path.as_deref(),
            line: finding.line,
            hunk: None,
            file_gone: false,
            hash: finding.line_hash,
            fingerprint: finding.fingerprint.as_deref(),
            shifted: None,
            of_base,
        }
    }

    /// A finding of the base.
    pub(super) fn base(finding: &'a Finding, blotted: u32, diff: Option<&'a DiffMap>) -> Spot<'a> {
        let mut spot = Spot::plain(finding, blotted, true);
        let (Some(diff), Some(path)) = (diff, finding.path.as_deref()) else { return spot };
        match diff.new_path(path) {
            Some(now) => spot.path = Some(now),
            None => spot.file_gone = true,
        }
        if let Some(line) = finding.line {
            spot.hunk = diff.hunk_of_old(path, line);
            if let Some((_, now)) = diff.map_line(path, line) {
                spot.line = Some(now);
            }
        }
        spot
    }

    /// A finding of the head.
    pub(super) fn head(finding: &'a Finding, blotted: u32, diff: Option<&'a DiffMap>) -> Spot<'a> {
        let mut spot = Spot::plain(finding, blotted, false);
        if let (Some(diff), Some(path), Some(line)) = (diff, finding.path.as_deref(), finding.line)
        {
            spot.hunk = diff.hunk_of_new(path, line);
        }
        spot
    }
}
