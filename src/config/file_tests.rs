//! The file by tables: what is read, and what is wrong where.

use super::*;
use crate::model::{Decimal, Kind};

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(".git-evidence.toml", text)
}

#[test]
fn an_empty_file_is_the_defaults() {
    assert_eq!(parse("").unwrap(), Config::default());
    assert!(!Config::default().measures());
}

#[test]
fn the_contracts_example_is_read() {
    let text = r#"
base = "auto"
[policy]
min_coverage = 60.5
max_vulnerabilities = { critical = 1, high = 2 }
on_degraded = "warn"
[policy.weights]
security = 0.2
quality = 0.3
[policy.hard_floors]
overall = 40
[[check]]
name = "own"
run = "./measure"
timeout = "90s"
[[fixer]]
name = "ruff-fix"
kinds = ["lint"]
run = "ruff check --fix ."
[[fixer]]
name = "claude"
kinds = ["lint", "coverage"]
agent = "claude"
[limits]
max_iter = 3
[guard]
waive = [{ rule = "AG09", paths = "x", reason = "y", until = 2026-12-31 }]
[workspace]
mode = "worktree"
[hook]
on_missing = "block"
[ci]
diagnose = "claude"
[[task.check]]
name = "tests"
run = "pytest -q"
"#;
    let config = parse(text).unwrap();
    assert_eq!(config.policy.min_coverage, Decimal::parse("60.5").unwrap());
    assert_eq!(config.policy.max_vulnerabilities, (1, 2));
    assert_eq!(config.policy.hard_floors["overall"], 40.0);
    assert_eq!(config.fixers[1].kinds, [Kind::Lint, Kind::Coverage]);
    assert_eq!(config.checks[0].timeout, Duration::from_secs(90));
    assert_eq!((config.limits.max_iter, config.limits.max_cumulative_iter), (3, 10));
    assert_eq!(config.workspace.mode, WorkMode::Worktree);
    assert!(config.measures());
}

#[test]
fn what_is_wrong_is_named_with_line_and_nearest_key() {
    for (text, line, part) in [
        ("\nbas = 1", 2, "unknown key 'bas'; did you mean 'base'?"),
        ("[policy]\nmin_coverag = 1", 2, "did you mean 'min_coverage'?"),
        ("[policy]\nmin_coverage = 101", 2, "no percentage"),
        ("[policy]\ndrift = \"blok\"", 2, "unknown value 'blok'; did you mean 'block'?"),
        ("[policy.weights]\nsecurity = 0.9", 1, "sum to"),
        ("[policy.regression_budget.hard_block]\nquality = 5", 1, "0 or negative"),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\ntimeout = \"10\"", 4, "no length of time"),
        ("[[check]]\nname = \"a\"\nrun = \" \"", 3, "run is empty"),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nformat = \"autos\"", 4, "unknown format"),
        ("[[check]]\nname = \"a/b\"\nrun = \"x\"", 2, "no name"),
        (
            "[[check]]\nname = \"a\"\nrun = \"x\"\n[[check]]\nname = \"a\"\nrun = \"x\"",
            4,
            "two checks",
        ),
        ("[[fixer]]\nname = \"a\"\nkinds = [\"lnt\"]\nrun = \"x\"", 3, "did you mean 'lint'?"),
        ("[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]", 1, "needs either run"),
        (
            "[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]\nagent = \"cluade\"",
            1,
            "did you mean 'claude'?",
        ),
        ("[evidence]\nmeasure = []", 1, "measure is empty"),
        ("[evidence]\nrecord = \"x.json\"", 1, "needs {sha}"),
        ("[evidence]\nrecord = \"../{sha}\"", 1, "inside the repository"),
        ("base = \"-x\"", 1, "is no ref"),
        ("[limits]\nmax_iter = -1", 2, "limits.max_iter: integer -1 stands where a whole number"),
        ("x = ", 1, ""),
        (
            "[limits]\nmax_iter = 99999999999999999999",
            2,
            "limits.max_iter: integer 99999999999999999999 stands",
        ),
        ("[limits]\nmax_iter = 1\nmax_iter = 2", 3, "limits.max_iter: it stands there twice"),
        (
            "[policy]\nmin_coverage = \"80\"",
            2,
            "policy.min_coverage: string \"80\" stands where a number",
        ),
        ("[policy]\nmax_vulnerabilities = 3", 2, "where a table"),
        (
            "[policy]\nhold_the_line = \"yes\"",
            2,
            "policy.hold_the_line: string \"yes\" stands where true or false",
        ),
        ("min_coverage = 1", 1, "'min_coverage' here; it belongs under [policy]"),
        ("[policy]\nmax_iter = 1", 2, "'max_iter' here; it belongs under [limits] or [task]"),
        ("[policy]\nquality = -5", 2, "unknown key 'quality'; known are"),
        ("[check]\nname = \"a\"\nrun = \"x\"", 1, "write [[check]]"),
        ("[[check]]\nrun = \"x\"", 1, "check: the key 'name' is missing"),
        ("[policy.hard_floors]\ncoverage = 500", 1, "coverage = 500: a score is from 0 to 100"),
        (
            "[[check]]\nname = \"a\"\nrun = \"x\"\nreports = \"r\"",
            4,
            "check.reports: string \"r\" stands where a list",
        ),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = []", 4, "check.reports: it is empty"),
        (
            "[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\n\"a\",\n\"../r\"]",
            4,
            "check.reports: '../r' must lie in {out}",
        ),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\"/r\"]", 4, "must lie in {out}"),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nreports = [\"a[\"]", 4, "'a[' is no glob"),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nok_exit = []", 4, "check.ok_exit: it is empty"),
        ("[[check]]\nname = \"a\"\nrun = \"x\"\nok_exit = [300]", 4, "300 is no exit code"),
        (
            "[[fixer]]\nname = \"a\"\nkinds = [\"lint\"]\nrun = \"x\"\nagent = \"claude\"",
            1,
            "has both run and agent",
        ),
        ("\n[decider]\ndecision = \"d\"", 2, "decider: attribution and capabilities are missing"),
        ("[decider]\ndecision = \"d\"\nattribution = \"a\"", 1, "decider: capabilities is missing"),
        (
            "[decider]\ndecision = \"d\"\nattribution = \" \"\ncapabilities = \"c\"",
            3,
            "decider.attribution: it is empty",
        ),
        (
            "[decider]\ndecision = \"d\"\nattribution = \"a\"\ncapabilities = \"/c\"",
            4,
            "decider.capabilities = \"/c\" must lie inside the repository",
        ),
        (
            "[decider]\ndecision = \"x/../../d\"\nattribution = \"a\"\ncapabilities = \"c\"",
            2,
            "must lie inside the repository",
        ),
        ("[decider]\ndecision = 1", 2, "decider.decision: integer 1 stands where a text in quotes"),
        ("[decider]\ndecison = \"x\"", 2, "did you mean 'decision'?"),
    ] {
        wrong(text, line, part);
    }
}

