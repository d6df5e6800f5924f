//! From a commit to its record, in order: setting, measurements (kept or made), base, judgement.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::checks::{self, Place};
use super::gathered::{Measured, Seen};
use super::kept::{Measurement, check_key, is_fresh};
use super::setting::Setting;
use super::workplace::Workplace;
use super::{Progress, outside};
use crate::config::Check;
use crate::git::{Repo, Snapshot};
use crate::model::{CheckStatus, CommitId, DiffMap, Record, TestStatus};
use crate::process::Runner;
use crate::rules::compare::settle;
use crate::rules::evidence::Evidence;
use crate::rules::judge::{Base, judge};
use crate::rules::record::{About, record, stack};
use crate::store::measurements::Measurements;
use crate::store::{Layout, clock};

/// What a measuring run needs besides the request.
pub struct Measurer<'a> {
    /// The repository, seen from the checkout that is worked in.
    pub repo: &'a Repo,
    /// Starts programs.
    pub runner: &'a Runner,
    /// State on disk.
    pub layout: &'a Layout,
    /// Where linked worktrees may lie.
    pub cache: &'a Path,
    /// Who is told.
    pub progress: &'a dyn Progress,
    /// Whether the environment says that a bot acts.
    pub bot_actor: bool,
}

/// What to measure, and how.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The commit's branch, for the record.
    pub branch: String,
    /// Only these checks.
    pub only: Vec<String>,
    /// Reports to read beside the checks: format (or `auto`) and file.
    pub imports: Vec<(String, PathBuf)>,
    /// Measure again what is kept.
    pub recompute: bool,
    /// Run nothing.
    pub no_run: bool,
    /// In a fresh worktree.
    pub isolated: bool,
    /// Measurements with failing tests are not kept: they were made where what git ignores is missing.
    pub doubted: bool,
    /// The tree has changes that are not in the commit.
    pub dirty: bool,
    /// The forge may be asked for what its CI found: by a person's command and by the loop, never by
    /// a hook.
    pub ask_ci: bool,
    /// The checkout as the caller has just seen it.
    pub before: Option<Snapshot>,
}

impl Request {
    /// The checks that are asked for.
    fn checks<'s>(&self, setting: &'s Setting) -> Vec<&'s Check> {
        let asked = |c: &&Check| self.only.is_empty() || self.only.contains(&c.name);
        setting.config.checks.iter().filter(asked).collect()
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Reviewed {
    /// The record.
    pub record: Record,
    /// Files that checks wrote into the tree.
    pub left: Vec<String>,
    /// Tracked files that changed while the checks ran: what was measured is then not what the
    /// commit holds, whoever changed them.
    pub edited: Vec<String>,
    /// How many measurements were made, not taken from those kept.
    pub measured: usize,
}

