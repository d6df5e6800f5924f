//! Gathers coverage by file and line while a report is read, and merges what says the same.

use std::collections::BTreeMap;

use crate::model::{CoverageFigures, FileCoverage, LineBranches, LineHits, Totals};

/// Lines of one file so far.
#[derive(Debug, Default)]
pub(in crate::formats) struct FileLines {
    hits: BTreeMap<u32, u64>,
    branches: BTreeMap<u32, (u32, u32)>,
    totals: Option<Totals>,
}

/// Files so far.
#[derive(Debug, Default)]
pub(in crate::formats) struct Gathered {
    files: BTreeMap<String, FileLines>,
}

impl FileLines {
    /// More hits of a line, from another part of the run.
    pub(in crate::formats) fn add(&mut self, line: u32, hits: u64) {
        let sum = self.hits.entry(line).or_default();
        *sum = sum.saturating_add(hits);
    }

    /// Hits of a line that the report may list several times; tells whether it is new.
    pub(in crate::formats) fn at_least(&mut self, line: u32, hits: u64) -> bool {
        let before = self.hits.len();
        let most = self.hits.entry(line).or_default();
        *most = (*most).max(hits);
        self.hits.len() > before
    }

    /// Branches of a line: of several statements the largest counts.
    pub(in crate::formats) fn branches(&mut self, line: u32, hit: u32, found: u32) {
        let most = self.branches.entry(line).or_default();
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

    fn into_file(self, path: String) -> FileCoverage {
        let no_leaf = self.hits.is_empty() && self.branches.is_empty();
        FileCoverage {
            path,
            lines: self.hits.into_iter().map(LineHits::from).collect(),
            branches: self
                .branches
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

    /// The figures, sorted by path.
    pub(in crate::formats) fn finish(self) -> CoverageFigures {
        CoverageFigures {
            files: self.files.into_iter().map(|(path, f)| f.into_file(path)).collect(),
        }
    }
}
