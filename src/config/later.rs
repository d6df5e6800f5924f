//! Shapes of sections that no command reads yet: only their keys and types are checked.

#![allow(dead_code, reason = "read by serde, for the spelling of keys")]

use serde::Deserialize;

macro_rules! section {
    ($name:ident { $($key:ident: $type:ty),* $(,)? }) => {
        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub(super) struct $name { $($key: Option<$type>,)* }
    };
}
section!(Task {
    fixer: String,
    timeout_min: u32,
    stall_after: u32,
    max_iter: u32,
    skip_failing_hooks: Vec<String>,
    propose: String,
    check: Vec<TaskCheck>,
});
section!(TaskCheck { name: String, run: String, timeout: String });
section!(Forge {
    kind: String,
    url: String,
    repo: String,
    token_command: Vec<String>,
});
section!(Once { enabled: bool, generator: String, timeout: String, publish: String });
