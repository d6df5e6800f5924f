//! Severities as compilers print them, in the languages that they are translated to.

use crate::model::Level;

/// What a compiler's word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It is a diagnostic of this level.
    Of(Level),
    /// It explains the diagnostic before it.
    Explains,
}

const WORDS: &[(&[&str], Word)] = &[
    (
        &[
            "error",
            "fatal error",
            "internal compiler error",
            "sorry, unimplemented",
            "fehler",
            "schwerwiegender fehler",
            "interner compiler-fehler",
            "erreur",
            "erreur fatale",
            "error fatal",
            "errore",
            "errore fatale",
            "erro",
            "erro fatal",
            "ошибка",
            "фатальная ошибка",
            "エラー",
            "致命的エラー",
            "错误",
            "致命错误",
        ],
        Word::Of(Level::Error),
    ),
    (
        &[
            "warning",
            "warnung",
            "attention",
            "avertissement",
            "aviso",
            "advertencia",
            "attenzione",
            "предупреждение",
            "警告",
        ],
        Word::Of(Level::Warning),
    ),
    (&["remark"], Word::Of(Level::Note)),
    (
        &["note", "anmerkung", "bemerkung", "nota", "замечание", "注意", "附注", "备注"],
        Word::Explains,
    ),
];

/// The severity at the start of a text, and the message after it.
pub(super) fn severity(text: &str) -> Option<(Word, &str)> {
    // Chinese and Japanese have a colon of their own
    let at = text.find([':', '：'])?;
    // French has a blank, mostly a hard one, before the colon
    let word = text[..at].trim_end_matches([' ', '\u{a0}', '\u{202f}']).to_lowercase();
    let rest = text[at..].trim_start_matches([':', '：']).trim_start();
    WORDS.iter().find(|(all, _)| all.contains(&word.as_str())).map(|(_, w)| (*w, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities() {
        for (text, want) in [
            ("fatal error: a: b", Some((Word::Of(Level::Error), "a: b"))),
            ("Warnung: x", Some((Word::Of(Level::Warning), "x"))),
            ("attention\u{a0}: x", Some((Word::Of(Level::Warning), "x"))),
            ("错误：x", Some((Word::Of(Level::Error), "x"))),
            ("Anmerkung: x", Some((Word::Explains, "x"))),
            ("C0114: x", None),
            ("warning", None),
        ] {
            assert_eq!(severity(text), want, "{text}");
        }
    }
}
