//! Bytes to text, for every reader: whatever comes in, readers see valid UTF-8.
//!
//! A UTF-8 mark at the start is taken off, UTF-16 and the encoding that an XML declaration names are
//! transcoded, and what cannot be decoded becomes U+FFFD: a bad byte costs that character, not the
//! report. The pieces that a reader holds at once are bounded.

use std::io::{self, BufRead, ErrorKind, Read};

use memchr::memchr;
use quick_xml::encoding::{DetectedEncoding, detect_encoding};
use quick_xml::events::BytesDecl;

/// A line of a report may be this long; a longer one is no report.
pub(super) const MAX_LINE: usize = 64 * 1024 * 1024;

/// One indivisible piece of a report (an XML text, a CSV row) may be this long.
pub(super) const MAX_PIECE: usize = 256 * 1024 * 1024;

/// How much is decoded at a time.
const CHUNK: usize = 32 * 1024;

/// Appends the text of some bytes; `true` for the last ones; tells whether all could be decoded.
/// (A closure, because the decoder's type belongs to a crate that only quick-xml names.)
type Decode = Box<dyn FnMut(&[u8], bool, &mut String) -> bool>;

/// A reader of valid UTF-8 over a reader of anything.
pub(super) struct TextReader<'a> {
    inner: &'a mut dyn BufRead,
    decode: Option<Decode>,
    out: String,
    pos: usize,
    ended: bool,
    replaced: bool,
    budget: usize,
}

impl<'a> TextReader<'a> {
    /// Wraps a report.
    pub(super) fn new(inner: &'a mut dyn BufRead) -> Self {
        TextReader {
            inner,
            decode: None,
            out: String::new(),
            pos: 0,
            ended: false,
            replaced: false,
            budget: usize::MAX,
        }
    }

    /// Whether something could not be decoded so far.
    pub(super) fn replaced(&self) -> bool {
        self.replaced
    }

    /// Lets at most [`MAX_PIECE`] bytes be taken until the next call.
    pub(super) fn begin_piece(&mut self) {
        self.budget = MAX_PIECE;
    }

    /// The next line without its end, none at the end of the input. Only a line that lies over the
    /// edge of what is decoded at a time is copied, to `carried`.
    pub(super) fn line<'l>(
        &'l mut self,
        carried: &'l mut String,
    ) -> Result<Option<&'l str>, LineError> {
        let start = self.pos;
        if let Some(at) = memchr(b'\n', &self.out.as_bytes()[start..]) {
            self.consume(at + 1);
            return Ok(Some(without_end(&self.out[start..start + at])));
        }
        Ok(next_line(self, carried)?.then_some(carried.as_str()))
    }

    /// What lies decoded, never empty before the end of the input.
    #[inline]
    pub(super) fn text(&mut self) -> io::Result<&str> {
        if self.pos >= self.out.len() || self.budget == 0 {
            self.fill_buf()?;
        }
        Ok(&self.out[self.pos..])
    }

    /// The first byte of what lies decoded, where something does.
    #[inline]
    pub(super) fn first(&self) -> Option<u8> {
        self.out.as_bytes().get(self.pos).copied()
    }

    /// Passes over so many bytes of what [`TextReader::text`] gave.
    #[inline]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.consume(bytes);
    }

    /// Takes so many bytes of the same, and passes over some more.
    #[inline]
    pub(super) fn cut_off(&mut self, bytes: usize, more: usize) -> &str {
        let start = self.pos;
        self.consume(bytes + more);
        &self.out[start..start + bytes]
    }

    /// What is decoded, up to and with the end of the line; whether that is there. Empty at the end
    /// of the input.
    fn up_to_line_end(&mut self) -> io::Result<(&str, bool)> {
        self.fill_buf()?;
        let text = &self.out[self.pos..];
        Ok(match memchr(b'\n', text.as_bytes()) {
            Some(at) => (&text[..=at], true),
            None => (text, false),
        })
    }

    /// Reads the start, from which the encoding is told.
    fn start(&mut self) -> io::Result<(Vec<u8>, Decode)> {
        let mut head = Vec::with_capacity(CHUNK);
        read_up_to(self.inner, CHUNK, &mut head)?;
        let (decode, mark) = decoder(&head);
        head.drain(..mark);
        Ok((head, decode))
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.pos = 0;
        while self.out.is_empty() && !self.ended {
            if self.decode.is_none() {
                let (head, decode) = self.start()?;
                self.decode = Some(decode);
                self.feed(&head, false);
                continue;
            }
            match self.inner.fill_buf() {
                Ok(chunk) => {
                    // what lies ready is decoded where it lies
                    let (n, chunk) = (chunk.len().min(CHUNK), &chunk[..chunk.len().min(CHUNK)]);
                    self.ended = n == 0;
                    if let Some(decode) = &mut self.decode {
                        self.replaced |= !decode(chunk, n == 0, &mut self.out);
                    }
                    self.inner.consume(n);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8], last: bool) {
        if let Some(decode) = &mut self.decode {
            self.replaced |= !decode(bytes, last, &mut self.out);
        }
    }
}

impl Read for TextReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for TextReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.pos >= self.out.len() {
            self.refill()?;
        }
        if self.budget == 0 && !self.out.is_empty() {
            return Err(io::Error::new(ErrorKind::InvalidData, "one piece of it is too long"));
        }
        Ok(&self.out.as_bytes()[self.pos..])
    }

    #[inline]
    fn consume(&mut self, amount: usize) {
        self.pos = (self.pos + amount).min(self.out.len());
        self.budget = self.budget.saturating_sub(amount);
    }
}

