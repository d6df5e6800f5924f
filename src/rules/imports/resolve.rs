//! From an import to the tracked file that it means.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Import, Language, go, jvm, python, rust, script};

/// What an import means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A tracked file.
    File(String),
    /// A package: the files that lie directly in a folder, which ends with `/`.
    Folder(String),
    /// Something that is not in this tree, by the name that it is imported by.
    Module(String),
}

/// The files of one tree, as imports look for them.
pub struct Resolver<'a> {
    tracked: &'a BTreeSet<String>,
    /// The same, for the many questions whether a file is there.
    files: HashSet<&'a str>,
    all_folders: HashSet<&'a str>,
    /// What was asked for before, by the folder that it was asked from.
    known: RefCell<HashMap<(String, String), Option<Target>>>,
    source_roots: BTreeSet<&'a str>,
    /// File name without its ending → files of the JVM's languages.
    by_stem: HashMap<&'a str, Vec<&'a str>>,
    /// Last part → folders with such files.
    folders: HashMap<&'a str, BTreeSet<&'a str>>,
    /// Module → folder.
    go: BTreeMap<String, String>,
    /// Crate → the folder of its sources.
    crates: BTreeMap<String, String>,
}

impl<'a> Resolver<'a> {
    /// Of a tree's files and the texts of its manifests (`go.mod`, `Cargo.toml`) by path.
    pub fn new(tracked: &'a BTreeSet<String>, manifests: &BTreeMap<String, String>) -> Self {
        let mut resolver = Resolver {
            tracked,
            files: tracked.iter().map(String::as_str).collect(),
            all_folders: HashSet::new(),
            known: RefCell::default(),
            source_roots: BTreeSet::new(),
            by_stem: HashMap::new(),
            folders: HashMap::new(),
            go: BTreeMap::new(),
            crates: BTreeMap::new(),
        };
        for path in tracked {
            let mut folder = folder_of(path);
            while !folder.is_empty() && resolver.all_folders.insert(folder) {
                folder = folder_of(folder);
            }
            match Language::of(path) {
                Some(Language::Python) => {
                    let at = path.rfind("/src/").map(|at| at + 4);
                    let first = path.starts_with("src/").then_some(3);
                    resolver.source_roots.extend(at.or(first).map(|at| &path[..at]));
                }
                Some(Language::Jvm) => {
                    let folder = folder_of(path);
                    let last = folder.rsplit('/').next().unwrap_or_default();
                    resolver.folders.entry(last).or_default().insert(folder);
                    resolver.by_stem.entry(stem(path)).or_default().push(path);
                }
                _ => {}
            }
        }
        for (path, text) in manifests {
            let folder = folder_of(path).to_string();
            if path.ends_with("go.mod") {
                resolver.go.extend(go::module(text).map(|name| (name.to_string(), folder)));
            } else {
                resolver.crates.extend(rust::krate(text, &folder));
            }
        }
        resolver
    }

    /// What an import of a file means; none where it is a path that leads to no tracked file.
    pub fn resolve(&self, from: &str, import: &Import) -> Option<Target> {
        let language = Language::of(from)?;
        // In Rust each file is a place of its own.
        let place = if language == Language::Rust { from } else { folder_of(from) };
        let key = (place.to_string(), import.raw.clone());
        let known = self.known.borrow().get(&key).cloned();
        let target = known.unwrap_or_else(|| {
            let target = self.look_up(language, from, &import.raw);
            self.known.borrow_mut().insert(key, target.clone());
            target
        });
        target.filter(|t| !matches!(t, Target::File(path) if path == from))
    }

    fn look_up(&self, language: Language, from: &str, raw: &str) -> Option<Target> {
        match language {
            Language::Python => python::resolve(self, from, raw),
            Language::Script => script::resolve(self, from, raw),
            Language::Jvm => jvm::resolve(self, from, raw),
            Language::Go => go::resolve(self, raw),
            Language::Rust => rust::resolve(self, from, raw),
        }
    }

    /// The files that lie directly in a folder.
    pub fn files_in<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s str> {
        let below = self.tracked.range(folder.to_string()..).map(String::as_str);
        let below = below.take_while(move |p| p.starts_with(folder));
        below.filter(move |p| !p[folder.len()..].contains('/'))
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether any file lies below; the top is one.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.all_folders.contains(path)
    }

    /// Whether files of these endings lie directly in a folder.
    pub(super) fn holds(&self, folder: &str, endings: &[&str]) -> bool {
        if !self.is_folder(folder) {
            return false;
        }
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let ending = |p: &str| p.rsplit_once('.').is_some_and(|(_, e)| endings.contains(&e));
        self.files_in(&folder).any(ending)
    }

    pub(super) fn source_roots(&self) -> impl Iterator<Item = &str> {
        self.source_roots.iter().copied()
    }

    pub(super) fn go_modules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.go.iter().map(|(module, folder)| (module.as_str(), folder.as_str()))
    }

    pub(super) fn crate_root(&self, name: &str) -> Option<&str> {
        self.crates.get(name).map(String::as_str)
    }

    /// The file whose path without its ending ends in this; of several the nearest.
    pub(super) fn ending_in(&self, from: &str, end: &str, endings: &[&str]) -> Option<String> {
        let candidates = self.by_stem.get(stem(end))?.iter().copied();
        let fits = candidates.filter(|path| {
            let Some((plain, ending)) = path.rsplit_once('.') else { return false };
            endings.contains(&ending) && ends_in(plain, end)
        });
        nearest(from, fits)
    }

    /// The folder whose path ends in this, with `/`.
    pub(super) fn folder_ending_in(
        &self,
        from: &str,
        end: &str,
        endings: &[&str],
    ) -> Option<String> {
        let last = end.rsplit('/').next().filter(|l| !l.is_empty())?;
        let candidates = self.folders.get(last)?.iter().copied();
        let fits = candidates.filter(|f| ends_in(f, end) && self.holds(f, endings));
        nearest(from, fits).map(|folder| format!("{folder}/"))
    }
}

/// Of several the one that has most in common with the path of who asks.
fn nearest<'a>(from: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let common =
        |path: &str| path.split('/').zip(from.split('/')).take_while(|(a, b)| a == b).count();
    let best = candidates.map(|path| (common(path), std::cmp::Reverse(path))).max();
    best.map(|(_, path)| path.0.to_string())
}

fn ends_in(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The folder of a file; empty at the top.
pub(in crate::rules) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder some levels up; none above the top.
pub(super) fn up(folder: &str, levels: usize) -> Option<&str> {
    let mut folder = folder;
    for _ in 0..levels {
        if folder.is_empty() {
            return None;
        }
        folder = folder_of(folder);
    }
    Some(folder)
}

/// A path without `.`, `..` and empty parts; none where it leads out of the tree.
pub(in crate::rules) fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
