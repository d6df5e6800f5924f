//! What is not committed, and snapshots of it that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::GitError;
use super::repo::{Repo, to_path};

/// What is the matter with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusKind {
    /// Changed in the index, the working tree or both.
    Changed,
    /// Renamed or copied in the index.
    Renamed,
    /// Conflicted.
    Unmerged,
    /// Not tracked, not ignored.
    Untracked,
    /// Ignored.
    Ignored,
}

/// One path of `git status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEntry {
    /// Relative to the top, as git stores it; any bytes. Ends in `/` for a folder that is listed
    /// as a whole (a nested repository, an ignored folder).
    pub path: Vec<u8>,
    /// For a renamed one, its old path.
    pub from: Option<Vec<u8>>,
    /// What it is.
    pub kind: StatusKind,
    /// The letters for index and working tree, `.` for unchanged.
    pub letters: [u8; 2],
    /// Whether it is a submodule.
    pub submodule: bool,
    /// Mode and object name in the index, for what is tracked.
    pub staged: Option<String>,
}

impl StatusEntry {
    /// The path for the file system.
    pub fn to_path(&self) -> PathBuf {
        to_path(&self.path)
    }
}

/// Reads `git status --porcelain=v2 -z`.
pub(super) fn parse(printed: &[u8]) -> Result<Vec<StatusEntry>, GitError> {
    let mut fields = printed.split(|b| *b == 0).filter(|f| !f.is_empty());
    let mut entries = Vec::new();
    while let Some(field) = fields.next() {
        let strange = || GitError::Strange {
            command: "git status",
            what: String::from_utf8_lossy(field).into_owned(),
        };
        let entry = match field.first() {
            Some(b'#') => continue,
            Some(b'1') => tracked(field, 8, StatusKind::Changed),
            Some(b'2') => tracked(field, 9, StatusKind::Renamed).and_then(|mut entry| {
                entry.from = Some(fields.next()?.to_vec());
                Some(entry)
            }),
            Some(b'u') => tracked(field, 10, StatusKind::Unmerged),
            Some(b'?') => untracked(field, StatusKind::Untracked),
            Some(b'!') => untracked(field, StatusKind::Ignored),
            _ => None,
        };
        entries.push(entry.ok_or_else(strange)?);
    }
    Ok(entries)
}

/// `1 XY sub mH mI mW hH hI path`, and its longer sisters with the path at another place.
fn tracked(field: &[u8], path_at: usize, kind: StatusKind) -> Option<StatusEntry> {
    let words: Vec<&[u8]> = field.splitn(path_at + 1, |b| *b == b' ').collect();
    let path = words.get(path_at).filter(|p| !p.is_empty())?;
    let letters: [u8; 2] = (*words.get(1)?).try_into().ok()?;
    let staged = match kind {
        StatusKind::Unmerged => None,
        _ => Some(format!("{} {}", lossy(words[4]), lossy(words[7]))),
    };
    Some(StatusEntry {
        path: path.to_vec(),
        from: None,
        kind,
        letters,
        submodule: words.get(2)?.first() == Some(&b'S'),
        staged,
    })
}

fn untracked(field: &[u8], kind: StatusKind) -> Option<StatusEntry> {
    let path = field.get(2..).filter(|p| !p.is_empty())?.to_vec();
    let letters = [field[0]; 2];
    Some(StatusEntry { path, from: None, kind, letters, submodule: false, staged: None })
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Repo {
    /// Everything that differs from HEAD, untracked files one by one, ignored ones as the folder
    /// or file that a pattern names. Takes no lock.
    ///
    /// # Errors
    /// [`GitError::Bare`]; git itself failed.
    pub fn status(&self, untracked: bool, ignored: bool) -> Result<Vec<StatusEntry>, GitError> {
        self.top()?;
        let untracked = if untracked { "--untracked-files=all" } else { "--untracked-files=no" };
        let ignored = if ignored { "--ignored=matching" } else { "--ignored=no" };
        let call = self.read(&["status", "--porcelain=v2", "-z", "--no-renames"]);
        // a change may have told git to look away from its submodules
        parse(&call.args([untracked, ignored, "--ignore-submodules=none"]).ok()?)
    }

    /// The present state of every changed and untracked path.
    ///
    /// # Errors
    /// As [`Repo::status`]; [`GitError::Io`] for a file that cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        let top = self.top()?;
        let mut shapes = BTreeMap::new();
        for entry in self.status(true, false)? {
            let shape = shape(&top.join(entry.to_path()), entry.staged)?;
            shapes.insert(entry.path, shape);
        }
        Ok(Snapshot { shapes })
    }
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The kind and permission bits of the file; none where nothing lies there.
    pub mode: Option<u32>,
    /// Bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970; compared by nobody, for messages.
    pub mtime_ns: i128,
    /// SHA-256 of the content or of a symbolic link's target; empty for anything else.
    pub digest: String,
    /// Mode and object name in the index.
    pub staged: Option<String>,
}

/// The state of all that was not committed at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    shapes: BTreeMap<Vec<u8>, Shape>,
}

impl Snapshot {
    /// The paths with what lay there.
    pub fn shapes(&self) -> &BTreeMap<Vec<u8>, Shape> {
        &self.shapes
    }

