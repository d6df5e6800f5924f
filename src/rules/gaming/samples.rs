//! Changes for tests: two texts, and the hunks between them by the longest common lines.

use std::collections::BTreeSet;

use super::{Change, Hit, Severity, scan};
use crate::model::{Changed, FileDiff, Hunk, Kind, Side};

/// A file that has other content, and another name, now; none for a file that came or went.
pub(super) fn changed(old: Option<(&str, &str)>, new: Option<(&str, &str)>) -> Changed {
    let side = |(path, text): (&str, &str)| Side {
        path: path.into(),
        mode: 0o100_644,
        text: Some(text.into()),
        size: text.len() as u64,
    };
    let mode = |there: bool| if there { 0o100_644 } else { 0 };
    Changed {
        diff: FileDiff {
            old: old.map(|o| o.0.to_string()),
            new: new.map(|n| n.0.to_string()),
            old_mode: mode(old.is_some()),
            new_mode: mode(new.is_some()),
            hunks: hunks(old.map_or("", |o| o.1), new.map_or("", |n| n.1)),
            binary: false,
        },
        old: old.map(side),
        new: new.map(side),
    }
}

/// The same file with other content.
pub(super) fn edited(path: &str, old: &str, new: &str) -> Changed {
    changed(Some((path, old)), Some((path, new)))
}

/// Files as a change that was to mend something of a kind.
pub(super) fn change(kind: Kind, files: Vec<Changed>) -> Change {
    let tracked: BTreeSet<String> = files.iter().filter_map(|f| f.diff.new.clone()).collect();
    Change { files, tracked, kind: Some(kind), ..Change::default() }
}

/// What stops a change, each rule once: `AG08`, and `AG14?` where a person decides.
pub(super) fn fired(change: &Change) -> Vec<String> {
    let word = |hit: Hit| match hit.severity {
        Severity::Reject => Some(hit.rule),
        Severity::Escalate => Some(format!("{}?", hit.rule)),
        Severity::Warn => None,
    };
    let all: BTreeSet<String> = scan(change).into_iter().filter_map(word).collect();
    all.into_iter().collect()
}

fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = match a[i] == b[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (from_i, from_j) = (i, j);
        while i < a.len() || j < b.len() {
            if i < a.len() && j < b.len() && a[i] == b[j] {
                break;
            }
            let down = i < a.len() && (j == b.len() || common[i + 1][j] >= common[i][j + 1]);
            if down { i += 1 } else { j += 1 }
        }
        let (old_len, new_len) = ((i - from_i) as u32, (j - from_j) as u32);
        found.push(Hunk {
            old_start: from_i as u32 + u32::from(old_len > 0),
            old_len,
            new_start: from_j as u32 + u32::from(new_len > 0),
            new_len,
        });
    }
    found
}
