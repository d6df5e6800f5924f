//! Floor 5, the surroundings of a command: repository, state and runner found once (`context`), the
//! environment (`env`, the only reader of variables), the two streams (`console`), and what an error
//! means for who called (`exit`).

pub mod console;
pub mod context;
pub mod env;
pub mod exit;
