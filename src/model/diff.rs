//! What differs between two trees, by file and line, renames followed: as values. Reading it from git
//! is `git/diff.rs`.

use std::collections::BTreeMap;
use std::ops::Range;

/// Lines that were replaced; both numbers as git prints them: where a length is 0, the start is
/// the line before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// First old line.
    pub old_start: u32,
    /// How many old lines went.
    pub old_len: u32,
    /// First new line.
    pub new_start: u32,
    /// How many new lines came.
    pub new_len: u32,
}

/// One file that differs. Paths that are no text are written with `\xNN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The old path; none for an added file.
    pub old: Option<String>,
    /// The new path; none for a deleted file.
    pub new: Option<String>,
    /// The old mode, as 0o100644; 0 for an added file.
    pub old_mode: u32,
    /// The new mode; 0 for a deleted file.
    pub new_mode: u32,
    /// What was replaced, from top to bottom; empty for a binary file.
    pub hunks: Vec<Hunk>,
    /// Whether the content differs in a way that has no lines.
    pub binary: bool,
}

/// All files that differ between two commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffMap {
    /// Sorted as git sorts them.
    pub files: Vec<FileDiff>,
    by_old: BTreeMap<String, usize>,
    by_new: BTreeMap<String, usize>,
}

impl DiffMap {
    /// Puts files into a map.
    pub fn new(files: Vec<FileDiff>) -> DiffMap {
        let index = |side: fn(&FileDiff) -> Option<&String>| {
            let named = files.iter().enumerate();
            named.filter_map(|(i, f)| Some((side(f)?.clone(), i))).collect::<BTreeMap<_, _>>()
        };
        let (by_old, by_new) = (index(|f| f.old.as_ref()), index(|f| f.new.as_ref()));
        DiffMap { files, by_old, by_new }
    }

    /// Where an old line stands now, if it is still there unchanged. A file that does not differ
    /// has all its lines where they were.
    pub fn map_line(&self, path: &str, line: u32) -> Option<(String, u32)> {
        let Some(file) = self.by_old.get(path).map(|i| &self.files[*i]) else {
            return Some((path.to_owned(), line));
        };
        if file.binary {
            return None;
        }
        let new = file.new.as_ref()?;
        Some((new.clone(), file.map_line(line)?))
    }

    /// The lines of a file that are new or changed, as half-open ranges from top to bottom.
    pub fn added_lines(&self, path: &str) -> Vec<Range<u32>> {
        let Some(file) = self.by_new.get(path).map(|i| &self.files[*i]) else {
            return Vec::new();
        };
        let added = file.hunks.iter().filter(|h| h.new_len > 0);
        added.map(|h| h.new_start..h.new_start + h.new_len).collect()
    }

    /// The hunk that took an old line away, by its number among the diff's hunks; none where the line
    /// is still there or its file does not differ. A file without lines counts as one hunk.
    pub fn hunk_of_old(&self, path: &str, line: u32) -> Option<(usize, usize)> {
        let at = *self.by_old.get(path)?;
        let file = &self.files[at];
        if file.binary || (file.new.is_none() && file.hunks.is_empty()) {
            return Some((at, 0));
        }
        let inside =
            |h: &Hunk| h.old_len > 0 && (h.old_start..h.old_start + h.old_len).contains(&line);
        file.hunks.iter().position(inside).map(|n| (at, n))
    }

    /// The hunk that brought a new line, by the same number; none where the line was there before.
    pub fn hunk_of_new(&self, path: &str, line: u32) -> Option<(usize, usize)> {
        let at = *self.by_new.get(path)?;
        let file = &self.files[at];
        if file.binary || (file.old.is_none() && file.hunks.is_empty()) {
            return Some((at, 0));
        }
        let inside =
            |h: &Hunk| h.new_len > 0 && (h.new_start..h.new_start + h.new_len).contains(&line);
        file.hunks.iter().position(inside).map(|n| (at, n))
    }

    /// Where a file of the old side is now: none if it is gone. A file that does not differ is
    /// where it was.
    pub fn new_path<'a>(&'a self, old: &'a str) -> Option<&'a str> {
        match self.by_old.get(old) {
            Some(i) => self.files[*i].new.as_deref(),
            None => Some(old),
        }
    }

    /// The file that is at this path now, if it differs.
    pub fn file(&self, new_path: &str) -> Option<&FileDiff> {
        self.by_new.get(new_path).map(|i| &self.files[*i])
    }
}

impl FileDiff {
    fn map_line(&self, line: u32) -> Option<u32> {
        let mut new = i64::from(line);
        for hunk in &self.hunks {
            // an insertion stands after its old line
            let first = hunk.old_start + u32::from(hunk.old_len == 0);
            if line < first {
                break;
            }
            if line < first + hunk.old_len {
                return None;
            }
            new += i64::from(hunk.new_len) - i64::from(hunk.old_len);
        }
        u32::try_from(new).ok()
    }
}
