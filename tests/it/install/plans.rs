//! What is found, what is planned, and that taking away gives back every byte.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use git_evidence::hook::install::{
    BODY, Found, Home, HookFile, Plan, apply, is_ours, look, plan, plan_removal, script,
};
use proptest::prelude::*;

use crate::hooked::{Hooked, write_script};
use crate::small_disk::SmallDisk;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn text(plan: &Plan) -> String {
    String::from_utf8(plan.describe()).unwrap()
}

#[test]
fn the_hook_is_a_few_lines_and_any_shell_reads_it() {
    assert!(BODY.starts_with("#!/bin/sh\n") && BODY.lines().count() < 25);
    assert!(!BODY.contains("no-verify"));
    assert!(is_ours(BODY.as_bytes()));
}

#[test]
fn installing_and_taking_away_leave_nothing() {
    let repo = Hooked::new();
    let hooks = repo.hooks_dir();
    std::fs::remove_dir_all(&hooks).unwrap();
    repo.install();
    assert_eq!(mode(&hooks.join("pre-push")), 0o755);
    assert!(matches!(repo.uninstall(), Plan::Remove { .. }));
    assert!(matches!(repo.uninstall(), Plan::Nothing { .. }));
    assert_eq!(std::fs::read_dir(&hooks).unwrap().count(), 0);
}

#[test]
fn their_hook_comes_back_with_bytes_and_mode() {
    for (content, bits) in [
        (&b"#!/bin/sh\n# \xff\xfe no newline at the end"[..], 0o750u32),
        (b"", 0o644),
        (b"#!/usr/bin/env python3\n\0\n", 0o700),
    ] {
        let repo = Hooked::new();
        let hook = repo.hooks_dir().join("pre-push");
        std::fs::create_dir_all(repo.hooks_dir()).unwrap();
        std::fs::write(&hook, content).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(bits)).unwrap();
        let before = names(&repo.hooks_dir());
        repo.install();
        repo.install();
        assert_ne!(std::fs::read(&hook).unwrap(), content);
        assert!(matches!(repo.uninstall(), Plan::Restore { .. }));
        assert_eq!((std::fs::read(&hook).unwrap(), mode(&hook)), (content.to_vec(), bits));
        assert_eq!(names(&repo.hooks_dir()), before);
        assert!(matches!(repo.uninstall(), Plan::Nothing { .. }));
    }
}

fn names(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_link_is_kept_as_a_link() {
    let repo = Hooked::new();
    let hook = repo.hooks_dir().join("pre-push");
    std::fs::create_dir_all(repo.hooks_dir()).unwrap();
    for target in ["../../scripts/pre-push", "nowhere"] {
        write_script(&repo.top.join("scripts/pre-push"), "#!/bin/sh\nexit 0\n", 0o755);
        symlink(target, &hook).unwrap();
        assert!(matches!(repo.install(), Plan::Chain { .. }));
        repo.git(&["push", "-q", "origin", "main"]);
        assert!(repo.take("ours").is_some());
        repo.uninstall();
        assert_eq!(std::fs::read_link(&hook).unwrap(), Path::new(target));
        std::fs::remove_file(&hook).unwrap();
    }
}

#[test]
fn an_installation_that_was_stopped_half_way_is_finished_or_undone() {
    let repo = Hooked::new();
    let hook = repo.their_hook(0);
    let kept = repo.hooks_dir().join("pre-push.evidence-orig");
    let bytes = std::fs::read(&hook).unwrap();
    // stopped after the second name
    std::fs::hard_link(&hook, &kept).unwrap();
    assert!(matches!(repo.uninstall(), Plan::Remove { .. }));
    assert!(hook.exists() && !kept.exists());
    std::fs::hard_link(&hook, &kept).unwrap();
    assert!(matches!(repo.install(), Plan::Chain { .. }));
    assert_eq!(std::fs::read(&kept).unwrap(), bytes);
    assert!(matches!(repo.uninstall(), Plan::Restore { .. }));
    // stopped where there are no hard links
    std::fs::rename(&hook, &kept).unwrap();
    assert!(matches!(repo.install(), Plan::Write { .. }));
    repo.git(&["push", "-q", "origin", "main"]);
    assert!(repo.take("theirs").is_some() && repo.take("ours").is_some());
    std::fs::remove_file(&hook).unwrap();
    assert!(matches!(repo.uninstall(), Plan::Restore { .. }));
    assert_eq!(std::fs::read(&hook).unwrap(), bytes);
    // two different hooks: nothing is touched
    std::fs::write(&kept, "another").unwrap();
    for plan in [repo.install(), repo.uninstall()] {
        assert!(matches!(plan, Plan::Refuse { .. }), "{plan:?}");
    }
    assert_eq!(std::fs::read(&hook).unwrap(), bytes);
    assert_eq!(std::fs::read(&kept).unwrap(), b"another");
}

#[test]
fn a_changed_hook_of_ours_is_a_persons_own() {
    let repo = Hooked::new();
    repo.install();
    let hook = repo.hooks_dir().join("pre-push");
    let mut changed = std::fs::read(&hook).unwrap();
    changed.extend_from_slice(b"echo mine\n");
    write_script(&hook, std::str::from_utf8(&changed).unwrap(), 0o755);
    assert!(matches!(repo.uninstall(), Plan::Nothing { .. }));
    assert!(matches!(repo.install(), Plan::Chain { .. }));
    // under its new name it must not take itself for somebody else's hook and run for ever
    repo.git(&["push", "-q", "origin", "main"]);
    assert!(repo.take("ours").is_some());
    repo.uninstall();
    assert_eq!(std::fs::read(&hook).unwrap(), changed);
}

#[test]
fn ours_without_its_execute_bit_or_with_another_path_is_written_again() {
    let repo = Hooked::new();
    repo.install();
    let hook = repo.hooks_dir().join("pre-push");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(repo.install(), Plan::Write { .. }));
    assert_eq!(mode(&hook), 0o755);
    std::fs::write(&hook, script(Path::new("/elsewhere"))).unwrap();
    assert!(matches!(repo.install(), Plan::Write { .. }));
    assert!(matches!(repo.install(), Plan::UpToDate { .. }));
}

