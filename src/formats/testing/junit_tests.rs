//! The JUnit reader against small reports.

use super::cases::MAX_MESSAGE;
use super::junit::FORMAT;
use crate::model::TestStatus::{Errored, Failed, Passed, Skipped};
use crate::model::{Reading, TestCase};

fn read(xml: &str) -> Reading {
    (FORMAT.read)(&mut xml.as_bytes())
}

fn cases(xml: &str) -> Vec<TestCase> {
    match read(xml) {
        Reading::Figures(f) => f.tests.unwrap().cases,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_case() {
    for (case, status, flaky) in [
        ("<testcase name='a'/>", Passed, false),
        ("<testcase name='a'><failure/></testcase>", Failed, false),
        ("<testcase name='a'><skipped/><failure/><error/></testcase>", Errored, false),
        ("<testcase name='a'><error/><failure/></testcase>", Errored, false),
        ("<testcase name='a'><failure/><failure/><skipped/></testcase>", Failed, false),
        ("<testcase name='a' status='disabled'/>", Skipped, false),
        ("<testcase name='a' status='disabled'><failure/></testcase>", Failed, false),
        ("<testcase name='a' status='notrun' result='suppressed'/>", Skipped, false),
        ("<testcase name='a' status='run' result='completed'/>", Passed, false),
        ("<testcase name='a'><flakyFailure/><flakyError/></testcase>", Passed, true),
        ("<testcase name='a'><failure/><rerunFailure/></testcase>", Failed, false),
        ("<testcase name='a'><skipped type='todo'/><failure/></testcase>", Skipped, false),
        ("<testcase name='a'><properties><failure/></properties></testcase>", Failed, false),
        ("<testcase name='a'><system-out>error failure</system-out></testcase>", Passed, false),
    ] {
        let got = cases(&format!("<testsuite name='s'>{case}</testsuite>"));
        assert_eq!(got.len(), 1, "{case}");
        assert_eq!((got[0].status, got[0].flaky), (status, flaky), "{case}");
        assert_eq!(got[0].id, "s::a");
    }
    assert_eq!(cases("<testcase classname='c' name='a'/>")[0].id, "c::a");
}

#[test]
fn messages() {
    let xml = "<testsuite><testcase name='a'><failure message='short &lt;1'><![CDATA[long\ntext]]></failure>\
               <system-out>no</system-out><error>worse</error></testcase>\
               <testcase name='b'><failure>&#27;[31m only &amp; text</failure></testcase></testsuite>";
    let got = cases(xml);
    assert_eq!(got[0].message.as_deref(), Some("worse"));
    assert_eq!(got[1].message.as_deref(), Some("\u{1b}[31m only & text"));
    let long = format!("<testcase name='a'><failure>{}</failure></testcase>", "ä".repeat(9000));
    assert_eq!(cases(&long)[0].message.as_ref().unwrap().chars().count(), MAX_MESSAGE);
}

#[test]
fn identity() {
    let xml = "<testsuites name='run'><testsuite name='o'><testsuite name='i'>\
        <testcase classname='c' name='a' file='f'><failure/></testcase>\
        <testcase classname='c' name='a' file='f'/>\
        <testcase classname='d' name='a'/><testcase/><testcase/>\
        <testcase name='x' file='p'/><testcase name='x' file='q'><error/></testcase>\
        <testcase name='y' line='1'><error/></testcase><testcase name='y' line='2'/>\
        </testsuite></testsuite></testsuites>";
    let got = cases(xml);
    let ids: Vec<_> = got.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
    assert_eq!(
        ids,
        [
            ("o::i::c::a", Passed, true),
            ("o::i::d::a", Passed, false),
            ("o::i::(unnamed 1)", Passed, false),
            ("o::i::(unnamed 2)", Passed, false),
            ("o::i::x@p", Passed, false),
            ("o::i::x@q", Errored, false),
            ("o::i::y:1", Errored, false),
            ("o::i::y:2", Passed, false),
        ]
    );
}

#[test]
fn retries_and_rows() {
    let f = "<testcase name='a'><failure/></testcase>";
    let p = "<testcase name='a'/>";
    let flaky = "<testcase name='b'><flakyFailure/></testcase>";
    let two = format!("{f}</testsuite><testsuite name='s'>{p}");
    for (tool, inside, want) in [
        ("s", format!("{f}{p}"), vec![("s::a", Passed, true)]),
        ("s", format!("{p}{f}"), vec![("s::a", Passed, false), ("s::a#2", Failed, false)]),
        (
            "s",
            format!("{f}{p}{flaky}"),
            vec![("s::a", Failed, false), ("s::a#2", Passed, false), ("s::b", Passed, true)],
        ),
        ("pytest' hostname='h", format!("{p}{f}"), vec![("pytest::a", Failed, false)]),
        ("pytest' hostname='h", format!("{p}{p}"), vec![("pytest::a", Passed, false)]),
        (
            "Mocha Tests",
            format!("{f}{p}"),
            vec![("Mocha Tests::a", Failed, false), ("Mocha Tests::a#2", Passed, false)],
        ),
        // suites of one name
        ("s", two, vec![("s::a", Failed, false)]),
    ] {
        let xml = format!("<testsuites><testsuite name='{tool}'>{inside}</testsuite></testsuites>");
        let got = cases(&xml);
        let got: Vec<_> = got.iter().map(|c| (c.id.as_str(), c.status, c.flaky)).collect();
        assert_eq!(got, want, "{inside}");
    }
}

#[test]
fn declared_and_found() {
    for xml in [
        "<testsuites tests='3'/>",
        "<testsuites><testsuite name='s' tests='6'/><testsuite tests='1'><testcase name='a'/></testsuite></testsuites>",
        "<testsuite tests='0'><error message='no import'/></testsuite>",
    ] {
        assert!(matches!(read(xml), Reading::Degraded(..)), "{xml}");
    }
    for xml in ["<testsuites/>", "<testsuite tests='0'/>", "<testsuites><testsuite/></testsuites>"]
    {
        assert!(cases(xml).is_empty(), "{xml}");
    }
    let xml = "<testsuite tests='3'><testcase name='a'/></testsuite>";
    let Reading::Figures(f) = read(xml) else { panic!() };
    assert_eq!(f.notes, [" declares 3 tests and has 1"]);
    // the outer suite's number includes the inner ones
    let xml = "<testsuites tests='2'><testsuite tests='2'><testcase name='a'/>\
               <testsuite tests='1'><testcase name='b'/></testsuite></testsuite></testsuites>";
    let Reading::Figures(f) = read(xml) else { panic!() };
    assert!(f.notes.is_empty(), "{:?}", f.notes);
}

#[test]
fn foreign_and_cut() {
    for xml in ["<test-run/>", "<html/>", "<testsuite><testcase name='a'>", "<testsuite", "{}"] {
        assert!(matches!(read(xml), Reading::Refused(_)), "{xml}");
    }
}
