//! Lines of javac (`A.java:12: error: message`), also as Ant, Maven and Gradle repeat them, with those
//! of the Kotlin compiler in between, which builds of both languages mix.
//!
//! javac writes nothing where there is nothing to say. Javadoc's warnings under Maven are none of the
//! compiler's.

use super::jvm::{self, Maven};
use super::lines::{self, Line, Tool, found, number, plain};
use crate::formats::Format;
use crate::formats::text::head_text;
use crate::model::Level;

/// The row of the table.
pub(super) const FORMAT: Format =
    Format { sniff, ..lines::row::<Javac>("javac", "javac, Error Prone, maven-compiler-plugin") };

/// Only what javac itself writes: a log of Maven may hold results of any tool.
fn sniff(head: &[u8]) -> bool {
    let text = head_text(head);
    text.lines()
        .map(plain)
        .find(|l| !l.is_empty() && !options(l))
        .is_some_and(|line| jvm::java(&line).is_some())
}

#[derive(Default)]
struct Javac {
    maven: Maven,
    /// A diagnostic was there, to which an indented line belongs.
    spoken: bool,
}

impl Tool for Javac {
    const NAME: &'static str = "javac";
    const QUIET: bool = true;

    fn line(&mut self, line: &str) -> Line {
        if let Some(finding) = jvm::java(line).or_else(|| jvm::kotlin(line)) {
            self.spoken = true;
            return Line::Finding(finding);
        }
        if let Some((level, text)) = without_place(line) {
            return Line::Finding(found(Self::NAME, level, "", ("", text)));
        }
        if options(line) {
            let text = line.strip_prefix("warning: [options] ").unwrap_or(line);
            return Line::Finding(found(Self::NAME, Level::Warning, "options", ("", text)));
        }
        if line.starts_with("Note: ") || self.spoken && line.starts_with(' ') {
            return Line::Known;
        }
        match number(line) {
            Some((n, " error" | " errors" | " warning" | " warnings")) => Line::Count(n),
            _ => self.maven.line(line),
        }
    }
}

/// About the options it was called with: they come first, without a place.
fn options(line: &str) -> bool {
    line.starts_with("warning: [options] ")
}

/// Errors about the call; other compilers print `error:` too, so only javac's own texts are taken.
fn without_place(line: &str) -> Option<(Level, &str)> {
    let text = line.strip_prefix("error: ")?;
    let known = [
        "warnings found and -Werror specified",
        "invalid ",
        "file not found: ",
        "no source files",
        "release version ",
        "cannot access ",
        "Class names, ",
    ];
    known.iter().any(|k| text.starts_with(k)).then_some((Level::Error, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reading;

    fn read(text: &str) -> Reading {
        (FORMAT.read)(&mut text.as_bytes())
    }

    #[test]
    fn all_that_is_printed() {
        let text = "warning: [options] bootstrap class path\n/p/A.java:12: error: ';' expected\n    \
            int x\n         ^\n  [javac] D:\\B.java:225: warning: [deprecation] f(java.lang.String) x\n\
            [WARNING] /C:/p/C.java:[14,39] [unchecked] cast\n[ERROR] /p/D.java:[3,1] cannot find\n\
            [INFO] BUILD FAILURE\n[ERROR] Failed to execute goal x: Compilation failure\n\
            [ERROR] /p/D.java:[3,1] cannot find\nw: file:///p/E.kt:8:27 old\n\
            w: /p/F.kt: (3, 5): cast: x\n[WARNING] /p/G.kt: (44, 63) cast\n\
            [WARNING] /p/A.java:85: warning: no comment\n";
        let Reading::Figures(f) = read(text) else { panic!() };
        let got: Vec<_> = f
            .lint
            .unwrap()
            .findings
            .into_iter()
            .map(|f| (f.path.unwrap_or_default(), f.line.unwrap_or(0), f.rule, f.level))
            .collect();
        use Level::{Error, Warning};
        let want = [
            ("", 0, "options", Warning),
            ("/p/A.java", 12, "", Error),
            ("D:/B.java", 225, "deprecation", Warning),
            ("C:/p/C.java", 14, "unchecked", Warning),
            ("/p/D.java", 3, "", Error),
            ("/p/E.kt", 8, "", Warning),
            ("/p/F.kt", 3, "", Warning),
            ("/p/G.kt", 44, "", Warning),
        ];
        assert_eq!(got, want.map(|(p, n, r, l)| (p.into(), n, r.into(), l)));
    }

    #[test]
    fn clean_and_foreign() {
        for text in ["", "Note: A.java uses unchecked\n", "[INFO] a\n[INFO] BUILD SUCCESS\nx\n"] {
            assert!(matches!(read(text), Reading::Figures(_)), "{text}");
        }
        for text in
            ["x", " x", "[INFO] cut", "a.c:1: error: x", "[ERROR] no\n", "error: aborting due to 2"]
        {
            assert!(matches!(read(text), Reading::Refused(_)), "{text}");
        }
    }
}