#[test]
fn hooks_that_are_not_this_repositorys_are_refused_with_the_line_to_add() {
    let repo = Hooked::new();
    let shared = repo.path("shared hooks");
    std::fs::create_dir(&shared).unwrap();
    repo.git(&["config", "--global", "core.hooksPath", shared.to_str().unwrap()]);
    let line = r#"git-review-evidence hook pre-push "$@" || exit 1"#;
    let empty = text(&repo.install());
    assert!(empty.contains(&format!("#!/bin/sh\n{line}")), "{empty}");
    assert_eq!(names(&shared), Vec::<String>::new());
    let hook = repo.their_hook(0);
    let before = std::fs::read(&hook).unwrap();
    let used = text(&repo.install());
    assert!(used.contains(line) && used.contains("shared hooks"), "{used}");
    assert_eq!((names(&shared).len(), std::fs::read(&hook).unwrap()), (1, before));
    // the lines do what they say
    write_script(&hook, &format!("#!/bin/sh\n{line}\n"), 0o755);
    repo.program(1);
    assert!(!repo.try_git(&["push", "-q", "origin", "main"]).status.success());
    assert!(repo.take("ours").is_some());
    // a link from the git directory to the shared folder is no way in
    repo.git(&["config", "--global", "--unset", "core.hooksPath"]);
    std::fs::remove_dir_all(repo.hooks_dir()).unwrap();
    symlink(&shared, repo.hooks_dir()).unwrap();
    assert!(matches!(repo.install(), Plan::Refuse { .. }));
}

#[test]
fn hooks_in_the_tree_are_written_where_none_is_and_left_alone_where_one_is() {
    let repo = Hooked::new();
    repo.git(&["config", "core.hooksPath", ".githooks"]);
    assert_eq!(repo.found().home, Home::WorkTree);
    let Plan::Write { note: Some(note), .. } = repo.install() else { panic!() };
    assert!(note.contains("commit it"), "{note}");
    repo.git(&["push", "-q", "origin", "main"]);
    assert!(repo.take("ours").is_some());
    repo.uninstall();
    repo.their_hook(0);
    let plan = repo.install();
    assert!(matches!(plan, Plan::Refuse { .. }), "{plan:?}");
    assert!(text(&plan).contains(".githooks/pre-push"), "{}", text(&plan));
}

fn managed(dir: &str, content: &str) -> Found {
    let file = HookFile { bytes: content.as_bytes().to_vec(), mode: 0o755, link: None };
    Found {
        hooks_dir: dir.into(),
        home: Home::GitDir,
        current: Some(file),
        original: None,
        legacy: None,
    }
}

