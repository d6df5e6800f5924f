//! Tests that are weaker than they were, and honest changes of tests.

use super::*;
use crate::model::Changed;
use crate::rules::gaming::samples::{change, changed, edited, fired};

fn of(kind: Kind, files: Vec<Changed>) -> Vec<String> {
    fired(&change(kind, files))
}

fn test(body: &str) -> String {
    format!("def test_a():\n    {body}\n")
}

#[test]
fn assertions_that_accept_more() {
    for (old, new) in [
        ("assert f(1) == 2", "assert f(1) is not None"),
        ("assert f(1) == 2", "assert f(1) != 3"),
        ("self.assertEqual(f(1), 2)", "self.assertIsNotNone(f(1))"),
        ("with pytest.raises(ValueError): f(1)", "with pytest.raises(Exception): f(1)"),
        ("assert f(1) == 2.5", "assert f(1) == pytest.approx(2.5)"),
    ] {
        let got = of(Kind::Lint, vec![edited("test_a.py", &test(old), &test(new))]);
        assert_eq!(got, ["AG12"], "{old} -> {new}");
    }
    let js = |body: &str| format!("it('a', () => {{\n  {body}\n}})\n");
    for (old, new) in [
        ("expect(f(1)).toBe(2)", "expect(f(1)).toBeDefined()"),
        ("expect(f(1)).toEqual([2])", "expect(f(1)).toContain(2)"),
    ] {
        let got = of(Kind::Lint, vec![edited("a.test.js", &js(old), &js(new))]);
        assert_eq!(got, ["AG12"], "{old} -> {new}");
    }
    let rust = |body: &str| format!("#[test]\nfn a() {{\n    {body}\n}}\n");
    let (old, new) = (rust("assert_eq!(f(1), Ok(2));"), rust("assert!(f(1).is_ok());"));
    assert_eq!(of(Kind::Lint, vec![edited("src/a.rs", &old, &new)]), ["AG12"]);
}

#[test]
fn the_other_way_round_is_honest() {
    let (weak, strict) = (test("assert f(1) is not None"), test("assert f(1) == 2"));
    assert_eq!(of(Kind::Lint, vec![edited("test_a.py", &weak, &strict)]), Vec::<String>::new());
    let longer = test("assert f(1) == 2, 'two'");
    assert_eq!(of(Kind::Lint, vec![edited("test_a.py", &strict, &longer)]), Vec::<String>::new());
}

#[test]
fn the_value_that_the_failing_test_expects_is_not_to_be_edited() {
    let file = || edited("test_a.py", &test("assert f(1) == 2"), &test("assert f(1) == 3"));
    let mut aimed = change(Kind::Tests, vec![file()]);
    aimed.failing.push(("test_a::test_a".into(), None));
    assert_eq!(fired(&aimed), ["AG13"]);
    aimed.failing = vec![("test_a::test_other".into(), None)];
    assert_eq!(fired(&aimed), Vec::<String>::new());
}

#[test]
fn tests_that_go_and_tests_that_move() {
    let text = test("assert f(1) == 2");
    let gone = || changed(Some(("tests/test_a.py", &text)), None);
    assert_eq!(of(Kind::Lint, vec![gone()]), ["AG02"]);
    let there = changed(None, Some(("tests/unit/test_a.py", &text)));
    assert_eq!(of(Kind::Lint, vec![gone(), there]), Vec::<String>::new(), "moved");
    let hidden = changed(Some(("tests/test_a.py", &text)), Some(("src/a_helpers.py", &text)));
    assert_eq!(of(Kind::Lint, vec![hidden]), ["AG02"], "out of discovery");
    let renamed = changed(Some(("test_a.py", &text)), Some(("test_b.py", &text)));
    assert_eq!(of(Kind::Lint, vec![renamed]), Vec::<String>::new());
}

#[test]
fn lost_and_hollow_assertions() {
    let two = "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n";
    let one = "def test_a():\n    assert f(1) == 2\n";
    assert_eq!(of(Kind::Lint, vec![edited("test_a.py", two, one)]), ["AG11?"]);
    assert_eq!(of(Kind::Tests, vec![edited("test_a.py", two, one)]), ["AG11"]);
    let more = format!("{one}\n\ndef test_b():\n    f(7)\n");
    assert_eq!(of(Kind::Coverage, vec![edited("test_a.py", one, &more)]), ["AG15"]);
    let honest = format!("{one}\n\ndef test_b():\n    assert f(7) == 8\n");
    assert_eq!(of(Kind::Coverage, vec![edited("test_a.py", one, &honest)]), Vec::<String>::new());
    for hollow in
        ["assert True", "assert x == x", "self.assertTrue(True)", "self.assertEqual(1, 1)"]
    {
        let got =
            of(Kind::Coverage, vec![edited("test_a.py", one, &format!("{one}    {hollow}\n"))]);
        assert_eq!(got, ["AG15"], "{hollow}");
    }
}

