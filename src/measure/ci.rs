//! What the scanners of a commit's CI found: SARIF that its runs uploaded, got through `gh` and kept by
//! commit, since a run is about a commit and not about a tree.
//!
//! A hook asks nobody: it has milliseconds, and the commit is only about to be pushed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::checks::fresh_out;
use super::gh::{Gh, Run};
use super::kept::hex;
use super::lines::hash_lines_of;
use super::reports::{digest, walk};
use super::review::{Measurer, Request};
use super::setting::Setting;
use crate::config::Ci;
use crate::formats;
use crate::model::{CommitId, Finding, Reading, Severity};
use crate::rules::ci::{CiFinding, CiFound};
use crate::rules::evidence::Evidence;
use crate::rules::paths::PathMap;
use crate::store::measurements::Measurements;

/// Raised when what an older program kept could mean something else.
const GENERATION: u32 = 1;

impl Measurer<'_> {
    /// Adds what the CI says of the judged commit, or why that is not known.
    pub(super) fn add_ci(
        &self,
        head: &CommitId,
        setting: &Setting,
        request: &Request,
        evidence: &mut Evidence,
    ) {
        let ci = &setting.config.ci;
        // Whoever asks for single checks does not ask for this.
        if ci.measures() && request.only.is_empty() {
            evidence.add_ci(self.ci(head, ci, request), ci.quality_required);
        }
    }

    /// The same of the base, where there is something to be compared with it. It is not required: what
    /// the head has then counts in full.
    pub(super) fn add_base_ci(
        &self,
        (base, evidence): (&CommitId, &mut Evidence),
        setting: &Setting,
        request: &Request,
        head: &Evidence,
    ) {
        if head.ci.is_some() {
            let relaxed = Request { recompute: false, ..request.clone() };
            evidence.add_ci(self.ci(base, &setting.config.ci, &relaxed), false);
        }
    }

    /// Whether it need not be asked for.
    pub(super) fn ci_is_kept(&self, commit: &CommitId, ci: &Ci) -> bool {
        kept(self, commit, ci).is_some()
    }

    fn ci(&self, commit: &CommitId, ci: &Ci, request: &Request) -> Result<CiFound, String> {
        if !request.recompute
            && let Some(found) = kept(self, commit, ci)
        {
            return Ok(found);
        }
        if request.no_run || !request.ask_ci {
            return Err("nothing is kept of the commit's CI runs, and nobody was asked; 'git \
                        review-evidence' asks"
                .into());
        }
        self.progress.say(&format!("asking {} for the CI findings of {}", ci.gh, commit.short()));
        let top = self.repo.top().map_err(|e| e.to_string())?;
        let out = fresh_out(&self.layout.out("ci"), commit.short())
            .map_err(|e| format!("cannot make a folder for artifacts: {e}"))?;
        let found = self.fetch(commit, &Gh::new(self.runner, ci, top), ci, &out);
        let _ = std::fs::remove_dir_all(&out);
        let found = found?;
        if let Err(e) = Measurements::new(self.layout).put(commit.as_str(), &key(ci), &found) {
            self.progress.say(&format!("cannot keep the CI findings: {e}"));
        }
        Ok(found)
    }

    fn fetch(
        &self,
        commit: &CommitId,
        gh: &Gh<'_>,
        ci: &Ci,
        out: &Path,
    ) -> Result<CiFound, String> {
        let workflows = gh.runs(commit)?;
        let mut got = Got::default();
        for name in &ci.quality {
            let before = got.folders.len();
            for runs in &workflows {
                got.first(gh, runs, name, out)?;
            }
            if got.folders.len() == before {
                return Err(format!(
                    "no artifact '{name}' in the {} CI runs of this commit (or it has expired); \
                     name one that they upload with [ci] quality",
                    workflows.iter().map(Vec::len).sum::<usize>()
                ));
            }
        }
        let mut findings = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, folder) in &got.folders {
            read_folder(folder, &mut seen, &mut findings)
                .map_err(|why| format!("the artifact '{name}': {why}"))?;
        }
        self.about_this_commit(commit, &mut findings).map_err(|e| format!("{e:#}"))?;
        Ok(CiFound { runs: got.runs, artifacts: ci.quality.clone(), findings })
    }

    /// Paths become those of tracked files, and each line's text is noted, so that a finding that
    /// moves is known again.
    fn about_this_commit(
        &self,
        commit: &CommitId,
        found: &mut Vec<CiFinding>,
    ) -> anyhow::Result<()> {
        let tracked: BTreeSet<String> = self.repo.files(commit)?.into_iter().collect();
        let mut paths = PathMap::new(&[], &tracked);
        let severities: Vec<Severity> = found.iter().map(|f| f.severity).collect();
        let mut findings: Vec<Finding> = found.drain(..).map(|f| f.finding).collect();
        for finding in &mut findings {
            if let Some(path) = finding.path.as_deref().and_then(|p| paths.find(p)) {
                finding.path = Some(path.into());
            }
        }
        let text = |path: &str| self.repo.read_blob(commit, path).ok().flatten();
        hash_lines_of(&mut findings, &paths, text);
        let both = severities.into_iter().zip(findings);
        found.extend(both.map(|(severity, finding)| CiFinding { severity, finding }));
        Ok(())
    }
}

