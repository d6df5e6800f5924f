//! Which variables a child gets.
//!
//! Inside a hook, or behind `git -c …`, git leaves variables in our environment that point its own
//! children at a repository, an index or settings. A child of ours works on another tree, so these
//! must not reach it. Everything that is not known to be of this kind is passed on: programs need
//! their `PATH`, proxies, keys and caches.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

/// What `git rev-parse --local-env-vars` prints. A test compares it with the installed git.
const LOCAL: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Further variables that belong to one git command, not to the user.
const OF_ONE_COMMAND: &[&str] = &[
    "GIT_ATTR_SOURCE",
    // the dates of a commit in progress would date every commit a child makes
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_DIFF_OPTS",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_INDEX_VERSION",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_PAGER_IN_USE",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REF_PARANOIA",
    // pagers, askers and the rest of what waits for a person
    "MANPAGER",
    "PAGER",
    "SSH_ASKPASS",
];

/// Names with these beginnings are removed.
const BEGINNINGS: &[&str] =
    &["GIT_TRACE", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_PUSH_OPTION_", "GIT_REDIRECT_"];

/// Set for every child, so that no git below it waits for a person. Git asks the program in
/// `GIT_ASKPASS` first, then `core.askPass`, then `SSH_ASKPASS`, then the terminal; an **empty**
/// `GIT_ASKPASS` ends that search before the configured ones, and `GIT_TERMINAL_PROMPT` closes the
/// terminal. Credential helpers still answer: they do not ask. `ssh` has its own switch.
const SET: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
];

/// The environment of a child, made from the inherited one.
///
/// Identity (`GIT_AUTHOR_NAME`, `GIT_COMMITTER_EMAIL`, …) passes. In a pre-commit hook git exports
/// the author of the commit in progress, so this can be somebody else's name; but on a build
/// machine these variables are the only identity there is, and the contract promises that they
/// pass. The dates beside them do not: they describe one commit and nobody sets them for good.
/// The connection (`GIT_SSH*`, `GIT_SSL*`) and the choice of configuration files
/// (`GIT_CONFIG_GLOBAL`, `GIT_CONFIG_SYSTEM`, `GIT_CONFIG_NOSYSTEM`) pass as well.
pub fn clean_environment(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let inherited = vars.into_iter().filter(|(name, _)| passes(name));
    let set = SET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    inherited.chain(set).collect()
}

/// Gives a command the cleaned environment of this process by naming the differences. A command
/// whose environment was rebuilt is started by fork, which takes longer the larger we are.
pub(super) fn clean(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| !passes(name)) {
        command.env_remove(name);
    }
    command.envs(SET.iter().copied());
}

/// Endings of the names of variables that hold secrets.
const SECRET_ENDS: &[&str] = &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "PAT"];
/// Shorter values are words of every text.
const LEAST_SECRET: usize = 8;

/// Blots out the values of variables that hold secrets.
pub(super) fn blot_secrets(vars: &[(OsString, OsString)], text: &str) -> String {
    let secret = |(name, value): &'_ (OsString, OsString)| -> Option<String> {
        let name = name.to_str()?.to_ascii_uppercase();
        let value = value.to_str().filter(|v| v.len() >= LEAST_SECRET)?;
        SECRET_ENDS.iter().any(|end| name.ends_with(end)).then(|| value.to_string())
    };
    let secrets = vars.iter().filter_map(secret);
    secrets.fold(text.to_string(), |text, secret| text.replace(&secret, "***"))
}

