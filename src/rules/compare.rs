//! Coverage of the head against the base: which lines lost it, and what the change itself covers.

use std::collections::{BTreeMap, HashMap};

use crate::model::{CoverageFigures, DiffMap, FileCoverage, LineBranches, LineHits};

/// Lines that the base covered, that the head still has, and that no test runs any more.
pub fn lost_lines(
    base: &CoverageFigures,
    head: &CoverageFigures,
    diff: &DiffMap,
) -> Vec<(String, u32)> {
    let files: HashMap<&str, &FileCoverage> =
        head.files.iter().map(|f| (f.path.as_str(), f)).collect();
    let mut lost = Vec::new();
    for file in &base.files {
        for line in file.lines.iter().filter(|l| l.hits > 0) {
            let Some((path, number)) = diff.map_line(&file.path, line.line) else { continue };
            let covered = match files.get(path.as_str()) {
                // The file left the report: its lines are covered no more.
                None => Some(false),
                Some(now) => hits(now, number).map(|h| h > 0),
            };
            // A line that the head's report does not count as code is no loss.
            if covered == Some(false) {
                lost.push((path, number));
            }
        }
    }
    lost
}

fn hits(file: &FileCoverage, line: u32) -> Option<u64> {
    file.lines.binary_search_by_key(&line, |l| l.line).ok().map(|i| file.lines[i].hits)
}

/// Coverage of the lines that a change adds or edits, for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatchFile {
    /// The file.
    pub path: String,
    /// Changed coverable lines that ran.
    pub covered: u64,
    /// Changed coverable lines.
    pub total: u64,
    /// Those that no test runs.
    pub missing: Vec<u32>,
}

/// Coverage of the changed lines, files without changed coverable lines left out.
pub fn patch_coverage(head: &CoverageFigures, diff: &DiffMap) -> Vec<PatchFile> {
    let mut files = Vec::new();
    for file in &head.files {
        let mut patch = PatchFile { path: file.path.clone(), ..PatchFile::default() };
        for line in diff.added_lines(&file.path).into_iter().flatten() {
            match hits(file, line) {
                None => {}
                Some(0) => {
                    patch.total += 1;
                    patch.missing.push(line);
                }
                Some(_) => {
                    patch.total += 1;
                    patch.covered += 1;
                }
            }
        }
        if patch.total > 0 {
            files.push(patch);
        }
    }
    files
}

/// Two checks' coverage as one: a line is covered if either ran it, of branches the larger count.
pub fn union_coverage(a: &CoverageFigures, b: &CoverageFigures) -> CoverageFigures {
    let mut files: BTreeMap<&str, FileCoverage> = BTreeMap::new();
    for file in a.files.iter().chain(&b.files) {
        match files.get_mut(file.path.as_str()) {
            None => {
                files.insert(&file.path, file.clone());
            }
            Some(have) => merge_file(have, file),
        }
    }
    CoverageFigures { files: files.into_values().collect() }
}

fn merge_file(have: &mut FileCoverage, more: &FileCoverage) {
    let mut lines: BTreeMap<u32, u64> = have.lines.iter().map(|l| (l.line, l.hits)).collect();
    for line in &more.lines {
        let hits = lines.entry(line.line).or_default();
        *hits = hits.saturating_add(line.hits);
    }
    have.lines = lines.into_iter().map(|(line, hits)| LineHits { line, hits }).collect();
    let mut branches: BTreeMap<u32, (u32, u32)> =
        have.branches.iter().map(|b| (b.line, (b.hit, b.found))).collect();
    for b in &more.branches {
        let (hit, found) = branches.entry(b.line).or_default();
        (*hit, *found) = ((*hit).max(b.hit), (*found).max(b.found));
    }
    have.branches = branches
        .into_iter()
        .map(|(line, (hit, found))| LineBranches { line, hit, found })
        .collect();
    have.totals = have.totals.or(more.totals);
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