impl Measurer<'_> {
    /// Measures and judges. Nothing is stored but measurements.
    ///
    /// # Errors
    /// Where the environment fails. A check that gives no figures is no error: the record says so.
    pub fn review(
        &self,
        head: &CommitId,
        setting: &Setting,
        request: &Request,
    ) -> anyhow::Result<Reviewed> {
        if setting.config.evidence.measure.is_some() {
            return self.outside(head, setting, request);
        }
        let mut measured = self.head(head, setting, request)?;
        if !request.imports.is_empty() {
            measured.add_imports(&request.imports, self.repo.top()?, &self.tracked(head)?);
        }
        self.judged(head, setting, request, measured)
    }

    /// The record made from kept measurements alone, for hooks: `None` where one is missing.
    ///
    /// # Errors
    /// Where git fails.
    pub fn from_kept(
        &self,
        head: &CommitId,
        setting: &Setting,
        branch: &str,
    ) -> anyhow::Result<Option<Record>> {
        if setting.config.evidence.measure.is_some() || !setting.config.measures() {
            return Ok(None);
        }
        let ci = &setting.config.ci;
        let needs_ci = ci.measures() && (ci.quality_required || setting.config.checks.is_empty());
        if needs_ci && !self.ci_is_kept(head, ci) {
            return Ok(None);
        }
        let request = Request { branch: branch.to_string(), no_run: true, ..Request::default() };
        let measured = self.head(head, setting, &request)?;
        if measured.missing > 0 {
            return Ok(None);
        }
        if let Some((_, base)) = &setting.base
            && !self.all_kept(base, setting)?
        {
            return Ok(None);
        }
        Ok(Some(self.judged(head, setting, &request, measured)?.record))
    }

    /// A commit's evidence from kept measurements alone: `None` where one is missing.
    ///
    /// # Errors
    /// Where git fails.
    pub fn kept_evidence(
        &self,
        commit: &CommitId,
        setting: &Setting,
    ) -> anyhow::Result<Option<Evidence>> {
        if setting.config.evidence.measure.is_some() || setting.config.checks.is_empty() {
            return Ok(None);
        }
        let request = Request { no_run: true, ..Request::default() };
        let measured = self.head(commit, setting, &request)?;
        Ok((measured.missing == 0).then(|| Evidence::gather(&measured.results)))
    }

    fn all_kept(&self, commit: &CommitId, setting: &Setting) -> anyhow::Result<bool> {
        let request = Request { no_run: true, ..Request::default() };
        let kept = self.kept(&self.repo.tree_of(commit)?, &request.checks(setting), &request);
        Ok(kept.iter().all(Option::is_some))
    }

    fn outside(
        &self,
        head: &CommitId,
        setting: &Setting,
        request: &Request,
    ) -> anyhow::Result<Reviewed> {
        let out = checks::fresh_out(&self.layout.out("outside"), "run")?;
        let base = setting.base.as_ref().map(|(_, point)| point);
        let workplace = self.workplace_if(request.isolated, head, setting)?;
        let dir = match &workplace {
            Some(place) => place.path(),
            None => self.repo.top()?,
        };
        self.progress.say("measuring with the configured program");
        // Only the person's checkout: what is left in a worktree of ours goes with it.
        let here = workplace.is_none();
        let before = if here { Some(self.repo.snapshot()?) } else { None };
        let asked = outside::Asked { dir, out: &out, sha: head, base };
        let made = outside::measure(self.runner, &setting.config.evidence, &asked);
        let Seen { left, edited } = match &before {
            Some(before) => Seen::between(before, &self.repo.snapshot()?),
            None => Seen::default(),
        };
        let _ = std::fs::remove_dir_all(&out);
        let record = made.map_err(MeasureFailed)?;
        Ok(Reviewed { record, left, edited, measured: 1 })
    }

    fn workplace_if(
        &self,
        wanted: bool,
        commit: &CommitId,
        setting: &Setting,
    ) -> anyhow::Result<Option<Workplace<'_>>> {
        if !wanted {
            return Ok(None);
        }
        let workspace = &setting.config.workspace;
        let place = Workplace::open(self.repo, self.cache, commit, "measure")?;
        if let (Some(top), Some(head)) = (&self.repo.top, self.repo.head()?.commit) {
            place.share(top, &head, commit, workspace)?;
        }
        place.set_up(self.runner, workspace)?;
        Ok(Some(place))
    }

    /// Measures the commit itself, from what is kept where that is allowed.
    fn head(
        &self,
        head: &CommitId,
        setting: &Setting,
        request: &Request,
    ) -> anyhow::Result<Measured> {
        let checks = request.checks(setting);
        let tree = self.repo.tree_of(head)?;
        let kept = self.kept(&tree, &checks, request);
        let wanted: Vec<&Check> =
            checks.iter().zip(&kept).filter(|(_, k)| k.is_none()).map(|(c, _)| *c).collect();
        let (made, seen) = if wanted.is_empty() || request.no_run {
            (Vec::new(), Seen::default())
        } else {
            // Where git was told not to look at files, only a fresh checkout is surely the commit.
            let isolated = request.isolated || (!request.dirty && self.repo.hides_changes()?);
            let place = self.workplace_if(isolated, head, setting)?;
            let (made, seen) = match &place {
                Some(place) => self.run_there(place, head, &wanted)?,
                None => self.run_here(head, &wanted, request.before.as_ref())?,
            };
            let is_of_head = isolated || self.repo.head()?.commit.as_ref() == Some(head);
            let mut made = made;
            if !request.dirty && seen.edited.is_empty() && is_of_head {
                self.settle(&tree, &wanted, &mut made);
                self.keep(&tree, &wanted, &made, request.doubted);
            }
            (made, seen)
        };
        Ok(Measured::gather(&checks, kept, made, seen))
    }

    /// Kept measurements, one for each check; none where it has to be made.
    fn kept(&self, tree: &str, checks: &[&Check], request: &Request) -> Vec<Option<Measurement>> {
        if request.recompute || request.dirty {
            return checks.iter().map(|_| None).collect();
        }
        let kept = Measurements::new(self.layout);
        checks
            .iter()
            .map(|check| {
                let found = kept.get::<Measurement>(tree, &check_key(check))?;
                let ages = found.value.figures.as_ref().is_some_and(|f| f.dependencies.is_some());
                if ages && !is_fresh(found.at, clock::now_seconds()) {
                    return None;
                }
                // Versions are compared when measuring only: no tool is started for a record.
                let comparable = request.no_run || self.same_version(check, &found.value);
                comparable.then_some(found.value)
            })
            .collect()
    }

    fn same_version(&self, check: &Check, kept: &Measurement) -> bool {
        let Ok(top) = self.repo.top() else { return true };
        checks::version(self.runner, check, top) == kept.version
    }

    /// Where the same content was measured before by the same tool, lines that ran in one of the two
    /// alone are unstable: they say nothing about a change.
    fn settle(&self, tree: &str, checks: &[&Check], made: &mut [Measurement]) {
        let kept = Measurements::new(self.layout);
        for (check, measurement) in checks.iter().zip(made) {
            let now = measurement.figures.as_mut().and_then(|f| f.coverage.as_mut());
            let Some(now) = now.filter(|_| measurement.status == CheckStatus::Measured) else {
                continue;
            };
            let Some(earlier) = kept.get::<Measurement>(tree, &check_key(check)) else { continue };
            let same_tool = earlier.value.version == measurement.version;
            let before = earlier.value.figures.and_then(|f| f.coverage);
            if let Some(before) = before.filter(|_| same_tool) {
                settle(&before, now);
            }
        }
    }

    /// Keeps what can be known by its content: complete measurements only.
    fn keep(&self, tree: &str, checks: &[&Check], made: &[Measurement], doubted: bool) {
        let kept = Measurements::new(self.layout);
        let fails = |m: &Measurement| {
            let tests = m.figures.as_ref().and_then(|f| f.tests.as_ref());
            tests.is_some_and(|t| t.cases.iter().any(|c| c.status >= TestStatus::Failed))
        };
        for (check, measurement) in checks.iter().zip(made) {
            if measurement.status == CheckStatus::Measured
                && !(doubted && fails(measurement))
                && let Err(e) = kept.put(tree, &check_key(check), measurement)
            {
                self.progress.say(&format!("cannot keep the measurement of {}: {e}", check.name));
            }
        }
    }

    fn run_here(
        &self,
        head: &CommitId,
        checks: &[&Check],
        before: Option<&Snapshot>,
    ) -> anyhow::Result<(Vec<Measurement>, Seen)> {
        let before = before.map_or_else(|| self.repo.snapshot(), |b| Ok(b.clone()))?;
        let mut made = self.run_in(self.repo.top()?, head, checks, "head")?;
        if self.repo.head()?.commit.as_ref() != Some(head) {
            return Err(HeadMoved(head.short().to_string()).into());
        }
        let seen = Seen::between(&before, &self.repo.snapshot()?);
        for measurement in &mut made {
            measurement.left.clone_from(&seen.left);
        }
        Ok((made, seen))
    }

    /// In a worktree of ours: what checks leave there goes with it, what they edit counts.
    fn run_there(
        &self,
        place: &Workplace<'_>,
        head: &CommitId,
        checks: &[&Check],
    ) -> anyhow::Result<(Vec<Measurement>, Seen)> {
        let repo = Repo::discover(place.path(), None, None)?;
        let before = repo.snapshot()?;
        let made = self.run_in(place.path(), head, checks, "head")?;
        let seen = Seen::between(&before, &repo.snapshot()?);
        Ok((made, Seen { left: Vec::new(), edited: seen.edited }))
    }

    fn run_in(
        &self,
        dir: &Path,
        commit: &CommitId,
        checks: &[&Check],
        what: &str,
    ) -> anyhow::Result<Vec<Measurement>> {
        let tracked = self.tracked(commit)?;
        let out = checks::fresh_out(&self.layout.out("checks"), what)
            .context("cannot make a folder for reports")?;
        let place = Place { dir, out: &out, tracked: &tracked, what };
        let made = checks::run_all(self.runner, checks, &place, self.progress);
        // Reports are read; what a person may want to see of them is in the measurement.
        let _ = std::fs::remove_dir_all(&out);
        Ok(made)
    }

    fn tracked(&self, commit: &CommitId) -> anyhow::Result<BTreeSet<String>> {
        Ok(self.repo.files(commit)?.into_iter().collect())
    }

    /// The base's evidence: kept, or made once in a linked worktree.
    fn base(
        &self,
        base: &CommitId,
        setting: &Setting,
        request: &Request,
    ) -> Result<(Measured, Evidence), String> {
        let text = |e: anyhow::Error| format!("{e:#}");
        let tree = self.repo.tree_of(base).map_err(|e| text(e.into()))?;
        let checks = request.checks(setting);
        let relaxed = Request { recompute: false, dirty: false, ..request.clone() };
        let kept = self.kept(&tree, &checks, &relaxed);
        let wanted: Vec<&Check> =
            checks.iter().zip(&kept).filter(|(_, k)| k.is_none()).map(|(c, _)| *c).collect();
        let made = if wanted.is_empty() {
            Vec::new()
        } else if request.no_run {
            return Err("it has not been measured yet".into());
        } else {
            self.progress.say(&format!(
                "the base {} has not been measured yet: this happens once, in a worktree of its own",
                base.short()
            ));
            let place = self.workplace_if(true, base, setting).map_err(text)?;
            let dir = place.as_ref().map(Workplace::path).ok_or("no worktree")?;
            let made = self.run_in(dir, base, &wanted, "base").map_err(text)?;
            self.keep(&tree, &wanted, &made, false);
            made
        };
        let measured = Measured::gather(&checks, kept, made, Seen::default());
        let evidence = Evidence::gather(&measured.results);
        if let Some((check, why)) = evidence.missing.first() {
            return Err(format!("{check}: {why}"));
        }
        // Submodules are empty in a linked worktree, so a failure there may be of that alone.
        if evidence.failing_tests().is_some_and(|f| !f.is_empty())
            && self.repo.has_submodules(base).map_err(|e| text(e.into()))?
        {
            return Err("tests fail there, and its submodules are not checked out; measure it \
                        where they are: git switch the base, then git review-evidence"
                .into());
        }
        Ok((measured, evidence))
    }

    fn judged(
        &self,
        head: &CommitId,
        setting: &Setting,
        request: &Request,
        measured: Measured,
    ) -> anyhow::Result<Reviewed> {
        let mut evidence = Evidence::gather(&measured.results);
        evidence.is_bot = self.bot_actor;
        self.add_ci(head, setting, request, &mut evidence);
        let point = setting.base.as_ref().map(|(_, point)| point);
        let diff = match point {
            Some(point) => self.repo.diff(point, head)?,
            None => DiffMap::default(),
        };
        let drift = self.drift(head, setting, &diff)?;
        evidence.drift = drift.head;
        let base = match point {
            None => None,
            // A commit that is its own base is judged against itself.
            Some(point) if point == head => Some(Ok(evidence.clone())),
            Some(point) => Some(self.base(point, setting, request).map(|(before, mut base)| {
                self.add_base_ci((point, &mut base), setting, request, &evidence);
                base.drift = drift.base;
                for (check, why, required) in measured.vanished(&before) {
                    let list = if required { &mut evidence.missing } else { &mut evidence.absent };
                    list.push((check, why));
                }
                base
            })),
        };
        let against = match &base {
            None => Base::Synthetic,
            Some(Ok(evidence)) => Base::Measured(evidence),
            Some(Err(why)) => Base::Failed(why),
        };
        let limits = &setting.config.policy;
        let judgement = judge(&evidence, against, &diff, limits);
        let about = About {
            sha: head.to_string(),
            tree: self.repo.tree_of(head)?,
            branch: request.branch.clone(),
            dirty: request.dirty || !measured.seen.edited.is_empty(),
            base: setting
                .base
                .as_ref()
                .map(|(base, point)| (base.name.clone(), base.rung.to_string(), point.to_string())),
            base_failed: base.as_ref().and_then(|b| b.as_ref().err().cloned()),
            at: clock::now(),
            config_source: setting.source.word().to_string(),
            config_sha256: setting.sha256.clone(),
            checks: measured.runs,
            stack: stack(self.repo.files(head)?.iter().map(String::as_str)),
            warnings: [setting_warnings(setting), drift.warnings].concat(),
        };
        let record = record(about, &evidence, &judgement, limits);
        let Seen { left, edited } = measured.seen;
        Ok(Reviewed { record, left, edited, measured: measured.made })
    }
}

/// Somebody moved HEAD while checks ran in the checkout.
#[derive(Debug, thiserror::Error)]
#[error("HEAD is not at {0} any more, so what was measured is no commit's; run it again")]
pub struct HeadMoved(pub String);

/// The outside program gave no record.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MeasureFailed(pub String);

fn setting_warnings(setting: &Setting) -> Vec<String> {
    let mut warnings = Vec::new();
    if setting.changed {
        warnings.push(format!(
            "config_changed: this commit has another {} than the one that counts (the {}'s)",
            crate::config::FILE_NAME,
            setting.source.word().replace('_', " ")
        ));
    }
    warnings
}