fn passes(name: &OsStr) -> bool {
    let is = |known: &&str| name == OsStr::new(known);
    let begins = |known: &&str| name.as_bytes().starts_with(known.as_bytes());
    let set = SET.iter().any(|(known, _)| is(known));
    !(set || LOCAL.iter().any(is) || OF_ONE_COMMAND.iter().any(is) || BEGINNINGS.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn secrets_are_blotted_out_of_texts() {
        let vars: Vec<(OsString, OsString)> = [
            ("GH_TOKEN", "ghp_0123456789"),
            ("api_key", "k-0123456789"),
            ("SHORT_TOKEN", "abc"),
            ("HOME", "/home/somebody"),
        ]
        .map(|(n, v)| (n.into(), v.into()))
        .to_vec();
        let text = "ghp_0123456789 at /home/somebody said abc, twice: ghp_0123456789 k-0123456789";
        let blotted = "*** at /home/somebody said abc, twice: *** ***";
        assert_eq!(blot_secrets(&vars, text), blotted);
    }

    fn cleaned(names: &[&str]) -> Vec<String> {
        let vars = names.iter().map(|name| (OsString::from(name), OsString::from("1")));
        clean_environment(vars)
            .into_iter()
            .filter(|(_, value)| value == "1")
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn everything_git_calls_local_is_removed() {
        let told = Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let names: Vec<&str> = told.lines().collect();
        assert!(names.len() >= 15, "{names:?}");
        assert_eq!(cleaned(&names), Vec::<String>::new());
    }

    #[test]
    fn what_belongs_to_one_command_is_removed() {
        let names = [
            "GIT_EXEC_PATH",
            "GIT_NAMESPACE",
            "GIT_TRACE",
            "GIT_TRACE2_EVENT",
            "GIT_TRACE_PACKET",
            "GIT_EDITOR",
            "GIT_SEQUENCE_EDITOR",
            "GIT_REFLOG_ACTION",
            "GIT_QUARANTINE_PATH",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_12",
            "GIT_AUTHOR_DATE",
            "GIT_COMMITTER_DATE",
            "GIT_EXTERNAL_DIFF",
            "GIT_DIFF_OPTS",
            "GIT_LITERAL_PATHSPECS",
            "GIT_GLOB_PATHSPECS",
            "GIT_NOGLOB_PATHSPECS",
            "GIT_ICASE_PATHSPECS",
            "GIT_PAGER",
            "PAGER",
            "GIT_ASKPASS",
            "SSH_ASKPASS",
            "GIT_TERMINAL_PROMPT",
        ];
        assert_eq!(cleaned(&names), Vec::<String>::new());
    }

    #[test]
    fn identity_connection_and_the_rest_pass() {
        let names = [
            "GIT_AUTHOR_NAME",
            "GIT_AUTHOR_EMAIL",
            "GIT_COMMITTER_NAME",
            "GIT_COMMITTER_EMAIL",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_SSL_CAINFO",
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_SYSTEM",
            "GIT_CONFIG_NOSYSTEM",
            "SSH_AUTH_SOCK",
            "PATH",
            "HOME",
            "LC_ALL",
            "git_dir",
        ];
        assert_eq!(cleaned(&names), names);
    }

    #[test]
    fn nothing_may_ask_and_every_name_is_set_once() {
        let inherited = [("GIT_TERMINAL_PROMPT", "1"), ("GIT_EDITOR", "vi"), ("PATH", "/bin")];
        let vars = inherited.map(|(name, value)| (name.into(), value.into()));
        let env = clean_environment(vars);
        let value = |wanted: &str| {
            let found: Vec<_> = env.iter().filter(|(name, _)| name == wanted).collect();
            assert_eq!(found.len(), 1, "{wanted}");
            found[0].1.clone()
        };
        assert_eq!(value("GIT_TERMINAL_PROMPT"), "0");
        assert_eq!(value("GIT_ASKPASS"), "");
        assert_eq!(value("GIT_EDITOR"), ":");
        assert_eq!(value("GIT_SEQUENCE_EDITOR"), ":");
        assert_eq!(value("GIT_PAGER"), "cat");
        assert_eq!(value("PATH"), "/bin");
    }

    #[test]
    fn the_two_ways_to_the_clean_environment_agree() {
        let mut command = Command::new("env");
        clean(&mut command);
        let told = command.arg("-0").output().unwrap().stdout;
        let mut told: Vec<&[u8]> =
            told.split(|byte| *byte == 0).filter(|e| !e.is_empty()).collect();
        let env = clean_environment(std::env::vars_os());
        let mut expected: Vec<Vec<u8>> = Vec::new();
        for (name, value) in &env {
            expected.push([name.as_bytes(), b"=", value.as_bytes()].concat());
        }
        told.sort_unstable();
        expected.sort_unstable();
        assert_eq!(told, expected);
    }

    #[test]
    fn names_that_are_no_text_pass() {
        let name = OsString::from_vec(b"ODD_\xff".to_vec());
        let env = clean_environment([(name.clone(), OsString::from("1"))]);
        assert!(env.iter().any(|(n, _)| *n == name));
    }
}
