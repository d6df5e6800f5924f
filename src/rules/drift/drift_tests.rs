//! Plans, rules and severities by tables.

use std::collections::{BTreeMap, BTreeSet};

use super::architecture::{ArchitectureRule, Rules, check_glob, compare};
use super::*;
use crate::model::{DiffMap, FileDiff};
use crate::rules::imports::{Language, Resolver, read};

fn paths(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|p| (*p).to_string()).collect()
}

/// `a` is new, `-a` is gone, `a=b` was renamed, `~a` is modified.
fn diff(files: &[&str]) -> DiffMap {
    let one = |text: &&str| {
        let (old, new) = match (text.strip_prefix('-'), text.strip_prefix('~')) {
            (Some(gone), _) => (Some(gone), None),
            (_, Some(same)) => (Some(same), Some(same)),
            _ => match text.split_once('=') {
                Some((old, new)) => (Some(old), Some(new)),
                None => (None, Some(*text)),
            },
        };
        let mode = |side: Option<&str>| side.map_or(0, |_| 0o100_644);
        FileDiff {
            old: old.map(String::from),
            new: new.map(String::from),
            old_mode: mode(old),
            new_mode: mode(new),
            hunks: Vec::new(),
            binary: false,
        }
    };
    DiffMap::new(files.iter().map(one).collect())
}

#[test]
fn severities() {
    use Severity::{High, Low, Medium, None};
    for (changed, unplanned, violations, want) in [
        (0, 0, 0, None),
        (9, 0, 0, None),
        (9, 0, 1, High),
        (1, 1, 0, Medium),
        (2, 1, 0, Medium),
        (9, 1, 0, Medium),
        (10, 1, 0, Low),
        (19, 2, 0, Medium),
        (20, 2, 0, Low),
        (30, 3, 0, Medium),
        (3, 2, 0, High),
        (6, 2, 0, Medium),
        (25, 4, 0, Medium),
        (25, 9, 0, High),
        (usize::MAX, usize::MAX, 0, High),
    ] {
        assert_eq!(
            severity(changed, unplanned, violations),
            want,
            "{changed} {unplanned} {violations}"
        );
    }
}

#[test]
fn the_score_has_a_floor() {
    let of = |unplanned: usize, violations: usize| Drift {
        plan: Some(AgainstPlan { unplanned: vec![String::new(); unplanned], ..Default::default() }),
        architecture: Some(vec![Violation::default(); violations]),
    };
    assert_eq!(of(0, 0).score(), 100.0);
    assert_eq!(of(4, 0).score(), 88.0);
    assert_eq!(of(1, 2).score(), 67.0);
    assert_eq!(of(400, 400).score(), 0.0);
    assert_eq!(of(4, 1).without_plan().unwrap().score(), 85.0);
    assert_eq!(Drift::default().measured(), None);
}

const KNOWN: &[&str] = &[
    "src/login.py",
    "src/ui/form.py",
    "src/ui/list.py",
    "src/db/a.py",
    "Makefile",
    "app/[id]/page.tsx",
    "lib/a.py",
    "docs/x.md",
];

fn plan(text: &str) -> Option<Plan> {
    Plan::read("docs/plans/p.md", text, &paths(KNOWN))
}

#[test]
fn a_plan_names_files() {
    for (text, named, not) in [
        ("`src/login.py`", "src/login.py", "src/other.py"),
        ("`./src/login.py:10-12`,", "src/login.py", "src/login.py2"),
        ("see `src/new.py#L3`", "src/new.py", "src/new"),
        ("`src/new.py::Class::test`", "src/new.py", "src/Class"),
        ("`src/ui/`", "src/ui/deep/x.py", "src/uix.py"),
        ("`src/ui`", "src/ui/x.py", "src/db/x.py"),
        ("`src/{a,b}.py`", "src/b.py", "src/c.py"),
        ("`src/*.py`", "src/c.py", "src/ui/c.py"),
        ("`src/**/x.py`", "src/a/b/x.py", "src/a/b/y.py"),
        ("`app/[id]/page.tsx`", "app/[id]/page.tsx", "app/x.tsx"),
        ("`form.py`", "src/ui/form.py", "src/ui/list.py"),
        ("`Makefile`", "Makefile", "makefile"),
        ("`../../src/x.py`", "src/x.py", "x.py"),
        ("``src/x.py``", "src/x.py", "src/y.py"),
        ("```\nsrc/x.py  # new\n```", "src/x.py", "src/y.py"),
        ("~~~\ngit add src/x.py\n~~~", "src/x.py", "add"),
        ("- src/x.py: the form", "src/x.py", "the"),
        ("- [ ] **src/x.py** (new)", "src/x.py", "new"),
        ("1. [form](src/x.py)", "src/x.py", "form"),
        ("| src/x.py | new |", "src/x.py", "new"),
        ("* src/db/", "src/db/b.py", "src/x.py"),
    ] {
        let plan = plan(text).unwrap_or_else(|| panic!("{text} names none"));
        assert!(plan.names(named), "{text}: {plan:?}");
        assert!(!plan.names(not), "{text}: {plan:?}");
    }
}

