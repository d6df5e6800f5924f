//! What git tells a pre-push hook on standard input. Pure.
//!
//! One line for each ref: `<local ref> <local oid> <remote ref> <remote oid>`. The local ref is what
//! was typed, so it may hold spaces (`HEAD@{1 day ago}`); the other three never do.

#![deny(clippy::disallowed_methods)]

use crate::model::sanitize;
use crate::model::{CommitId, is_zero};

/// Where this product keeps its own refs.
const OWN_REFS: &str = "refs/evidence/";

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A ref goes away at the remote.
    Deletion(Refspec),
    /// A tag.
    Tag(Refspec),
    /// A ref that is neither branch nor tag (notes, reviews).
    Other(Refspec),
    /// A ref of this product's own.
    Own(Refspec),
    /// A branch gets a new tip.
    Branch(Update),
    /// A line of another shape: nobody knows what it pushes. Why, in one sentence.
    Malformed(String),
}

/// From where to where, for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Refspec {
    /// As it was typed; empty for a deletion.
    pub(super) local: String,
    /// The full name at the remote.
    pub(super) remote: String,
}

/// A branch's new tip.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Update {
    /// From where to where.
    pub(super) refs: Refspec,
    /// What is pushed: a commit, or a tag that leads to one.
    pub(super) object: CommitId,
}

impl Update {
    /// The branch that is judged, without `refs/heads/`: the local one where a branch is pushed,
    /// else the one at the remote. Never the checked-out one.
    pub(super) fn branch(&self) -> &str {
        self.local_branch().unwrap_or_else(|| short(&self.refs.remote))
    }

    /// The local branch, where one is pushed by name.
    pub(super) fn local_branch(&self) -> Option<&str> {
        self.refs.local.strip_prefix("refs/heads/")
    }

    /// Whether what is checked out is pushed under whatever name.
    pub(super) fn is_head(&self) -> bool {
        matches!(self.refs.local.as_str(), "HEAD" | "@")
    }
}

