//! Moves bytes between us and a child without threads, and without ever blocking on one pipe while
//! another is full.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::captured::Take;

/// Bytes moved at once: what a pipe holds.
const AT_ONCE: usize = 64 * 1024;

/// The pipes of a child.
#[derive(Debug)]
pub(super) struct Pump<'a> {
    out: Option<OwnedFd>,
    err: Option<OwnedFd>,
    input: Option<OwnedFd>,
    to_write: &'a [u8],
    buffer: Vec<u8>,
}

impl<'a> Pump<'a> {
    pub(super) fn new(out: Option<OwnedFd>, err: Option<OwnedFd>) -> Pump<'a> {
        Pump { out, err, input: None, to_write: &[], buffer: vec![0; AT_ONCE] }
    }

    /// Also writes `bytes` to `input`, then closes it.
    pub(super) fn with_input(mut self, input: OwnedFd, bytes: &'a [u8]) -> Pump<'a> {
        let quick = fcntl_getfl(&input).and_then(|f| fcntl_setfl(&input, f | OFlags::NONBLOCK));
        // an end that could block us would be worse for the caller than a child without input
        self.input = quick.ok().map(|()| input);
        self.to_write = bytes;
        self
    }

    /// Waits for at most `wait` and moves what can be moved. Returns whether both outputs are at
    /// their end.
    pub(super) fn step(&mut self, wait: Duration, out: &mut dyn Take, err: &mut dyn Take) -> bool {
        let [out_ready, err_ready, input_ready] = self.ready(wait);
        if out_ready {
            forward(&mut self.out, &mut self.buffer, out);
        }
        if err_ready {
            forward(&mut self.err, &mut self.buffer, err);
        }
        if input_ready {
            self.feed();
        }
        self.out.is_none() && self.err.is_none()
    }

    /// Which of output, error output and input can be used without blocking.
    fn ready(&self, wait: Duration) -> [bool; 3] {
        let pipes =
            [(&self.out, PollFlags::IN), (&self.err, PollFlags::IN), (&self.input, PollFlags::OUT)];
        let mut which = Vec::with_capacity(3);
        let mut polled = Vec::with_capacity(3);
        for (index, (pipe, flags)) in pipes.iter().enumerate() {
            if let Some(pipe) = pipe {
                which.push(index);
                polled.push(PollFd::from_borrowed_fd(pipe.as_fd(), *flags));
            }
        }
        let mut ready = [false; 3];
        let time = Timespec::try_from(wait).ok();
        if !polled.is_empty() && poll(&mut polled, time.as_ref()).is_ok() {
            for (index, fd) in which.into_iter().zip(&polled) {
                // an end or an error counts as ready: the next call on the pipe tells which
                ready[index] = !fd.revents().is_empty();
            }
        }
        ready
    }

    fn feed(&mut self) {
        let Some(input) = &self.input else { return };
        match rustix::io::write(input, self.to_write) {
            Ok(written) => self.to_write = &self.to_write[written..],
            Err(Errno::INTR | Errno::AGAIN) => return,
            // the child does not want to read on, which is its right
            Err(_) => self.to_write = &[],
        }
        if self.to_write.is_empty() {
            self.input = None;
        }
    }
}

/// Reads once and hands on; closes the pipe at its end.
fn forward(pipe: &mut Option<OwnedFd>, buffer: &mut [u8], taker: &mut dyn Take) {
    let Some(fd) = pipe else { return };
    match rustix::io::read(&*fd, &mut *buffer) {
        Ok(0) => *pipe = None,
        Ok(length) => taker.take(&buffer[..length]),
        Err(Errno::INTR | Errno::AGAIN) => {}
        Err(_) => *pipe = None,
    }
}