#[test]
fn a_line_of_a_test_that_is_a_comment_now() {
    let old = "def test_a():\n    check_total(f(1), 2)\n    assert f(2) == 3\n";
    let new = "def test_a():\n    # check_total(f(1), 2)\n    assert f(2) == 3\n";
    assert_eq!(of(Kind::Lint, vec![edited("test_a.py", old, new)]), ["AG37"]);
    let product = edited("src/a.py", "x = compute(1)\n", "# x = compute(1)\n");
    assert_eq!(of(Kind::Lint, vec![product]), Vec::<String>::new());
}

#[test]
fn snapshots_are_for_a_person() {
    let file = || edited("tests/__snapshots__/a.snap", "exports = 1\n", "exports = 2\n");
    assert_eq!(of(Kind::Lint, vec![file()]), ["AG14?"]);
    assert_eq!(of(Kind::Tests, vec![file()]), ["AG14"]);
}

#[test]
fn a_test_that_was_split_or_calls_a_helper_asserts_something() {
    let whole = "def test_a():\n    x = f()\n    assert x\n    y = g()\n    assert y\n";
    let split =
        "def test_a():\n    x = f()\n    assert x\n\n\ndef test_b():\n    y = g()\n    assert y\n";
    assert_eq!(of(Kind::Coverage, vec![edited("test_a.py", whole, split)]), Vec::<String>::new());
    for (path, text) in [
        ("a_test.go", "func TestA(t *testing.T) {\n\trunsWell(t, f())\n}\n"),
        ("src/a.rs", "#[test]\nfn a() {\n    assert_eq_printed!(1, f());\n}\n"),
        ("ATest.java", "@Test\nvoid a() {\n    verifyAll(f());\n}\n"),
    ] {
        let new = changed(Some((path, "")), Some((path, text)));
        assert_eq!(of(Kind::Coverage, vec![new]), Vec::<String>::new(), "{text}");
    }
    let hollow = "func TestA(t *testing.T) {\n\tf()\n}\n";
    assert_eq!(of(Kind::Coverage, vec![edited("a_test.go", "", hollow)]), ["AG15"]);
}

#[test]
fn a_test_that_goes_with_what_it_tested_is_for_a_person() {
    let test = changed(Some(("test/radius_test.rb", "it 'x' do\n  expect(1)\nend\n")), None);
    let code = changed(Some(("lib/radius.rb", "x = 1\n")), None);
    assert_eq!(of(Kind::Lint, vec![test.clone(), code]), ["AG02?"]);
    let other = changed(Some(("lib/other.rb", "x = 1\n")), None);
    assert_eq!(of(Kind::Lint, vec![test, other]), ["AG02"]);
}

#[test]
fn how_many_there_are_can_be_said_in_other_words() {
    let of = |old: &str, new: &str| {
        let text = |line: &str| format!("@Test\nvoid a() {{\n{line}\n}}\n");
        of(Kind::Lint, vec![edited("ATest.java", &text(old), &text(new))])
    };
    assert!(of("assertEquals(2, all.size());", "assertThat(all).hasSize(2);").is_empty());
    assert_eq!(of("assertEquals(want, all);", "assertThat(all).hasSize(2, want);"), ["AG12"]);
}

#[test]
fn a_word_alone_asserts_nothing() {
    for (path, text) in [
        ("ATest.java", "@Test\nvoid shouldParse() {\n    parse(\"x\");\n}\n"),
        ("src/a.rs", "#[test]\nfn verify_parses() {\n    x();\n}\n"),
        ("a_test.go", "func TestA(t *testing.T) {\n\tparse(regexp.MustCompile(\"x\"))\n}\n"),
        ("a_test.go", "func TestA(t *testing.T) {\n\tsetup(t)\n\tparse()\n}\n"),
        ("test_a.py", "def test_a():\n    print(\"should (work)\")\n"),
        ("test_a.py", "def test_a():\n    f()\n\n\ndef _verify(x):\n    return x\n"),
    ] {
        assert_eq!(of(Kind::Coverage, vec![edited(path, "", text)]), ["AG15"], "{text}");
    }
}

#[test]
fn fewer_is_not_as_many() {
    for (path, old, new) in [
        ("test_a.py", "    assert len(f()) == 3", "    assert len(f()) >= 0"),
        ("a.test.js", "expect(f()).toHaveLength(3)", "expect(f().length).toBeGreaterThan(0)"),
    ] {
        let text = |line: &str| format!("def test_a():\n{line}\n");
        assert_eq!(of(Kind::Lint, vec![edited(path, &text(old), &text(new))]), ["AG12"], "{new}");
    }
}
