//! Putting the pre-push hook in place beside others, and taking it away again.
//!
//! What is found and what is to be done about it are plain values: [`plan`] and [`plan_removal`]
//! decide without touching anything, so `--dry-run` prints exactly what [`apply`] would do. Somebody
//! else's hook is kept under another name with its bytes, mode and kind, and at no instant is there
//! no hook where there was one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::manager::{self, Manager};
use crate::store::StoreError;
use crate::store::write::{create_dirs, read_opt, remove_opt, sync_dir, write_atomic_mode};

/// The present text of our hook, with an empty fallback.
pub const BODY: &str = include_str!("../../hooks/pre-push");
/// Texts of former versions, so that these are replaced and removed too. A change of
/// `hooks/pre-push` after a release puts the released text here.
const FORMER: &[&str] = &[];

/// The name that git calls.
const HOOK: &str = "pre-push";
/// The name that somebody else's hook gets; our hook runs it first.
const ORIGINAL: &str = "pre-push.evidence-orig";
/// The name that pre-commit and prek give to the hook that they found.
const LEGACY: &str = "pre-push.legacy";

/// Where git looks for hooks, seen from the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In the git directory: ours to use.
    GitDir,
    /// In the working tree (`core.hooksPath = .githooks`): files there are part of the project.
    WorkTree,
    /// Elsewhere on the machine: shared by other repositories.
    Outside,
}

/// A hook file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    /// Its content; of a symbolic link, what it leads to.
    pub bytes: Vec<u8>,
    /// Its permissions.
    pub mode: u32,
    /// Where it leads, if it is a symbolic link.
    pub link: Option<PathBuf>,
}

/// What is there before anything is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where git looks for hooks.
    pub hooks_dir: PathBuf,
    /// What kind of place that is.
    pub home: Home,
    /// The hook that git calls.
    pub current: Option<HookFile>,
    /// Somebody else's hook, kept by an earlier installation.
    pub original: Option<HookFile>,
    /// The hook that pre-commit or prek found when it was installed, and runs first.
    pub legacy: Option<HookFile>,
}

impl Found {
    fn hook(&self) -> PathBuf {
        self.hooks_dir.join(HOOK)
    }

    fn kept(&self) -> PathBuf {
        self.hooks_dir.join(ORIGINAL)
    }

    /// Our hook under the name that a manager gave it.
    fn ours_under_a_manager(&self) -> Option<(PathBuf, &HookFile)> {
        let legacy = self.legacy.as_ref().filter(|file| is_ours(&file.bytes))?;
        Some((self.hooks_dir.join(LEGACY), legacy))
    }
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Our present hook is there.
    UpToDate {
        /// The hook.
        hook: PathBuf,
    },
    /// Write our hook, where there is none or one of ours.
    Write {
        /// The hook.
        hook: PathBuf,
        /// Its content.
        bytes: Vec<u8>,
        /// What a person should know.
        note: Option<&'static str>,
    },
    /// Keep somebody else's hook under another name and write ours, which runs it first.
    Chain {
        /// The hook.
        hook: PathBuf,
        /// Where theirs is kept.
        original: PathBuf,
        /// The content of ours.
        bytes: Vec<u8>,
    },
    /// Remove a file of ours.
    Remove {
        /// The file.
        path: PathBuf,
    },
    /// Put somebody else's hook back in the place of ours.
    Restore {
        /// The hook.
        hook: PathBuf,
        /// Where theirs was kept.
        original: PathBuf,
    },
    /// Nothing of ours is there.
    Nothing {
        /// Where it would be.
        hook: PathBuf,
    },
    /// Nothing is touched: a person has to add lines.
    Refuse {
        /// Why.
        why: String,
        /// The exact lines or commands.
        add: String,
    },
}

/// Looks at what is there. `hooks_dir` is what `git rev-parse --git-path hooks` says, made absolute.
///
/// # Errors
/// Where a file exists and cannot be read.
pub fn look(hooks_dir: &Path, common_dir: &Path, top: Option<&Path>) -> Result<Found, StoreError> {
    let real = resolve(hooks_dir);
    let home = if real.starts_with(resolve(common_dir)) {
        Home::GitDir
    } else if top.is_some_and(|top| real.starts_with(resolve(top))) {
        Home::WorkTree
    } else {
        Home::Outside
    };
    Ok(Found {
        hooks_dir: hooks_dir.to_path_buf(),
        home,
        current: hook_file(&hooks_dir.join(HOOK))?,
        original: hook_file(&hooks_dir.join(ORIGINAL))?,
        legacy: hook_file(&hooks_dir.join(LEGACY))?,
    })
}

