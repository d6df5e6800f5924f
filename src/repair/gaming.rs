//! Whether what a fixer did answers the check or only silences it: the rules over its commits
//! before anything is measured, and over the reports afterwards.

use std::collections::BTreeSet;

use super::ports::{BranchLoop, Pending};
use crate::engine::{Dispatch, Gaming};
use crate::measure::Request;
use crate::model::{CommitId, Decision, Escalation, Kind, Record};
use crate::rules::gaming::reports::weigh;
use crate::rules::gaming::{Change, Hit, Severity, Sifted, Waiver, ruler, scan, sentence, sift};
use crate::rules::progress::is_worse;
use crate::store::clock;
use crate::store::journal::Entry;

/// What the rules say of an iteration.
pub(super) enum Verdict {
    /// Nothing that would stop it.
    Honest,
    /// It is to go back.
    Rejected(Gaming),
    /// A person has to decide.
    Person(Escalation, String),
}

impl BranchLoop<'_> {
    /// What a fixer changed, as the rules look at it.
    fn change(
        &self,
        from: &CommitId,
        to: &CommitId,
        record: Option<&Record>,
        kind: Kind,
    ) -> anyhow::Result<Change> {
        let repo = self.checkout.repo;
        Ok(Change {
            files: repo.changed_files(from, to)?,
            tracked: repo.files(to)?.into_iter().collect(),
            kind: Some(kind),
            targets: record.map(|r| targets(r, kind)).unwrap_or_default(),
            failing: record.map(failing).unwrap_or_default(),
        })
    }

    /// The rules that need nothing but the change.
    pub(super) fn look_at_change(
        &mut self,
        to: &CommitId,
        dispatch: &Dispatch,
    ) -> anyhow::Result<Verdict> {
        let change = self.change(&self.tip, to, self.record.as_ref(), dispatch.kind)?;
        let sifted = self.sifted(scan(&change));
        self.verdict(&sifted)
    }

    /// The rules over the reports, and the same evidence with the checkpoint's tests and settings.
    pub(super) fn look_at_reports(
        &mut self,
        pending: &Pending,
        record: &Record,
    ) -> anyhow::Result<Verdict> {
        let Some(before) = &pending.record else { return Ok(Verdict::Honest) };
        let unjudged = record.decision() == Decision::SeverelyDegraded;
        if unjudged || is_worse(before.reasons(), record.reasons()) {
            // The machine has an answer to that.
            return Ok(Verdict::Honest);
        }
        let change = self.change(&pending.before, &self.tip, Some(before), pending.entry.kind)?;
        let measurer = self.measurer();
        let old = measurer.kept_evidence(&pending.before, self.setting)?;
        let new = measurer.kept_evidence(&self.tip, self.setting)?;
        let mut hits = match (old, new) {
            (Some(old), Some(new)) => weigh(&old, &new, &change),
            _ => Vec::new(),
        };
        if hits.iter().all(|h| h.severity != Severity::Reject) {
            hits.extend(self.by_the_old_ruler(pending, before, &change)?);
        }
        let sifted = self.sifted(hits);
        self.verdict(&sifted)
    }

    /// Where the candidate touches tests, settings or CI: measured with those of the checkpoint,
    /// nothing may be worse than it was there.
    fn by_the_old_ruler(
        &self,
        pending: &Pending,
        before: &Record,
        change: &Change,
    ) -> anyhow::Result<Option<Hit>> {
        let paths: BTreeSet<String> = ruler::of_change(change).into_iter().collect();
        let Some(first) = paths.first().filter(|_| self.setting.config.measures()) else {
            return Ok(None);
        };
        let message =
            format!("With the tests and settings of before\n\nEvidence-Run: {}\n", self.run_id);
        let repo = self.checkout.repo;
        let overlay = repo.overlay(&self.tip, &pending.before, &paths, &message)?;
        self.say(&format!("measuring once more with {first} and the like as they were"));
        let request = Request { branch: self.branch.clone(), isolated: true, ..Request::default() };
        let reviewed = self.measurer().review(&overlay, self.setting, &request)?;
        let now = &reviewed.record;
        if now.decision() == Decision::SeverelyDegraded {
            let why = now.regression_verdict.as_ref().map_or("", |v| v.reason.as_str());
            let text = format!("{why}, so nobody knows whether the change holds by the old ones");
            return Ok(Some(Hit::of("AG46", first, text).weighing(Severity::Escalate)));
        }
        let had: BTreeSet<String> = failing(before).into_iter().map(|(id, _)| id).collect();
        let broke: Vec<String> =
            failing(now).into_iter().map(|(id, _)| id).filter(|id| !had.contains(id)).collect();
        if let Some(id) = broke.first() {
            let text = format!("{id} fails with the tests as they were");
            return Ok(Some(Hit::of("AG46", first, text)));
        }
        Ok(is_worse(before.reasons(), now.reasons()).then(|| {
            let reasons: Vec<String> = now.reasons().iter().map(ToString::to_string).collect();
            Hit::of("AG46", first, format!("they say {}", reasons.join(", ")))
        }))
    }

    fn sifted(&self, hits: Vec<Hit>) -> Sifted {
        let waivers: Vec<Waiver> = self
            .setting
            .config
            .guard
            .waive
            .iter()
            .map(|w| Waiver {
                rule: w.rule.clone(),
                paths: w.paths.clone(),
                reason: w.reason.clone(),
                until: w.until.to_string().chars().take(10).collect(),
            })
            .collect();
        let today: String = clock::now().chars().take(10).collect();
        sift(hits, &waivers, &today)
    }

    /// Says what fired, and what follows from it.
    fn verdict(&mut self, sifted: &Sifted) -> anyhow::Result<Verdict> {
        for text in &sifted.expired {
            self.say(&format!("warning: {text}"));
        }
        for waived in &sifted.waived {
            self.say(&format!("waived ({}): {}", waived.reason, sentence(&waived.hit)));
        }
        for hit in &sifted.hits {
            self.say(&format!("{}: {}", word(hit.severity), sentence(hit)));
            for (mark, line) in [("-", &hit.before), ("+", &hit.after)] {
                if let Some(line) = line {
                    self.say(&format!("    {mark} {line}"));
                }
            }
        }
        let waived = sifted.waived.iter().map(|w| (&w.hit, 1));
        for (hit, waived) in sifted.hits.iter().map(|h| (h, 0)).chain(waived) {
            let fired = self.fired.entry(hit.rule.clone()).or_default();
            fired.hits += 1;
            fired.waived += waived;
        }
        self.hits.extend(sifted.hits.iter().cloned());
        let rejected: Vec<&Hit> = sifted.of(Severity::Reject).collect();
        if let Some(gaming) = gaming(&rejected) {
            let hits = rejected.iter().filter_map(|h| serde_json::to_value(h).ok()).collect();
            self.journal.append(&Entry::Gamed { rules: gaming.rules.clone(), hits })?;
            return Ok(Verdict::Rejected(gaming));
        }
        Ok(match sifted.of(Severity::Escalate).next() {
            Some(hit) => Verdict::Person(Escalation::GamingDetected, sentence(hit)),
            None => Verdict::Honest,
        })
    }

    /// What the next fixer is told of it: which rule fired and where, once.
    pub(super) fn tell(&mut self, gaming: &Gaming) {
        self.earlier.push(format!(
            "rolled back, since it silences the check instead of answering it: {}",
            gaming.detail
        ));
    }
}

