//! Go: `import "a/b"`, `import ( x "a/b" )`; which folder that is, `go.mod` says.

use std::sync::OnceLock;

use regex::Regex;

use super::resolve::{Resolver, Target};
use super::{Code, Import, regex};
use crate::rules::gaming::lexer::SCRIPT;

pub(super) fn read(text: &str) -> Vec<Import> {
    static ONE: OnceLock<Option<Regex>> = OnceLock::new();
    static GROUP: OnceLock<Option<Regex>> = OnceLock::new();
    static SPEC: OnceLock<Option<Regex>> = OnceLock::new();
    let one = r#"(?m)(?:^|;)\s*import\s+(?:[\w.]+\s+)?(["`])"#;
    let group = r"(?m)(?:^|;)\s*import\s*\(([^)]*)\)";
    let spec = r#"(["`]) *["`]"#;
    let code = Code::new(text, &SCRIPT);
    let mut quotes: Vec<usize> = Vec::new();
    let singles = regex(&ONE, one).into_iter().flat_map(|r| r.captures_iter(&code.code));
    quotes.extend(singles.filter_map(|c| c.get(1)).map(|quote| quote.start()));
    let groups = regex(&GROUP, group).into_iter().flat_map(|r| r.captures_iter(&code.code));
    for group in groups.filter_map(|c| c.get(1)) {
        let specs = regex(&SPEC, spec).into_iter().flat_map(|r| r.find_iter(group.as_str()));
        quotes.extend(specs.map(|spec| group.start() + spec.start()));
    }
    let named = |at: usize| Some(code.import(at, code.string(at).filter(|raw| !raw.is_empty())?));
    quotes.into_iter().filter_map(named).collect()
}

pub(super) fn resolve(resolver: &Resolver<'_>, raw: &str) -> Option<Target> {
    let ours = resolver.go_modules().filter_map(|(module, folder)| {
        let rest = raw.strip_prefix(module)?;
        let rest = match rest.strip_prefix('/') {
            Some(rest) => rest,
            None if rest.is_empty() => "",
            None => return None,
        };
        let path = [folder, rest].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>();
        let path = path.join("/");
        resolver.holds(&path, &["go"]).then_some((module.len(), path))
    });
    // A module inside another one is the nearer.
    match ours.max_by_key(|(length, _)| *length) {
        Some((_, path)) if path.is_empty() => Some(Target::Folder(String::new())),
        Some((_, path)) => Some(Target::Folder(format!("{path}/"))),
        None => Some(Target::Module(raw.to_string())),
    }
}

/// The module's name in a `go.mod`.
pub(super) fn module(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find_map(|l| l.trim().strip_prefix("module"))?;
    let name = line.split("//").next()?.trim().trim_matches(['"', '`']);
    (!name.is_empty()).then_some(name)
}
