//! The values that proxies of the running call stand for.

use std::rc::Rc;

use super::part::{Held, PartialBody};

/// The values that proxies of the running call stand for. They go when the call ends, so a proxy
/// that a module kept can no longer be asked.
#[derive(Debug, Default)]
pub(super) struct Scope {
    call: u32,
    held: Vec<Held>,
    /// The bodies that are decoded in part.
    bodies: Vec<Rc<PartialBody>>,
}

impl Scope {
    /// Ends the call, and begins the next.
    pub fn next(&mut self) {
        self.call = self.call.wrapping_add(1);
        self.held.clear();
        self.bodies.drain(..).for_each(|body| body.report());
    }

    /// Adds a body that is decoded in part.
    pub fn add_body(&mut self, body: Rc<PartialBody>) {
        self.bodies.push(body);
    }

    /// Adds a value; returns the numbers of the call and of the value, which find it again.
    pub fn hold(&mut self, held: Held) -> (u32, usize) {
        self.held.push(held);
        (self.call, self.held.len() - 1)
    }

    /// Returns a value of the running call.
    pub fn get(&mut self, call: u32, at: u32) -> Option<&mut Held> {
        if call == self.call { self.held.get_mut(at as usize) } else { None }
    }
}
