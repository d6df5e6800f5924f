//! The files that differ between two commits, with both texts.

#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use super::diff::shown;
use super::error::GitError;
use super::repo::Repo;
use crate::model::{Changed, CommitId, FileDiff, Side};

/// Larger files are not looked into.
const LARGEST: u64 = 1 << 20;

/// Of all texts together.
const MOST: usize = 256 << 20;

/// The mode of a submodule.
const GITLINK: u32 = 0o160_000;

/// Content by object name.
type Blobs = BTreeMap<String, (u64, Option<String>)>;

impl Repo {
    /// Everything that differs between two commits, texts included where they are text and not
    /// larger than 1 MiB.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn changed_files(&self, from: &CommitId, to: &CommitId) -> Result<Vec<Changed>, GitError> {
        let raw = self.raw_changes(from, to)?;
        let (mut old_ids, mut new_ids) = (BTreeMap::new(), BTreeMap::new());
        for change in &raw {
            let path = shown(&change.old);
            if change.old_mode != 0 && change.old_mode != GITLINK {
                old_ids.insert(path.clone(), change.old_id.clone());
            }
            if change.new_mode != 0 && change.new_mode != GITLINK {
                new_ids.insert(path, change.new_id.clone());
            }
        }
        let mut wanted: Vec<&String> = old_ids.values().chain(new_ids.values()).collect();
        wanted.sort();
        wanted.dedup();
        let blobs = self.blobs(&wanted)?;
        let side = |path: &Option<String>, mode: u32, ids: &BTreeMap<String, String>| {
            let path = path.clone()?;
            let (size, text) =
                ids.get(&path).and_then(|id| blobs.get(id)).cloned().unwrap_or((0, None));
            Some(Side { path, mode, text, size })
        };
        let files = self.diff(from, to)?.files.into_iter().map(|diff: FileDiff| Changed {
            old: side(&diff.old, diff.old_mode, &old_ids),
            new: side(&diff.new, diff.new_mode, &new_ids),
            diff,
        });
        Ok(files.collect())
    }

    /// Contents by their names: none for what is no text, and for what is larger than 1 MiB.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn texts(&self, ids: &[&String]) -> Result<BTreeMap<String, Option<String>>, GitError> {
        Ok(self.blobs(ids)?.into_iter().map(|(id, (_, text))| (id, text)).collect())
    }

    fn blobs(&self, ids: &[&String]) -> Result<Blobs, GitError> {
        if ids.is_empty() {
            return Ok(Blobs::new());
        }
        if let Some(fast) = self.fast()
            && let Ok(found) = fast_blobs(&fast, ids)
        {
            return Ok(found);
        }
        let list = |ids: &mut dyn Iterator<Item = &str>| {
            ids.fold(String::new(), |text, id| text + id + "\n").into_bytes()
        };
        let all = list(&mut ids.iter().map(|id| id.as_str()));
        let sizes = self.read(&["cat-file", "--batch-check"]).stdin(all).ok()?;
        let mut blobs = Blobs::new();
        for line in String::from_utf8_lossy(&sizes).lines() {
            let mut words = line.split(' ');
            if let (Some(id), Some("blob"), Some(Ok(size))) =
                (words.next(), words.next(), words.next().map(str::parse))
            {
                blobs.insert(id.to_string(), (size, None));
            }
        }
        let small: Vec<String> = blobs
            .iter()
            .filter(|(_, (size, _))| *size <= LARGEST)
            .map(|(id, _)| id.clone())
            .collect();
        let wanted = list(&mut small.iter().map(String::as_str));
        let call = self.read(&["cat-file", "--batch"]).stdin(wanted).limit(MOST);
        for (id, content) in batch(&call.ok()?) {
            if let Some(blob) = blobs.get_mut(&id) {
                blob.1 = text(content);
            }
        }
        Ok(blobs)
    }
}

/// Reads `id blob size LF content LF`, again and again.
fn batch(mut printed: &[u8]) -> Vec<(String, &[u8])> {
    let mut found = Vec::new();
    while let Some(end) = printed.iter().position(|b| *b == b'\n') {
        let head = String::from_utf8_lossy(&printed[..end]).into_owned();
        let rest = &printed[end + 1..];
        let mut words = head.split(' ');
        let (Some(id), Some("blob"), Some(Ok(size))) =
            (words.next(), words.next(), words.next().map(str::parse::<usize>))
        else {
            // `id missing`
            printed = rest;
            continue;
        };
        let Some(content) = rest.get(..size) else { break };
        found.push((id.to_string(), content));
        printed = rest.get(size + 1..).unwrap_or_default();
    }
    found
}

fn fast_blobs(repo: &git2::Repository, ids: &[&String]) -> Result<Blobs, git2::Error> {
    let odb = repo.odb()?;
    let mut blobs = Blobs::new();
    for id in ids {
        let oid = git2::Oid::from_str(id)?;
        let (size, _) = odb.read_header(oid)?;
        let size = size as u64;
        let content = match size <= LARGEST {
            true => text(repo.find_blob(oid)?.content()),
            false => None,
        };
        blobs.insert((*id).clone(), (size, content));
    }
    Ok(blobs)
}

/// None for what git would call binary.
fn text(content: &[u8]) -> Option<String> {
    let head = &content[..content.len().min(8000)];
    (!head.contains(&0)).then(|| String::from_utf8_lossy(content).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_read_by_its_sizes() {
        let printed = b"aa blob 3\na\nb\nbb missing\ncc blob 0\n\n";
        let got = batch(printed);
        assert_eq!(got, [("aa".to_string(), &b"a\nb"[..]), ("cc".to_string(), &b""[..])]);
        assert_eq!(batch(b"aa blob 9\nshort"), []);
    }
}
