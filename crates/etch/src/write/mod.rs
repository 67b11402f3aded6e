//! Events to bytes.

mod declared;

use std::borrow::Cow;
use std::sync::Arc;

use polywire_core::value::{Entries, Entry, Held, Item, ROUNDED, Tree, View, nearest_f64};
use polywire_core::walk::Forward;
use polywire_core::{Error, ErrorKind, Fault, Losses, Lost, Needs, Open, Result, Scalar, Sink, Span, Timestamp, Writer};

use crate::names::{hash, known, number};
use crate::plan::{Plan, Shape, Ty};
use crate::tags::{self, SPACE};
use crate::wire::{
    ANY, ARRAY, BYTES, CUSTOM, DIMENSIONS, DOUBLE, EMPTY_STRING, FALSE, FLOAT, HEADER, NONE, NULL, SIGNATURE, STRING, STRUCT, TRUE,
    VERSION, put_int,
};

/// Writes messages, alone or in packets.
///
/// A name that is the digits of a hash is written as that hash. If the type of the message is one,
/// or a name that every service has, names that every service has are hashes too. Others are
/// strings, which every reader of Etch takes (`docs/spec/etch.md 2.2`). By a schema, its names and
/// those that every service has are always hashes.
#[derive(Debug)]
pub struct EtchWriter {
    packets: bool,
    plan: Option<Arc<Plan>>,
    held: Held,
}

impl EtchWriter {
    /// Makes a writer. `packets` means that each message stands in a packet.
    pub fn new(packets: bool) -> EtchWriter {
        EtchWriter { packets, plan: None, held: Held::new(None) }
    }

    /// Writes by a schema.
    pub(crate) fn by(mut self, plan: &Arc<Plan>) -> EtchWriter {
        self.plan = Some(Arc::clone(plan));
        self
    }

    fn encode(&mut self, tree: &Tree<'static>, out: &mut Vec<u8>) -> Result<()> {
        let Some(root) = tree.root() else { return Err(Error::usage("no value").expected("a message")) };
        let start = out.len();
        if self.packets {
            out.extend(SIGNATURE);
            out.extend([0; 4]);
        }
        let plan = self.plan.as_deref();
        let mut encoder = Encoder { out, losses: &mut self.held.losses, tasks: Vec::new(), plan, hashes: false };
        encoder.message(root)?;
        while let Some(task) = encoder.tasks.pop() {
            encoder.task(task)?;
        }
        if self.packets {
            let length = out.len() - start - HEADER;
            let length = i32::try_from(length).map_err(|_| too_long(length))?;
            out[start + 4..start + HEADER].copy_from_slice(&length.to_be_bytes());
        }
        Ok(())
    }
}

impl<'m> Forward<'m> for EtchWriter {
    type To = Held;

    fn to(&mut self) -> &mut Held {
        &mut self.held
    }

    fn needs(&self) -> Needs {
        Sink::needs(&self.held)
    }
}

impl Writer for EtchWriter {
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let tree = std::mem::take(&mut self.held.tree);
        let written = self.encode(&tree, out);
        self.held.tree = tree.recycle();
        written.map_err(|error| error.format_is(if self.packets { "etch-packet" } else { SPACE }))
    }

    fn reset(&mut self) {
        self.held.reset();
    }

    fn losses(&mut self) -> Vec<Lost> {
        self.held.losses()
    }
}

/// One thing to write; those pushed before it come later.
#[derive(Debug, Clone)]
enum Task<'t> {
    /// A value of a declared type.
    Value(Item<'t, 'static>, Ty),
    /// Fields of a structure, and its end. The type is there if the schema has it.
    Fields(Entries<'t, 'static>, Option<u32>),
    /// Elements of an array of a declared type, and its end.
    Elements(Entries<'t, 'static>, Ty),
    /// Keys and values of a map, and the ends of both containers.
    Pairs(Entries<'t, 'static>),
    End,
}

struct Encoder<'e, 't> {
    out: &'e mut Vec<u8>,
    losses: &'e mut Losses,
    tasks: Vec<Task<'t>>,
    plan: Option<&'t Plan>,
    /// True if names that every service has are hashes.
    hashes: bool,
}

#[cold]
fn too_long(len: usize) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data).seen(format!("{len} bytes or entries in one value")).expected("at most 2147483647")
}

