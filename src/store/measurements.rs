//! What was measured, by content: the tree, and a key that stands for the check and its tool.
//!
//! This is a cache: an entry that is missing, damaged or of another shape only costs measuring
//! again. Figures are kept, never verdicts.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::journal::is_file_name;
use super::write::{StoreError, write_json};
use super::{Layout, clock};

/// How many trees are kept.
pub const KEEP_TREES: usize = 500;
const SCHEMA: &str = "measurement_v1";

/// The cache of a repository.
#[derive(Debug, Clone)]
pub struct Measurements {
    root: PathBuf,
    keep: usize,
}

/// A measurement and when it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured<T> {
    /// The tree's name.
    pub tree: String,
    /// When, in seconds since 1970: some figures age (advisories).
    pub at: i64,
    /// The figures.
    pub value: T,
}

#[derive(Serialize)]
struct EntryOut<'a, T> {
    schema: &'static str,
    tree: &'a str,
    key: &'a str,
    at: String,
    value: &'a T,
}

#[derive(Deserialize)]
struct EntryIn<T> {
    schema: String,
    tree: String,
    key: String,
    at: String,
    value: T,
}

impl Measurements {
    /// With the usual size.
    pub fn new(layout: &Layout) -> Measurements {
        Measurements::keeping(layout, KEEP_TREES)
    }

    /// With room for this many trees.
    pub fn keeping(layout: &Layout, keep: usize) -> Measurements {
        Measurements { root: layout.measurements(), keep: keep.max(1) }
    }

    /// The measurement of a tree.
    pub fn get<T: DeserializeOwned>(&self, tree: &str, key: &str) -> Option<Measured<T>> {
        read_entry(&self.path(tree, key), key).filter(|m| m.tree == tree)
    }

    /// Keeps a measurement taken now, and lets go of the oldest trees when there are too many.
    ///
    /// # Errors
    /// Where the entry cannot be written; the caller has the figures and can go on without it.
    pub fn put<T: Serialize>(&self, tree: &str, key: &str, value: &T) -> Result<(), StoreError> {
        let path = self.path(tree, key);
        let entry = EntryOut { schema: SCHEMA, tree, key, at: clock::now(), value };
        // Another process may prune the folder between its creation and the rename: once more.
        write_json(&path, &entry).or_else(|_| write_json(&path, &entry))?;
        self.prune(tree);
        Ok(())
    }

    /// The newest measurement under this key, whatever the tree.
    pub fn latest_for_key<T: DeserializeOwned>(&self, key: &str) -> Option<Measured<T>> {
        let name = format!("{}.json", component(key));
        let mut found: Vec<(SystemTime, PathBuf)> = children(&self.root)
            .into_iter()
            .map(|dir| dir.join(&name))
            .filter_map(|path| Some((modified(&path)?, path)))
            .collect();
        found.sort();
        found.iter().rev().find_map(|(_, path)| read_entry(path, key))
    }

    fn path(&self, tree: &str, key: &str) -> PathBuf {
        self.root.join(component(tree)).join(format!("{}.json", component(key)))
    }

    /// Goes a tenth over the limit before anything is removed, so that most calls only count.
    /// Failures do not matter: the next call tries again.
    fn prune(&self, just_written: &str) {
        let trees = children(&self.root);
        if trees.len() <= self.keep + self.keep / 10 {
            return;
        }
        let newest = self.root.join(component(just_written));
        let mut by_age: Vec<(Option<SystemTime>, PathBuf)> =
            trees.into_iter().filter(|d| *d != newest).map(|d| (modified(&d), d)).collect();
        by_age.sort();
        let surplus = (by_age.len() + 1).saturating_sub(self.keep);
        for (_, dir) in by_age.into_iter().take(surplus) {
            let _ = fs::remove_dir_all(dir);
        }
    }
}

fn read_entry<T: DeserializeOwned>(path: &Path, key: &str) -> Option<Measured<T>> {
    let entry: EntryIn<T> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let at = clock::parse(&entry.at)?;
    let ours = entry.schema == SCHEMA && entry.key == key;
    ours.then_some(Measured { tree: entry.tree, at, value: entry.value })
}

/// A file name for any text; long or unusual ones are replaced by their digest, and the entry holds
/// the text itself.
fn component(text: &str) -> String {
    if is_file_name(text) && text.len() <= 120 {
        return text.to_string();
    }
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256-{hex}")
}

fn children(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()).collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}
