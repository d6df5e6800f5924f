//! What checks left in the tree, with the lines for `.gitignore`.

use std::collections::BTreeSet;

/// How many names are told.
const MOST: usize = 10;

/// What a person is told: each file once, new folders as a whole; none where nothing was left.
pub(super) fn told(left: &[String], tracked: &[String]) -> Vec<String> {
    let tracked: BTreeSet<&str> = tracked.iter().map(String::as_str).collect();
    let (changed, new): (Vec<&String>, Vec<&String>) =
        left.iter().partition(|path| tracked.contains(path.as_str()));
    let mut lines = Vec::new();
    if !changed.is_empty() {
        lines.push("checks changed files of the commit; a check should only look:".to_string());
        lines.extend(cut(changed.into_iter().map(|p| format!("  {p}")).collect()));
    }
    if !new.is_empty() {
        lines.push("checks left files in the tree; lines for .gitignore:".to_string());
        let each: BTreeSet<String> = new.iter().map(|path| ignore_line(path, &tracked)).collect();
        lines.extend(cut(each.into_iter().map(|l| format!("  {l}")).collect()));
    }
    lines
}

fn cut(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines
}

/// The topmost folder that holds nothing of the commit, else the file.
fn ignore_line(path: &str, tracked: &BTreeSet<&str>) -> String {
    let holds = |folder: &str| {
        tracked.range(folder..).next().is_some_and(|first| first.starts_with(folder))
    };
    let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
    let whole = folders.into_iter().find(|folder| !holds(folder)).unwrap_or(path);
    let mut line = String::from("/");
    for c in whole.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            line.push('\\');
        }
        line.push(c);
    }
    if line.ends_with(' ') {
        line.insert(line.len() - 1, '\\');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn new_folders_are_named_as_a_whole() {
        let tracked = owned(&["src/a.py", "srv", "README"]);
        let left = owned(&[
            "README",
            ".coverage",
            "src/__pycache__/a.pyc",
            "src/__pycache__/b.pyc",
            "out/deep/x",
            "a[1]*.txt",
            "b ",
        ]);
        let want = owned(&[
            "checks changed files of the commit; a check should only look:",
            "  README",
            "checks left files in the tree; lines for .gitignore:",
            "  /.coverage",
            "  /a\\[1]\\*.txt",
            "  /b\\ ",
            "  /out/",
            "  /src/__pycache__/",
        ]);
        assert_eq!(told(&left, &tracked), want);
        assert_eq!(told(&[], &tracked), Vec::<String>::new());
    }

    #[test]
    fn a_long_list_is_cut() {
        let left: Vec<String> = (0..30).map(|n| format!("f{n:02}")).collect();
        let lines = told(&left, &[]);
        assert_eq!((lines.len(), lines[11].as_str()), (12, "  and 20 more"));
    }
}
