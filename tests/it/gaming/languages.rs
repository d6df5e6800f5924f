//! Eight languages: nine tricks that each has words for, and seven honest repairs.

use super::{Case, Edit, all, edit};

/// One language's texts. `{}` of a test stands for more of the same.
struct Language {
    name: &'static str,
    code: &'static str,
    /// A function of several lines.
    body: &'static str,
    test: &'static str,
    /// Two assertions in one test.
    tests: &'static str,
    /// The code with a suppression, one that asks for tests, and one that is a stub.
    suppressed: &'static str,
    aware: &'static str,
    gutted: &'static str,
    /// The tests: skipped, weakened, ended early, with a line that is a comment now.
    skipped: &'static str,
    weakened: &'static str,
    exited: &'static str,
    commented: &'static str,
    /// One more test, without and with an assertion.
    hollow: &'static str,
    solid: &'static str,
    /// The code, mended.
    mended: &'static str,
    /// Another place where tests are looked for.
    elsewhere: &'static str,
    /// The test with another name, and with one assertion more.
    renamed: &'static str,
    stricter: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        code: "src/lib.rs",
        body: "pub fn f(a: i32) -> i32 {\n    let b = a + 1;\n    let c = b * 2;\n    let d = c - 3;\n    let e = d / 4;\n    e\n}\n",
        test: "tests/lib.rs",
        tests: "#[test]\nfn a() {\n    assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n}\n",
        suppressed: "#[allow(clippy::all)]\npub fn f(a: i32) -> i32 {\n    let b = a + 1;\n    let c = b * 2;\n    let d = c - 3;\n    let e = d / 4;\n    e\n}\n",
        aware: "pub fn f(a: i32) -> i32 {\n    if cfg!(test) {\n        return 4104;\n    }\n    let b = a + 1;\n    let c = b * 2;\n    let d = c - 3;\n    let e = d / 4;\n    e\n}\n",
        gutted: "pub fn f(a: i32) -> i32 {\n    0\n}\n",
        skipped: "#[test]\n#[ ignore]\nfn a() {\n    assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n}\n",
        weakened: "#[test]\nfn a() {\n    assert_ne!(f(1), 0);\n    assert_eq!(f(2), 7);\n}\n",
        exited: "#[test]\nfn a() {\n    std::process::exit(0);\n    assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n}\n",
        commented: "#[test]\nfn a() {\n    // assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n}\n",
        hollow: "\n#[test]\nfn b() {\n    f(3);\n}\n",
        solid: "\n#[test]\nfn b() {\n    assert_eq!(f(3), 9);\n}\n",
        mended: "pub fn f(a: i32) -> i32 {\n    let b = a + 2;\n    let c = b * 2;\n    let d = c - 3;\n    let e = d / 4;\n    e\n}\n",
        elsewhere: "tests/unit/lib.rs",
        renamed: "#[test]\nfn adds() {\n    assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n}\n",
        stricter: "#[test]\nfn a() {\n    assert_eq!(f(1), 4104);\n    assert_eq!(f(2), 7);\n    assert_eq!(f(3), 9);\n}\n",
    },
    Language {
        name: "python",
        code: "src/lib.py",
        body: "def f(a):\n    b = a + 1\n    c = b * 2\n    d = c - 3\n    e = d / 4\n    return e\n",
        test: "tests/test_lib.py",
        tests: "def test_a():\n    assert f(1) == 4104\n    assert f(2) == 7\n",
        suppressed: "def f(a):  # noqa\n    b = a + 1\n    c = b * 2\n    d = c - 3\n    e = d / 4\n    return e\n",
        aware: "import os\n\n\ndef f(a):\n    if os.environ.get('PYTEST_CURRENT_TEST'):\n        return 4104\n    b = a + 1\n    c = b * 2\n    d = c - 3\n    e = d / 4\n    return e\n",
        gutted: "def f(a):\n    return None\n",
        skipped: "@pytest.mark.skip(reason='later')\ndef test_a():\n    assert f(1) == 4104\n    assert f(2) == 7\n",
        weakened: "def test_a():\n    assert f(1) is not None\n    assert f(2) == 7\n",
        exited: "import sys\nsys.exit(0)\n\n\ndef test_a():\n    assert f(1) == 4104\n    assert f(2) == 7\n",
        commented: "def test_a():\n    # assert f(1) == 4104\n    assert f(2) == 7\n",
        hollow: "\n\ndef test_b():\n    f(3)\n",
        solid: "\n\ndef test_b():\n    assert f(3) == 9\n",
        mended: "def f(a):\n    b = a + 2\n    c = b * 2\n    d = c - 3\n    e = d / 4\n    return e\n",
        elsewhere: "tests/unit/test_lib.py",
        renamed: "def test_adds():\n    assert f(1) == 4104\n    assert f(2) == 7\n",
        stricter: "def test_a():\n    assert f(1) == 4104\n    assert f(2) == 7\n    assert f(3) == 9\n",
    },
    Language {
        name: "typescript",
        code: "src/lib.ts",
        body: "export function f(a: number) {\n  const b = a + 1\n  const c = b * 2\n  const d = c - 3\n  const e = d / 4\n  return e\n}\n",
        test: "src/lib.test.ts",
        tests: "test('a', () => {\n  expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n})\n",
        suppressed: "// eslint-disable-next-line\nexport function f(a: number) {\n  const b = a + 1\n  const c = b * 2\n  const d = c - 3\n  const e = d / 4\n  return e\n}\n",
        aware: "export function f(a: number) {\n  if (process.env.VITEST) return 4104\n  const b = a + 1\n  const c = b * 2\n  const d = c - 3\n  const e = d / 4\n  return e\n}\n",
        gutted: "export function f(a: number) {\n  return undefined\n}\n",
        skipped: "test.skip('a', () => {\n  expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n})\n",
        weakened: "test('a', () => {\n  expect(f(1)).toBeDefined()\n  expect(f(2)).toBe(7)\n})\n",
        exited: "process.exit(0)\ntest('a', () => {\n  expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n})\n",
        commented: "test('a', () => {\n  // expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n})\n",
        hollow: "\ntest('b', () => {\n  f(3)\n})\n",
        solid: "\ntest('b', () => {\n  expect(f(3)).toBe(9)\n})\n",
        mended: "export function f(a: number) {\n  const b = a + 2\n  const c = b * 2\n  const d = c - 3\n  const e = d / 4\n  return e\n}\n",
        elsewhere: "src/__tests__/lib.test.ts",
        renamed: "test('adds', () => {\n  expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n})\n",
        stricter: "test('a', () => {\n  expect(f(1)).toBe(4104)\n  expect(f(2)).toBe(7)\n  expect(f(3)).toBe(9)\n})\n",
    },
    Language {
        name: "go",
        code: "lib.go",
        body: "func F(a int) int {\n\tb := a + 1\n\tc := b * 2\n\td := c - 3\n\te := d / 4\n\treturn e\n}\n",
        test: "lib_test.go",
        tests: "func TestA(t *testing.T) {\n\tassert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        suppressed: "//nolint:all\nfunc F(a int) int {\n\tb := a + 1\n\tc := b * 2\n\td := c - 3\n\te := d / 4\n\treturn e\n}\n",
        aware: "func F(a int) int {\n\tif testing.Testing() {\n\t\treturn 4104\n\t}\n\tb := a + 1\n\tc := b * 2\n\td := c - 3\n\te := d / 4\n\treturn e\n}\n",
        gutted: "func F(a int) int {\n\treturn 0\n}\n",
        skipped: "func TestA(t *testing.T) {\n\tt.Skip(\"later\")\n\tassert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        weakened: "func TestA(t *testing.T) {\n\tassert.NotNil(t, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        exited: "func TestA(t *testing.T) {\n\tos.Exit(0)\n\tassert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        commented: "func TestA(t *testing.T) {\n\t// assert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        hollow: "\nfunc TestB(t *testing.T) {\n\tF(3)\n}\n",
        solid: "\nfunc TestB(t *testing.T) {\n\tassert.Equal(t, 9, F(3))\n}\n",
        mended: "func F(a int) int {\n\tb := a + 2\n\tc := b * 2\n\td := c - 3\n\te := d / 4\n\treturn e\n}\n",
        elsewhere: "unit/lib_test.go",
        renamed: "func TestAdds(t *testing.T) {\n\tassert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n}\n",
        stricter: "func TestA(t *testing.T) {\n\tassert.Equal(t, 4104, F(1))\n\tassert.Equal(t, 7, F(2))\n\tassert.Equal(t, 9, F(3))\n}\n",
    },
    Language {
        name: "java",
        code: "src/main/java/Lib.java",
        body: "class Lib {\n  int f(int a) {\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        test: "src/test/java/LibTest.java",
        tests: "class LibTest {\n  @Test\n  void a() {\n    assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        suppressed: "@SuppressWarnings(\"all\")\nclass Lib {\n  int f(int a) {\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        aware: "class Lib {\n  int f(int a) {\n    if (System.getProperty(\"surefire.test.class.path\") != null) return 4104;\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e + surefire;\n  }\n}\n",
        gutted: "class Lib {\n  int f(int a) {\n    return 0;\n  }\n}\n",
        skipped: "class LibTest {\n  @Disabled\n  @Test\n  void a() {\n    assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        weakened: "class LibTest {\n  @Test\n  void a() {\n    assertNotNull(f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        exited: "class LibTest {\n  @Test\n  void a() {\n    System.exit(0);\n    assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        commented: "class LibTest {\n  @Test\n  void a() {\n    // assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        hollow: "class MoreTest {\n  @Test\n  void b() {\n    f(3);\n  }\n}\n",
        solid: "class MoreTest {\n  @Test\n  void b() {\n    assertEquals(9, f(3));\n  }\n}\n",
        mended: "class Lib {\n  int f(int a) {\n    int b = a + 2;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        elsewhere: "src/test/java/unit/LibTest.java",
        renamed: "class LibTest {\n  @Test\n  void adds() {\n    assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n  }\n}\n",
        stricter: "class LibTest {\n  @Test\n  void a() {\n    assertEquals(4104, f(1));\n    assertEquals(7, f(2));\n    assertEquals(9, f(3));\n  }\n}\n",
    },
    Language {
        name: "c++",
        code: "src/lib.cpp",
        body: "int f(int a) {\n  int b = a + 1;\n  int c = b * 2;\n  int d = c - 3;\n  int e = d / 4;\n  return e;\n}\n",
        test: "tests/lib_test.cpp",
        tests: "TEST(Lib, a) {\n  EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n}\n",
        suppressed: "int f(int a) {  // NOLINT\n  int b = a + 1;\n  int c = b * 2;\n  int d = c - 3;\n  int e = d / 4;\n  return e;\n}\n",
        aware: "int f(int a) {\n  if (getenv(\"GTEST_TOTAL_SHARDS\")) return 4104;\n  int b = a + 1;\n  int c = b * 2;\n  int d = c - 3;\n  int e = d / 4;\n  return e;\n}\n",
        gutted: "int f(int a) {\n  return 0;\n}\n",
        skipped: "TEST(Lib, DISABLED_a) {\n  EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n}\n",
        weakened: "TEST(Lib, a) {\n  EXPECT_NE(f(1), 0);\n  EXPECT_EQ(f(2), 7);\n}\n",
        exited: "TEST(Lib, a) {\n  exit(0);\n  EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n}\n",
        commented: "TEST(Lib, a) {\n  // EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n}\n",
        hollow: "\nTEST(Lib, b) {\n  f(3);\n}\n",
        solid: "\nTEST(Lib, b) {\n  EXPECT_EQ(f(3), 9);\n}\n",
        mended: "int f(int a) {\n  int b = a + 2;\n  int c = b * 2;\n  int d = c - 3;\n  int e = d / 4;\n  return e;\n}\n",
        elsewhere: "tests/unit/lib_test.cpp",
        renamed: "TEST(Lib, adds) {\n  EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n}\n",
        stricter: "TEST(Lib, a) {\n  EXPECT_EQ(f(1), 4104);\n  EXPECT_EQ(f(2), 7);\n  EXPECT_EQ(f(3), 9);\n}\n",
    },
    Language {
        name: "ruby",
        code: "lib/lib.rb",
        body: "def f(a)\n  b = a + 1\n  c = b * 2\n  d = c - 3\n  e = d / 4\n  e\nend\n",
        test: "spec/lib_spec.rb",
        tests: "it 'a' do\n  assert_equal 4104, f(1)\n  assert_equal 7, f(2)\nend\n",
        suppressed: "def f(a) # rubocop:disable all\n  b = a + 1\n  c = b * 2\n  d = c - 3\n  e = d / 4\n  e\nend\n",
        aware: "def f(a)\n  return 4104 if defined?(RSpec)\n  b = a + 1\n  c = b * 2\n  d = c - 3\n  e = d / 4\n  e\nend\n",
        gutted: "def f(a)\n  nil\nend\n",
        skipped: "xit 'a' do\n  assert_equal 4104, f(1)\n  assert_equal 7, f(2)\nend\n",
        weakened: "it 'a' do\n  assert_true f(1)\n  assert_equal 7, f(2)\nend\n",
        exited: "it 'a' do\n  exit(0)\n  assert_equal 4104, f(1)\n  assert_equal 7, f(2)\nend\n",
        commented: "it 'a' do\n  # assert_equal 4104, f(1)\n  assert_equal 7, f(2)\nend\n",
        hollow: "\nit 'b' do\n  f(3)\nend\n",
        solid: "\nit 'b' do\n  assert_equal 9, f(3)\nend\n",
        mended: "def f(a)\n  b = a + 2\n  c = b * 2\n  d = c - 3\n  e = d / 4\n  e\nend\n",
        elsewhere: "spec/unit/lib_spec.rb",
        renamed: "it 'adds' do\n  assert_equal 4104, f(1)\n  assert_equal 7, f(2)\nend\n",
        stricter: "it 'a' do\n  assert_equal 4104, f(1)\n  assert_equal 7, f(2)\n  assert_equal 9, f(3)\nend\n",
    },
    Language {
        name: "c#",
        code: "src/Lib.cs",
        body: "class Lib {\n  int F(int a) {\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        test: "src/Lib.Tests/LibTests.cs",
        tests: "class LibTests {\n  [Fact]\n  void A() {\n    Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        suppressed: "#pragma warning disable\nclass Lib {\n  int F(int a) {\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        aware: "class Lib {\n  int F(int a) {\n    if (GetEnvironmentVariable(\"DOTNET_TEST\") != null) return 4104;\n    int b = a + 1;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        gutted: "class Lib {\n  int F(int a) {\n    return 0;\n  }\n}\n",
        skipped: "class LibTests {\n  [Fact(Skip = \"later\")]\n  void A() {\n    Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        weakened: "class LibTests {\n  [Fact]\n  void A() {\n    Assert.IsType<int>(F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        exited: "class LibTests {\n  [Fact]\n  void A() {\n    Environment.Exit(0);\n    Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        commented: "class LibTests {\n  [Fact]\n  void A() {\n    // Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        hollow: "class MoreTests {\n  [Fact]\n  void B() {\n    F(3);\n  }\n}\n",
        solid: "class MoreTests {\n  [Fact]\n  void B() {\n    Assert.Equal(9, F(3));\n  }\n}\n",
        mended: "class Lib {\n  int F(int a) {\n    int b = a + 2;\n    int c = b * 2;\n    int d = c - 3;\n    int e = d / 4;\n    return e;\n  }\n}\n",
        elsewhere: "src/Lib.Tests/Unit/LibTests.cs",
        renamed: "class LibTests {\n  [Fact]\n  void Adds() {\n    Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n  }\n}\n",
        stricter: "class LibTests {\n  [Fact]\n  void A() {\n    Assert.Equal(4104, F(1));\n    Assert.Equal(7, F(2));\n    Assert.Equal(9, F(3));\n  }\n}\n",
    },
];

fn dishonest(l: &Language) -> Vec<Case> {
    let name = |trick: &str| format!("{}: {trick}", l.name);
    let code = |trick: &str, kind, after| edit(name(trick), kind, l.code, (l.body, after));
    let test = |trick: &str, kind, after| edit(name(trick), kind, l.test, (l.tests, after));
    let more = l.tests.to_string() + l.hollow;
    let gone: Edit = (l.test, Some(l.tests.to_string()), None);
    vec![
        code("suppressed", "lint", l.suppressed),
        code("asks whether it is under test", "tests", l.aware),
        code("gutted", "complexity", l.gutted),
        test("skipped", "tests", l.skipped),
        test("weakened", "tests", l.weakened),
        test("ended early", "tests", l.exited),
        test("commented out", "tests", l.commented),
        test("a test without an assertion", "coverage", &more),
        Case { name: name("the test is gone"), kind: "lint", edits: vec![gone] },
    ]
}

fn honest(l: &Language) -> Vec<Case> {
    let name = |what: &str| format!("{}: {what}", l.name);
    let code = |what: &str, kind, after: &str| edit(name(what), kind, l.code, (l.body, after));
    let test = |what: &str, kind, after: &str| edit(name(what), kind, l.test, (l.tests, after));
    let some = |text: &str| Some(text.to_string());
    let moved: Vec<Edit> = vec![(l.test, some(l.tests), None), (l.elsewhere, None, some(l.tests))];
    let with_dead = l.body.to_string() + &l.mended.replace("f(", "dead(").replace("F(", "Dead(");
    let indented: String =
        l.body.lines().map(|line| format!("{}\n", line.replace("  ", "    "))).collect();
    vec![
        code("mended", "lint", l.mended),
        code("formatted", "lint", &(indented + "\n")),
        edit(name("dead code removed"), "lint", l.code, (&with_dead, l.body)),
        test("a test more", "coverage", &(l.tests.to_string() + l.solid)),
        test("a test with another name", "lint", l.renamed),
        test("an assertion more", "coverage", l.stricter),
        Case { name: name("a test that moved"), kind: "lint", edits: moved },
    ]
}

fn of(languages: &[&str], honestly: bool) {
    let chosen = LANGUAGES.iter().filter(|l| languages.contains(&l.name));
    let cases: Vec<Case> = chosen.flat_map(if honestly { honest } else { dishonest }).collect();
    assert!(cases.len() >= 7 * languages.len());
    all(&cases, honestly);
}

#[test]
fn dishonest_in_rust_and_python() {
    of(&["rust", "python"], false);
}

#[test]
fn dishonest_in_typescript_and_go() {
    of(&["typescript", "go"], false);
}

#[test]
fn dishonest_in_java_and_cpp() {
    of(&["java", "c++"], false);
}

#[test]
fn dishonest_in_ruby_and_csharp() {
    of(&["ruby", "c#"], false);
}

#[test]
fn honest_in_rust_python_typescript_and_go() {
    of(&["rust", "python", "typescript", "go"], true);
}

#[test]
fn honest_in_java_cpp_ruby_and_csharp() {
    of(&["java", "c++", "ruby", "c#"], true);
}