fn kept(measurer: &Measurer<'_>, commit: &CommitId, ci: &Ci) -> Option<CiFound> {
    let kept = Measurements::new(measurer.layout).get(commit.as_str(), &key(ci));
    kept.map(|found| found.value)
}

/// What kept findings are known by, beside the commit.
fn key(ci: &Ci) -> String {
    let parts = serde_json::json!([GENERATION, ci.quality, ci.gh]);
    format!("ci-{}", &hex(&Sha256::digest(parts.to_string().as_bytes()))[..32])
}

/// What was downloaded.
#[derive(Default)]
struct Got {
    /// Name of the artifact, and the folder that holds it.
    folders: Vec<(String, PathBuf)>,
    runs: Vec<u64>,
}

impl Got {
    /// From the newest run of a workflow that has the artifact; older ones say the same of the same
    /// commit.
    fn first(&mut self, gh: &Gh<'_>, runs: &[Run], name: &str, out: &Path) -> Result<(), String> {
        for run in runs {
            let folder = out.join(format!("{}-{}", self.folders.len(), run.id));
            if gh.download(run, name, &folder)? {
                self.folders.push((name.to_string(), folder));
                if !self.runs.contains(&run.id) {
                    self.runs.push(run.id);
                }
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Reads every SARIF below a folder; the same content twice is one report.
fn read_folder(
    folder: &Path,
    seen: &mut BTreeSet<String>,
    findings: &mut Vec<CiFinding>,
) -> Result<(), String> {
    let mut names = Vec::new();
    walk(folder, "", &mut names).map_err(|e| format!("it cannot be read: {e}"))?;
    let is_sarif = |name: &&String| {
        let name = name.to_ascii_lowercase();
        name.ends_with(".sarif") || name.ends_with(".sarif.json")
    };
    let mut names: Vec<&String> = names.iter().filter(is_sarif).collect();
    names.sort();
    if names.is_empty() {
        return Err("it holds no *.sarif or *.sarif.json; name one that does".into());
    }
    for name in names {
        let path = folder.join(name);
        let open = || File::open(&path).map_err(|e| format!("{name} cannot be read: {e}"));
        let sha256 = digest(open()?).map_err(|e| format!("{name} cannot be read: {e}"))?;
        if !seen.insert(sha256) {
            continue;
        }
        let mut input = BufReader::with_capacity(1 << 16, open()?);
        let (reading, severities) = formats::with_severities(&mut input);
        let figures = match reading {
            Reading::Figures(figures) => figures,
            Reading::Refused(why) => return Err(format!("{name}: {why}")),
            Reading::Degraded(_, causes) => {
                return Err(format!("{name}: the tool did not finish: {}", causes.join("; ")));
            }
        };
        let found = figures.lint.into_iter().flat_map(|lint| lint.findings).zip(severities);
        findings.extend(found.map(|(finding, severity)| CiFinding { severity, finding }));
    }
    Ok(())
}
