//! Renamed files, where no diff tells them: by what the two names have in common.

use std::collections::{BTreeMap, HashMap};

use super::pairs::Pool;
use crate::model::Finding;

/// Gives findings of a base file that is gone the path of the head's new file that says most of the
/// same. Both must be without a partner of their own name.
pub(super) fn follow_renames<'a>(pool: &mut Pool<'a>, base: &[&'a Finding], head: &[&'a Finding]) {
    let old: std::collections::HashSet<&str> =
        base.iter().filter_map(|f| f.path.as_deref()).collect();
    let mut said: HashMap<(&str, &str, u32), Vec<&'a str>> = HashMap::new();
    for i in pool.left_of_head() {
        let spot = &pool.head[i];
        if let Some(path) = head[i].path.as_deref().filter(|p| !old.contains(p)) {
            let paths = said.entry((spot.tool, spot.rule, spot.blotted)).or_default();
            if paths.last() != Some(&path) {
                paths.push(path);
            }
        }
    }
    let mut votes: BTreeMap<&'a str, BTreeMap<&'a str, usize>> = BTreeMap::new();
    let mut all: BTreeMap<&'a str, usize> = BTreeMap::new();
    for i in pool.left_of_base() {
        let spot = &pool.base[i];
        let Some(path) = spot.path.filter(|_| spot.file_gone) else { continue };
        *all.entry(path).or_default() += 1;
        // A message that many files say tells nothing of where one of them went.
        let candidates = said.get(&(spot.tool, spot.rule, spot.blotted));
        for new in candidates.into_iter().flatten().take(50) {
            *votes.entry(path).or_default().entry(new).or_default() += 1;
        }
    }
    let renames = decide(votes, &all);
    for i in 0..pool.base.len() {
        if let Some(new) = pool.base[i].path.and_then(|p| renames.get(p)) {
            pool.follow(i, new);
        }
    }
}

/// Each new name for one old name, the most votes first; at least half of what the old file said.
fn decide<'a>(
    votes: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
    all: &BTreeMap<&'a str, usize>,
) -> HashMap<&'a str, &'a str> {
    let mut pairs: Vec<(usize, bool, &str, &str)> = votes
        .into_iter()
        .flat_map(|(old, new)| new.into_iter().map(move |(new, n)| (n, old, new)))
        .filter(|(n, old, _)| n * 2 >= all.get(old).copied().unwrap_or(0))
        .map(|(n, old, new)| (n, name(old) == name(new), old, new))
        .collect();
    pairs.sort_by(|a, b| (b.0, b.1, a.2, a.3).cmp(&(a.0, a.1, b.2, b.3)));
    let (mut renames, mut taken) = (HashMap::new(), std::collections::HashSet::new());
    for (_, _, old, new) in pairs {
        if !renames.contains_key(old) && taken.insert(new) {
            renames.insert(old, new);
        }
    }
    renames
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
