//! Dependency folders that lead back into the checkout: what is installed "editable" or linked there
//! is the checkout's own code, not a dependency.

use std::path::{Path, PathBuf};

/// Deeper than `lib/python3.x/site-packages/name.dist-info/direct_url.json` nothing is looked at.
const DEPTH: usize = 5;

/// Whether something in `folder` leads to a place in `checkout` outside the folder.
pub(super) fn lead_into(folder: &Path, checkout: &Path) -> bool {
    let (Ok(folder), Ok(checkout)) = (folder.canonicalize(), checkout.canonicalize()) else {
        return true;
    };
    let leads = |path: &Path| {
        let target = path.canonicalize();
        target.is_ok_and(|t| t.starts_with(&checkout) && !t.starts_with(&folder))
    };
    let python = !folder.ends_with("node_modules");
    linked(&folder, &leads) || (python && installed(&folder, DEPTH, &leads))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.path()).collect()
}

fn is_scope(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('@'))
}

/// Links at the top, and in the scopes of `node_modules`.
fn linked(folder: &Path, leads: &impl Fn(&Path) -> bool) -> bool {
    let is_link = |path: &Path| path.is_symlink() && leads(path);
    entries(folder).iter().any(|path| {
        let in_scope = || is_scope(path) && entries(path).iter().any(|p| is_link(p));
        is_link(path) || in_scope()
    })
}

/// Python's two notes of an editable installation.
fn installed(folder: &Path, depth: usize, leads: &impl Fn(&Path) -> bool) -> bool {
    entries(folder).iter().any(|path| {
        if path.is_symlink() {
            return false;
        }
        if path.is_dir() {
            return depth > 1 && installed(path, depth - 1, leads);
        }
        let text = || std::fs::read_to_string(path).unwrap_or_default();
        if path.extension().is_some_and(|e| e == "pth") {
            let base = path.parent().unwrap_or(folder);
            return text().lines().any(|line| leads(&base.join(line.trim())));
        }
        let is_note = path.file_name().is_some_and(|n| n == "direct_url.json");
        is_note && text().contains("\"editable\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    #[test]
    fn editable_and_linked_packages_lead_back() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path();
        create_dir_all(top.join("src")).unwrap();
        create_dir_all(top.join("plain/pkg")).unwrap();
        symlink("pkg", top.join("plain/alias")).unwrap();
        assert!(!lead_into(&top.join("plain"), top));

        create_dir_all(top.join("node_modules/@scope")).unwrap();
        symlink("../../src", top.join("node_modules/@scope/src")).unwrap();
        assert!(lead_into(&top.join("node_modules"), top));

        for (file, text) in [
            ("mine.pth", top.join("src").display().to_string()),
            ("mine.dist-info/direct_url.json", r#"{"dir_info": {"editable": true}}"#.into()),
        ] {
            let venv = root.path().join(".venv");
            let path = venv.join("lib/python3.12/site-packages").join(file);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(&path, "import other\n").unwrap();
            assert!(!lead_into(&venv, top), "{file}");
            write(&path, text).unwrap();
            assert!(lead_into(&venv, top), "{file}");
            std::fs::remove_file(path).unwrap();
        }
    }
}
