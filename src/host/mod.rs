//! Floor 6, the surroundings of a command: repository, state and runner found once (`context`), the
//! environment (`env`, the only reader of variables), the two streams (`console`), what an error means
//! for who called (`exit`), and who may tighten which limit (`limits`).

pub mod console;
pub mod context;
pub mod env;
pub mod exit;
pub mod limits;
