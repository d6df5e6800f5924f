//! What changed between two trees, as line numbers: placeholder for the merge.
/// Placeholder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffMap {
    /// files
    pub files: Vec<FileDiff>,
}
/// One file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct FileDiff {
    pub old: Option<String>,
    pub new: Option<String>,
    pub hunks: Vec<Hunk>,
    pub binary: bool,
}
/// One hunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Hunk {
    pub old_start: u32,
    pub old_len: u32,
    pub new_start: u32,
    pub new_len: u32,
}
impl DiffMap {
    /// p
    pub fn new_path(&self, _old: &str) -> Option<&str> {
        None
    }
    /// p
    pub fn map_line<'a>(&'a self, old: &'a str, line: u32) -> Option<(&'a str, u32)> {
        Some((old, line))
    }
    /// p
    pub fn added_lines(&self, _new: &str) -> Vec<u32> {
        Vec::new()
    }
}
