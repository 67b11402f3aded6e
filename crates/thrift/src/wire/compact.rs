//! The compact protocol: numbers in as few bytes as they need.

use polywire_core::bytes::{Input, OutBuf};
use polywire_core::{Error, ErrorKind, Fault, Result};

use super::envelope::{Envelope, Found, Places};
use super::{FieldHead, Head, ListHead, MapHead, Protocol, count, has_control, no_type, text};
use crate::kind::Kind;

/// The compact protocol.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compact;

/// First byte of an envelope.
const ENVELOPE: u8 = 0x82;

/// Version of the protocol, in the lower five bits of an envelope's second byte.
const VERSION: u8 = 1;

/// The code of a field that is true. Lists of truth values have it too.
const TRUE: u8 = 1;

/// The code of a field that is false.
const FALSE: u8 = 2;

const fn kind(code: u8) -> Option<Kind> {
    Some(match code {
        TRUE | FALSE => Kind::Bool,
        3 => Kind::I8,
        4 => Kind::I16,
        5 => Kind::I32,
        6 => Kind::I64,
        7 => Kind::Double,
        8 => Kind::String,
        9 => Kind::List,
        10 => Kind::Set,
        11 => Kind::Map,
        12 => Kind::Struct,
        13 => Kind::Uuid,
        _ => return None,
    })
}

const fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Bool => TRUE,
        Kind::I8 => 3,
        Kind::I16 => 4,
        Kind::I32 => 5,
        Kind::I64 => 6,
        Kind::Double => 7,
        Kind::String => 8,
        Kind::List => 9,
        Kind::Set => 10,
        Kind::Map => 11,
        Kind::Struct => 12,
        Kind::Uuid => 13,
    }
}

/// Returns the type of elements. Libraries write any code where there are none.
fn element(code: u8, count: u64, offset: u64) -> Result<Option<Kind>> {
    match kind(code) {
        None if count > 0 => Err(no_type(offset, code)),
        kind => Ok(kind),
    }
}

const fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

const fn zigzag(value: i64) -> u64 {
    (value << 1) as u64 ^ (value >> 63) as u64
}

/// Reads an integer of `bits` bits.
#[inline]
fn read_int(input: &mut Input<'_>, bits: u32, what: &'static str) -> Result<i64> {
    let at = input.offset();
    let value = unzigzag(input.varint(what)?);
    if bits < 64 && (value < -(1 << (bits - 1)) || value >= 1 << (bits - 1)) {
        return Err(Error::data(ErrorKind::Range, at).seen(format!("{value}")).expected(what));
    }
    Ok(value)
}

fn read_count(input: &mut Input<'_>, what: &'static str) -> Result<u64> {
    let at = input.offset();
    count(input.varint(what)?, at)
}

impl Protocol for Compact {
    const NAME: &'static str = "thrift-compact";
    const ID: u64 = 2;

    #[inline]
    fn field(input: &mut Input<'_>, last: i16) -> Result<Option<FieldHead>> {
        let at = input.offset();
        let head = input.u8("the head of a field, or the end of a struct")?;
        if head == 0 {
            return Ok(None);
        }
        let code = head & 0x0f;
        let kind = kind(code).ok_or_else(|| no_type(at, code))?;
        let id = match i16::from(head >> 4) {
            0 => read_int(input, 16, "the number of a field, of 16 bits")? as i16,
            delta => last.checked_add(delta).ok_or_else(|| {
                Error::data(ErrorKind::Range, at)
                    .seen(format!("the number of a field {delta} above {last}"))
                    .expected(format!("at most {}", i16::MAX))
            })?,
        };
        Ok(Some(FieldHead { id, kind, truth: (kind == Kind::Bool).then_some(code == TRUE) }))
    }

    fn list(input: &mut Input<'_>) -> Result<ListHead> {
        let at = input.offset();
        let head = input.u8("the head of a list")?;
        let count = match head >> 4 {
            15 => read_count(input, "the number of elements")?,
            short => u64::from(short),
        };
        Ok(ListHead { kind: element(head & 0x0f, count, at)?, count })
    }

    fn map(input: &mut Input<'_>) -> Result<MapHead> {
        let count = read_count(input, "the number of entries")?;
        if count == 0 {
            return Ok(MapHead { kinds: None, count });
        }
        let at = input.offset();
        let types = input.u8("the types of keys and values")?;
        let kinds = element(types >> 4, count, at)?.zip(element(types & 0x0f, count, at)?);
        Ok(MapHead { kinds, count })
    }

    fn truth(input: &mut Input<'_>) -> Result<bool> {
        let at = input.offset();
        match input.u8("a truth value")? {
            TRUE => Ok(true),
            // Older libraries write 0.
            FALSE | 0 => Ok(false),
            other => Err(Error::data(ErrorKind::Syntax, at).seen(format!("0x{other:02x}")).expected("a truth value: 1 or 2")),
        }
    }

