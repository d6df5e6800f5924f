//! From a pushed tip to the record that decides about it: the stored one, one made anew from kept
//! measurements, or one that is measured now.

use std::cell::{Cell, OnceCell, RefCell};
use std::time::{Duration, Instant};

use super::measuring::{End, Job, measure};
use super::wording::{About, by_hand, not_measured, note};
use crate::config::OnMissing;
use crate::git::{BaseQuery, Head};
use crate::host::context::Context;
use crate::measure::{ConfigSource, Setting, audits_are_fresh};
use crate::model::{Decision, Record};
use crate::rules::record::{stands_for, still_holds};
use crate::store::records::Place;

/// What is known about a tip.
pub(super) enum Known {
    /// A record decides, by these settings.
    Judged(Box<(Record, Setting)>),
    /// It passes without a judgement: a line that says so.
    Passed(String),
    /// It cannot be judged: one sentence.
    Unknown(String),
}

/// What becomes of a tip without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// As `[hook] on_missing` says; that may measure.
    AsConfigured,
    /// It is left to git's own hook, which comes next.
    LeftToPrePush,
    /// It does not pass, and the command to measure it is told; nothing is measured.
    Blocks,
    /// It is measured beforehand, beside a person or an agent who goes on working.
    Warms,
}

/// Looks evidence up, and measures where that is wanted.
pub(super) struct Evidence<'a> {
    ctx: &'a Context,
    remote: Option<&'a str>,
    head: &'a Head,
    missing: Missing,
    dirty: OnceCell<bool>,
    spent: Cell<Duration>,
    interrupted: Cell<bool>,
    notes: RefCell<Vec<String>>,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(
        ctx: &'a Context,
        remote: Option<&'a str>,
        head: &'a Head,
        missing: Missing,
    ) -> Evidence<'a> {
        Evidence {
            ctx,
            remote,
            head,
            missing,
            dirty: OnceCell::new(),
            spent: Cell::new(Duration::ZERO),
            interrupted: Cell::new(false),
            notes: RefCell::new(Vec::new()),
        }
    }

    /// What a person should know besides.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_inner()
    }

    /// Finds the record that decides about a tip.
    ///
    /// # Errors
    /// A wrong configuration, a damaged record, a failure of git: nothing of that lets pass.
    pub(super) fn of(&self, about: About<'_>) -> anyhow::Result<Known> {
        let branch = about.update.branch();
        let query = BaseQuery { branch: Some(branch), remote: self.remote, ..BaseQuery::default() };
        let setting = self.ctx.setting(about.tip, query, false)?;
        let place = self.ctx.place(&setting.config)?;
        if let Some(record) = place.read(about.tip)?
            && still_holds(&record, about.tip.as_str(), base_of(&setting), &setting.sha256)
            && self.is_current(&record, &setting)
        {
            return Ok(Known::Judged(Box::new((record, setting))));
        }
        if let Some(record) = self.ctx.measurer().from_kept(about.tip, &setting, branch)? {
            self.store(&place, about, &record);
            return Ok(Known::Judged(Box::new((record, setting))));
        }
        self.missing(about, setting, &place)
    }

    /// Advisories appear without a commit: a record whose audit is of yesterday stands only where
    /// nobody here could make another.
    fn is_current(&self, record: &Record, setting: &Setting) -> bool {
        let current = !setting.config.measures() || audits_are_fresh(record);
        if !current {
            self.say("its record is left aside: its audit of dependencies is more than 24 h old");
        }
        current
    }

    fn missing(&self, about: About<'_>, setting: Setting, place: &Place) -> anyhow::Result<Known> {
        if setting.source == ConfigSource::None {
            return Ok(Known::Passed(note(
                "this repository has no .git-evidence.toml, so nothing is judged ('git \
                 review-evidence' prints one that fits it)",
            )));
        }
        match self.missing {
            Missing::LeftToPrePush => {
                return Ok(Known::Passed(note("without a record: git's own hook decides")));
            }
            Missing::Warms if setting.config.measures() => {
                return self.measure(about, setting, place);
            }
            Missing::AsConfigured | Missing::Blocks | Missing::Warms => {}
        }
        let hand = by_hand(about);
        match setting.config.hook.on_missing {
            OnMissing::Allow => Ok(Known::Passed(not_measured(
                about,
                &format!("there is no record for it ([hook] on_missing = \"allow\"); {hand}"),
            ))),
            OnMissing::Measure if !setting.config.measures() => Ok(Known::Unknown(
                "not measured: there is no record for it, and .git-evidence.toml names neither a \
                 [[check]] nor [evidence] measure to make one"
                    .to_string(),
            )),
            OnMissing::Measure if self.missing == Missing::AsConfigured => {
                self.measure(about, setting, place)
            }
            OnMissing::Measure | OnMissing::Block => Ok(Known::Unknown(self.unmeasured(&hand))),
        }
    }

    fn unmeasured(&self, by_hand: &str) -> String {
        let then = match self.missing {
            Missing::Blocks => "repeat the same command",
            Missing::AsConfigured | Missing::LeftToPrePush | Missing::Warms => "push again",
        };
        format!(
            "not measured: there is no record that stands for it; measure it, then {then}: \
             {by_hand}"
        )
    }

    fn measure(&self, about: About<'_>, setting: Setting, place: &Place) -> anyhow::Result<Known> {
        let limit = setting.config.hook.time_limit;
        let warms = self.missing == Missing::Warms;
        let isolated = warms || self.head.commit.as_ref() != Some(about.tip) || self.is_dirty()?;
        let left = limit.saturating_sub(self.spent.get());
        let job = Job {
            tip: about.tip,
            branch: about.update.branch(),
            setting: &setting,
            isolated,
            doubted: warms,
            limit: if self.interrupted.get() { Duration::ZERO } else { left },
        };
        let started = Instant::now();
        let end = measure(self.ctx, &job)?;
        self.spent.set(self.spent.get() + started.elapsed());
        let hand = by_hand(about);
        match end {
            End::Done(reviewed) if !stands_for(&reviewed.record, about.tip.as_str()) => {
                let edited = reviewed.edited.join(", ");
                Ok(Known::Unknown(format!(
                    "not measured: files of the commit changed while it was measured ({edited}); \
                     measure it by hand, then push again: {hand}"
                )))
            }
            End::Done(reviewed) => {
                // away from the checkout what git ignores is missing: a test that fails for that is
                // run again where it is pushed from
                let doubtful = reviewed.record.decision() == Decision::SeverelyDegraded
                    || reviewed
                        .record
                        .metrics
                        .tests
                        .as_ref()
                        .is_some_and(|t| t.failed + t.errored > 0);
                if !(warms && doubtful) {
                    self.store(place, about, &reviewed.record);
                }
                if !reviewed.left.is_empty() {
                    let left = reviewed.left.join(", ");
                    self.say(&format!("checks left files in the tree: {left}"));
                }
                Ok(Known::Judged(Box::new((reviewed.record, setting))))
            }
            End::OverLimit if !self.interrupted.get() => Ok(Known::Unknown(format!(
                "not measured: that did not end within {} s ([hook] time_limit); measure it by \
                 hand, then push again: {hand}",
                limit.as_secs_f64()
            ))),
            End::OverLimit | End::Interrupted => {
                self.interrupted.set(true);
                Ok(Known::Unknown(format!("not measured: interrupted; to measure it: {hand}")))
            }
        }
    }

    /// Whether the checkout differs from its commit; asked only before something is measured in it.
    fn is_dirty(&self) -> anyhow::Result<bool> {
        if let Some(known) = self.dirty.get() {
            return Ok(*known);
        }
        let dirty = self.ctx.repo.top.is_none() || !self.ctx.repo.status(true, false)?.is_empty();
        Ok(*self.dirty.get_or_init(|| dirty))
    }

    /// The judgement counts whether or not it can be kept.
    fn store(&self, place: &Place, about: About<'_>, record: &Record) {
        if let Err(e) = place.write(about.tip, record) {
            self.say(&format!("the record cannot be stored: {e}"));
        }
    }

    fn say(&self, text: &str) {
        self.notes.borrow_mut().push(note(text));
    }
}

fn base_of(setting: &Setting) -> Option<&str> {
    setting.base.as_ref().map(|(_, point)| point.as_str())
}
