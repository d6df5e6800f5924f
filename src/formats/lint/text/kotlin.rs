//! Lines of the Kotlin compiler, itself and under Gradle: `w: file:///a/B.kt:3:5 message`,
//! `e: /a/B.kt: (3, 5): message`; and as Maven repeats them.

use super::jvm::{self, Maven};
use super::lines::{self, Line, Tool};
use crate::formats::Format;

/// The row of the table.
pub(super) const FORMAT: Format =
    lines::row::<Kotlin>("kotlin-text", "kotlinc, Gradle's and Maven's Kotlin plugins");

#[derive(Default)]
struct Kotlin {
    maven: Maven,
}

impl Tool for Kotlin {
    const NAME: &'static str = "kotlinc";

    fn line(&mut self, line: &str) -> Line {
        if let Some(finding) = jvm::kotlin(line) {
            return Line::Finding(finding);
        }
        if ["i: ", "v: ", "> Task "].iter().any(|s| line.starts_with(s)) {
            return Line::Known;
        }
        match self.maven.line(line) {
            // what other compilers say is theirs
            Line::Finding(f) if f.tool != Self::NAME => Line::Other,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Level, Reading, SharedText};

    #[test]
    fn lines() {
        let text = "> Task :a:compileKotlin\ne: file:///C:/a/B.kt:37:50 Unresolved: x\n\
            w: C:\\a\\C.kt: (25, 17): Variable x\nw: '-Xjvm-default' is deprecated\n\
            [WARNING] /a/D.kt: (44, 63) Unchecked cast\n[ERROR] /a/E.java:[1,1] not Kotlin\n";
        assert!((FORMAT.sniff)(text.as_bytes()));
        let Reading::Figures(f) = (FORMAT.read)(&mut text.as_bytes()) else { panic!() };
        let got: Vec<_> =
            f.lint.unwrap().findings.into_iter().map(|f| (f.level, f.path, f.line)).collect();
        let want = [
            (Level::Error, Some(SharedText::from("C:/a/B.kt")), Some(37)),
            (Level::Warning, Some(SharedText::from("C:/a/C.kt")), Some(25)),
            (Level::Warning, None, None),
            (Level::Warning, Some(SharedText::from("/a/D.kt")), Some(44)),
        ];
        assert_eq!(got, want);
    }
}