/// The rules that reject, as the machine takes them; none where there is none.
fn gaming(rejected: &[&Hit]) -> Option<Gaming> {
    let first = rejected.first()?;
    let rules: BTreeSet<String> = rejected.iter().map(|h| h.rule.clone()).collect();
    let vanished = rules.len() == 1 && rules.contains("AG06");
    let more = rejected.len() - 1;
    let mut detail = sentence(first);
    if more > 0 {
        detail.push_str(&format!(" and {more} more"));
    }
    Some(Gaming {
        rules: rules.into_iter().collect(),
        at_once: false,
        word: if vanished { Escalation::TargetVanished } else { Escalation::GamingDetected },
        detail,
    })
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warn => "warning",
        Severity::Escalate => "for a person to decide",
        Severity::Reject => "rejected",
    }
}

/// Files that the reason is about.
fn targets(record: &Record, kind: Kind) -> BTreeSet<String> {
    match kind {
        Kind::Lint => {
            let lint = record.metrics.lint.as_ref();
            let findings = lint.map(crate::model::LintMetrics::typed_findings).unwrap_or_default();
            findings.into_iter().filter_map(|f| f.path.map(Into::into)).collect()
        }
        Kind::Coverage => {
            let patch = record.metrics.patch_coverage.as_ref();
            let files = patch.and_then(|p| p.per_file.as_object());
            files.into_iter().flatten().map(|(path, _)| path.clone()).collect()
        }
        Kind::Complexity => {
            let metrics = record.metrics.complexity.as_ref();
            let listed = metrics.and_then(|c| c.files_over_threshold.as_array());
            let path = |v: &serde_json::Value| Some(v.as_str()?.split_once(':')?.0.to_string());
            listed.into_iter().flatten().filter_map(path).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Tests that fail, by their identity.
fn failing(record: &Record) -> Vec<(String, Option<String>)> {
    let tests = record.metrics.tests.as_ref();
    tests.into_iter().flat_map(|t| &t.cases_failed).map(|id| (id.clone(), None)).collect()
}
