//! Reports that end too early, cut at any byte: none may say less than the whole in good faith.

use git_evidence::model::Reading;

use crate::formats::{fixtures, leaves, of};

/// Formats that have no sign of their end, or only one that can be switched off: where they are cut
/// at the end of a line, nothing tells.
const NO_END: &[&str] = &[
    "lizard-csv",
    "mypy-json",
    "staticcheck-json",
    "go-cover",
    "pylint-text",
    "flake8",
    "mypy",
    "gcc",
    "msbuild",
    "javac",
    "yamllint",
    "pydocstyle",
    "cpplint-text",
    "rubocop-text",
    "golint-text",
    "govet-text",
    "kotlin-text",
    "github-annotations-text",
];

#[test]
fn a_cut_report_never_says_less_in_good_faith() {
    for fixture in fixtures() {
        let whole = (fixture.format.read)(&mut &fixture.input[..]);
        let all = of(&whole).map_or(0, leaves);
        // short fixtures are cut at each byte, longer ones at some, all near their end
        let step = (fixture.input.len() / 400).max(1);
        let near_end = fixture.input.len().saturating_sub(120);
        for cut in (0..fixture.input.len()).filter(|cut| cut % step == 0 || *cut > near_end) {
            let reading = (fixture.format.read)(&mut &fixture.input[..cut]);
            let Reading::Figures(figures) = &reading else { continue };
            // rows of CSV, lines of most linters, and whole records of LCOV, do not say that more
            // should come
            let record_end = fixture.input[..cut].trim_ascii_end().ends_with(b"end_of_record");
            let name = fixture.format.name;
            // and nothing at all is what a silent tool writes
            let nothing = fixture.input[..cut].trim_ascii().is_empty();
            if NO_END.contains(&name) || nothing || name == "lcov" && record_end {
                continue;
            }
            // nor does go test say which packages are still to come
            let last = fixture.input[..cut].trim_ascii_end().rsplit(|b| *b == b'\n').next();
            let last = String::from_utf8_lossy(last.unwrap_or_default());
            if name == "go-test-json" && !last.contains("\"Test\":") {
                continue;
            }
            // nor do whole objects of a stream that has no last one
            let dir = fixture.dir.to_string_lossy();
            let stream = dir.contains("yarn-4") || dir.contains("govulncheck-1");
            if stream && fixture.input[..cut].trim_ascii_end().ends_with(b"}") {
                continue;
            }
            assert!(leaves(figures) >= all, "{} cut at {cut}", fixture.dir.display());
        }
    }
}
