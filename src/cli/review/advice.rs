//! What to write where nothing is configured: checks for the languages that the commit has.

/// Ready checks of a language.
const CHECKS: &[(&str, &str)] = &[
    (
        "python",
        r#"[[check]]
name = "ruff"
run = "ruff check --output-format=sarif --output-file={out}/ruff.sarif ."
reports = ["ruff.sarif"]
format = "sarif"

[[check]]
name = "pytest"                    # with pytest-cov
run = "COVERAGE_FILE={out}/data pytest --junitxml={out}/junit.xml --cov --cov-report=lcov:{out}/lcov.info"
reports = ["junit.xml", "lcov.info"]
"#,
    ),
    (
        "rust",
        r#"[[check]]
name = "clippy"
run = "cargo clippy --all-targets --message-format=json"
reports = ["-"]
format = "cargo-json"
ok_exit = [0, 101]

[[check]]
name = "cargo-test"                # with cargo-llvm-cov
run = "cargo llvm-cov test --lcov --output-path={out}/lcov.info"
reports = ["lcov.info"]
format = "lcov"
"#,
    ),
    (
        "javascript",
        r#"[[check]]
name = "eslint"
run = "npx eslint --format=json --output-file={out}/eslint.json ."
reports = ["eslint.json"]
format = "eslint-json"

[[check]]
name = "vitest"
run = "npx vitest run --reporter=junit --outputFile={out}/junit.xml --coverage --coverage.reporter=lcov --coverage.reportsDirectory={out}"
reports = ["junit.xml", "lcov.info"]
"#,
    ),
    (
        "go",
        r#"[[check]]
name = "golangci-lint"
run = "golangci-lint run --output.sarif.path={out}/lint.sarif"
reports = ["lint.sarif"]
format = "sarif"

[[check]]
name = "go-test"
run = "gotestsum --junitfile={out}/junit.xml ./..."
reports = ["junit.xml"]
format = "junit"
"#,
    ),
    (
        "shell",
        r#"[[check]]
name = "shellcheck"
run = "git ls-files -z '*.sh' | xargs -0 shellcheck --format=checkstyle"
reports = ["-"]
format = "checkstyle"
ok_exit = [0, 1, 123]
"#,
    ),
];

const ANY: &str = r#"[[check]]
name = "tests"
run = "./run-tests --junit {out}/junit.xml"   # any command that writes a report
reports = ["junit.xml"]
format = "junit"                   # `git review-evidence formats` lists what is understood
"#;

/// A configuration to begin with.
fn ready(stack: &[String]) -> String {
    let known = |language: &String| {
        // One set of tools for both.
        let name = if language == "typescript" { "javascript" } else { language.as_str() };
        CHECKS.iter().find(|(n, _)| *n == name)
    };
    let mut found: Vec<&(&str, &str)> = stack.iter().filter_map(known).collect();
    found.dedup();
    match found.is_empty() {
        true => ANY.to_string(),
        false => found.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n"),
    }
}

/// The whole advice. `empty`: a configuration exists and names nothing that measures.
pub(super) fn advice(stack: &[String], empty: bool) -> String {
    let what = match empty {
        true => "the configuration names no [[check]] and no [evidence] measure",
        false => "nothing is configured to measure this commit",
    };
    format!(
        "{what}. For the files of this commit, .git-evidence.toml at the top of the repository \
         could be:\n\n{}\nThen commit it on the base branch: what lies there decides. Until then \
         the one of this commit or of the working tree counts.",
        ready(stack)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn what_is_advised_is_a_configuration() {
        let languages = ["python", "rust", "javascript", "typescript", "go", "shell", "cobol"];
        for stack in languages
            .map(|l| vec![l.to_string()])
            .into_iter()
            .chain([vec![], languages.map(str::to_string).to_vec()])
        {
            let config = Config::parse("advice", &ready(&stack)).unwrap();
            assert!(!config.checks.is_empty(), "{stack:?}");
        }
        let both = ["javascript", "typescript"].map(str::to_string);
        assert_eq!(ready(&both), ready(&both[1..]));
    }
}
