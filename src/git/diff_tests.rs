//! Lines and names across edits, renames and deletions.

use super::*;
use proptest::prelude::*;

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const ZERO: &str = "0000000000000000000000000000000000000000";

fn map(raw: &str, patch: &str) -> DiffMap {
    let changes = parse_raw(raw.as_bytes()).unwrap();
    DiffMap::new(files(&changes, parse_patch(patch.as_bytes()).unwrap()))
}

fn at(path: &str, line: u32) -> Option<(String, u32)> {
    Some((path.to_owned(), line))
}

#[test]
fn lines_are_followed_around_hunks() {
    let raw = format!(":100644 100644 {A} {B} M\0f\0");
    let patch = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2 +2,2 @@ x\n-a\n+b\n+c\n\
                 @@ -4,0 +6 @@\n+d\n@@ -7,2 +8,0 @@\n-e\n-f\n\\ No newline at end of file\n";
    let map = map(&raw, patch);
    let seen: Vec<_> = (1..=9).map(|l| map.map_line("f", l).map(|(_, n)| n)).collect();
    assert_eq!(seen, [Some(1), None, Some(4), Some(5), Some(7), Some(8), None, None, Some(9)]);
    assert_eq!(map.added_lines("f"), [2..4, 6..7]);
    assert_eq!(map.map_line("other", 3), at("other", 3));
}

#[test]
fn renames_deletions_modes_and_links_are_followed() {
    let raw = format!(
        ":100644 100644 {A} {A} R100\0old name\0new name\0:100644 000000 {A} {ZERO} D\0gone\0\
         :100644 100755 {A} {A} M\0tool\0:100644 120000 {A} {B} T\0link\0\
         :000000 100644 {ZERO} {} A\0empty\0:100644 100644 {A} {B} M\0pic\0",
        EMPTY[0]
    );
    let patch = "diff --git a/link b/link\ndeleted file mode 100644\n--- a/link\n+++ /dev/null\n\
                 @@ -1 +0,0 @@\n-x\ndiff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n\
                 +++ b/link\n@@ -0,0 +1 @@\n+t\n\\ No newline at end of file\n\
                 diff --git a/pic b/pic\nBinary files a/pic and b/pic differ\n";
    let map = map(&raw, patch);
    assert_eq!(map.map_line("old name", 5), at("new name", 5));
    assert_eq!(map.map_line("gone", 1), None);
    assert_eq!(map.map_line("tool", 4), at("tool", 4));
    assert_eq!(map.map_line("link", 1), None);
    assert_eq!(map.added_lines("link").into_iter().flatten().collect::<Vec<_>>(), [1]);
    assert_eq!(map.map_line("pic", 1), None);
    let binary: Vec<_> =
        map.files.iter().filter(|f| f.binary).filter_map(|f| f.new.as_deref()).collect();
    assert_eq!(binary, ["pic"]);
    assert_eq!(map.file("tool").map(|f| (f.old_mode, f.new_mode)), Some((0o100_644, 0o100_755)));
}

#[test]
fn a_removed_line_that_looks_like_a_header_is_content() {
    let raw = format!(":100644 100644 {A} {B} M\0f\0");
    let patch = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +0,0 @@\n--- a/g\n-@@ -1 +1 @@\n";
    let map = map(&raw, patch);
    assert_eq!(map.files[0].hunks.len(), 1);
    assert_eq!(map.map_line("f", 3), at("f", 1));
}

#[test]
fn quoted_and_spaced_names_match() {
    for (header, path) in [
        ("\"a/tab\\there\"", "tab\there"),
        ("\"a/\\303\\274\\\"\\\\\"", "ü\"\\"),
        ("a/with space\t", "with space"),
        ("a/plain", "plain"),
    ] {
        assert_eq!(side(header.as_bytes(), b"a/").unwrap(), path.as_bytes());
    }
    assert_eq!(side(b"/dev/null", b"a/").unwrap(), b"");
    assert_eq!(side(b"\"a/open", b"a/"), None);
    assert_eq!(shown(b"a\xffb"), "a\\xffb");
}

#[test]
fn a_torn_format_is_an_error() {
    for bad in ["100644", ":1 2 a b\0", ":1 2 a b R\0only\0", ":9 2 a b M\0f\0"] {
        assert!(parse_raw(bad.as_bytes()).is_err(), "{bad}");
    }
    for bad in ["@@ -1 @@\n", "@@ -1,2 +1 @@\n-a", "--- x\n"] {
        assert!(parse_patch(bad.as_bytes()).is_err(), "{bad}");
    }
}

/// A text before and after, as steps: kept, removed and added lines.
fn steps() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0u8..3, 0..60)
}

/// The hunks that git would print for the steps.
fn hunks_of(steps: &[u8]) -> Vec<Hunk> {
    let (mut old, mut new) = (0, 0);
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut open: Option<Hunk> = None;
    for step in steps.iter().chain([&0]) {
        if *step == 0 {
            if let Some(mut hunk) = open.take() {
                hunk.old_start += u32::from(hunk.old_len > 0);
                hunk.new_start += u32::from(hunk.new_len > 0);
                hunks.push(hunk);
            }
            (old, new) = (old + 1, new + 1);
            continue;
        }
        let hunk =
            open.get_or_insert(Hunk { old_start: old, old_len: 0, new_start: new, new_len: 0 });
        if *step == 1 {
            (hunk.old_len, old) = (hunk.old_len + 1, old + 1);
        } else {
            (hunk.new_len, new) = (hunk.new_len + 1, new + 1);
        }
    }
    hunks
}

proptest! {
    #[test]
    fn mapping_agrees_with_counting_line_by_line(steps in steps()) {
        let file = FileDiff {
            old: Some("f".into()),
            new: Some("g".into()),
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            hunks: hunks_of(&steps),
            binary: false,
        };
        let map = DiffMap::new(vec![file]);
        let added: Vec<u32> = map.added_lines("g").into_iter().flatten().collect();
        let (mut old, mut new, mut expected_added) = (0, 0, Vec::new());
        for step in &steps {
            old += u32::from(*step != 2);
            new += u32::from(*step != 1);
            match step {
                0 => prop_assert_eq!(map.map_line("f", old), at("g", new)),
                1 => prop_assert_eq!(map.map_line("f", old), None),
                _ => expected_added.push(new),
            }
        }
        prop_assert_eq!(added, expected_added);
    }

    #[test]
    fn no_patch_makes_the_parser_panic(text in "(@@ -[0-9]{1,3} \\+[0-9],[0-9] @@|--- a/x|[-+a\\\\]|\n){0,20}") {
        drop(parse_patch(text.as_bytes()));
    }
}
