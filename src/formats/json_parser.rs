//! A JSON parser over the decoded text of a report, for values that are read as they come.
//!
//! It takes strings straight from the text that lies decoded, several times as fast as a parser that
//! asks a reader for each byte, and needs no more memory than one value that lies over an edge. The
//! grammar is that of RFC 8259 and nothing more; text after the value is an error.

use std::fmt::{self, Display};

use memchr::memchr2;
use serde::de::{self, DeserializeSeed, Visitor};

use super::text::{MAX_PIECE, TextReader};
use crate::model::unescaped;

/// How deep what is read may nest; what is passed over may nest at will.
const MAX_DEPTH: usize = 128;

/// Why a value could not be read.
#[derive(Debug)]
pub(super) struct JsonError {
    text: String,
    /// The input ended within the value.
    pub(super) cut: bool,
}

impl Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for JsonError {}

impl de::Error for JsonError {
    fn custom<T: Display>(message: T) -> Self {
        JsonError { text: message.to_string(), cut: false }
    }
}

pub(super) type Result<T> = std::result::Result<T, JsonError>;

/// What is left of the input, and where that is.
pub(super) struct Parser<'a, 'i> {
    input: &'a mut TextReader<'i>,
    /// A string or number that could not be taken as it lies.
    scratch: String,
    depth: usize,
    line: u64,
    /// Bytes taken, and how many of them before the current line.
    taken: u64,
    before_line: u64,
}

impl<'a, 'i> Parser<'a, 'i> {
    pub(super) fn new(input: &'a mut TextReader<'i>) -> Self {
        let scratch = String::new();
        Parser { input, scratch, depth: 0, line: 1, taken: 0, before_line: 0 }
    }

    /// Reads the one value of the input with `seed`.
    pub(super) fn whole<S>(mut self, seed: S) -> Result<()>
    where
        S: for<'de> DeserializeSeed<'de, Value = ()>,
    {
        let read = seed.deserialize(&mut self).and_then(|()| match self.space()? {
            None => Ok(()),
            Some(_) => Err(wrong("trailing characters")),
        });
        let (line, column) = (self.line, self.taken - self.before_line);
        read.map_err(|e| JsonError { text: format!("{e} at line {line} column {column}"), ..e })
    }

    #[inline]
    fn rest(&mut self) -> Result<&[u8]> {
        self.input.text().map(str::as_bytes).map_err(|e| wrong(&e.to_string()))
    }

    #[inline]
    fn take(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        self.input.skip(bytes);
    }