    /// The paths that differ from an earlier snapshot in content, mode or staged content. One
    /// that is in neither list was as HEAD has it both times; one that left the list was
    /// committed or put back, and counts.
    pub fn changed_since(&self, before: &Snapshot) -> Vec<Vec<u8>> {
        let paths: BTreeSet<_> = self.shapes.keys().chain(before.shapes.keys()).collect();
        let differs = |path: &&Vec<u8>| match (self.shapes.get(*path), before.shapes.get(*path)) {
            (Some(a), Some(b)) => {
                (a.mode, a.size, &a.digest, &a.staged) != (b.mode, b.size, &b.digest, &b.staged)
            }
            _ => true,
        };
        paths.into_iter().filter(differs).cloned().collect()
    }
}

fn shape(path: &Path, staged: Option<String>) -> Result<Shape, GitError> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(e) if absent(&e) => {
            return Ok(Shape { mode: None, size: 0, mtime_ns: 0, digest: String::new(), staged });
        }
        Err(e) => return Err(GitError::io(path, e)),
    };
    let mtime_ns = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
    let digest = digest(path, &meta).map_err(|e| GitError::io(path, e))?;
    Ok(Shape { mode: Some(meta.mode()), size: meta.len(), mtime_ns, digest, staged })
}

/// Whether an error says that nothing lies at a path (or a file where a folder would have to be).
pub(super) fn absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

fn digest(path: &Path, meta: &Metadata) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    if meta.is_symlink() {
        hash.update(std::fs::read_link(path)?.as_os_str().as_bytes());
    } else if meta.is_file() {
        let mut file = std::fs::File::open(path)?;
        let mut chunk = vec![0u8; 128 * 1024];
        loop {
            match file.read(&mut chunk)? {
                0 => break,
                n => hash.update(&chunk[..n]),
            }
        }
    } else {
        return Ok(String::new());
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn shape_of(digest: &str, mtime_ns: i128) -> Shape {
        let digest = digest.to_owned();
        Shape { mode: Some(0o100_644), size: 1, mtime_ns, digest, staged: None }
    }

    #[test]
    fn every_line_of_the_format_is_read() {
        let printed = format!(
            "# branch.oid x\x001 .M N... 100644 100644 100644 {ZERO} {ZERO} a b\0\
             1 A. SC.. 000000 160000 160000 {ZERO} {ZERO} sub\0\
             2 R. N... 100644 100644 100644 {ZERO} {ZERO} R100 new\0old\0\
             u UU N... 100644 100644 100644 100644 {ZERO} {ZERO} {ZERO} both\0? un tracked\0! out/\0"
        );
        let entries = parse(printed.as_bytes()).unwrap();
        let seen: Vec<_> =
            entries.iter().map(|e| (lossy(&e.path), e.kind, e.letters, e.submodule)).collect();
        assert_eq!(
            seen,
            [
                ("a b".to_owned(), StatusKind::Changed, *b".M", false),
                ("sub".to_owned(), StatusKind::Changed, *b"A.", true),
                ("new".to_owned(), StatusKind::Renamed, *b"R.", false),
                ("both".to_owned(), StatusKind::Unmerged, *b"UU", false),
                ("un tracked".to_owned(), StatusKind::Untracked, *b"??", false),
                ("out/".to_owned(), StatusKind::Ignored, *b"!!", false),
            ]
        );
        assert_eq!(entries[2].from.as_deref(), Some(b"old".as_slice()));
        assert_eq!(entries[0].staged.as_deref(), Some(format!("100644 {ZERO}").as_str()));
    }

    #[test]
    fn an_unknown_line_is_an_error_not_a_clean_tree() {
        for bad in ["x what\0", "1 .M\0", "?\0", "2 R. N... 1 1 1 a b R1 new\0"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert_eq!(parse(b"").unwrap(), []);
    }

    #[test]
    fn snapshots_compare_content_not_times() {
        let with = |list: &[(&str, Shape)]| Snapshot {
            shapes: list.iter().map(|(p, s)| (p.as_bytes().to_vec(), s.clone())).collect(),
        };
        let before = with(&[
            ("same", shape_of("1", 1)),
            ("edited", shape_of("1", 1)),
            ("gone", shape_of("1", 1)),
        ]);
        let after = with(&[
            ("same", shape_of("1", 9)),
            ("edited", shape_of("2", 1)),
            ("new", shape_of("3", 1)),
        ]);
        let changed = after.changed_since(&before);
        assert_eq!(changed, [b"edited".to_vec(), b"gone".to_vec(), b"new".to_vec()]);
        assert_eq!(after.changed_since(&after), Vec::<Vec<u8>>::new());
    }

    proptest! {
        #[test]
        fn no_input_makes_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            drop(parse(&bytes));
        }

        #[test]
        fn any_path_survives(path in proptest::collection::vec(1u8.., 1..40)) {
            let mut line = format!("1 .M N... 100644 100644 100644 {ZERO} {ZERO} ").into_bytes();
            line.extend_from_slice(&path);
            line.push(0);
            prop_assert_eq!(&parse(&line).unwrap()[0].path, &path);
        }
    }
}
