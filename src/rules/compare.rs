//! Coverage of the head against the base: which lines lost it, and what the change itself covers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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
            let here = files.get(path.as_str());
            let unstable = |file: &FileCoverage, line| file.unstable.binary_search(&line).is_ok();
            if unstable(file, line.line) || here.is_some_and(|now| unstable(now, number)) {
                continue;
            }
            let covered = match here {
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

/// Two measurements of the same content as one: what ran in either counts as covered, and a line that
/// ran in one alone is unstable from now on.
pub fn settle(earlier: &CoverageFigures, now: &mut CoverageFigures) {
    let old: HashMap<&str, &FileCoverage> =
        earlier.files.iter().map(|f| (f.path.as_str(), f)).collect();
    for file in &mut now.files {
        let Some(before) = old.get(file.path.as_str()) else { continue };
        let mut unstable: BTreeSet<u32> = before.unstable.iter().copied().collect();
        for line in &mut file.lines {
            let Some(had) = hits(before, line.line) else { continue };
            if (had > 0) != (line.hits > 0) {
                unstable.insert(line.line);
            }
            line.hits = line.hits.max(had);
        }
        file.unstable = unstable.into_iter().collect();
    }
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

/// Changed files of a kind that the report measures and that are not in it, tests aside: a new file
/// that nothing loads is in no report.
pub fn not_in_report(head: &CoverageFigures, diff: &DiffMap) -> Vec<String> {
    let ending = |path: &str| path.rsplit_once('.').map(|(_, e)| e.to_string());
    let measured: BTreeSet<&str> = head.files.iter().map(|f| f.path.as_str()).collect();
    let endings: BTreeSet<String> = measured.iter().filter_map(|p| ending(p)).collect();
    let changed = diff.files.iter().filter_map(|f| f.new.as_deref());
    let source = changed.filter(|p| ending(p).is_some_and(|e| endings.contains(&e)));
    let untold = source.filter(|p| !measured.contains(p) && !is_test(p));
    let lines = untold.filter(|p| !diff.added_lines(p).is_empty());
    lines.map(str::to_string).collect()
}

/// By the names that test runners look for.
fn is_test(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let folder = ["test", "tests", "__tests__", "spec", "testing"];
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.")
        || parts.any(|part| folder.contains(&part))
}

/// Coverage in which each file comes once, sorted by path.
pub fn each_file_once(figures: CoverageFigures) -> CoverageFigures {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for file in figures.files {
        match files.get_mut(&file.path) {
            None => {
                files.insert(file.path.clone(), file);
            }
            Some(have) => merge_file(have, &file),
        }
    }
    CoverageFigures { files: files.into_values().collect() }
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
    let unstable: BTreeSet<u32> = have.unstable.iter().chain(&more.unstable).copied().collect();
    have.unstable = unstable.into_iter().collect();
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
