//! A change against its plan and the rules of the architecture: computed from the two trees each time
//! that a commit is judged, without any tool and without anything that is kept.
//!
//! Only what is needed is read: the document, and the files that some rule holds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use anyhow::anyhow;

use super::review::Measurer;
use super::setting::Setting;
use crate::config::Design;
use crate::git::Entry;
use crate::model::{CommitId, DiffMap};
use crate::rules::drift::architecture::{Rules, Violation, compare};
use crate::rules::drift::{AgainstPlan, Drift, Exempt, Plan, newest};
use crate::rules::imports::{Import, Language, Resolver, read};
use crate::rules::thresholds::Severity;

/// How many files' texts are held at once.
const AT_ONCE: usize = 1000;

/// What is known of the two sides.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) head: Option<Drift>,
    pub(super) base: Option<Drift>,
    pub(super) warnings: Vec<String>,
}

/// One commit's files.
struct Tree {
    entries: BTreeMap<String, Entry>,
    tracked: BTreeSet<String>,
}

/// What was read of files, by their content: both sides have most in common.
type Read = HashMap<(String, Language), Rc<Vec<Import>>>;

/// Forbidden imports of one side; none where no rule is configured, or there is no such side.
type Forbidden = Option<Vec<Violation>>;

impl Measurer<'_> {
    /// Holds a change against plan and rules.
    pub(super) fn drift(
        &self,
        head: &CommitId,
        setting: &Setting,
        diff: &DiffMap,
    ) -> anyhow::Result<Found> {
        let config = &setting.config;
        let changed = diff.files.iter().filter_map(|f| f.new.as_deref());
        let carried = newest(changed, None).map_err(|e| anyhow!(e))?;
        let no_plan = match config.drift.design {
            Design::Off => true,
            Design::Auto => carried.is_none(),
            Design::Glob(_) => false,
        };
        if config.policy.drift == Severity::Off || (no_plan && config.architecture.is_empty()) {
            return Ok(Found::default());
        }
        let mut trees = vec![self.tree(head)?];
        if let Some((_, point)) = &setting.base {
            trees.push(self.tree(point)?);
        }
        let mut found = Found::default();
        let plan = match design(&config.drift.design, carried, &trees[0])? {
            // Without a base nobody knows what the change is.
            _ if setting.base.is_none() => Ok(None),
            Ok(Some(design)) => self.against(design, setting, &trees, diff)?,
            Ok(None) => Ok(None),
            Err(why) => Err(why),
        };
        let plan = plan.unwrap_or_else(|why| {
            found.warnings.push(why);
            None
        });
        let (now, before) = self.architecture(setting, &trees, diff, &mut found.warnings)?;
        found.head = Drift { plan, architecture: now }.measured();
        found.base = Drift { plan: None, architecture: before }.measured();
        Ok(found)
    }

    fn tree(&self, commit: &CommitId) -> anyhow::Result<Tree> {
        let entries = self.repo.entries(commit)?;
        Ok(Tree {
            tracked: entries.iter().map(|e| e.path.clone()).collect(),
            entries: entries.into_iter().map(|e| (e.path.clone(), e)).collect(),
        })
    }

    /// The change against a document; otherwise why there is nothing to hold it against.
    fn against(
        &self,
        design: &str,
        setting: &Setting,
        trees: &[Tree],
        diff: &DiffMap,
    ) -> anyhow::Result<Result<Option<AgainstPlan>, String>> {
        let entry = trees[0].entries.get(design).filter(|e| e.is_regular());
        let text = match entry {
            Some(entry) => self.repo.texts(&[&entry.id])?.remove(&entry.id).flatten(),
            None => None,
        };
        let Some(text) = text else {
            return Ok(Err(format!(
                "the design document {design} is no text of at most 1 MiB, so no change is held \
                 against it"
            )));
        };
        let known: BTreeSet<String> =
            trees.iter().flat_map(|tree| tree.tracked.iter().cloned()).collect();
        let Some(plan) = Plan::read(design, &text, &known) else {
            return Ok(Err(format!(
                "the design document {design} names no file, so no change is held against it; name \
                 files in back quotes"
            )));
        };
        let config = &setting.config.drift;
        let documents = match &config.design {
            Design::Glob(glob) => Some(glob),
            Design::Auto | Design::Off => None,
        };
        let exempt = Exempt::new(config.ignore.iter().chain(documents).map(String::as_str));
        Ok(Ok(Some(plan.against(diff, &exempt.map_err(|e| anyhow!(e))?))))
    }

    /// Forbidden imports of the head and of the base; none where no rule is configured.
    fn architecture(
        &self,
        setting: &Setting,
        trees: &[Tree],
        diff: &DiffMap,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<(Forbidden, Forbidden)> {
        if setting.config.architecture.is_empty() {
            return Ok((None, None));
        }
        let rules = Rules::new(&setting.config.architecture).map_err(|e| anyhow!(e))?;
        let held: Vec<Vec<&Entry>> = trees.iter().map(|tree| held(tree, &rules)).collect();
        let read = self.imports(held.iter().flatten().copied())?;
        let mut sides = Vec::new();
        for (tree, held) in trees.iter().zip(&held) {
            let manifests = self.manifests(tree, held)?;
            let resolver = Resolver::new(&tree.tracked, &manifests);
            let broken = |entry: &&Entry| {
                let imports = read.get(&key(entry)?)?;
                Some(rules.broken(&entry.path, imports, &resolver))
            };
            sides.push(held.iter().filter_map(broken).flatten().collect::<Vec<_>>());
        }
        let unread = held[0].iter().filter(|e| key(e).is_some_and(|k| !read.contains_key(&k)));
        let unread: Vec<&str> = unread.map(|e| e.path.as_str()).collect();
        if let Some(first) = unread.first() {
            warnings.push(format!(
                "{} files that a rule of the architecture holds were not looked into, since they are \
                 no text of at most 1 MiB; the first is {first}",
                unread.len()
            ));
        }
        let mut sides = sides.into_iter();
        let (mut now, before) = (sides.next().unwrap_or_default(), sides.next());
        compare(&mut now, before.as_deref().unwrap_or_default(), diff);
        Ok((Some(now), before))
    }

    fn imports<'e>(&self, held: impl Iterator<Item = &'e Entry>) -> anyhow::Result<Read> {
        let wanted: BTreeSet<(String, Language)> = held.filter_map(key).collect();
        let wanted: Vec<(String, Language)> = wanted.into_iter().collect();
        let mut imports = Read::new();
        for some in wanted.chunks(AT_ONCE) {
            let ids: Vec<&String> = some.iter().map(|(id, _)| id).collect();
            let texts = self.repo.texts(&ids)?;
            for (id, language) in some {
                if let Some(Some(text)) = texts.get(id) {
                    imports.insert((id.clone(), *language), Rc::new(read(*language, text)));
                }
            }
        }
        Ok(imports)
    }

    /// The manifests that the languages of some files need, by path.
    fn manifests(&self, tree: &Tree, held: &[&Entry]) -> anyhow::Result<BTreeMap<String, String>> {
        let languages = held.iter().filter_map(|e| Language::of(&e.path));
        let names: BTreeSet<&str> = languages.filter_map(Language::manifest).collect();
        let is_one = |e: &&Entry| {
            let name = e.path.rsplit('/').next().unwrap_or_default();
            e.is_regular() && names.contains(name)
        };
        let entries: Vec<&Entry> = match names.is_empty() {
            true => Vec::new(),
            false => tree.entries.values().filter(is_one).collect(),
        };
        let texts = self.repo.texts(&entries.iter().map(|e| &e.id).collect::<Vec<_>>())?;
        let text = |e: &&Entry| Some((e.path.clone(), texts.get(&e.id)?.clone()?));
        Ok(entries.iter().filter_map(text).collect())
    }
}

/// The document that is the plan, if any; otherwise why there is none although there was to be one.
fn design<'a>(
    configured: &Design,
    carried: Option<&'a str>,
    head: &'a Tree,
) -> anyhow::Result<Result<Option<&'a str>, String>> {
    let glob = match configured {
        Design::Off => return Ok(Ok(None)),
        Design::Auto => return Ok(Ok(carried)),
        Design::Glob(glob) => glob,
    };
    let found = newest(head.tracked.iter().map(String::as_str), Some(glob));
    Ok(match found.map_err(|e| anyhow!(e))? {
        None => Err(format!("no design document matches {glob}, so no plan holds this change")),
        found => Ok(found),
    })
}

/// The files of a tree that some rule holds and whose language is known.
fn held<'t>(tree: &'t Tree, rules: &Rules) -> Vec<&'t Entry> {
    let source = tree.entries.values().filter(|e| e.is_regular() && key(e).is_some());
    source.filter(|e| rules.hold(&e.path)).collect()
}

/// What a file's imports are known by.
fn key(entry: &Entry) -> Option<(String, Language)> {
    Some((entry.id.clone(), Language::of(&entry.path)?))
}
