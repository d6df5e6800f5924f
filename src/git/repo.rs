//! A repository, found once; every later command names it explicitly.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::config::Config;
use super::error::GitError;
use super::program::{Call, Done, Git};

/// The oldest git that works: `safe.directory` and `worktree list -z` came with it.
pub const MINIMUM_GIT: &str = "2.36";

/// How object names are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 40 hex digits.
    Sha1,
    /// 64 hex digits.
    Sha256,
}

/// How refs are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefFormat {
    /// Loose files and `packed-refs`.
    Files,
    /// Tables; libgit2 cannot read them.
    Reftable,
    /// A format of a newer git.
    Other(String),
}

/// A repository and, where there is one, its working tree.
pub struct Repo {
    /// The top of the working tree; none in a bare repository or inside `.git`.
    pub top: Option<PathBuf>,
    /// The git directory of this working tree, absolute.
    pub git_dir: PathBuf,
    /// The git directory that all linked working trees share, absolute.
    pub common_dir: PathBuf,
    /// How objects are named.
    pub object_format: ObjectFormat,
    /// How refs are stored.
    pub ref_format: RefFormat,
    /// Whether history is cut off.
    pub shallow: bool,
    /// Whether the configuration says that there is no working tree.
    pub bare: bool,
    /// Names the repository explicitly: no search, whatever happens to `.git` meanwhile.
    git: Git,
    /// Searches as a person's own git would, for commands that run the person's hooks: an
    /// explicit directory would reach them as `GIT_DIR` and redirect what they run elsewhere.
    natural: Git,
    fast: OnceLock<Result<Mutex<git2::Repository>, String>>,
    /// See [`Repo::settled_config`].
    pub(super) settled: Mutex<Option<Arc<Config>>>,
    version: OnceLock<String>,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("top", &self.top)
            .field("git_dir", &self.git_dir)
            .finish_non_exhaustive()
    }
}

/// libgit2's handle, held by one thread at a time.
pub(super) struct FastHandle<'a>(MutexGuard<'a, git2::Repository>);

impl std::ops::Deref for FastHandle<'_> {
    type Target = git2::Repository;
    fn deref(&self) -> &git2::Repository {
        &self.0
    }
}

impl Repo {
    /// Finds the repository of a folder as git would. `git_dir` and `work_tree` are the values of
    /// `GIT_DIR` and `GIT_WORK_TREE` that this process was started with: git sets them in hooks
    /// and for `git --git-dir`.
    ///
    /// # Errors
    /// [`GitError::NotARepository`], [`GitError::DubiousOwnership`], [`GitError::TooOld`],
    /// [`GitError::NoGit`].
    pub fn discover(
        cwd: &Path,
        git_dir: Option<&Path>,
        work_tree: Option<&Path>,
    ) -> Result<Repo, GitError> {
        let mut natural = Git::at(cwd);
        let mut inherit = |name: &str, value: Option<&Path>| {
            if let Some(path) = value {
                natural.env.push((name.into(), path.into()));
            }
        };
        inherit("GIT_DIR", git_dir);
        inherit("GIT_WORK_TREE", work_tree);
        let words = words(&natural)?;
        let inherited = git_dir.is_some();
        let mut questions = vec![["--absolute-git-dir"], ["--git-common-dir"]];
        if words[3] == "true" {
            questions.push(["--show-toplevel"]);
        }
        let mut dirs = paths(&natural, &questions)?.into_iter();
        let (Some(git_dir), Some(common_dir)) = (dirs.next(), dirs.next()) else {
            return Err(GitError::Strange { command: "git rev-parse", what: String::new() });
        };
        let found = Found {
            top: dirs.next(),
            git_dir,
            common_dir,
            object_format: object_format(&words[0])?,
            bare: words[1] == "true",
            shallow: words[2] == "true",
            ref_format: ref_format(&natural, words.get(4).map_or("", String::as_str))?,
        };
        Ok(found.into_repo(inherited))
    }

    /// As [`Repo::discover`] without starting a process where libgit2 can open the repository
    /// (about 1 ms): for hooks.
    ///
    /// # Errors
    /// As [`Repo::discover`].
    pub fn discover_fast(
        cwd: &Path,
        git_dir: Option<&Path>,
        work_tree: Option<&Path>,
    ) -> Result<Repo, GitError> {
        if work_tree.is_none()
            && let Some(repo) = open_fast(cwd, git_dir)
        {
            return Ok(repo);
        }
        Repo::discover(cwd, git_dir, work_tree)
    }

    /// The same repository with variables that every git command, and with it every hook and
    /// filter, gets.
    #[must_use]
    pub fn with_env(mut self, env: impl IntoIterator<Item = (OsString, OsString)>) -> Repo {
        let env: Vec<_> = env.into_iter().collect();
        self.git.env.extend(env.iter().cloned());
        self.natural.env.extend(env);
        self
    }

