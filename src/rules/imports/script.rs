//! JavaScript and TypeScript: `import … from`, `export … from`, `import "…"`, `require()`, `import()`.

use std::sync::OnceLock;

use regex::Regex;

use super::resolve::{Resolver, Target, folder_of, normal, up};
use super::{Code, Import, regex};
use crate::rules::gaming::lexer::SCRIPT;

/// Endings that an import may leave out, in the order in which they are tried.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue",
    ".svelte",
];

/// A module's ending → those that its source may have.
const SOURCES: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts"]),
    (".cjs", &[".cts"]),
];

pub(super) fn read(text: &str) -> Vec<Import> {
    static NAMED: OnceLock<Option<Regex>> = OnceLock::new();
    static BARE: OnceLock<Option<Regex>> = OnceLock::new();
    static CALL: OnceLock<Option<Regex>> = OnceLock::new();
    let named =
        r#"(?:^|[^.\w$])((?:import|export)\b[\w\s{},*$]*?\bfrom|export\s*\*\s*from)\s*(["'])"#;
    let bare = r#"(?:^|[^.\w$])(import)\s*(["'])"#;
    let call = r#"(?:^|[^.\w$])(require|import)\s*\(\s*(["'`])"#;
    let code = Code::new(text, &SCRIPT);
    let mut found = Vec::new();
    for pattern in [regex(&NAMED, named), regex(&BARE, bare), regex(&CALL, call)] {
        for statement in pattern.into_iter().flat_map(|r| r.captures_iter(&code.code)) {
            let (Some(at), Some(quote)) = (statement.get(1), statement.get(2)) else { continue };
            match code.string(quote.start()) {
                Some(raw) if !raw.is_empty() && !raw.contains("${") => {
                    found.push(code.import(at.start() + last_keyword(at.as_str()), raw));
                }
                _ => {}
            }
        }
    }
    found
}

/// Where the statement begins: what ends without a sign may stand in front of it (`export enum E {}`).
fn last_keyword(statement: &str) -> usize {
    let part = |c: char| c.is_alphanumeric() || "_$".contains(c);
    let whole = |(at, word): &(usize, &str)| {
        !statement[..*at].ends_with(part) && !statement[at + word.len()..].starts_with(part)
    };
    let all = statement.match_indices("import").chain(statement.match_indices("export"));
    all.filter(whole).map(|(at, _)| at).max().unwrap_or(0)
}

pub(super) fn resolve(resolver: &Resolver<'_>, from: &str, raw: &str) -> Option<Target> {
    // What a bundler is told behind a question mark is no part of the path.
    let raw = raw.split(['?', '#']).next().filter(|r| !r.is_empty()).unwrap_or(raw);
    if raw.starts_with('.') {
        let path = normal(&format!("{}/{raw}", folder_of(from)))?;
        return file(resolver, &path).map(Target::File);
    }
    // `@/` and `~/` stand for the sources by custom.
    let (rest, aliased) = match raw.strip_prefix("@/").or_else(|| raw.strip_prefix("~/")) {
        Some(rest) => (rest, true),
        None => (raw.trim_start_matches('/'), raw.starts_with('/')),
    };
    let mut folder = Some(folder_of(from));
    while let Some(at) = folder {
        let places = if aliased { ["src/", ""].as_slice() } else { [""].as_slice() };
        for place in places.iter().filter(|_| aliased || rest.contains('/')) {
            let path = normal(&format!("{at}/{place}{rest}"))?;
            if let Some(found) = file(resolver, &path) {
                return Some(Target::File(found));
            }
        }
        folder = up(at, 1);
    }
    (!aliased).then(|| Target::Module(raw.to_string()))
}

fn file(resolver: &Resolver<'_>, path: &str) -> Option<String> {
    if resolver.is_file(path) {
        return Some(path.to_string());
    }
    if !resolver.is_folder(folder_of(path)) {
        return None;
    }
    let sources = SOURCES.iter().filter_map(|(end, sources)| {
        path.strip_suffix(end).map(|stem| sources.iter().map(move |s| format!("{stem}{s}")))
    });
    let left_out = ENDINGS.iter().map(|end| format!("{path}{end}"));
    let index = if path.is_empty() { "index".to_string() } else { format!("{path}/index") };
    let indexes = ENDINGS.iter().map(|end| format!("{index}{end}"));
    sources.flatten().chain(left_out).chain(indexes).find(|p| resolver.is_file(p))
}
