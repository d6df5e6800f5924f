//! Moves a checkout from one commit to another without destroying anything.
//!
//! `git reset --hard` overwrites what a person edited, and every way of git to change a checkout
//! may overwrite ignored files. So each path that would change is looked at first: it must be as
//! the one commit has it or, after an interruption, already as the other has it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::diff::{RawChange, parse_raw, shown};
use super::error::GitError;
use super::program::Call;
use super::repo::{Repo, to_path};
use super::status::absent;
use crate::model::CommitId;

/// The mode of a submodule.
const GITLINK: u32 = 0o160_000;

type Paths = BTreeSet<Vec<u8>>;

impl Repo {
    /// Brings index and working tree from one commit to another; HEAD and refs stay. Filters,
    /// line ends and sparse patterns apply; submodules stay as they are checked out. What is
    /// uncommitted in paths that both commits have alike stays too. Called again after an
    /// interruption it goes on.
    ///
    /// # Errors
    /// [`GitError::InTheWay`] with every file that differs from both commits, or that lies where
    /// only the new one has one: nothing was changed then. [`GitError::Failed`] where the index
    /// holds something else.
    pub fn two_way(&self, from: &CommitId, to: &CommitId) -> Result<(), GitError> {
        let top = self.top()?;
        let changes = self.raw_changes(from, to)?;
        if changes.is_empty() {
            return Ok(());
        }
        let differs_from = self.differing_files(from)?;
        let differs_to = self.differing_files(to)?;
        let leaving = leaving(&changes);
        let (mut blocked, mut settled) = (Vec::new(), Vec::new());
        for change in &changes {
            let vacant = || vacant(top, change, &leaving);
            let (had, has) = (change.old_mode != 0, change.new_mode != 0);
            let as_from = if had { !differs_from.contains(&change.old) } else { vacant()? };
            let as_to = if has { !differs_to.contains(&change.old) } else { vacant()? };
            match (as_from, as_to) {
                (true, _) => {}
                (false, true) => settled.push(change),
                (false, false) => blocked.push(to_path(&change.old)),
            }
        }
        if !blocked.is_empty() {
            return Err(GitError::InTheWay { paths: blocked });
        }
        let from = self.settle(from, &settled)?;
        self.refresh()?;
        let call = self.write(&["read-tree", "-m", "-u", &from, to.as_str()])?;
        call.ok().map(drop)
    }

    /// Makes the index that of a commit; the working tree is not touched, so what differs shows
    /// up as uncommitted.
    ///
    /// # Errors
    /// [`GitError::Bare`]; the index is locked ([`GitError::Failed`]).
    pub fn set_index_to(&self, commit: &CommitId) -> Result<(), GitError> {
        self.top()?;
        // `--reset` without `-u` only forgives conflicted entries; known file times are kept
        self.write(&["read-tree", "--reset", commit.as_str()])?.ok()?;
        self.refresh()
    }

    /// A commit of the present content of some paths on top of a parent; neither index, working
    /// tree nor refs change. For keeping what was tried: no hook runs, nothing is signed.
    ///
    /// # Errors
    /// [`GitError::Bare`]; a path that git cannot store ([`GitError::Failed`]).
    pub fn commit_tree_of(
        &self,
        paths: &[Vec<u8>],
        parent: &CommitId,
        message: &str,
    ) -> Result<CommitId, GitError> {
        self.top()?;
        let index = TempIndex::empty(&self.git_dir)?;
        index.apply(self.write(&["read-tree", parent.as_str()])?).ok()?;
        index.apply(self.write(ADD_PATHS)?).stdin(joined(paths)).ok()?;
        self.commit_index(&index, parent, message)
    }

    /// A commit of one commit's tree in which some paths are as another commit has them, or absent
    /// where it has none; neither index, working tree nor refs change.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn overlay(
        &self,
        tree: &CommitId,
        other: &CommitId,
        paths: &BTreeSet<String>,
        message: &str,
    ) -> Result<CommitId, GitError> {
        let index = TempIndex::empty(&self.git_dir)?;
        index.apply(self.write(&["read-tree", tree.as_str()])?).ok()?;
        let mut lines = Vec::new();
        for change in self.raw_changes(tree, other)? {
            if !paths.contains(&shown(&change.old)) {
                continue;
            }
            // mode 0 takes the entry out
            let line = format!("{:06o} {} 0\t", change.new_mode, change.new_id);
            lines.extend_from_slice(line.as_bytes());
            lines.extend_from_slice(&change.old);
            lines.push(0);
        }
        let enter = self.write(&["update-index", "-z", "--index-info"])?;
        index.apply(enter).stdin(lines).ok()?;
        self.commit_index(&index, tree, message)
    }

    fn commit_index(
        &self,
        index: &TempIndex,
        parent: &CommitId,
        message: &str,
    ) -> Result<CommitId, GitError> {
        let tree = index.apply(self.write(&["write-tree"])?).line()?;
        let mut call = self.write(&["commit-tree", &tree, "-p", parent.as_str(), "-F", "-"])?;
        for who in ["AUTHOR", "COMMITTER"] {
            call = call.env(format!("GIT_{who}_NAME"), "git-evidence");
            call = call.env(format!("GIT_{who}_EMAIL"), "git-evidence@localhost");
        }
        let made = call.stdin(message.as_bytes()).line()?;
        CommitId::parse(&made)
            .map_err(|e| GitError::Strange { command: "git commit-tree", what: e.to_string() })
    }

    /// Files that differ between two commits, without renames.
    pub(super) fn raw_changes(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Vec<RawChange>, GitError> {
        let call = self.read(&["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames"]);
        parse_raw(&call.args([from.as_str(), to.as_str()]).ok()?)
    }

    /// Files of a commit that the working tree has otherwise, as git compares: through filters,
    /// with modes, without those that are left out by sparse patterns.
    fn differing_files(&self, commit: &CommitId) -> Result<Paths, GitError> {
        let index = TempIndex::copy(&self.git_dir)?;
        index.apply(self.write(&["read-tree", "--reset", commit.as_str()])?).ok()?;
        let refresh = self.write(&["update-index", "-q", "--refresh"])?;
        // status 1 says that something differs, which is the question
        index.apply(refresh).run()?;
        let call = index.apply(self.read(&["diff-files", "--raw", "-z", "--no-renames"]));
        Ok(parse_raw(&call.ok()?)?.into_iter().map(|c| c.old).collect())
    }

    /// Enters into the index what the working tree has already as the new commit has it, and
    /// gives the tree that lies between the two commits in that way.
    fn settle(&self, from: &CommitId, settled: &[&RawChange]) -> Result<String, GitError> {
        if settled.is_empty() {
            return Ok(from.to_string());
        }
        let mut lines = Vec::new();
        for change in settled {
            let line = format!("{:06o} {} 0\t", change.new_mode, change.new_id);
            lines.extend_from_slice(line.as_bytes());
            lines.extend_from_slice(&change.old);
            lines.push(0);
        }
        let enter = ["update-index", "-z", "--index-info"];
        self.write(&enter)?.stdin(lines.clone()).ok()?;
        let between = TempIndex::empty(&self.git_dir)?;
        between.apply(self.write(&["read-tree", from.as_str()])?).ok()?;
        between.apply(self.write(&enter)?).stdin(lines).ok()?;
        between.apply(self.write(&["write-tree"])?).line()
    }

    /// Notes in the index which files are unchanged though their times are not.
    fn refresh(&self) -> Result<(), GitError> {
        let done = self.write(&["update-index", "-q", "--refresh"])?.run()?;
        match done.status {
            Some(0 | 1) => Ok(()),
            _ => Err(done.failed()),
        }
    }
}