/// What installing would do. `fallback` is the absolute path of `git-review-evidence`, for programs
/// that push with a shorter PATH than a person's shell has.
pub fn plan(found: &Found, fallback: &Path) -> Plan {
    let (hook, bytes) = (found.hook(), script(fallback));
    if let Some(manager) = manager::of(&found.hooks_dir, found.current.as_ref()) {
        return match found.ours_under_a_manager() {
            Some((hook, file)) if is_current(file, &bytes) => Plan::UpToDate { hook },
            Some((hook, _)) => Plan::Write { hook, bytes, note: None },
            None => refuse_manager(manager),
        };
    }
    let theirs = match &found.current {
        Some(file) if !is_ours(&file.bytes) => file,
        Some(file) if is_current(file, &bytes) => return Plan::UpToDate { hook },
        _ if found.home == Home::Outside => return refuse_place(found),
        _ => {
            let in_tree = "it lies in the working tree: commit it or have git ignore it, since \
                           'git fix-evidence' starts in a clean tree only";
            let note = (found.home == Home::WorkTree).then_some(in_tree);
            return Plan::Write { hook, bytes, note };
        }
    };
    match &found.original {
        // An earlier installation was stopped between its two steps; both are the same file.
        None if found.home == Home::GitDir => Plan::Chain { hook, original: found.kept(), bytes },
        Some(kept) if kept == theirs && found.home == Home::GitDir => {
            Plan::Chain { hook, original: found.kept(), bytes }
        }
        Some(_) if found.home == Home::GitDir => refuse_two(found),
        _ => refuse_place(found),
    }
}

/// git ignores a hook that cannot be executed.
fn is_current(file: &HookFile, bytes: &[u8]) -> bool {
    file.bytes == bytes && file.mode & 0o100 != 0
}

/// Whether a push meets our hook, of whatever installation: the one that git calls, the one that a
/// manager runs first, or somebody else's with our line in it.
pub(super) fn is_live(found: &Found) -> bool {
    let runs = |file: &HookFile| file.mode & 0o100 != 0;
    let Some(current) = found.current.as_ref().filter(|file| runs(file)) else { return false };
    if is_ours(&current.bytes) {
        return true;
    }
    if manager::of(&found.hooks_dir, Some(current)).is_some() {
        return found.ours_under_a_manager().is_some_and(|(_, file)| runs(file));
    }
    let text = String::from_utf8_lossy(&current.bytes);
    text.lines().any(|line| line.trim_start().starts_with(manager::LINE))
}

/// What taking away would do.
pub fn plan_removal(found: &Found) -> Plan {
    let (hook, original) = (found.hook(), found.kept());
    match (&found.current, &found.original) {
        (Some(file), Some(_)) if is_ours(&file.bytes) => Plan::Restore { hook, original },
        (Some(file), None) if is_ours(&file.bytes) => Plan::Remove { path: hook },
        (None, Some(_)) => Plan::Restore { hook, original },
        (Some(file), Some(kept)) if file == kept => Plan::Remove { path: original },
        (Some(_), Some(_)) => refuse_two(found),
        (_, None) => match found.ours_under_a_manager() {
            Some((path, _)) => Plan::Remove { path },
            None => Plan::Nothing { hook },
        },
    }
}

/// Does what the plan says.
///
/// # Errors
/// Where a file cannot be written; what was there before is then still there.
pub fn apply(plan: &Plan) -> Result<(), StoreError> {
    match plan {
        Plan::UpToDate { .. } | Plan::Nothing { .. } | Plan::Refuse { .. } => Ok(()),
        Plan::Write { hook, bytes, .. } => write_atomic_mode(hook, bytes, 0o755),
        Plan::Chain { hook, original, bytes } => chain(hook, original, bytes),
        Plan::Remove { path } => remove_opt(path),
        Plan::Restore { hook, original } => {
            fs::rename(original, hook).map_err(StoreError::io(hook, "put back"))?;
            sync_dir(hook.parent().unwrap_or(Path::new("")))
        }
    }
}

impl Plan {
    /// The plan in words, with every byte that would be written: what `--dry-run` prints.
    pub fn describe(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut say = |line: String| text.extend_from_slice(format!("{line}\n").as_bytes());
        let show = |path: &Path| path.display().to_string();
        let bytes = match self {
            Plan::UpToDate { hook } => return line(format!("up to date: {}", show(hook))),
            Plan::Nothing { hook } => return line(format!("not installed: {}", show(hook))),
            Plan::Remove { path } => return line(format!("remove {}", show(path))),
            Plan::Restore { hook, original } => {
                return line(format!("rename {} to {}", show(original), show(hook)));
            }
            Plan::Refuse { why, add } => return line(format!("{why}\n{add}")),
            Plan::Write { hook, bytes, note } => {
                say(format!("write {} (mode 755):", show(hook)));
                if let Some(note) = note {
                    say(format!("note: {note}"));
                }
                bytes
            }
            Plan::Chain { hook, original, bytes } => {
                say(format!("keep {} as {}, which is run first", show(hook), show(original)));
                say(format!("write {} (mode 755):", show(hook)));
                bytes
            }
        };
        text.extend_from_slice(bytes);
        text
    }
}

