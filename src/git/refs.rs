//! Reads of refs, commits, trees and blobs: libgit2 where it can, the program otherwise.

use super::error::GitError;
use super::repo::Repo;
use crate::model::CommitId;

/// The most that is read of one blob.
const BLOB_LIMIT: usize = 64 * 1024 * 1024;

/// Where HEAD stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The checked-out branch without `refs/heads/`; none when detached.
    pub branch: Option<String>,
    /// The commit; none on an unborn branch.
    pub commit: Option<CommitId>,
}

impl Repo {
    /// Where HEAD stands.
    ///
    /// # Errors
    /// [`GitError::NotUtf8`] for a branch whose name is no text.
    pub fn head(&self) -> Result<Head, GitError> {
        let done = match self.fast_symref("HEAD") {
            Some(name) => name,
            None => {
                let done = self.read(&["symbolic-ref", "-q", "HEAD"]).run()?;
                match done.status {
                    Some(0) => Some(text(done.stdout)?.trim_end().to_owned()),
                    Some(1) => None,
                    _ => return Err(done.failed()),
                }
            }
        };
        let branch = done.map(|n| n.strip_prefix("refs/heads/").unwrap_or(&n).to_owned());
        Ok(Head { branch, commit: self.resolve("HEAD")? })
    }

    /// The commit that a revision names, tags peeled; none where it names none. One that begins
    /// with `-` names none: it would be read as an option somewhere.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn resolve(&self, rev: &str) -> Result<Option<CommitId>, GitError> {
        if rev.is_empty() || rev.starts_with('-') || rev.contains('\0') {
            return Ok(None);
        }
        if let Some(found) = self.fast_resolve(rev) {
            return Ok(found);
        }
        // in two steps: what is appended to `:/text` would become part of the text
        match self.verify(rev)? {
            Some(object) => Ok(self.verify(&format!("{object}^{{commit}}"))?.and_then(|id| {
                // a verified object name is one
                CommitId::parse(&id).ok()
            })),
            None => Ok(None),
        }
    }

    /// As [`Repo::resolve`], where it must name one.
    ///
    /// # Errors
    /// [`GitError::BadRevision`] where it does not.
    pub fn commit(&self, rev: &str) -> Result<CommitId, GitError> {
        self.resolve(rev)?.ok_or_else(|| GitError::BadRevision(rev.to_owned()))
    }

    /// Whether the commit is here (not cut off, not lazily left out).
    ///
    /// # Errors
    /// Git itself failed.
    pub fn exists(&self, commit: &CommitId) -> Result<bool, GitError> {
        Ok(self.resolve(commit.as_str())?.is_some())
    }

    /// The object name of a commit's tree.
    ///
    /// # Errors
    /// [`GitError::BadRevision`] where the commit is not here.
    pub fn tree_of(&self, commit: &CommitId) -> Result<String, GitError> {
        if let Some(fast) = self.fast()
            && let Ok(found) = fast_commit(&fast, commit)
        {
            return Ok(found.tree_id().to_string());
        }
        let tree = self.verify(&format!("{commit}^{{tree}}"))?;
        tree.ok_or_else(|| GitError::BadRevision(commit.to_string()))
    }

    /// The parents of a commit, the first first.
    ///
    /// # Errors
    /// [`GitError::BadRevision`] where the commit is not here.
    pub fn parents(&self, commit: &CommitId) -> Result<Vec<CommitId>, GitError> {
        let line = ["rev-list", "--parents", "--max-count=1", commit.as_str()];
        let done = self.read(&line).run()?;
        if done.status != Some(0) {
            return Err(GitError::BadRevision(commit.to_string()));
        }
        ids(&done.stdout).map(|all| all.into_iter().skip(1).collect())
    }

    /// The bytes of a file in a commit, as committed (no filter, a symbolic link's target); none
    /// where the commit has no file there.
    ///
    /// # Errors
    /// [`GitError::BadRevision`] where the commit is not here, [`GitError::TooMuch`].
    pub fn read_blob(&self, commit: &CommitId, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        if let Some(fast) = self.fast()
            && let Ok(found) = fast_blob(&fast, commit, path)
        {
            return Ok(found);
        }
        let tree = self.tree_of(commit)?;
        let Some(object) = self.verify(&format!("{tree}:{path}"))? else { return Ok(None) };
        if self.read(&["cat-file", "-t", &object]).line()? != "blob" {
            return Ok(None);
        }
        self.read(&["cat-file", "blob", &object]).limit(BLOB_LIMIT).ok().map(Some)
    }

    /// The best common ancestor, git's own choice where there are several.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn merge_base(&self, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>, GitError> {
        if let Some(fast) = self.fast()
            && let Ok(bases) = fast_bases(&fast, a, b)
            && let [only] = bases.as_slice()
        {
            return Ok(Some(only.clone()));
        }
        let done = self.read(&["merge-base", a.as_str(), b.as_str()]).run()?;
        match done.status {
            Some(0) => Ok(ids(&done.stdout)?.into_iter().next()),
            Some(1) => Ok(None),
            _ => Err(done.failed()),
        }
    }

    /// Whether `a` is `b` or one of its ancestors.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn is_ancestor(&self, a: &CommitId, b: &CommitId) -> Result<bool, GitError> {
        if a == b {
            return Ok(true);
        }
        if let Some(fast) = self.fast()
            && let (Ok(a), Ok(b)) = (oid(a), oid(b))
            && let Ok(answer) = fast.graph_descendant_of(b, a)
        {
            return Ok(answer);
        }
        let done = self.read(&["merge-base", "--is-ancestor", a.as_str(), b.as_str()]).run()?;
        match done.status {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(done.failed()),
        }
    }

    /// How many commits `head` has that `base` has not.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn ahead(&self, base: &CommitId, head: &CommitId) -> Result<u64, GitError> {
        let line = self.read(&["rev-list", "--count", &format!("{base}..{head}")]).line()?;
        line.parse().map_err(|_| GitError::Strange { command: "git rev-list", what: line })
    }

    /// A commit's message.
    ///
    /// # Errors
    /// Git itself failed, or the commit is not here.
    pub fn message(&self, commit: &CommitId) -> Result<String, GitError> {
        let printed = self.read(&["log", "-1", "--format=%B", commit.as_str()]).ok()?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    /// Where a ref was moved to and what was said of it, the newest first; nothing where no reflog
    /// is kept of it.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn reflog(&self, name: &str, max: usize) -> Result<Vec<(CommitId, String)>, GitError> {
        if self.read(&["reflog", "exists", name]).run()?.status != Some(0) {
            return Ok(Vec::new());
        }
        let most = format!("--max-count={max}");
        let call = self.read(&["log", "--walk-reflogs", "--format=%H %gs", &most, name, "--"]);
        let printed = call.ok()?;
        let lines = String::from_utf8_lossy(&printed);
        let entry = |line: &str| {
            let (id, said) = line.split_once(' ')?;
            Some((CommitId::parse(id).ok()?, said.to_owned()))
        };
        Ok(lines.lines().filter_map(entry).collect())
    }

    /// The commits that `head` has and `base` has not, the newest first.
    ///
    /// # Errors
    /// Git itself failed, or one of them is not here.
    pub fn commits_between(
        &self,
        base: &CommitId,
        head: &CommitId,
    ) -> Result<Vec<CommitId>, GitError> {
        let range = format!("{base}..{head}");
        ids(&self.read(&["rev-list", "--topo-order", &range]).ok()?)
    }

    /// Refs below a prefix (`refs/evidence/`) that lead to commits, sorted by name.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn list(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, GitError> {
        let format = "--format=%(refname) %(objectname) %(objecttype) %(*objectname)";
        let listed = text(self.read(&["for-each-ref", format, prefix]).ok()?)?;
        let mut refs = Vec::new();
        for line in listed.lines() {
            let mut words = line.split(' ');
            let (name, object) = (words.next(), words.next());
            let id = match words.next() {
                Some("commit") => object,
                Some("tag") => words.next(),
                _ => None,
            };
            if let (Some(name), Some(Ok(id))) = (name, id.map(CommitId::parse)) {
                refs.push((name.to_owned(), id));
            }
        }
        Ok(refs)
    }

    /// The remote-tracking refs that contain any of the commits: those are published.
    ///
    /// # Errors
    /// Git itself failed, or a commit is not here.
    pub fn contained_in_remotes(&self, commits: &[CommitId]) -> Result<Vec<String>, GitError> {
        self.containing(commits, "refs/remotes/")
    }

    /// The refs below a prefix that contain any of the commits; symbolic ones count as what they
    /// stand for.
    pub(super) fn containing(
        &self,
        commits: &[CommitId],
        prefix: &str,
    ) -> Result<Vec<String>, GitError> {
        let mut names = Vec::new();
        // a command line is not endless
        for some in commits.chunks(500) {
            let call = self.read(&["for-each-ref", "--format=%(refname) %(symref)"]);
            let call = call.args(some.iter().flat_map(|c| ["--contains", c.as_str()]));
            let listed = text(call.arg(prefix).ok()?)?;
            names.extend(listed.lines().filter_map(|l| l.strip_suffix(' ')).map(str::to_owned));
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The ref that a symbolic ref stands for; none where it is no symbolic ref.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn symref(&self, name: &str) -> Result<Option<String>, GitError> {
        if let Some(found) = self.fast_symref(name) {
            return Ok(found);
        }
        let done = self.read(&["symbolic-ref", "-q", name]).run()?;
        match done.status {
            Some(0) => Ok(Some(text(done.stdout)?.trim_end().to_owned())),
            _ => Ok(None),
        }
    }

    /// `Some(None)`: surely no symbolic ref; none: ask the program.
    fn fast_symref(&self, name: &str) -> Option<Option<String>> {
        let fast = self.fast()?;
        let found = match fast.find_reference(name) {
            Ok(found) => found,
            Err(e) if is_absent(&e, name) => return Some(None),
            Err(_) => return None,
        };
        match found.symbolic_target_bytes() {
            // a name that is no text is for the program to report
            Some(target) => String::from_utf8(target.to_vec()).ok().map(Some),
            None => Some(None),
        }
    }

    /// Full object names and full ref names; what git spells in shorter ways has rules of its own.
    /// `Some(None)`: surely not there; none: ask the program.
    fn fast_resolve(&self, rev: &str) -> Option<Option<CommitId>> {
        let fast = self.fast()?;
        if let Ok(id) = CommitId::parse(rev)
            && id.as_str() == rev
        {
            return fast.find_object(oid(&id).ok()?, None).ok().and_then(|o| peeled(&o)).map(Some);
        }
        if rev != "HEAD" && !rev.starts_with("refs/") {
            return None;
        }
        let reference = match fast.find_reference(rev) {
            Ok(reference) => reference,
            Err(e) if is_absent(&e, rev) => return Some(None),
            Err(_) => return None,
        };
        let object = reference.resolve().ok()?.peel(git2::ObjectType::Commit);
        object.ok().and_then(|o| peeled(&o)).map(Some)
    }

    /// The full name of any object.
    fn verify(&self, rev: &str) -> Result<Option<String>, GitError> {
        let done =
            self.read(&["rev-parse", "--verify", "--quiet", "--end-of-options", rev]).run()?;
        match done.status {
            Some(0) => Ok(Some(text(done.stdout)?.trim_end().to_owned())),
            Some(1) => Ok(None),
            // silent: an entry beyond the end of a reflog; what failed in git has a text
            Some(128) if done.stderr.is_empty() => Ok(None),
            _ => Err(done.failed()),
        }
    }
}

/// A full name of which there is surely no ref. Asking the program for it would cost a process for
/// each rung of the ladder that does not hold. Elsewhere below `refs/` lie refs of single working
/// trees, where the program decides.
fn is_absent(error: &git2::Error, name: &str) -> bool {
    let shared = ["refs/heads/", "refs/remotes/", "refs/tags/", "refs/evidence/"];
    error.class() == git2::ErrorClass::Reference
        && error.code() == git2::ErrorCode::NotFound
        && shared.iter().any(|prefix| name.starts_with(prefix))
}

fn peeled(object: &git2::Object<'_>) -> Option<CommitId> {
    let commit = object.peel_to_commit().ok()?;
    CommitId::parse(&commit.id().to_string()).ok()
}

fn oid(id: &CommitId) -> Result<git2::Oid, git2::Error> {
    git2::Oid::from_str(id.as_str())
}

fn fast_commit<'a>(
    repo: &'a git2::Repository,
    id: &CommitId,
) -> Result<git2::Commit<'a>, git2::Error> {
    repo.find_commit(oid(id)?)
}

