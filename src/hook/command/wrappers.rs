//! Programs that run another: how many of their words stand before its name.

use super::expand::Value;

/// How a program takes its own options before the other program's name.
struct Wrapper {
    name: &'static str,
    /// Short options with a value, which may be joined to the letter.
    short: &'static str,
    /// Long options whose value is the next word, if not after `=`.
    long: &'static [&'static str],
    /// Words of its own after the options.
    words: usize,
}

const fn plain(name: &'static str) -> Wrapper {
    Wrapper { name, short: "", long: &[], words: 0 }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        short: "uCSa",
        long: &["--unset", "--chdir", "--split-string", "--argv0"],
        ..plain("env")
    },
    plain("command"),
    plain("builtin"),
    Wrapper { short: "a", ..plain("exec") },
    plain("nohup"),
    plain("setsid"),
    plain("busybox"),
    plain("unbuffer"),
    plain("caffeinate"),
    Wrapper { short: "n", long: &["--adjustment"], ..plain("nice") },
    Wrapper { short: "cnp", long: &["--class", "--classdata"], ..plain("ionice") },
    Wrapper { short: "fo", long: &["--format", "--output"], ..plain("time") },
    Wrapper { short: "sk", long: &["--signal", "--kill-after"], words: 1, ..plain("timeout") },
    Wrapper { short: "sk", long: &["--signal", "--kill-after"], words: 1, ..plain("gtimeout") },
    Wrapper {
        short: "ugCDhprRtT",
        long: &["--user", "--group", "--chdir", "--host", "--prompt", "--role", "--type"],
        ..plain("sudo")
    },
    Wrapper { short: "uC", ..plain("doas") },
    Wrapper { short: "ioe", long: &["--input", "--output", "--error"], ..plain("stdbuf") },
    Wrapper {
        short: "nIPLdasE",
        long: &[
            "--max-args",
            "--replace",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "--max-chars",
        ],
        ..plain("xargs")
    },
    Wrapper { short: "wEc", long: &["--timeout", "--wait"], words: 1, ..plain("flock") },
];

/// What stands behind a wrapper.
pub(super) struct Wrapped<'a> {
    /// The other program and its arguments.
    pub(super) rest: &'a [Value],
    /// The folder it is started in (`env -C`, `sudo -D`).
    pub(super) dir: Option<&'a Value>,
    /// A text that is split into words first (`env -S`).
    pub(super) split: Option<Value>,
    /// It gets further arguments that nobody knows.
    pub(super) more: bool,
}

/// The program behind a wrapper and its options; none where the first word is no wrapper, or it only
/// asks about a program.
pub(super) fn unwrap(words: &[Value]) -> Option<Wrapped<'_>> {
    let (first, mut rest) = words.split_first()?;
    let wrapper = WRAPPERS.iter().find(|w| first.known && w.name == first.program())?;
    let more = wrapper.name == "xargs";
    let mut found = Wrapped { rest, dir: None, split: None, more };
    let chdir = if wrapper.name == "env" { "C" } else { "D" };
    while let Some(word) = rest.first().filter(|w| w.text.starts_with('-')) {
        rest = &rest[1..];
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if wrapper.name == "command" && text.starts_with('-') && text.contains(['v', 'V']) {
            return None;
        }
        let joined = text.strip_prefix("--split-string=").or_else(|| text.strip_prefix("-S"));
        if let Some(split) = joined.filter(|s| wrapper.name == "env" && !s.is_empty()) {
            found.split = Some(Value { text: split.to_string(), known: word.known });
            break;
        }
        let (name, takes) = match text.strip_prefix("--") {
            Some(_) => (text, wrapper.long.contains(&text)),
            None => {
                let last = text.chars().skip(1).find(|c| wrapper.short.contains(*c));
                let joined = last.is_some_and(|c| !text.ends_with(c));
                (text, last.is_some() && !joined)
            }
        };
        if !takes {
            continue;
        }
        let value = rest.first();
        rest = rest.get(1..).unwrap_or_default();
        if name == "--chdir" || name.strip_prefix('-') == Some(chdir) {
            found.dir = value;
        }
        if name == "-S" || name == "--split-string" {
            found.split = value.cloned();
        }
    }
    rest = rest.get(wrapper.words..).unwrap_or_default();
    found.rest = rest;
    Some(found)
}