fn line(text: String) -> Vec<u8> {
    let mut text = text.into_bytes();
    text.push(b'\n');
    text
}

/// A second name first, then one rename: a push in between finds their hook or ours, never none.
fn chain(hook: &Path, original: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    create_dirs(hook.parent().unwrap_or(Path::new("")))?;
    // A name that is there already is the same file: the plan has looked.
    let was_kept = original.symlink_metadata().is_ok();
    let linked = was_kept || fs::hard_link(hook, original).is_ok();
    if !linked {
        // A file system without hard links, or a file of another owner.
        fs::rename(hook, original).map_err(StoreError::io(hook, "rename"))?;
    }
    let written = write_atomic_mode(hook, bytes, 0o755);
    if written.is_err() && !was_kept {
        let _ = if linked { fs::remove_file(original) } else { fs::rename(original, hook) };
    }
    written
}

/// Our hook with the fallback in it. A path that does not fit in a line is left out.
pub fn script(fallback: &Path) -> Vec<u8> {
    let path = fallback.as_os_str().as_bytes();
    if path.contains(&b'\n') {
        return BODY.as_bytes().to_vec();
    }
    let mut quoted = b"fallback='".to_vec();
    for byte in path {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            other => quoted.push(*other),
        }
    }
    quoted.push(b'\'');
    with_fallback_line(BODY.as_bytes(), &quoted)
}

/// Whether these bytes are our hook of any version, whatever path was put into it. One changed byte
/// makes it a person's own.
pub fn is_ours(bytes: &[u8]) -> bool {
    let line = bytes.split(|b| *b == b'\n').find(|line| line.starts_with(b"fallback='"));
    let quoted =
        line.and_then(|l| l.strip_prefix(b"fallback='")).and_then(|l| l.strip_suffix(b"'"));
    let Some(quoted) = quoted else { return false };
    // What is left after the escaped quotes must not end the string and go on as a command.
    let escaped = quoted.windows(4).filter(|w| w == br"'\''").count();
    if quoted.iter().filter(|b| **b == b'\'').count() != escaped * 3 {
        return false;
    }
    let plain = with_fallback_line(bytes, b"fallback=''");
    std::iter::once(&BODY).chain(FORMER).any(|body| body.as_bytes() == plain)
}

/// The text with its first such line replaced.
fn with_fallback_line(text: &[u8], new: &[u8]) -> Vec<u8> {
    let mut replaced = false;
    let lines: Vec<&[u8]> = text
        .split(|b| *b == b'\n')
        .map(|line| {
            let this = !replaced && line.starts_with(b"fallback='");
            replaced |= this;
            if this { new } else { line }
        })
        .collect();
    lines.join(&b'\n')
}

fn hook_file(path: &Path) -> Result<Option<HookFile>, StoreError> {
    let Ok(meta) = path.symlink_metadata() else { return Ok(None) };
    let link = if meta.is_symlink() { fs::read_link(path).ok() } else { None };
    // A link that leads nowhere is a hook all the same: it is kept and put back.
    let bytes = read_opt(path)?.unwrap_or_default();
    let mode = fs::metadata(path).map_or(0, |m| m.permissions().mode() & 0o7777);
    Ok(Some(HookFile { bytes, mode, link }))
}

/// The path without links, as far as it exists.
fn resolve(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolve(parent).join(name),
        _ => path.to_path_buf(),
    }
}

fn refuse_manager(manager: &Manager) -> Plan {
    let why = format!(
        "hooks here are managed by {name}, which would overwrite or not run another; {how}:",
        name = manager.name,
        how = manager.how
    );
    Plan::Refuse { why, add: manager.add.to_string() }
}

fn refuse_place(found: &Found) -> Plan {
    let hook = found.hook();
    let whose = match found.home {
        Home::Outside => "outside this repository, for other repositories too",
        _ => "in the working tree, as part of the project",
    };
    let (verb, first) = match found.current {
        Some(_) => ("add this line to", ""),
        None => ("write these lines to", "#!/bin/sh\n"),
    };
    let why = format!(
        "core.hooksPath puts hooks {whose}; {verb} '{}' where it still has its standard input:",
        hook.display()
    );
    Plan::Refuse { why, add: format!("{first}{} || exit 1", manager::LINE) }
}

fn refuse_two(found: &Found) -> Plan {
    let (hook, kept) = (found.hook(), found.kept());
    let name = |p: &Path| p.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned();
    let why = format!(
        "'{}' is not ours, and '{}' keeps another hook from before; one of the two has to go, \
         for example:",
        hook.display(),
        kept.display()
    );
    let dir = found.hooks_dir.display();
    Plan::Refuse { why, add: format!("mv '{dir}/{}' '{dir}/{}.old'", name(&kept), name(&kept)) }
}