/// Returns the name of a record, or of a map with keys of text, which has none.
fn record<'t>(item: Item<'t, 'static>) -> Option<&'t str> {
    match item.view() {
        View::Open(Open::Record { name, .. }) => Some(name),
        View::Open(Open::Map(_)) if item.entries().all(|entry| matches!(entry, Entry::Field(..))) => Some(""),
        _ => None,
    }
}

impl<'t> Encoder<'_, 't> {
    fn message(&mut self, item: Item<'t, 'static>) -> Result<()> {
        let Some(name) = record(item) else {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Data)
                .seen("a message that is no record")
                .expected("a record of fields, with the name of its type"));
        };
        let name = Encoder::root(self.plan, name)?;
        self.hashes = self.plan.is_some() || number(name).is_some();
        self.out.push(VERSION);
        self.fields(name, item)
    }

    fn task(&mut self, task: Task<'t>) -> Result<()> {
        match task {
            Task::Value(item, ty) => return self.value(item, ty),
            Task::End => self.out.push(NONE),
            Task::Fields(mut entries, of) => match entries.next() {
                None => self.out.push(NONE),
                Some(Entry::Field(name, value)) => {
                    self.name(name, false)?;
                    let ty = self.plan.map_or(Ty::ANY, |plan| plan.field(of, name));
                    self.tasks.extend([Task::Fields(entries, of), Task::Value(value, ty)]);
                }
                Some(_) => return Err(Error::internal("a field without a name")),
            },
            Task::Elements(mut entries, ty) => match entries.next() {
                None => self.out.push(NONE),
                Some(entry) => self.tasks.extend([Task::Elements(entries, ty), Task::Value(entry.value(), ty)]),
            },
            Task::Pairs(mut entries) => match entries.next() {
                None => self.out.extend([NONE, NONE]),
                Some(Entry::Field(name, value)) => {
                    self.text(name.as_bytes())?;
                    self.tasks.extend([Task::Pairs(entries), Task::Value(value, Ty::ANY)]);
                }
                Some(Entry::Pair(key, value)) => {
                    self.tasks.extend([Task::Pairs(entries), Task::Value(value, Ty::ANY), Task::Value(key, Ty::ANY)]);
                }
                Some(Entry::Element(_)) => return Err(Error::internal("a value without a key")),
            },
        }
        Ok(())
    }

    fn count(&mut self, count: usize) -> Result<()> {
        let count = i32::try_from(count).map_err(|_| too_long(count))?;
        put_int(self.out, i64::from(count));
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Result<()> {
        if text.is_empty() {
            self.out.push(EMPTY_STRING);
            return Ok(());
        }
        self.out.push(STRING);
        self.count(text.len())?;
        self.out.extend_from_slice(text);
        Ok(())
    }

    /// Writes the name of a type or a field.
    fn name(&mut self, name: &str, is_type: bool) -> Result<()> {
        let digits = name.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let number = match self.plan {
            None => number(name).filter(|number| if digits { known(*number).is_none() } else { self.hashes }),
            Some(plan) if digits => number(name).filter(|number| {
                let known = if is_type { plan.type_name(*number) } else { plan.field_name(*number) };
                known.is_none()
            }),
            Some(plan) => plan.number(name, is_type),
        };
        // Digits of a hash that is known would read as its name.
        match number {
            Some(number) => put_int(self.out, i64::from(number)),
            None => self.text(name.as_bytes())?,
        }
        Ok(())
    }

    /// Writes a name that every service has.
    fn known(&mut self, name: &str) -> Result<()> {
        if self.hashes {
            put_int(self.out, i64::from(hash(name)));
            return Ok(());
        }
        self.text(name.as_bytes())
    }

    fn fields(&mut self, name: &str, item: Item<'t, 'static>) -> Result<()> {
        self.name(name, true)?;
        self.count(item.entries().count())?;
        let of = self.plan.and_then(|plan| plan.named(name));
        self.tasks.push(Task::Fields(item.entries(), of));
        Ok(())
    }

    fn elements(&mut self, element: u8, structure: Option<&str>, dimensions: u8, item: Item<'t, 'static>, ty: Ty) -> Result<()> {
        self.out.extend([ARRAY, element]);
        if let Some(name) = structure {
            self.name(name, true)?;
        }
        self.out.push(dimensions);
        self.count(item.entries().count())?;
        self.tasks.push(Task::Elements(item.entries(), ty));
        Ok(())
    }

    fn value(&mut self, item: Item<'t, 'static>, ty: Ty) -> Result<()> {
        let at = item.opening();
        if let Some(plan) = self.plan.filter(|_| !ty.is_any())
            && self.declared(plan, item, ty)?
        {
            return Ok(());
        }
        match item.view() {
            View::Scalar(value) => self.scalar(value, item, at),
            View::Open(Open::List(_)) => self.elements(ANY, None, 1, item, Ty::ANY),
            View::Open(Open::Tuple(_)) => {
                self.losses.value("tuple became list", at);
                self.elements(ANY, None, 1, item, Ty::ANY)
            }
            View::Open(Open::Record { name, .. }) => {
                self.reads_otherwise(name, item, ty);
                self.out.push(CUSTOM);
                self.fields(name, item)
            }
            View::Open(Open::Map(_)) => self.map(item),
            View::Open(Open::Variant { name, index }) => {
                self.losses.value("variant became a record of its name", at);
                self.out.extend([CUSTOM, EMPTY_STRING, 1]);
                match name {
                    "" => self.name(itoa::Buffer::new().format(index), false)?,
                    name => self.name(name, false)?,
                }
                self.tasks.push(Task::End);
                let mut entries = item.entries();
                match (entries.next(), entries.next()) {
                    (None, _) => self.out.push(NULL),
                    (Some(only), None) => self.tasks.push(Task::Value(only.value(), Ty::ANY)),
                    _ => self.elements(ANY, None, 1, item, Ty::ANY)?,
                }
                Ok(())
            }
            View::Open(Open::Tagged { space, code }) => self.tagged(space, code, item, ty),
            View::Open(other) => Err(Error::unknown_event(other.kind())),
        }
    }

    fn map(&mut self, item: Item<'t, 'static>) -> Result<()> {
        self.out.push(CUSTOM);
        self.known("_Etch_Map")?;
        self.out.push(1);
        self.known("keysAndValues")?;
        self.out.extend([ARRAY, ANY, 1]);
        self.count(item.entries().count() * 2)?;
        self.tasks.push(Task::Pairs(item.entries()));
        Ok(())
    }

    /// Reports a record that every service has, or of an enumeration, and that reads as another
    /// value.
    fn reads_otherwise(&mut self, name: &str, item: Item<'t, 'static>, ty: Ty) {
        let mut entries = item.entries();
        let (Some(Entry::Field(field, value)), None) = (entries.next(), entries.next()) else { return };
        let is = |shape| ty.is_any() || ty.is(shape);
        match (name, field, value.view()) {
            (_, _, View::Scalar(Scalar::Bool(true))) if let (Shape::Enum(of), Some(plan)) = (ty.shape, self.plan) => {
                let of = &plan.types[of as usize];
                if of.name == name && of.fields.contains_key(field) {
                    self.losses.value("record of an enumerator reads as text", item.opening());
                }
            }
            ("_Etch_List", "values", View::Open(Open::List(_) | Open::Tuple(_))) if ty.is(Shape::List) => {
                self.losses.value("record of a list reads as a list", item.opening());
            }
            ("_Etch_Set", "keys", View::Open(Open::List(_) | Open::Tuple(_))) if ty.is(Shape::Set) => {
                self.losses.value("record of a set reads as a list", item.opening());
            }
            ("_Etch_Map", "keysAndValues", View::Open(Open::List(_) | Open::Tuple(_)))
                if is(Shape::Map) && value.entries().count().is_multiple_of(2) =>
            {
                self.losses.value("record of a map reads as a map", item.opening());
            }
            ("_Etch_Datetime", "dateTime", View::Scalar(Scalar::Int(..) | Scalar::UInt(..))) if is(Shape::Time) => {
                self.losses.value("record of a moment reads as a timestamp", item.opening());
            }
            _ => {}
        }
    }

    fn tagged(&mut self, space: &str, code: u64, item: Item<'t, 'static>, ty: Ty) -> Result<()> {
        let at = item.opening();
        let Some(value) = item.entries().next().map(|entry| entry.value()) else { return Err(Error::internal("a mark without a value")) };
        let (element, dimensions) = tags::split(code);
        let is_ours = space == SPACE
            && tags::array(element, dimensions) == code
            && (1..=DIMENSIONS).contains(&dimensions)
            && ((element, dimensions) != (ANY, 1) || ty.dimensions > 0)
            && (ty.is_any() || ty.dimensions > 0);
        match (element, value.view()) {
            (TRUE..=DOUBLE | STRING | ANY, View::Open(Open::List(_))) if is_ours => {
                // An array as the schema declares it has no mark.
                if (element, dimensions) == (ty.code(), ty.dimensions) {
                    self.losses.value("tag dropped", at);
                }
                return self.elements(element, None, dimensions, value, Ty::ANY);
            }
            (STRUCT | CUSTOM, View::Open(Open::Tuple(_))) if is_ours => {
                let mut parts = value.entries().map(Entry::value);
                if let (Some(name), Some(list), None) = (parts.next(), parts.next(), parts.next())
                    && let (View::Scalar(Scalar::Text(name)), View::Open(Open::List(_))) = (name.view(), list.view())
                {
                    let name = name.get();
                    let is_declared = self.plan.is_some_and(|plan| plan.structure(ty.shape) == Some(name));
                    if is_declared && (element, dimensions) == (ty.code(), ty.dimensions) {
                        self.losses.value("tag dropped", at);
                    }
                    return self.elements(element, Some(name), dimensions, list, Ty::ANY);
                }
            }
            _ => {}
        }
        self.losses.value("tag dropped", at);
        self.tasks.push(Task::Value(value, ty));
        Ok(())
    }

    fn scalar(&mut self, value: Scalar<'static, '_>, item: Item<'t, 'static>, at: Span) -> Result<()> {
        match value {
            Scalar::Null => self.out.push(NULL),
            Scalar::Bool(value) => self.out.push(if value { TRUE } else { FALSE }),
            Scalar::Int(value, _) => self.int(value, item),
            Scalar::UInt(value, _) => match i64::try_from(value) {
                Ok(value) => self.int(value, item),
                Err(_) => return self.made("integer beyond 64 bits with a sign became text", value.to_string().into(), at),
            },
            Scalar::F32(value, _) => {
                self.out.push(FLOAT);
                self.out.extend(value.to_be_bytes());
            }
            Scalar::F64(value, _) => self.double(value),
            Scalar::Big(digits, _) => return self.made("big integer became text", digits.get().into(), at),
            Scalar::Decimal(digits, hint) => match nearest_f64(digits.get(), hint) {
                Some(value) => {
                    self.losses.rounded(ROUNDED, at);
                    self.double(value);
                }
                None => return self.made("decimal became text", digits.get().into(), at),
            },
            Scalar::Text(text) => return self.text(text.get().as_bytes()),
            Scalar::Octets(octets) => {
                if std::str::from_utf8(octets.get()).is_ok() {
                    self.losses.value("octets became text", at);
                }
                return self.text(octets.get());
            }
            Scalar::Bytes(bytes) => {
                self.out.push(BYTES);
                self.count(bytes.get().len())?;
                self.out.extend_from_slice(bytes.get());
            }
            Scalar::Time(moment) => return self.time(moment, at),
            other => return Err(Error::unknown_event(other.kind())),
        }
        Ok(())
    }

    fn int(&mut self, value: i64, item: Item<'t, 'static>) {
        match item.wire(SPACE) {
            Some(bytes) => self.out.extend_from_slice(bytes),
            None => put_int(self.out, value),
        }
    }

    fn double(&mut self, value: f64) {
        self.out.push(DOUBLE);
        self.out.extend(value.to_be_bytes());
    }

    /// Writes text that was made of another scalar.
    fn made(&mut self, what: &'static str, text: Cow<'_, str>, at: Span) -> Result<()> {
        self.losses.value(what, at);
        self.text(text.as_bytes())
    }

    fn time(&mut self, moment: Timestamp, at: Span) -> Result<()> {
        let milliseconds = i128::from(moment.seconds()) * 1000 + i128::from(moment.nanos() / 1_000_000);
        let Ok(milliseconds) = i64::try_from(milliseconds) else {
            return self.made("timestamp beyond 64 bits of milliseconds became text", moment.to_string().into(), at);
        };
        if !moment.nanos().is_multiple_of(1_000_000) {
            self.losses.value("fraction of a millisecond dropped from a timestamp", at);
        }
        self.out.push(CUSTOM);
        self.known("_Etch_Datetime")?;
        self.out.push(1);
        self.known("dateTime")?;
        put_int(self.out, milliseconds);
        self.out.push(NONE);
        Ok(())
    }
}
