//! CI, softer and harder.

use crate::model::Kind;
use crate::rules::gaming::samples::{change, changed, edited, fired};

const BASE: &str = "on:\n  push:\n    branches: [main, release]\n  pull_request:\njobs:\n  test:\n    \
    runs-on: ubuntu-24.04\n    strategy:\n      matrix:\n        python: ['3.12', '3.13']\n    \
    steps:\n      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6\n      \
    - name: all of it\n        run: pytest -q\n      - uses: codecov/codecov-action@v5\n        \
    with:\n          fail_ci_if_error: true\n  lint:\n    runs-on: ubuntu-24.04\n    steps:\n      \
    - run: ruff check\n";

fn of(new: &str) -> String {
    let path = ".github/workflows/ci.yml";
    fired(&change(Kind::Lint, vec![edited(path, BASE, new)])).join(" ")
}

fn with(from: &str, to: &str) -> String {
    assert!(BASE.contains(from), "{from}");
    of(&BASE.replacen(from, to, 1))
}

#[test]
fn ci_that_asks_for_less_is_rejected() {
    for (from, to, want) in [
        ("    runs-on", "    continue-on-error: true\n    runs-on", "AG20 AG21"),
        ("    runs-on", "    if: false\n    runs-on", "AG20"),
        ("    branches: [main, release]", "    branches: [main]", "AG20"),
        ("  pull_request:\n", "", "AG20"),
        ("  pull_request:\n", "  pull_request:\n    paths: ['src/**']\n", "AG20"),
        ("  pull_request:\n", "  pull_request:\n    paths-ignore: ['*.md']\n", "AG20"),
        ("      - name: all of it\n        run: pytest -q\n", "", "AG20"),
        ("fail_ci_if_error: true", "fail_ci_if_error: false", "AG20"),
        ("  lint:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: ruff check\n", "", "AG20"),
    ] {
        assert_eq!(with(from, to), want, "{to}");
    }
    let gone = changed(Some((".github/workflows/ci.yml", BASE)), None);
    assert_eq!(fired(&change(Kind::Lint, vec![gone])), ["AG20"]);
}

#[test]
fn what_may_be_honest_is_for_a_person() {
    for (from, to, want) in [
        ("    runs-on", "    if: github.ref == 'x'\n    runs-on", "AG20?"),
        ("run: pytest -q", "run: pytest -q tests/unit", "AG20?"),
        ("@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6", "@v6", "AG20?"),
    ] {
        assert_eq!(with(from, to), want, "{to}");
    }
    assert_eq!(of("a: [1\nb: }"), "AG20?");
}

#[test]
fn what_asks_for_as_much_is_free() {
    for (from, to) in [
        ("@de0fac2e4500dabe0009e67214ff5f5447ce83dd", "@9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0"),
        ("codecov-action@v5", "codecov-action@v6"),
        ("ubuntu-24.04", "ubuntu-26.04"),
        ("['3.12', '3.13']", "['3.12', '3.13', '3.14']"),
        ("  lint:\n", "  style:\n"),
        ("  lint:\n", "  more:\n    if: false\n    steps: []\n  lint:\n"),
        ("[main, release]", "[main, release, next]"),
        (
            "      - name: all of it\n        run: pytest -q\n",
            "      - name: all of it\n        env: {A: b}\n        run: pytest -q\n",
        ),
        ("on:\n", "name: CI\non:\n"),
    ] {
        assert_eq!(with(from, to), "", "{to}");
    }
    let new = changed(None, Some((".github/workflows/more.yml", BASE)));
    assert_eq!(fired(&change(Kind::Lint, vec![new])), Vec::<String>::new());
}

#[test]
fn pipelines_with_their_jobs_at_the_top() {
    let base = "stages: [test]\nunit:\n  script:\n    - make test\nlint:\n  script: [make lint]\n";
    let of =
        |new: &str| fired(&change(Kind::Lint, vec![edited(".gitlab-ci.yml", base, new)])).join(" ");
    assert_eq!(of(&base.replace("lint:\n  script: [make lint]\n", "")), "AG20");
    assert_eq!(of(&base.replace("unit:\n", "unit:\n  allow_failure: true\n")), "AG20 AG21");
    assert_eq!(of(&base.replace("    - make test\n", "    - make smoke\n")), "AG20?");
    assert_eq!(of(&base.replace("stages: [test]", "stages: [test, deploy]")), "");
}
