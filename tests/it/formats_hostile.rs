//! Input that somebody made to harm, or that a disk made of a report: no reader panics, runs on, or makes
//! figures of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use git_evidence::formats::{self, Format, SILENT, by_name, detect, read};
use git_evidence::model::Reading;
use proptest::prelude::*;

use crate::formats::{fixtures, leaves, of};

#[test]
fn deep_nesting_and_long_pieces_end() {
    // the stack of a test's thread would not hold a tenth of that
    let deep = 20_000;
    let inputs = [
        "[".repeat(deep),
        "{\"runs\":".repeat(deep),
        format!("{{\"version\":\"2.1.0\",\"x\":{}", "[".repeat(deep)),
        format!(
            "{{\"version\":\"2.1.0\",\"runs\":[{{\"results\":[],\"x\":{}{}}}]}}",
            "[".repeat(deep),
            "]".repeat(deep)
        ),
        "<testsuite>".repeat(deep),
        format!("<checkstyle>{}", "<a>".repeat(deep)),
        format!("<coverage><packages>{}", "<package>".repeat(deep)),
        format!("<testsuite name='{}'>", "a".repeat(deep)),
        format!("<!DOCTYPE a [{}]><testsuite/>", "<!ENTITY a '&a;&a;'>".repeat(1000)),
        "1,".repeat(deep),
        "a:".repeat(deep),
        "\"".repeat(deep),
        format!("SF:{}\n", "a".repeat(deep)),
        format!("{{\"reason\":\"compiler-message\",\"message\":{}", "{\"message\":".repeat(deep)),
    ];
    for input in &inputs {
        for format in formats::all() {
            let reading = (format.read)(&mut input.as_bytes());
            if let Reading::Figures(f) = reading {
                assert_eq!(leaves(&f), 0);
            }
        }
        let _ = detect(input.as_bytes());
    }
}

#[test]
fn a_hundred_thousand_levels_end_in_each_family() {
    let deep = 100_000;
    let close = |open: &str, close: &str| open.repeat(deep) + &close.repeat(deep);
    let results = format!("{{\"version\":\"2.1.0\",\"runs\":[{{\"x\":{}}}]}}", close("[", "]"));
    for (name, input) in [
        ("sarif", "{\"runs\":".repeat(deep)),
        ("sarif", results),
        ("ruff-json", close("[", "]")),
        ("pyright-json", close("{\"a\":[", "]}")),
        ("govulncheck-json", "{\"a\":".repeat(deep)),
        ("go-test-json", "{\"a\":".repeat(deep)),
        ("junit", close("<testsuite>", "</testsuite>")),
        ("cobertura", "<coverage><packages>".to_string() + &"<package>".repeat(deep)),
    ] {
        let reading = (by_name(name).unwrap().read)(&mut input.as_bytes());
        assert!(!matches!(reading, Reading::Figures(_)), "{name}: {reading:?}");
    }
}

/// Nothing was read of it as if it were a report.
fn says_nothing(name: &str, reading: &Reading) -> bool {
    match reading {
        Reading::Figures(f) => SILENT.contains(&name) && leaves(f) == 0,
        _ => true,
    }
}

#[test]
fn entities_that_multiply_are_not_resolved() {
    let mut dtd = String::from("<!ENTITY a0 'lol'>");
    for n in 1..30 {
        dtd += &format!("<!ENTITY a{n} '{}'>", format!("&a{};", n - 1).repeat(10));
    }
    let bomb = |root: &str| {
        format!("<?xml version='1.0'?><!DOCTYPE x [{dtd}]><{root} name='&a29;'>&a29;</{root}>")
    };
    let roots = ["testsuite", "testsuites", "coverage", "checkstyle", "report", "results", "pmd"];
    for input in roots.map(bomb) {
        for format in formats::all() {
            let reading = (format.read)(&mut input.as_bytes());
            let shown = format!("{reading:?}");
            assert!(shown.len() < 100_000, "{}: {} bytes of it", format.name, shown.len());
            assert_eq!(of(&reading).map_or(0, leaves), 0, "{}", format.name);
        }
    }
}

#[test]
fn a_line_of_64_mib_is_refused_or_read() {
    let line = 65 << 20;
    // each with parsers of its own family; only lines have that limit
    let cases: [(usize, &str, &str, &[&str]); 4] = [
        (line, "", "", &["lcov", "gcc", "tap", "go-test-json"]),
        (8 << 20, "{\"version\":\"2.1.0\",\"x\":\"", "\"}", &["sarif"]),
        (8 << 20, "[{\"filename\":\"", "\"}]", &["ruff-json"]),
        (8 << 20, "<testsuite name='", "'/>", &["junit"]),
    ];
    for (size, before, after, names) in cases {
        let line = [before.as_bytes(), &vec![b'a'; size], after.as_bytes()].concat();
        for format in names.iter().filter_map(|name| by_name(name)) {
            let reading = (format.read)(&mut &line[..]);
            assert_eq!(of(&reading).map_or(0, leaves), 0, "{} {before}", format.name);
        }
    }
}

#[test]
fn two_byte_text_without_a_mark_is_read_or_refused() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let Ok(text) = std::str::from_utf8(&fixture.input) else { continue };
        let whole = of(&(fixture.format.read)(&mut text.as_bytes())).map_or(0, leaves);
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            let reading = (fixture.format.read)(&mut &bytes[..]);
            let Reading::Figures(figures) = &reading else { continue };
            if leaves(figures) != whole {
                wrong.push(fixture.dir.clone());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn bytes_that_are_no_text_are_no_report() {
    let inputs = [
        vec![0; 5000],
        vec![0xff; 5000],
        (0..=255).cycle().take(5000).collect::<Vec<u8>>(),
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".repeat(50),
        b"PK\x03\x04\x14\0\0\0".repeat(50),
        b"\x1f\x8b\x08\0\0\0\0\0".repeat(50),
    ];
    for (n, input) in inputs.iter().enumerate() {
        for format in formats::all() {
            let reading = (format.read)(&mut &input[..]);
            assert!(says_nothing(format.name, &reading), "{n} as {}: {reading:?}", format.name);
        }
        assert!(matches!(read(None, &mut &input[..]), (None, Reading::Refused(_))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reader_panics_on_any_bytes_or_makes_figures_of_them(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for format in formats::all() {
            let reading = (format.read)(&mut &bytes[..]);
            let blank = bytes.trim_ascii().is_empty();
            prop_assert!(blank || says_nothing(format.name, &reading), "{}: {reading:?}", format.name);
        }
        let _ = read(None, &mut &bytes[..]);
    }

    #[test]
    fn no_reader_panics_on_a_damaged_report(
        which in any::<prop::sample::Index>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..40), 1..6),
    ) {
        let all = SHORT.with(Clone::clone);
        let (format, input) = &all[which.index(all.len())];
        let mut bytes = input.clone();
        for (at, byte, gone) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let end = (at + gone).min(bytes.len().saturating_sub(1));
            match gone {
                21.. if at < end => drop(bytes.drain(at..end)),
                // the same once more
                11..=20 => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                10 => bytes.truncate(at + 1),
                _ => {}
            }
        }
        let _ = (format.read)(&mut &bytes[..]);
        let _ = read(None, &mut &bytes[..]);
    }
}

thread_local! {
    /// Fixtures short enough to be read thousands of times.
    static SHORT: Vec<(&'static Format, Vec<u8>)> = fixtures()
        .into_iter()
        .filter(|f| !f.input.is_empty() && f.input.len() < 40_000)
        .map(|f| (f.format, f.input))
        .collect();
}
