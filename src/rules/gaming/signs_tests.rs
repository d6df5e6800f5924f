//! Signs that came, and those that only moved.

use super::*;
use crate::model::Changed;
use crate::rules::gaming::samples::{change, changed, edited, fired};

fn lint(files: Vec<Changed>) -> Vec<String> {
    fired(&change(Kind::Lint, files))
}

#[test]
fn signs_are_told_in_every_language() {
    for (path, old, new, want) in [
        ("src/a.rs", "fn f() {}\n", "#[allow(dead_code)]\nfn f() {}\n", "AG09"),
        ("src/a.py", "import os\n", "import os  # noqa: F401\n", "AG09"),
        ("src/a.ts", "let x = f()\n", "// @ts-ignore\nlet x = f()\n", "AG09"),
        ("a.go", "x := f()\n", "x := f() //nolint:errcheck\n", "AG09"),
        ("A.java", "int x;\n", "@SuppressWarnings(\"all\")\nint x;\n", "AG09"),
        ("a.cpp", "f();\n", "f(); // NOLINT\n", "AG09"),
        ("a.rb", "x = 1\n", "x = 1 # rubocop:disable Lint/UselessAssignment\n", "AG09"),
        ("A.cs", "int x;\n", "#pragma warning disable CS0168\nint x;\n", "AG09"),
        ("src/a.py", "x = 1\n", "x = 1  # pragma: no cover\n", "AG09"),
        ("tests/a.rs", "#[test]\nfn f() {}\n", "#[test]\n#[ ignore]\nfn f() {}\n", "AG08"),
        (
            "test_a.py",
            "def test_a():\n    assert f()\n",
            "@pytest.mark.skip\ndef test_a():\n    assert f()\n",
            "AG08",
        ),
        (
            "a.test.js",
            "it('a', () => { expect(1) })\n",
            "it.skip('a', () => { expect(1) })\n",
            "AG08",
        ),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n}\n",
            "func TestA(t *testing.T) {\n\tt.Skip(\"x\")\n}\n",
            "AG08",
        ),
        ("ATest.java", "@Test void a() {}\n", "@Disabled @Test void a() {}\n", "AG08"),
        ("a_test.cc", "TEST(A, b) {}\n", "TEST(A, DISABLED_b) {}\n", "AG08"),
        ("spec/a_spec.rb", "it 'a' do\nend\n", "xit 'a' do\nend\n", "AG08"),
        ("ATests.cs", "[Fact]\nvoid A() {}\n", "[Fact(Skip = \"x\")]\nvoid A() {}\n", "AG08"),
        (
            "test_a.py",
            "def test_a():\n    f()\n",
            "def test_a():\n    sys.exit(0)\n    f()\n",
            "AG23",
        ),
        (
            "src/a.py",
            "class A:\n    x = 1\n",
            "class A:\n    x = 1\n    def __eq__(self, o): return True\n",
            "AG24",
        ),
        ("src/a.py", "x = 1\n", "if 'pytest' in sys.modules:\n    x = 2\nx = 1\n", "AG25"),
        ("src/a.py", "f()\n", "try:\n    f()\nexcept:\n    pass\n", "AG27?"),
        (
            "test_a.py",
            "def test_a():\n    f()\n",
            "def test_a():\n    time.sleep(5)\n    f()\n",
            "AG36?",
        ),
        ("src/a.py", "f()\n", "if False:\n    f()\n", "AG37"),
    ] {
        let got = lint(vec![edited(path, old, new)]);
        assert!(got.contains(&want.to_string()), "{path}: {new}: {got:?}");
        let back = lint(vec![edited(path, new, old)]);
        assert!(!back.contains(&want.to_string()), "taking it away: {path}: {back:?}");
    }
}

#[test]
fn moving_and_reindenting_is_free() {
    let old = "def f():\n    import os  # noqa: F401\n    return 1\n\n\ndef g():\n    return 2\n";
    let new =
        "def g():\n    return 2\n\n\ndef f():\n        import os  # noqa: F401\n        return 1\n";
    assert_eq!(lint(vec![edited("src/a.py", old, new)]), Vec::<String>::new());
    let away = changed(Some(("src/a.py", "x = 1  # noqa: E501\n")), None);
    let there = changed(None, Some(("src/b.py", "x = 1  # noqa: E501\n")));
    assert_eq!(lint(vec![away, there]), Vec::<String>::new(), "into another file");
    let talk = "# a skip is written pytest.skip()\nx = '# noqa'\n";
    assert_eq!(lint(vec![edited("src/a.py", "x = 1\n", talk)]), Vec::<String>::new());
}

