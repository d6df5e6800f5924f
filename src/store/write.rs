//! Writing so that a kill, a full disk or a second process loses nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::lock::LockError;

/// How temporary files are called until they get their name.
const TEMP_PREFIX: &str = ".tmp-";
/// A temporary file that is older belongs to nobody.
const LONGEST_WRITE: Duration = Duration::from_secs(3600);

/// What went wrong with a file of ours; the text names the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused.
    #[error("cannot {action} '{}': {source}{}", path.display(), remedy(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried: `write`, `read`, `create`, …
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The content cannot be used.
    #[error("'{}' cannot be used: {why}; {remedy}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What a person can do.
        remedy: String,
    },
    /// A short critical section could not be entered.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl StoreError {
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        move |source| StoreError::Io { path: path.to_path_buf(), action, source }
    }

    pub(crate) fn corrupt(path: &Path, why: impl Into<String>, remedy: &str) -> StoreError {
        StoreError::Corrupt {
            path: path.to_path_buf(),
            why: why.into(),
            remedy: remedy.to_string(),
        }
    }

    /// The system's part of the error.
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            StoreError::Io { source, .. } => source,
            other => io::Error::other(other.to_string()),
        }
    }
}

/// What a person can do about the usual causes, as the end of a sentence.
pub(crate) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; the disk is full: free some space, then run the same command again"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "; the disk is mounted read-only: make it writable, then run the same command again"
        }
        io::ErrorKind::PermissionDenied => {
            "; the file or its folder belongs to another user or is protected: give this user \
             the right to write there"
        }
        io::ErrorKind::NotADirectory => "; a file stands where a folder has to be: move it away",
        _ => "",
    }
}

/// Creates a folder and what is missing above it, so that it is still there after a power cut.
///
/// # Errors
/// Where a folder cannot be created.
pub fn create_dirs(dir: &Path) -> Result<(), StoreError> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    let parent = dir.parent().unwrap_or(Path::new(""));
    create_dirs(parent)?;
    match std::fs::create_dir(dir) {
        Ok(()) => sync_dir(parent),
        // Another process was faster.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        Err(e) => Err(StoreError::io(dir, "create the folder")(e)),
    }
}

/// Makes renames and new names in a folder durable. Some file systems have no such call.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let synced = File::open(dir).and_then(|d| d.sync_all());
    match synced {
        Err(e) if !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(StoreError::io(dir, "sync the folder")(e))
        }
        _ => Ok(()),
    }
}

/// Replaces a file in one step: readers see the old content or the new, never a part, and after an
/// error the old file is what it was.
///
/// # Errors
/// Where the folder or file cannot be written; no temporary file is left then.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    write_atomic_mode(path, bytes, 0o600)
}

/// As [`write_atomic`], with these permissions.
///
/// # Errors
/// As [`write_atomic`].
pub(crate) fn write_atomic_mode(path: &Path, bytes: &[u8], mode: u32) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let dir = path.parent().unwrap_or(Path::new(""));
    create_dirs(dir)?;
    let place = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let write = || -> io::Result<()> {
        // Dropping the temporary file removes it, so every `?` cleans up.
        let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(place)?;
        temp.write_all(bytes)?;
        temp.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
        temp.as_file().sync_all()?;
        temp.persist(path)?;
        Ok(())
    };
    write().map_err(StoreError::io(path, "write"))?;
    sync_dir(dir)
}

/// Temporary files of writers that were killed, older than any write takes, go. What cannot be
/// removed stays for the next time.
pub(crate) fn sweep(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX);
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
        if ours && age.is_some_and(|age| age > LONGEST_WRITE) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Replaces a file by a value as readable JSON.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|e| StoreError::io(path, "encode")(io::Error::other(e)))?;
    text.push(b'\n');
    write_atomic(path, &text)
}

/// A file's bytes, or `None` where there is no such file.
///
/// # Errors
/// Where it exists and cannot be read.
pub fn read_opt(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(StoreError::io(path, "read")(e)),
    }
}

/// Removes a file; one that is not there is fine.
///
/// # Errors
/// Where it exists and cannot be removed.
pub fn remove_opt(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_dir),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(StoreError::io(path, "remove")(e)),
    }
}

/// When a line has to be on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Before the call returns: what follows must not happen without it.
    Now,
    /// When the system gets to it.
    Later,
}

/// Appends a value as one line of JSON in one write. A torn last line of an earlier crash is cut
/// off first; it was never acknowledged. The caller holds the lock that guards the file.
///
/// # Errors
/// Where the file cannot be written; what it held before is then still there, and only that.
pub fn append_line<T: Serialize>(path: &Path, value: &T, sync: Sync) -> Result<(), StoreError> {
    let mut line = serde_json::to_vec(value)
        .map_err(|e| StoreError::io(path, "encode")(io::Error::other(e)))?;
    line.push(b'\n');
    let dir = path.parent().unwrap_or(Path::new(""));
    create_dirs(dir)?;
    let is_new = !path.exists();
    append_bytes(path, line, sync).map_err(StoreError::io(path, "append to"))?;
    if is_new && sync == Sync::Now { sync_dir(dir) } else { Ok(()) }
}

fn append_bytes(path: &Path, mut line: Vec<u8>, sync: Sync) -> io::Result<()> {
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    let (keep, needs_newline) = sound_length(&mut file)?;
    if keep < file.metadata()?.len() {
        file.set_len(keep)?;
    }
    if needs_newline {
        line.insert(0, b'\n');
    }
    let written = file.write_all(&line).and_then(|()| match sync {
        Sync::Now => file.sync_all(),
        Sync::Later => Ok(()),
    });
    if written.is_err() {
        // A part of a line on a full disk: take it back.
        let _ = file.set_len(keep);
    }
    written
}

/// How much of the file is whole lines, and whether the last of them lacks only its newline.
fn sound_length(file: &mut File) -> io::Result<(u64, bool)> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok((0, false));
    }
    file.seek(io::SeekFrom::Start(length - 1))?;
    let mut last = [0u8];
    file.read_exact(&mut last)?;
    if last == *b"\n" {
        return Ok((length, false));
    }
    // Rare: only after a crash.
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let start = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    if serde_json::from_slice::<IgnoredAny>(&bytes[start..]).is_ok() {
        return Ok((bytes.len() as u64, true));
    }
    Ok((start as u64, false))
}

/// The lines of a file of JSON lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines<T> {
    /// Every line that could be read, in order.
    pub entries: Vec<T>,
    /// The last line is a fragment: the writer was killed or the disk was full.
    pub torn: bool,
    /// Lines before the last that could not be read: number from 1, and why.
    pub bad: Vec<(usize, String)>,
}

/// Reads JSON lines; a missing file has none.
///
/// # Errors
/// Where the file exists and cannot be read.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Lines<T>, StoreError> {
    let bytes = read_opt(path)?.unwrap_or_default();
    let mut lines = Lines { entries: Vec::new(), torn: false, bad: Vec::new() };
    let complete = bytes.last() == Some(&b'\n');
    let parts: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    let last = parts.len() - 1;
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        match serde_json::from_slice(part) {
            Ok(entry) => lines.entries.push(entry),
            Err(_) if at == last && !complete && !is_json(part) => lines.torn = true,
            Err(e) => lines.bad.push((at + 1, e.to_string())),
        }
    }
    Ok(lines)
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}
