//! Text from outside, made safe to show in a terminal, a report or a prompt.
//!
//! Program output, file names and commit messages are written by others. Shown raw, they can move
//! the cursor, repaint lines, set the clipboard, or hide words from the reader.

use std::iter::Peekable;
use std::str::Chars;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// The one-character form of `ESC \`, which ends a control string.
const STRING_END: char = '\u{9c}';

/// Removes what a reader cannot see: control characters except newline and tab, whole escape
/// sequences with their contents, marks that reorder text, and characters without width.
///
/// A control string (OSC, DCS, SOS, PM, APC) that is not closed on its line loses its introducer
/// only: an open one must not swallow the evidence after it.
pub fn sanitize(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE => skip_escape(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_control_string(&mut rest),
            '\n' | '\t' => shown.push(c),
            _ if c.is_control() || is_invisible(c) => {}
            _ => shown.push(c),
        }
    }
    shown
}

/// [`sanitize`] for bytes; what is not UTF-8 becomes U+FFFD.
pub fn sanitize_bytes(bytes: &[u8]) -> String {
    sanitize(&String::from_utf8_lossy(bytes))
}

/// A word for a shell: quoted where it would mean more than itself.
pub fn shell_word(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Skips what follows an escape character.
fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_control_string(rest);
        }
        _ => {
            while rest.next_if(|c| (' '..='/').contains(c)).is_some() {}
            rest.next_if(|c| ('0'..='~').contains(c));
        }
    }
}

/// Skips parameters, intermediates and the final character of a control sequence (CSI).
fn skip_control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| ('0'..='?').contains(c)).is_some() {}
    while rest.next_if(|c| (' '..='/').contains(c)).is_some() {}
    rest.next_if(|c| ('@'..='~').contains(c));
}

/// Skips a control string to its end, or nothing where it has no end on this line.
fn skip_control_string(rest: &mut Peekable<Chars<'_>>) {
    let mut ahead = rest.clone();
    while let Some(c) = ahead.next() {
        let closed = match c {
            '\n' => return,
            BELL | STRING_END => true,
            ESCAPE => ahead.next_if_eq(&'\\').is_some(),
            _ => false,
        };
        if closed {
            *rest = ahead;
            return;
        }
    }
}

/// Whether a character changes the order of others or takes no room.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        // tags and further variation selectors: used to smuggle words past a human reader
        | '\u{e0000}'..='\u{e0fff}')
}

/// How many bytes of a text stand before the first quote, backslash or control character: what
/// JSON writes as it is. Most strings are
/// short, so that eight bytes at a time are faster than a search that has to be set up.
#[inline]
pub fn unescaped(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // the high bit of each byte that is zero; above the first of them it may be wrong
        let zero = |x: u64| x.wrapping_sub(ONES) & !x;
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let found = zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5c)) | control;
        let found = found & (ONES << 7);
        if found != 0 {
            return n * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let special = |b: &u8| *b < 0x20 || matches!(*b, b'"' | b'\\');
    words.len() * 8 + rest.iter().position(special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_a_string_that_is_not_plain() {
        for length in 0..20 {
            let plain: Vec<u8> =
                (0..length).map(|n| [b'a', 0x7f, 0x80, 0xff, b' ', b'!'][n % 6]).collect();
            assert_eq!(unescaped(&plain), length);
            for at in 0..length {
                for special in [b'"', b'\\', 0, 0x1f] {
                    let mut text = plain.clone();
                    text[at] = special;
                    text[length - 1] = if at + 1 == length { special } else { b'"' };
                    assert_eq!(unescaped(&text), at, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_removed() {
        let cases = [
            ("plain", "plain"),
            ("tab\tand\nline", "tab\tand\nline"),
            ("crlf\r\nline", "crlf\nline"),
            ("bell\u{7} nul\0 back\u{8} del\u{7f}", "bell nul back del"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25lhide", "hide"),
            ("\u{1b}[2 qcursor", "cursor"),
            ("\u{9b}31mred", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{9d}52;c;AAAA\u{9c}text", "text"),
            ("\u{1b}P1$r\u{1b}\\text", "text"),
            ("\u{1b}_apc\u{1b}\\\u{1b}^pm\u{1b}\\\u{1b}Xsos\u{1b}\\text", "text"),
            ("\u{1b}(Bcharset \u{1b}7save \u{1b}creset", "charset save reset"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}[12", ""),
            ("\u{1b}[1\nnext", "\nnext"),
            ("\u{1b}\u{1b}[1mx", "x"),
            ("c1 \u{85}\u{80}x", "c1 x"),
            ("a\u{202e}b\u{2066}c\u{2069}\u{200f}\u{61c}", "abc"),
            ("z\u{200b}e\u{200d}r\u{feff}o\u{2060}", "zero"),
            ("tag\u{e0041}\u{e007f}s", "tags"),
            ("Zürich ✓ 日本 🦀", "Zürich ✓ 日本 🦀"),
            ("", ""),
        ];
        for (raw, shown) in cases {
            assert_eq!(sanitize(raw), shown, "{raw:?}");
        }
    }

    #[test]
    fn an_open_string_hides_nothing() {
        assert_eq!(sanitize("\u{1b}]0;never closed\nFAILED"), "0;never closed\nFAILED");
        assert_eq!(sanitize("\u{1b}]0;never closed"), "0;never closed");
        assert_eq!(sanitize("\u{1b}]0;first\nsecond\u{7}"), "0;first\nsecond");
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        assert_eq!(sanitize_bytes(b"a\xff\x9b31mb"), "a\u{fffd}\u{fffd}31mb");
    }

    proptest::proptest! {
        #[test]
        fn what_was_made_safe_stays(text in "\\PC*|[\\x00-\\x7f\u{80}-\u{9f}\u{202e}\\[\\]m;]*") {
            let once = sanitize(&text);
            proptest::prop_assert!(!once.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_invisible(c)));
            proptest::prop_assert_eq!(sanitize(&once), once);
        }
    }
}
