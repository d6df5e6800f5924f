//! Each format of the table by a small report, and what none of them takes.

use crate::formats::{by_name, detect};
use crate::model::{Level, Reading};

/// Format, report, path, line, rule and level of its first finding, how many there are.
type Row = (&'static str, &'static str, &'static str, u32, &'static str, Level, usize);

const REPORTS: &[Row] = &[
    (
        "pylint-json",
        r#"[{"type":"convention","module":"a","line":3,"path":"a.py","symbol":"missing-docstring","message":"m","message-id":"C0114"}]"#,
        "a.py",
        3,
        "missing-docstring",
        Level::Note,
        1,
    ),
    (
        "pylint-json2",
        r#"{"messages":[{"type":"error","symbol":"no-member","message":"m","messageId":"E1101","line":3,"path":"a.py"}],"statistics":{"score":1}}"#,
        "a.py",
        3,
        "no-member",
        Level::Error,
        1,
    ),
    (
        "mypy-json",
        "{\"file\":\"a.py\",\"line\":3,\"column\":0,\"message\":\"m\",\"hint\":null,\"code\":\"arg-type\",\"severity\":\"error\"}\n",
        "a.py",
        3,
        "arg-type",
        Level::Error,
        1,
    ),
    (
        "pyright-json",
        r#"{"version":"1","time":"1","generalDiagnostics":[{"file":"/p/a.py","severity":"warning","message":"m","range":{"start":{"line":2,"character":0}},"rule":"reportX"}],"summary":{"filesAnalyzed":1}}"#,
        "/p/a.py",
        3,
        "reportX",
        Level::Warning,
        1,
    ),
    (
        "golangci-json",
        r#"{"Issues":[{"FromLinter":"errcheck","Text":"m","Severity":"","Pos":{"Filename":"a.go","Line":3}}],"Report":{"Linters":[]}}"#,
        "a.go",
        3,
        "errcheck",
        Level::Error,
        1,
    ),
    (
        "shellcheck-json",
        r#"[{"file":"a.sh","line":3,"endLine":3,"column":1,"level":"info","code":2086,"message":"m","fix":null}]"#,
        "a.sh",
        3,
        "2086",
        Level::Note,
        1,
    ),
    (
        "shellcheck-json1",
        r#"{"comments":[{"file":"a.sh","line":3,"endLine":3,"column":1,"level":"error","code":2086,"message":"m","fix":null}]}"#,
        "a.sh",
        3,
        "2086",
        Level::Error,
        1,
    ),
    (
        "hadolint-json",
        r#"[{"line":3,"code":"DL3008","message":"m","column":1,"file":"Dockerfile","level":"warning"}]"#,
        "Dockerfile",
        3,
        "DL3008",
        Level::Warning,
        1,
    ),
    (
        "rubocop-json",
        r#"{"metadata":{},"files":[{"path":"a.rb","offenses":[{"severity":"convention","message":"m","cop_name":"Style/X","location":{"start_line":3}}]}],"summary":{}}"#,
        "a.rb",
        3,
        "Style/X",
        Level::Note,
        1,
    ),
    (
        "stylelint-json",
        r#"[{"source":"a.css","deprecations":[],"errored":true,"warnings":[{"line":3,"column":1,"rule":"x","severity":"error","text":"m"}]}]"#,
        "a.css",
        3,
        "x",
        Level::Error,
        1,
    ),
    (
        "gitlab-codequality-json",
        r#"[{"check_name":"x","description":"m","severity":"minor","fingerprint":"f","location":{"path":"a.py","lines":{"begin":3}}}]"#,
        "a.py",
        3,
        "x",
        Level::Warning,
        1,
    ),
    (
        "semgrep-json",
        r#"{"errors":[],"results":[{"check_id":"x","path":"a.js","start":{"line":3},"extra":{"message":"m","severity":"ERROR","is_ignored":false}},{"check_id":"x","path":"a.js","start":{"line":4},"extra":{"is_ignored":true}}]}"#,
        "a.js",
        3,
        "x",
        Level::Error,
        1,
    ),
    (
        "bandit-json",
        r#"{"errors":[],"generated_at":"","metrics":{},"results":[{"filename":"a.py","issue_severity":"LOW","issue_text":"m","line_number":3,"test_id":"B101"}]}"#,
        "a.py",
        3,
        "B101",
        Level::Note,
        1,
    ),
    (
        "gosec-json",
        r#"{"Golang errors":{},"Issues":[{"severity":"HIGH","rule_id":"G304","details":"m","file":"a.go","line":"3"}],"Stats":{}}"#,
        "a.go",
        3,
        "G304",
        Level::Error,
        1,
    ),
    (
        "checkov-json",
        r#"{"check_type":"terraform","results":{"passed_checks":[],"failed_checks":[{"check_id":"CKV_1","check_name":"m","file_path":"/a.tf","file_line_range":[3,9]}],"skipped_checks":[{}],"parsing_errors":[]},"summary":{"checkov_version":"3"}}"#,
        "a.tf",
        3,
        "CKV_1",
        Level::Error,
        1,
    ),
    (
        "swiftlint-json",
        r#"[{"character":null,"file":"a.swift","line":3,"reason":"m","rule_id":"x","severity":"Error","type":"X"}]"#,
        "a.swift",
        3,
        "x",
        Level::Error,
        1,
    ),
    (
        "actionlint-json",
        r#"[{"message":"m","filepath":"w.yml","line":3,"column":1,"kind":"syntax-check","snippet":"s","end_column":2}]"#,
        "w.yml",
        3,
        "syntax-check",
        Level::Error,
        1,
    ),
    (
        "rdjson",
        r#"{"diagnostics":[{"code":{"value":"E501"},"location":{"path":"a.py","range":{"start":{"line":3}}},"message":"m"}],"severity":"WARNING","source":{"name":"ruff"}}"#,
        "a.py",
        3,
        "E501",
        Level::Warning,
        1,
    ),
    (
        "brakeman-json",
        r#"{"scan_info":{},"warnings":[{"warning_type":"X","check_name":"Y","fingerprint":"f","message":"m","file":"a.rb","line":3,"confidence":"High"}]}"#,
        "a.rb",
        3,
        "Y",
        Level::Error,
        1,
    ),
    (
        "tfsec-json",
        r#"{"results":[{"rule_id":"x","description":"m","severity":"HIGH","resolution":"r","location":{"filename":"a.tf","start_line":3}}]}"#,
        "a.tf",
        3,
        "x",
        Level::Error,
        1,
    ),
    (
        "tflint-json",
        r#"{"issues":[{"rule":{"name":"x","severity":"warning"},"message":"m","range":{"filename":"a.tf","start":{"line":3}}}],"errors":[]}"#,
        "a.tf",
        3,
        "x",
        Level::Warning,
        1,
    ),
    (
        "staticcheck-json",
        "{\"code\":\"SA1\",\"severity\":\"error\",\"location\":{\"file\":\"a.go\",\"line\":3},\"end\":{},\"message\":\"m\"}\n",
        "a.go",
        3,
        "SA1",
        Level::Error,
        1,
    ),
    (
        "revive-json",
        r#"[{"Severity":"warning","Failure":"m","RuleName":"x","Position":{"Start":{"Filename":"a.go","Line":3}}}]"#,
        "a.go",
        3,
        "x",
        Level::Warning,
        1,
    ),
    (
        "markdownlint-json",
        r#"[{"fileName":"a.md","lineNumber":3,"ruleNames":["MD001"],"ruleDescription":"m"}]"#,
        "a.md",
        3,
        "MD001",
        Level::Warning,
        1,
    ),
    (
        "cfn-lint-json",
        r#"[{"Filename":"a.yml","Level":"Error","Location":{"Start":{"LineNumber":3}},"Message":"m","Rule":{"Id":"E1"}}]"#,
        "a.yml",
        3,
        "E1",
        Level::Error,
        1,
    ),
];

