//! Which base a commit is judged against, and which commit's configuration counts.
//!
//! The configuration is read from the merge-base, so that a change cannot loosen its own gate; the
//! base in turn may be named by that configuration. So the merge-base is found without it first, and
//! once more if the configuration that lies there names another base.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::kept::hex;
use crate::config::{Config, ConfigError, FILE_NAME};
use crate::git::{BaseQuery, BaseRef, GitError, Repo};
use crate::model::CommitId;

/// Where the configuration was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSource {
    /// The merge-base.
    Base,
    /// The base branch's tip: first adoption, while branches are open.
    BaseTip,
    /// The judged commit: first adoption.
    Head,
    /// The working tree: first adoption, typed by a person.
    Worktree,
    /// Nowhere.
    None,
}

impl ConfigSource {
    /// The record's word.
    pub fn word(self) -> &'static str {
        match self {
            ConfigSource::Base => "base",
            ConfigSource::BaseTip => "base_tip",
            ConfigSource::Head => "head",
            ConfigSource::Worktree => "worktree",
            ConfigSource::None => "none",
        }
    }
}

/// Base and configuration of one commit.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The configuration, defaults where there is none.
    pub config: Config,
    /// Where it was read.
    pub source: ConfigSource,
    /// Its digest; of the empty text where there is none.
    pub sha256: String,
    /// The base ref and the merge-base; none where no base commit exists.
    pub base: Option<(BaseRef, CommitId)>,
    /// The judged commit has another configuration than the one that counts.
    pub changed: bool,
}

/// Why there is no setting.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The configuration that counts is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Git says no.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Finds base and configuration. `query` holds flag, branch and remote; its `config` is taken from
/// the configuration. `worktree` is the checkout's top for a command that a person typed.
///
/// # Errors
/// See [`SettingError`]; a base that was asked for and does not exist, a shallow clone without the
/// merge-base and unrelated histories are errors, never an empty difference.
pub fn load_setting(
    repo: &Repo,
    head: &CommitId,
    query: BaseQuery<'_>,
    worktree: Option<&Path>,
) -> Result<Setting, SettingError> {
    let base = find_base(repo, head, query)?;
    let (text, source) = find_text(repo, head, base.as_ref(), worktree)?;
    let config = parse(&text, source)?;
    let named = query.config.map_or(config.base.clone(), str::to_string);
    let setting = |config, source, text: &str, base| -> Result<Setting, SettingError> {
        let changed = match source {
            ConfigSource::Base | ConfigSource::BaseTip => {
                repo.read_blob(head, FILE_NAME)?.unwrap_or_default() != text.as_bytes()
            }
            ConfigSource::Head | ConfigSource::Worktree | ConfigSource::None => false,
        };
        let sha256 = hex(&Sha256::digest(text.as_bytes()));
        Ok(Setting { config, source, sha256, base, changed })
    };
    if named == "auto" || query.flag.is_some() {
        return setting(config, source, &text, base);
    }
    let base = find_base(repo, head, BaseQuery { config: Some(&named), ..query })?;
    let (text, source) = find_text(repo, head, base.as_ref(), worktree)?;
    setting(parse(&text, source)?, source, &text, base)
}

fn find_base(
    repo: &Repo,
    head: &CommitId,
    query: BaseQuery<'_>,
) -> Result<Option<(BaseRef, CommitId)>, GitError> {
    let asked = query.flag.is_some() || query.config.is_some_and(|c| c != "auto");
    match repo.base(&query) {
        Ok(base) => {
            let point = repo.base_point(&base, head)?;
            Ok(Some((base, point)))
        }
        Err(GitError::NoBase { .. }) if !asked => Ok(None),
        Err(e) => Err(e),
    }
}

fn find_text(
    repo: &Repo,
    head: &CommitId,
    base: Option<&(BaseRef, CommitId)>,
    worktree: Option<&Path>,
) -> Result<(String, ConfigSource), SettingError> {
    let mut places: Vec<(&CommitId, ConfigSource)> = Vec::new();
    if let Some((base, point)) = base {
        places.push((point, ConfigSource::Base));
        places.push((&base.commit, ConfigSource::BaseTip));
    }
    places.push((head, ConfigSource::Head));
    for (commit, source) in places {
        if let Some(bytes) = repo.read_blob(commit, FILE_NAME)? {
            return Ok((utf8(bytes, source)?, source));
        }
    }
    if let Some(top) = worktree
        && let Ok(bytes) = std::fs::read(top.join(FILE_NAME))
    {
        return Ok((utf8(bytes, ConfigSource::Worktree)?, ConfigSource::Worktree));
    }
    Ok((String::new(), ConfigSource::None))
}

fn utf8(bytes: Vec<u8>, source: ConfigSource) -> Result<String, ConfigError> {
    String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        ConfigError {
            file: name(source),
            line: before.iter().filter(|b| **b == b'\n').count() + 1,
            message: "it is not UTF-8; save it as UTF-8".to_string(),
        }
    })
}

fn parse(text: &str, source: ConfigSource) -> Result<Config, ConfigError> {
    Config::parse(&name(source), text)
}

/// How the file is called in messages.
fn name(source: ConfigSource) -> String {
    match source {
        ConfigSource::Worktree | ConfigSource::None => FILE_NAME.to_string(),
        other => format!("{FILE_NAME} (of the {})", other.word().replace('_', " ")),
    }
}