impl Refspec {
    /// As `git push` takes it: `main`, `HEAD:main`, `:gone`.
    pub(super) fn typed(&self) -> String {
        let (local, remote) = (short(&self.local), short(&self.remote));
        if self.remote.starts_with("refs/heads/") && self.local == self.remote {
            return local.to_string();
        }
        match self.remote.strip_prefix("refs/heads/") {
            Some(_) if self.local.starts_with("refs/heads/") => format!("{local}:{remote}"),
            // a name that is no branch here has to be full there
            _ => format!("{}:{}", self.local, self.remote),
        }
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

/// Reads all lines; blank ones mean nothing.
pub(super) fn parse(stdin: &[u8]) -> Vec<Line> {
    stdin
        .split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
        .map(line)
        .collect()
}

fn line(bytes: &[u8]) -> Line {
    let malformed = |why: &str| {
        let shown: String = sanitize(&String::from_utf8_lossy(bytes)).chars().take(120).collect();
        Line::Malformed(format!("git's line '{shown}' cannot be read: {why}"))
    };
    let mut words = bytes.rsplitn(4, |b| *b == b' ');
    let (Some(remote_oid), Some(remote), Some(oid), Some(local)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return malformed("it has not four fields");
    };
    if !is_oid(remote_oid) || !is_oid(oid) {
        return malformed("it has no object name where one has to be");
    }
    if !remote.starts_with(b"refs/") || remote.len() == b"refs/".len() {
        return malformed("it has no full ref name where one has to be");
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let refs = Refspec { local: text(local), remote: text(remote) };
    let oid = text(oid);
    if is_zero(&oid) {
        return Line::Deletion(Refspec { local: String::new(), ..refs });
    }
    if refs.remote.starts_with(OWN_REFS) {
        return Line::Own(refs);
    }
    if refs.remote.starts_with("refs/tags/") {
        return Line::Tag(refs);
    }
    // Gerrit takes a change for a branch under refs/for/: that is a push of commits like any other.
    if !["refs/heads/", "refs/for/"].iter().any(|p| refs.remote.starts_with(p)) {
        return Line::Other(refs);
    }
    if std::str::from_utf8(bytes).is_err() {
        return malformed("a branch's name has to be UTF-8");
    }
    match CommitId::parse(&oid) {
        Ok(object) => Line::Branch(Update { refs, object }),
        Err(bad) => malformed(&bad.to_string()),
    }
}

/// Hex digits of any length: zeros of every hash mean "none".
fn is_oid(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Line {
        let mut lines = parse(text.as_bytes());
        assert_eq!(lines.len(), 1, "{text}");
        lines.remove(0)
    }

    fn a() -> String {
        "a".repeat(40)
    }

    fn zero() -> String {
        "0".repeat(40)
    }

    #[test]
    fn kinds_are_told_by_the_name_at_the_remote() {
        let (a, zero) = (a(), zero());
        let refs =
            |local: &str, remote: &str| Refspec { local: local.into(), remote: remote.into() };
        for (line, expected) in [
            (format!("(delete) {zero} refs/heads/x {a}"), Line::Deletion(refs("", "refs/heads/x"))),
            (
                format!("(delete) {} refs/heads/x {}", "0".repeat(64), "b".repeat(64)),
                Line::Deletion(refs("", "refs/heads/x")),
            ),
            (
                format!("refs/tags/v1 {a} refs/tags/v1 {zero}"),
                Line::Tag(refs("refs/tags/v1", "refs/tags/v1")),
            ),
            (
                format!("refs/notes/n {a} refs/notes/n {zero}"),
                Line::Other(refs("refs/notes/n", "refs/notes/n")),
            ),
            (
                format!("refs/evidence/c/1 {a} refs/evidence/c/1 {zero}"),
                Line::Own(refs("refs/evidence/c/1", "refs/evidence/c/1")),
            ),
            (
                format!("HEAD@{{1 day ago}} {a} refs/heads/x {zero}\r"),
                Line::Branch(Update {
                    refs: refs("HEAD@{1 day ago}", "refs/heads/x"),
                    object: CommitId::parse(&a).unwrap(),
                }),
            ),
        ] {
            assert_eq!(one(&line), expected, "{line}");
        }
    }

    #[test]
    fn the_branch_is_the_local_one_else_the_remote_one() {
        let (a, zero) = (a(), zero());
        for (local, remote, branch, typed) in [
            ("refs/heads/a/b", "refs/heads/a/b", "a/b", "a/b"),
            ("refs/heads/a", "refs/heads/main", "a", "a:main"),
            ("HEAD", "refs/heads/x", "x", "HEAD:refs/heads/x"),
            ("a~1", "refs/heads/x", "x", "a~1:refs/heads/x"),
        ] {
            let Line::Branch(update) = one(&format!("{local} {a} {remote} {zero}")) else {
                panic!("{local}")
            };
            assert_eq!((update.branch(), update.refs.typed().as_str()), (branch, typed));
            assert_eq!(update.is_head(), local == "HEAD");
        }
    }

    #[test]
    fn what_has_another_shape_is_never_taken_for_nothing() {
        let (a, zero) = (a(), zero());
        assert_eq!(parse(b""), []);
        assert_eq!(parse(b"\n\r\n  \n\t\n"), []);
        for bad in [
            "x".to_string(),
            format!("{a} refs/heads/x {a}"),
            format!("refs/heads/x {a} heads/x {zero}"),
            format!("refs/heads/x {a} refs/ {zero}"),
            format!("refs/heads/x xyz refs/heads/x {zero}"),
            format!("refs/heads/x {a} refs/heads/x "),
            format!("refs/heads/x abc refs/heads/x {zero}"),
        ] {
            assert!(matches!(one(&bad), Line::Malformed(_)), "{bad}");
        }
        let mut bytes = format!("refs/heads/\x01 {a} refs/heads/").into_bytes();
        bytes.extend_from_slice(b"\xff ");
        bytes.extend_from_slice(zero.as_bytes());
        let lines = parse(&bytes);
        assert!(matches!(&lines[0], Line::Malformed(why) if !why.contains('\u{1}')), "{lines:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_line_with_a_word_in_it_is_lost(lines in proptest::collection::vec("[ -~]{0,60}", 0..20)) {
            let text = lines.join("\n");
            let words = lines.iter().filter(|l| !l.trim().is_empty()).count();
            proptest::prop_assert_eq!(parse(text.as_bytes()).len(), words);
        }
    }
}