#[test]
fn every_format_of_the_table() {
    for (name, report, path, line, rule, level, count) in REPORTS {
        let format = by_name(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(detect(report.as_bytes()).map(|f| f.name), Ok(*name));
        let reading = (format.read)(&mut report.as_bytes());
        let Reading::Figures(f) = reading else { panic!("{name}: {reading:?}") };
        let findings = f.lint.unwrap().findings;
        assert_eq!(findings.len(), *count, "{name}");
        let first = &findings[0];
        let place = (first.path.as_deref(), first.line);
        assert_eq!(place, (Some(*path), Some(*line)), "{name}");
        assert_eq!((first.rule.as_str(), first.level), (*rule, *level), "{name}");
        assert_eq!(first.message, "m", "{name}");
        for cut in [report.len() / 2, report.trim_end().len() - 1] {
            let reading = (format.read)(&mut &report.as_bytes()[..cut]);
            assert!(matches!(reading, Reading::Refused(_)), "{name} cut at {cut}: {reading:?}");
        }
    }
}

#[test]
fn errors_of_the_tool_are_no_clean_run() {
    let report = r#"{"errors":[{"message":"cannot parse b.js"}],"results":[]}"#;
    let reading = (by_name("semgrep-json").unwrap().read)(&mut report.as_bytes());
    let Reading::Degraded(_, causes) = reading else { panic!("{reading:?}") };
    assert_eq!(causes, ["it reports an error: cannot parse b.js"]);
    let none = r#"{"Issues":null,"Report":{}}"#;
    let reading = (by_name("golangci-json").unwrap().read)(&mut none.as_bytes());
    assert!(matches!(reading, Reading::Figures(_)), "{reading:?}");
    let foreign = r#"{"issues":[]}"#;
    let reading = (by_name("golangci-json").unwrap().read)(&mut foreign.as_bytes());
    assert!(matches!(reading, Reading::Refused(_)), "{reading:?}");
}

#[test]
fn rows_of_a_query() {
    let rows = by_name("rows").unwrap();
    let reading = (rows.read)(&mut &br#"[{"b":1,"a":[2]},{}]"#[..]);
    let Reading::Figures(f) = reading else { panic!("{reading:?}") };
    let said: Vec<String> = f.lint.unwrap().findings.into_iter().map(|f| f.message).collect();
    assert_eq!(said, [r#"{"a":[2],"b":1}"#, "{}"]);
    assert!(matches!((rows.read)(&mut &b"[]"[..]), Reading::Figures(_)));
    for wrong in [&b"[1]"[..], b"{}", b"", b"null", b"[{}"] {
        assert!(matches!((rows.read)(&mut &wrong[..]), Reading::Refused(_)));
    }
}
