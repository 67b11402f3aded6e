//! Trials: the reader of one version gets a message of the other. Both protocols have the numbers
//! and types of fields, so that messages of the binary protocol stand for those of both.

use std::sync::Arc;

use polywire_core::schema::language::{Direction, Reading, Witness};
use polywire_core::value::{Notation, ValueSink};
use polywire_core::{Budget, Limits, Reader, Value, Writer};

use super::sample::{Wish, sample};
use crate::idl::model::Model;
use crate::plan::Plan;
use crate::read::ThriftReader;
use crate::wire::Binary;
use crate::write::ThriftWriter;

/// Most bytes of a value's text.
const MAX_TEXT: usize = 2000;

/// Most bytes of a witness.
const MAX_WITNESS: usize = 4096;

const NOTATION: Notation = Notation { null: "null", element: ", ", field: ", ", tuple: ("[", "]") };

/// Both versions, ready for messages.
pub(super) struct Trial<'m> {
    models: [&'m Model; 2],
    plans: [Arc<Plan>; 2],
}

impl<'m> Trial<'m> {
    pub fn new(models: [&'m Model; 2]) -> Trial<'m> {
        Trial { models, plans: models.map(|model| Arc::new(Plan::of_structs(model))) }
    }

    /// Returns a message of a struct that the other version's reader misreads or refuses: one with
    /// the field `wanted`, or with its required fields alone. `structs` are the struct's indexes in
    /// both versions.
    pub fn witness(&mut self, direction: Direction, structs: [usize; 2], wanted: Option<i16>, wish: Wish) -> Option<Witness> {
        let (from, to) = match direction {
            Direction::Backward => (0, 1),
            Direction::Forward => (1, 0),
        };
        for (plan, id) in self.plans.iter_mut().zip(structs) {
            Arc::get_mut(plan)?.set_root(id);
        }
        let value = sample(self.models[from], structs[from], wanted, wish)?;
        let bytes = write(&self.plans[from], &value).filter(|bytes| bytes.len() <= MAX_WITNESS)?;
        let meant = read(&self.plans[from], &bytes).ok()?;
        let got = match read(&self.plans[to], &bytes) {
            Ok(got) if got == meant => return None,
            Ok(got) => Reading::As(shown(&got)),
            Err(error) => Reading::Refused(error),
        };
        Some(Witness { bytes, meant: shown(&meant), read: got })
    }
}

fn shown(value: &Value) -> String {
    let mut out = String::new();
    NOTATION.write(value, MAX_TEXT, &mut out);
    out
}

fn write(plan: &Arc<Plan>, value: &Value) -> Option<Vec<u8>> {
    let mut writer = ThriftWriter::<Binary>::default().by(Some(plan), false);
    value.emit(&mut writer).ok()?;
    let mut bytes = Vec::new();
    writer.finish(&mut bytes).ok()?;
    Some(bytes)
}

fn read(plan: &Arc<Plan>, bytes: &[u8]) -> Result<Value, String> {
    let mut sink = ValueSink::default();
    let mut reader = ThriftReader::<Binary>::default().by(Some(plan));
    reader.walk(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).map_err(|error| error.to_string())?;
    sink.finish().ok_or_else(|| "no value".to_string())
}
