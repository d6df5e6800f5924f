//! Imports by tables: text → what is read, and what that is in a tree.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// `line raw` of each import; what is said in passing has a `~`.
fn said(language: Language, text: &str) -> Vec<String> {
    let one = |i: Import| format!("{} {}{}", i.line, if i.in_passing { "~" } else { "" }, i.raw);
    read(language, text).into_iter().map(one).collect()
}

/// `tests/it/floors.rs` reads this file too and would take samples for imports of ours.
fn plain(sample: &str) -> String {
    sample.replace("CRATE", "crate").replace("UP", "super")
}

fn check(language: Language, table: &[(&str, &[&str])]) {
    for (text, want) in table {
        let want: Vec<String> = want.iter().map(|w| plain(w)).collect();
        assert_eq!(said(language, &plain(text)), want, "{text}");
    }
}

#[test]
fn python_imports_are_read() {
    check(
        Language::Python,
        &[
            ("import os\nimport a.b as c, d\n", &["1 os", "2 a.b", "2 d"]),
            ("from . import x\nfrom .. import y as z\n", &["1 .x", "2 ..y"]),
            ("from .import x", &["1 .x"]),
            (
                "from ..a import (b,  # import no\n    c as d,\n)\nimport e",
                &["1 ..a.b", "1 ..a.c", "4 e"],
            ),
            ("from a.b import *", &["1 a.b"]),
            ("from a import b, \\\n    c\n", &["1 a.b", "1 a.c"]),
            ("if TYPE_CHECKING:\n    from a import B\n", &["2 a.B"]),
            ("try: import a\nexcept E: import b; import c", &["1 a", "2 b", "2 c"]),
            ("\"\"\"\nimport no\n\"\"\"\n# import no\nx = 'import no'\nimport yes", &["6 yes"]),
            ("important = 1\nfrom_x = import_y\nraise A from b\n", &[]),
            ("m = importlib.import_module('a.b')\n", &["1 a.b"]),
            ("def f():\n\timport a\n", &["2 a"]),
            ("", &[]),
        ],
    );
}

#[test]
fn imports_of_scripts_are_read() {
    check(
        Language::Script,
        &[
            ("import a, { b as c } from './x';\nimport * as d from \"y\"", &["1 ./x", "2 y"]),
            ("import {\n  a,\n  b,\n} from '../z'\n", &["1 ../z"]),
            (
                "import './side.css';\nexport * from './e'\nexport { f } from 'g'",
                &["1 ./side.css", "2 ./e", "3 g"],
            ),
            ("const x = require('./r'), y = await import(\n  `./d`)\n", &["1 ./r", "1 ./d"]),
            ("import type { T } from './t'\nimport e = require('e')", &["1 ./t", "2 e"]),
            ("import{a}from\"b\"", &["1 b"]),
            ("export enum E { A, B }\nimport { importer } from './x'", &["2 ./x"]),
            ("// import a from 'no'\n/* require('no') */\nconst s = \"require('no')\"", &[]),
            ("foo.require('no'); import(`./${x}`); reimport('no')", &[]),
            ("export const a = 1; from('x')", &[]),
        ],
    );
}

#[test]
fn imports_of_the_jvm_are_read() {
    check(
        Language::Jvm,
        &[
            ("package a;\nimport a.b.C;\nimport static a.D.m;\n", &["2 a.b.C", "3 a.D.m"]),
            ("import a.b.*;\nimport static a.C.*;", &["1 a.b.*", "2 a.C.*"]),
            ("import a.b.C as D\nimport a.`in`.E\n", &["1 a.b.C", "2 a.in.E"]),
            ("// import a.B;\n/* import a.C; */\nString s = \"import a.D;\";", &[]),
        ],
    );
}

#[test]
fn imports_of_go_are_read() {
    check(
        Language::Go,
        &[
            ("package a\nimport \"fmt\"\nimport x \"m/y\"\n", &["2 fmt", "3 m/y"]),
            (
                "package a\nimport (\n\t\"fmt\"\n\t_ \"m/a\" // \"no\"\n\t. `m/b`\n\t// \"m/no\"\n)\n",
                &["3 fmt", "4 m/a", "5 m/b"],
            ),
            ("package a\nvar s = `\nimport \"no\"\n`\n", &[]),
        ],
    );
}

