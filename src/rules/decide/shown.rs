//! Names from the inputs, as they may be repeated: safe, short, and never a secret literal.

use crate::model::sanitize;

/// Longer names are cut: no secret fits in whole beside its name.
const LONGEST: usize = 80;
/// What stands in place of a name that looks like a secret.
const WITHHELD: &str = "[withheld]";
/// How tokens of well-known services begin.
const TOKENS: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "npm_",
    "eyJ",
];

/// A name on one line without control characters, cut to a length, or withheld.
pub(super) fn shown(name: &str) -> String {
    let plain: String =
        sanitize(name).chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let plain = plain.trim();
    if looks_secret(plain) {
        return WITHHELD.to_string();
    }
    if plain.chars().count() <= LONGEST {
        return plain.to_string();
    }
    let cut: String = plain.chars().take(LONGEST - 1).collect();
    format!("{cut}\u{2026}")
}

/// The same for a list, each name once; what would be withheld is left out.
pub(super) fn shown_all<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names.map(|n| shown(n)) {
        if !name.is_empty() && name != WITHHELD && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// A token of a well-known service, a private key, or a long word of mixed letters and digits, which
/// no identifier is and every generated key is.
fn looks_secret(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let token = |word: &str| TOKENS.iter().any(|t| word.starts_with(t)) && word.len() >= 16;
    let mixed = |word: &str| {
        let has = |kind: fn(&char) -> bool| word.chars().any(|c| kind(&c));
        word.len() >= 32
            && has(char::is_ascii_uppercase)
            && has(char::is_ascii_lowercase)
            && has(char::is_ascii_digit)
    };
    text.contains("-----BEGIN") || text.split(|c| !part(c)).any(|w| token(w) || mixed(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_and_secrets_do_not() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        for name in ["F-1", "src/a b.rs", "risk-assessment-of-the-loop", "code_fix", sha, "größe"]
        {
            assert_eq!(shown(name), name);
        }
        assert_eq!(shown("a\u{1b}[31mb\nc\u{202e}"), "ab c");
        assert_eq!(shown(&"x".repeat(81)).chars().count(), LONGEST);
        for secret in [
            "sk-abcdefghijklmnop",
            "key=ghp_0123456789abcdef",
            "AKIAIOSFODNN7EXAMPLE",
            "-----BEGIN PRIVATE KEY-----",
            "a/Zm9vYmFyMTIzNDU2Nzg5MEFCQ0RFRkdISUpL",
        ] {
            assert_eq!(shown(secret), WITHHELD, "{secret}");
        }
        let list = ["push", "sk-abcdefghijklmnop", "", "push"].map(str::to_string);
        assert_eq!(shown_all(list.iter()), ["push"]);
    }
}
