//! Lines of at most 80 columns, in which nothing from outside can pretend to be something else.

use crate::model::sanitize;

/// What a terminal shows at least.
const WIDTH: usize = 80;

/// Colours; each also says itself in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// As the terminal has it.
    Plain,
    /// Bad.
    Red,
    /// Good.
    Green,
    /// To be looked at.
    Yellow,
}

/// A text that grows line by line.
pub(super) struct Page {
    text: String,
    color: bool,
}

impl Page {
    pub(super) fn new(color: bool) -> Page {
        Page { text: String::new(), color }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// One line, never broken.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(one_line(text).trim_end());
        self.text.push('\n');
    }

    /// One line whose first part has a colour.
    pub(super) fn painted(&mut self, paint: Paint, first: &str, rest: &str) {
        let line = format!("{}{}", self.paint(paint, &one_line(first)), one_line(rest));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// A word with a colour, where colour is wanted. The word has to be ours or sanitized.
    pub(super) fn paint(&self, paint: Paint, word: &str) -> String {
        let code = match paint {
            _ if !self.color => return word.to_string(),
            Paint::Plain => return word.to_string(),
            Paint::Red => "31",
            Paint::Green => "32",
            Paint::Yellow => "33",
        };
        format!("\u{1b}[{code}m{word}\u{1b}[0m")
    }

    /// A line that is our own and may hold colour.
    pub(super) fn raw(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// `first` whole, then the words of `rest`, broken between words. A path goes into `first`.
    pub(super) fn wrapped(&mut self, indent: usize, first: &str, rest: &str) {
        let mut line = format!("{}{}", " ".repeat(indent), one_line(first));
        let mut width = line.chars().count();
        for word in one_line(rest).split_whitespace() {
            let length = word.chars().count();
            if width > indent && width + 1 + length > WIDTH {
                self.raw(&line);
                line = " ".repeat(indent + 2);
                line.push_str(word);
                width = indent + 2 + length;
                continue;
            }
            if width > indent {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += length;
        }
        self.raw(&line);
    }
}

/// What a reader cannot see is gone, and a line end in somebody's text starts no line of ours.
pub(super) fn one_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}