#[test]
fn imports_of_rust_are_read() {
    check(
        Language::Rust,
        &[
            (
                "use CRATE::a::{b, c::{self, d as e}, f::*};",
                &["1 CRATE::a::b", "1 CRATE::a::c", "1 CRATE::a::c::d", "1 CRATE::a::f"],
            ),
            (
                "pub(crate) use super::x;\nuse self::y::Z;\nmod w;\n",
                &["1 super::x", "2 self::y::Z", "3 self::w"],
            ),
            (
                "use std::{\n    fs,\n    io,\n};\nextern crate q;",
                &["1 std::fs", "1 std::io", "5 q"],
            ),
            (
                "mod tests {\n    use super::*;\n    use UP::UP::a;\n    mod b;\n}\nuse c::d;",
                &["2 self", "3 super::a", "4 self::tests::b", "6 c::d"],
            ),
            ("fn f() { let x = CRATE::db::open(); Vec::new(); }", &["1 ~CRATE::db::open"]),
            (
                "// use CRATE::no;\nlet a = '\"'; /* use CRATE::no; */ let s = \"use CRATE::no;\";\nuse CRATE::yes;",
                &["3 CRATE::yes"],
            ),
            ("fn f() -> impl T + use<'a> {}\nuse a;", &["2 a"]),
            ("use", &[]),
            ("use {", &[]),
            ("use ::a::b;", &["1 a::b"]),
        ],
    );
}

/// What the imports of a file mean in a tree.
fn meant(files: &[&str], manifests: &[(&str, &str)], from: &str, raw: &str) -> Option<Target> {
    let own = manifests.iter().map(|(path, _)| *path);
    let tracked: BTreeSet<String> =
        files.iter().copied().chain([from]).chain(own).map(String::from).collect();
    let manifests: BTreeMap<String, String> =
        manifests.iter().map(|(p, t)| ((*p).to_string(), (*t).to_string())).collect();
    let import = Import { line: 1, raw: plain(raw), in_passing: false };
    Resolver::new(&tracked, &manifests).resolve(from, &import)
}

fn file(path: &str) -> Option<Target> {
    Some(Target::File(path.into()))
}

fn folder(path: &str) -> Option<Target> {
    Some(Target::Folder(path.into()))
}

fn module(name: &str) -> Option<Target> {
    Some(Target::Module(name.into()))
}

#[test]
fn modules_of_python_are_found() {
    let files = [
        "app/__init__.py",
        "app/db/__init__.py",
        "app/db/store.py",
        "app/ui/__init__.py",
        "src/lib/core.py",
        "src/ns/part.py",
        "tools/helper.py",
        "pkg/src/inner/__init__.py",
    ];
    for (from, raw, want) in [
        ("app/ui/a.py", "app.db.store", file("app/db/store.py")),
        ("app/ui/a.py", "app.db.store.Store", file("app/db/store.py")),
        ("app/ui/a.py", "app.db.name", file("app/db/__init__.py")),
        ("app/ui/a.py", "..db.store", file("app/db/store.py")),
        ("app/ui/a.py", ".x", file("app/ui/__init__.py")),
        ("app/ui/a.py", "....x", None),
        ("app/ui/a.py", "lib.core.f", file("src/lib/core.py")),
        ("app/ui/a.py", "ns", folder("src/ns/")),
        ("app/ui/a.py", "inner.x", file("pkg/src/inner/__init__.py")),
        ("app/ui/a.py", "requests.get", module("requests.get")),
        ("app/ui/a.py", "os", module("os")),
        ("tools/run.py", "helper", file("tools/helper.py")),
        ("app/ui/a.py", "app.ui.a", None),
    ] {
        assert_eq!(meant(&files, &[], from, raw), want, "{from}: {raw}");
    }
}

#[test]
fn modules_of_scripts_are_found() {
    let files = [
        "src/db/index.ts",
        "src/db/store.ts",
        "src/ui/b.tsx",
        "src/ui/style.css",
        "web/src/x.js",
        "lib/y.vue",
    ];
    for (from, raw, want) in [
        ("src/ui/a.ts", "./b", file("src/ui/b.tsx")),
        ("src/ui/a.ts", "../db", file("src/db/index.ts")),
        ("src/ui/a.ts", "../db/store.js", file("src/db/store.ts")),
        ("src/ui/a.ts", "./style.css?inline", file("src/ui/style.css")),
        ("src/ui/a.ts", "@/db/store", file("src/db/store.ts")),
        ("web/src/a.js", "@/x", file("web/src/x.js")),
        ("src/ui/a.ts", "src/db/store", file("src/db/store.ts")),
        ("src/ui/a.ts", "/lib/y", file("lib/y.vue")),
        ("src/ui/a.ts", "./gone", None),
        ("src/ui/a.ts", "../../../out", None),
        ("src/ui/a.ts", "lodash/fp", module("lodash/fp")),
        ("src/ui/a.ts", "@scope/x", module("@scope/x")),
    ] {
        assert_eq!(meant(&files, &[], from, raw), want, "{from}: {raw}");
    }
}

