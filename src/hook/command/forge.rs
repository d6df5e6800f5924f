//! `gh pr create|edit` and `glab mr create|update`.

use super::PullRequest;
use super::expand::Value;

/// What is asked for; none where it is something else.
pub(super) fn pull_request(program: &str, words: &[Value]) -> Option<PullRequest> {
    let github = program == "gh";
    let (noun, heads): (_, &[&str]) =
        if github { ("pr", &["--head", "-H"]) } else { ("mr", &["--source-branch", "-s"]) };
    let (mut names, mut head) = (Vec::new(), None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if matches!(text, "--help" | "--dry-run") || text == "-h" {
            return None;
        }
        if !text.starts_with('-') {
            names.push(text);
            continue;
        }
        if heads.contains(&text) {
            head = rest.next().cloned();
        } else if let Some((name, value)) = text.split_once('=')
            && heads.contains(&name)
        {
            head = Some(Value { text: value.to_string(), known: word.known });
        } else if let Some(value) = text.strip_prefix(heads[1])
            && !text.starts_with("--")
        {
            head = Some(Value { text: value.to_string(), known: word.known });
        } else if names.len() < 2 && matches!(text, "-R" | "--repo") {
            rest.next();
        }
    }
    let known = |verb: &str| match noun {
        "pr" => matches!(verb, "create" | "new" | "edit"),
        _ => matches!(verb, "create" | "new" | "update"),
    };
    let (Some(first), Some(verb)) = (names.first(), names.get(1)) else { return None };
    if *first != noun && !(noun == "mr" && *first == "merge-request") || !known(verb) {
        return None;
    }
    let unreadable = head.as_ref().is_some_and(|h| !h.known);
    // of a fork's branch, the branch
    let branch = |h: Value| h.text.rsplit(':').next().unwrap_or_default().to_string();
    let head = head.filter(|h| h.known && h.text != "HEAD").map(branch);
    Some(PullRequest { what: format!("{program} {noun} {verb}"), head, unreadable })
}
