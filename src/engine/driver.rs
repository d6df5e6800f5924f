//! The only loop of the product: ask the machine, do it, tell the machine.

use super::machine::Machine;
use super::step::{Dispatch, End, Observation, Step};

/// What a mode must be able to do. An error here is the environment's (disk, git), not the loop's:
/// it ends the run at once, and the journal tells where.
pub trait Ports {
    /// Evidence of the present tip.
    ///
    /// # Errors
    /// Where the environment failed.
    fn measure(&mut self) -> anyhow::Result<Observation>;
    /// Checkpoint, fixers, commit.
    ///
    /// # Errors
    /// Where the environment failed.
    fn dispatch(&mut self, dispatch: &Dispatch) -> anyhow::Result<Observation>;
    /// Takes the last dispatch back.
    ///
    /// # Errors
    /// Where the environment failed.
    fn roll_back(&mut self) -> anyhow::Result<Observation>;
    /// The machine moved on: what was counted has to be safe before anything else happens.
    ///
    /// # Errors
    /// Where the environment failed.
    fn settle(&mut self, machine: &Machine) -> anyhow::Result<()>;
}

/// Drives a machine through ports.
pub struct Driver<'a, P: Ports> {
    /// The machine; readable afterwards.
    pub machine: Machine,
    ports: &'a mut P,
}

impl<'a, P: Ports> Driver<'a, P> {
    /// Brings both together.
    pub fn new(machine: Machine, ports: &'a mut P) -> Self {
        Driver { machine, ports }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// The first error of a port; the state is that of the last settled step.
    pub fn run(&mut self) -> anyhow::Result<End> {
        loop {
            let observation = match self.machine.next() {
                Step::End(end) => return Ok(end),
                Step::Measure => self.ports.measure()?,
                Step::Dispatch(dispatch) => self.ports.dispatch(&dispatch)?,
                Step::RollBack => self.ports.roll_back()?,
            };
            self.machine.observe(observation);
            self.ports.settle(&self.machine)?;
        }
    }
}
