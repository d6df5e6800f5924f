//! One word of a shell's command: quotes, escapes, variables, commands whose output stands in it.

use super::syntax::{DEEPEST, End, Parser, Part, Word};

impl Parser {
    /// A word, if one begins here.
    pub(super) fn word(&mut self) -> Option<Word> {
        let mut parts: Vec<Part> = Vec::new();
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 1;
                    self.run(&mut parts);
                }
                '(' if self.at > begin && self.text[self.at - 1] == '=' => self.array(&mut parts),
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        None | Some('\n') => {}
                        Some(next) => push(&mut parts, next, true),
                    }
                    self.at += 1;
                }
                '\'' => {
                    let text = self.until('\'');
                    parts.push(Part::Text(text, true));
                }
                '"' => {
                    self.at += 1;
                    parts.push(Part::Text(String::new(), true));
                    self.quoted(&mut parts, Some('"'));
                }
                '$' => self.dollar(&mut parts, false),
                '`' => self.backquoted(&mut parts),
                '~' if self.at == begin => {
                    self.at += 1;
                    parts.push(Part::Home);
                }
                other => {
                    push(&mut parts, other, false);
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(self.text.len());
        (self.at > begin).then_some(Word { parts })
    }

    /// The text between this quote and the next.
    fn until(&mut self, quote: char) -> String {
        self.at += 1;
        let from = self.at;
        while self.peek().is_some_and(|c| c != quote) {
            self.at += 1;
        }
        let text = self.raw(from);
        self.at += 1;
        text
    }

    /// What stands between double quotes, or in a here-document, or in `${…}`.
    pub(super) fn quoted(&mut self, parts: &mut Vec<Part>, end: Option<char>) {
        while let Some(c) = self.peek() {
            match c {
                _ if Some(c) == end => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') | None => {}
                        Some(next @ ('$' | '`' | '"' | '\\')) => push(parts, next, true),
                        Some(next) => {
                            push(parts, '\\', true);
                            push(parts, next, true);
                        }
                    }
                    self.at += 1;
                }
                '$' => self.dollar(parts, true),
                '`' => self.backquoted(parts),
                other => {
                    push(parts, other, true);
                    self.at += 1;
                }
            }
        }
    }

    fn dollar(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') => self.arithmetic(parts),
            Some('(') => self.run(parts),
            Some('{') => self.braces(parts, quoted),
            Some('\'') if !quoted => {
                let text = self.until_escaped();
                parts.push(Part::Text(text, true));
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.quoted(parts, Some('"'));
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                parts.push(Part::Var(name, quoted));
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                parts.push(Part::Odd(format!("${c}")));
            }
            _ => push(parts, '$', quoted),
        }
    }

    fn name(&mut self) -> String {
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.raw(from)
    }

    /// `(…)` after `$`, `<` or `>`.
    fn run(&mut self, parts: &mut Vec<Part>) {
        self.at += 1;
        let from = self.at;
        let body = self.nested(End::Paren);
        let raw = self.raw(from);
        parts.push(Part::Run(body, raw));
    }

    /// `$((…))`: a number; commands inside it run all the same.
    fn arithmetic(&mut self, parts: &mut Vec<Part>) {
        self.at += 2;
        let (from, mut open) = (self.at, 2);
        while let Some(c) = self.peek() {
            self.at += 1;
            open += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            if open == 0 {
                break;
            }
        }
        let raw = self.raw(from);
        self.within(&raw, parts);
    }

    /// `${…}`.
    fn braces(&mut self, parts: &mut Vec<Part>, quoted: bool) {
        self.at += 1;
        let (from, mut open) = (self.at, 1);
        while let Some(c) = self.peek() {
            self.at += 1;
            open += match c {
                '{' => 1,
                '}' => -1,
                '\\' => {
                    self.at += 1;
                    0
                }
                _ => 0,
            };
            if open == 0 {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
        let raw = self.raw(from);
        let raw = raw.strip_suffix('}').unwrap_or(&raw);
        if raw.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            parts.push(Part::Var(raw.to_string(), quoted));
        } else {
            self.within(raw, parts);
        }
    }

    /// Something that only a shell works out, with the commands in it.
    fn within(&mut self, raw: &str, parts: &mut Vec<Part>) {
        parts.push(Part::Odd(raw.to_string()));
        if self.depth < DEEPEST && raw.contains(['$', '`']) {
            let mut inner = self.inside(raw, |parser| {
                let mut parts = Vec::new();
                parser.quoted(&mut parts, None);
                parts
            });
            inner.retain(|part| matches!(part, Part::Run(..)));
            parts.append(&mut inner);
        }
    }

    fn backquoted(&mut self, parts: &mut Vec<Part>) {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '`' => break,
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => {
                    text.extend(self.peek());
                    self.at += 1;
                }
                other => text.push(other),
            }
        }
        if self.depth >= DEEPEST {
            self.too_deep = true;
            return;
        }
        let body = self.inside(&text, |parser| parser.commands(End::Text));
        parts.push(Part::Run(body, text));
    }

    /// `a=(…)`.
    fn array(&mut self, parts: &mut Vec<Part>) {
        self.at += 1;
        let from = self.at;
        let mut inner = Vec::new();
        while self.peek().is_some_and(|c| c != ')') {
            self.blanks();
            match self.word() {
                Some(word) => inner.extend(word.parts),
                None if self.peek() == Some(')') => break,
                None => self.at += 1,
            }
        }
        self.at += 1;
        self.at = self.at.min(self.text.len());
        parts.push(Part::Odd(self.raw(from)));
        parts.extend(inner.into_iter().filter(|part| matches!(part, Part::Run(..))));
    }

    /// `$'…'`.
    fn until_escaped(&mut self) -> String {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\'' => break,
                '\\' => self.escape(&mut text),
                other => text.push(other),
            }
        }
        text
    }

    fn escape(&mut self, text: &mut String) {
        let Some(c) = self.peek() else { return };
        self.at += 1;
        let mut number = |first: &str, digits: u32, most: usize| {
            let mut written = first.to_string();
            while written.len() < most && self.peek().is_some_and(|c| c.is_digit(digits)) {
                written.extend(self.peek());
                self.at += 1;
            }
            u32::from_str_radix(&written, digits).ok().and_then(char::from_u32)
        };
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'x' => text.extend(number("", 16, 2)),
            'u' => text.extend(number("", 16, 4)),
            'U' => text.extend(number("", 16, 8)),
            '0'..='7' => text.extend(number(&c.to_string(), 8, 3)),
            other => text.push(other),
        }
    }
}

fn push(parts: &mut Vec<Part>, c: char, quoted: bool) {
    match parts.last_mut() {
        Some(Part::Text(text, q)) if *q == quoted => text.push(c),
        _ => parts.push(Part::Text(c.to_string(), quoted)),
    }
}
