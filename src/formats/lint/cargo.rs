//! Messages of cargo and rustc, one JSON object a line (`cargo clippy --message-format=json`).
//!
//! Only a `compiler-message` with a code or a place is a finding; closing counts, artifacts and build
//! scripts are none. A library is compiled once more for its tests: what is the same there counts
//! once. Lines that are no JSON (a build's own output in one file with it) are passed over.

use std::collections::HashSet;

use serde::Deserialize;

use crate::formats::json::{Num, Text};
use crate::formats::text::{TextReader, head_text, next_line};
use crate::formats::{Format, FormatKind, Found, paths, reading};
use crate::model::{Figures, Finding, Level, LintFigures};

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    name: "cargo-json",
    kind: FormatKind::Lint,
    tools: "cargo clippy, cargo check, cargo build (--message-format=json)",
    sniff,
    read: |input| reading(input, parse),
};

const REASONS: [&str; 5] = [
    "compiler-message",
    "compiler-artifact",
    "build-script-executed",
    "build-finished",
    "timing-info",
];

fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    let reason = |line: &str| {
        let rest =
            line.trim_start().strip_prefix("{\"reason\":")?.trim_start().strip_prefix('"')?;
        rest.split('"').next().map(|r| REASONS.contains(&r))
    };
    text.lines().any(|line| reason(line) == Some(true))
}

#[derive(Deserialize)]
struct Line {
    reason: Text,
    message: Option<Diagnostic>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: Text,
    code: Option<Code>,
    level: Text,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: Text,
}

#[derive(Deserialize)]
struct Span {
    file_name: Text,
    line_start: Num,
    line_end: Num,
    column_start: Num,
    column_end: Num,
    is_primary: bool,
}

/// What makes two diagnostics one.
#[derive(PartialEq, Eq, Hash)]
struct Identity {
    code: String,
    message: String,
    place: Option<(String, [Option<u64>; 4])>,
}

#[derive(Default)]
struct Stream {
    lint: LintFigures,
    seen: HashSet<Identity>,
    messages: u64,
    broken: u64,
    /// The line before this point is the start of a message and no more.
    cut: bool,
    finished: bool,
    failed: bool,
}

fn parse(input: &mut TextReader<'_>) -> Found {
    let (mut stream, mut line) = (Stream::default(), String::new());
    while next_line(input, &mut line).map_err(|e| e.say())? {
        stream.line(line.trim());
    }
    stream.finish()
}

impl Stream {
    fn line(&mut self, line: &str) {
        self.cut = !line.is_empty() && "{\"reason\"".starts_with(line);
        if !line.starts_with('{') {
            return;
        }
        let Ok(message) = serde_json::from_str::<Line>(line) else {
            // a program's own output may be JSON too; only cargo's says why it was written
            self.broken += u64::from(line.starts_with("{\"reason\""));
            return;
        };
        if !REASONS.contains(&message.reason.0.as_str()) {
            return;
        }
        self.messages += 1;
        self.finished = message.reason.0 == "build-finished";
        self.failed |= self.finished && message.success != Some(true);
        if message.reason.0 == "compiler-message" {
            match message.message {
                Some(diagnostic) => self.diagnostic(diagnostic),
                None => self.broken += 1,
            }
        }
    }

    fn diagnostic(&mut self, d: Diagnostic) {
        let span = d.spans.iter().find(|s| s.is_primary);
        if d.code.is_none() && span.is_none() {
            return;
        }
        let level = match d.level.0.as_str() {
            "warning" => Level::Warning,
            "note" | "help" | "failure-note" => Level::Note,
            // error, and the compiler's own breakdown
            _ => Level::Error,
        };
        let code = d.code.map(|c| c.code.0).unwrap_or_default();
        let path = span.map(|s| paths::from_path(&s.file_name.0));
        let place = span.map(|s| [s.line_start.0, s.column_start.0, s.line_end.0, s.column_end.0]);
        let identity = Identity {
            code: code.clone(),
            message: d.message.0.clone(),
            place: path.clone().zip(place),
        };
        if !self.seen.insert(identity) {
            return;
        }
        self.lint.findings.push(Finding {
            tool: if code.starts_with("clippy::") { "clippy" } else { "rustc" }.into(),
            rule: code.into(),
            level,
            path: path.map(Into::into),
            line: span.and_then(|s| s.line_start.line()),
            message: d.message.0,
            fingerprint: None,
            line_hash: None,
        });
    }

    fn finish(self) -> Found {
        if self.messages == 0 {
            return Err("no messages of cargo are in it".into());
        }
        let mut causes = Vec::new();
        if self.broken > 0 || self.cut {
            causes.push(format!("messages that cannot be read: {}", self.broken.max(1)));
        }
        if !self.finished {
            causes.push("the build is not finished in it: it may be cut off".into());
        }
        if self.failed && !self.lint.findings.iter().any(|f| f.level == Level::Error) {
            causes.push("the build failed without an error that names a place".into());
        }
        Ok((Figures { lint: Some(self.lint), ..Figures::default() }, causes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    const DONE: &str = "{\"reason\":\"build-finished\",\"success\":true}\n";
    const FAILED: &str = "{\"reason\":\"build-finished\",\"success\":false}\n";

    fn message(level: &str, code: &str, line: Option<u32>) -> String {
        let code = if code.is_empty() { "null".into() } else { format!("{{\"code\":\"{code}\"}}") };
        let span = line.map_or(String::new(), |n| {
            format!("{{\"file_name\":\"src\\\\a.rs\",\"line_start\":{n},\"line_end\":{n},\"column_start\":1,\"column_end\":2,\"is_primary\":true}}")
        });
        format!(
            "{{\"reason\":\"compiler-message\",\"message\":{{\"message\":\"m\",\"code\":{code},\"level\":\"{level}\",\"spans\":[{span}],\"children\":[]}}}}\n"
        )
    }

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn findings() {
        let twice = message("warning", "unused", Some(1)).repeat(2);
        let text = [
            "   Compiling x\n{\"other\": \"json\"}\n{not json\n",
            &twice,
            &message("warning", "unused", Some(2)),
            &message("error", "", Some(2)),
            &message("warning", "clippy::x", None),
            &message("warning", "", None),
            DONE,
            "running 3 tests\n",
        ]
        .concat();
        let Reading::Figures(f) = read(&text) else { panic!("{:?}", read(&text)) };
        let findings = f.lint.unwrap().findings;
        let got: Vec<_> = findings.iter().map(|f| (f.level, f.line, f.tool.as_str())).collect();
        assert_eq!(
            got,
            [
                (Level::Warning, Some(1), "rustc"),
                (Level::Warning, Some(2), "rustc"),
                (Level::Error, Some(2), "rustc"),
                (Level::Warning, None, "clippy"),
            ]
        );
        assert_eq!(findings[0].path.as_deref(), Some("src/a.rs"));
    }

    #[test]
    fn ends() {
        let warning = message("warning", "unused", Some(1));
        let error = message("error", "E1", Some(1));
        for text in [
            warning.clone(),
            format!("{warning}{FAILED}"),
            format!("{DONE}{warning}"),
            format!("{warning}{}", &DONE[..10]),
            format!("{DONE}{}", &warning[..40]),
        ] {
            assert!(matches!(read(&text), Reading::Degraded(..)), "{text}");
        }
        assert!(matches!(read(&format!("{error}{FAILED}")), Reading::Figures(_)));
        for text in ["   Compiling x\nerror: no\n", "{\"Action\":\"pass\"}\n", &warning[..60]] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
    }
}
