//! The pre-push gate: reads what git is about to push, and answers 0 or 1.
//!
//! It decides from recorded evidence, without a look at the working tree or the index, so it takes
//! milliseconds in a repository of any size. Whatever goes wrong on the way blocks.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;

use super::evidence::{Evidence, Known, Missing};
use super::lines::{Line, Update, parse};
use super::mark::{mark, store};
use super::wording::{
    About, Mend, by_person, label, not_measured, note, push_command, refused, verdict,
    without_asking,
};
use crate::git::Head;
use crate::host::console::Console;
use crate::host::context::Context;
use crate::host::env::Environment;
use crate::host::exit::sentence;
use crate::measure::Setting;
use crate::model::{CommitId, Decision, Record};
use crate::rules::record::headline;
use crate::rules::thresholds::Severity;

/// What is judged, for people.
pub(super) struct Asked<'a> {
    /// The remote, where one is known.
    pub(super) remote: Option<&'a str>,
    /// `the push`.
    pub(super) what: &'a str,
    /// What to do again when it is mended.
    pub(super) again: &'a str,
    /// Where that is, if not where whoever asks is.
    pub(super) folder: Option<&'a str>,
    /// What becomes of tips without a record.
    pub(super) missing: Missing,
}

/// What the whole push comes to.
#[derive(Default)]
pub(super) struct Answer {
    /// It does not pass.
    pub(super) blocked: bool,
    /// What is said.
    pub(super) lines: Vec<String>,
    /// The commit that a record speaks against, if one does.
    pub(super) judged: Option<CommitId>,
}

/// Why a ref does not pass.
enum Cause {
    /// By its record.
    Verdict(Box<(Record, Setting)>),
    /// A run holds its branch.
    Held(String),
    /// Anything else, in one sentence.
    Refused(String),
}

/// A ref that does not pass.
struct Blocked<'a> {
    update: &'a Update,
    tip: CommitId,
    cause: Cause,
}

/// Judges the push that git describes on standard input; `remote` and `_url` are the hook's
/// arguments. The answer is the hook's exit code: 0 lets pass, 1 blocks.
pub fn main(remote: Option<&str>, _url: Option<&str>, dir: Option<&Path>) -> i32 {
    let mut stdin = Vec::new();
    // All of it and before anything else: git would otherwise write into a closed pipe.
    let read = io::stdin().lock().read_to_end(&mut stdin);
    let answer = match read {
        Ok(_) => gate(&parse(&stdin), remote, dir),
        Err(e) => Err(anyhow::anyhow!("git's lines cannot be read: {e}")),
    };
    let answer = answer.unwrap_or_else(|e| Answer {
        blocked: true,
        lines: vec![note(&format!("the push is blocked: {}", sentence(&e)))],
        judged: None,
    });
    let mut text = answer.lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
        // The exit code stands where nobody reads.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
    i32::from(answer.blocked)
}

/// The lines by what becomes of them.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    pub(super) updates: Vec<&'a Update>,
    refusals: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// Sorts git's lines.
pub(super) fn sort(lines: &[Line]) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    let mut seen = HashSet::new();
    for line in lines {
        match line {
            Line::Deletion(_) | Line::Tag(_) => {}
            Line::Other(refs) => {
                let text = format!("{}: neither branch nor tag, not judged", refs.remote);
                sorted.notes.push(note(&text));
            }
            Line::Own(refs) => sorted.refusals.push(refused(
                &refs.remote,
                "these refs are git-evidence's own (checkpoints of this repository) and stay here; \
                 push branches and tags by name",
            )),
            Line::Malformed(why) => sorted.refusals.push(refused("refused", why)),
            Line::Branch(update) => {
                if seen.insert(update) {
                    sorted.updates.push(update);
                }
            }
        }
    }
    sorted
}

fn gate(lines: &[Line], remote: Option<&str>, dir: Option<&Path>) -> anyhow::Result<Answer> {
    let sorted = sort(lines);
    let again = push_command(remote, lines);
    let asked = Asked {
        remote,
        what: "the push",
        again: &again,
        folder: None,
        missing: Missing::AsConfigured,
    };
    if sorted.updates.is_empty() {
        return Ok(Answer::of(&asked, None, sorted.refusals, Vec::new(), sorted.notes));
    }
    let console = Console::plain();
    let ctx = Context::open_fast(dir, Environment::read(), console)?;
    std::thread::scope(|scope| {
        // A process of git takes a millisecond or two: meanwhile objects are looked up.
        scope.spawn(|| ctx.repo.settled_config().is_ok());
        judge_all(&ctx, sorted, &asked)
    })
}

/// Judges what git's lines push; the marker is counted here.
///
/// # Errors
/// Where git fails.
pub(super) fn judge_all(
    ctx: &Context,
    sorted: Sorted<'_>,
    asked: &Asked<'_>,
) -> anyhow::Result<Answer> {
    let Sorted { updates, refusals, mut notes } = sorted;
    let head = ctx.repo.head()?;
    let evidence = Evidence::new(ctx, asked.remote, &head, asked.missing);
    let mut blocked = Vec::new();
    for update in updates {
        match judge_one(ctx, &evidence, &head, update) {
            // that nothing is judged here is said once
            Ok(Some(line)) if !notes.contains(&line) => notes.push(line),
            Ok(_) => {}
            Err(refused) => blocked.push(*refused),
        }
    }
    notes.extend(evidence.into_notes());
    let sections = blocked.iter().map(section).chain(refusals).collect();
    let Some((candidate, (record, setting))) = candidate(&blocked, &head) else {
        return Ok(Answer::of(asked, None, sections, Vec::new(), notes));
    };
    let folder = asked.folder.map(str::to_string);
    let mend = Mend { folder, ..mend(candidate, &head) };
    let git = ctx.repo.settled_config()?;
    let mark = mark(ctx, &git, &setting.config, (record, &mend));
    let what_next = match &mark.line {
        Some(_) => without_asking(&mend, asked.again),
        None => by_person(record.decision(), &mend, mark.why_not.as_deref()),
    };
    notes.extend(mark.notes);
    let answer = Answer::of(asked, mark.line, sections, what_next, notes);
    Ok(Answer { judged: Some(mend.tip), ..answer })
}

