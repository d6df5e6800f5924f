//! The agents' hook: reads what a coding agent is about to do, and answers in its own words.
//!
//! It decides from recorded evidence and never measures: an agent waits for it before every command.
//! A push without a record is left to git's own hook where ours is in place. Whatever goes wrong
//! on the way to a push or a pull request blocks it.
//!
//! * `payload`, `answer`: what agents send and understand. * `pushed`: what a push is going to push.
//! * `warm`: the record of a new commit, made beforehand in the background.

mod answer;
mod payload;
mod pushed;
mod warm;

use std::io::{self, Read, Write};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use self::answer::{block, pass};
pub(crate) use self::payload::Dialect;
use self::payload::{Event, MOST, Payload, read};
use self::pushed::{Pushed, pushed, remote_of};
pub(crate) use self::warm::main as warm;
use super::command::{self, Act, Around, Place, PullRequest, Push};
use super::evidence::Missing;
use super::install::{is_live, look};
use super::lines::{Line, parse};
use super::pre_push::{Answer, Asked, judge_all, sort};
use super::wording::note;
use crate::git::{BaseQuery, Head};
use crate::host::console::Console;
use crate::host::context::{Context, git_failure};
use crate::host::env::Environment;
use crate::host::exit::sentence;
use crate::measure::ConfigSource;
use crate::model::CommitId;
use crate::rules::tighten::switch;

/// How many bytes of a reason stand before what is left out.
const LONGEST: usize = 12_000;
/// How many lines stand behind.
const LAST: usize = 8;
/// What is repeated when it is mended.
const AGAIN: &str = "the same command";

/// A command that may not run.
struct Refusal {
    /// All that a model has to read.
    reason: String,
    /// One sentence.
    context: String,
}

impl Refusal {
    fn of(what: &str, why: &str) -> Refusal {
        Refusal {
            reason: note(&format!("{what} is blocked: {why}")),
            context: note(&format!("{what} is blocked; the reason says why")),
        }
    }
}

/// Answers the agent whose document stands on standard input; `typed` is the agent that the hook was
/// set up for, none where that is to be found out. The exit code is 0 whatever the answer is: any
/// other one would take its place.
pub(crate) fn main(typed: Option<Dialect>, dir: Option<&Path>) -> i32 {
    let answer = match input() {
        Ok(bytes) => catch_unwind(|| answer(&bytes, typed, dir))
            // an agent would let the command run
            .unwrap_or_else(|_| unread(&bytes, typed, "git-review-evidence has a defect here")),
        Err(e) => {
            let refusal = Refusal::of("this command", &format!("standard input fails: {e}"));
            said(typed.unwrap_or(Dialect::Codex), None, &refusal)
        }
    };
    // an agent that does not read is not to be helped
    let _ = io::stdout().lock().write_all(answer.as_bytes());
    0
}

/// One byte more than is read, so that too much is seen; the rest is taken and forgotten, since an
/// agent may hang, or take it for a failure of the hook, if nobody reads on.
fn input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin.by_ref().take(MOST as u64 + 1).read_to_end(&mut bytes)?;
    io::copy(&mut stdin, &mut io::sink())?;
    Ok(bytes)
}

fn answer(bytes: &[u8], typed: Option<Dialect>, dir: Option<&Path>) -> String {
    let payload = match read(bytes, typed) {
        Ok(payload) => payload,
        Err(why) => return unread(bytes, typed, &why),
    };
    let Payload { dialect, event, tool_is_shell, command, .. } = &payload;
    let around = || Around { cwd: folder_of(&payload, dir), ..Around::default() };
    match (event, tool_is_shell, command.as_deref()) {
        (Event::PreTool, true, Some(command)) => match judge(command, around()) {
            None => pass(*dialect),
            Some(refusal) => said(*dialect, Some(&payload.event_name), &refusal),
        },
        (Event::PreTool, true, None) => {
            unread(bytes, Some(*dialect), "the agent's JSON has no readable command")
        }
        (Event::PostTool, true, Some(command)) => {
            warm::after(command, around());
            pass(*dialect)
        }
        _ => pass(*dialect),
    }
}

