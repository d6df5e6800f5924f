//! Paths as reports name them → files of the repository.
//!
//! Tools write absolute paths, container paths, Windows separators, or paths below a source root. A
//! path that fits no tracked file stays as it is; where none fits, the report is about something
//! else and must not be judged by.

use std::collections::{BTreeSet, HashMap};

/// Maps reported paths, remembering what it has looked up.
pub struct PathMap<'a> {
    roots: &'a [String],
    tracked: &'a BTreeSet<String>,
    /// File name → tracked paths that end in it.
    by_name: HashMap<&'a str, Vec<&'a str>>,
    known: HashMap<String, Option<String>>,
}

impl<'a> PathMap<'a> {
    /// `roots` are folders (without a slash at the end) that a report may put in front of its paths;
    /// `tracked` are the tree's files.
    pub fn new(roots: &'a [String], tracked: &'a BTreeSet<String>) -> Self {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in tracked {
            by_name.entry(name(path)).or_default().push(path);
        }
        PathMap { roots, tracked, by_name, known: HashMap::new() }
    }

    /// The tracked file that a reported path means, if it means one.
    pub fn find(&mut self, reported: &str) -> Option<String> {
        if let Some(known) = self.known.get(reported) {
            return known.clone();
        }
        let found = self.look_up(reported);
        self.known.insert(reported.to_string(), found.clone());
        found
    }

    /// Whether the tree has a file of exactly this path.
    pub fn is_tracked(&self, path: &str) -> bool {
        self.tracked.contains(path)
    }

    fn look_up(&self, reported: &str) -> Option<String> {
        let plain = reported.replace('\\', "/");
        let relative = self.roots.iter().find_map(|root| {
            plain.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'))
        });
        let plain = normal(relative.unwrap_or(&plain));
        if self.tracked.contains(&plain) {
            return Some(plain);
        }
        // The longest common end wins; two equally long ones are no answer.
        let candidates = self.by_name.get(name(&plain))?;
        let common = |path: &str| {
            path.rsplit('/').zip(plain.rsplit('/')).take_while(|(a, b)| a == b).count()
        };
        // Only a whole tracked path, or a whole reported one, may stand at the other's end.
        let whole = |path: &&&str| {
            let n = common(path);
            n == path.split('/').count() || n == plain.trim_start_matches('/').split('/').count()
        };
        let mut fitting: Vec<&&str> = candidates.iter().filter(whole).collect();
        fitting.sort_by_key(|p| std::cmp::Reverse(common(p)));
        match fitting.as_slice() {
            [only] => Some((**only).to_string()),
            [first, second, ..] if common(first) > common(second) => Some((**first).to_string()),
            _ => None,
        }
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Without `.` and `..` parts.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (i, part) in path.split('/').enumerate() {
        match part {
            "." => {}
            "" if i > 0 => {}
            ".." if parts.last().is_some_and(|p| *p != ".." && !p.is_empty()) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_paths_find_their_file() {
        let tracked: BTreeSet<String> =
            ["src/app.py", "src/util/io.py", "lib/util/io.py", "setup.py", "web/setup.py"]
                .map(String::from)
                .into();
        let roots = ["/home/me/repo".to_string()];
        let mut map = PathMap::new(&roots, &tracked);
        for (reported, expected) in [
            ("src/app.py", Some("src/app.py")),
            ("./src/../src/app.py", Some("src/app.py")),
            ("/home/me/repo/src/app.py", Some("src/app.py")),
            ("/app/src/app.py", Some("src/app.py")),
            ("C:\\build\\src\\app.py", Some("src/app.py")),
            ("app.py", Some("src/app.py")),
            ("util/io.py", None),
            ("/x/lib/util/io.py", Some("lib/util/io.py")),
            ("setup.py", Some("setup.py")),
            ("/ci/setup.py", Some("setup.py")),
            ("/ci/web/setup.py", Some("web/setup.py")),
            ("other.py", None),
            ("/usr/lib/python3/json.py", None),
        ] {
            assert_eq!(map.find(reported).as_deref(), expected, "{reported}");
        }
    }
}
