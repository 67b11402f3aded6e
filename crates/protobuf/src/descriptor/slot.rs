//! The fields of a descriptor message on the wire.

use polywire_core::bytes::Input;
use polywire_core::{Budget, Error, ErrorKind, Result};

/// A message of `descriptor.proto`.
pub trait Message {
    /// Reads one field. Returns `false` if the message has none of that number.
    fn take(&mut self, number: u32, wire: Wire<'_>, budget: &mut Budget) -> Result<bool>;

    /// Appends its fields in the order of their numbers.
    fn put(&self, out: &mut Vec<u8>);

    /// Returns the store for fields of other numbers.
    fn others(&mut self) -> &mut Vec<Other>;
}

/// A field that this crate does not interpret, with the bytes of tag and value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Other {
    /// Its number.
    pub number: u32,
    /// Tag and value.
    pub bytes: Vec<u8>,
}

/// A value on the wire.
#[derive(Debug, Clone, Copy)]
pub enum Wire<'m> {
    /// Wire type 0.
    Varint(u64, u64),
    /// Wire type 2, with the offset of its first byte.
    Bytes(&'m [u8], u64),
    /// Any other.
    Odd(u64),
}

/// A field of such a message.
pub trait Slot {
    /// Reads a value.
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()>;

    /// Appends all its values.
    fn put(&self, number: u32, out: &mut Vec<u8>);
}

/// Reads a message: later values of singular fields win, and messages merge (encoding guide, "Last
/// One Wins").
pub fn read(message: &mut dyn Message, bytes: &[u8], base: u64, budget: &mut Budget) -> Result<()> {
    budget.enter(base)?;
    let mut input = Input::new(bytes, base);
    while input.remaining() > 0 {
        let (start, at) = (input.pos(), input.offset());
        budget.item(at)?;
        let tag = input.varint("a tag")?;
        let (number, kind) = (tag >> 3, tag & 7);
        if !(1..=u64::from(crate::model::MAX_NUMBER)).contains(&number) {
            return Err(Error::data(ErrorKind::Range, at)
                .seen(format!("field number {number}"))
                .expected("a field number from 1 to 536870911"));
        }
        let wire = match kind {
            0 => Wire::Varint(input.varint("a varint")?, at),
            2 => {
                let length = input.varint("a length")?;
                let offset = input.offset();
                Wire::Bytes(input.take(length, "a length-delimited value")?, offset)
            }
            _ => {
                skip(&mut input, kind, number, budget)?;
                Wire::Odd(at)
            }
        };
        if !message.take(number as u32, wire, budget)? {
            let bytes = bytes[start..input.pos()].to_vec();
            budget.decode(bytes.len() as u64, at)?;
            message.others().push(Other { number: number as u32, bytes });
        }
    }
    budget.leave();
    Ok(())
}

/// Steps over a value of any wire type.
fn skip(input: &mut Input<'_>, kind: u64, number: u64, budget: &Budget) -> Result<()> {
    // Numbers of the open groups.
    let mut groups: Vec<u64> = Vec::new();
    let (mut kind, mut number, mut at) = (kind, number, input.offset());
    loop {
        match kind {
            0 => _ = input.varint("a varint")?,
            1 => _ = input.take(8, "eight bytes")?,
            2 => {
                let length = input.varint("a length")?;
                input.take(length, "a length-delimited value")?;
            }
            3 => {
                if groups.len() >= budget.limits().depth as usize {
                    return Err(budget.too_deep(at));
                }
                groups.push(number);
            }
            4 if groups.last() == Some(&number) => _ = groups.pop(),
            5 => _ = input.take(4, "four bytes")?,
            4 => return Err(Error::data(ErrorKind::Syntax, at).seen(format!("the end of group {number}, which is not open"))),
            _ => return Err(Error::data(ErrorKind::Syntax, at).seen(format!("wire type {kind}")).expected("a wire type from 0 to 5")),
        }
        if groups.is_empty() {
            return Ok(());
        }
        at = input.offset();
        let tag = input.varint("a tag")?;
        (kind, number) = (tag & 7, tag >> 3);
    }
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn tag(number: u32, kind: u32, out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | kind), out);
}

fn delimited(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    tag(number, 2, out);
    varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cold]
fn mismatch(wire: Wire<'_>, expected: &'static str) -> Error {
    let (Wire::Varint(_, at) | Wire::Bytes(_, at) | Wire::Odd(at)) = wire;
    Error::data(ErrorKind::Syntax, at).seen("another wire type").expected(expected)
}

fn number(wire: Wire<'_>) -> Result<u64> {
    match wire {
        Wire::Varint(value, _) => Ok(value),
        _ => Err(mismatch(wire, "a varint")),
    }
}

fn bytes<'m>(wire: Wire<'m>, what: &'static str) -> Result<(&'m [u8], u64)> {
    match wire {
        Wire::Bytes(bytes, at) => Ok((bytes, at)),
        _ => Err(mismatch(wire, what)),
    }
}