    #[inline]
    fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.rest()?.first().copied())
    }

    /// Passes over white space; the byte after it.
    #[inline]
    fn space(&mut self) -> Result<Option<u8>> {
        match self.input.first() {
            Some(byte) if byte > b' ' => Ok(Some(byte)),
            _ => self.spaces(),
        }
    }

    fn spaces(&mut self) -> Result<Option<u8>> {
        loop {
            let rest = self.rest()?;
            let blank = |b: &u8| matches!(b, b' ' | b'\n' | b'\t' | b'\r');
            let n = rest.iter().take_while(|b| blank(b)).count();
            let (next, end) = (rest.get(n).copied(), rest.is_empty());
            if n > 0 {
                let last = rest[..n].iter().rposition(|b| *b == b'\n');
                let lines = rest[..n].iter().filter(|b| **b == b'\n').count();
                if let Some(at) = last {
                    self.before_line = self.taken + at as u64 + 1;
                }
                self.line += lines as u64;
                self.take(n);
            }
            if next.is_some() || end {
                return Ok(next);
            }
        }
    }

    /// The byte after white space, which has to be there.
    #[inline]
    pub(super) fn next(&mut self) -> Result<u8> {
        self.space()?.ok_or_else(cut)
    }

    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        match self.next()? == byte {
            true => {
                self.take(1);
                Ok(())
            }
            false => Err(wrong(&format!("expected `{}`", char::from(byte)))),
        }
    }

    pub(super) fn word(&mut self, word: &[u8]) -> Result<()> {
        for byte in word {
            match self.peek()? {
                Some(b) if b == *byte => self.take(1),
                Some(_) => return Err(wrong("expected value")),
                None => return Err(cut()),
            }
        }
        Ok(())
    }

    /// A string from its opening quote on; a lone surrogate in it is an error, or U+FFFD if `lossy`.
    #[inline]
    pub(super) fn string(&mut self, lossy: bool) -> Result<&str> {
        self.take(1);
        let rest = self.rest()?;
        let n = unescaped(rest);
        if rest.get(n) == Some(&b'"') {
            self.taken += n as u64 + 1;
            return Ok(self.input.cut_off(n, 1));
        }
        self.scratch.clear();
        while self.piece()? {
            match self.escape(lossy)? {
                Some(c) => self.scratch.push(c),
                None => return Err(wrong("lone surrogate in a string")),
            }
        }
        Ok(&self.scratch)
    }

    /// Takes a string to its end or to a backslash, which is taken too; whether it was that.
    fn piece(&mut self) -> Result<bool> {
        loop {
            let text = self.input.text().map_err(|e| wrong(&e.to_string()))?;
            if text.is_empty() {
                return Err(cut());
            }
            let end = memchr2(b'"', b'\\', text.as_bytes());
            let n = end.unwrap_or(text.len());
            plain(&text.as_bytes()[..n])?;
            if self.scratch.len() + n > MAX_PIECE {
                return Err(wrong("one piece of it is too long"));
            }
            self.scratch.push_str(&text[..n]);
            let escaped = end.map(|n| text.as_bytes()[n] == b'\\');
            self.take(n + usize::from(end.is_some()));
            if let Some(escaped) = escaped {
                return Ok(escaped);
            }
        }
    }

    /// What a backslash stands for; none for a lone surrogate where that is an error.
    fn escape(&mut self, lossy: bool) -> Result<Option<char>> {
        let byte = self.peek()?.ok_or_else(cut)?;
        let c = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(lossy),
            _ => return Err(wrong("invalid escape")),
        };
        self.take(1);
        Ok(Some(c))
    }

    fn unicode(&mut self, lossy: bool) -> Result<Option<char>> {
        let replacement = lossy.then_some('\u{fffd}');
        let mut first = self.hex()?;
        loop {
            if !(0xd800..0xdc00).contains(&first) {
                return Ok(char::from_u32(first).or(replacement));
            }
            // the other half has to follow at once
            if self.peek()?.ok_or_else(cut)? != b'\\' {
                return Ok(replacement);
            }
            self.take(1);
            if self.peek()?.ok_or_else(cut)? != b'u' {
                if let Some(c) = replacement {
                    self.scratch.push(c);
                }
                return match replacement {
                    Some(_) => self.escape(lossy),
                    None => Ok(None),
                };
            }
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).or(replacement));
            }
            let Some(c) = replacement else { return Ok(None) };
            self.scratch.push(c);
            first = second;
        }
    }

    /// The four digits after a `u`.
    fn hex(&mut self) -> Result<u32> {
        self.take(1);
        let mut code = 0;
        for _ in 0..4 {
            let byte = self.peek()?.ok_or_else(cut)?;
            let digit = char::from(byte).to_digit(16).ok_or_else(|| wrong("invalid escape"))?;
            code = code * 16 + digit;
            self.take(1);
        }
        Ok(code)
    }

    /// A number as it is written.
    fn number(&mut self) -> Result<&str> {
        let part = |b: &u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let rest = self.rest()?;
        let n = rest.iter().take_while(|b| part(b)).count();
        if n < rest.len() {
            self.taken += n as u64;
            let number = self.input.cut_off(n, 0);
            return if is_number(number.as_bytes()) {
                Ok(number)
            } else {
                Err(wrong("invalid number"))
            };
        }
        self.scratch.clear();
        loop {
            let text = self.input.text().map_err(|e| wrong(&e.to_string()))?;
            let n = text.bytes().take_while(|b| part(b)).count();
            if self.scratch.len() + n > MAX_PIECE {
                return Err(wrong("one piece of it is too long"));
            }
            self.scratch.push_str(&text[..n]);
            let more = n > 0 && n == text.len();
            self.take(n);
            if !more {
                break;
            }
        }
        if is_number(self.scratch.as_bytes()) {
            return Ok(&self.scratch);
        }
        // what one more digit would mend is not wrong but cut off
        self.scratch.push('0');
        match self.rest()?.is_empty() && is_number(self.scratch.as_bytes()) {
            true => Err(cut()),
            false => Err(wrong("invalid number")),
        }
    }

    pub(super) fn visit_number<'de, V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let text = self.number()?;
        if let Ok(n) = text.parse::<u64>() {
            return visitor.visit_u64(n);
        }
        match text.parse::<i64>() {
            Ok(n) if n != 0 => return visitor.visit_i64(n),
            _ => {}
        }
        match text.parse::<f64>() {
            Ok(n) if n.is_finite() => visitor.visit_f64(n),
            _ => Err(wrong("number out of range")),
        }
    }

    /// Passes over a value, however deep it nests.
    pub(super) fn pass(&mut self) -> Result<()> {
        // one for each open list or object: whether it is an object
        let mut open: Vec<bool> = Vec::new();
        loop {
            let opened = match self.next()? {
                b'"' => self.pass_string().map(|()| None)?,
                b'{' => Some(true),
                b'[' => Some(false),
                b't' => self.word(b"true").map(|()| None)?,
                b'f' => self.word(b"false").map(|()| None)?,
                b'n' => self.word(b"null").map(|()| None)?,
                b'-' | b'0'..=b'9' => self.number().map(|_| None)?,
                _ => return Err(wrong("expected value")),
            };
            if let Some(object) = opened {
                self.take(1);
                open.push(object);
            }
            if !self.find_next_value(&mut open, opened.is_some())? {
                return Ok(());
            }
        }
    }

    /// Closes what ends here and goes to the next value that is passed over, if there is one.
    fn find_next_value(&mut self, open: &mut Vec<bool>, mut fresh: bool) -> Result<bool> {
        loop {
            let Some(object) = open.last().copied() else { return Ok(false) };
            let close = if object { b'}' } else { b']' };
            let byte = self.next()?;
            if byte == close {
                self.take(1);
                open.pop();
                fresh = false;
                continue;
            }
            if !fresh {
                self.expect(b',')?;
            }
            if object {
                if self.next()? != b'"' {
                    return Err(wrong("key must be a string"));
                }
                self.pass_string()?;
                self.expect(b':')?;
            }
            return Ok(true);
        }
    }

    fn pass_string(&mut self) -> Result<()> {
        self.take(1);
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Err(cut());
            }
            let n = unescaped(rest);
            if rest.get(n) == Some(&b'"') {
                self.take(n + 1);
                return Ok(());
            }
            let end = memchr2(b'"', b'\\', rest);
            let n = end.unwrap_or(rest.len());
            plain(&rest[..n])?;
            let quote = end.is_some_and(|n| rest[n] == b'"');
            self.take(n + usize::from(end.is_some()));
            if quote {
                return Ok(());
            }
            if end.is_some() && self.peek()? == Some(b'u') {
                self.hex()?;
            } else if end.is_some() {
                self.escape(true)?;
            }
        }
    }

    #[inline]
    pub(super) fn enter(&mut self) -> Result<()> {
        self.take(1);
        self.depth += 1;
        match self.depth >= MAX_DEPTH {
            true => Err(wrong("recursion limit exceeded")),
            false => Ok(()),
        }
    }

    #[inline]
    pub(super) fn leave(&mut self, close: u8) -> Result<()> {
        self.depth -= 1;
        match self.next()? == close {
            true => self.take(1),
            false => return Err(wrong("trailing characters")),
        }
        Ok(())
    }
}

pub(super) fn wrong(text: &str) -> JsonError {
    JsonError { text: text.to_owned(), cut: false }
}

fn cut() -> JsonError {
    JsonError { text: "EOF while parsing a value".to_owned(), cut: true }
}

/// Whether nothing in a string would have to be escaped.
fn plain(bytes: &[u8]) -> Result<()> {
    match bytes.iter().fold(false, |bad, b| bad | (*b < 0x20)) {
        true => Err(wrong("control character in a string")),
        false => Ok(()),
    }
}

/// The grammar of numbers.
fn is_number(text: &[u8]) -> bool {
    let digits = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let n = digits(text);
    if n == 0 || (n > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[n..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return false;
        }
        rest = &fraction[n..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let sign = matches!(exponent.first(), Some(b'+' | b'-'));
        let exponent = &exponent[usize::from(sign)..];
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
#[path = "json_parser_tests.rs"]
mod tests;
