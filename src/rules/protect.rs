//! What a fixer may not touch (S2-2): the ruler it is measured with, and what runs by itself.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::model::Kind;

/// Never touched by any fixer.
const ALWAYS: &[&str] = &[
    // the product's own configuration
    ".git-evidence.toml",
    // hooks
    ".husky/**",
    ".githooks/**",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    "prek.toml",
    // agents' settings
    ".claude/agents/**",
    ".claude/commands/**",
    ".claude/rules/**",
    ".claude/scripts/**",
    ".claude/hooks/**",
    ".claude/skills/**",
    ".claude/settings*.json",
    "**/CLAUDE.md",
    "**/AGENTS.md",
    "**/GEMINI.md",
    ".codex/**",
    ".gemini/**",
    ".cursor/**",
    ".github/hooks/**",
    ".github/copilot-instructions.md",
    // CI
    ".github/workflows/**",
    ".github/actions/**",
    ".github/required-checks.yml",
    ".gitlab-ci.yml",
    ".gitlab/ci/**",
    ".circleci/**",
    ".buildkite/**",
    ".ci/**",
    ".drone.yml",
    ".travis.yml",
    ".woodpecker.yml",
    ".woodpecker/**",
    ".forgejo/workflows/**",
    ".gitea/workflows/**",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    // secrets
    "**/.env",
    "**/.env.*",
];

/// Touched only to answer a reason of kind dependencies.
const DEPENDENCIES: &[&str] = &[
    "**/Cargo.toml",
    "**/Cargo.lock",
    "**/package.json",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/pyproject.toml",
    "**/poetry.lock",
    "**/uv.lock",
    "**/pdm.lock",
    "**/Pipfile",
    "**/Pipfile.lock",
    "**/requirements*.txt",
    "**/go.mod",
    "**/go.sum",
    "**/Gemfile",
    "**/Gemfile.lock",
    "**/composer.json",
    "**/composer.lock",
    "**/pom.xml",
    "**/build.gradle",
    "**/build.gradle.kts",
    "**/gradle.lockfile",
    "**/packages.lock.json",
    "**/*.csproj",
];

/// Not touched to answer a reason of kind drift: the plan that the change is held against.
const PLANS: &[&str] = &["docs/plans/**"];

/// Programs that run the file they are given.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "fish", "source", ".", "exec", "env", "python", "python2",
    "python3", "node", "deno", "bun", "perl", "ruby", "php", "lua", "Rscript", "awk",
];

/// Which paths are protected, and why.
#[derive(Debug, Clone)]
pub struct Protected {
    always: GlobSet,
    dependencies: GlobSet,
    plans: GlobSet,
    configured: GlobSet,
    named: Vec<String>,
}

impl Protected {
    /// The built-in globs, the configured ones, and the files that configured commands run.
    ///
    /// # Errors
    /// The glob that cannot be read, and why.
    pub fn new(configured: &[String], named: Vec<String>) -> Result<Protected, String> {
        let builtin = |globs: &[&str]| set(globs.iter().copied());
        Ok(Protected {
            always: builtin(ALWAYS)?,
            dependencies: builtin(DEPENDENCIES)?,
            plans: builtin(PLANS)?,
            configured: set(configured.iter().map(String::as_str))?,
            named,
        })
    }

    /// Takes these for plans, too.
    ///
    /// # Errors
    /// The glob that cannot be read, and why.
    pub fn with_plan(self, glob: &str) -> Result<Protected, String> {
        let plans = set(PLANS.iter().copied().chain([glob]))?;
        Ok(Protected { plans, ..self })
    }

    /// The first of the paths that a fixer for this kind may not touch, and which rule says so.
    pub fn first_breach<'a>(
        &self,
        paths: &'a [String],
        kind: Kind,
    ) -> Option<(&'a str, &'static str)> {
        paths.iter().find_map(|path| {
            let rule = if self.always.is_match(path) {
                "protected in every repository"
            } else if self.configured.is_match(path) {
                "protected by [guard]"
            } else if self.named.iter().any(|n| n == path) {
                "run by a configured command"
            } else if kind == Kind::Drift && self.plans.is_match(path) {
                "the plan that the change is held against"
            } else if kind != Kind::Dependencies && self.dependencies.is_match(path) {
                "changed only to mend dependencies"
            } else {
                return None;
            };
            Some((path.as_str(), rule))
        })
    }
}

/// Globs as people write paths in them: `*` stays in its folder, `**` does not, and a folder's name
/// means what lies in it too.
pub(super) fn set<'a>(globs: impl Iterator<Item = &'a str>) -> Result<GlobSet, String> {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let inside = format!("{}/**", glob.trim_end_matches('/'));
        for text in [glob.trim_end_matches('/'), &inside] {
            let built = GlobBuilder::new(text).literal_separator(true).build();
            builder.add(built.map_err(|e| format!("'{glob}' is no glob: {e}"))?);
        }
    }
    builder.build().map_err(|e| e.to_string())
}

