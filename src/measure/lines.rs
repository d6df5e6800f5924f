//! What the line of a finding says, as a hash: by that a finding is known again after its line moved.

use std::collections::HashMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::model::{Finding, SharedText};
use crate::rules::paths::PathMap;

/// Larger files are made by machines; nobody moves their lines about.
const LARGEST: u64 = 4 << 20;

/// A line of fewer letters and digits (`}`, `else {`) is like too many others.
const LEAST: usize = 6;

/// Tells each finding in a tracked file below `dir` what its line says.
pub(super) fn hash_lines(findings: &mut [Finding], dir: &Path, paths: &PathMap<'_>) {
    hash_lines_of(findings, paths, |path| content(&dir.join(path)));
}

/// The same with files from anywhere.
pub(super) fn hash_lines_of(
    findings: &mut [Finding],
    paths: &PathMap<'_>,
    content: impl Fn(&str) -> Option<Vec<u8>>,
) {
    let mut by_path: HashMap<SharedText, Vec<usize>> = HashMap::new();
    for (i, finding) in findings.iter().enumerate() {
        if let (Some(path), Some(_)) = (&finding.path, finding.line) {
            by_path.entry(path.clone()).or_default().push(i);
        }
    }
    for (path, mut wanted) in by_path {
        if !paths.is_tracked(&path) {
            continue;
        }
        let Some(text) = content(&path).filter(|t| t.len() as u64 <= LARGEST) else { continue };
        wanted.sort_by_key(|i| findings[*i].line);
        let (mut lines, mut at) = (text.split(|b| *b == b'\n'), 0);
        let mut current: Option<u64> = None;
        for i in wanted {
            let line = findings[i].line.unwrap_or(0);
            while at < line {
                let Some(next) = lines.next() else { break };
                at += 1;
                current = (at == line).then(|| hash(next)).flatten();
            }
            findings[i].line_hash = if at == line { current } else { None };
        }
    }
}

/// A regular file's content; a link's target is another file.
fn content(path: &Path) -> Option<Vec<u8>> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    (meta.is_file() && meta.len() <= LARGEST).then(|| std::fs::read(path).ok()).flatten()
}

/// The first 48 bits of the SHA-256 of a line without white space: JSON numbers hold that exactly.
fn hash(line: &[u8]) -> Option<u64> {
    let told = line.iter().filter(|b| b.is_ascii_alphanumeric() || !b.is_ascii()).count();
    if told < LEAST {
        return None;
    }
    let plain: Vec<u8> = line.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let digest = Sha256::digest(&plain);
    Some(digest.iter().take(6).fold(0, |n, b| n << 8 | u64::from(*b)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::Level;

    fn at(path: &str, line: u32) -> Finding {
        Finding {
            rule: "R".into(),
            level: Level::Error,
            path: Some(path.into()),
            line: Some(line),
            message: "m".into(),
            tool: "t".into(),
            fingerprint: None,
            line_hash: None,
        }
    }

    #[test]
    fn lines_are_known_by_what_they_say() {
        let dir = tempfile::tempdir().unwrap();
        let text = "import os\n}\n  import  os\r\nimport sys\n";
        std::fs::write(dir.path().join("a.py"), text).unwrap();
        std::fs::write(dir.path().join("other.py"), text).unwrap();
        let tracked: BTreeSet<String> = BTreeSet::from(["a.py".to_string()]);
        let paths = PathMap::new(&[], &tracked);
        let mut all: Vec<Finding> = [3, 1, 2, 4, 9].map(|n| at("a.py", n)).into();
        all.push(at("other.py", 1));
        hash_lines(&mut all, dir.path(), &paths);
        let got: Vec<Option<u64>> = all.iter().map(|f| f.line_hash).collect();
        assert!(got[0].is_some_and(|h| h < 1 << 48));
        assert_eq!(got[0], got[1], "white space says nothing");
        assert_eq!(got[2], None, "a brace is like all others");
        assert!(got[3].is_some() && got[3] != got[0]);
        assert_eq!(got[4], None, "there is no such line");
        assert_eq!(got[5], None, "not a file of the repository");
    }
}
