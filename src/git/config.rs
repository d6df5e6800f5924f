//! Git's configuration, as the git program merges it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::error::GitError;
use super::repo::Repo;

/// Every key with its values, in git's order: the last one wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, Vec<Option<String>>>,
}

impl Config {
    /// Reads the output of `git config -z --list`: `key LF value NUL`, without LF where a key
    /// stands alone.
    pub fn parse(listed: &[u8]) -> Config {
        let mut config = Config::default();
        for entry in listed.split(|b| *b == 0).filter(|e| !e.is_empty()) {
            let text = String::from_utf8_lossy(entry);
            let (key, value) = match text.split_once('\n') {
                Some((key, value)) => (key, Some(value.to_owned())),
                None => (text.as_ref(), None),
            };
            config.values.entry(folded(key)).or_default().push(value);
        }
        config
    }

    /// The value that counts; none where the key is not set or stands without a value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(&folded(key))?.last()?.as_deref()
    }

    /// All values, in order.
    pub fn all(&self, key: &str) -> Vec<&str> {
        let values = self.values.get(&folded(key)).map(Vec::as_slice).unwrap_or_default();
        values.iter().filter_map(Option::as_deref).collect()
    }

    /// The value as git reads truth: a key without value is true, an empty one false; none where
    /// it is not set or is neither.
    pub fn bool(&self, key: &str) -> Option<bool> {
        let Some(value) = self.values.get(&folded(key))?.last()? else { return Some(true) };
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" | "" => Some(false),
            number => number.parse::<i64>().ok().map(|n| n != 0),
        }
    }

    /// The subsections of a section, as `origin` of `remote.origin.url`.
    pub fn subsections(&self, section: &str) -> Vec<&str> {
        let section = section.to_ascii_lowercase() + ".";
        let mut names: Vec<&str> = self
            .values
            .keys()
            .filter_map(|key| key.strip_prefix(&section)?.rsplit_once('.').map(|(name, _)| name))
            .collect();
        names.dedup();
        names
    }

    /// Every `alias.NAME`, or `alias.NAME.command`, with what it stands for.
    pub fn aliases(&self) -> BTreeMap<String, String> {
        let named = |key: &str| {
            let name = key.strip_prefix("alias.")?;
            Some(name.strip_suffix(".command").unwrap_or(name).to_string())
        };
        let all = self
            .values
            .iter()
            .filter_map(|(key, values)| Some((named(key)?, values.last()?.clone()?)));
        all.collect()
    }
}

/// Section and variable know no case, the subsection between them does.
fn folded(key: &str) -> String {
    let Some((section, rest)) = key.split_once('.') else { return key.to_ascii_lowercase() };
    let section = section.to_ascii_lowercase();
    match rest.rsplit_once('.') {
        Some((sub, name)) => format!("{section}.{sub}.{}", name.to_ascii_lowercase()),
        None => format!("{section}.{}", rest.to_ascii_lowercase()),
    }
}

impl Repo {
    /// The configuration as git sees it here and now, includes resolved.
    ///
    /// # Errors
    /// A configuration file that git cannot read ([`GitError::Failed`]).
    pub fn config(&self) -> Result<Config, GitError> {
        let call = self.read(&["config", "-z", "--list"]).with_callers_config();
        Ok(Config::parse(&call.ok()?))
    }

    /// As [`Repo::config`], asked once for the life of this value: for what is decided several
    /// times from the same settings. Another thread that asks meanwhile waits for the same answer.
    ///
    /// # Errors
    /// As [`Repo::config`].
    pub fn settled_config(&self) -> Result<Arc<Config>, GitError> {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = settled.as_ref() {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(self.config()?);
        *settled = Some(Arc::clone(&config));
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins_and_case_counts_only_in_subsections() {
        let config = Config::parse(
            b"core.bare\nfalse\0remote.Origin.url\na\nb\0remote.Origin.url\nc\0commit.gpgsign\0\
              remote.z.fetch\n+x:y\0evidence.maxiter\n3\0",
        );
        assert_eq!(config.get("Core.Bare"), Some("false"));
        assert_eq!(config.bool("core.bare"), Some(false));
        assert_eq!(config.get("REMOTE.Origin.URL"), Some("c"));
        assert_eq!(config.get("remote.origin.url"), None);
        assert_eq!(config.all("remote.Origin.url"), ["a\nb", "c"]);
        assert_eq!(config.bool("commit.gpgSign"), Some(true));
        assert_eq!(config.get("evidence.maxIter"), Some("3"));
        assert_eq!(config.subsections("remote"), ["Origin", "z"]);
        assert_eq!(config.get("nothing"), None);
    }

    #[test]
    fn truth_is_read_as_git_reads_it() {
        for (text, truth) in [
            ("yes", Some(true)),
            ("ON", Some(true)),
            ("1", Some(true)),
            ("0", Some(false)),
            ("", Some(false)),
            ("maybe", None),
        ] {
            let listed = format!("a.b\n{text}\0");
            assert_eq!(Config::parse(listed.as_bytes()).bool("a.b"), truth, "{text}");
        }
    }
}
