//! The throw-away folder: a project, a bare remote, a home, and the two commands on PATH; and how a
//! command is run in it before a spectator's eyes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use tempfile::TempDir;

use crate::host::console::Console;
use crate::model::sanitize;

/// The first word by which this executable acts as `git-review-evidence`: so the demo needs one
/// executable, and never meets one of another build that happens to lie beside it.
pub(crate) const REVIEW: &str = "__review";

const REVIEW_SHIM: &str = "#!/bin/sh\nexec \"${0%/*}/git-fix-evidence\" __review \"$@\"\n";

/// What is inherited; everything else of a person's surroundings stays outside.
const INHERITED: &[&str] = &["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/// A command that was shown.
pub(super) struct Shown {
    /// Its exit code.
    pub(super) code: i32,
    /// All that it printed.
    pub(super) text: String,
}

/// Where the story happens.
pub(super) struct Stage {
    folder: TempDir,
    /// The same without links.
    root: PathBuf,
    env: Vec<(OsString, OsString)>,
    console: Console,
    came: Arc<AtomicUsize>,
}

impl Stage {
    /// Makes the folder and what every story needs in it.
    pub(super) fn set(console: Console, program: &Path) -> anyhow::Result<Stage> {
        let folder = tempfile::Builder::new()
            .prefix("git-evidence-demo-")
            .tempdir()
            .context("no temporary folder can be made")?;
        let root = folder.path().canonicalize()?;
        for name in ["bin", "home", "tmp", "project"] {
            fs::create_dir(root.join(name))?;
        }
        symlink(program, root.join("bin/git-fix-evidence"))?;
        let shim = root.join("bin/git-review-evidence");
        fs::write(&shim, REVIEW_SHIM)?;
        fs::set_permissions(&shim, fs::Permissions::from_mode(0o755))?;
        let came = Arc::new(AtomicUsize::new(0));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&came), number)?;
        }
        let env = surroundings(&root);
        Ok(Stage { folder, root, env, console, came })
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file of the project, its folders too.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.root.join("project").join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Text between commands, a paragraph of the story.
    pub(super) fn say(&self, text: &str) -> anyhow::Result<()> {
        Ok(self.console.result(&format!("{text}\n"))?)
    }

    /// The title of a chapter.
    pub(super) fn chapter(&self, title: &str) -> anyhow::Result<()> {
        self.say(&format!("{}\n", self.painted("1", title)))
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.console.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Runs a command behind the scenes; gives its standard output without the last line end.
    pub(super) fn quietly(&self, words: &[&str]) -> anyhow::Result<String> {
        let output = self.command(words)?.output().with_context(|| started(words))?;
        self.go_on()?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            bail!("'{}' failed: {}", words.join(" "), sanitize(stderr.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_string())
    }

    /// Runs a command and shows it: the line that a person would type, and all that it prints as it
    /// prints it.
    pub(super) fn show(&self, words: &[&str]) -> anyhow::Result<Shown> {
        self.say(&self.painted("36", &format!("    $ {}", words.join(" "))))?;
        let (reader, writer) = io::pipe().context("no pipe can be made")?;
        let mut command = self.command(words)?;
        command.stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn().with_context(|| started(words))?;
        // It holds the writing ends, and the reading would never end.
        drop(command);
        let mut text = String::new();
        for line in BufReader::new(reader).split(b'\n') {
            let line = sanitize(&String::from_utf8_lossy(&line?));
            let line = line.trim_end();
            self.say(format!("      {line}").trim_end())?;
            text.push_str(line);
            text.push('\n');
        }
        let status = child.wait()?;
        self.go_on()?;
        self.say("")?;
        Ok(Shown { code: status.code().unwrap_or(-1), text })
    }

    fn command(&self, words: &[&str]) -> anyhow::Result<Command> {
        let (program, arguments) = words.split_first().context("there is no command")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.root.join("project"))
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        Ok(command)
    }

    /// The number of a signal that came, which ends the story between two commands.
    pub(super) fn signal(&self) -> Option<i32> {
        i32::try_from(self.came.load(Ordering::SeqCst)).ok().filter(|n| *n != 0)
    }

    fn go_on(&self) -> anyhow::Result<()> {
        if self.signal().is_some() { bail!("interrupted") } else { Ok(()) }
    }

    /// Leaves the folder where it is; gives its name.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

fn started(words: &[&str]) -> String {
    format!("'{}' cannot be started", words.first().unwrap_or(&""))
}

/// The environment of everything that runs on the stage.
fn surroundings(root: &Path) -> Vec<(OsString, OsString)> {
    let mut env: Vec<(OsString, OsString)> = std::env::vars_os()
        .filter(|(name, _)| INHERITED.iter().any(|known| name == known))
        .collect();
    let home = root.join("home");
    let bin = root.join("bin").into_os_string();
    let path = match env.iter().find(|(name, _)| name == "PATH") {
        Some((_, path)) => [bin.as_os_str(), OsStr::new(":"), path].into_iter().collect(),
        None => bin,
    };
    let mut set = |name: &str, value: &OsStr| {
        env.retain(|(known, _)| known != name);
        env.push((name.into(), value.to_os_string()));
    };
    set("PATH", &path);
    set("HOME", home.as_os_str());
    set("TMPDIR", root.join("tmp").as_os_str());
    set("GIT_CONFIG_GLOBAL", home.join(".gitconfig").as_os_str());
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "Demo"),
        ("GIT_AUTHOR_EMAIL", "demo@example.org"),
        ("GIT_COMMITTER_NAME", "Demo"),
        ("GIT_COMMITTER_EMAIL", "demo@example.org"),
        ("LC_ALL", "C"),
    ] {
        set(name, OsStr::new(value));
    }
    env
}