    /// The top of the working tree.
    ///
    /// # Errors
    /// [`GitError::Bare`] where there is none.
    pub fn top(&self) -> Result<&Path, GitError> {
        self.top.as_deref().ok_or_else(|| GitError::Bare { path: self.git_dir.clone() })
    }

    /// Why libgit2 does not read this repository; none where it does.
    pub fn slow_reason(&self) -> Option<&str> {
        self.fast_cell().as_ref().err().map(String::as_str)
    }

    /// The version of the git program, at least [`MINIMUM_GIT`]; asked once.
    ///
    /// # Errors
    /// [`GitError::TooOld`], [`GitError::NoGit`].
    pub fn git_version(&self) -> Result<&str, GitError> {
        if let Some(known) = self.version.get() {
            return Ok(known);
        }
        let found = version(&self.git)?;
        Ok(self.version.get_or_init(|| found))
    }

    /// Where git keeps files of this working tree.
    ///
    /// # Errors
    /// Git itself failed.
    pub fn git_paths(&self, files: &[&str]) -> Result<Vec<PathBuf>, GitError> {
        paths(&self.git, &files.iter().map(|f| ["--git-path", f]).collect::<Vec<_>>())
    }

    /// A command that only reads.
    pub(super) fn read(&self, args: &[&str]) -> Call {
        self.git.read(args)
    }

    /// A command that writes refs, objects, the index or the working tree; the version is
    /// checked before the first.
    pub(super) fn write(&self, args: &[&str]) -> Result<Call, GitError> {
        self.git_version()?;
        Ok(self.git.write(args))
    }

    /// A command that runs a person's hooks, see [`Repo::natural`].
    pub(super) fn natural(&self, args: &[&str]) -> Result<Call, GitError> {
        self.git_version()?;
        let found = path_line(self.natural.read(&["rev-parse", "--absolute-git-dir"]).ok()?);
        if found != self.git_dir {
            let (top, expected) = (self.natural.cwd.clone(), self.git_dir.clone());
            return Err(GitError::Redirected { top, expected, found });
        }
        Ok(self.natural.write(args))
    }

