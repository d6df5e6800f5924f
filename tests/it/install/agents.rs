//! Hooks in agents' own settings: put in and taken back, byte for byte.

use std::os::unix::fs::PermissionsExt;

use crate::support::cmd::review;
use crate::support::repo::TestRepo;

const AGENTS: &[(&str, &str)] = &[
    ("claude", ".claude/settings.local.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/git-evidence.json"),
    ("cursor", ".cursor/hooks.json"),
];

fn install(repo: &TestRepo, args: &[&str], code: i32) -> (String, String) {
    let mut all = vec!["install"];
    all.extend(args);
    let done = review(repo, &all).ended(code);
    (done.out, done.err)
}

#[test]
fn where_nothing_was_nothing_is_left() {
    for (agent, file) in AGENTS {
        let repo = TestRepo::new();
        repo.write("a.txt", "1\n");
        repo.commit("a");
        let shown = install(&repo, &["--agent", agent, "--dry-run"], 0).0;
        assert!(repo.text(file).is_none() && shown.contains("hook "), "{shown}");
        let said = install(&repo, &["--agent", agent], 0).0;
        assert!(said.contains("commit it, or have git ignore it"), "{said}");
        let text = repo.text(file).unwrap();
        assert!(shown.ends_with(&text), "a dry run shows each byte\n{shown}");
        assert!(text.contains(&format!("git-review-evidence hook {agent}")), "{text}");
        let again = install(&repo, &["--agent", agent], 0).0;
        assert!(again.contains("has the hook already"), "{again}");
        install(&repo, &["--agent", agent, "--uninstall"], 0);
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{agent}");
        assert!(!repo.path.join(file.split('/').next().unwrap()).exists(), "{agent}");
        let none = install(&repo, &["--agent", agent, "--uninstall"], 0).0;
        assert!(none.contains("nothing of this program"), "{none}");
    }
}

#[test]
fn what_was_there_comes_back_byte_for_byte() {
    for (agent, file) in AGENTS {
        for text in ["{}", "{\n\t// mine\n\t\"a\": [1,\n2 ,3] , }\n\n", "\u{feff}{\"hooks\": {}}"] {
            let repo = TestRepo::new();
            repo.write(file, text);
            let path = repo.path.join(file);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            install(&repo, &["--agent", agent], 0);
            assert!(repo.text(file).unwrap().contains("git-review-evidence"), "{agent} {text}");
            install(&repo, &["--agent", agent, "--uninstall"], 0);
            assert_eq!(repo.text(file).unwrap(), text, "{agent}");
            let mode = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o640, "{agent}");
        }
    }
}

#[test]
fn what_was_edited_since_loses_only_our_entries() {
    let repo = TestRepo::new();
    let file = ".gemini/settings.json";
    repo.write(file, "{\"theme\": \"a\"}\n");
    install(&repo, &["--agent", "gemini"], 0);
    let edited = repo.text(file).unwrap().replace("\"theme\": \"a\"", "\"theme\": \"b\"");
    repo.write(file, &edited);
    install(&repo, &["--agent", "gemini", "--uninstall"], 0);
    let left: serde_json::Value = serde_json::from_str(&repo.text(file).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"theme": "b"}));
}

#[test]
fn an_older_hook_of_ours_does_not_come_back_with_what_was_edited() {
    let repo = TestRepo::new();
    let file = ".claude/settings.local.json";
    install(&repo, &["--agent", "claude"], 0);
    let own = env!("CARGO_BIN_EXE_git-review-evidence");
    let older = repo.text(file).unwrap().replace(own, "/older/git-review-evidence");
    assert!(older.contains("/older/"), "{older}");
    repo.write(file, older.replacen("{\n", "{\n  \"model\": \"x\",\n", 1));
    install(&repo, &["--agent", "claude"], 0);
    install(&repo, &["--agent", "claude", "--uninstall"], 0);
    let left: serde_json::Value = serde_json::from_str(&repo.text(file).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"model": "x"}));
}

#[test]
fn a_link_to_nowhere_stays_what_it_is() {
    let repo = TestRepo::new();
    std::fs::create_dir(repo.path.join(".claude")).unwrap();
    let link = repo.path.join(".claude/settings.local.json");
    std::os::unix::fs::symlink("../shared.json", &link).unwrap();
    let (_, said) = install(&repo, &["--agent", "claude"], 2);
    assert!(said.contains("a link to a file that is not there"), "{said}");
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn what_cannot_be_used_is_left_alone_and_said() {
    let repo = TestRepo::new();
    repo.write(".cursor/hooks.json", "{\"hooks\": [");
    let (_, said) = install(&repo, &["--agent", "cursor"], 2);
    assert!(said.contains("is left alone") && said.contains("beforeShellExecution"), "{said}");
    assert_eq!(repo.text(".cursor/hooks.json").unwrap(), "{\"hooks\": [");
    let (_, said) = install(&repo, &["--agent", "nobody"], 2);
    assert!(said.contains("known are claude, codex, gemini, copilot, cursor"), "{said}");
}

#[test]
fn both_hooks_can_be_installed_at_once() {
    let repo = TestRepo::new();
    install(&repo, &["--pre-push", "--agent", "claude"], 0);
    assert!(repo.text(".git/hooks/pre-push").is_some());
    assert!(repo.text(".claude/settings.local.json").is_some());
    install(&repo, &["--agent", "claude", "--uninstall"], 0);
    assert!(repo.text(".git/hooks/pre-push").is_some(), "only what was asked for goes");
}

#[test]
fn the_plugin_is_written_whole_and_only_where_nothing_else_is() {
    let repo = TestRepo::new();
    let folder = repo.beside("plugin");
    let name = folder.to_str().unwrap();
    let shown = install(&repo, &["--plugin", name, "--dry-run"], 0).0;
    assert!(!folder.exists() && shown.contains("SKILL.md (mode 644)"), "{shown}");
    install(&repo, &["--plugin", name], 0);
    for file in ["hooks/review-evidence", "bin/git-fix-evidence", "bin/git-review-evidence"] {
        let mode = folder.join(file).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{file}");
        let read = std::process::Command::new("sh").arg("-n").arg(folder.join(file)).status();
        assert!(read.unwrap().success(), "{file}");
    }
    install(&repo, &["--plugin", name], 0);
    let other = repo.beside("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("a"), "1").unwrap();
    let (_, said) = install(&repo, &["--plugin", other.to_str().unwrap()], 2);
    assert!(said.contains("holds something else"), "{said}");
    assert!(install(&repo, &["--agents-md"], 0).0.starts_with("## git-evidence"));
}

#[test]
fn the_launcher_of_the_plugin_says_what_is_missing_or_starts_what_is_there() {
    let repo = TestRepo::new();
    let folder = repo.beside("plugin");
    install(&repo, &["--plugin", folder.to_str().unwrap()], 0);
    let home = repo.beside("home");
    let launch = || {
        let mut command = std::process::Command::new(folder.join("bin/git-review-evidence"));
        command.env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin").arg("-V");
        command.output().unwrap()
    };
    let none = launch();
    assert_eq!(none.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&none.stderr).contains("cargo install git-evidence"));
    std::fs::create_dir_all(home.join(".cargo/bin")).unwrap();
    let own = env!("CARGO_BIN_EXE_git-review-evidence");
    std::os::unix::fs::symlink(own, home.join(".cargo/bin/git-review-evidence")).unwrap();
    assert!(launch().status.success());
}