/// Stages paths as they are in the working tree: literal names, removed ones removed.
pub(super) const ADD_PATHS: &[&str] =
    &["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];

/// Paths as input for it; a folder listed as a whole is another repository and not ours to add.
pub(super) fn joined(paths: &[Vec<u8>]) -> Vec<u8> {
    let mut input = Vec::new();
    for path in paths.iter().filter(|p| !p.ends_with(b"/")) {
        input.extend_from_slice(path);
        input.push(0);
    }
    input
}

/// Paths that the new commit has no longer: what lies there as the old one had it will go.
fn leaving(changes: &[RawChange]) -> Paths {
    changes.iter().filter(|c| c.old_mode != 0).map(|c| c.old.clone()).collect()
}

/// Whether nothing lies where a file is to come, other than what goes with the same move.
fn vacant(top: &Path, change: &RawChange, leaving: &Paths) -> Result<bool, GitError> {
    let parts: Vec<&[u8]> = change.old.split(|b| *b == b'/').collect();
    for depth in 1..parts.len() {
        let above = parts[..depth].join(&b'/');
        match top.join(to_path(&above)).symlink_metadata() {
            Ok(meta) if meta.is_dir() => {}
            // nothing can lie below a file; one that is in the way of a folder has to be a
            // tracked one that goes, which is looked at by itself
            Ok(_) => return Ok(change.new_mode == 0 || leaving.contains(&above)),
            Err(e) if absent(&e) => return Ok(true),
            Err(e) => return Err(GitError::io(to_path(&above), e)),
        }
    }
    let path = top.join(to_path(&change.old));
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() && change.new_mode == GITLINK => Ok(true),
        Ok(meta) if meta.is_dir() => only_leaving(&path, &change.old, leaving),
        Ok(_) => Ok(false),
        Err(e) if absent(&e) => Ok(true),
        Err(e) => Err(GitError::io(path, e)),
    }
}

/// Whether a folder holds no file but such that go.
fn only_leaving(folder: &Path, name: &[u8], leaving: &Paths) -> Result<bool, GitError> {
    let io = |e| GitError::io(folder, e);
    for entry in folder.read_dir().map_err(io)? {
        let entry = entry.map_err(io)?;
        let mut inner = name.to_vec();
        inner.push(b'/');
        inner.extend_from_slice(entry.file_name().as_encoded_bytes());
        let goes = if entry.file_type().map_err(io)?.is_dir() {
            only_leaving(&entry.path(), &inner, leaving)?
        } else {
            leaving.contains(&inner)
        };
        if !goes {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An index beside the real one, removed when dropped.
struct TempIndex {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl TempIndex {
    fn empty(git_dir: &Path) -> Result<TempIndex, GitError> {
        let folder = tempfile::Builder::new()
            .prefix("evidence-index-")
            .tempdir_in(git_dir)
            .map_err(|e| GitError::io(git_dir, e))?;
        Ok(TempIndex { path: folder.path().join("index"), _folder: folder })
    }

    /// A copy of the real index, so that unchanged files need not be read again. The copy keeps
    /// the time of the original: git takes a file for possibly changed when it is not older.
    fn copy(git_dir: &Path) -> Result<TempIndex, GitError> {
        let index = TempIndex::empty(git_dir)?;
        let real = git_dir.join("index");
        let copied = (|| {
            let time = real.metadata()?.modified()?;
            std::fs::copy(&real, &index.path)?;
            File::options().write(true).open(&index.path)?.set_modified(time)
        })();
        match copied {
            Err(e) if !absent(&e) => Err(GitError::io(real, e)),
            _ => Ok(index),
        }
    }

    fn apply(&self, call: Call) -> Call {
        call.env("GIT_INDEX_FILE", OsString::from(&self.path))
    }
}