    /// libgit2's handle where it opens this repository.
    pub(super) fn fast(&self) -> Option<FastHandle<'_>> {
        let cell = self.fast_cell().as_ref().ok()?;
        Some(FastHandle(cell.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn fast_cell(&self) -> &Result<Mutex<git2::Repository>, String> {
        self.fast.get_or_init(|| {
            if self.object_format == ObjectFormat::Sha256 {
                return Err("objects are named by SHA-256".to_owned());
            }
            if self.ref_format != RefFormat::Files {
                return Err("refs are not stored as files".to_owned());
            }
            open_exactly(&self.git_dir).map(Mutex::new).map_err(|e| e.message().to_owned())
        })
    }
}

/// What discovery has to answer.
struct Found {
    top: Option<PathBuf>,
    git_dir: PathBuf,
    common_dir: PathBuf,
    object_format: ObjectFormat,
    ref_format: RefFormat,
    shallow: bool,
    bare: bool,
}

impl Found {
    fn into_repo(self, inherited: bool) -> Repo {
        let cwd = self.top.as_ref().unwrap_or(&self.git_dir).clone();
        let mut git = Git::at(&cwd);
        git.git_dir = Some(self.git_dir.clone());
        git.work_tree.clone_from(&self.top);
        // with core.worktree nothing is found from the top
        let findable = self.top.as_ref().is_some_and(|t| t.join(".git").symlink_metadata().is_ok());
        let natural = if inherited || !findable { git.clone() } else { Git::at(&cwd) };
        Repo {
            top: self.top,
            git_dir: self.git_dir,
            common_dir: self.common_dir,
            object_format: self.object_format,
            ref_format: self.ref_format,
            shallow: self.shallow,
            bare: self.bare,
            git,
            natural,
            fast: OnceLock::new(),
            settled: Mutex::new(None),
            version: OnceLock::new(),
        }
    }
}

/// Object format, bare, shallow, inside a working tree, and the ref format as git prints it.
fn words(git: &Git) -> Result<Vec<String>, GitError> {
    let done = git
        .read(&[
            "rev-parse",
            "--show-object-format",
            "--is-bare-repository",
            "--is-shallow-repository",
            "--is-inside-work-tree",
            "--show-ref-format",
        ])
        .run()?;
    if done.status != Some(0) {
        return Err(refusal(git, done));
    }
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let words: Vec<String> = text.lines().map(str::to_owned).collect();
    if words.len() < 4 {
        return Err(GitError::Strange { command: "git rev-parse", what: text });
    }
    Ok(words)
}

/// Why git does not take a folder for a repository.
fn refusal(git: &Git, done: Done) -> GitError {
    if done.stderr.contains("dubious ownership") {
        return GitError::DubiousOwnership(done.stderr);
    }
    if done.stderr.contains("not a git repository") {
        return GitError::NotARepository { path: git.cwd.clone(), text: done.stderr };
    }
    // an old git does not know the questions
    match version(git) {
        Err(old @ GitError::TooOld { .. }) => old,
        _ => done.failed(),
    }
}

fn object_format(word: &str) -> Result<ObjectFormat, GitError> {
    match word {
        "sha1" => Ok(ObjectFormat::Sha1),
        "sha256" => Ok(ObjectFormat::Sha256),
        other => Err(GitError::Strange { command: "git rev-parse", what: other.to_owned() }),
    }
}

/// A git that does not know the question echoes it; the configuration tells then.
fn ref_format(git: &Git, word: &str) -> Result<RefFormat, GitError> {
    let mut word = word.to_owned();
    if word.is_empty() || word.starts_with('-') {
        let done = git.read(&["config", "--get", "extensions.refstorage"]).run()?;
        word = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    }
    Ok(match word.as_str() {
        "" | "files" => RefFormat::Files,
        "reftable" => RefFormat::Reftable,
        _ => RefFormat::Other(word),
    })
}

fn version(git: &Git) -> Result<String, GitError> {
    let text = Git::at(&git.cwd).read(&["version"]).line()?;
    let found = text.strip_prefix("git version ").unwrap_or(&text).to_owned();
    if number(&found) < number(MINIMUM_GIT) {
        return Err(GitError::TooOld { found, needed: MINIMUM_GIT });
    }
    Ok(found)
}

/// Major and minor; anything else counts as the oldest.
fn number(version: &str) -> (u32, u32) {
    let mut parts = version.split(['.', ' ', '-']).map(|p| p.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// One path for each question to `git rev-parse`.
fn paths<const N: usize>(git: &Git, questions: &[[&str; N]]) -> Result<Vec<PathBuf>, GitError> {
    let ask = || git.read(&["rev-parse", "--path-format=absolute"]);
    let printed = ask().args(questions.concat()).ok()?;
    let lines: Vec<&[u8]> =
        printed.strip_suffix(b"\n").unwrap_or(&printed).split(|b| *b == b'\n').collect();
    if lines.len() == questions.len() {
        return Ok(lines.into_iter().map(to_path).collect());
    }
    // a line end inside a path: one at a time, then
    questions.iter().map(|q| ask().args(q).ok().map(path_line)).collect()
}

/// A path that git printed alone on a line; the path itself may hold line ends.
fn path_line(mut bytes: Vec<u8>) -> PathBuf {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    PathBuf::from(OsString::from_vec(bytes))
}

/// A path as git stores it, relative to the top.
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn open_exactly(git_dir: &Path) -> Result<git2::Repository, git2::Error> {
    git2::Repository::open_ext(
        git_dir,
        git2::RepositoryOpenFlags::NO_SEARCH,
        std::iter::empty::<&OsStr>(),
    )
}

/// Discovery by libgit2; none where the program has to answer.
fn open_fast(cwd: &Path, git_dir: Option<&Path>) -> Option<Repo> {
    let handle = match git_dir {
        Some(dir) => open_exactly(&cwd.join(dir)).ok()?,
        None => {
            let none = std::iter::empty::<&OsStr>();
            git2::Repository::open_ext(cwd, git2::RepositoryOpenFlags::empty(), none).ok()?
        }
    };
    let top = handle.workdir().map(plain);
    if git_dir.is_some() && top.as_deref() != Some(cwd.canonicalize().ok()?.as_path()) {
        // git takes the present folder for the top then, libgit2 the configured one
        return None;
    }
    let git_dir_found = plain(handle.path());
    if cwd.canonicalize().ok()?.starts_with(&git_dir_found) {
        return None;
    }
    let found = Found {
        top,
        git_dir: git_dir_found,
        common_dir: plain(handle.commondir()),
        object_format: ObjectFormat::Sha1,
        ref_format: RefFormat::Files,
        shallow: handle.is_shallow(),
        bare: handle.is_bare(),
    };
    let repo = found.into_repo(git_dir.is_some());
    repo.fast.set(Ok(Mutex::new(handle))).ok();
    Some(repo)
}

/// Without libgit2's trailing slash.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_vendor_compare() {
        for (text, expected) in [
            ("2.47.3", (2, 47)),
            ("2.39.5 (Apple Git-154)", (2, 39)),
            ("2.55.0-rc1", (2, 55)),
            ("3.0", (3, 0)),
            ("odd", (0, 0)),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert!(number("2.35.9") < number(MINIMUM_GIT));
    }

    #[test]
    fn threads_can_share_a_repository() {
        fn shared<T: Send + Sync>() {}
        shared::<Repo>();
    }

    #[test]
    fn a_path_keeps_its_own_line_ends() {
        assert_eq!(path_line(b"/a\nb\n\n".to_vec()), PathBuf::from("/a\nb\n"));
    }
}
