//! One attack.

use crate::trial::Trial;

/// An attack, as the registry lists it.
pub struct Attack {
    /// Its name, which begins with that of its family.
    pub name: &'static str,
    /// The attack in a few words.
    pub title: &'static str,
    /// The most seconds that it tries.
    pub seconds: u64,
    /// Runs it.
    pub run: fn(&Trial<'_>),
}

impl Attack {
    /// Makes an attack of at most 15 seconds.
    pub const fn new(name: &'static str, title: &'static str, run: fn(&Trial<'_>)) -> Attack {
        Attack { name, title, seconds: 15, run }
    }

    /// Makes an attack with a time of its own, in seconds.
    pub const fn long(name: &'static str, title: &'static str, seconds: u64, run: fn(&Trial<'_>)) -> Attack {
        Attack { name, title, seconds, run }
    }
}