/// The folder that the command is run in.
fn folder_of(payload: &Payload, dir: Option<&Path>) -> PathBuf {
    let mut cwd = std::env::current_dir().unwrap_or_default();
    cwd.extend(dir);
    cwd.extend(payload.cwd.as_deref());
    cwd
}

fn said(dialect: Dialect, event: Option<&str>, refusal: &Refusal) -> String {
    let event = event.unwrap_or(dialect.before_tool());
    block(dialect, event, &refusal.reason, &refusal.context)
}

/// What cannot be read passes only where it surely is not about evidence.
fn unread(bytes: &[u8], typed: Option<Dialect>, why: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let has = |word: &str| text.contains(word);
    // what is known of it by its words; the shape that Codex takes, the other readers take too
    let guessed = if has("beforeShellExecution") {
        Dialect::Cursor
    } else if has("BeforeTool") {
        Dialect::Gemini
    } else if has("toolName") {
        Dialect::Copilot
    } else {
        Dialect::Codex
    };
    let dialect = typed.unwrap_or(guessed);
    if !command::mentions(&text) {
        return pass(dialect);
    }
    let why = format!("it cannot be judged, since {why}");
    said(dialect, None, &Refusal::of("this command", &why))
}

/// The first act that may not happen ends the whole command.
fn judge(text: &str, mut around: Around) -> Option<Refusal> {
    let env = Environment::read();
    let acts = match acts(text, &mut around, &env) {
        Ok(acts) => acts,
        Err(e) => return Some(Refusal::of("this command", &sentence(&e))),
    };
    acts.iter().find_map(|act| {
        let what = match act {
            Act::Commit(_) => return None,
            Act::Push(..) => "the push",
            Act::PullRequest(_, pull) => &pull.what,
        };
        let judged = judge_act(act, what, &around.cwd, &env);
        judged.unwrap_or_else(|e| Some(Refusal::of(what, &sentence(&e))))
    })
}

/// What a command does; git is asked for its aliases only where a word may be one.
fn acts(text: &str, around: &mut Around, env: &Environment) -> anyhow::Result<Vec<Act>> {
    around.home.clone_from(&env.home);
    let seen = command::read(text, around);
    let Some(place) = seen.aliased.first() else { return Ok(seen.acts) };
    around.aliases = aliases(place, &around.cwd, env)?;
    Ok(command::read(text, around).acts)
}

type Aliases = std::collections::BTreeMap<String, String>;

fn aliases(place: &Place, cwd: &Path, env: &Environment) -> anyhow::Result<Aliases> {
    let Some(ctx) = open(place, cwd, env)? else { return Ok(Aliases::new()) };
    Ok(ctx.repo.settled_config().map_err(git_failure)?.aliases())
}

/// The repository that a command works in. Where its folder cannot be known, or is not there so that
/// the shell stays where it is, it is most probably the one that the agent works in.
fn open(place: &Place, cwd: &Path, env: &Environment) -> anyhow::Result<Option<Context>> {
    let known = place.dir.as_deref().filter(|dir| dir.is_dir());
    let dir: PathBuf = known.unwrap_or(cwd).into();
    if !dir.is_dir() {
        return Ok(None);
    }
    let mut env = env.clone();
    env.auto &= switch(place.auto.as_deref());
    env.git_dir = place.git_dir.clone().or(env.git_dir);
    env.git_work_tree = place.work_tree.clone().or(env.git_work_tree);
    Context::open_if_any(&dir, env, Console::plain())
}

fn judge_act(
    act: &Act,
    what: &str,
    cwd: &Path,
    env: &Environment,
) -> anyhow::Result<Option<Refusal>> {
    let (Act::Push(place, _) | Act::PullRequest(place, _) | Act::Commit(place)) = act;
    let Some(ctx) = open(place, cwd, env)? else { return Ok(None) };
    let head = ctx.repo.head().map_err(git_failure)?;
    let folder = folder(&ctx, place, cwd, env);
    let gate = Gate { ctx: &ctx, head: &head, what, folder: folder.as_deref() };
    let verdict = match act {
        Act::Push(place, push) => gate.push(place, push)?,
        Act::PullRequest(place, pull) => gate.pull_request(place, pull)?,
        Act::Commit(_) => Verdict::Passes,
    };
    Ok(match verdict {
        Verdict::Judged(answer) if answer.blocked => Some(against(&gate, answer)),
        Verdict::Unclear(why) if gate.is_adopted()? => Some(Refusal::of(what, &why)),
        Verdict::Passes | Verdict::Judged(_) | Verdict::Unclear(_) => None,
    })
}

