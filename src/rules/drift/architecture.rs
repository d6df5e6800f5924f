//! Imports that a rule of the architecture forbids.

use std::collections::{BTreeSet, HashMap};

use globset::{Glob, GlobMatcher, GlobSet};

use crate::model::DiffMap;
use crate::rules::imports::{Import, Resolver, Target, folder_of};
use crate::rules::protect::set;

/// What stands in front of the name of a module that is not in the tree.
pub const MODULE: &str = "module:";

/// A rule as it is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchitectureRule {
    /// Its name, unique.
    pub name: String,
    /// Globs of files that it holds.
    pub from: Vec<String>,
    /// Globs of files, and `module:` with a name, that those may not import.
    pub forbid: Vec<String>,
    /// What they may import all the same.
    pub allow: Vec<String>,
    /// Why.
    pub reason: String,
}

/// A forbidden import.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The rule's name.
    pub rule: String,
    /// The file that imports.
    pub path: String,
    /// The line of the import.
    pub line: u32,
    /// A file, a folder with `/` at its end, or `module:` and a name.
    pub imports: String,
    /// Why it is forbidden; may be empty.
    pub reason: String,
    /// The base has it not.
    pub new: bool,
}

/// Rules that can be applied.
#[derive(Debug)]
pub struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    name: String,
    reason: String,
    from: GlobSet,
    forbid: Things,
    allow: Things,
}

/// Files and modules.
#[derive(Debug)]
struct Things {
    files: GlobSet,
    modules: Vec<(String, Option<GlobMatcher>)>,
}

impl Things {
    fn new(globs: &[String]) -> Result<Things, String> {
        let named = globs.iter().filter_map(|g| g.strip_prefix(MODULE));
        let module = |name: &str| -> Result<_, String> {
            let wild = name.contains(['*', '?', '{', '[']);
            let glob =
                if wild { Some(Glob::new(name).map_err(|e| no_glob(name, &e))?) } else { None };
            Ok((name.to_string(), glob.map(|g| g.compile_matcher())))
        };
        let modules = named.map(module).collect::<Result<_, _>>()?;
        let files = globs.iter().filter(|g| !g.starts_with(MODULE));
        Ok(Things { files: set(files.map(String::as_str))?, modules })
    }

    /// The module itself, and what is in it: `requests` is `requests.adapters` too.
    fn has_module(&self, module: &str) -> bool {
        self.modules.iter().any(|(name, glob)| {
            let inside = module.strip_prefix(name.as_str());
            inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
                || glob.as_ref().is_some_and(|g| g.is_match(module))
        })
    }
}

fn no_glob(glob: &str, error: &globset::Error) -> String {
    format!("'{glob}' is no glob: {}", error.kind())
}

/// Whether a text can stand in a rule.
///
/// # Errors
/// What is wrong with it.
pub fn check_glob(glob: &str) -> Result<(), String> {
    let plain = glob.strip_prefix(MODULE).unwrap_or(glob);
    if plain.trim().is_empty() {
        return Err(format!("'{glob}' names nothing; write a glob of paths, or \"module:name\""));
    }
    if plain.len() == glob.len() && plain.starts_with('/') {
        return Err(format!("'{glob}' must be relative to the top of the tree"));
    }
    Glob::new(plain).map(drop).map_err(|e| no_glob(glob, &e))
}

impl Rules {
    /// Compiles what is configured.
    ///
    /// # Errors
    /// The glob that cannot be read, and why.
    pub fn new(configured: &[ArchitectureRule]) -> Result<Rules, String> {
        let rule = |r: &ArchitectureRule| -> Result<Rule, String> {
            Ok(Rule {
                name: r.name.clone(),
                reason: r.reason.clone(),
                from: set(r.from.iter().map(String::as_str))?,
                forbid: Things::new(&r.forbid)?,
                allow: Things::new(&r.allow)?,
            })
        };
        configured.iter().map(rule).collect::<Result<_, _>>().map(Rules)
    }

    /// Whether any rule holds a file.
    pub fn hold(&self, path: &str) -> bool {
        self.0.iter().any(|r| r.from.is_match(path))
    }

    /// The forbidden imports of one file; each counts as new until it is compared.
    pub fn broken(&self, path: &str, imports: &[Import], tree: &Resolver<'_>) -> Vec<Violation> {
        let rules: Vec<&Rule> = self.0.iter().filter(|r| r.from.is_match(path)).collect();
        let (by_name, in_passing): (Vec<_>, Vec<_>) = imports
            .iter()
            .filter_map(|import| Some((import, tree.resolve(path, import)?)))
            .partition(|(import, _)| !import.in_passing);
        let mut seen: BTreeSet<Target> = by_name.iter().map(|(_, target)| target.clone()).collect();
        let once = in_passing.into_iter().filter(|(_, target)| seen.insert(target.clone()));
        let all: Vec<(&Import, Target)> = by_name.iter().cloned().chain(once).collect();
        let mut found = BTreeSet::new();
        for rule in rules {
            for (import, target) in all.iter().filter(|(_, target)| rule.forbids(target, tree)) {
                found.insert(Violation {
                    rule: rule.name.clone(),
                    path: path.to_string(),
                    line: import.line,
                    imports: shown(target),
                    reason: rule.reason.clone(),
                    new: true,
                });
            }
        }
        found.into_iter().collect()
    }
}

impl Rule {
    fn forbids(&self, target: &Target, tree: &Resolver<'_>) -> bool {
        let file = |p: &str| self.forbid.files.is_match(p) && !self.allow.files.is_match(p);
        match target {
            Target::File(path) => file(path),
            // Tests are no part of what a package gives.
            Target::Folder(folder) => {
                tree.files_in(folder).filter(|p| !p.ends_with("_test.go")).any(file)
            }
            Target::Module(name) => self.forbid.has_module(name) && !self.allow.has_module(name),
        }
    }
}

fn shown(target: &Target) -> String {
    match target {
        Target::File(path) => path.clone(),
        Target::Folder(folder) if folder.is_empty() => "./".to_string(),
        Target::Folder(folder) => folder.clone(),
        Target::Module(name) => format!("{MODULE}{name}"),
    }
}

/// Tells which of the head's violations the base had: the same rule, file and import, one for one,
/// wherever their lines are, and whatever the files are called now.
pub fn compare(head: &mut [Violation], base: &[Violation], diff: &DiffMap) {
    let mut had: HashMap<[String; 3], usize> = HashMap::new();
    for old in base {
        let Some(path) = diff.new_path(&old.path) else { continue };
        let imports = diff.new_path(&old.imports).unwrap_or(&old.imports);
        *had.entry([&old.rule, path, imports].map(str::to_string)).or_default() += 1;
    }
    for violation in head {
        let Violation { rule, path, imports, .. } = &*violation;
        let names = std::iter::once(imports.clone()).chain(former_folders(imports, diff));
        let known = names.into_iter().find_map(|imports| {
            let n = had.get_mut(&[rule.clone(), path.clone(), imports])?;
            (*n > 0).then(|| *n -= 1)
        });
        violation.new = known.is_none();
    }
}

/// Folders from which files were moved into this one.
fn former_folders(folder: &str, diff: &DiffMap) -> BTreeSet<String> {
    let Some(plain) = folder.strip_suffix('/') else { return BTreeSet::new() };
    let moved = diff.files.iter().filter_map(|f| f.old.as_deref().zip(f.new.as_deref()));
    let into = moved.filter(|(old, new)| folder_of(new) == plain && folder_of(old) != plain);
    into.map(|(old, _)| format!("{}/", folder_of(old))).collect()
}