/// Reads until `limit` bytes are there or the input ends.
pub(super) fn read_up_to(
    input: &mut dyn BufRead,
    limit: usize,
    to: &mut Vec<u8>,
) -> io::Result<()> {
    let mut limited = input.take(limit as u64);
    limited.read_to_end(to).map(|_| ())
}

/// The decoder for a report that starts so, and the length of its mark.
fn decoder(head: &[u8]) -> (Decode, usize) {
    let found = detect_encoding(head).or_else(|| two_byte(head));
    let mark = found.as_ref().map_or(0, DetectedEncoding::bom_len);
    let mut encoding =
        found.as_ref().map_or(DetectedEncoding::Utf8Bom, |_| DetectedEncoding::Utf8Bom).encoding();
    match found {
        Some(DetectedEncoding::AsciiCompatible) => {
            let named = declared(head)
                .and_then(|label| BytesDecl::new("1.0", Some(&label), None).encoder());
            // the declaration was readable as ASCII, so it cannot be one of two-byte units
            if let Some(named) = named.filter(|e| e.is_ascii_compatible()) {
                encoding = named;
            }
        }
        Some(other) => encoding = other.encoding(),
        None => {}
    }
    let mut state = encoding.new_decoder_without_bom_handling();
    let decode: Decode = Box::new(move |bytes, last, out| {
        out.reserve(state.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16));
        let (_, _, replaced) = state.decode_to_string(bytes, out, last);
        !replaced
    });
    (decode, mark)
}

/// UTF-16 without a mark, told by the zeros beside the ASCII with which every report starts: read as
/// bytes, a report of lines would seem to say nothing.
fn two_byte(head: &[u8]) -> Option<DetectedEncoding> {
    let start = &head[..head.len().min(32)];
    let all = |zero: usize| start.chunks_exact(2).all(|c| c[zero] == 0 && c[1 - zero] != 0);
    match start.len() >= 4 {
        true if all(1) => Some(DetectedEncoding::Utf16LeLike),
        true if all(0) => Some(DetectedEncoding::Utf16BeLike),
        _ => None,
    }
}

/// The encoding that an XML declaration names.
fn declared(head: &[u8]) -> Option<String> {
    let end = head.iter().take(512).position(|b| *b == b'>')?;
    let text = String::from_utf8_lossy(&head[..end]).into_owned();
    let rest = text[text.find("encoding")? + "encoding".len()..].trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let label = rest[1..].split(quote).next()?;
    label.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c)).then(|| label.to_owned())
}

/// The first bytes of a report as text, for telling its format.
pub(super) fn head_text(head: &[u8]) -> String {
    let mut out = String::new();
    let (mut decode, mark) = decoder(head);
    decode(&head[mark..], false, &mut out);
    out
}