/// The top of the repository that a command works in, where the agent works in another one.
fn folder(ctx: &Context, place: &Place, cwd: &Path, env: &Environment) -> Option<String> {
    if place.git_dir.is_none() && place.dir.as_deref().is_none_or(|dir| dir == cwd) {
        return None;
    }
    let here = Context::open_if_any(cwd, env.clone(), Console::plain());
    let same = matches!(here, Ok(Some(here)) if here.repo.git_dir == ctx.repo.git_dir);
    // with --git-dir git takes the present folder for the top, whatever lies in it
    let of_git_dir = ctx.repo.git_dir.parent().filter(|_| ctx.repo.git_dir.ends_with(".git"));
    let top = of_git_dir.or(ctx.repo.top.as_deref()).unwrap_or(&ctx.repo.git_dir);
    (!same).then(|| top.display().to_string())
}

fn against(gate: &Gate<'_>, mut answer: Answer) -> Refusal {
    let what = gate.what;
    if let Some(folder) = gate.folder {
        answer.lines.push(note(&format!("the commands are for the repository in {folder}")));
    }
    let context = match &answer.judged {
        Some(tip) => format!("{what} is blocked; git review-evidence show {tip} has all of it"),
        None => format!("{what} is blocked; the reason says why"),
    };
    Refusal { reason: shortened(answer.lines), context: note(&context) }
}

/// Agents cut long texts at the end, where it is said what to do: so it is cut in the middle here.
fn shortened(mut lines: Vec<String>) -> String {
    let mut left = LONGEST;
    let mut fits = |line: &String| {
        left = left.saturating_sub(line.len() + 1);
        left > 0
    };
    let kept = lines.iter().take_while(|line| fits(line)).count();
    let tail = lines.len().saturating_sub(LAST).max(kept);
    if kept < tail {
        lines.splice(kept..tail, ["…".to_string()]);
    }
    lines.join("\n")
}

/// What an act comes to.
enum Verdict {
    Passes,
    Judged(Answer),
    /// It cannot be known what is to be judged: why, and what to do.
    Unclear(String),
}

/// One act in its repository.
struct Gate<'a> {
    ctx: &'a Context,
    head: &'a Head,
    what: &'a str,
    folder: Option<&'a str>,
}

