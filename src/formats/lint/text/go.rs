//! Lines of Go's linters, `path.go:line:column: message`: golint and golangci-lint's text, which may
//! name the linter in brackets at the end, and `go vet`, which names each package first (`# package`).
//!
//! Neither has severities. What vet says by `vet:` is that a package could not be compiled.

use super::lines::{self, Line, Place, Tool, closing_part, place};
use crate::formats::Format;
use crate::model::{Finding, Level};

/// The row of the table for golint.
pub(super) const GOLINT: Format =
    lines::row::<GoLint>("golint-text", "golint, golangci-lint (text)");

/// The row of the table for vet.
pub(super) const GOVET: Format = lines::row::<GoVet>("govet-text", "go vet");

#[derive(Default)]
struct GoLint;

impl Tool for GoLint {
    const NAME: &'static str = "golint";

    fn line(&mut self, line: &str) -> Line {
        // a package's name is how vet starts
        if line.starts_with("# ") || line.starts_with("vet: ") {
            return Line::Other;
        }
        match go_place(line).filter(|p| p.column) {
            Some(place) => Line::Finding(lint(&place)),
            None if line.starts_with([' ', '\t']) => Line::Known,
            None => Line::Other,
        }
    }
}

fn lint(place: &Place<'_>) -> Finding {
    let text = place.rest.strip_prefix("warning: ").unwrap_or(place.rest);
    let (text, rule) = match closing_part(text, '(', ')') {
        Some((text, name)) if !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase()) => {
            (text, name)
        }
        _ => (text, ""),
    };
    place.finding(GoLint::NAME, Level::Warning, rule, text)
}

#[derive(Default)]
struct GoVet {
    /// The name of a package was there, so what follows is vet's.
    package: bool,
}

impl Tool for GoVet {
    const NAME: &'static str = "go vet";

    fn line(&mut self, line: &str) -> Line {
        if line.starts_with("# ") {
            self.package = true;
            return Line::Known;
        }
        if let Some(text) = line.strip_prefix("vet: ") {
            let finding = go_place(text).map(|p| p.finding(Self::NAME, Level::Error, "", p.rest));
            return Line::Broken(format!("go vet: {text}"), finding);
        }
        // without a package's name, a column would be another's
        match go_place(line).filter(|p| self.package || !p.column) {
            Some(place) => {
                self.package = true;
                Line::Finding(place.finding(Self::NAME, Level::Error, "", place.rest))
            }
            None if line.starts_with("exit status ") || line.starts_with(['\t', ' ']) => {
                Line::Known
            }
            None => Line::Other,
        }
    }
}

fn go_place(line: &str) -> Option<Place<'_>> {
    place(line).filter(|p| p.ends(&[".go"]) && !p.rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::by_name;
    use crate::model::Reading;

    #[test]
    fn both() {
        let lint =
            "a.go:28:1: comment on exported type (or not) x\na.go:3:1:warning: bad (revive)\n";
        let vet = "# example.com/a\n./a.go:7:2: fmt.Printf format %s\n";
        for (text, name, rules) in
            [(lint, "golint-text", ["", "revive"].as_slice()), (vet, "govet-text", &[""])]
        {
            let format = by_name(name).unwrap();
            assert!((format.sniff)(text.as_bytes()));
            let Reading::Figures(f) = (format.read)(&mut text.as_bytes()) else { panic!() };
            let got: Vec<_> = f.lint.unwrap().findings.into_iter().map(|f| f.rule).collect();
            assert_eq!(got, rules);
        }
        assert!(!(GOLINT.sniff)(vet.as_bytes()) && !(GOVET.sniff)(lint.as_bytes()));
        let broken = "# a\nvet: ./a.go:3:2: undefined: x\n";
        let Reading::Degraded(f, _) = (GOVET.read)(&mut broken.as_bytes()) else { panic!() };
        assert_eq!(f.lint.unwrap().findings.len(), 1);
    }
}