#[test]
fn managers_are_named_with_what_to_add_to_them() {
    for (dir, content, name, add) in [
        ("/r/.husky/_", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", "husky", "pre-push \"$@\""),
        ("/r/.git/hooks", "#!/bin/sh\n# husky\n", "husky", ".husky/pre-push"),
        ("/r/.git/hooks", "call_lefthook run \"pre-push\" \"$@\"", "lefthook", "use_stdin: true"),
        (
            "/r/.git/hooks",
            "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n",
            "pre-commit",
            "pre-commit install -t pre-push",
        ),
        ("/r/.git/hooks", "#!/bin/sh\n# File generated by prek: https://", "prek", "prek install"),
    ] {
        let found = managed(dir, content);
        let plan = plan(&found, Path::new("/x"));
        assert!(matches!(plan, Plan::Refuse { .. }), "{plan:?}");
        let words = text(&plan);
        assert!(words.contains(name) && words.contains(add), "{words}");
        assert!(matches!(plan_removal(&found), Plan::Nothing { .. }));
    }
}

#[test]
fn ours_under_pre_commits_name_is_found_and_taken_away() {
    let repo = Hooked::new();
    repo.install();
    let (hook, legacy) =
        (repo.hooks_dir().join("pre-push"), repo.hooks_dir().join("pre-push.legacy"));
    std::fs::rename(&hook, &legacy).unwrap();
    write_script(&hook, "#!/bin/sh\n# File generated by pre-commit: https://…\n", 0o755);
    assert!(matches!(repo.install(), Plan::UpToDate { .. }));
    assert!(matches!(repo.uninstall(), Plan::Remove { .. }));
    assert!(hook.exists() && !legacy.exists());
}

#[test]
fn the_dry_run_shows_every_byte_and_touches_nothing() {
    let repo = Hooked::new();
    let hook = repo.their_hook(0);
    let before = (names(&repo.hooks_dir()), std::fs::read(&hook).unwrap());
    let plan = plan(&repo.found(), Path::new("/a b/it's"));
    let shown = plan.describe();
    let bytes = script(Path::new("/a b/it's"));
    assert!(shown.ends_with(&bytes));
    assert!(text(&plan).contains("pre-push.evidence-orig, which is run first"));
    assert_eq!((names(&repo.hooks_dir()), std::fs::read(&hook).unwrap()), before);
    apply(&plan).unwrap();
    assert_eq!(std::fs::read(&hook).unwrap(), bytes);
}

#[test]
fn a_failed_write_leaves_their_hook_in_its_place() {
    let repo = Hooked::new();
    let hook = repo.their_hook(0);
    let before = std::fs::read(&hook).unwrap();
    let Plan::Chain { original, bytes, .. } = plan(&repo.found(), Path::new("/x")) else {
        panic!()
    };
    // a folder that cannot be made stands for every way in which a write can fail
    let blocked = hook.join("below a file/pre-push");
    assert!(apply(&Plan::Chain { hook: blocked, original: original.clone(), bytes }).is_err());
    assert_eq!(std::fs::read(&hook).unwrap(), before);
    assert!(!original.exists());
}

#[test]
fn on_a_full_disk_the_second_name_is_taken_away_again() {
    let Some(disk) = SmallDisk::mount() else { return };
    let hook = disk.path().join("pre-push");
    write_script(&hook, "#!/bin/sh\nexit 0\n", 0o750);
    let found = look(disk.path(), disk.path(), None).unwrap();
    let wanted = plan(&found, Path::new("/x"));
    let filler = disk.fill();
    let error = apply(&wanted).unwrap_err().to_string();
    assert!(error.contains("pre-push") && error.contains("free some space"), "{error}");
    assert_eq!(names(disk.path()), ["filler", "pre-push"]);
    assert_eq!(look(disk.path(), disk.path(), None).unwrap(), found);
    std::fs::remove_file(filler).unwrap();
    apply(&wanted).unwrap();
    assert_eq!(names(disk.path()), ["pre-push", "pre-push.evidence-orig"]);
}

#[test]
fn a_fallback_line_that_goes_on_as_a_command_is_not_ours() {
    for line in ["fallback='x'; rm -rf y'", "fallback='x' y='z'", "fallback='''", "fallback='"] {
        let text = BODY.replace("fallback=''", line);
        assert!(!is_ours(text.as_bytes()), "{line}");
    }
    assert_eq!(script(Path::new("/two\nlines")), BODY.as_bytes());
}

proptest! {
    #[test]
    fn whatever_the_path_the_hook_is_recognised_and_the_shell_reads_that_path(path in "/[^\0\n]{0,20}") {
        let text = script(Path::new(&path));
        prop_assert!(is_ours(&text), "{}", path);
        let line = String::from_utf8(text).unwrap();
        let line = line.lines().find(|l| l.starts_with("fallback=")).unwrap().to_string();
        let output = std::process::Command::new("sh")
            .arg("-c").arg(format!("{line}\nprintf %s \"$fallback\"")).output().unwrap();
        prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), path);
    }
}