fn text(wire: Wire<'_>, budget: &mut Budget) -> Result<String> {
    let (bytes, at) = bytes(wire, "text")?;
    budget.decode(bytes.len() as u64, at)?;
    Ok(Input::new(bytes, at).utf8(bytes)?.to_string())
}

impl Slot for Option<String> {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        *self = Some(text(wire, budget)?);
        Ok(())
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(text) = self {
            delimited(number, text.as_bytes(), out);
        }
    }
}

impl Slot for Vec<String> {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        self.push(text(wire, budget)?);
        Ok(())
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        for text in self {
            delimited(number, text.as_bytes(), out);
        }
    }
}

impl Slot for Option<i32> {
    fn take(&mut self, wire: Wire<'_>, _: &mut Budget) -> Result<()> {
        *self = Some(number(wire)? as i32);
        Ok(())
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(value) = *self {
            tag(number, 0, out);
            varint(i64::from(value) as u64, out);
        }
    }
}

impl Slot for Option<bool> {
    fn take(&mut self, wire: Wire<'_>, _: &mut Budget) -> Result<()> {
        *self = Some(number(wire)? != 0);
        Ok(())
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(value) = *self {
            tag(number, 0, out);
            out.push(u8::from(value));
        }
    }
}

/// Reads numbers, packed or one by one, since either layout is valid for both.
fn numbers(into: &mut Vec<i32>, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
    match wire {
        Wire::Varint(value, _) => into.push(value as i32),
        _ => {
            let (packed, at) = bytes(wire, "numbers")?;
            let mut input = Input::new(packed, at);
            while input.remaining() > 0 {
                budget.item(input.offset())?;
                into.push(input.varint("a varint")? as i32);
            }
        }
    }
    Ok(())
}

impl Slot for Vec<i32> {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        numbers(self, wire, budget)
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        for value in self {
            tag(number, 0, out);
            varint(i64::from(*value) as u64, out);
        }
    }
}

/// Numbers that are written packed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed(pub Vec<i32>);

impl Slot for Packed {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        numbers(&mut self.0, wire, budget)
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if !self.0.is_empty() {
            let mut packed = Vec::with_capacity(self.0.len());
            for value in &self.0 {
                varint(i64::from(*value) as u64, &mut packed);
            }
            delimited(number, &packed, out);
        }
    }
}

impl<M: Message + Default> Slot for Option<Box<M>> {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        let (bytes, at) = bytes(wire, "a message")?;
        read(&mut **self.get_or_insert_default(), bytes, at, budget)
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(message) = self {
            put(&**message, number, out);
        }
    }
}

impl<M: Message + Default> Slot for Vec<M> {
    fn take(&mut self, wire: Wire<'_>, budget: &mut Budget) -> Result<()> {
        let (bytes, at) = bytes(wire, "a message")?;
        let mut message = M::default();
        read(&mut message, bytes, at, budget)?;
        self.push(message);
        Ok(())
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) {
        for message in self {
            put(message, number, out);
        }
    }
}

fn put(message: &dyn Message, number: u32, out: &mut Vec<u8>) {
    let mut inner = Vec::new();
    message.put(&mut inner);
    delimited(number, &inner, out);
}

/// Returns fields in the order of their numbers.
pub(crate) fn by_number(others: &[Other]) -> Vec<&Other> {
    let mut others: Vec<&Other> = others.iter().collect();
    others.sort_by_key(|other| other.number);
    others
}

/// Appends the fields at the start of `others` whose numbers are below `number`, and returns the
/// rest.
pub(crate) fn put_below<'o, 'm>(others: &'o [&'m Other], number: u32, out: &mut Vec<u8>) -> &'o [&'m Other] {
    let (below, rest) = others.split_at(others.partition_point(|other| other.number < number));
    below.iter().for_each(|other| out.extend_from_slice(&other.bytes));
    rest
}

/// A message of `descriptor.proto`: its fields by number, in the order of the numbers.
macro_rules! message {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $number:literal $field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $ty,)*
            /// Fields of other numbers, unchanged.
            pub others: Vec<Other>,
        }

        impl Message for $name {
            fn take(&mut self, number: u32, wire: Wire<'_>, budget: &mut Budget) -> Result<bool> {
                match number {
                    $($number => Slot::take(&mut self.$field, wire, budget)?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn put(&self, out: &mut Vec<u8>) {
                let others = $crate::descriptor::slot::by_number(&self.others);
                let mut others = &others[..];
                $(
                    others = $crate::descriptor::slot::put_below(others, $number, out);
                    Slot::put(&self.$field, $number, out);
                )*
                $crate::descriptor::slot::put_below(others, u32::MAX, out);
            }

            fn others(&mut self) -> &mut Vec<Other> {
                &mut self.others
            }
        }
    };
}
pub(super) use message;
