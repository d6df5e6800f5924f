//! Java and Kotlin: `import a.b.C;`, `import static a.b.C.m;`, `import a.b.*`, `import a.b.C as D`.
//!
//! What lies in the same package needs no import and is not seen.

use std::sync::OnceLock;

use regex::Regex;

use super::resolve::{Resolver, Target};
use super::{Code, Import, regex};
use crate::rules::gaming::lexer::C_LIKE;

const ENDINGS: &[&str] = &["java", "kt", "kts"];

pub(super) fn read(text: &str) -> Vec<Import> {
    static IMPORT: OnceLock<Option<Regex>> = OnceLock::new();
    let import = r"(?m)(?:^|;)\s*(import)\s+(?:static\s+)?([\w$`.]+)";
    let code = Code::new(text, &C_LIKE);
    let all = regex(&IMPORT, import).into_iter().flat_map(|r| r.captures_iter(&code.code));
    let one = |statement: regex::Captures<'_>| {
        let (at, name) = (statement.get(1)?, statement.get(2)?);
        // `a.b.` is what stands in front of the star.
        let all = code.code[name.end()..].starts_with('*') && name.as_str().ends_with('.');
        let name = name.as_str().replace('`', "");
        Some(code.import(at.start(), if all { format!("{name}*") } else { name }))
    };
    all.filter_map(one).collect()
}

/// The class's file, or the folder of the package.
pub(super) fn resolve(resolver: &Resolver<'_>, from: &str, raw: &str) -> Option<Target> {
    let parts: Vec<&str> = raw.split('.').filter(|p| !p.is_empty()).collect();
    let module = Target::Module(raw.to_string());
    if let [package @ .., "*"] = parts.as_slice() {
        let class = || resolver.ending_in(from, &package.join("/"), ENDINGS).map(Target::File);
        let folder = resolver.folder_ending_in(from, &package.join("/"), ENDINGS);
        return Some(folder.map(Target::Folder).or_else(class).unwrap_or(module));
    }
    // The class itself; a class or a member in it; a member of a class in it.
    for left_out in 0..3 {
        let n = parts.len().saturating_sub(left_out);
        if n == 0 {
            break;
        }
        if let Some(file) = resolver.ending_in(from, &parts[..n].join("/"), ENDINGS) {
            return Some(Target::File(file));
        }
    }
    // A function of Kotlin stands in any file of its package.
    let package = parts.split_last().map(|(_, package)| package.join("/")).unwrap_or_default();
    let folder = match package.contains('/') {
        true => resolver.folder_ending_in(from, &package, ENDINGS),
        false => None,
    };
    Some(folder.map_or(module, Target::Folder))
}
