//! Settings, weaker and stronger.

use crate::model::Kind;
use crate::rules::gaming::samples::{change, changed, edited, fired};

fn of(path: &str, old: &str, new: &str) -> String {
    fired(&change(Kind::Lint, vec![edited(path, old, new)])).join(" ")
}

#[test]
fn the_weaker_direction_is_rejected_and_the_stronger_is_free() {
    for (path, strong, weak, want) in [
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 50\n", "AG16"),
        (
            ".flake8",
            "[flake8]\nmax-line-length = 88\n",
            "[flake8]\nmax-line-length = 300\n",
            "AG16",
        ),
        (
            "clippy.toml",
            "too-many-lines-threshold = 100\n",
            "too-many-lines-threshold = 999\n",
            "AG16",
        ),
        (
            ".eslintrc.json",
            "{\"rules\":{\"no-eval\":\"error\"}}",
            "{\"rules\":{\"no-eval\":\"off\"}}",
            "AG17",
        ),
        ("mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = False\n", "AG17"),
        ("mypy.ini", "[mypy]\nignore_errors = False\n", "[mypy]\nignore_errors = True\n", "AG17"),
        ("ruff.toml", "[lint]\nselect = [\"E\", \"F\"]\n", "[lint]\nselect = [\"E\"]\n", "AG18"),
        ("ruff.toml", "exclude = [\"a\"]\n", "exclude = [\"a\", \"src\"]\n", "AG18"),
        (
            "pytest.ini",
            "[pytest]\ntestpaths = tests, more\n",
            "[pytest]\ntestpaths = tests\n",
            "AG18",
        ),
        (
            ".golangci.yml",
            "linters:\n  enable:\n    - errcheck\n    - govet\n",
            "linters:\n  enable:\n    - govet\n",
            "AG18",
        ),
        (
            "pyproject.toml",
            "[tool.ruff]\nline-length = 88\n",
            "[tool.ruff]\nline-length = 400\n",
            "AG16",
        ),
        (
            "package.json",
            "{\"jest\":{\"coverageThreshold\":{\"global\":{\"lines\":90}}}}",
            "{\"jest\":{\"coverageThreshold\":{\"global\":{\"lines\":9}}}}",
            "AG16",
        ),
    ] {
        assert_eq!(of(path, strong, weak), want, "{weak}");
        assert_eq!(of(path, weak, strong), "", "back: {weak}");
    }
}

#[test]
fn formatting_is_free_and_programs_are_not_compared() {
    assert_eq!(of("ruff.toml", "line-length=88\n", "# why\nline-length = 88\n"), "");
    assert_eq!(of("eslint.config.mjs", "export default [a]\n", "export default []\n"), "AG17");
    assert_eq!(of("pyproject.toml", "[project]\nname = \"a\"\n", "[project]\nname = \"b\"\n"), "");
    assert_eq!(of(".editorconfig", "[*]\nindent_size = 2\n", "[*]\nindent_size = 4\n"), "AG17?");
}

#[test]
fn lists_of_accepted_things_only_shrink() {
    let base = "[]\n";
    assert_eq!(of(".secrets.baseline", base, "[\n1\n]\n"), "AG19");
    assert_eq!(of(".trivyignore", "CVE-1\n", "CVE-1\nCVE-2\n"), "AG32");
    assert_eq!(of(".trivyignore", "CVE-1\nCVE-2\n", "CVE-1\n"), "");
    let new = changed(None, Some((".trivyignore", "CVE-1\n")));
    assert_eq!(fired(&change(Kind::Dependencies, vec![new])), ["AG32"]);
}

#[test]
fn a_folder_above_covers_what_was_named() {
    let of = |old: &str, new: &str| of("pytest.ini", old, new);
    assert_eq!(of("[pytest]\ntestpaths = src/a, b\n", "[pytest]\ntestpaths = src, b\n"), "");
    assert_eq!(of("[pytest]\ntestpaths = src, b\n", "[pytest]\ntestpaths = src/a, b\n"), "AG18");
}

#[test]
fn tracked_files_that_git_ignores_are_hidden_from_tools() {
    let of = |path: &str, line: &str| {
        let mut change =
            change(Kind::Lint, vec![edited(path, "*.log\n", &format!("*.log\n{line}\n"))]);
        change.tracked.extend(["src/bad.py", "src/sub/x.py", "docs/a.md"].map(str::to_string));
        fired(&change).join(" ")
    };
    for line in ["src/bad.py", "/src", "src/", "bad.py", "*.py", "sub/", "**/x.py", "src/**"] {
        assert_eq!(of(".gitignore", line), "AG18", "{line}");
    }
    for line in ["build/", "*.pyc", "# src/bad.py", "!src/bad.py", "/bad.py", "x.py/", ""] {
        assert_eq!(of(".gitignore", line), "", "{line}");
    }
    assert_eq!(of("src/.gitignore", "/bad.py"), "AG18");
    assert_eq!(of("docs/.gitignore", "*.py"), "");
}
