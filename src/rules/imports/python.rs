//! Python: `import a.b as c`, `from . import x`, `from ..a import (b, c)`.
//!
//! `from a import b` is read as `a.b`: whether `b` is a module or a name in `a` shows in the tree.

use std::sync::OnceLock;

use regex::Regex;

use super::resolve::{Resolver, Target, folder_of, up};
use super::{Code, Import, regex};
use crate::rules::gaming::lexer::PYTHON;

pub(super) fn read(text: &str) -> Vec<Import> {
    static FROM: OnceLock<Option<Regex>> = OnceLock::new();
    static IMPORT: OnceLock<Option<Regex>> = OnceLock::new();
    static CALL: OnceLock<Option<Regex>> = OnceLock::new();
    // A line may go on after a backslash.
    let from = r"(?m)(?:^|[;:])(?:[ \t]|\\\r?\n)*\b(from)(?:[ \t]|\\\r?\n)+(\.[. \t]*[\w.]*|[\w.]+)(?:[ \t]|\\\r?\n)*\bimport\b(?:[ \t]|\\\r?\n)*(\([^)]*\)|(?:[^\n;\\]|\\\r?\n)*)";
    let import =
        r"(?m)(?:^|[;:])(?:[ \t]|\\\r?\n)*\b(import)(?:[ \t]|\\\r?\n)+((?:[^\n;\\]|\\\r?\n)*)";
    let call = r#"\b(?:import_module|__import__)\s*\(\s*(["'])"#;
    let code = Code::new(text, &PYTHON);
    let mut found = Vec::new();
    for statement in regex(&FROM, from).into_iter().flat_map(|r| r.captures_iter(&code.code)) {
        let (Some(at), Some(module), Some(names)) =
            (statement.get(1), statement.get(2), statement.get(3))
        else {
            continue;
        };
        let module: String = module.as_str().split_whitespace().collect();
        for name in names_of(names.as_str()) {
            let dot = if module.ends_with('.') { "" } else { "." };
            let raw = if name == "*" { module.clone() } else { format!("{module}{dot}{name}") };
            found.push(code.import(at.start(), raw));
        }
    }
    for statement in regex(&IMPORT, import).into_iter().flat_map(|r| r.captures_iter(&code.code)) {
        if let (Some(at), Some(names)) = (statement.get(1), statement.get(2)) {
            found.extend(names_of(names.as_str()).map(|name| code.import(at.start(), name)));
        }
    }
    for call in regex(&CALL, call).into_iter().flat_map(|r| r.captures_iter(&code.code)) {
        if let Some(quote) = call.get(1)
            && let Some(name) = code.string(quote.start())
        {
            found.push(code.import(quote.start(), name));
        }
    }
    found
}

/// `(a as b, c,)` without the parentheses, the second names and the backslashes.
fn names_of(list: &str) -> impl Iterator<Item = String> {
    let names = list.split(',').filter_map(|part| {
        let name = part.trim_matches(|c: char| c.is_whitespace() || "()\\".contains(c));
        let name = name.split_whitespace().next()?;
        let plain = |c: char| c.is_alphanumeric() || "_.*".contains(c);
        name.chars().all(plain).then(|| name.to_string())
    });
    names.collect::<Vec<_>>().into_iter()
}

/// The module's file: named in full, or without the last name, which then is one inside it.
pub(super) fn resolve(resolver: &Resolver<'_>, from: &str, raw: &str) -> Option<Target> {
    let dots = raw.len() - raw.trim_start_matches('.').len();
    let parts: Vec<&str> = raw.split('.').filter(|p| !p.is_empty()).collect();
    let roots = match dots {
        0 => roots(resolver, from),
        dots => vec![up(folder_of(from), dots - 1)?.to_string()],
    };
    let whole = roots.iter().find_map(|root| file(resolver, root, &parts));
    let whole = whole.or_else(|| roots.iter().find_map(|root| namespace(resolver, root, &parts)));
    if whole.is_some() {
        return whole;
    }
    if let Some((_, module)) = parts.split_last()
        && (dots > 0 || !module.is_empty())
        && let Some(found) = roots.iter().find_map(|root| file(resolver, root, module))
    {
        return Some(found);
    }
    (dots == 0).then(|| Target::Module(raw.to_string()))
}

/// Folders that absolute names may start from: those above the file that are no package, the
/// nearest first, and each `src` of the tree.
fn roots(resolver: &Resolver<'_>, from: &str) -> Vec<String> {
    let mut roots = Vec::new();
    let mut folder = Some(folder_of(from));
    while let Some(at) = folder {
        if at.is_empty() || !resolver.is_file(&join(at, "__init__.py")) {
            roots.push(at.to_string());
            roots.push(join(at, "src"));
        }
        folder = up(at, 1);
    }
    roots.extend(resolver.source_roots().map(str::to_string));
    roots
}

fn file(resolver: &Resolver<'_>, root: &str, parts: &[&str]) -> Option<Target> {
    let path = join(root, &parts.join("/"));
    if !resolver.is_folder(folder_of(&path)) {
        return None;
    }
    let inits = ["/__init__.py", "/__init__.pyi"].map(|end| format!("{path}{end}"));
    let plain = [".py", ".pyi"].map(|end| format!("{path}{end}"));
    let mut all = inits.into_iter().chain(plain).map(|p| p.trim_start_matches('/').to_string());
    all.find(|p| resolver.is_file(p)).map(Target::File)
}

/// A folder of modules without `__init__.py`.
fn namespace(resolver: &Resolver<'_>, root: &str, parts: &[&str]) -> Option<Target> {
    let path = join(root, &parts.join("/"));
    let has = !parts.is_empty() && resolver.holds(&path, &["py", "pyi"]);
    has.then(|| Target::Folder(format!("{path}/")))
}

fn join(folder: &str, rest: &str) -> String {
    match (folder.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_string(),
        (false, true) => folder.to_string(),
        (false, false) => format!("{folder}/{rest}"),
    }
}