#[test]
fn a_document_of_words_names_no_file() {
    for text in [
        "",
        "only words",
        "src/login.py in a sentence",
        "- either/or, e.g. this, v1.2",
        "`cargo test` and `GET /api/login` and `x`",
        "see https://example.com/a/b.html and `https://example.com/a.py`",
        "```\nlet a = b(c);\n```",
        "`--flag/x`, `...`, `/`",
        "`unclosed",
    ] {
        assert!(plan(text).is_none(), "{text}: {:?}", plan(text));
    }
}

#[test]
fn a_change_is_held_against_its_plan() {
    let exempt = Exempt::new(["*.txt", "gen"].into_iter()).unwrap();
    let beside = |text: &str, files: &[&str]| {
        let got = plan(text).unwrap().against(&diff(files), &exempt);
        (got.changed, got.unplanned)
    };
    let none: Vec<String> = Vec::new();
    for (text, files, changed, want) in [
        ("`src/a.py`", vec!["src/a.py", "docs/plans/p.md"], 2, none.clone()),
        (
            "`src/a.py`",
            vec!["src/z.py", "-src/b.py", "~c.py"],
            3,
            vec!["c.py".into(), "src/b.py".into(), "src/z.py".into()],
        ),
        ("`src/a.py`", vec!["src/a.py=src/b.py"], 1, none.clone()),
        ("`src/b.py`", vec!["src/a.py=src/b.py"], 1, none.clone()),
        ("`src/a.py`", vec!["src/a.py", "tests/test_a.py"], 2, none.clone()),
        ("`src/a.py`", vec!["tests/test_a.py"], 1, vec!["tests/test_a.py".into()]),
        (
            "`src/a.py`",
            vec![
                "Cargo.lock",
                "x/go.sum",
                ".git-evidence.toml",
                "docs/plans/q.md",
                "CHANGELOG.md",
                "notes.txt",
                "gen/x.py",
            ],
            7,
            none.clone(),
        ),
        ("`src/a.py`", vec!["-link", "link"], 1, vec!["link".into()]),
    ] {
        assert_eq!(beside(text, &files), (changed, want), "{text} {files:?}");
    }
}

#[test]
fn the_newest_document_is_the_last_by_name() {
    let all = [
        "docs/plans/2026-01-01-a.md",
        "docs/plans/2026-02-01-b.md",
        "docs/plans/old/9.md",
        "docs/plans/x.txt",
        "rfc/2.md",
    ];
    let of = |design| newest(all.iter().copied(), design).unwrap();
    assert_eq!(of(None), Some("docs/plans/2026-02-01-b.md"));
    assert_eq!(of(Some("rfc/*.md")), Some("rfc/2.md"));
    assert_eq!(of(Some("docs/plans/2026-01-01-a.md")), Some("docs/plans/2026-01-01-a.md"));
    assert_eq!(of(Some("no/*.md")), None);
}

fn rule(from: &str, forbid: &[&str], allow: &[&str]) -> ArchitectureRule {
    let all = |list: &[&str]| list.iter().map(|g| (*g).to_string()).collect();
    ArchitectureRule {
        name: "r".into(),
        from: vec![from.into()],
        forbid: all(forbid),
        allow: all(allow),
        reason: String::new(),
    }
}

/// `line imports` of one file's violations.
fn broken(rule: ArchitectureRule, tree: &[&str], path: &str, text: &str) -> Vec<String> {
    let tracked = paths(tree);
    let manifests = BTreeMap::from([("go.mod".to_string(), "module m\n".to_string())]);
    let resolver = Resolver::new(&tracked, &manifests);
    let imports = read(Language::of(path).unwrap(), text);
    let found = Rules::new(&[rule]).unwrap().broken(path, &imports, &resolver);
    found.into_iter().map(|v| format!("{} {}", v.line, v.imports)).collect()
}

