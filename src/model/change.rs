//! Files that differ between two commits, with both texts: as values. Reading them from git is
//! `git/change.rs`.

use super::diff::FileDiff;

/// One side of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// Its path, with `/`.
    pub path: String,
    /// Its mode, as 0o100644; a symbolic link is 0o120000, a submodule 0o160000.
    pub mode: u32,
    /// Its text; none for a binary file, a submodule, and one that is larger than is looked at. A
    /// link's text is where it leads.
    pub text: Option<String>,
    /// Its size in bytes.
    pub size: u64,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Before; none for an added file.
    pub old: Option<Side>,
    /// Now; none for a deleted file.
    pub new: Option<Side>,
    /// Names, modes and replaced lines.
    pub diff: FileDiff,
}

/// A removed or added line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number in its side's text, from 1.
    pub number: u32,
    /// Without its end.
    pub text: &'a str,
}

impl Changed {
    /// How it is called now, or was where it is gone.
    pub fn path(&self) -> &str {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map_or("", |s| s.path.as_str())
    }

    /// The old text; empty where there is none.
    pub fn old_text(&self) -> &str {
        self.old.as_ref().and_then(|s| s.text.as_deref()).unwrap_or_default()
    }

    /// The new text; empty where there is none.
    pub fn new_text(&self) -> &str {
        self.new.as_ref().and_then(|s| s.text.as_deref()).unwrap_or_default()
    }

    /// The lines that went, top to bottom.
    pub fn removed(&self) -> Vec<Line<'_>> {
        let ranges = self.diff.hunks.iter().filter(|h| h.old_len > 0);
        lines(self.old_text(), ranges.map(|h| (h.old_start, h.old_len)))
    }

    /// The lines that came, top to bottom.
    pub fn added(&self) -> Vec<Line<'_>> {
        let ranges = self.diff.hunks.iter().filter(|h| h.new_len > 0);
        lines(self.new_text(), ranges.map(|h| (h.new_start, h.new_len)))
    }
}

fn lines(text: &str, ranges: impl Iterator<Item = (u32, u32)>) -> Vec<Line<'_>> {
    let mut all = text.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l)).zip(1u32..);
    let mut found = Vec::new();
    for (start, len) in ranges {
        let wanted = all.by_ref().skip_while(|(_, n)| *n < start);
        found.extend(wanted.take(len as usize).map(|(text, number)| Line { number, text }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Hunk;

    #[test]
    fn lines_that_came_and_went() {
        let side = |text: &str| {
            Some(Side { path: "a".into(), mode: 0o100_644, text: Some(text.into()), size: 1 })
        };
        let hunk = |old_start, old_len, new_start, new_len| Hunk {
            old_start,
            old_len,
            new_start,
            new_len,
        };
        let changed = Changed {
            old: side("1\r\n2\n3\n4\n5\n"),
            new: side("0\n1\n3\n4\nfive\nsix\n"),
            diff: FileDiff {
                old: Some("a".into()),
                new: Some("a".into()),
                old_mode: 0o100_644,
                new_mode: 0o100_644,
                hunks: vec![hunk(0, 0, 1, 1), hunk(2, 1, 2, 0), hunk(5, 1, 5, 2)],
                binary: false,
            },
        };
        let texts = |lines: Vec<Line<'_>>| {
            lines.iter().map(|l| (l.number, l.text.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(texts(changed.removed()), [(2, "2".to_string()), (5, "5".into())]);
        let added = [(1, "0".to_string()), (5, "five".into()), (6, "six".into())];
        assert_eq!(texts(changed.added()), added);
    }
}
