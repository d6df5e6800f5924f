//! File names as reports write them, brought to one form: `/` between parts, no `file://`, no
//! percent escapes, no `.` and, where possible, no `..`.

/// A path as a tool printed it.
pub(super) fn from_path(text: &str) -> String {
    let text = text.trim();
    if is_file_uri(text) { from_uri(text) } else { normal(&text.replace('\\', "/")) }
}

/// A path from a URI or URI reference.
pub(super) fn from_uri(text: &str) -> String {
    normal(&raw_from_uri(text))
}

/// Like [`from_uri`] without taking `.` and `..` away, for joining first.
pub(super) fn raw_from_uri(text: &str) -> String {
    let text = text.trim();
    let rest = if is_file_uri(text) { after_scheme(&text["file:".len()..]) } else { text };
    let path = percent_decoded(rest).replace('\\', "/");
    // file:///C:/x names C:/x
    match path.strip_prefix('/') {
        Some(tail) if has_drive(tail) => tail.to_owned(),
        _ => path,
    }
}

/// Whether it starts at a root of its own.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path) || path.contains("://")
}

/// `relative` below `base`, where it is not absolute already.
pub(super) fn join(base: &str, relative: &str) -> String {
    if base.is_empty() || is_absolute(relative) {
        return relative.to_owned();
    }
    format!("{}/{relative}", base.trim_end_matches('/'))
}

/// Takes empty parts, `.` and resolvable `..` away.
pub(super) fn normal(path: &str) -> String {
    if let Some((scheme, _)) = path.split_once("://")
        && !scheme.contains('/')
    {
        return path.to_owned();
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            _ => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:"))
}

/// What follows `file:`, without the authority (a host is of no use for a path in a repository).
fn after_scheme(rest: &str) -> &str {
    match rest.strip_prefix("//") {
        None => rest,
        // file://C:/x is wrong and common
        Some(tail) if has_drive(tail) => tail,
        Some(tail) => tail.find('/').map_or("", |at| &tail[at..]),
    }
}

fn has_drive(path: &str) -> bool {
    let b = path.as_bytes();
    b.len() >= 2
        && b[0].is_ascii_alphabetic()
        && b[1] == b':'
        && b.get(2).is_none_or(|c| matches!(c, b'/' | b'\\'))
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten().and_then(hex);
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn hex(two: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    u8::try_from(digit(two[0])? * 16 + digit(two[1])?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris() {
        for (uri, want) in [
            ("src/a.rs", "src/a.rs"),
            ("./src//a.rs", "src/a.rs"),
            ("file:///home/u/a%20b.c", "/home/u/a b.c"),
            ("file:///C:/x/y.cs", "C:/x/y.cs"),
            ("file://C:/x/y.cs", "C:/x/y.cs"),
            ("file://host/share/x", "/share/x"),
            ("FILE:///x", "/x"),
            ("C:\\x\\y.cs", "C:/x/y.cs"),
            ("src/%C3%A4.c", "src/ä.c"),
            ("100%", "100%"),
            ("a%zz%", "a%zz%"),
            ("src/../lib/a.c", "lib/a.c"),
            ("../a.c", "../a.c"),
            ("/../a", "/a"),
            ("https://example.org/a//b", "https://example.org/a//b"),
        ] {
            assert_eq!(from_uri(uri), want, "{uri}");
        }
    }

    #[test]
    fn plain_paths_keep_their_percents() {
        assert_eq!(from_path("a%20b.c"), "a%20b.c");
        assert_eq!(from_path(".\\scripts\\maths.lua"), "scripts/maths.lua");
    }

    #[test]
    fn joins() {
        assert_eq!(join("/home/u/", "a.c"), "/home/u/a.c");
        assert_eq!(join("", "a.c"), "a.c");
        assert_eq!(join("/x", "C:/a.c"), "C:/a.c");
    }
}
