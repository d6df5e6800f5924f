//! The marker that lets an agent start the loop: at most one for a push, and rarely (S0-14, S0-15).

use super::wording::{Mend, note};
use crate::config::Config as Settings;
use crate::git::{Config, branch_key};
use crate::host::context::Context;
use crate::model::{CommitId, Record};
use crate::rules::tighten::{Given, strictest, tighten};
use crate::rules::trigger::{Counted, Silence, Situation, count_marker, marker, may_emit};
use crate::store::branch::BranchStore;
use crate::store::clock;

const LIMIT: &str = "max_auto_triggers";

/// What became of the marker.
pub(super) struct Mark {
    /// Its line.
    pub(super) line: Option<String>,
    /// Why there is none, where a person can do something with that.
    pub(super) why_not: Option<String>,
    /// What should be known besides.
    pub(super) notes: Vec<String>,
}

/// Decides on the marker for a blocked branch, and counts it.
pub(super) fn mark(
    ctx: &Context,
    git: &Config,
    settings: &Settings,
    blocked: (&Record, &Mend),
) -> Mark {
    let (record, mend) = blocked;
    let situation = Situation {
        decision: record.decision(),
        hard_floor_broken: !record.hard_floor_breaches().is_empty(),
        is_bot: ctx.env.bot_actor || record.is_bot_pr == Some(true),
        auto_on: ctx.env.auto && settings.hook.auto && switched_on(git),
        inside_loop: ctx.env.inside_loop,
    };
    if let Err(silence) = may_emit(&situation) {
        return Mark { line: None, why_not: words(silence), notes: Vec::new() };
    }
    let (max, notes) = limit(ctx, git, u64::from(settings.limits.max_auto_triggers));
    let (line, why_not) = match counted(ctx, &mend.branch, &mend.tip, max) {
        Ok(Counted::Emit | Counted::Repeat) => (Some(marker(&mend.tip)), None),
        Ok(Counted::Capped) => {
            let why =
                format!("Repairs start by themselves at most {max} times on a branch, and have");
            (None, Some(why))
        }
        Err(why) => (
            None,
            Some(format!("No repair is started by itself, since it cannot be counted: {why}")),
        ),
    };
    Mark { line, why_not, notes }
}

/// A branch's store.
pub(super) fn store(ctx: &Context, branch: &str) -> BranchStore {
    BranchStore::new(&ctx.layout, &branch_key(branch.as_bytes()), &format!("refs/heads/{branch}"))
}

fn counted(ctx: &Context, branch: &str, tip: &CommitId, max: u64) -> Result<Counted, String> {
    let now = clock::now_seconds();
    let counting = |before: &_| count_marker(before, tip, now, max);
    store(ctx, branch).count(counting).map_err(|e| e.to_string())
}

/// The strictest number that anybody gave, and what is wrong with the others.
fn limit(ctx: &Context, git: &Config, committed: u64) -> (u64, Vec<String>) {
    let env = ctx.env.max_auto_triggers.clone();
    let set = git.get("evidence.maxAutoTriggers").map(str::to_string);
    let given: Vec<Given> = [
        ("DEVFORGE_FIX_EVIDENCE_MAX_AUTO_TRIGGERS", env),
        ("git config evidence.maxAutoTriggers", set),
    ]
    .into_iter()
    .filter_map(|(source, text)| text.map(|text| Given { source, text }))
    .collect();
    let max = strictest(LIMIT, committed, &given);
    let wrong = |g: &Given| tighten(LIMIT, committed, std::slice::from_ref(g)).err();
    let notes = given.iter().filter_map(wrong).map(|w| note(&format!("{w}; {max} counts here")));
    (max, notes.collect())
}

/// `git config evidence.auto`: unset or true is on; what cannot be read is off.
fn switched_on(git: &Config) -> bool {
    let set = git.get("evidence.auto").is_some();
    git.bool("evidence.auto").unwrap_or(!set)
}

fn words(silence: Silence) -> Option<String> {
    match silence {
        // the person's texts say these themselves, or asked for silence
        Silence::Decision | Silence::HardFloor | Silence::SwitchedOff => None,
        Silence::Bot => Some("A bot made this change, so no repair is started by itself".into()),
        Silence::InsideLoop => Some("A repair is running already".into()),
    }
}