#[test]
fn rules_forbid_files_folders_and_modules() {
    let tree = ["ui/a.py", "db/store.py", "db/types.py", "db/x.go", "db/x_test.go", "ui/a.go"];
    let python =
        "import os\nfrom db.store import x, y\nfrom db import types\nimport requests.adapters\n";
    let of = |rule, text| broken(rule, &tree, "ui/a.py", text);
    assert_eq!(of(rule("ui/**", &["db/**"], &["db/types.py"]), python), ["2 db/store.py"]);
    assert_eq!(of(rule("ui", &["db"], &[]), python), ["2 db/store.py", "3 db/types.py"]);
    assert_eq!(of(rule("lib/**", &["db/**"], &[]), python), Vec::<String>::new());
    let module = rule("ui/**", &["module:requests", "module:o*"], &["module:os"]);
    assert_eq!(of(module, python), ["4 module:requests.adapters"]);
    assert_eq!(of(rule("ui/**", &["module:request"], &[]), python), Vec::<String>::new());
    let go = "package ui\nimport \"m/db\"\n";
    assert_eq!(broken(rule("ui/**", &["db/**"], &[]), &tree, "ui/a.go", go), ["2 db/"]);
    assert_eq!(
        broken(rule("ui/**", &["db/*_test.go"], &[]), &tree, "ui/a.go", go),
        Vec::<String>::new()
    );
}

#[test]
fn a_path_in_passing_counts_once_and_only_without_an_import() {
    let tree = ["src/lib.rs", "src/ui.rs", "src/db.rs"];
    // `tests/it/floors.rs` reads this file too.
    let plain = |text: &str| text.replace("KRATE", "crate");
    let of =
        |text| broken(rule("src/ui.rs", &["src/db.rs"], &[]), &tree, "src/ui.rs", &plain(text));
    assert_eq!(of("fn f() { KRATE::db::a();\n KRATE::db::b(); }"), ["1 src/db.rs"]);
    assert_eq!(of("fn f() { KRATE::db::a(); }\nuse KRATE::db::{a, b};"), ["2 src/db.rs"]);
}

#[test]
fn what_the_base_had_is_not_new() {
    let one = |path: &str, line, imports: &str| Violation {
        rule: "r".into(),
        path: path.into(),
        line,
        imports: imports.into(),
        reason: String::new(),
        new: true,
    };
    let base =
        [one("ui/a.py", 1, "db/s.py"), one("ui/b.go", 1, "db/"), one("ui/gone.py", 1, "db/s.py")];
    let new = |files: &[&str], head: &[(&str, &str)]| {
        let mut head: Vec<Violation> = head.iter().map(|(p, i)| one(p, 9, i)).collect();
        compare(&mut head, &base, &diff(files));
        head.iter().map(|v| v.new).collect::<Vec<_>>()
    };
    assert_eq!(new(&[], &[("ui/a.py", "db/s.py"), ("ui/b.go", "db/")]), [false, false]);
    assert_eq!(new(&[], &[("ui/a.py", "db/s.py"), ("ui/a.py", "db/s.py")]), [false, true]);
    assert_eq!(new(&["ui/a.py=ui/c.py"], &[("ui/c.py", "db/s.py")]), [false]);
    assert_eq!(new(&["db/s.py=db/t.py"], &[("ui/a.py", "db/t.py")]), [false]);
    assert_eq!(new(&["db/x.go=store/x.go"], &[("ui/b.go", "store/")]), [false]);
    assert_eq!(new(&["-ui/gone.py"], &[("ui/gone2.py", "db/s.py")]), [true]);
}

#[test]
fn globs_of_rules_are_checked() {
    for (glob, part) in [
        ("src/**", ""),
        ("module:a*", ""),
        ("a[", "'a[' is no glob"),
        ("module:", "names nothing"),
        (" ", "names nothing"),
        ("/src", "relative to the top"),
    ] {
        let got = check_glob(glob).err().unwrap_or_default();
        assert!(got.contains(part) && got.is_empty() == part.is_empty(), "{glob}: {got}");
    }
}

#[test]
fn what_is_said() {
    let violation = |path: &str, new| Violation {
        rule: "layers".into(),
        path: path.into(),
        line: 2,
        imports: "db/s.py".into(),
        reason: "why".into(),
        new,
    };
    let drift = Drift {
        plan: Some(AgainstPlan {
            design: "p.md".into(),
            changed: 3,
            unplanned: vec!["x".into(), "y".into()],
        }),
        architecture: Some(vec![violation("ui/old.py", false), violation("ui/new.py", true)]),
    };
    let limits = Thresholds::default();
    let strict = Thresholds { hold_the_line: false, ..Thresholds::default() };
    let new = "ui/new.py:2 imports db/s.py against rule layers";
    let beside = "2 of 3 changed files are not in p.md: x, y";
    assert_eq!(drift.sentence(&limits), format!("{new}; {beside}"));
    let old = "ui/old.py:2 imports db/s.py against rule layers";
    assert_eq!(drift.sentence(&strict), format!("{old}, {new}; {beside}"));
    let value = drift.value(&limits);
    assert_eq!(value["planned_files"], 1);
    assert_eq!(value["architecture_violations"][0]["path"], "ui/new.py");
    assert_eq!(
        Drift { plan: None, architecture: Some(vec![]) }.value(&limits),
        json!({ "severity": "none", "architecture_violations": [] })
    );
}
