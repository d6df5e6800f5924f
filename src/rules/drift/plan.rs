//! Which files a design document names: what stands between back quotes, and words of code blocks,
//! list items and tables that look like paths or globs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use globset::GlobSet;

use super::AgainstPlan;
use crate::model::DiffMap;
use crate::rules::gaming::ruler::is_test_path;
use crate::rules::imports::{folder_of, normal};
use crate::rules::protect::set;

/// Where plans lie by custom.
const PLANS: &str = "docs/plans/";

/// What package managers write by themselves.
const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "bun.lockb",
    "go.sum",
    "gradle.lockfile",
    "packages.lock.json",
];

/// The files that a document names.
#[derive(Debug, Clone)]
pub struct Plan {
    design: String,
    /// Files and folders.
    paths: BTreeSet<String>,
    globs: GlobSet,
}

impl Plan {
    /// Reads a document; `known` are the files of both sides. None where it names no file.
    pub fn read(design: &str, text: &str, known: &BTreeSet<String>) -> Option<Plan> {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in known {
            by_name.entry(name(path)).or_default().push(path);
        }
        let folder = folder_of(design);
        let mut reader = Reader { known, by_name, folder, found: BTreeSet::new() };
        reader.document(text);
        if reader.found.is_empty() {
            return None;
        }
        let is_glob = |p: &&String| p.contains(['*', '?', '[', '{']);
        // One by one, so that a text that is no glob does not take the others away.
        let globs: Vec<&str> = reader.found.iter().filter(is_glob).map(String::as_str).collect();
        let globs = globs.into_iter().filter(|g| set(std::iter::once(*g)).is_ok());
        let globs = set(globs).unwrap_or_else(|_| GlobSet::empty());
        Some(Plan { design: design.to_string(), paths: reader.found, globs })
    }

    /// Whether a path is planned: named itself, in a folder that is named, or matched by a glob.
    pub fn names(&self, path: &str) -> bool {
        let mut at = path;
        loop {
            if self.paths.contains(at) {
                return true;
            }
            match at.rsplit_once('/') {
                Some((folder, _)) => at = folder,
                None => return self.globs.is_match(path),
            }
        }
    }

    /// A change against it.
    pub fn against(&self, diff: &DiffMap, exempt: &Exempt) -> AgainstPlan {
        // What became a link is gone and new at once, and is one file all the same.
        let mut changed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in &diff.files {
            let names = [file.new.as_deref(), file.old.as_deref()].into_iter().flatten();
            if let Some(name) = names.clone().next() {
                changed.entry(name).or_default().extend(names);
            }
        }
        let planned = |names: &BTreeSet<&str>| names.iter().any(|n| self.names(n));
        let mut others = changed.iter().filter(|(path, _)| !is_test_path(path));
        let has_source =
            others.any(|(path, names)| planned(names) && !exempt.covers(path, &self.design));
        let counts = |(path, names): &(&&str, &BTreeSet<&str>)| {
            let left_out = names.iter().any(|n| exempt.covers(n, &self.design));
            let test = has_source && is_test_path(path);
            !planned(names) && !left_out && !test
        };
        AgainstPlan {
            design: self.design.clone(),
            changed: changed.len(),
            unplanned: changed.iter().filter(counts).map(|(p, _)| (*p).to_string()).collect(),
        }
    }
}

/// What no plan has to name.
#[derive(Debug, Clone)]
pub struct Exempt(GlobSet);

impl Exempt {
    /// Beside what is built in: configured globs and the documents themselves.
    ///
    /// # Errors
    /// The glob that cannot be read, and why.
    pub fn new<'a>(globs: impl Iterator<Item = &'a str>) -> Result<Exempt, String> {
        set(globs).map(Exempt)
    }

    fn covers(&self, path: &str, design: &str) -> bool {
        let name = name(path);
        path == design
            || path == ".git-evidence.toml"
            || path.starts_with(PLANS)
            || name.to_ascii_uppercase().starts_with("CHANGELOG")
            || name.ends_with(".lock")
            || LOCKS.contains(&name)
            || self.0.is_match(path)
    }
}

/// The newest of some documents: names begin with dates, so it is the last in byte order.
pub fn newest<'a>(
    paths: impl Iterator<Item = &'a str>,
    design: Option<&str>,
) -> Result<Option<&'a str>, String> {
    let globs = match design {
        Some(glob) => Some(set(std::iter::once(glob))?),
        None => None,
    };
    let by_custom = |p: &str| {
        let name = p.strip_prefix(PLANS);
        name.is_some_and(|n| n.ends_with(".md") && !n.contains('/'))
    };
    let fits = |p: &&str| globs.as_ref().map_or_else(|| by_custom(p), |g| g.is_match(*p));
    Ok(paths.filter(fits).max_by_key(|p| (name(p), *p)))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

struct Reader<'a> {
    known: &'a BTreeSet<String>,
    by_name: HashMap<&'a str, Vec<&'a str>>,
    /// That of the document.
    folder: &'a str,
    found: BTreeSet<String>,
}

