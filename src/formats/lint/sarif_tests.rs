//! Tests of the SARIF reader: severity, what counts, places, and unfinished runs.

use super::sarif::{FORMAT, with_severities};
use crate::model::{Figures, Level, LintFigures, Reading, Severity};

fn read(json: &str) -> Reading {
    (FORMAT.read)(&mut json.as_bytes())
}

/// A log of one run with these fields.
fn log(run: &str) -> String {
    format!(r#"{{"runs":[{{{run}}}],"version":"2.1.0"}}"#)
}

fn figures(json: &str) -> Figures {
    match read(json) {
        Reading::Figures(f) => f,
        other => panic!("{other:?} for {json}"),
    }
}

fn lint(run: &str) -> LintFigures {
    figures(&log(run)).lint.unwrap()
}

const TOOL: &str = r#""tool":{"driver":{"name":"t","version":"1","rules":[
    {"id":"A","defaultConfiguration":{"level":"error"},"messageStrings":{"m":{"text":"a {0} b {1}"}}},
    {"id":"B","defaultConfiguration":{"enabled":true}},
    {"id":"N","defaultConfiguration":{"level":"note"}}]},
    "extensions":[{"name":"e","rules":[{"id":"X","defaultConfiguration":{"level":"none"}}]}]}"#;