/// Programs that run a file of the tree without naming it.
const IMPLIED: &[(&str, &[&str])] = &[
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("gmake", &["Makefile", "makefile", "GNUmakefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("tox", &["tox.ini"]),
    ("nox", &["noxfile.py"]),
    ("rake", &["Rakefile"]),
];

/// The files of the tree that a shell command runs or is set up by: what stands where a program
/// stands, what an interpreter is given, what is executable, and what an option about configuration
/// names. A plain operand (`sed -i … app.py`, `ruff check src/app.py`) is what the command works on,
/// not what it is, and must stay mendable.
pub fn named_files(
    command: &str,
    is_file: impl Fn(&str) -> bool,
    is_executable: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut named = Vec::new();
    let mut at_start = true;
    let mut after_interpreter = false;
    let mut after_config = false;
    for word in words(command) {
        if word == ";" {
            (at_start, after_interpreter, after_config) = (true, false, false);
            continue;
        }
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let path = value.strip_prefix("./").unwrap_or(value);
        let config_option = word.starts_with('-') && is_config_option(&word);
        let runs =
            at_start || after_interpreter || after_config || (config_option && value != word);
        if is_file(path) && (runs || is_executable(path)) && !named.iter().any(|n| n == path) {
            named.push(path.to_string());
        }
        let assignment = at_start && word.contains('=') && !word.starts_with('-');
        let program = word.rsplit('/').next().unwrap_or(&word);
        let is_interpreter = INTERPRETERS.contains(&program);
        let implied = IMPLIED.iter().filter(|(name, _)| at_start && *name == program);
        for file in implied.flat_map(|(_, files)| *files).filter(|f| is_file(f)) {
            if !named.iter().any(|n| n == file) {
                named.push((*file).to_string());
            }
        }
        // Options between an interpreter and its script do not end the wait for the script.
        after_interpreter = is_interpreter || (after_interpreter && word.starts_with('-'));
        after_config = config_option && value == word;
        at_start = assignment;
    }
    named
}

fn is_config_option(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default().trim_start_matches('-');
    name == "c" || ["config", "rcfile", "settings", "conf", "file"].iter().any(|n| name.contains(n))
}

/// Words without quotes; `;` stands for everything that begins another command.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c.is_whitespace() || ";|&()<>\n`".contains(c) => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if !c.is_whitespace() || c == '\n' {
                    words.push(if "<>".contains(c) { "<".into() } else { ";".into() });
                }
            }
            (_, c) => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breach(path: &str, kind: Kind) -> bool {
        let protected =
            Protected::new(&["secret/*.txt".into(), "frozen".into()], vec!["tools/lint.sh".into()]);
        protected.unwrap().first_breach(&[path.to_string()], kind).is_some()
    }

    #[test]
    fn the_table_of_protected_paths() {
        for path in [
            ".git-evidence.toml",
            ".github/workflows/ci.yml",
            ".claude/settings.local.json",
            "sub/AGENTS.md",
            "CLAUDE.md",
            ".codex/config.toml",
            ".husky/pre-push",
            "secret/a.txt",
            "frozen/deep/file",
            "frozen",
            "tools/lint.sh",
            ".env.local",
            "Jenkinsfile",
            ".ci/run",
        ] {
            assert!(breach(path, Kind::Lint) && breach(path, Kind::Dependencies), "{path}");
        }
        for path in ["Cargo.lock", "sub/package.json", "requirements-dev.txt", "pyproject.toml"] {
            assert!(breach(path, Kind::Lint) && !breach(path, Kind::Dependencies), "{path}");
        }
        for path in
            ["src/main.rs", "secret/sub/a.txt", ".claude/review-evidence/x.json", "tools/other.sh"]
        {
            assert!(!breach(path, Kind::Lint), "{path}");
        }
    }

    #[test]
    fn a_plan_is_not_rewritten_to_fit_the_change() {
        let protected = Protected::new(&[], vec![]).unwrap().with_plan("rfc/*.md").unwrap();
        let breach = |path: &str, kind| protected.first_breach(&[path.into()], kind).is_some();
        for path in ["docs/plans/2026-01-02-a.md", "rfc/1.md"] {
            assert!(breach(path, Kind::Drift) && !breach(path, Kind::Lint), "{path}");
        }
        assert!(!breach("docs/x.md", Kind::Drift));
        assert!(Protected::new(&[], vec![]).unwrap().with_plan("a[").is_err());
    }

    #[test]
    fn a_glob_that_cannot_be_read_is_named() {
        assert!(Protected::new(&["a[".into()], vec![]).unwrap_err().contains("a["));
    }

    #[test]
    fn commands_name_what_they_run_not_what_they_work_on() {
        let tree =
            ["check.sh", "tools/run", "a b.py", "app.py", "setup.cfg", "data.json", "Makefile"];
        for (command, expected) in [
            ("sh check.sh", &["check.sh"][..]),
            ("./check.sh --fast", &["check.sh"]),
            ("FOO=1 ./check.sh", &["check.sh"]),
            ("bash -eu check.sh app.py", &["check.sh"]),
            ("true && check.sh", &["check.sh"]),
            ("python3 'a b.py' | tee {out}/x", &["a b.py"]),
            ("timeout 5 tools/run", &["tools/run"]),
            ("ruff check --config setup.cfg app.py", &["setup.cfg"]),
            ("ruff check --config=setup.cfg app.py", &["setup.cfg"]),
            ("sed -i s/a/b/ app.py", &[]),
            ("cat data.json", &[]),
            ("cat < data.json", &[]),
            ("make -s check", &["Makefile"]),
            ("echo make", &[]),
        ] {
            let got = named_files(command, |p| tree.contains(&p), |p| p == "tools/run");
            assert_eq!(got, expected, "{command}");
        }
    }
}
