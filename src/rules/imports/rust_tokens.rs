//! The words and signs of Rust that paths are made of; comments, strings and characters left out.

use super::line;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// `::`.
    Colons,
    /// Any other sign.
    Sign(u8),
}

/// All of them, each with its line.
pub(super) fn tokens(text: &str) -> Vec<(u32, Token<'_>)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut counted, mut number) = (0, 0, 1);
    while at < bytes.len() {
        let skipped = skip(&text[at..]);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        number += line(&text[counted..], at - counted) - 1;
        counted = at;
        let rest = &text[at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (token, length) = if word > 0 {
            (Token::Word(&rest[..word]), word)
        } else if rest.starts_with("::") {
            (Token::Colons, 2)
        } else {
            (Token::Sign(bytes[at]), rest.chars().next().map_or(1, char::len_utf8))
        };
        found.push((number, token));
        at += length;
    }
    found
}

/// How many bytes at the start are no code: white space, a comment, a string, a character.
fn skip(rest: &str) -> usize {
    let white = rest.len() - rest.trim_start().len();
    if white > 0 {
        return white;
    }
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return comment(rest);
    }
    let prefix = ["br", "cr", "b", "c", "r", ""]
        .into_iter()
        .find(|p| rest.strip_prefix(p).is_some_and(|r| r.starts_with(['"', '#', '\''])));
    let Some(prefix) = prefix else { return 0 };
    let body = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        return raw_string(body).map_or(raw_name(rest), |n| prefix.len() + n);
    }
    if let Some(inside) = body.strip_prefix('"') {
        return prefix.len() + 1 + quoted(inside, b'"');
    }
    character(body).map_or(0, |n| prefix.len() + n)
}

/// They nest.
fn comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (at, depth) = (at + 2, depth + 1),
            Some(b"*/") => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// `#"…"#` with as many signs at the end; none where it is no string.
fn raw_string(body: &str) -> Option<usize> {
    let signs = body.len() - body.trim_start_matches('#').len();
    let inside = body[signs..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(signs));
    Some(inside.find(&end).map_or(body.len(), |at| signs + 1 + at + end.len()))
}

/// `r#` in front of a name that is a keyword elsewhere.
fn raw_name(rest: &str) -> usize {
    if rest.starts_with("r#") { 2 } else { 0 }
}

/// Up to and with the closing quote.
fn quoted(inside: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b if b == quote => return at + 1,
            _ => {}
        }
    }
    inside.len()
}

/// `'x'`, `'\n'`; none for a lifetime.
fn character(body: &str) -> Option<usize> {
    let inside = body.strip_prefix('\'')?;
    if inside.starts_with('\\') {
        return Some(1 + quoted(inside, b'\''));
    }
    let c = inside.chars().next()?;
    inside[c.len_utf8()..].starts_with('\'').then(|| 2 + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_left_out() {
        let text = "a // b\n\"c // \\\" d\" '\"' e /* f /* g */ h */ r#\"i \" j\"# &'k str r#use br\"l\"\n::m";
        let words: Vec<(u32, &str)> = tokens(text)
            .into_iter()
            .filter_map(|(n, t)| match t {
                Token::Word(word) => Some((n, word)),
                _ => None,
            })
            .collect();
        assert_eq!(words, [(1, "a"), (2, "e"), (2, "k"), (2, "str"), (2, "use"), (3, "m")]);
        assert!(tokens(text).contains(&(3, Token::Colons)));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[a-zé'\"#/*r\\\\\n:]{0,60}") {
            proptest::prop_assert!(tokens(&text).len() <= text.len());
        }
    }
}
