//! Faults that are found behind the parser, by the path of a declaration.

use polywire_core::text::diagnostic::{Diagnostic, Place};

use super::lex::MAX_FAULTS;
use super::unit::Unit;

/// A place: a path in the descriptor of a unit, or offsets in its text.
#[derive(Debug, Clone)]
pub(super) enum At {
    Path(u32, Vec<i32>),
    Span(u32, (u32, u32)),
}

/// A fault and its place.
pub(super) struct Fault {
    pub at: At,
    pub message: String,
    pub hint: String,
    /// The other place, and its label.
    pub other: Option<(At, &'static str)>,
}

/// The faults of all units.
#[derive(Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub fn add(&mut self, at: At, message: impl Into<String>, hint: impl Into<String>) {
        self.push(Fault { at, message: message.into(), hint: hint.into(), other: None });
    }

    /// Adds a fault at a path.
    pub fn path(&mut self, unit: u32, path: &[i32], more: &[i32], message: impl Into<String>, hint: impl Into<String>) {
        self.add(At::Path(unit, [path, more].concat()), message, hint);
    }

    pub fn push(&mut self, fault: Fault) {
        if self.0.len() < MAX_FAULTS {
            self.0.push(fault);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the faults with their places in the texts.
    pub fn told(self, units: &mut [Unit]) -> Vec<Diagnostic> {
        let mut place = |at: At| match at {
            At::Path(unit, path) => units[unit as usize].place(&path),
            At::Span(unit, (start, end)) => Place { source: units[unit as usize].source, start, end },
        };
        let told = self.0.into_iter().map(|fault| {
            let finding = Diagnostic::error("schema_error", place(fault.at), fault.message).hint(fault.hint);
            match fault.other {
                Some((at, label)) => finding.related(place(at), label),
                None => finding,
            }
        });
        told.collect()
    }
}
