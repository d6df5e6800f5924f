//! Rust: `use crate::a::{b, c::d}`, `mod a;`, paths in code that start at a crate or a module.
//!
//! Paths are written as they count in their file's own module: what stands in a module inside the file
//! has that one's name in front, or one `super` less.

use super::Import;
use super::resolve::{Resolver, Target, folder_of, normal, up};
use super::rust_tokens::{Token, tokens};

pub(super) fn read(text: &str) -> Vec<Import> {
    let mut reader =
        Reader { tokens: tokens(text), at: 0, depth: 0, inside: Vec::new(), found: Vec::new() };
    while reader.at < reader.tokens.len() {
        reader.step();
    }
    reader.found
}

struct Reader<'a> {
    tokens: Vec<(u32, Token<'a>)>,
    at: usize,
    depth: usize,
    /// Modules inside the file that are open, each with the depth of its braces.
    inside: Vec<(usize, &'a str)>,
    found: Vec<Import>,
}

/// Deeper trees are written by nobody.
const DEEPEST: usize = 32;

impl<'a> Reader<'a> {
    fn token(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).map(|t| t.1)
    }

    fn step(&mut self) {
        let start = self.at;
        match self.tokens[start].1 {
            Token::Sign(b'{') => self.depth += 1,
            Token::Sign(b'}') => {
                self.depth = self.depth.saturating_sub(1);
                self.inside.retain(|(depth, _)| *depth <= self.depth);
            }
            Token::Word("mod") => match (self.token(start + 1), self.token(start + 2)) {
                (Some(Token::Word(name)), Some(Token::Sign(b';'))) => {
                    self.add(start, &["self", name], false);
                    self.at += 2;
                }
                (Some(Token::Word(name)), Some(Token::Sign(b'{'))) => {
                    self.depth += 1;
                    self.inside.push((self.depth, name));
                    self.at += 2;
                }
                _ => {}
            },
            // `use<'a>` is a bound.
            Token::Word("use") if self.token(start + 1) != Some(Token::Sign(b'<')) => {
                self.at += 1;
                self.tree(start, &mut Vec::new(), 0);
                return;
            }
            Token::Word("extern") if self.token(start + 1) == Some(Token::Word("crate")) => {
                if let Some(Token::Word(name)) = self.token(start + 2) {
                    self.add(start, &[name], false);
                }
                self.at += 2;
            }
            Token::Word(first) if self.token(start + 1) == Some(Token::Colons) => {
                let continued = start > 0 && self.token(start - 1) == Some(Token::Colons);
                let mut path = vec![first];
                while let (Some(Token::Colons), Some(Token::Word(word))) =
                    (self.token(self.at + 1), self.token(self.at + 2))
                {
                    path.push(word);
                    self.at += 2;
                }
                // Types start with a capital letter, crates and modules do not.
                if !continued && !first.starts_with(char::is_uppercase) && path.len() > 1 {
                    self.add(start, &path, true);
                }
            }
            _ => {}
        }
        self.at += 1;
    }

    /// One branch of a `use`, up to what ends it.
    fn tree(&mut self, start: usize, path: &mut Vec<&'a str>, nested: usize) {
        let before = path.len();
        let mut whole = true;
        while let Some(token) = self.token(self.at) {
            match token {
                Token::Word("as") => self.at += 1,
                Token::Word(word) => path.push(word),
                Token::Colons | Token::Sign(b'*') => {}
                Token::Sign(b'{') if nested < DEEPEST => {
                    self.at += 1;
                    whole = false;
                    while self.at < self.tokens.len() {
                        self.tree(start, path, nested + 1);
                        match self.token(self.at) {
                            Some(Token::Sign(b',')) => self.at += 1,
                            _ => break,
                        }
                    }
                }
                _ => break,
            }
            self.at += 1;
        }
        if whole && path.len() > before {
            // `{self, b}`: the module itself.
            let end = path.len() - usize::from(before > 0 && path.last() == Some(&"self"));
            let named = path[..end].to_vec();
            self.add(start, &named, false);
        }
        path.truncate(before);
        if nested == 0 && self.token(self.at) == Some(Token::Sign(b';')) {
            self.at += 1;
        } else if nested == 0 {
            // No import after all: whatever ended it is looked at by itself.
            self.at = self.at.max(start + 1);
        }
    }

    fn add(&mut self, start: usize, path: &[&str], in_passing: bool) {
        let line = self.tokens.get(start).map_or(1, |t| t.0);
        let inside: Vec<&str> = self.inside.iter().map(|(_, name)| *name).collect();
        let supers = path.iter().take_while(|p| **p == "super").count();
        let rest = &path[supers..];
        let parts: Vec<&str> = match path.first() {
            Some(&"self") => [&["self"], inside.as_slice(), &path[1..]].concat(),
            Some(&"super") if supers <= inside.len() => {
                [&["self"], &inside[..inside.len() - supers], rest].concat()
            }
            Some(&"super") => [&vec!["super"; supers - inside.len()][..], rest].concat(),
            _ => path.to_vec(),
        };
        self.found.push(Import { line, raw: parts.join("::"), in_passing });
    }
}

