//! Messages of one version that the other version's reader tries.

use std::sync::Arc;

use polywire_core::schema::language::{Direction, Reading, Witness};
use polywire_core::value::{Notation, Value, ValueSink};
use polywire_core::{Budget, Limits, Reader, Writer};

use super::sample::{Goal, sample};
use crate::ber::{BerReader, BerWriter, Rules, defaults};
use crate::jer::{Checks, Jer};
use crate::model::{Model, TypeId};
use crate::per::{Per, Variant};
use crate::walk::Plan;
use crate::xer::Xer;

/// Most bytes of a value's text.
const MAX_TEXT: usize = 2000;

/// Most bytes of a witness.
const MAX_WITNESS: usize = 4096;

const NOTATION: Notation = Notation { null: "NULL", element: ", ", field: ", ", tuple: ("{ ", " }") };

/// Encoding rules that a witness is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// DER, which BER and CER readers take as well.
    Ber,
    /// PER, unaligned.
    Per,
    /// COER, which OER readers take as well.
    Oer,
    /// JER.
    Jer,
    /// XER.
    Xer,
}

impl Encoding {
    /// All, in the order of [`Verdicts`](super::changes::Verdicts).
    pub(super) const ALL: [Encoding; 5] = [Encoding::Ber, Encoding::Per, Encoding::Oer, Encoding::Jer, Encoding::Xer];

    /// Returns the names of the rules that a message is of.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Encoding::Ber => &["BER", "DER", "CER"],
            Encoding::Per => &["PER"],
            Encoding::Oer => &["OER"],
            Encoding::Jer => &["JER"],
            Encoding::Xer => &["XER"],
        }
    }
}

/// Both versions of a type, ready for messages.
pub(super) struct Trial {
    sides: [(Arc<Model>, TypeId, Option<Arc<Plan>>); 2],
}

impl Trial {
    /// Prepares both versions.
    pub(super) fn new(sides: [(&Arc<Model>, TypeId); 2]) -> Trial {
        Trial { sides: sides.map(|(model, id)| (Arc::clone(model), id, Plan::new(Arc::clone(model), id).ok().map(Arc::new))) }
    }

    /// Returns a message that the reader misreads or refuses, if one is found at the place of a
    /// change.
    pub(super) fn witness(&mut self, direction: Direction, encoding: Encoding, goal: &[Vec<Goal>; 2]) -> Option<Witness> {
        let (from, to) = match direction {
            Direction::Backward => (0, 1),
            Direction::Forward => (1, 0),
        };
        let writer = self.sides[from].2.clone()?;
        let reader = self.sides[to].2.clone()?;
        let (model, id) = (Arc::clone(&self.sides[from].0), self.sides[from].1);
        let mut refused = None;
        for edge in 0..4 {
            let value = sample(&model, id, &goal[from], edge)?;
            let Some(bytes) = write(&writer, encoding, &value).filter(|bytes| bytes.len() <= MAX_WITNESS) else { continue };
            let Ok(meant) = read(&writer, encoding, &bytes) else { continue };
            match read(&reader, encoding, &bytes) {
                Ok(got) if got == meant => {}
                Ok(got) => return Some(Witness { bytes, meant: shown(&meant), read: Reading::As(shown(&got)) }),
                Err(error) => refused = refused.or(Some(Witness { bytes, meant: shown(&meant), read: Reading::Refused(error) })),
            }
        }
        refused
    }
}

fn shown(value: &Value) -> String {
    let mut out = String::new();
    NOTATION.write(value, MAX_TEXT, &mut out);
    out
}

fn write(plan: &Arc<Plan>, encoding: Encoding, value: &Value) -> Option<Vec<u8>> {
    let mut writer: Box<dyn Writer> = match encoding {
        Encoding::Ber => Box::new(BerWriter::new(Arc::clone(plan), Arc::new(defaults(plan)), Rules::Distinguished)),
        Encoding::Per => Box::new(Per::new(Arc::clone(plan), Variant::Unaligned).writer()),
        Encoding::Oer => Box::new(Per::new(Arc::clone(plan), Variant::CanonicalOctets).writer()),
        Encoding::Jer => Box::new(Jer::new(Arc::clone(plan)).writer()),
        Encoding::Xer => Box::new(Xer::new(Arc::clone(plan)).writer()),
    };
    let mut bytes = Vec::new();
    value.emit(&mut *writer).ok()?;
    writer.finish(&mut bytes).ok()?;
    Some(bytes)
}

fn read(plan: &Arc<Plan>, encoding: Encoding, bytes: &[u8]) -> Result<Value, String> {
    let mut reader: Box<dyn Reader> = match encoding {
        Encoding::Ber => Box::new(BerReader::new(Arc::clone(plan), Arc::new(defaults(plan)), Rules::Basic)),
        Encoding::Per => Box::new(Per::new(Arc::clone(plan), Variant::Unaligned).reader(false)),
        Encoding::Oer => Box::new(Per::new(Arc::clone(plan), Variant::Octets).reader(false)),
        Encoding::Jer => Box::new(Jer::new(Arc::clone(plan)).reader(Checks::Remark)),
        Encoding::Xer => Box::new(Xer::new(Arc::clone(plan)).reader(Checks::Remark)),
    };
    let mut sink = ValueSink::default();
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    sink.finish().ok_or_else(|| "no value".to_string())
}
