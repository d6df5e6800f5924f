//! Advisory file locks: the only file that names fs2.
//!
//! A lock is `flock(2)` on a file that is never deleted. It goes with the process that took it, so
//! a dead holder blocks nobody; the holder's description inside the file is for messages only.
//! Files that Rust opens are close-on-exec, so fixers and checks do not inherit a lock, and
//! dropping a [`Lock`] unlocks explicitly: a child between fork and exec cannot keep it either.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{clock, write};

/// A look by [`peek`] holds a shared lock for some microseconds. Trying again for this long keeps
/// such a look from being taken for another run.
const GRACE: Duration = Duration::from_millis(50);
/// How long to wait between two tries.
const STEP: Duration = Duration::from_millis(2);

/// Who holds a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// The machine: a process number means nothing on another one.
    pub host: String,
    /// When it took the lock, ISO-8601.
    pub started_at: String,
    /// What it does, in words for people.
    pub what: String,
}

impl Holder {
    /// This process, now.
    pub fn this_process(what: &str) -> Holder {
        Holder {
            pid: std::process::id(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            started_at: clock::now(),
            what: what.to_string(),
        }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Holder { pid, host, started_at, what } = self;
        write!(f, "{what} (process {pid} on {host}, since {started_at})")
    }
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it; who, if the file says so.
    #[error("{}", held(.0.as_ref()))]
    Held(Option<Holder>),
    /// The file cannot be locked at all: never read as "free".
    #[error("cannot lock '{}': {source}{}", path.display(), write::remedy(source))]
    Cannot {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

fn held(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => format!("held by {holder}"),
        None => "held by another process".to_string(),
    }
}

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock if it is free; does not wait for a holder.
    ///
    /// # Errors
    /// [`LockError::Held`] where another process has it, [`LockError::Cannot`] for everything else.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<Lock, LockError> {
        Lock::acquire_within(path, holder, GRACE)
    }

    /// Takes the lock, waiting so long at most: for critical sections that last milliseconds.
    ///
    /// # Errors
    /// As [`Lock::acquire`].
    pub fn acquire_within(path: &Path, holder: &Holder, most: Duration) -> Result<Lock, LockError> {
        let cannot = |source| LockError::Cannot { path: path.to_path_buf(), source };
        if let Some(dir) = path.parent() {
            write::create_dirs(dir).map_err(|e| cannot(e.into_io()))?;
        }
        let deadline = Instant::now() + most;
        loop {
            let file = open_to_lock(path).map_err(cannot)?;
            match fs2::FileExt::try_lock_exclusive(&file) {
                Ok(()) if is_still_there(&file, path) => {
                    let mut lock = Lock { file, path: path.to_path_buf() };
                    lock.sign(holder);
                    return Ok(lock);
                }
                // Somebody removed the folder in between: the lock on a file without a name
                // excludes nobody, so take the new one.
                Ok(()) => {}
                Err(e) if is_contended(&e) && Instant::now() >= deadline => {
                    return Err(LockError::Held(read_holder(&file)));
                }
                Err(e) if is_contended(&e) => std::thread::sleep(STEP),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(cannot(e)),
            }
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the holder into the file. It is for messages only, so a full disk does not make a
    /// lock fail: putting a branch back must work on a full disk too.
    fn sign(&mut self, holder: &Holder) {
        let text = serde_json::to_vec(holder).unwrap_or_default();
        let _ = self.file.set_len(0);
        let _ = self.file.rewind();
        let _ = self.file.write_all(&text);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = fs2::FileExt::unlock(&self.file);
    }
}

/// Who holds the lock right now; `None` where nobody does. A holder that the file does not describe
/// is described as far as known. Writes nothing and works on a read-only disk. For messages and for
/// looking: only [`Lock::acquire`] proves that a branch is free.
pub fn peek(path: &Path) -> Option<Holder> {
    let file = File::open(path).ok()?;
    match fs2::FileExt::try_lock_shared(&file) {
        Ok(()) => {
            let _ = fs2::FileExt::unlock(&file);
            None
        }
        Err(e) if is_contended(&e) => Some(read_holder(&file).unwrap_or_else(|| Holder {
            pid: 0,
            host: String::new(),
            started_at: String::new(),
            what: "another process".to_string(),
        })),
        Err(_) => None,
    }
}

fn open_to_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn is_contended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
        || error.raw_os_error() == fs2::lock_contended_error().raw_os_error()
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(named)) => ours.ino() == named.ino() && ours.dev() == named.dev(),
        _ => false,
    }
}

fn read_holder(mut file: &File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(64 * 1024).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