/// A line for a ref that passes, or why it does not.
fn judge_one<'a>(
    ctx: &Context,
    evidence: &Evidence<'_>,
    head: &Head,
    update: &'a Update,
) -> Result<Option<String>, Box<Blocked<'a>>> {
    let object = &update.object;
    let block = |tip: &CommitId, cause| Box::new(Blocked { update, tip: tip.clone(), cause });
    let tip = match ctx.repo.resolve(object.as_str()) {
        Ok(Some(tip)) => tip,
        Ok(None) => {
            let why = format!("{object} is no commit, and a branch can only be one");
            return Err(block(object, Cause::Refused(why)));
        }
        Err(e) => return Err(block(object, Cause::Refused(e.to_string()))),
    };
    if let Some(holder) = holder(ctx, update, head) {
        return Err(block(&tip, Cause::Held(holder)));
    }
    let about = About { update, tip: &tip };
    let found = match evidence.of(about) {
        Ok(Known::Judged(found)) => found,
        Ok(Known::Passed(line)) => return Ok(Some(line)),
        Ok(Known::Unknown(why)) => return Err(block(&tip, Cause::Refused(why))),
        Err(e) => return Err(block(&tip, Cause::Refused(sentence(&e)))),
    };
    let decision = found.0.decision();
    let why = found.0.regression_verdict.as_ref().map_or("", |v| v.reason.as_str());
    let warns = found.1.config.policy.on_degraded == Severity::Warn;
    match decision {
        Decision::AutoApprove => Ok(None),
        Decision::ReviewerHandoff => {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            Ok(Some(note(&format!("{}: {}{why}", label(about), headline(decision)))))
        }
        Decision::SeverelyDegraded if warns => Ok(Some(not_measured(about, why))),
        _ => Err(block(&tip, Cause::Verdict(found))),
    }
}

/// Who works on the branch that is pushed; its tip is not yet what it is going to be.
fn holder(ctx: &Context, update: &Update, head: &Head) -> Option<String> {
    let checked_out = head.branch.as_deref().filter(|_| update.is_head());
    let branches = [Some(update.branch()), checked_out];
    let holder = branches.into_iter().flatten().find_map(|b| store(ctx, b).running())?;
    Some(format!(
        "a run of git fix-evidence holds it: {holder}; push when it has ended ('git fix-evidence \
         status' shows it)"
    ))
}

/// The one that a marker would be for: the checked-out branch, else the first. None where a run is
/// going on: another one would get in its way.
fn candidate<'a, 'b>(
    blocked: &'b [Blocked<'a>],
    head: &Head,
) -> Option<(&'b Blocked<'a>, &'b (Record, Setting))> {
    if blocked.iter().any(|b| matches!(b.cause, Cause::Held(_))) {
        return None;
    }
    let judged = blocked.iter().filter_map(|b| match &b.cause {
        Cause::Verdict(found) => Some((b, found.as_ref())),
        Cause::Held(_) | Cause::Refused(_) => None,
    });
    judged.clone().find(|(b, _)| mend(b, head).here).or_else(|| judged.clone().next())
}

/// Where a blocked tip is mended. What is pushed as HEAD is the checked-out branch, whatever it is
/// called at the remote.
fn mend(blocked: &Blocked<'_>, head: &Head) -> Mend {
    let Blocked { update, tip, .. } = blocked;
    let same = head.commit.as_ref() == Some(tip);
    let checked_out = head.branch.as_deref().filter(|_| update.is_head() && same);
    let branch = checked_out.unwrap_or_else(|| update.branch()).to_string();
    let here = head.branch.as_deref() == Some(&branch);
    Mend { branch, here, folder: None, tip: tip.clone() }
}

fn section(blocked: &Blocked<'_>) -> Vec<String> {
    let about = About { update: blocked.update, tip: &blocked.tip };
    match &blocked.cause {
        Cause::Verdict(found) => verdict(about, &found.0),
        Cause::Held(why) | Cause::Refused(why) => refused(&label(about), why),
    }
}

impl Answer {
    /// The marker comes first of all, since agents look at where a text begins.
    fn of(
        asked: &Asked<'_>,
        marker: Option<String>,
        sections: Vec<Vec<String>>,
        what_next: Vec<String>,
        notes: Vec<String>,
    ) -> Answer {
        let blocked = !sections.is_empty();
        let mut lines: Vec<String> = marker.into_iter().collect();
        if blocked {
            lines.push(note(&format!("{} is blocked", asked.what)));
        }
        lines.extend(sections.into_iter().flatten());
        lines.extend(what_next);
        lines.extend(notes);
        Answer { blocked, lines, judged: None }
    }
}