#[test]
fn severity_chain() {
    let overrides = r#""invocations":[{"executionSuccessful":true,"ruleConfigurationOverrides":[
        {"descriptor":{"id":"N"},"configuration":{"level":"error"}}]}]"#;
    for (result, level) in [
        (r#""ruleId":"A","level":"note""#, Level::Note),
        (r#""ruleId":"A""#, Level::Error),
        (r#""ruleIndex":0"#, Level::Error),
        (r#""ruleId":"","ruleIndex":0"#, Level::Error),
        (r#""ruleId":"A/sub","ruleIndex":-1"#, Level::Error),
        (r#""ruleId":"A","ruleIndex":2"#, Level::Error),
        (r#""rule":{"id":"A"}"#, Level::Error),
        (r#""rule":{"index":0}"#, Level::Error),
        (r#""ruleId":"B""#, Level::Warning),
        (r#""ruleId":"unknown""#, Level::Warning),
        (r#""level":"ERROR""#, Level::Error),
        (r#""level":"high""#, Level::Warning),
        (r#""ruleId":"X""#, Level::None),
        (r#""rule":{"index":0,"toolComponent":{"index":0}}"#, Level::None),
        (r#""rule":{"index":0,"toolComponent":{"name":"e"}}"#, Level::None),
        (r#""ruleId":"N""#, Level::Error),
        (r#""ruleId":"N","level":"note""#, Level::Note),
        (r#""ruleId":"N","provenance":{"invocationIndex":0}"#, Level::Error),
        (r#""ruleId":"N","provenance":{"invocationIndex":7}"#, Level::Note),
    ] {
        // results come before the tool in many files, and after it in others
        let results = format!(r#""results":[{{{result},"message":{{"text":"m"}}}}]"#);
        for run in
            [format!("{results},{TOOL},{overrides}"), format!("{TOOL},{overrides},{results}")]
        {
            assert_eq!(lint(&run).findings[0].level, level, "{result}");
        }
    }
}

#[test]
fn what_counts() {
    let result = |rest: &str| format!(r#"{{"ruleId":"A","message":{{"text":"m"}}{rest}}}"#);
    // finding, suppressed, absent, ignored
    for (rest, want) in [
        ("", [1, 0, 0, 0]),
        (r#","kind":"fail""#, [1, 0, 0, 0]),
        (r#","kind":"pass","level":"note""#, [0, 0, 0, 1]),
        (r#","kind":"review""#, [0, 0, 0, 1]),
        (r#","suppressions":[]"#, [1, 0, 0, 0]),
        (r#","suppressions":null"#, [1, 0, 0, 0]),
        (r#","suppressions":[{"kind":"inSource"}]"#, [0, 1, 0, 0]),
        (r#","suppressions":[{"status":"accepted"}]"#, [0, 1, 0, 0]),
        (r#","suppressions":[{"state":"rejected"}]"#, [1, 0, 0, 0]),
        (r#","suppressions":[{"status":"accepted"},{"status":"underReview"}]"#, [1, 0, 0, 0]),
        (r#","baselineState":"absent""#, [0, 0, 1, 0]),
        (r#","baselineState":"unchanged""#, [1, 0, 0, 0]),
        (r#","baselineState":"existing""#, [1, 0, 0, 0]),
    ] {
        let l = lint(&format!(r#"{TOOL},"results":[{}]"#, result(rest)));
        let got = [l.findings.len() as u64, l.suppressed, l.absent, l.ignored];
        assert_eq!(got, want, "{rest}");
    }
    // one result with several locations and equal results
    let twice = r#","locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"}}},{}]"#;
    let l = lint(&format!(r#"{TOOL},"results":[{0},{0}]"#, result(twice)));
    assert_eq!(l.findings.len(), 2);
    assert_eq!(l.tool_version.as_deref(), Some("1"));
}

#[test]
fn places() {
    let bases = r#""originalUriBaseIds":{"ROOT":{"uri":"file:///home/u/p/"},
        "SRC":{"uri":"src/","uriBaseId":"ROOT"},"EMPTY":{},"LOOP":{"uri":"x/","uriBaseId":"LOOP"}},
        "artifacts":[{"location":{"uri":"lib/b.c"}}]"#;
    for (place, path) in [
        (r#""uri":"src/a.c""#, Some("src/a.c")),
        (r#""uri":"a%20b.c","uriBaseId":"SRC""#, Some("/home/u/p/src/a b.c")),
        (r#""uri":"a.c","uriBaseId":"EMPTY""#, Some("a.c")),
        (r#""uri":"a.c","uriBaseId":"NONE""#, Some("a.c")),
        (r#""uri":"file:///C:/x/a.c","uriBaseId":"ROOT""#, Some("C:/x/a.c")),
        (r#""uri":"src\\a.c""#, Some("src/a.c")),
        (r#""index":0"#, Some("lib/b.c")),
        (r#""index":9"#, None),
        (r#""uri":"""#, None),
    ] {
        let run = format!(
            r#"{bases},{TOOL},"results":[{{"message":{{"text":"m"}},"locations":[{{"physicalLocation":
            {{"artifactLocation":{{{place}}},"region":{{"startLine":7}}}}}}]}}]"#
        );
        let f = &lint(&run).findings[0];
        assert_eq!((f.path.as_deref(), f.line), (path, Some(7)), "{place}");
    }
    let run = format!(
        r#"{bases},{TOOL},"results":[{{"message":{{}},"locations":[{{"physicalLocation":
        {{"artifactLocation":{{"uri":"a","uriBaseId":"LOOP"}}}}}}]}},{{"message":{{}},"locations":[]}}]"#
    );
    assert_eq!(lint(&run).findings[1].path, None);
}

#[test]
fn messages_and_fingerprints() {
    let run = format!(
        r#"{TOOL},"results":[{{"ruleId":"A","message":{{"id":"m","arguments":["1","2"]}},
        "partialFingerprints":{{"b/v1":"y","a/v1":"x"}},"fingerprints":{{"odd":{{"value":[1]}}}}}}]"#
    );
    let f = &lint(&run).findings[0];
    assert_eq!((f.message.as_str(), f.fingerprint.as_deref()), ("a 1 b 2", Some("a/v1:x")));
    assert_eq!(f.tool, "t");
}

#[test]
fn unfinished_runs_are_degraded() {
    for run in [
        r#""invocations":[{"executionSuccessful":false}]"#,
        r#""invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"level":"error","message":{"text":"m"}}]}]"#,
        r#""invocations":[{"executionSuccessful":true,"toolConfigurationNotifications":[{"level":"error","message":{"text":"m"}}]}]"#,
    ] {
        let json = log(&format!("{TOOL},{run},\"results\":[]"));
        let Reading::Degraded(_, causes) = read(&json) else { panic!("{json}") };
        assert_eq!(causes.len(), 1);
    }
    let fine = r#""invocations":[{"executionSuccessful":true,"toolExecutionNotifications":[{"message":{"text":"m"}}]}]"#;
    assert!(lint(&format!("{TOOL},{fine},\"results\":[]")).findings.is_empty());
}

#[test]
fn not_computed_is_not_none() {
    for run in [TOOL.to_owned(), format!("{TOOL},\"results\":null"), String::new()] {
        assert!(matches!(read(&log(&run)), Reading::Refused(_)), "{run}");
    }
    let two = format!(r#"{{"version":"2.1.0","runs":[{{{TOOL}}},{{{TOOL},"results":[]}}]}}"#);
    assert_eq!(figures(&two).notes.len(), 1);
    for json in [
        r#"{"version":"2.1.0","runs":[]}"#,
        r#"{"version":"2.1.0","runs":null}"#,
        r#"{"version":"2.1.0"}"#,
        r#"{"version":"1.0.0","runs":[{"results":[]}]}"#,
        r#"{"runs":[{"results":[]}]}"#,
        r#"{"version":"2.1.0","runs":[{"results":[]}]"#,
        r#"{"version":"2.1.0","runs":[{"results":[]}]}{}"#,
        r#"{"version":"2.1.0","runs":{"results":[]}}"#,
    ] {
        assert!(matches!(read(json), Reading::Refused(_)), "{json}");
    }
}

#[test]
fn each_finding_that_counts_has_a_severity() {
    let rules = r#""tool":{"driver":{"name":"t","rules":[
        {"id":"A","properties":{"security-severity":"9.8","tags":["security"]}},
        {"id":"B","properties":[]}]},
        "extensions":[{"name":"e","rules":[{"id":"X","properties":{"security-severity":"7.5"}}]}]}"#;
    let result = |rest: &str| format!(r#"{{"message":{{"text":"m"}},{rest}}}"#);
    let all = [
        r#""ruleId":"A""#,
        r#""ruleId":"A","level":"error","properties":{"severity":"Low"}"#,
        r#""ruleId":"A","suppressions":[{"kind":"inSource"}]"#,
        r#""ruleId":"A","baselineState":"absent""#,
        r#""ruleId":"A","kind":"pass""#,
        r#""ruleId":"X""#,
        r#""ruleId":"B","level":"error","properties":null"#,
        r#""ruleId":"B","level":"note","properties":"odd""#,
        r#""ruleId":"B","properties":{"qodanaSeverity":"Critical"}"#,
    ]
    .map(result)
    .join(",");
    let results = format!(r#""results":[{all}]"#);
    for run in [format!("{results},{rules}"), format!("{rules},{results}")] {
        let json = log(&run);
        let (reading, severities) = with_severities(&mut json.as_bytes());
        let Reading::Figures(figures) = reading else { panic!("{reading:?}") };
        assert_eq!(figures.lint.unwrap().findings.len(), severities.len());
        use Severity::{Critical, High, Low};
        assert_eq!(severities, [Critical, Low, High, High, Low, Critical]);
    }
    let (reading, severities) = with_severities(&mut b"{".as_slice());
    assert!(matches!(reading, Reading::Refused(_)) && severities.is_empty());
}
