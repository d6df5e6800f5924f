//! The arguments of `git push`.

use super::Push;
use super::expand::Value;

/// Options whose value is the next word, if not after `=`.
const WITH_VALUE: &[&str] =
    &["--repo", "--push-option", "--receive-pack", "--exec", "--recurse-submodules"];
/// Long options that matter, each with the shortest beginning that git takes for it.
const LONG: &[(&str, &str)] = &[
    ("--all", "--al"),
    ("--branches", "--b"),
    ("--mirror", "--m"),
    ("--tags", "--ta"),
    ("--delete", "--d"),
    ("--dry-run", "--dr"),
    ("--no-verify", "--no-veri"),
];

/// What is asked for; none where only the manual is.
pub(super) fn push(words: &[Value], more: bool) -> Option<Push> {
    let mut push = Push { unreadable: more, ..Push::default() };
    let (mut names, mut repo) = (Vec::new(), None);
    let mut rest = words.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if !word.known && !text.starts_with('-') {
            push.unreadable = true;
            names.push(None);
            continue;
        }
        if !options || !text.starts_with('-') || text == "-" {
            names.push(Some(text.to_string()));
            continue;
        }
        match text {
            "--" => options = false,
            "--help" | "-h" => return None,
            "-o" => drop(rest.next()),
            _ if WITH_VALUE.contains(&text) => {
                let value = rest.next();
                if text == "--repo" {
                    repo = value.map(|v| v.text.clone());
                }
            }
            _ if text.starts_with("--repo=") => repo = Some(text["--repo=".len()..].to_string()),
            _ if text.starts_with("--") => long(&mut push, text),
            _ => short(&mut push, text),
        }
    }
    let mut names = names.into_iter();
    push.remote = names.next().flatten().or(repo);
    push.refspecs = names.flatten().collect();
    Some(push)
}

fn long(push: &mut Push, text: &str) {
    let (text, on) = match text.strip_prefix("--no-") {
        Some("verify") | None => (text.to_string(), true),
        Some(rest) if "verify".starts_with(rest) && rest.len() > 3 => (text.to_string(), true),
        Some(rest) => (format!("--{rest}"), false),
    };
    let of = |(name, least): &&(&str, &str)| name.starts_with(&text) && text.starts_with(least);
    match LONG.iter().find(of).map(|(name, _)| *name) {
        Some("--all" | "--branches") => push.all = on,
        Some("--mirror") => push.mirror = on,
        Some("--tags") => push.tags = on,
        Some("--delete") => push.delete = on,
        Some("--dry-run") => push.dry_run = on,
        Some(_) => push.without_hook = true,
        None => {}
    }
}

fn short(push: &mut Push, text: &str) {
    for c in text.chars().skip(1) {
        match c {
            'n' => push.dry_run = true,
            'd' => push.delete = true,
            // the rest of the word is its value
            'o' => return,
            _ => {}
        }
    }
}