#[test]
fn a_suppression_may_say_more_and_not_less() {
    let of = |old: &str, new: &str| lint(vec![edited("src/a.py", old, new)]);
    assert_eq!(of("x = 1  # noqa: E501\n", "x = 1  # noqa\n"), ["AG10"]);
    assert_eq!(of("x = 1  # noqa: E501\n", "x = 1  # noqa: E501, F401\n"), ["AG10"]);
    assert_eq!(of("x = 1  # noqa\n", "x = 1  # noqa: E501\n"), Vec::<String>::new());
    assert_eq!(of("x = 1  # noqa: E501, F401\n", "x = 1  # noqa: F401\n"), Vec::<String>::new());
    let names = |said: &str| rules_of(said);
    assert_eq!(names("#type:ignore"), ("#type:ignore".into(), None));
    assert_eq!(names("#type:ignore[arg]"), ("#type:ignore".into(), Some(vec!["arg".into()])));
}

#[test]
fn words_of_the_language_count_where_they_answer_the_finding() {
    let file = || edited("src/a.ts", "let x = f()\n", "let x = f() as any\n");
    assert_eq!(lint(vec![file()]), Vec::<String>::new());
    let mut aimed = change(Kind::Lint, vec![file()]);
    aimed.targets.insert("src/a.ts".into());
    assert_eq!(fired(&aimed), ["AG09"]);
}

#[test]
fn a_suppression_of_another_line_is_a_new_one() {
    let of = |old: &str, new: &str| lint(vec![edited("a.py", old, new)]);
    let old = "a = f(x, y)  # type: ignore[attr]\n";
    assert_eq!(of(old, "a = f(x, y)  # type: ignore\n"), ["AG10"]);
    assert_eq!(of(old, "b = g(z).h()  # type: ignore[misc]\n"), ["AG09"]);
    assert!(of(old, "b = g(z).h()  # type: ignore[attr]\n").is_empty());
    let two = "a = f(x, y)  # type: ignore[attr]\nb = 1  # type: ignore[attr]\n";
    assert!(of("a = f(x)  # type: ignore[attr, misc]\n", two).contains(&"AG09".to_string()));
}

#[test]
fn a_skip_of_a_new_test_is_for_a_person_and_that_of_an_old_one_is_not() {
    let old = "def test_a():\n    assert f()\n";
    let new = format!("{old}\n\n@pytest.mark.skip\ndef test_b():\n    assert g()\n");
    assert_eq!(lint(vec![edited("test_a.py", old, &new)]), ["AG08?"]);
    let skipped = "@pytest.mark.skip\ndef test_a():\n    assert f()\n";
    assert_eq!(lint(vec![edited("test_a.py", old, skipped)]), ["AG08"]);
    // renamed and skipped in one go
    let renamed = "@pytest.mark.skip\ndef test_b():\n    assert f()\n";
    assert_eq!(lint(vec![edited("test_a.py", old, renamed)]), ["AG08"]);
    let both = format!("{skipped}\n\ndef test_b():\n    assert g()\n");
    assert_eq!(lint(vec![edited("test_a.py", old, &both)]), ["AG08"]);
}

#[test]
fn an_assertion_that_is_rebound_is_hijacked_and_one_that_is_imported_is_not() {
    let of = |line: &str| lint(vec![edited("a.test.js", "x();\n", &format!("x();\n{line}\n"))]);
    for line in ["expect = noop;", "const expect = require(\"./noop\");", "expect = () => ok;"] {
        assert_eq!(of(line), ["AG24"], "{line}");
    }
    for line in [
        "var assert = require('node:assert')",
        "const { expect } = chai;",
        "const expect = chai.expect;",
        "const test = require('ava');",
    ] {
        assert!(of(line).is_empty(), "{line}");
    }
}
