//! `git fix-evidence demo`: the whole story in a throw-away folder, with nothing but sh and git.
//!
//! Nothing is staged: the commands that are shown are run, and what they print is what is seen. At
//! the end it is looked at whether the story went as it was told; where it did not, the demo fails.

mod stage;

use anyhow::bail;
use serde_json::Value;

pub(crate) use stage::REVIEW;
use stage::Stage;

use crate::host::console::Console;

/// Files of the project's first commit.
const MAIN: &[(&str, &str)] = &[
    (".git-evidence.toml", include_str!("project/main/git-evidence.toml")),
    ("lib.sh", include_str!("project/main/lib.sh")),
    ("lib_test.sh", include_str!("project/main/lib_test.sh")),
    ("tools/lint.sh", include_str!("project/tools/lint.sh")),
    ("tools/tests.sh", include_str!("project/tools/tests.sh")),
    ("tools/tidy.sh", include_str!("project/tools/tidy.sh")),
    ("tools/hasty.sh", include_str!("project/tools/hasty.sh")),
    ("tools/careful.sh", include_str!("project/tools/careful.sh")),
    ("tools/testwriter.sh", include_str!("project/tools/testwriter.sh")),
];

/// What the branch makes of them.
const BRANCH: &[(&str, &str)] = &[
    ("lib.sh", include_str!("project/branch/lib.sh")),
    ("lib_test.sh", include_str!("project/branch/lib_test.sh")),
];

/// The dispatches that the story tells of: fixer, kind, outcome.
const TOLD: &[(&str, &str, &str)] = &[
    ("tidy", "lint", "kept"),
    ("hasty", "tests", "rolled_back"),
    ("hasty", "tests", "no_change"),
    ("careful", "tests", "kept"),
    ("testwriter", "coverage", "kept"),
];

/// Tells the story; `keep` leaves the folder. The answer is the exit code.
///
/// # Errors
/// Where a program cannot be started, or where the story did not go as it was told.
pub fn main(console: Console, keep: bool) -> anyhow::Result<i32> {
    let program = std::env::current_exe()?;
    let stage = Stage::set(console, &program)?;
    let told = tell(&stage, keep);
    if let Some(signal) = stage.signal() {
        return Ok(128 + signal);
    }
    if keep {
        let folder = stage.keep();
        console.result(&format!("\nThe folder is kept: {}\n", folder.display()))?;
    }
    let differs = told?;
    if !differs.is_empty() {
        bail!("the story did not go as it was told: {}", differs.join("; "));
    }
    Ok(0)
}

/// What differed from the story as it is told.
#[derive(Default)]
struct Facts(Vec<String>);

impl Facts {
    fn expect(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.0.push(otherwise.to_string());
        }
    }
}

fn tell(stage: &Stage, keep: bool) -> anyhow::Result<Vec<String>> {
    let mut facts = Facts::default();
    stage.say(OPENING)?;
    project(stage)?;
    gate(stage, &mut facts)?;
    blocked(stage, &mut facts)?;
    repaired(stage, &mut facts)?;
    passed(stage, &mut facts)?;
    stage.chapter("What lies where, and the way back")?;
    stage.show(&["git", "fix-evidence", "status"])?;
    stage.say(CLOSING)?;
    if !keep {
        stage.say("The folder of this story is gone now; --keep would have left it.")?;
    }
    Ok(facts.0)
}

/// The repository as it is before the story begins.
fn project(stage: &Stage) -> anyhow::Result<()> {
    let remote = stage.path("remote.git");
    let remote = remote.to_string_lossy();
    stage.quietly(&["git", "init", "-q", "--bare", "--template=", "-b", "main", &remote])?;
    stage.quietly(&["git", "init", "-q", "--template=", "-b", "main"])?;
    stage.quietly(&["git", "remote", "add", "origin", &remote])?;
    for (name, text) in MAIN {
        stage.write(name, text)?;
    }
    stage.quietly(&["git", "add", "-A"])?;
    stage.quietly(&["git", "commit", "-q", "-m", "Words of a line"])?;
    stage.quietly(&["git", "push", "-q", "-u", "origin", "main"])?;
    Ok(())
}

fn gate(stage: &Stage, facts: &mut Facts) -> anyhow::Result<()> {
    stage.chapter("1. A project with rules, and a gate")?;
    stage.say(GATE)?;
    stage.show(&["git", "show", "main:.git-evidence.toml"])?;
    let installed = stage.show(&["git", "review-evidence", "install"])?;
    facts.expect(installed.code == 0, "the hook was not installed");
    Ok(())
}

