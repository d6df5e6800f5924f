//! The text of a command as a shell takes it apart: words, lists, subshells, here-documents.
//!
//! Only as much of the grammar as is needed to find every simple command that may run. Both ways of
//! an `if` may run, a loop may run, and so may the body of a function: their reserved words are
//! stepped over. What a shell would refuse is read as far as it goes.

/// How deep parentheses may stand in each other.
pub(super) const DEEPEST: usize = 40;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text, and whether it was quoted.
    Text(String, bool),
    /// `$NAME` or `${NAME}`, and whether it was quoted.
    Var(String, bool),
    /// A command whose output stands here, with its text.
    Run(Vec<Command>, String),
    /// A leading `~`.
    Home,
    /// Anything else that only a shell can work out, as it was written.
    Odd(String),
}

/// A word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// Its pieces.
    pub(super) parts: Vec<Part>,
}

impl Word {
    /// Its text, where all of it was written out.
    pub(super) fn literal(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text, _) => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().map(text).collect()
    }

    /// Its text, where no part of it was quoted: reserved words are such.
    fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text, false)] => Some(text),
            _ => None,
        }
    }

    fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(_, true)))
    }
}

/// What a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stdin {
    /// The body of a here-document, by its number in [`Script::bodies`].
    Body(usize),
    /// A here-string.
    Word(Word),
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// Words, what is read, and words that are no arguments but may hold commands.
    Simple(Vec<Word>, Option<Stdin>, Vec<Word>),
    /// `for NAME in WORDS`.
    Each(String, Vec<Word>),
    /// In a shell of its own.
    Subshell(Vec<Command>),
    /// The output of each is what the next one reads.
    Pipe(Vec<Command>),
}

/// All of a text.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Its commands in order.
    pub(super) commands: Vec<Command>,
    /// Bodies of here-documents.
    pub(super) bodies: Vec<Word>,
    /// It was too deep to be read to its end.
    pub(super) too_deep: bool,
}

/// Reads a text.
pub(super) fn parse(text: &str) -> Script {
    let mut parser = Parser { text: text.chars().collect(), ..Parser::default() };
    let commands = parser.commands(End::Text);
    parser.read_bodies();
    Script { commands, bodies: parser.bodies, too_deep: parser.too_deep }
}

/// Where a list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Text,
    Paren,
    /// An entry of a `case`: `;;` or `esac`.
    Case,
}

