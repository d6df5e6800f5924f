//! The commands of a text one after the other: where each runs, and what it is.

use std::path::PathBuf;

use super::expand::{State, Value, value, words};
use super::git::{Git, go, is_command, moves, options};
use super::syntax::{Command, Part, Script, Stdin, Word, parse};
use super::wrappers::unwrap;
use super::{Act, Around, Place, Push, Seen, forge, push};
use crate::model::shell_word;

/// How deep a text may hold a text: `bash -c`, `eval`, aliases.
const DEEPEST: usize = 8;
/// The switch of the marker, which counts in the text too.
const SWITCH: &str = "DEVFORGE_FIX_EVIDENCE_AUTO";

/// Reads a whole text.
pub(super) fn walk(text: &str, around: &Around) -> Seen {
    let home = around.home.as_ref().and_then(|h| h.to_str()).map(str::to_string);
    let whole = text.to_ascii_lowercase();
    let mut walker =
        Walker { around, home, whole, seen: Seen::default(), depth: 0, changed: false };
    let mut state = State { dir: Some(around.cwd.clone()), ..State::default() };
    walker.text(text, &mut state);
    walker.seen
}

struct Walker<'a> {
    around: &'a Around,
    home: Option<String>,
    /// The text in small letters, to look for words where nothing better is known.
    whole: String,
    seen: Seen,
    depth: usize,
    /// A branch was moved.
    changed: bool,
}

/// One simple command, expanded.
struct Call<'a> {
    words: &'a [Value],
    /// Of this command alone.
    sets: Vec<(String, Option<String>)>,
    dir: Option<PathBuf>,
    stdin: Option<String>,
    more: bool,
}

