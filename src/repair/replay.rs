//! What a journal says of the run that wrote it. Pure: lines in, standing out.

use std::collections::BTreeSet;

use super::checkout::{Paths, paths_of};
use super::ports::WORSE;
use super::report::LogEntry;
use crate::engine::Totals;
use crate::model::{BlockReason, CommitId, Outcome};
use crate::rules::progress::reason_set;
use crate::store::journal::{Before, Entry, FixerEnd, Read, RunStarted};

/// What was half done when the journal stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Half {
    /// Nothing.
    Nothing,
    /// A fixer had the tree; nobody has looked at what it did.
    Fixer {
        /// The tip before it.
        before: CommitId,
        /// Where it left the tip, if it ended.
        head: Option<CommitId>,
    },
    /// The iteration's commits may stay, but were not compared.
    Committed { before: CommitId, sha: CommitId },
    /// The branch was going back.
    GoingBack { from: CommitId, to: CommitId, worse: bool },
}

/// How a run stands.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    pub(super) half: Half,
    /// What checks left in the tree, or was uncommitted before the last fixer.
    pub(super) leavings: Paths,
    /// What the last fixer left changed, as it was seen at its end.
    pub(super) named: BTreeSet<String>,
    /// Dispatches, with what is known of how they went.
    pub(super) log: Vec<LogEntry>,
    pub(super) estimated: bool,
    /// The move of the branch that ends a run in a worktree, if it was announced.
    pub(super) home: Option<(CommitId, CommitId)>,
    /// The last checkpoint's ref.
    pub(super) checkpoint: Option<String>,
    /// Where the tip was before anything that is half done.
    pub(super) good: CommitId,
    /// Every commit that the run had as its tip.
    pub(super) known: BTreeSet<CommitId>,
    /// Rules against gaming that fired.
    fired: BTreeSet<String>,
    /// The last iteration is going back for one of them.
    gamed: bool,
    iterations: u64,
    tokens: u64,
    reverts: u64,
    last_reasons: Option<Vec<String>>,
    present: Vec<BlockReason>,
    before: Vec<BlockReason>,
    tip_before: CommitId,
}

impl Replay {
    /// Reads a journal through.
    pub(super) fn of(started: &RunStarted, read: &Read) -> Replay {
        let start = started.start_sha.clone();
        let mut replay = Replay {
            half: Half::Nothing,
            leavings: Paths::new(),
            named: BTreeSet::new(),
            log: Vec::new(),
            estimated: false,
            home: None,
            fired: BTreeSet::new(),
            gamed: false,
            checkpoint: None,
            good: start.clone(),
            known: BTreeSet::from([start.clone()]),
            iterations: 0,
            tokens: 0,
            reverts: 0,
            last_reasons: None,
            present: Vec::new(),
            before: Vec::new(),
            tip_before: start,
        };
        for entry in &read.entries {
            replay.take(entry);
        }
        replay
    }

    fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::RunStarted(_)
            | Entry::Resumed { .. }
            | Entry::Consulted(_)
            | Entry::RunEnded { .. } => {}
            Entry::Left { paths } => self.leavings.extend(paths_of(paths)),
            Entry::Checkpoint { ref_name, sha, .. } => {
                self.checkpoint = Some(ref_name.clone());
                self.tip_before = sha.clone();
                self.before.clone_from(&self.present);
                self.stands_at(sha);
            }
            Entry::Dispatch { .. } | Entry::FixerEnded { .. } => self.dispatched(entry),
            Entry::Committed { sha } => {
                self.known.insert(sha.clone());
                if let Some(last) = self.log.last_mut() {
                    last.sha_after = sha.to_string();
                }
                self.half = Half::Committed { before: self.tip_before.clone(), sha: sha.clone() };
            }
            Entry::ComingHome { from, to } => self.home = Some((from.clone(), to.clone())),
            Entry::Measured { reasons, .. } => self.present.clone_from(reasons),
            Entry::RollingBack { from, to, why } => {
                let worse = why == WORSE;
                self.half = Half::GoingBack { from: from.clone(), to: to.clone(), worse };
            }
            Entry::Gamed { rules, .. } => {
                self.fired.extend(rules.iter().cloned());
                self.gamed = true;
            }
            Entry::RolledBack { to } => self.went_back(to),
            Entry::Kept { sha } => {
                self.outcome(Outcome::Kept);
                self.last_reasons = Some(reason_set(&self.before));
                self.stands_at(sha);
            }
            Entry::NoChange { sha } => {
                self.last_reasons = Some(reason_set(&self.before));
                self.stands_at(sha);
            }
        }
    }

    fn dispatched(&mut self, entry: &Entry) {
        match entry {
            Entry::Dispatch { iteration, fixer, kind, reason, before } => {
                self.iterations = self.iterations.max(*iteration);
                if let Before::Paths(paths) = before {
                    self.leavings.extend(paths_of(paths));
                }
                self.half = Half::Fixer { before: self.tip_before.clone(), head: None };
                self.log.push(LogEntry {
                    iteration: u32::try_from(*iteration).unwrap_or(u32::MAX),
                    fixer: fixer.clone(),
                    kind: *kind,
                    reason: reason.to_string(),
                    sha_before: self.tip_before.to_string(),
                    sha_after: self.tip_before.to_string(),
                    outcome: Outcome::Failed,
                    tokens: 0,
                    seconds: 0.0,
                });
            }
            Entry::FixerEnded { outcome, tokens, estimated, seconds, head, paths } => {
                self.named = paths.iter().cloned().collect();
                self.tokens = self.tokens.saturating_add(*tokens);
                self.estimated |= estimated;
                let before = self.tip_before.clone();
                self.half = Half::Fixer { before, head: Some(head.clone()) };
                if let Some(last) = self.log.last_mut() {
                    (last.tokens, last.seconds) = (*tokens, *seconds);
                    last.outcome = match outcome {
                        FixerEnd::Done => Outcome::NoChange,
                        FixerEnd::Timeout => Outcome::Timeout,
                        _ => Outcome::Failed,
                    };
                }
            }
            _ => {}
        }
    }

    fn went_back(&mut self, to: &CommitId) {
        let worse = matches!(self.half, Half::GoingBack { worse: true, .. });
        self.reverts += u64::from(worse);
        if worse || std::mem::take(&mut self.gamed) {
            self.outcome(Outcome::RolledBack);
            self.present.clone_from(&self.before);
        }
        self.stands_at(to);
    }

    fn outcome(&mut self, outcome: Outcome) {
        if let (Half::Committed { .. } | Half::GoingBack { .. }, Some(last)) =
            (&self.half, self.log.last_mut())
        {
            last.outcome = outcome;
        }
    }

    fn stands_at(&mut self, tip: &CommitId) {
        self.known.insert(tip.clone());
        self.good = tip.clone();
        self.half = Half::Nothing;
    }

    /// Whether the last dispatch has no end in the journal: it was killed while it ran.
    pub(super) fn fixer_was_killed(&self) -> bool {
        matches!(self.half, Half::Fixer { head: None, .. })
    }

    /// What the run and the branch have counted: the journal is ahead of the state by what was not
    /// saved any more.
    pub(super) fn count(&self, started: &RunStarted, mut totals: Totals) -> Totals {
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        totals.fired.clone_from(&self.fired);
        totals.iterations = small(self.iterations);
        totals.tokens = self.tokens;
        let iterations = small(started.iterations_before.saturating_add(self.iterations));
        totals.iter_count_total = totals.iter_count_total.max(iterations);
        let tokens = started.tokens_before.saturating_add(self.tokens);
        totals.tokens_total = totals.tokens_total.max(tokens);
        let reverts = small(started.reverts_before.saturating_add(self.reverts));
        totals.reverts = totals.reverts.max(reverts);
        if self.last_reasons.is_some() {
            totals.last_reasons_set.clone_from(&self.last_reasons);
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
    use crate::store::journal::Mode;

    fn id(digit: &str) -> CommitId {
        CommitId::parse(&digit.repeat(40)).unwrap()
    }

    fn replayed(entries: &[Entry]) -> Replay {
        let started = started();
        let mut all = vec![Entry::RunStarted(started.clone())];
        all.extend_from_slice(entries);
        Replay::of(&started, &Read { entries: all, torn: false })
    }

    fn started() -> RunStarted {
        RunStarted {
            run_id: "r".into(),
            branch: "refs/heads/x".into(),
            checkout: "/x".into(),
            mode: Mode::InPlace,
            start_sha: id("1"),
            at: String::new(),
            iterations_before: 3,
            tokens_before: 100,
            reverts_before: 0,
            max_iter: 5,
            token_budget: 1000,
            max_cumulative_iter: Some(10),
        }
    }

    /// One iteration from its checkpoint to the commits that wait to be measured.
    fn iteration(number: u64, before: &CommitId, after: &CommitId) -> Vec<Entry> {
        vec![
            Entry::Checkpoint { iteration: number, ref_name: "c".into(), sha: before.clone() },
            Entry::Dispatch {
                iteration: number,
                fixer: "f".into(),
                kind: Kind::Lint,
                reason: BlockReason::parse("lint_errors:2>0"),
                before: Before::Paths(vec!["left.xml".into()]),
            },
            Entry::FixerEnded {
                outcome: FixerEnd::Done,
                tokens: 10,
                estimated: false,
                seconds: 1.0,
                head: before.clone(),
                paths: Vec::new(),
            },
            Entry::Committed { sha: after.clone() },
        ]
    }

    fn measured(sha: &CommitId, reason: &str) -> Entry {
        let decision = crate::model::Decision::BlockRegression;
        let reasons = vec![BlockReason::parse(reason)];
        Entry::Measured { sha: sha.clone(), decision, reasons }
    }

    #[test]
    fn every_position_has_its_half() {
        let (one, two) = (id("1"), id("2"));
        let lines = iteration(1, &one, &two);
        let before = one.clone();
        let committed = Half::Committed { before: one.clone(), sha: two.clone() };
        for (count, half) in [
            (0, Half::Nothing),
            (1, Half::Nothing),
            (2, Half::Fixer { before: before.clone(), head: None }),
            (3, Half::Fixer { before, head: Some(one.clone()) }),
            (4, committed),
        ] {
            let replay = replayed(&lines[..count]);
            assert_eq!(replay.half, half, "{count} lines");
            assert_eq!(replay.good, one, "{count} lines");
        }
        assert!(replayed(&lines[..2]).leavings.contains(b"left.xml".as_slice()));
    }

    #[test]
    fn what_the_journal_counted_is_ahead_of_the_state() {
        let (one, two, three) = (id("1"), id("2"), id("3"));
        let mut lines = vec![measured(&one, "lint_errors:2>0")];
        lines.extend(iteration(1, &one, &two));
        lines.extend([measured(&two, "lint_errors:1>0"), Entry::Kept { sha: two.clone() }]);
        lines.extend(iteration(2, &two, &three));
        let (from, to) = (three.clone(), two.clone());
        lines.push(Entry::RollingBack { from, to, why: WORSE.into() });
        lines.push(Entry::RolledBack { to: two.clone() });
        let replay = replayed(&lines);
        let totals = replay.count(&started(), Totals::default());
        assert_eq!((totals.iterations, totals.iter_count_total), (2, 5));
        assert_eq!((totals.tokens, totals.tokens_total, totals.reverts), (20, 120, 1));
        assert_eq!(totals.last_reasons_set, Some(vec!["lint_errors:2>0".to_string()]));
        let outcomes: Vec<Outcome> = replay.log.iter().map(|e| e.outcome).collect();
        assert_eq!(outcomes, [Outcome::Kept, Outcome::RolledBack]);
        assert_eq!((replay.good, replay.known.len()), (two, 3));
    }
}