/// Why no further line could be read.
#[derive(Debug)]
pub(super) enum LineError {
    /// The input failed.
    Io(io::Error),
    /// Longer than [`MAX_LINE`].
    TooLong,
}

impl LineError {
    /// For people.
    pub(super) fn say(&self) -> String {
        match self {
            LineError::Io(e) => format!("it could not be read: {e}"),
            LineError::TooLong => format!("a line is longer than {} MiB", MAX_LINE >> 20),
        }
    }
}

/// Reads one line without its end into `line`; false at the end of the input.
pub(super) fn next_line(input: &mut TextReader<'_>, line: &mut String) -> Result<bool, LineError> {
    line.clear();
    let mut read = false;
    loop {
        let (text, whole) = input.up_to_line_end().map_err(LineError::Io)?;
        read |= !text.is_empty();
        let taken = text.len();
        if line.len() + taken > MAX_LINE {
            return Err(LineError::TooLong);
        }
        line.push_str(text);
        input.consume(taken);
        if whole || taken == 0 {
            line.truncate(without_end(line).len());
            return Ok(read);
        }
    }
}

fn without_end(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

/// A count as tools write it: signs, thousands separators, decimals. What is negative or no number
/// is void, that is none; what is too large saturates.
pub(super) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(n) = text.parse::<u64>() {
        return Some(n);
    }
    let plain: String =
        text.chars().filter(|c| !matches!(c, ',' | '_' | '\'' | '\u{a0}' | ' ')).collect();
    let digits = plain.strip_prefix('+').unwrap_or(&plain);
    if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return Some(digits.parse().unwrap_or(u64::MAX));
    }
    let value: f64 = digits.parse().ok()?;
    (value >= 0.0).then_some(value as u64)
}

/// A line number: from 1.
pub(super) fn line_number(text: &str) -> Option<u32> {
    count(text).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)
}

/// At most `limit` characters of a text.
pub(super) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(bytes: &[u8]) -> (String, bool) {
        let mut input = bytes;
        let mut reader = TextReader::new(&mut input);
        let mut out = String::new();
        reader.read_to_string(&mut out).unwrap();
        (out, reader.replaced())
    }

    #[test]
    fn marks_and_encodings() {
        let utf16 = |s: &str, be: bool| -> Vec<u8> {
            std::iter::once(0xfeffu16)
                .chain(s.encode_utf16())
                .flat_map(|u| if be { u.to_be_bytes() } else { u.to_le_bytes() })
                .collect()
        };
        assert_eq!(through(b"\xef\xbb\xbfa\xc3\xa4"), ("aä".into(), false));
        assert_eq!(through(&utf16("aä😀", false)), ("aä😀".into(), false));
        assert_eq!(through(&utf16("aä😀", true)), ("aä😀".into(), false));
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe4'/>";
        assert!(through(latin).0.ends_with("<a b='ä'/>"));
        assert_eq!(through(b"a\xffb"), ("a\u{fffd}b".into(), true));
        assert_eq!(through(b"a\xc3"), ("a\u{fffd}".into(), true));
        assert_eq!(through(b""), (String::new(), false));
    }

    #[test]
    fn a_character_over_the_edge_of_a_chunk() {
        let text = "x".repeat(CHUNK - 1) + "ä" + &"y".repeat(CHUNK);
        assert_eq!(through(text.as_bytes()), (text, false));
    }

    #[test]
    fn counts() {
        for (text, want) in [
            ("7", Some(7)),
            (" 1,234 ", Some(1234)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("1.5e3", Some(1500)),
            ("-3", None),
            ("NaN", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(count(text), want, "{text}");
        }
        assert_eq!(line_number("0"), None);
    }

    #[test]
    fn lines() {
        let mut input: &[u8] = b"a\r\nb\n\nc";
        let mut reader = TextReader::new(&mut input);
        let (mut line, mut all) = (String::new(), Vec::new());
        while next_line(&mut reader, &mut line).unwrap() {
            all.push(line.clone());
        }
        assert_eq!(all, ["a", "b", "", "c"]);
    }
}
