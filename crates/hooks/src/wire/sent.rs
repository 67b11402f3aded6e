//! Lists and objects that the gateway has sent in a call, by number.

use polywire_doc::{Datum, Ref};

/// Lists and objects that the gateway has sent in a call, by number.
#[derive(Default)]
pub(crate) struct Sent<'t> {
    all: Vec<Ref<'t>>,
    /// Those of a body that was sent in part begin at this number.
    first: u32,
    /// Ways to those of a body that was sent in part.
    ways: Vec<Way<'t>>,
}

/// The place of a list or object in a body that was sent in part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'t> {
    /// Number of the list or object that holds it; none for the body itself.
    pub up: Option<u32>,
    pub step: Step<'t>,
    /// True if it was sent as a whole.
    pub is_whole: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'t> {
    Name(&'t str),
    Index(usize),
}

impl<'t> Sent<'t> {
    /// Adds a list or object; returns its number.
    pub(super) fn add(&mut self, value: Ref<'t>) -> u32 {
        self.all.push(value);
        self.all.len() as u32 - 1
    }

    /// Begins the body that is sent in part.
    pub(super) fn begin_part(&mut self) {
        self.first = self.all.len() as u32;
        self.ways.clear();
    }

    /// Adds a list or object of a body that is sent in part.
    pub(super) fn add_part(&mut self, value: Ref<'t>, way: Way<'t>) -> u32 {
        self.ways.push(way);
        self.add(value)
    }

    /// Returns the list or object of a number, as the gateway has it.
    pub fn get(&self, number: u32) -> Option<Ref<'t>> {
        self.all.get(number as usize).copied()
    }

    /// Returns the way to a list or object that was sent in part; none if it was sent as a whole.
    pub fn way(&self, number: u32) -> Option<Vec<Step<'t>>> {
        let at = |number: u32| self.ways.get(number.checked_sub(self.first)? as usize);
        let mut way = at(number).filter(|way| !way.is_whole)?;
        let mut steps = Vec::new();
        while let Some(up) = way.up {
            steps.push(way.step);
            way = at(up)?;
        }
        steps.reverse();
        Some(steps)
    }
}

/// Returns the value at the end of a way.
pub(crate) fn follow(value: &Datum, steps: &[Step<'_>]) -> Option<Datum> {
    let found = steps.iter().try_fold(value.view(), |value, step| match step {
        Step::Name(name) => value.get(name),
        Step::Index(index) => value.index(*index),
    });
    found.map(Ref::to_datum)
}