impl Walker<'_> {
    fn text(&mut self, text: &str, state: &mut State) {
        if self.depth >= DEEPEST {
            return self.guess(state);
        }
        self.depth += 1;
        let script = parse(text);
        self.list(&script, &script.commands, state);
        for body in &script.bodies {
            self.inner(&script, body, state);
        }
        if script.too_deep {
            self.guess(state);
        }
        self.depth -= 1;
    }

    /// Where the text goes deeper than anybody writes, its words decide.
    fn guess(&mut self, state: &State) {
        if self.whole.contains("git") && self.whole.contains("push") {
            let place = self.place(&Call::new(&[], state), state);
            self.seen.acts.push(Act::Push(place, Push { unreadable: true, ..Push::default() }));
        }
    }

    fn list(&mut self, script: &Script, commands: &[Command], state: &mut State) {
        for command in commands {
            self.command(script, command, state, None);
        }
    }

    fn command(
        &mut self,
        script: &Script,
        command: &Command,
        state: &mut State,
        piped: Option<String>,
    ) {
        match command {
            Command::Subshell(body) => self.list(script, body, &mut state.clone()),
            Command::Pipe(all) => {
                let mut before = None;
                for one in all {
                    self.command(script, one, &mut state.clone(), before.take());
                    before = self.printed(script, one, state);
                }
            }
            Command::Each(name, each) => {
                for word in each {
                    self.inner(script, word, state);
                }
                let values: Vec<Value> = each.iter().flat_map(|w| self.words(w, state)).collect();
                let only = match values.as_slice() {
                    [one] if one.known => Some(one.text.clone()),
                    _ => None,
                };
                state.vars.insert(name.clone(), only);
            }
            Command::Simple(all, stdin, others) => {
                for word in all.iter().chain(others) {
                    self.inner(script, word, state);
                }
                if let Some(Stdin::Word(word)) = stdin {
                    self.inner(script, word, state);
                }
                let stdin = self.read(script, stdin.as_ref(), state).or(piped);
                self.simple(all, stdin, state);
            }
        }
    }

    /// What `echo`, or `cat` of a here-document, hands to the next command of a pipe.
    fn printed(&self, script: &Script, command: &Command, state: &State) -> Option<String> {
        let Command::Simple(all, stdin, _) = command else { return None };
        let values: Vec<Value> = all.iter().flat_map(|w| self.words(w, state)).collect();
        let (first, rest) = values.split_first()?;
        match first.program() {
            "echo" | "printf" => {
                let texts: Vec<&str> = rest.iter().map(|v| v.text.as_str()).collect();
                Some(texts.join(" ").replace("\\n", "\n").replace("%s", ""))
            }
            "cat" | "tee" => self.read(script, stdin.as_ref(), state),
            _ => None,
        }
    }

    fn read(&self, script: &Script, stdin: Option<&Stdin>, state: &State) -> Option<String> {
        let word = match stdin? {
            Stdin::Word(word) => word,
            Stdin::Body(n) => script.bodies.get(*n)?,
        };
        Some(value(word, state, self.home.as_deref()).text)
    }

    /// The commands inside a word.
    fn inner(&mut self, script: &Script, word: &Word, state: &State) {
        for part in &word.parts {
            if let Part::Run(body, _) = part {
                self.list(script, body, &mut state.clone());
            }
        }
    }

    fn words(&self, word: &Word, state: &State) -> Vec<Value> {
        words(word, state, self.home.as_deref())
    }

    /// Assignments first, then the words.
    fn simple(&mut self, all: &[Word], stdin: Option<String>, state: &mut State) {
        let mut sets = Vec::new();
        let mut rest = all;
        while let Some((word, more)) = rest.split_first() {
            let Some(name) = assigned(word) else { break };
            let value = value(word, state, self.home.as_deref());
            let text = value.text.split_once('=').map(|(_, v)| v.to_string());
            sets.push((name, text.filter(|_| value.known)));
            rest = more;
        }
        if rest.is_empty() {
            state.vars.extend(sets);
            return;
        }
        let values: Vec<Value> = rest.iter().flat_map(|w| self.words(w, state)).collect();
        let call = Call { sets, stdin, ..Call::new(&values, state) };
        self.call(call, state);
    }

    fn call(&mut self, mut call: Call<'_>, state: &mut State) {
        for _ in 0..20 {
            let words = call.words;
            let Some((name, text)) = words.first().and_then(|w| w.text.split_once('=')) else {
                break;
            };
            if !is_name(name) {
                break;
            }
            // behind `env`
            let known = words.first().is_some_and(|w| w.known);
            call.sets.push((name.to_string(), known.then(|| text.to_string())));
            call.words = &words[1..];
        }
        if let Some(wrapped) = unwrap(call.words) {
            let dir = match wrapped.dir {
                Some(to) => go(call.dir.as_deref(), to),
                None => call.dir.clone(),
            };
            if let Some(text) = wrapped.split {
                let rest: Vec<String> = wrapped.rest.iter().map(|w| shell_word(&w.text)).collect();
                let mut inside = State { dir, ..state.clone() };
                return self.text(&format!("{} {}", text.text, rest.join(" ")), &mut inside);
            }
            let more = call.more || wrapped.more;
            return self.call(Call { words: wrapped.rest, dir, more, ..call }, state);
        }
        let Some((first, rest)) = call.words.split_first() else {
            return;
        };
        if !first.known {
            return self.unknown(first, rest, &call, state);
        }
        match first.program() {
            "git" | "hub" => self.git(rest, &call, state),
            program @ ("gh" | "glab") => {
                if let Some(found) = forge::pull_request(program, rest) {
                    let place = self.place(&call, state);
                    self.seen.acts.push(Act::PullRequest(place, found));
                }
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" => {
                self.shell(rest, &call, state);
            }
            program if program.starts_with("git-") => {
                let own = Value::known(&program["git-".len()..]);
                let words: Vec<Value> = std::iter::once(own).chain(rest.iter().cloned()).collect();
                self.git(&words, &call, state);
            }
            program => self.builtin(program, rest, call.dir.clone(), state),
        }
    }

    /// What the shell does itself.
    fn builtin(&mut self, name: &str, rest: &[Value], dir: Option<PathBuf>, state: &mut State) {
        match name {
            "cd" | "chdir" | "pushd" => {
                let to = rest.iter().find(|w| w.text == "-" || !w.text.starts_with('-'));
                let next = match to {
                    Some(to) if to.known && to.text == "-" => state.before.clone(),
                    Some(to) => go(state.dir.as_deref(), to),
                    None => self.around.home.clone(),
                };
                if name == "pushd" {
                    state.stack.push(state.dir.clone());
                }
                state.before = std::mem::replace(&mut state.dir, next);
            }
            "popd" => state.dir = state.stack.pop().flatten(),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in rest {
                    if let Some((name, text)) = word.text.split_once('=') {
                        state.vars.insert(name.into(), word.known.then(|| text.to_string()));
                    }
                }
            }
            "unset" => {
                for word in rest {
                    state.vars.remove(&word.text);
                }
            }
            "read" | "mapfile" | "readarray" => {
                for word in rest {
                    state.vars.insert(word.text.clone(), None);
                }
            }
            "eval" => {
                let text: Vec<&str> = rest.iter().map(|w| w.text.as_str()).collect();
                self.text(&text.join(" "), state);
            }
            "trap" => {
                if let Some(code) = rest.first() {
                    self.text(&code.text, &mut state.clone());
                }
            }
            "find" => {
                let runs = ["-exec", "-execdir", "-ok", "-okdir"];
                if let Some(at) = rest.iter().position(|w| runs.contains(&w.text.as_str())) {
                    let words = &rest[at + 1..];
                    self.call(Call { dir, ..Call::new(words, state) }, state);
                }
            }
            _ => {}
        }
    }

    /// `sh -c TEXT`, or a text on standard input.
    fn shell(&mut self, rest: &[Value], call: &Call<'_>, state: &State) {
        let mut inside = State { dir: call.dir.clone(), ..state.clone() };
        inside.vars.extend(call.sets.iter().cloned());
        let mut words = rest.iter();
        let mut has_text = false;
        for word in words.by_ref() {
            let text = word.text.as_str();
            match text {
                "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O" => {}
                _ if text.starts_with('-') && !text.starts_with("--") => {
                    has_text |= text.contains('c');
                }
                _ if text.starts_with(['-', '+']) => {}
                // the value of an option such as `-o pipefail`
                _ if has_text && is_option_value(text) => {}
                _ if has_text => return self.text(text, &mut inside),
                _ if is_option_value(text) => {}
                // a script: nobody knows what is in it
                _ => return,
            }
        }
        if let Some(text) = &call.stdin {
            self.text(text, &mut inside);
        }
    }

    /// A program whose name only a shell can work out.
    fn unknown(&mut self, first: &Value, rest: &[Value], call: &Call<'_>, state: &State) {
        let command = rest.iter().position(|w| !w.text.starts_with('-'));
        let pushes = command.filter(|at| rest[*at].text == "push");
        let names = first.text.to_ascii_lowercase();
        if pushes.is_some() || names.contains("git") && names.contains("push") {
            let words = pushes.map_or(rest, |at| &rest[at + 1..]);
            let place = self.place(call, state);
            self.push_at(place, words, true);
        }
    }

    fn git(&mut self, words: &[Value], call: &Call<'_>, state: &mut State) {
        let Some(Git { place, aliases, rest }) = options(words, self.place(call, state)) else {
            return;
        };
        let Some((command, rest)) = rest.split_first() else { return };
        if !command.known {
            if self.whole.contains("push") {
                self.push_at(place, rest, true);
            }
            return;
        }
        match command.text.as_str() {
            "push" => return self.push_at(place, rest, call.more),
            "commit" if !rest.iter().any(|w| w.text == "--dry-run" || w.text == "--help") => {
                self.seen.acts.push(Act::Commit(place));
            }
            "submodule" => {
                if let Some(at) = rest.iter().position(|w| w.text == "foreach") {
                    let text: Vec<&str> = rest[at + 1..].iter().map(|w| w.text.as_str()).collect();
                    self.text(&text.join(" "), &mut State { dir: None, ..state.clone() });
                }
            }
            word if !is_command(word) => {
                let own = aliases.iter().rev().find(|(name, _)| name == word).map(|(_, v)| v);
                let around = self.around;
                match own.or_else(|| alias_of(around, word)) {
                    Some(text) => self.alias(text, rest, place, state),
                    None => self.seen.aliased.push(place),
                }
            }
            _ => {}
        }
        self.changed |= moves(&command.text, rest);
    }

    /// What an alias stands for, with the words that follow it.
    fn alias(&mut self, text: &str, rest: &[Value], place: Place, state: &State) {
        let known = |w: &Value| if w.known { shell_word(&w.text) } else { "\"$@\"".to_string() };
        let rest: Vec<String> = rest.iter().map(known).collect();
        let command = match text.trim().strip_prefix('!') {
            Some(shell) => format!("{shell} {}", rest.join(" ")),
            None => format!("git {text} {}", rest.join(" ")),
        };
        let mut inside = State { dir: place.dir, ..state.clone() };
        let mut set = |name: &str, path: Option<PathBuf>| {
            if let Some(text) = path.and_then(|p| p.to_str().map(str::to_string)) {
                inside.vars.insert(name.into(), Some(text));
            }
        };
        set("GIT_DIR", place.git_dir);
        set("GIT_WORK_TREE", place.work_tree);
        if let Some(auto) = place.auto {
            inside.vars.insert(SWITCH.into(), Some(auto));
        }
        let from = self.seen.acts.len();
        self.text(&command, &mut inside);
        for act in &mut self.seen.acts[from..] {
            let (Act::Push(p, _) | Act::PullRequest(p, _) | Act::Commit(p)) = act;
            p.own_settings |= place.own_settings;
        }
    }

    fn push_at(&mut self, place: Place, words: &[Value], unreadable: bool) {
        if let Some(push) = push::push(words, unreadable) {
            self.seen.acts.push(Act::Push(place, push));
        }
    }

    fn place(&self, call: &Call<'_>, state: &State) -> Place {
        let set = |name: &str| {
            let of_call = call.sets.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
            of_call.or_else(|| state.vars.get(name)).map(|v| v.clone().unwrap_or_default())
        };
        let mut names = call.sets.iter().map(|(n, _)| n).chain(state.vars.keys());
        Place {
            dir: call.dir.clone(),
            git_dir: set("GIT_DIR").filter(|v| !v.is_empty()).map(Into::into),
            work_tree: set("GIT_WORK_TREE").filter(|v| !v.is_empty()).map(Into::into),
            auto: set(SWITCH),
            own_settings: names.any(|n| n.starts_with("GIT_CONFIG")),
            after_change: self.changed,
        }
    }
}

impl<'a> Call<'a> {
    fn new(words: &'a [Value], state: &State) -> Call<'a> {
        Call { words, sets: Vec::new(), dir: state.dir.clone(), stdin: None, more: false }
    }
}

/// Names of aliases know no case.
fn alias_of<'a>(around: &'a Around, word: &str) -> Option<&'a String> {
    let aliases = &around.aliases;
    aliases.get(word).or_else(|| aliases.get(&word.to_ascii_lowercase()))
}

/// Values that options of shells take.
fn is_option_value(text: &str) -> bool {
    matches!(text, "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob" | "posix" | "extglob")
}

/// The name that a word assigns to.
fn assigned(word: &Word) -> Option<String> {
    let Some(Part::Text(text, false)) = word.parts.first() else { return None };
    let (name, _) = text.split_once('=')?;
    is_name(name).then(|| name.to_string())
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