fn fast_blob(
    repo: &git2::Repository,
    commit: &CommitId,
    path: &str,
) -> Result<Option<Vec<u8>>, git2::Error> {
    let tree = fast_commit(repo, commit)?.tree()?;
    let entry = match tree.get_path(std::path::Path::new(path)) {
        Ok(entry) => entry,
        Err(e) if e.code() == git2::ErrorCode::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    if entry.kind() != Some(git2::ObjectType::Blob) {
        return Ok(None);
    }
    Ok(Some(repo.find_blob(entry.id())?.content().to_vec()))
}

fn fast_bases(
    repo: &git2::Repository,
    a: &CommitId,
    b: &CommitId,
) -> Result<Vec<CommitId>, git2::Error> {
    let bases = repo.merge_bases(oid(a)?, oid(b)?)?;
    Ok(bases.iter().filter_map(|id| CommitId::parse(&id.to_string()).ok()).collect())
}

/// Object names divided by white space.
pub(super) fn ids(bytes: &[u8]) -> Result<Vec<CommitId>, GitError> {
    let text = String::from_utf8_lossy(bytes);
    text.split_whitespace()
        .map(|word| {
            CommitId::parse(word)
                .map_err(|bad| GitError::Strange { command: "git", what: bad.to_string() })
        })
        .collect()
}

pub(super) fn text(bytes: Vec<u8>) -> Result<String, GitError> {
    String::from_utf8(bytes)
        .map_err(|e| GitError::NotUtf8(String::from_utf8_lossy(e.as_bytes()).into_owned()))
}
