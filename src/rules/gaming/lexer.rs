//! Which bytes of a source are code, strings and comments: small, and right often enough that a
//! pattern quoted in a string, or talked about in a comment, is not taken for the thing itself.

/// What a byte is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Code, and the quotes around a string.
    Code,
    /// The inside of a string.
    String,
    /// The first byte of a comment.
    CommentStart,
    /// The rest of it.
    Comment,
}

/// How a family of languages writes comments and strings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syntax {
    /// What starts a comment that ends with its line.
    pub(crate) line: &'static str,
    /// What encloses comments that may span lines; empty where there are none.
    pub(crate) block: (&'static str, &'static str),
    /// What encloses strings that may span lines, the longest first.
    pub(crate) long_strings: &'static [&'static str],
    /// What encloses strings that end with their line at the latest.
    pub(crate) strings: &'static [u8],
}

/// `//`, `/* */`.
pub(crate) const C_LIKE: Syntax =
    Syntax { line: "//", block: ("/*", "*/"), long_strings: &["\"\"\""], strings: b"\"'" };

/// As C, and strings between backquotes span lines.
pub(crate) const SCRIPT: Syntax =
    Syntax { line: "//", block: ("/*", "*/"), long_strings: &["`"], strings: b"\"'" };

/// As C, where `'` starts a lifetime as often as a character, and any string spans lines.
pub(crate) const RUST: Syntax =
    Syntax { line: "//", block: ("/*", "*/"), long_strings: &["\""], strings: b"" };

/// `#`, triple quotes.
pub(crate) const PYTHON: Syntax =
    Syntax { line: "#", block: ("", ""), long_strings: &["\"\"\"", "'''"], strings: b"\"'" };

/// `#`, `=begin` and `=end`.
pub(crate) const RUBY: Syntax =
    Syntax { line: "#", block: ("\n=begin", "\n=end"), long_strings: &[], strings: b"\"'" };

enum In {
    Code,
    Line,
    Block,
    Long(&'static str),
    Short(u8),
}

/// The zone of each byte of a text.
pub(crate) fn zones(text: &str, syntax: &Syntax) -> Vec<Zone> {
    let bytes = text.as_bytes();
    let mut zones = Vec::with_capacity(bytes.len());
    let mut state = In::Code;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (next, len, zone) = step(&state, rest, syntax);
        let first = match zone {
            Zone::Comment if matches!(state, In::Code) => Zone::CommentStart,
            zone => zone,
        };
        zones.push(first);
        zones.extend(std::iter::repeat_n(zone, len - 1));
        state = next;
        at += len;
    }
    zones.truncate(bytes.len());
    zones
}

/// The state after the next piece, its length, and its zone.
fn step(state: &In, rest: &[u8], syntax: &Syntax) -> (In, usize, Zone) {
    let starts = |what: &str| !what.is_empty() && rest.starts_with(what.as_bytes());
    let escaped = rest[0] == b'\\' && rest.len() > 1;
    match state {
        In::Code => {
            if starts(syntax.line) {
                return (In::Line, syntax.line.len(), Zone::Comment);
            }
            if starts(syntax.block.0) {
                return (In::Block, syntax.block.0.len(), Zone::Comment);
            }
            if let Some(quote) = syntax.long_strings.iter().find(|q| starts(q)) {
                return (In::Long(quote), quote.len(), Zone::Code);
            }
            match syntax.strings.contains(&rest[0]) {
                true => (In::Short(rest[0]), 1, Zone::Code),
                false => (In::Code, 1, Zone::Code),
            }
        }
        In::Line | In::Short(_) if rest[0] == b'\n' => (In::Code, 1, Zone::Code),
        In::Line => (In::Line, 1, Zone::Comment),
        In::Block if starts(syntax.block.1) => (In::Code, syntax.block.1.len(), Zone::Comment),
        In::Block => (In::Block, 1, Zone::Comment),
        In::Long(quote) if escaped => (In::Long(quote), 2, Zone::String),
        In::Long(quote) if starts(quote) => (In::Code, quote.len(), Zone::Code),
        In::Long(quote) => (In::Long(quote), 1, Zone::String),
        In::Short(quote) if escaped && rest[1] != b'\n' => (In::Short(*quote), 2, Zone::String),
        In::Short(quote) if rest[0] == *quote => (In::Code, 1, Zone::Code),
        In::Short(quote) => (In::Short(*quote), 1, Zone::String),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `c` code, `s` string, `#` comment.
    fn drawn(text: &str, syntax: &Syntax) -> String {
        let sign = |z: Zone| match z {
            Zone::Code => 'c',
            Zone::String => 's',
            Zone::CommentStart => '!',
            Zone::Comment => '#',
        };
        zones(text, syntax).into_iter().map(sign).collect()
    }

    #[test]
    fn zones_of_small_texts() {
        for (syntax, text, want) in [
            (&C_LIKE, "a // b", "cc!###"),
            (&C_LIKE, "a /* b\n */ c", "cc!#######cc"),
            (&C_LIKE, "\"//\" x", "cssccc"),
            (&C_LIKE, "'\"' // x", "cscc!###"),
            (&SCRIPT, "`a\n//b`;", "cssssscc"),
            (&RUST, "\"a\\\"b\" x", "cssssccc"),
            (&RUST, "&'a str // b", "cccccccc!###"),
            (&PYTHON, "\"\"\"# n\n\"\"\" # y", "cccsssscccc!##"),
            (&PYTHON, "'#' # x", "cscc!##"),
            (&RUBY, "x = '#' # y", "cccccscc!##"),
        ] {
            assert_eq!(drawn(text, syntax), want, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_byte_has_a_zone(text in ".{0,80}") {
            for syntax in [&C_LIKE, &SCRIPT, &RUST, &PYTHON, &RUBY] {
                proptest::prop_assert_eq!(zones(&text, syntax).len(), text.len());
            }
        }
    }
}
