//! What differs between two commits, by file and line, renames followed.
//!
//! Names, modes and renames come from git's raw format, hunks from its patch format with no
//! context. Both are asked of `diff-tree`, which heeds no `diff.*` preference of the user.

#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use super::error::GitError;
use super::repo::Repo;
use crate::model::{CommitId, DiffMap, FileDiff, Hunk};

impl Repo {
    /// Everything that differs between two commits.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn diff(&self, from: &CommitId, to: &CommitId) -> Result<DiffMap, GitError> {
        let tree = ["diff-tree", "-r", "-M", "-l0", "--no-relative"];
        let raw = self.read(&tree).args(["--raw", "-z", "--no-abbrev"]);
        let changes = parse_raw(&raw.args([from.as_str(), to.as_str()]).ok()?)?;
        if changes.is_empty() {
            return Ok(DiffMap::default());
        }
        let patch = self.read(&tree).args([
            "-p",
            "-U0",
            "--inter-hunk-context=0",
            "--diff-algorithm=histogram",
            "--indent-heuristic",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--submodule=short",
        ]);
        let hunks = parse_patch(&patch.args([from.as_str(), to.as_str()]).ok()?)?;
        Ok(DiffMap::new(files(&changes, hunks)))
    }
}

/// One record of the raw format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawChange {
    pub(super) old_mode: u32,
    pub(super) new_mode: u32,
    pub(super) old_id: String,
    pub(super) new_id: String,
    /// `A`, `D`, `M`, `T` or `R`.
    pub(super) letter: u8,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
}

/// Reads `--raw -z`: `:mode mode id id letter NUL path NUL`, two paths for a rename.
pub(super) fn parse_raw(printed: &[u8]) -> Result<Vec<RawChange>, GitError> {
    let mut fields = printed.split(|b| *b == 0).filter(|f| !f.is_empty());
    let mut changes = Vec::new();
    while let Some(head) = fields.next() {
        let mut next = || fields.next().map(<[u8]>::to_vec);
        let change = raw_change(head, &mut next).ok_or_else(|| GitError::Strange {
            command: "git diff --raw",
            what: String::from_utf8_lossy(head).into_owned(),
        })?;
        changes.push(change);
    }
    Ok(changes)
}

fn raw_change(head: &[u8], next: &mut dyn FnMut() -> Option<Vec<u8>>) -> Option<RawChange> {
    let text = std::str::from_utf8(head.strip_prefix(b":")?).ok()?;
    let mut words = text.split(' ');
    let mut mode = || u32::from_str_radix(words.next()?, 8).ok();
    let (old_mode, new_mode) = (mode()?, mode()?);
    let (old_id, new_id) = (words.next()?.to_owned(), words.next()?.to_owned());
    let letter = *words.next()?.as_bytes().first()?;
    let old = next()?;
    let new = if matches!(letter, b'R' | b'C') { next()? } else { old.clone() };
    Some(RawChange { old_mode, new_mode, old_id, new_id, letter, old, new })
}

/// Hunks by old and new path; a missing side is empty.
type Hunks = BTreeMap<(Vec<u8>, Vec<u8>), Vec<Hunk>>;

/// Reads a patch without context. Only sections with hunks matter: names are known already.
fn parse_patch(patch: &[u8]) -> Result<Hunks, GitError> {
    let strange = |line: &[u8]| GitError::Strange {
        command: "git diff -p",
        what: String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned(),
    };
    let mut lines = patch.split(|b| *b == b'\n');
    let mut hunks = Hunks::new();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next() {
        if line.starts_with(b"diff --git ") {
            (old, new) = (Vec::new(), Vec::new());
        } else if let Some(name) = line.strip_prefix(b"--- ") {
            old = side(name, b"a/").ok_or_else(|| strange(line))?;
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            new = side(name, b"b/").ok_or_else(|| strange(line))?;
        } else if line.starts_with(b"@@ ") {
            let hunk = hunk(line).ok_or_else(|| strange(line))?;
            // counted, not looked at: a removed line may look like any header
            for _ in 0..u64::from(hunk.old_len) + u64::from(hunk.new_len) {
                let body = lines.next().ok_or_else(|| strange(line))?;
                if body.starts_with(b"\\") {
                    lines.next();
                }
            }
            hunks.entry((old.clone(), new.clone())).or_default().push(hunk);
        }
    }
    Ok(hunks)
}

/// The path of a `---` or `+++` line; empty for `/dev/null`. Git quotes names with special bytes
/// like C and ends others that hold a space with a tab.
fn side(name: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    if name == b"/dev/null" {
        return Some(Vec::new());
    }
    let path = match name.strip_prefix(b"\"") {
        Some(quoted) => unquoted(quoted)?,
        None => name.strip_suffix(b"\t").unwrap_or(name).to_vec(),
    };
    path.strip_prefix(prefix).map(<[u8]>::to_vec)
}

/// Undoes C quoting up to the closing quote.
fn unquoted(quoted: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = quoted.iter().copied();
    loop {
        match rest.next()? {
            b'"' => return Some(bytes),
            b'\\' => bytes.push(match rest.next()? {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                digit @ b'0'..=b'3' => {
                    let mut octal = || rest.next().filter(|d| (b'0'..=b'7').contains(d));
                    let (second, third) = (octal()?, octal()?);
                    (digit - b'0') * 64 + (second - b'0') * 8 + (third - b'0')
                }
                other => other,
            }),
            other => bytes.push(other),
        }
    }
}

/// `@@ -start[,len] +start[,len] @@ …`
fn hunk(line: &[u8]) -> Option<Hunk> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split(' ').skip(1);
    let mut range = |sign: char| -> Option<(u32, u32)> {
        let word = words.next()?.strip_prefix(sign)?;
        let (start, len) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, len.parse().ok()?))
    };
    let ((old_start, old_len), (new_start, new_len)) = (range('-')?, range('+')?);
    Some(Hunk { old_start, old_len, new_start, new_len })
}

fn files(changes: &[RawChange], mut hunks: Hunks) -> Vec<FileDiff> {
    let mut files = Vec::with_capacity(changes.len());
    for change in changes {
        let (old, new) = (change.old.as_slice(), change.new.as_slice());
        match change.letter {
            b'A' => files.push(file(change, None, Some(new), &mut hunks)),
            b'D' => files.push(file(change, Some(old), None, &mut hunks)),
            // a file that became a link has no line in common with it
            b'T' => {
                files.push(file(change, Some(old), None, &mut hunks));
                files.push(file(change, None, Some(new), &mut hunks));
            }
            _ => files.push(file(change, Some(old), Some(new), &mut hunks)),
        }
    }
    files
}

/// Object names of the empty file.
const EMPTY: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

fn file(change: &RawChange, old: Option<&[u8]>, new: Option<&[u8]>, hunks: &mut Hunks) -> FileDiff {
    let key = (old.unwrap_or_default().to_vec(), new.unwrap_or_default().to_vec());
    let hunks = hunks.remove(&key).unwrap_or_default();
    let content = |present: bool, id: &str| present && !EMPTY.contains(&id);
    let has_content =
        content(old.is_some(), &change.old_id) || content(new.is_some(), &change.new_id);
    FileDiff {
        old_mode: if old.is_some() { change.old_mode } else { 0 },
        new_mode: if new.is_some() { change.new_mode } else { 0 },
        // other content and yet no lines to show
        binary: hunks.is_empty() && change.old_id != change.new_id && has_content,
        old: old.map(shown),
        new: new.map(shown),
        hunks,
    }
}

/// A path as text; bytes that are none as `\xNN`.
pub(super) fn shown(path: &[u8]) -> String {
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
