//! Gathers coverage by file and line while a report is read, and merges what says the same.

use std::collections::BTreeMap;

use super::by_line::ByLine;
use crate::formats::Found;
use crate::model::{CoverageFigures, Figures, FileCoverage, LineBranches, LineHits, Totals};

/// Lines of one file so far.
#[derive(Debug, Default)]
pub(in crate::formats) struct FileLines {
    hits: ByLine<u64>,
    branches: ByLine<(u32, u32)>,
    totals: Option<Totals>,
}

/// Branches of one file by line, each known by its identity there: one that is listed several times
/// counts once, and is taken where one listing says so.
#[derive(Debug)]
pub(in crate::formats) struct Branches<K>(ByLine<BTreeMap<K, bool>>);

impl<K> Default for Branches<K> {
    fn default() -> Self {
        Branches(ByLine::default())
    }
}

impl<K: Ord> Branches<K> {
    /// A branch of a line.
    pub(in crate::formats) fn add(&mut self, line: u32, branch: K, taken: bool) {
        *self.0.entry(line).entry(branch).or_default() |= taken;
    }

    /// Puts their counts to the lines of the file.
    pub(in crate::formats) fn put(&self, file: &mut FileLines) {
        let size = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        for (line, branches) in self.0.iter() {
            let taken = branches.values().filter(|t| **t).count();
            file.branches(line, size(taken), size(branches.len()));
        }
    }

    /// Takes in what another part of the report says of the same file.
    pub(in crate::formats) fn merge(&mut self, more: Self) {
        for (line, branches) in more.0.into_sorted() {
            let known = self.0.entry(line);
            for (branch, taken) in branches {
                *known.entry(branch).or_default() |= taken;
            }
        }
    }

    /// Whether there is none.
    pub(in crate::formats) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Files so far.
#[derive(Debug, Default)]
pub(in crate::formats) struct Gathered {
    files: BTreeMap<String, FileLines>,
}

impl FileLines {
    /// More hits of a line, from another part of the run.
    pub(in crate::formats) fn add(&mut self, line: u32, hits: u64) {
        let sum = self.hits.entry(line);
        *sum = sum.saturating_add(hits);
    }

    /// Hits of a line that the report may list several times; tells whether it is new.
    pub(in crate::formats) fn at_least(&mut self, line: u32, hits: u64) -> bool {
        let before = self.hits.len();
        let most = self.hits.entry(line);
        *most = (*most).max(hits);
        self.hits.len() > before
    }

    /// Branches of a line: of several statements the largest counts.
    pub(in crate::formats) fn branches(&mut self, line: u32, hit: u32, found: u32) {
        let most = self.branches.entry(line);
        *most = (most.0.max(hit.min(found)), most.1.max(found));
    }

    /// Declared totals, used where no leaf is there; of several the larger.
    pub(in crate::formats) fn declared(&mut self, totals: Totals) {
        let old = self.totals.unwrap_or_default();
        self.totals = Some(Totals {
            lines_found: old.lines_found.max(totals.lines_found),
            lines_hit: old.lines_hit.max(totals.lines_hit),
            branches_found: old.branches_found.max(totals.branches_found),
            branches_hit: old.branches_hit.max(totals.branches_hit),
        });
    }

    /// Lines found and hit.
    pub(in crate::formats) fn counts(&self) -> (u64, u64) {
        let hit = self.hits.values().filter(|h| **h > 0).count();
        (self.hits.len() as u64, hit as u64)
    }

    fn summed(&self) -> Totals {
        let ((lines_found, lines_hit), branches) = (self.counts(), self.branches.values());
        let (branches_hit, branches_found) =
            branches.fold((0, 0), |(h, f), b| (h + u64::from(b.0), f + u64::from(b.1)));
        match self.totals {
            Some(totals) if lines_found == 0 && branches_found == 0 => totals,
            _ => Totals { lines_found, lines_hit, branches_found, branches_hit },
        }
    }