impl Gate<'_> {
    fn push(&self, place: &Place, push: &Push) -> anyhow::Result<Verdict> {
        let hooked = !push.without_hook && !place.own_settings && self.is_hooked()?;
        let unclear = |why: String| if hooked { Verdict::Passes } else { Verdict::Unclear(why) };
        if place.after_change && !push.dry_run && !push.delete {
            return Ok(unclear(after_change()));
        }
        let lines = match pushed(&self.ctx.repo, self.head, push).map_err(git_failure)? {
            Pushed::Lines(lines) => lines,
            Pushed::Unclear(why) => return Ok(unclear(why)),
        };
        let git = self.ctx.repo.settled_config().map_err(git_failure)?;
        let remote = remote_of(&git, self.head, push);
        let missing = if hooked { Missing::LeftToPrePush } else { Missing::Blocks };
        Ok(Verdict::Judged(self.judged(&lines, &remote, missing)?))
    }

    /// Of the branch that it is for; git's hook sees nothing of it.
    fn pull_request(&self, place: &Place, pull: &PullRequest) -> anyhow::Result<Verdict> {
        if place.after_change {
            return Ok(Verdict::Unclear(after_change()));
        }
        if pull.unreadable {
            let why = "which branch it is for cannot be read from the command: write its name out";
            return Ok(Verdict::Unclear(why.to_string()));
        }
        // gh and glab themselves refuse one without a branch
        let Some(branch) = pull.head.as_ref().or(self.head.branch.as_ref()) else {
            return Ok(Verdict::Passes);
        };
        let git = self.ctx.repo.settled_config().map_err(git_failure)?;
        let remote = remote_of(&git, self.head, &Push::default());
        let names = [format!("refs/heads/{branch}"), format!("refs/remotes/{remote}/{branch}")];
        let mut found: Option<(&str, CommitId)> = None;
        for name in &names {
            if found.is_none() {
                let tip = self.ctx.repo.resolve(name).map_err(git_failure)?;
                found = tip.map(|tip| (name.as_str(), tip));
            }
        }
        let Some((name, tip)) = found else {
            let why = "its branch is not here, so no evidence of it can be: fetch and check it \
                       out, then measure it with git review-evidence";
            return Ok(Verdict::Unclear(why.to_string()));
        };
        let zeros = "0".repeat(tip.as_str().len());
        let lines = parse(format!("{name} {tip} refs/heads/{branch} {zeros}\n").as_bytes());
        Ok(Verdict::Judged(self.judged(&lines, &remote, Missing::Blocks)?))
    }

    fn judged(&self, lines: &[Line], remote: &str, missing: Missing) -> anyhow::Result<Answer> {
        let (what, folder) = (self.what, self.folder);
        let asked = Asked { remote: Some(remote), what, again: AGAIN, folder, missing };
        judge_all(self.ctx, sort(lines), &asked)
    }

    /// Whether a push from here meets our own hook.
    fn is_hooked(&self) -> anyhow::Result<bool> {
        let repo = &self.ctx.repo;
        let paths = repo.git_paths(&["hooks"]).map_err(git_failure)?;
        let Some(hooks) = paths.first() else { return Ok(false) };
        Ok(is_live(&look(hooks, &repo.common_dir, repo.top.as_deref())?))
    }

    /// Whether this repository asks for evidence at all.
    fn is_adopted(&self) -> anyhow::Result<bool> {
        let Some(tip) = &self.head.commit else { return Ok(false) };
        let setting = self.ctx.setting(tip, BaseQuery::default(), false)?;
        Ok(setting.source != ConfigSource::None)
    }
}

fn after_change() -> String {
    "an earlier part of the command changes a branch, so what would be published cannot be known \
     yet: run that part alone, then git review-evidence, then the rest"
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_keeps_its_beginning_and_its_end() {
        let short = vec!["a".to_string(), "b".to_string()];
        assert_eq!(shortened(short), "a\nb");
        let lines: Vec<String> = (0..300).map(|n| format!("{n} {}", "x".repeat(100))).collect();
        let cut = shortened(lines);
        assert!(cut.len() < LONGEST + 1000 && cut.starts_with("0 x"), "{}", cut.len());
        let all: Vec<&str> = cut.lines().collect();
        assert_eq!(all.iter().filter(|line| **line == "…").count(), 1);
        assert!(
            all[all.len() - LAST].starts_with("292 ") && all[all.len() - 1].starts_with("299 ")
        );
        // so long that nothing is left out
        let almost = vec!["x".repeat(LONGEST), "y".to_string()];
        assert_eq!(shortened(almost).lines().count(), 2);
    }

    #[test]
    fn what_nobody_can_read_is_answered_in_the_most_likely_words() {
        for (given, typed, says) in [
            ("{\"hook_event_name\": \"BeforeTool\", git push", None, "\"BeforeTool\""),
            ("{\"toolName\": git push", None, "{\"additionalContext\":"),
            ("beforeShellExecution git push", None, "\"permission\":\"deny\""),
            ("gh pr create", None, "\"PreToolUse\""),
            ("glab mr update", Some(Dialect::Plain), "\"additional_context\""),
            ("git status", Some(Dialect::Cursor), "{\"permission\":\"allow\"}"),
        ] {
            let answer = unread(given.as_bytes(), typed, "why");
            assert!(answer.contains(says), "{given}: {answer}");
        }
    }
}