/// Where a file stands in its crate.
struct Place {
    /// The folder that `crate` means.
    root: String,
    /// The file that `crate` means, where it is known by that folder.
    top: Option<String>,
    /// The module of the file.
    module: Vec<String>,
}

fn place(resolver: &Resolver<'_>, from: &str) -> Place {
    let folder = folder_of(from);
    let last = folder.rsplit('/').next().unwrap_or_default();
    let alone = matches!(last, "bin" | "tests" | "examples" | "benches");
    let declared = |at: &str| ["lib.rs", "main.rs"].iter().any(|f| resolver.is_file(&below(at, f)));
    if alone && !declared(folder) {
        return Place { root: folder.to_string(), top: Some(from.to_string()), module: Vec::new() };
    }
    let mut at = Some(folder);
    let mut root = folder;
    while let Some(here) = at {
        if declared(here) {
            root = here;
            break;
        }
        if resolver.is_file(&below(here, "Cargo.toml")) {
            break;
        }
        at = up(here, 1);
    }
    let path = from.strip_prefix(root).unwrap_or(from).trim_start_matches('/');
    let mut module: Vec<String> =
        path.strip_suffix(".rs").unwrap_or(path).split('/').map(str::to_string).collect();
    let is_top = module.len() == 1 && matches!(module[0].as_str(), "lib" | "main");
    if is_top || module.last().is_some_and(|m| m == "mod") {
        module.pop();
    }
    Place { root: root.to_string(), top: is_top.then(|| from.to_string()), module }
}

pub(super) fn resolve(resolver: &Resolver<'_>, from: &str, raw: &str) -> Option<Target> {
    let parts: Vec<&str> = raw.split("::").filter(|p| !p.is_empty()).collect();
    let here = place(resolver, from);
    let module: Vec<&str> = here.module.iter().map(String::as_str).collect();
    let supers = parts.iter().take_while(|p| **p == "super").count();
    let rest = &parts[supers..];
    match *parts.first()? {
        "crate" => file(resolver, &here, &parts[1..], 0),
        // What is in the file's own module and no file below it is in the file itself.
        "self" => file(resolver, &here, &[&module, &parts[1..]].concat(), module.len() + 1),
        "super" => {
            let above = module.len().checked_sub(supers)?;
            file(resolver, &here, &[&module[..above], rest].concat(), 0)
        }
        head => {
            let child = [&module[..], &parts].concat();
            if let Some(child) = file(resolver, &here, &child, module.len() + 1) {
                return Some(child);
            }
            match resolver.crate_root(head) {
                Some(root) => {
                    let other = Place { root: root.to_string(), top: None, module: Vec::new() };
                    file(resolver, &other, &parts[1..], 0)
                }
                None => Some(Target::Module(raw.to_string())),
            }
        }
    }
}

/// The file of the longest part of a path that is a module; at least so many parts long.
fn file(resolver: &Resolver<'_>, place: &Place, parts: &[&str], least: usize) -> Option<Target> {
    for n in (least.max(1)..=parts.len()).rev() {
        let module = below(&place.root, &parts[..n].join("/"));
        let found = [format!("{module}.rs"), format!("{module}/mod.rs")];
        if let Some(path) = found.into_iter().find(|p| resolver.is_file(p)) {
            return Some(Target::File(path));
        }
    }
    let tops = ["lib.rs", "main.rs"].map(|f| below(&place.root, f));
    let mut tops = place.top.iter().cloned().chain(tops);
    (least == 0).then(|| tops.find(|p| resolver.is_file(p)).map(Target::File)).flatten()
}

fn below(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_string() } else { format!("{folder}/{rest}") }
}

/// The name that a manifest's crate is imported by, and the folder of its sources.
pub(super) fn krate(manifest: &str, folder: &str) -> Option<(String, String)> {
    let table: toml::Table = toml::from_str(manifest).ok()?;
    let text = |section: &str, key: &str| table.get(section)?.get(key)?.as_str();
    let name = text("lib", "name").or_else(|| text("package", "name"))?.replace('-', "_");
    let source = text("lib", "path").map_or("src", folder_of);
    Some((name, normal(&format!("{folder}/{source}"))?))
}
