//! ESLint's JSON (`eslint --format json`).
//!
//! Severity 2 is an error, 1 a warning; a file that cannot be parsed is a fatal error without a rule.
//! Messages that a comment in the code suppresses are counted apart.

use serde::Deserialize;

use crate::formats::json::{self, EachOfSome, Num, Text};
use crate::formats::text::{TextReader, head_text};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "eslint-json",
    kind: FormatKind::Lint,
    tools: "ESLint (eslint --format json)",
    sniff,
    read: |input| reading(input, parse),
};

fn sniff(head: &[u8]) -> bool {
    json::shape(&head_text(head)).is_some_and(|s| s.list && s.has(&["filePath", "messages"]))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: Text,
    messages: Vec<Message>,
    #[serde(default)]
    suppressed_messages: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<Text>,
    severity: Option<Num>,
    fatal: Option<bool>,
    message: Option<Text>,
    line: Option<Num>,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let mut lint = LintFigures::default();
    let mut list = false;
    let each = EachOfSome::new(&mut list, |file: File| {
        lint.suppressed += file.suppressed_messages.map_or(0, |list| list.len() as u64);
        let path = paths::from_path(&file.file_path.0);
        for message in file.messages {
            add(&mut lint, &path, message);
        }
        Ok(())
    });
    json::whole(input, each)?;
    if !list {
        return Err("no ESLint JSON: it is no list".into());
    }
    Ok((Figures { lint: Some(lint), ..Figures::default() }, Vec::new()))
}

fn add(lint: &mut LintFigures, path: &str, message: Message) {
    let level = match (message.fatal, message.severity.and_then(|n| n.0)) {
        (Some(true), _) | (_, Some(2..)) => Level::Error,
        (_, Some(0)) => {
            lint.ignored += 1;
            return;
        }
        _ => Level::Warning,
    };
    lint.findings.push(Finding {
        rule: message.rule_id.map(|r| r.0).unwrap_or_default().into(),
        level,
        path: Some(path).filter(|p| !p.is_empty()).map(Into::into),
        line: message.line.and_then(Num::line),
        message: message.message.map(|m| m.0).unwrap_or_default(),
        tool: "eslint".into(),
        fingerprint: None,
        line_hash: None,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    #[test]
    fn severities() {
        let json = r#"[{"filePath": "C:\\x\\a.js", "messages": [
            {"ruleId": "no-undef", "severity": 2, "message": "m", "line": 3},
            {"ruleId": null, "fatal": true, "severity": 1, "message": "Parsing error", "line": null},
            {"ruleId": "semi", "severity": 1, "message": "w"}, {"ruleId": "off", "severity": 0}],
            "suppressedMessages": [{"ruleId": "x", "severity": 2, "suppressions": []}],
            "errorCount": 9, "source": "code"}, {"filePath": "b.js", "messages": []}]"#;
        let Reading::Figures(f) = (FORMAT.read)(&mut json.as_bytes()) else { panic!() };
        let lint = f.lint.unwrap();
        let levels: Vec<_> = lint.findings.iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Error, Level::Error, Level::Warning]);
        assert_eq!((lint.suppressed, lint.ignored), (1, 1));
        assert_eq!(lint.findings[0].path.as_deref(), Some("C:/x/a.js"));
    }

    #[test]
    fn empty_is_legal_and_foreign_is_not() {
        assert!(matches!((FORMAT.read)(&mut &b"[ \n ]"[..]), Reading::Figures(_)));
        for json in ["{}", "null", "[{}]", r#"[{"source": "a.css", "warnings": []}]"#, "[", "[]x"] {
            assert!(matches!((FORMAT.read)(&mut json.as_bytes()), Reading::Refused(_)), "{json}");
        }
    }
}