#[test]
fn classes_of_the_jvm_are_found() {
    let files = [
        "a/src/main/java/org/x/db/Store.java",
        "b/src/main/java/org/x/db/Store.java",
        "a/src/main/kotlin/org/x/util/Text.kt",
    ];
    let from = "b/src/main/java/org/x/ui/View.java";
    for (raw, want) in [
        ("org.x.db.Store", file("b/src/main/java/org/x/db/Store.java")),
        ("org.x.db.Store.Inner", file("b/src/main/java/org/x/db/Store.java")),
        ("org.x.db.*", folder("b/src/main/java/org/x/db/")),
        ("org.x.db.Store.*", file("b/src/main/java/org/x/db/Store.java")),
        ("org.x.util.shorten", folder("a/src/main/kotlin/org/x/util/")),
        ("java.util.List", module("java.util.List")),
        ("org.hibernate.*", module("org.hibernate.*")),
    ] {
        assert_eq!(meant(&files, &[], from, raw), want, "{raw}");
    }
}

#[test]
fn packages_of_go_are_found() {
    let files = ["internal/db/a.go", "tool/cmd/b.go", "main.go"];
    let manifests = [
        ("go.mod", "// x\nmodule example.com/m // y\n\ngo 1.22\n"),
        ("tool/go.mod", "module \"example.com/m/tool\"\n"),
    ];
    for (raw, want) in [
        ("example.com/m/internal/db", folder("internal/db/")),
        ("example.com/m/tool/cmd", folder("tool/cmd/")),
        ("example.com/m", folder("")),
        ("example.com/m/gone", module("example.com/m/gone")),
        ("example.com/more", module("example.com/more")),
        ("fmt", module("fmt")),
    ] {
        assert_eq!(meant(&files, &manifests, "ui/x.go", raw), want, "{raw}");
    }
}

#[test]
fn modules_of_rust_are_found() {
    let files = [
        "src/lib.rs",
        "src/db/mod.rs",
        "src/db/store.rs",
        "src/ui.rs",
        "src/ui/view.rs",
        "src/ui/view/part.rs",
        "other/src/lib.rs",
        "other/src/a.rs",
        "tests/it/main.rs",
        "tests/it/x.rs",
        "src/bin/tool.rs",
    ];
    let manifests = [
        ("Cargo.toml", "[package]\nname = \"my-app\"\n"),
        ("other/Cargo.toml", "[package]\nname = \"x\"\n[lib]\nname = \"the_other\"\n"),
    ];
    for (from, raw, want) in [
        ("src/ui/view.rs", "CRATE::db::store::Store", file("src/db/store.rs")),
        ("src/ui/view.rs", "CRATE::db::open", file("src/db/mod.rs")),
        ("src/ui/view.rs", "CRATE::Thing", file("src/lib.rs")),
        ("src/ui/view.rs", "super::draw", file("src/ui.rs")),
        ("src/ui/view.rs", "UP::UP::db", file("src/db/mod.rs")),
        ("src/ui/view.rs", "UP::UP::UP::db", None),
        ("src/ui/view.rs", "self::part::P", file("src/ui/view/part.rs")),
        ("src/ui/view.rs", "self::Thing", None),
        ("src/ui/view.rs", "part::P", file("src/ui/view/part.rs")),
        ("src/lib.rs", "self::ui", file("src/ui.rs")),
        ("src/ui/view.rs", "the_other::a::f", file("other/src/a.rs")),
        ("src/ui/view.rs", "diesel::insert", module("diesel::insert")),
        ("tests/it/x.rs", "my_app::db::open", file("src/db/mod.rs")),
        ("tests/it/x.rs", "CRATE::y", file("tests/it/main.rs")),
        ("src/bin/tool.rs", "my_app::ui", file("src/ui.rs")),
        ("src/bin/tool.rs", "CRATE::own", None),
    ] {
        assert_eq!(meant(&files, &manifests, from, raw), want, "{from}: {raw}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "[a-z .:;,{}()'\"`\\\\\n*éfromimportuse]{0,80}") {
        for language in
            [Language::Python, Language::Script, Language::Jvm, Language::Go, Language::Rust]
        {
            let lines = text.lines().count().max(1) as u32;
            proptest::prop_assert!(read(language, &text).iter().all(|i| i.line <= lines + 1));
        }
    }
}