    #[inline]
    fn int(input: &mut Input<'_>, kind: Kind) -> Result<i64> {
        match kind {
            Kind::I8 => Ok(i64::from(input.u8("an integer of 8 bits")? as i8)),
            Kind::I16 => read_int(input, 16, "an integer of 16 bits"),
            Kind::I32 => read_int(input, 32, "an integer of 32 bits"),
            _ => read_int(input, 64, "an integer of 64 bits"),
        }
    }

    fn double(input: &mut Input<'_>) -> Result<f64> {
        input.f64_le("a double")
    }

    #[inline]
    fn bytes<'m>(input: &mut Input<'m>) -> Result<&'m [u8]> {
        let len = read_count(input, "the length of a string")?;
        input.take(len, "a string")
    }

    fn fixed(kind: Kind) -> Option<u64> {
        Some(match kind {
            Kind::Bool | Kind::I8 => 1,
            Kind::Double => 8,
            Kind::Uuid => 16,
            _ => return None,
        })
    }

    fn envelope(buf: &[u8], base: u64, eof: bool, _: bool) -> Found {
        if buf.first() != Some(&ENVELOPE) {
            return Found::Struct;
        }
        let Some(&second) = buf.get(1) else { return if eof { Found::Struct } else { Found::More(1) } };
        let kind = second >> 5;
        // The bytes may also be a struct whose field 8 is false.
        if second & 0x1f != VERSION || !(1..=4).contains(&kind) {
            return Found::Struct;
        }
        match parts(buf, base, kind) {
            Ok(Some(places)) => Found::Envelope(places),
            Err(error) if error.kind() == ErrorKind::Truncated && eof => Found::Bad(error, buf.len()),
            Err(error) if error.kind() == ErrorKind::Truncated => Found::More(1),
            Ok(None) | Err(_) => Found::Struct,
        }
    }

    fn put_envelope(out: &mut OutBuf, envelope: &Envelope<'_>, _: bool) -> Result<()> {
        if envelope.name.is_empty() || text(envelope.name).is_none() {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Data)
                .seen("the name of a method that is empty, is no text, or has control characters")
                .expected("a name that no struct's bytes look like"));
        }
        out.put(&[ENVELOPE, envelope.kind << 5 | VERSION]);
        out.varint(u64::from(envelope.sequence as u32));
        out.varint(envelope.name.len() as u64);
        out.put(envelope.name);
        Ok(())
    }

    #[inline]
    fn put_field(out: &mut OutBuf, last: i16, id: i16, kind: Kind, truth: Option<bool>) -> bool {
        let code = if truth == Some(false) { FALSE } else { code(kind) };
        let delta = i32::from(id) - i32::from(last);
        if (1..=15).contains(&delta) {
            out.byte((delta as u8) << 4 | code);
        } else {
            out.byte(code);
            out.varint(zigzag(i64::from(id)));
        }
        truth.is_some()
    }

    fn tell_from_envelope(message: &mut Vec<u8>, start: usize) {
        if !matches!(Compact::envelope(&message[start..], 0, true, false), Found::Struct) {
            // Field 8, which is false, with its number in full.
            message.splice(start..=start, [FALSE, zigzag(8) as u8]);
        }
    }

    fn list_head(kind: Kind, count: u32) -> Head {
        if count < 15 {
            return Head::default().with(&[(count as u8) << 4 | code(kind)]);
        }
        Head::default().with(&[0xf0 | code(kind)]).varint(count)
    }

    fn map_head(kinds: (Kind, Kind), count: u32) -> Head {
        if count == 0 {
            return Head::default().with(&[0]);
        }
        Head::default().varint(count).with(&[code(kinds.0) << 4 | code(kinds.1)])
    }

    fn put_truth(out: &mut OutBuf, truth: bool) {
        out.byte(if truth { TRUE } else { FALSE });
    }

    fn put_int(out: &mut OutBuf, kind: Kind, value: i64) {
        match kind {
            Kind::I8 => out.byte(value as u8),
            _ => out.varint(zigzag(value)),
        }
    }

    fn put_double(out: &mut OutBuf, value: f64) {
        out.put(&value.to_le_bytes());
    }

    fn length(len: u32) -> Head {
        Head::default().varint(len)
    }
}

/// Reads the parts of an envelope behind its first two bytes. `None` if they are none.
fn parts(buf: &[u8], base: u64, kind: u8) -> Result<Option<Places>> {
    let mut input = Input::new(buf, base);
    input.seek(2);
    let Ok(sequence) = u32::try_from(input.varint("the sequence number of a message")?) else { return Ok(None) };
    let numbered = 2..input.pos();
    let len = read_count(&mut input, "the length of a method's name")?;
    // A name that is none is known before its last byte comes.
    if len == 0 || has_control(&input.rest()[..input.remaining().min(len as usize)]) {
        return Ok(None);
    }
    let name = input.take(len, "the name of a method")?;
    if text(name).is_none() {
        return Ok(None);
    }
    let end = input.pos();
    Ok(Some(Places {
        kind,
        sequence: sequence as i32,
        head: 0..2,
        named: numbered.end..end,
        name: end - len as usize..end,
        late: end..end,
        numbered,
        len: end,
    }))
}
