//! Values as events: the way to all writers.

use super::datum::Datum;
use super::view::{Items, Members, Ref, View};
use polywire_core::{Field, Hint, Len, Next, Open, Result, Scalar, Sink, Span, Spelling, Str};

/// An open container and the entries that are still to come.
enum OpenContainer<'d> {
    List(Items<'d>),
    Object(Members<'d>),
}

impl<'d> Ref<'d> {
    /// Emits the value to `sink`, with exact counts and empty spans.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn emit(self, sink: &mut dyn Sink<'d>) -> Result<()> {
        let mut levels: Vec<OpenContainer<'d>> = Vec::new();
        let mut value = self;
        loop {
            let scalar = match value.view() {
                View::Null => Some(Scalar::Null),
                View::Bool(value) => Some(Scalar::Bool(value)),
                View::Int(value) => Some(Scalar::int(value)),
                View::UInt(value) => Some(Scalar::uint(value)),
                View::F32(value) => Some(Scalar::f32(value)),
                View::F64(value) => Some(Scalar::f64(value)),
                View::Big(text) => Some(Scalar::big(Str::Input(text))),
                View::Decimal(text) => Some(Scalar::decimal(Str::Input(text))),
                View::Text(text) => Some(Scalar::Text(Str::Input(text))),
                View::Bytes(bytes) => Some(Scalar::Bytes(Str::Input(bytes))),
                View::Time(moment) => Some(Scalar::Time(moment)),
                View::List(items) => {
                    match sink.open(Open::List(Len::Claimed(items.len() as u64)), Span::NONE)? {
                        Next::Enter => levels.push(OpenContainer::List(items)),
                        Next::Skip => {}
                        Next::Stop => return Ok(()),
                    }
                    None
                }
                View::Object(members) => {
                    match sink.open(Open::Record { name: "", len: Len::Claimed(members.len() as u64) }, Span::NONE)? {
                        Next::Enter => levels.push(OpenContainer::Object(members)),
                        Next::Skip => {}
                        Next::Stop => return Ok(()),
                    }
                    None
                }
            };
            if let Some(mut scalar) = scalar {
                let spelling = value.digits().map(Spelling::digits);
                if let (Scalar::F64(float, _), Some(spelling)) = (scalar, &spelling) {
                    scalar = Scalar::F64(float, Hint::new(spelling));
                }
                sink.scalar(scalar, Span::NONE)?;
            }
            value = loop {
                match levels.last_mut() {
                    None => return Ok(()),
                    Some(OpenContainer::List(items)) => {
                        if let Some(item) = items.next() {
                            break item;
                        }
                    }
                    Some(OpenContainer::Object(members)) => {
                        if let Some((name, member)) = members.next() {
                            match sink.field(Field::named(Str::Input(name)), Span::NONE)? {
                                Next::Enter => break member,
                                Next::Skip => continue,
                                Next::Stop => return Ok(()),
                            }
                        }
                    }
                }
                levels.pop();
                sink.close(Span::NONE)?;
            };
        }
    }
}

impl Datum {
    /// Emits the value to `sink`, with exact counts and empty spans.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn emit<'d>(&'d self, sink: &mut dyn Sink<'d>) -> Result<()> {
        self.view().emit(sink)
    }
}
