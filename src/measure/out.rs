//! `{out}` in a check's command.

/// Puts a folder in place of every `{out}`, quoted for the place where it stands: plain, inside
/// double quotes, or inside single quotes.
pub(super) fn fill_out(command: &str, folder: &str) -> String {
    let mut filled = String::with_capacity(command.len() + folder.len());
    let mut quote: Option<char> = None;
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("{out}") {
            filled.push_str(&quoted(folder, quote));
            rest = after;
            continue;
        }
        let escaped = c == '\\' && quote != Some('\'');
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        let taken = if escaped {
            c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8)
        } else {
            c.len_utf8()
        };
        filled.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    filled
}

fn quoted(folder: &str, quote: Option<char>) -> String {
    match quote {
        Some('\'') => folder.replace('\'', "'\\''"),
        Some(_) => folder
            .chars()
            .flat_map(|c| ['\\'].into_iter().filter(move |_| "\"\\$`".contains(c)).chain([c]))
            .collect(),
        None if folder.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+".contains(&b)) => {
            folder.to_string()
        }
        None => format!("'{}'", folder.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_quoted_for_where_it_stands() {
        for (command, folder, expected) in [
            ("x -o {out}/a .", "/t/o", "x -o /t/o/a ."),
            ("x -o {out}/a", "/t o/ü", "x -o '/t o/ü'/a"),
            ("x -o \"{out}/a\"", "/t $o", "x -o \"/t \\$o/a\""),
            ("x -o '{out}/a'", "/it's", "x -o '/it'\\''s/a'"),
            ("echo \\\"{out}\\\"", "/t o", "echo \\\"'/t o'\\\""),
            ("echo '\\'{out}", "/t o", "echo '\\''/t o'"),
            ("no folder", "/t", "no folder"),
        ] {
            assert_eq!(fill_out(command, folder), expected, "{command}");
        }
    }
}
