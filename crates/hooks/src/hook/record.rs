//! The record that all hooks get, and their answers.

use polywire_doc::Datum;

use crate::log::LogSink;
use crate::pool::Call;
use crate::wire::{Get, Malformed, Put, Wire, wire_fields};

/// The record that all hooks get.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The statement.
    pub statement: Datum,
    /// All parameters of the statement (docs/spec/ql.md 7.1 step 4).
    pub params: Datum,
    /// The receiver of messages; by default that of [`Settings::log`](crate::Settings::log).
    pub log: Option<LogSink>,
}

/// Messages go to the gateway, which knows their receiver.
impl Wire for Record {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        self.statement.put(out);
        self.params.put(out);
    }

    fn get(from: &mut Get<'_>) -> Result<Record, Malformed> {
        Ok(Record { statement: Wire::get(from)?, params: Wire::get(from)?, log: None })
    }
}

/// The answer of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// The value that the hook is called for.
    pub value: T,
    /// The parameters, if the hook changed them: old modules pass values to later hooks and to the
    /// body template in this way.
    pub params: Option<Datum>,
}

wire_fields!(Answer<T> { value, params });

impl<T: Send> Answer<T> {
    /// Answers a call that needs no script.
    pub(super) fn default_of(value: T) -> Call<Answer<T>> {
        Call::answered(Ok(Answer { value, params: None }))
    }
}