fn blocked(stage: &Stage, facts: &mut Facts) -> anyhow::Result<()> {
    stage.chapter("2. A branch with problems is pushed, and blocked")?;
    stage.say(PROBLEMS)?;
    stage.quietly(&["git", "switch", "-q", "-c", "words"])?;
    for (name, text) in BRANCH {
        stage.write(name, text)?;
    }
    stage.quietly(&["git", "commit", "-q", "-a", "-m", "The second word, and emptiness"])?;
    stage.show(&["git", "diff", "main", "--", "lib.sh"])?;
    let push = stage.show(&["git", "push", "-u", "origin", "words"])?;
    let reason = |name: &str| push.text.contains(name);
    facts.expect(push.code != 0, "the first push went through");
    for name in ["lint_errors:3>0", "test_failures:1>0", "coverage_below_threshold:80.0<90.0"] {
        facts.expect(reason(name), &format!("the first push was not blocked by {name}"));
    }
    facts.expect(remote_tip(stage)?.is_empty(), "the remote has the branch after a blocked push");
    Ok(())
}

fn repaired(stage: &Stage, facts: &mut Facts) -> anyhow::Result<()> {
    stage.chapter("3. The loop repairs the branch, one reason at a time")?;
    stage.say(LOOP)?;
    let fix = stage.show(&["git", "fix-evidence"])?;
    facts.expect(fix.code == 0, &format!("the loop ended with exit code {}", fix.code));
    let log = stage.quietly(&["git", "fix-evidence", "log", "--json"])?;
    let went = dispatches(&log);
    let told: Vec<String> = TOLD.iter().map(|(f, k, o)| format!("{f} {k} {o}")).collect();
    facts.expect(went == told, &format!("the loop did [{}]", went.join(", ")));
    stage.say(LOOP_DONE)?;
    stage.show(&["git", "log", "--oneline", "main..words"])?;
    Ok(())
}

fn passed(stage: &Stage, facts: &mut Facts) -> anyhow::Result<()> {
    stage.chapter("4. The push passes")?;
    let push = stage.show(&["git", "push", "-u", "origin", "words"])?;
    facts.expect(push.code == 0, "the last push was blocked");
    let tip = stage.quietly(&["git", "rev-parse", "words"])?;
    facts.expect(remote_tip(stage)? == tip, "the remote does not have the repaired branch");
    Ok(())
}

/// Where the remote has the branch; empty where it has none.
fn remote_tip(stage: &Stage) -> anyhow::Result<String> {
    let line = stage.quietly(&["git", "ls-remote", "origin", "refs/heads/words"])?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_string())
}

fn dispatches(log: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(log).unwrap_or_default();
    let word = |entry: &Value, key: &str| entry[key].as_str().unwrap_or("?").to_string();
    let attempts = log["attempts"].as_array().cloned().unwrap_or_default();
    attempts
        .iter()
        .map(|a| format!("{} {} {}", word(a, "fixer"), word(a, "kind"), word(a, "outcome")))
        .collect()
}

const OPENING: &str = "\
This is git-evidence at work on a small repository in a throw-away folder, with a bare remote beside
it. Every command is run as shown, and what is indented below it is what it printed. Your own
repositories, your home and your git configuration are neither read nor written.
";

const GATE: &str = "\
The project is a library of shell functions with tests. Its file .git-evidence.toml names the checks
that measure a commit and the fixers that may repair one:
";

const PROBLEMS: &str = "\
Branch 'words' adds two functions. 'second' gives the wrong word, which its test shows; 'is_empty' has
no test; and three places are not as the project's lint wants them. The first line of the gate's
answer, AUTO_FIX_TRIGGER, is for a coding agent that pushes; the rest is for everybody.
";

const LOOP: &str = "\
git fix-evidence takes the first reason, sets a checkpoint, lets a fixer work on it, measures again,
and keeps the change or takes it back. The fixers here are a few lines of shell; in your repository
they are your tools, or a coding agent. 'hasty' mends the failing test by a guess and breaks another
test: watch iteration 2.
";

const LOOP_DONE: &str = "\
Iteration 2 made things worse, so it was taken back; the fixer was told, changed nothing the next
time, and the next one was asked. What is left on the branch is only what the checks confirmed:
";

const CLOSING: &str = "\
All state is in .git/evidence (records, measurements, journals), and each step is a checkpoint in
refs/evidence/checkpoints, which no ordinary push takes along. To go back:

    git fix-evidence undo 1                  the branch as it was before the loop; undo can be undone
    git review-evidence install --uninstall  the hook is taken away, what was there before comes back

To begin in your own repository:

    1. Write .git-evidence.toml: the checks that you run anyway, with the reports that they write
       (git review-evidence formats lists what is read), and the fixers that you trust.
    2. git review-evidence           judges the commit that you are on
    3. git review-evidence install   judges every push from now on
    4. git fix-evidence              when a push is blocked
";
