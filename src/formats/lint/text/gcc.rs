//! Lines of GCC and of what speaks like it: Clang, clang-tidy, ShellCheck's gcc format, Doxygen.
//!
//! `path:line:column: severity: message [-Wflag]` (GNU Coding Standards, "Formatting Error Messages").
//! A note belongs to the diagnostic before it. Build tools' lines in between are passed over; a text
//! of which no line is understood is refused, an empty one is what a compiler without complaints
//! writes.

use super::lines::{self, Line, Place, Tool, closing_part, found, number_after, place};
use super::words::{Word, severity};
use crate::formats::Format;
use crate::model::Level;

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<Gcc>("gcc", "GCC, Clang, clang-tidy, ShellCheck (-f gcc), Doxygen");

/// Files of languages whose tools print `path:line: error:` too, and have a format of their own.
const OTHERS: &[&str] = &[".py", ".pyi", ".ipynb", ".java", ".kt", ".kts", ".go", ".rb"];

#[derive(Default)]
struct Gcc {
    /// The line before was a diagnostic: Clang quotes the code next, as it stands there.
    quoting: bool,
    /// A line of a compiler or build was there, to which an indented one belongs.
    spoken: bool,
}

impl Tool for Gcc {
    const NAME: &'static str = "gcc";
    const QUIET: bool = true;

    fn line(&mut self, line: &str) -> Line {
        let placed = place(line).filter(|p| !p.ends(OTHERS));
        let said = placed.and_then(|p| diagnostic(&p)).or_else(|| driver(line));
        let quoted = std::mem::replace(&mut self.quoting, said.is_some());
        let says = compiler_says(line) || build_says(line);
        self.spoken |= said.is_some() || says;
        if let Some(said) = said {
            return said;
        }
        if let Some(n) = number_after(line, "Suppressed ") {
            return Line::Suppressed(n);
        }
        match line.strip_prefix("Error while processing ") {
            Some(file) => Line::Broken(format!("clang-tidy failed on {file}"), None),
            None if says || self.spoken && line.starts_with(' ') => Line::Known,
            None if quoted && place(line).is_none() => Line::Known,
            None => Line::Other,
        }
    }
}

fn diagnostic(place: &Place<'_>) -> Option<Line> {
    let (word, text) = severity(place.rest)?;
    let (text, rule) = match closing_part(text, '[', ']') {
        Some((text, part)) if !part.is_empty() && !part.contains(' ') => (text, rule(part)),
        _ => (text, String::new()),
    };
    let level = match word {
        Word::Of(level) => level,
        // a note of ShellCheck is a result of its own
        Word::Explains if is_shellcheck(&rule) => Level::Note,
        Word::Explains => return Some(Line::Known),
    };
    let tool = if is_shellcheck(&rule) { "shellcheck" } else { Gcc::NAME };
    let finding = place.finding(tool, level, &rule, text);
    Some(match place.rest.starts_with("internal compiler error") {
        true => Line::Broken("the compiler has an internal error".into(), Some(finding)),
        false => Line::Finding(finding),
    })
}

fn is_shellcheck(rule: &str) -> bool {
    rule.strip_prefix("SC").is_some_and(|n| n.len() == 4 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// One name for a rule, whether it is taken for an error or not: `-Werror=unused`,
/// `-Werror,-Wunused` and `-Wunused` are one, and so are `check` and `check,-warnings-as-errors`.
fn rule(part: &str) -> String {
    let names = part.split(',').filter(|n| !matches!(*n, "-Werror" | "-warnings-as-errors"));
    let names: Vec<_> = names
        .map(|n| n.strip_prefix("-Werror=").map_or(n.to_owned(), |n| format!("-W{n}")))
        .collect();
    names.join(",")
}

/// What a driver or linker says without a place: `gcc: fatal error: no input files`.
fn driver(line: &str) -> Option<Line> {
    let (who, rest) = line.split_once(": ")?;
    let program = who.rsplit(['/', '\\']).next()?.trim_end_matches(".exe");
    let names = ["gcc", "g++", "cc", "c++", "cc1", "cc1plus", "clang", "clang++", "collect2", "ld"];
    // a cross compiler has its target first, a versioned one its version last
    if who.contains(' ') || !program.split('-').any(|part| names.contains(&part)) {
        return None;
    }
    let (word, text) = severity(rest)?;
    match word {
        Word::Of(level) => Some(Line::Finding(found(Gcc::NAME, level, "", ("", text)))),
        Word::Explains => Some(Line::Known),
    }
}

/// Lines around diagnostics.
fn compiler_says(line: &str) -> bool {
    let around = [": In ", ": At ", ": Dans ", ": En la "];
    line.starts_with("In file included from ")
        || line == "compilation terminated."
        || line.ends_with("warnings being treated as errors")
        || line.ends_with(" generated.") && line.starts_with(|c: char| c.is_ascii_digit())
        || line.starts_with("Use -header-filter=")
        || line.ends_with(':') && around.iter().any(|a| line.contains(a))
}

/// What make, CMake and Ninja say of what they run.
fn build_says(line: &str) -> bool {
    let starts =
        ["make: ", "make[", "ninja: ", "gcc ", "g++ ", "cc ", "c++ ", "clang ", "clang++ "];
    let progress = line
        .strip_prefix('[')
        .and_then(|l| l.split_once("] "))
        .is_some_and(|(n, _)| n.bytes().all(|b| b.is_ascii_digit() || b" %/".contains(&b)));
    // make says by *** that it failed
    (starts.iter().any(|s| line.starts_with(s)) && !line.contains("*** ")) || progress
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn diagnostics() {
        let text = "make: Entering directory\nIn file included from a.c:1:\na.c: In function 'f':\n\
            a.c:3:5: warning: unused variable [a] 'x' [-Werror=unused-variable]\n    3 | int x;\n\
            a.c:4:1: note: here\n../b.h:7: error: x: y\nC:\\b.c:1:1: fatal error: x.h: No such file\n\
            a.c:5:6: error: x [-Werror,-Wshadow]\na.sh:3:1: note: Quote it. [SC2086]\n\
            a.c:1:1: Warnung: x\ncollect2: error: ld returned 1 exit status\na.py:1: error: x\n";
        let Reading::Figures(f) = read(text) else { panic!() };
        assert_eq!(f.notes, ["lines of others, passed over: 1"]);
        let lint = f.lint.unwrap();
        use Level::{Error, Note, Warning};
        let got: Vec<_> = lint.findings.iter().map(|f| (f.level, f.rule.as_str())).collect();
        let want = [
            (Warning, "-Wunused-variable"),
            (Error, ""),
            (Error, ""),
            (Error, "-Wshadow"),
            (Note, "SC2086"),
            (Warning, ""),
            (Error, ""),
        ];
        assert_eq!(got, want);
        assert_eq!(lint.findings[0].message, "unused variable [a] 'x'");
        assert_eq!(lint.findings[6].path, None);
    }

    #[test]
    fn clean_and_foreign() {
        for text in [
            "",
            "[ 50%] Building C object\nmake: Leaving directory\n",
            "2 warnings generated.\nSuppressed 2 warnings (2 NOLINT).\n",
        ] {
            assert!(matches!(read(text), Reading::Figures(_)), "{text}");
        }
        for text in [
            "all is well",
            "  indented",
            "make: *** [Makefile:1: all] Error 1",
            "a.py:1: error: x",
            "a.c:1:1: msg",
        ] {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
        assert!(matches!(read("Error while processing /a.cpp.\n"), Reading::Degraded(..)));
    }
}
