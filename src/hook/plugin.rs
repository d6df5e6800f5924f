//! What agents get besides settings: a plugin for Claude Code, and a block of text for the others.

/// The block for AGENTS.md.
pub const AGENTS_MD: &str = include_str!("../../hooks/AGENTS.md");

/// One file of the plugin: where it lies, what it holds, and whether it is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginFile {
    /// From the plugin's folder.
    pub path: &'static str,
    /// All of it.
    pub text: &'static str,
    /// Its permissions.
    pub mode: u32,
}

/// A file as it lies in the package.
macro_rules! file {
    ($path:literal, $mode:literal) => {
        PluginFile {
            path: $path,
            text: include_str!(concat!("../../hooks/claude-plugin/", $path)),
            mode: $mode,
        }
    };
}

/// The plugin; the hook in it is the same file as everywhere.
pub static PLUGIN: &[PluginFile] = &[
    file!(".claude-plugin/plugin.json", 0o644),
    file!("README.md", 0o644),
    file!("bin/git-fix-evidence", 0o755),
    file!("bin/git-review-evidence", 0o755),
    file!("commands/forge-fix-evidence.md", 0o644),
    file!("hooks/hooks.json", 0o644),
    PluginFile {
        path: "hooks/review-evidence",
        text: include_str!("../../hooks/review-evidence"),
        mode: 0o755,
    },
    file!("skills/forge-fix-evidence/SKILL.md", 0o644),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str) -> &'static str {
        PLUGIN.iter().find(|f| f.path == path).unwrap().text
    }

    #[test]
    fn the_manifest_is_of_this_version_and_the_hooks_call_the_hook() {
        let manifest: serde_json::Value =
            serde_json::from_str(text(".claude-plugin/plugin.json")).unwrap();
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        let hooks: serde_json::Value = serde_json::from_str(text("hooks/hooks.json")).unwrap();
        for event in ["PreToolUse", "PostToolUse"] {
            let hook = &hooks["hooks"][event][0]["hooks"][0];
            assert_eq!(hook["command"], "${CLAUDE_PLUGIN_ROOT}/hooks/review-evidence");
        }
    }

    #[test]
    fn a_skill_is_of_the_shape_that_agents_read() {
        let skill = text("skills/forge-fix-evidence/SKILL.md");
        let head = skill.strip_prefix("---\n").and_then(|s| s.split_once("\n---\n")).unwrap().0;
        let value = |key: &str| {
            let line = head.lines().find_map(|l| l.strip_prefix(&format!("{key}: ")));
            line.unwrap().to_string()
        };
        assert_eq!(value("name"), "forge-fix-evidence");
        assert!(value("description").len() <= 1024 && skill.lines().count() < 500);
        for said in [skill, text("commands/forge-fix-evidence.md"), AGENTS_MD] {
            assert!(said.contains("git fix-evidence") && !said.contains("no-verify"));
        }
    }
}