/// A here-document whose body has not begun.
pub(super) struct Pending {
    body: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

#[derive(Default)]
pub(super) struct Parser {
    pub(super) text: Vec<char>,
    pub(super) at: usize,
    pub(super) depth: usize,
    pending: Vec<Pending>,
    bodies: Vec<Word>,
    pub(super) too_deep: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let there = text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c));
        if there {
            self.at += text.chars().count();
        }
        there
    }

    pub(super) fn raw(&self, from: usize) -> String {
        self.text.get(from..self.at).unwrap_or_default().iter().collect()
    }

    /// Skips what divides words on one line, comments too.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// A list inside another, to its end.
    pub(super) fn nested(&mut self, end: End) -> Vec<Command> {
        if self.depth >= DEEPEST {
            self.too_deep = true;
            self.at = self.text.len();
            return Vec::new();
        }
        self.depth += 1;
        let commands = self.commands(end);
        self.depth -= 1;
        commands
    }

    pub(super) fn commands(&mut self, end: End) -> Vec<Command> {
        let mut all = Vec::new();
        let mut pipe: Vec<Command> = Vec::new();
        let mut goes_on = false;
        loop {
            self.blanks();
            let Some(c) = self.peek() else { break };
            if end == End::Case && (self.ends_case() || c == ';' && self.peek_at(1) == Some(';')) {
                break;
            }
            let divides = "\n;&|)".contains(c) && !(c == '&' && self.peek_at(1) == Some('>'));
            if !divides {
                if !goes_on {
                    flush(&mut pipe, &mut all);
                }
                goes_on = false;
                self.command(&mut pipe);
                continue;
            }
            self.at += 1;
            match c {
                '\n' => self.read_bodies(),
                '|' if !self.take("|") => {
                    self.take("&");
                    goes_on = true;
                }
                ')' if end == End::Paren => break,
                _ => goes_on = false,
            }
        }
        flush(&mut pipe, &mut all);
        all
    }

    fn ends_case(&self) -> bool {
        let word: String = self.text[self.at..].iter().take(4).collect();
        let after = self.peek_at(4);
        word == "esac" && after.is_none_or(|c| c.is_whitespace() || ";)&|".contains(c))
    }

    /// One command, whatever begins here.
    fn command(&mut self, pipe: &mut Vec<Command>) {
        if self.take("(") {
            let body = self.nested(End::Paren);
            pipe.push(Command::Subshell(body));
            return;
        }
        let before = self.at;
        let found = self.simple();
        pipe.extend(found);
        if self.at == before {
            // what no rule reads is stepped over
            self.at += 1;
        }
    }

    fn simple(&mut self) -> Vec<Command> {
        let (mut words, mut stdin, mut others) = (Vec::new(), None, Vec::new());
        loop {
            self.blanks();
            if self.redirection(&mut stdin, &mut others) {
                continue;
            }
            let Some(word) = self.word() else { break };
            if self.is_descriptor(&word) {
                continue;
            }
            if words.is_empty() {
                match word.bare() {
                    Some(
                        "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done"
                        | "{" | "}" | "!" | "coproc",
                    ) => continue,
                    Some("for" | "select") => return vec![self.each()],
                    Some("case") => return self.case(),
                    Some("function") => {
                        self.blanks();
                        self.word();
                        self.take("()");
                        continue;
                    }
                    _ => {}
                }
            }
            let names_function = words.is_empty() && self.function_follows();
            if !names_function {
                words.push(word);
            }
        }
        if words.is_empty() && stdin.is_none() && others.is_empty() {
            return Vec::new();
        }
        vec![Command::Simple(words, stdin, others)]
    }

    /// `()` after a name.
    fn function_follows(&mut self) -> bool {
        let before = self.at;
        self.blanks();
        if self.take("(") {
            self.blanks();
            if self.take(")") {
                return true;
            }
        }
        self.at = before;
        false
    }

    /// `2` of `2>file`.
    fn is_descriptor(&self, word: &Word) -> bool {
        let number = |t: &str| t.chars().all(|c| c.is_ascii_digit());
        matches!(self.peek(), Some('<' | '>')) && word.bare().is_some_and(number)
    }

    fn each(&mut self) -> Command {
        self.blanks();
        let name = self.word().and_then(|w| w.literal()).unwrap_or_default();
        let mut words = Vec::new();
        self.blanks();
        while let Some(word) = self.word() {
            words.push(word);
            self.blanks();
        }
        if words.first().and_then(Word::bare) == Some("in") {
            words.remove(0);
        }
        Command::Each(name, words)
    }

    /// The entries of a `case`, as if all of them ran.
    fn case(&mut self) -> Vec<Command> {
        let mut others = Vec::new();
        loop {
            self.blanks();
            match self.word() {
                Some(word) if word.bare() == Some("in") => break,
                Some(word) => others.push(word),
                None => break,
            }
        }
        let mut all = vec![Command::Simple(Vec::new(), None, others)];
        while self.at < self.text.len() {
            self.blanks();
            if self.ends_case() {
                self.at += 4;
                break;
            }
            if self.take("\n") || self.take(";") || self.take("&") {
                continue;
            }
            let before = self.at;
            // the patterns, to their parenthesis
            self.take("(");
            loop {
                self.blanks();
                if self.word().is_none() && !self.take("|") && !self.take("\n") {
                    break;
                }
            }
            self.take(")");
            all.extend(self.nested(End::Case));
            if self.at == before {
                self.at += 1;
            }
        }
        all
    }

    /// A redirection, if one begins here.
    fn redirection(&mut self, stdin: &mut Option<Stdin>, others: &mut Vec<Word>) -> bool {
        let begins = match (self.peek(), self.peek_at(1)) {
            (Some('<' | '>'), next) => next != Some('('),
            (Some('&'), next) => next == Some('>'),
            _ => false,
        };
        if !begins {
            return false;
        }
        if self.take("<<<") {
            self.blanks();
            *stdin = self.word().map(Stdin::Word);
            return true;
        }
        if self.take("<<") {
            self.here_document(stdin);
            return true;
        }
        let taken = ["&>>", "&>", ">>", ">|", ">&", "<&", "<>", ">", "<"];
        let _ = taken.iter().any(|op| self.take(op));
        self.blanks();
        others.extend(self.word());
        true
    }

    fn here_document(&mut self, stdin: &mut Option<Stdin>) {
        let tabs = self.take("-");
        self.blanks();
        let Some(word) = self.word() else { return };
        let body = self.bodies.len();
        self.bodies.push(Word::default());
        let quoted = word.is_quoted();
        let delimiter = word.literal().unwrap_or_default();
        self.pending.push(Pending { body, delimiter, quoted, tabs });
        *stdin = Some(Stdin::Body(body));
    }

    /// The bodies of the here-documents of the line that just ended.
    fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let (mut body, start, mut ended) = (String::new(), self.at, false);
            while self.at < self.text.len() {
                let from = self.at;
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
                let line = self.raw(from);
                self.at += 1;
                let line = if pending.tabs { line.trim_start_matches('\t') } else { &line };
                if line == pending.delimiter {
                    ended = true;
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            self.at = self.at.min(self.text.len());
            if !ended {
                // no here-document after all (`((x=1<<2))`): what follows is read as commands
                self.at = start.min(self.text.len());
                body.clear();
            }
            let word = if pending.quoted {
                Word { parts: vec![Part::Text(body, true)] }
            } else {
                self.inside(&body, |parser| {
                    let mut parts = Vec::new();
                    parser.quoted(&mut parts, None);
                    Word { parts }
                })
            };
            self.bodies[pending.body] = word;
        }
    }

    /// Reads another text with the same table of bodies.
    pub(super) fn inside<T>(&mut self, text: &str, read: impl FnOnce(&mut Parser) -> T) -> T {
        let bodies = std::mem::take(&mut self.bodies);
        let text = text.chars().collect();
        let mut inner = Parser { text, depth: self.depth + 1, bodies, ..Parser::default() };
        let got = read(&mut inner);
        inner.read_bodies();
        self.bodies = inner.bodies;
        self.too_deep |= inner.too_deep;
        got
    }
}

fn flush(pipe: &mut Vec<Command>, all: &mut Vec<Command>) {
    match pipe.len() {
        0 | 1 => all.append(pipe),
        _ => all.push(Command::Pipe(std::mem::take(pipe))),
    }
}
