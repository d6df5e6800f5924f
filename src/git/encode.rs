//! Branch names as one component of a ref or file name, without collision.
//!
//! `feature/x` and `feature-x` are two branches, and so are `Foo` and `foo` on a disk that ignores
//! case. Every byte but `a-z 0-9 - _` becomes `%` and two hex digits; a long name is cut and told
//! apart by its digest, marked by `%%`, which no encoded byte can form.

#![deny(clippy::disallowed_methods)]

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::model::CommitId;

/// From here on a name is cut.
const LONGEST: usize = 120;
/// What is kept of it.
const KEPT: usize = 100;

/// The key of a branch, from the bytes after `refs/heads/`: at most 124 characters of
/// `a-z 0-9 - _ %`, beginning with `b-` (no component may be a device name of Windows).
pub fn branch_key(name: &[u8]) -> String {
    let mut key = String::with_capacity(name.len() + 2);
    for byte in name {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => key.push(char::from(*byte)),
            other => push_hex(&mut key, "%", *other),
        }
    }
    if key.len() > LONGEST {
        key.truncate(KEPT);
        key.push_str("%%");
        for byte in Sha256::digest(name).iter().take(8) {
            push_hex(&mut key, "", *byte);
        }
    }
    format!("b-{key}")
}

/// The key of a detached head.
pub fn detached_key(commit: &CommitId) -> String {
    format!("d-{commit}")
}

fn push_hex(text: &mut String, mark: &str, byte: u8) {
    // writing to a String cannot fail
    write!(text, "{mark}{byte:02x}").ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_look_alike_have_keys_of_their_own() {
        for (name, key) in [
            ("feature/x", "b-feature%2fx"),
            ("feature-x", "b-feature-x"),
            ("Feature/x", "b-%46eature%2fx"),
            ("feature%2fx", "b-feature%252fx"),
            ("con", "b-con"),
            ("a.lock", "b-a%2elock"),
        ] {
            assert_eq!(branch_key(name.as_bytes()), key);
        }
        let long = "x/".repeat(90);
        assert_ne!(branch_key(long.as_bytes()), branch_key(&long.as_bytes()[..179]));
    }

    fn valid_component(key: &str) -> bool {
        key.len() <= 200
            && key.bytes().all(|b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'%')
            })
    }

    proptest! {
        #[test]
        fn different_names_have_different_keys(
            a in proptest::collection::vec(any::<u8>(), 0..300),
            b in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            prop_assert!(valid_component(&branch_key(&a)));
            prop_assert_eq!(a == b, branch_key(&a) == branch_key(&b));
        }

        #[test]
        fn one_changed_byte_changes_the_key(
            name in proptest::collection::vec(any::<u8>(), 1..300),
            at in any::<proptest::sample::Index>(),
            by in 1u8..,
        ) {
            let mut other = name.clone();
            let at = at.index(name.len());
            other[at] = other[at].wrapping_add(by);
            prop_assert_ne!(branch_key(&name), branch_key(&other));
        }
    }
}