    fn into_file(self, path: String) -> FileCoverage {
        let no_leaf = self.hits.is_empty() && self.branches.is_empty();
        FileCoverage {
            path,
            lines: self.hits.into_sorted().into_iter().map(LineHits::from).collect(),
            branches: self
                .branches
                .into_sorted()
                .into_iter()
                .map(|(line, (hit, found))| LineBranches { line, hit, found })
                .collect(),
            totals: self.totals.filter(|_| no_leaf),
            unstable: Vec::new(),
        }
    }
}

impl Gathered {
    /// The file of this path.
    pub(in crate::formats) fn file(&mut self, path: &str) -> &mut FileLines {
        self.files.entry(path.to_owned()).or_default()
    }

    /// Whether no file is there.
    pub(in crate::formats) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the file of this path is there already.
    pub(in crate::formats) fn knows(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Lines found, over all files.
    pub(in crate::formats) fn lines_found(&self) -> u64 {
        self.files.values().map(|f| f.hits.len() as u64).sum()
    }

    /// Takes in what another report says.
    pub(in crate::formats) fn merge(&mut self, figures: CoverageFigures) {
        for file in figures.files {
            let lines = self.file(&file.path);
            file.lines.iter().for_each(|l| lines.add(l.line, l.hits));
            file.branches.iter().for_each(|b| lines.branches(b.line, b.hit, b.found));
            if let Some(totals) = file.totals {
                lines.declared(totals);
            }
        }
    }

    /// What a reader answers. Coverage of no file is no evidence, whoever says so.
    pub(in crate::formats) fn found(self, notes: Vec<String>, mut causes: Vec<String>) -> Found {
        if self.files.is_empty() && causes.is_empty() {
            causes.push("it lists no file".to_owned());
        }
        Ok((Figures { coverage: Some(self.finish()), notes, ..Figures::default() }, causes))
    }

    /// Totals over all files, as the figures will say them.
    pub(in crate::formats) fn totals(&self) -> Totals {
        self.files.values().fold(Totals::default(), |mut all, file| {
            add(&mut all, file.summed());
            all
        })
    }

    /// The figures, sorted by path.
    pub(in crate::formats) fn finish(self) -> CoverageFigures {
        CoverageFigures {
            files: self.files.into_iter().map(|(path, f)| f.into_file(path)).collect(),
        }
    }
}

/// Adds totals up.
pub(in crate::formats) fn add(to: &mut Totals, more: Totals) {
    to.lines_found = to.lines_found.saturating_add(more.lines_found);
    to.lines_hit = to.lines_hit.saturating_add(more.lines_hit);
    to.branches_found = to.branches_found.saturating_add(more.branches_found);
    to.branches_hit = to.branches_hit.saturating_add(more.branches_hit);
}

/// Totals of lines and of branches, both as (covered, all).
pub(in crate::formats) fn totals(lines: (u64, u64), branches: (u64, u64)) -> Totals {
    Totals {
        lines_found: lines.1,
        lines_hit: lines.0,
        branches_found: branches.1,
        branches_hit: branches.0,
    }
}

/// A note where declared totals are not what is listed; both as (covered, all).
pub(in crate::formats) fn differing(
    what: &str,
    declared: (u64, u64),
    listed: (u64, u64),
) -> Option<String> {
    (declared != listed).then(|| {
        format!(
            "it declares {} of {} {what} covered, and lists {} of {}",
            declared.0, declared.1, listed.0, listed.1
        )
    })
}

/// A note on a number that is not zero.
pub(in crate::formats) fn counted(words: &str, number: u64) -> Option<String> {
    (number > 0).then(|| format!("{words}: {number}"))
}

/// Words of the note on lines that are counted once.
pub(in crate::formats) const REPEATED: &str = "lines that are listed several times, counted once";

/// Words of the note on branches that are in declared totals only.
pub(in crate::formats) const UNPLACED_BRANCHES: &str =
    "branches that it declares and no line holds";
