//! A value that is fetched when a script looks at it.

use std::sync::Arc;

use polywire_doc::Datum;

use crate::wire::{Asker, Get, Malformed, Put, Wire};

/// A value that is fetched when a script looks at it. A message to a worker does not hold it.
pub(crate) struct Later(Value);

enum Value {
    Here(Datum),
    InGateway(Arc<dyn Asker>),
}

impl Later {
    pub fn new(value: Datum) -> Later {
        Later(Value::Here(value))
    }

    /// Returns the value, or the reason why it cannot be had.
    pub fn get(&self) -> Result<Datum, String> {
        match &self.0 {
            Value::Here(value) => Ok(value.clone()),
            Value::InGateway(asker) => asker.whole(),
        }
    }
}

impl Wire for Later {
    fn put<'t>(&'t self, _: &mut Put<'t>) {}

    fn get(from: &mut Get<'_>) -> Result<Later, Malformed> {
        let asker = from.asker().ok_or_else(|| from.wrong("a message of the gateway"))?;
        Ok(Later(Value::InGateway(asker.clone())))
    }
}
