//! The demo.
use crate::cli::console::Console;
/// x
/// # Errors
/// x
pub fn main(_c: Console, _keep: bool) -> anyhow::Result<i32> {
    Ok(2)
}
