//! State on disk: what a kill, a full disk and two processes leave behind.

mod branch;
mod disk;
mod journal;
mod kept;
mod killed;
mod lock;

use std::path::{Path, PathBuf};

use git_evidence::model::CommitId;
use git_evidence::store::Layout;
use tempfile::TempDir;

/// A folder that stands for a git directory.
struct Home {
    dir: TempDir,
    layout: Layout,
}

fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::new(dir.path());
    Home { dir, layout }
}

fn sha(digit: char) -> CommitId {
    CommitId::parse(&digit.to_string().repeat(40)).unwrap()
}

/// Every file below a folder that is not one of `expected`, relative to it.
fn others(dir: &Path, expected: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if !expected.iter().any(|e| path.ends_with(e)) {
                found.push(path.strip_prefix(dir).unwrap().to_path_buf());
            }
        }
    }
    found
}