fn wrong(text: &str, line: usize, part: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.line, line, "{text}: {error}");
    assert!(error.message.contains(part), "{text}: {error}");
    assert!(!error.to_string().contains('\n'), "{error}");
}

#[test]
fn what_is_wrong_with_plans_and_rules_is_named() {
    for (text, line, part) in [
        ("[drift]\ndesing = \"auto\"", 2, "unknown key 'desing'; did you mean 'design'?"),
        ("[drift]\n\ndesign = \"a[\"", 3, "drift.design: 'a[' is no glob"),
        ("[drift]\ndesign = \"\"", 2, "drift.design: '' names nothing"),
        ("[drift]\ndesign = \"/plans/*.md\"", 2, "must be relative to the top of the tree"),
        ("[drift]\nignore = [\"a\",\n\"b[\"]", 2, "drift.ignore: 'b[' is no glob"),
        ("[drift]\nignore = 1", 2, "drift.ignore: integer 1 stands where a glob or a list"),
        ("[drift]\nignore = [\"module:a\"]", 2, "a module can stand in forbid and allow"),
        ("[architecture]\nname = \"a\"", 1, "write [[architecture]]"),
        ("[[architecture]]\nfrom = \"a\"\nforbid = [\"b\"]", 1, "the key 'name' is missing"),
        ("[[architecture]]\nname = \"a\"\nforbid = [\"b\"]", 1, "the key 'from' is missing"),
        ("[[architecture]]\nname = \"a\"\nfrom = \"a\"", 1, "the key 'forbid' is missing"),
        ("[[architecture]]\nname = \"a\"\nfrom = []", 3, "architecture.from: it is empty"),
        (
            "[[architecture]]\nname = \"a\"\nfrom = \"a\"\nforbid = []",
            4,
            "architecture.forbid: it is empty",
        ),
        (
            "[[architecture]]\nname = \"a\"\nfrom = \"a\"\nforbid = [\"b\"]\nalow = [\"c\"]",
            5,
            "did you mean 'allow'?",
        ),
        (
            "[[architecture]]\nname = \"a\"\nfrom = \"a\"\nforbid = [\"module:\"]",
            4,
            "architecture.forbid: 'module:' names nothing",
        ),
        (
            "[[architecture]]\nname = \"a\"\nfrom = [\"module:b\"]",
            3,
            "architecture.from: 'module:b' is no file",
        ),
        (
            "[[architecture]]\nname = \"a\"\nfrom = \"a\"\nforbid = \"b\"\n\
             [[architecture]]\nname = \"a\"\nfrom = \"a\"\nforbid = \"b\"",
            5,
            "two architecture rules with the name 'a'",
        ),
        ("forbid = [\"a\"]", 1, "'forbid' here; it belongs under [[architecture]]"),
    ] {
        wrong(text, line, part);
    }
}

#[test]
fn the_decider_has_all_three_or_none() {
    assert_eq!(parse("[decider]\n").unwrap().decider, None);
    let text =
        "[decider]\ncapabilities = \"c.json\"\ndecision = \"d.json\"\nattribution = \"a.json\"";
    let decider = parse(text).unwrap().decider.unwrap();
    assert_eq!(decider.paths(), ["d.json", "a.json", "c.json"]);
}

#[test]
fn drift_and_architecture_are_read() {
    use crate::config::{Design, Drift};
    for (text, want) in [
        ("", Design::Auto),
        ("design = \"auto\"", Design::Auto),
        ("design = \"off\"", Design::Off),
        ("design = \"rfc/*.md\"", Design::Glob("rfc/*.md".into())),
    ] {
        let drift = parse(&format!("[drift]\n{text}")).unwrap().drift;
        assert_eq!(drift, Drift { design: want, ignore: vec![] }, "{text}");
    }
    let text = "[drift]\nignore = \"*.txt\"\n[[architecture]]\nname = \"layers\"\nfrom = \"src/ui/**\"\n\
                forbid = [\"src/db/**\", \"module:requests\"]\nallow = \"src/db/types.py\"\nreason = \"why\"";
    let config = parse(text).unwrap();
    assert_eq!(config.drift.ignore, ["*.txt"]);
    let rule = &config.architecture[0];
    assert_eq!((rule.name.as_str(), rule.reason.as_str()), ("layers", "why"));
    assert_eq!((rule.from.len(), rule.forbid.len(), rule.allow.len()), (1, 2, 1));
    assert!(!config.measures(), "it is measured beside checks");
}
