//! Which files are part of the ruler: tests, settings of tools, CI. A fixer may change them, and is
//! then measured with the old ones as well.

use super::Change;
use crate::model::Changed;

/// The files of a change that are part of the ruler, by every name that they had.
pub fn of_change(change: &Change) -> Vec<String> {
    let mut paths: Vec<String> = change
        .files
        .iter()
        .filter(|f| is_ruler(f))
        .flat_map(|f| [f.diff.old.clone(), f.diff.new.clone()])
        .flatten()
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

fn is_ruler(file: &Changed) -> bool {
    let names = [file.diff.old.as_deref(), file.diff.new.as_deref()];
    names.into_iter().flatten().any(|path| is_test_path(path) || is_setting(path))
}

/// Whether test runners would look for tests in a file of this path.
pub fn is_test_path(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut folders: Vec<&str> = lower.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let folder =
        ["test", "tests", "__tests__", "spec", "e2e", "cypress", "__snapshots__", "testdata"];
    if folders.iter().any(|f| folder.contains(f) || f.ends_with(".tests")) {
        return true;
    }
    let stem = name.split('.').next().unwrap_or_default();
    let cased = path.rsplit('/').next().unwrap_or_default();
    let cased = cased.split('.').next().unwrap_or_default();
    stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || ["Test", "Tests", "IT", "Spec"].iter().any(|end| {
            cased.strip_suffix(end).is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase()))
        })
        || ["conftest", "tests", "test"].contains(&stem)
        || [".test.", ".spec.", ".cy."].iter().any(|part| name.contains(part))
}

/// Names of files that only set tools.
const SETTINGS: &[&str] = &[
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "ruff.toml",
    ".ruff.toml",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    ".bandit",
    ".coveragerc",
    "noxfile.py",
    ".eslintignore",
    "biome.json",
    "biome.jsonc",
    ".oxlintrc.json",
    "tsconfig.json",
    "knip.json",
    "clippy.toml",
    ".clippy.toml",
    "rustfmt.toml",
    "deny.toml",
    "nextest.toml",
    "tarpaulin.toml",
    "mutants.toml",
    "revive.toml",
    "staticcheck.conf",
    ".testcoverage.yml",
    "sonar-project.properties",
    "lint.xml",
    ".clang-tidy",
    ".clang-format",
    ".clangd",
    "ctestcustom.cmake",
    "gcovr.cfg",
    ".gcovr.cfg",
    ".lcovrc",
    ".rubocop.yml",
    ".rubocop_todo.yml",
    ".reek.yml",
    ".rspec",
    ".simplecov",
    ".standard.yml",
    "stylecop.json",
    "global.json",
    "globalsuppressions.cs",
    "directory.build.props",
    "directory.build.targets",
    ".editorconfig",
    ".gitattributes",
    "codecov.yml",
    ".codecov.yml",
    "coveralls.yml",
    ".semgrepignore",
    ".codeclimate.yml",
    "qlty.toml",
    "trunk.yaml",
    ".mega-linter.yml",
    "whitelizer.txt",
    ".importlinter",
    "archunit.properties",
    "actionlint.yaml",
    ".yamllint",
    ".hadolint.yaml",
    ".shellcheckrc",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".golangci.json",
    ".trivyignore",
    ".snyk",
    ".nsprc",
    "osv-scanner.toml",
    "audit.toml",
    ".grype.yaml",
    "eslint-suppressions.json",
    "detekt-baseline.xml",
    "lint-baseline.xml",
    "mypy-baseline.txt",
    ".betterer.results",
    ".secrets.baseline",
];

/// Beginnings of such names.
const SETTING_STARTS: &[&str] = &[
    "eslint.config.",
    ".eslintrc",
    ".stylelintrc",
    "stylelint.config.",
    "tsconfig.",
    "jest.config.",
    "vitest.config.",
    "vitest.workspace.",
    ".nycrc",
    ".c8rc",
    ".mocharc",
    "karma.conf.",
    "playwright.config.",
    "cypress.config.",
    "stryker.conf.",
    ".dependency-cruiser.",
    "checkstyle",
    "pmd",
    "spotbugs",
    "detekt",
    "coverlet",
    "cppcheck-",
    ".lintstagedrc",
    ".swiftlint",
];

/// Endings of such names.
const SETTING_ENDS: &[&str] =
    &[".runsettings", ".ruleset", ".globalconfig", "-suppressions.xml", "suppressions.txt"];

/// Folders that hold CI.
const CI: &[&str] = &[
    ".github/workflows/",
    ".github/actions/",
    ".circleci/",
    ".buildkite/",
    ".gitlab/ci/",
    ".forgejo/workflows/",
    ".gitea/workflows/",
    ".woodpecker/",
    ".ci/",
    ".cargo/",
    ".config/",
];

/// Names of files that say what CI does.
const PIPELINES: &[&str] = &[
    ".gitlab-ci.yml",
    "jenkinsfile",
    ".travis.yml",
    ".drone.yml",
    "azure-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "bitbucket-pipelines.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
];

/// Whether a file says what CI does.
pub(super) fn is_ci(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let folder = CI.iter().any(|folder| lower.starts_with(folder));
    (folder && (name.ends_with(".yml") || name.ends_with(".yaml"))) || PIPELINES.contains(&name)
}

/// Whether a file sets a tool or CI.
pub fn is_setting(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    SETTINGS.contains(&name)
        || SETTING_STARTS.iter().any(|s| name.starts_with(s))
        || SETTING_ENDS.iter().any(|e| name.ends_with(e))
        || CI.iter().any(|folder| lower.starts_with(folder))
        || PIPELINES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_settings_by_their_names() {
        for path in [
            "tests/it.rs",
            "src/a_test.go",
            "test_a.py",
            "a/conftest.py",
            "web/a.test.tsx",
            "src/test/java/A.java",
            "FooTest.java",
            "FooIT.java",
            "spec/a_spec.rb",
            "src/tests.rs",
            "App.Tests/Foo.cs",
            "src/__tests__/a.js",
            "x/testdata/a.json",
            "cypress/e2e/a.cy.ts",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/attest.rs",
            "src/contest.py",
            "lib/latest.js",
            "src/Unit.java",
            "docs/specs.md",
            "src/audit.rs",
            "src/inspector.py",
            "GIT.java",
            "src/testing.rs",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
        for path in
            [".github/workflows/ci.yml", "a/ruff.toml", "eslint.config.mjs", ".golangci.yml"]
        {
            assert!(is_setting(path), "{path}");
        }
        for path in ["src/main.rs", "README.md", "package.json", "src/checks.py"] {
            assert!(!is_setting(path), "{path}");
        }
    }
}