impl Reader<'_> {
    fn document(&mut self, text: &str) {
        let mut fence: Option<&str> = None;
        for line in text.lines() {
            let plain = line.trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| plain.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => plain.split_whitespace().for_each(|word| self.word(word)),
                (None, None) => self.line(plain),
            }
        }
    }

    /// A line outside of code blocks.
    fn line(&mut self, line: &str) {
        let mut rest = line;
        let mut prose = String::new();
        while let Some(at) = rest.find('`') {
            let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
            let inside = &rest[at + ticks..];
            prose.push_str(&rest[..at]);
            let Some(end) = inside.find(&rest[at..at + ticks]) else {
                rest = inside;
                continue;
            };
            self.quoted(inside[..end].trim());
            prose.push(' ');
            rest = inside[end + ticks..].trim_start_matches('`');
        }
        prose.push_str(rest);
        if is_item(line) {
            for word in prose.replace("](", " ").replace('|', " ").split_whitespace() {
                self.word(word);
            }
        }
    }

    /// What stands between back quotes is meant; several words are looked at one by one.
    fn quoted(&mut self, span: &str) {
        if span.contains(char::is_whitespace) {
            span.split_whitespace().for_each(|word| self.word(word));
            return;
        }
        let Some(path) = self.path(span) else { return };
        if path.contains('/') || has_ending(&path) || self.meant(&path).is_some() {
            self.add(path);
        }
    }

    /// A plain word may be prose: a path with an ending, or one that is there.
    fn word(&mut self, word: &str) {
        let word = match word
            .strip_prefix("**")
            .and_then(|w| w.trim_end_matches(':').strip_suffix("**"))
        {
            Some(bold) if !bold.starts_with('/') && !bold.is_empty() => bold,
            _ => word,
        };
        let Some(path) = self.path(word) else { return };
        let slash = path.contains('/') || word.ends_with('/');
        let there = (slash || has_ending(&path)) && self.meant(&path).is_some();
        if there || (slash && (has_ending(&path) || word.ends_with('/') || path.contains('*'))) {
            self.add(path);
        }
    }

    fn add(&mut self, path: String) {
        let path = self.meant(&path).unwrap_or(path);
        self.found.insert(path);
    }

    /// A path as this tree has it; none where the words cannot be one.
    fn path(&self, word: &str) -> Option<String> {
        let word = word.trim_matches(|c: char| "()<>\"'`,;!".contains(c));
        let word = word.trim_end_matches([':', '.', ',', ';']);
        let word = word.split(['#']).next().unwrap_or(word);
        let word = word.split("::").next().unwrap_or(word);
        let word = without_lines(word);
        let fits = |c: char| c.is_alphanumeric() || "_-./*?{},[]@+~!".contains(c);
        let wrong = word.contains("//") || word.starts_with(['-', '~']) || word.contains("...");
        if wrong || !word.chars().all(fits) || !word.contains(char::is_alphanumeric) {
            return None;
        }
        if word.starts_with("../") {
            return normal(&format!("{}/{word}", self.folder));
        }
        let path = normal(word)?;
        // `/api/login` is an address as likely as not.
        (!word.starts_with('/') || self.meant(&path).is_some()).then_some(path)
    }

    /// The file or folder of this path, or the only file whose path ends in it.
    fn meant(&self, path: &str) -> Option<String> {
        let below = format!("{path}/");
        let first = self.known.range(below.clone()..).next();
        if self.known.contains(path) || first.is_some_and(|p| p.starts_with(&below)) {
            return Some(path.to_string());
        }
        let end = format!("/{path}");
        let mut all = self.by_name.get(name(path))?.iter().filter(|p| p.ends_with(&end));
        let only = all.next()?;
        all.next().is_none().then(|| (*only).to_string())
    }
}

fn is_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < line.len() && number.starts_with([')', '.']);
    ["- ", "* ", "+ ", "|"].iter().any(|sign| line.starts_with(sign)) || numbered
}

/// `.py`, `.d.ts`; not the end of `e.g.` or `v1.2`.
fn has_ending(path: &str) -> bool {
    let Some((stem, ending)) = name(path).rsplit_once('.') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_*?{},".contains(c);
    let starts = ending.starts_with(|c: char| c.is_ascii_alphabetic() || "*{".contains(c));
    let stem = stem.chars().count() != 1 || ending.len() > 1 || path.contains('/');
    starts && stem && ending.len() <= 20 && ending.chars().all(plain)
}

/// `a.py:10`, `a.py:10-20`, `a.py:10:5`, `a.py:L10` without the lines.
fn without_lines(word: &str) -> &str {
    let Some((path, lines)) = word.split_once(':') else { return word };
    let line = |c: char| c.is_ascii_digit() || "-:L".contains(c);
    if !lines.is_empty() && lines.chars().all(line) { path } else { word }
}
