//! The binary protocol: numbers in their full width, big-endian.

use polywire_core::bytes::{Input, OutBuf};
use polywire_core::{Error, ErrorKind, Result};

use super::envelope::{Envelope, Found, Places};
use super::{FieldHead, Head, ListHead, MapHead, Protocol, count, no_type};
use crate::kind::Kind;

/// The binary protocol.
#[derive(Debug, Clone, Copy, Default)]
pub struct Binary;

/// Version of the strict envelope, in its upper 16 bits.
const VERSION: u16 = 0x8001;

/// Reads a count, which is a signed integer.
fn read_count(input: &mut Input<'_>, what: &'static str) -> Result<u64> {
    let at = input.offset();
    let claimed = input.u32_be(what)? as i32;
    let claimed = u64::try_from(claimed)
        .map_err(|_| Error::data(ErrorKind::Range, at).seen(format!("a length of {claimed}")).expected("a length from zero up"))?;
    count(claimed, at)
}

/// Returns the type of elements. Libraries write any number where there are none.
fn element(code: u8, count: u64, offset: u64) -> Result<Option<Kind>> {
    match Kind::of(code) {
        None if count > 0 => Err(no_type(offset, code)),
        kind => Ok(kind),
    }
}

impl Protocol for Binary {
    const NAME: &'static str = "thrift-binary";
    const ID: u64 = 0;

    #[inline]
    fn field(input: &mut Input<'_>, _: i16) -> Result<Option<FieldHead>> {
        let at = input.offset();
        let code = input.u8("the type of a field, or the end of a struct")?;
        if code == 0 {
            return Ok(None);
        }
        let kind = Kind::of(code).ok_or_else(|| no_type(at, code))?;
        Ok(Some(FieldHead { id: input.u16_be("the number of a field")? as i16, kind, truth: None }))
    }

    fn list(input: &mut Input<'_>) -> Result<ListHead> {
        let at = input.offset();
        let code = input.u8("the type of elements")?;
        let count = read_count(input, "the number of elements")?;
        Ok(ListHead { kind: element(code, count, at)?, count })
    }

    fn map(input: &mut Input<'_>) -> Result<MapHead> {
        let at = input.offset();
        let [key, value] = input.array("the types of keys and values")?;
        let count = read_count(input, "the number of entries")?;
        let kinds = element(key, count, at)?.zip(element(value, count, at + 1)?);
        Ok(MapHead { kinds, count })
    }

    fn truth(input: &mut Input<'_>) -> Result<bool> {
        Ok(input.u8("a truth value")? != 0)
    }

    #[inline]
    fn int(input: &mut Input<'_>, kind: Kind) -> Result<i64> {
        Ok(match kind {
            Kind::I8 => i64::from(input.u8("an integer of 8 bits")? as i8),
            Kind::I16 => i64::from(input.u16_be("an integer of 16 bits")? as i16),
            Kind::I32 => i64::from(input.u32_be("an integer of 32 bits")? as i32),
            _ => input.u64_be("an integer of 64 bits")? as i64,
        })
    }

    fn double(input: &mut Input<'_>) -> Result<f64> {
        input.f64_be("a double")
    }

    #[inline]
    fn bytes<'m>(input: &mut Input<'m>) -> Result<&'m [u8]> {
        let len = read_count(input, "the length of a string")?;
        input.take(len, "a string")
    }

    fn fixed(kind: Kind) -> Option<u64> {
        Some(match kind {
            Kind::Bool | Kind::I8 => 1,
            Kind::I16 => 2,
            Kind::I32 => 4,
            Kind::I64 | Kind::Double => 8,
            Kind::Uuid => 16,
            _ => return None,
        })
    }

    fn envelope(buf: &[u8], base: u64, eof: bool, old: bool) -> Found {
        let strict = buf.first().is_some_and(|byte| byte & 0x80 != 0);
        if !strict && !old {
            return Found::Struct;
        }
        let mut input = Input::new(buf, base);
        match if strict { versioned(&mut input) } else { unversioned(&mut input) } {
            Ok(places) => Found::Envelope(places),
            Err(error) if error.kind() == ErrorKind::Truncated && !eof => Found::More(1),
            Err(error) if error.kind() == ErrorKind::Truncated => Found::Bad(error, buf.len()),
            Err(error) => Found::Bad(error, input.pos()),
        }
    }

    fn put_envelope(out: &mut OutBuf, envelope: &Envelope<'_>, old: bool) -> Result<()> {
        if !old {
            out.put(&VERSION.to_be_bytes());
            out.put(&[0, envelope.kind]);
        }
        out.put(&(envelope.name.len() as u32).to_be_bytes());
        out.put(envelope.name);
        if old {
            out.byte(envelope.kind);
        }
        out.put(&envelope.sequence.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn put_field(out: &mut OutBuf, _: i16, id: i16, kind: Kind, _: Option<bool>) -> bool {
        out.tagged(kind as u8, id.to_be_bytes());
        false
    }

    fn list_head(kind: Kind, count: u32) -> Head {
        Head::default().with(&[kind as u8]).with(&count.to_be_bytes())
    }

    fn map_head(kinds: (Kind, Kind), count: u32) -> Head {
        Head::default().with(&[kinds.0 as u8, kinds.1 as u8]).with(&count.to_be_bytes())
    }

    fn put_truth(out: &mut OutBuf, truth: bool) {
        out.byte(u8::from(truth));
    }

    fn put_int(out: &mut OutBuf, kind: Kind, value: i64) {
        match kind {
            Kind::I8 => out.byte(value as u8),
            Kind::I16 => out.put(&(value as i16).to_be_bytes()),
            Kind::I32 => out.put(&(value as i32).to_be_bytes()),
            _ => out.put(&value.to_be_bytes()),
        }
    }

    fn put_double(out: &mut OutBuf, value: f64) {
        out.put(&value.to_be_bytes());
    }

    fn length(len: u32) -> Head {
        Head::default().with(&len.to_be_bytes())
    }
}

fn kind(code: u8, offset: u64) -> Result<u8> {
    if (1..=4).contains(&code) {
        return Ok(code);
    }
    Err(Error::data(ErrorKind::Syntax, offset).seen(format!("the message type {code}")).expected("1 to 4: call, reply, exception, oneway"))
}

/// Reads the envelope with a version.
fn versioned(input: &mut Input<'_>) -> Result<Places> {
    let at = input.offset();
    let version = input.u16_be("the version of an envelope")?;
    if version != VERSION {
        return Err(Error::data(ErrorKind::Syntax, at)
            .seen(format!("the bytes {:02x} {:02x}", version >> 8, version & 0xff))
            .expected("80 01, the version of an envelope, or the type of a field"));
    }
    let [_, code] = input.array("the type of a message")?;
    let kind = kind(code, at + 3)?;
    let head = 0..input.pos();
    let name = Binary::bytes(input)?.len();
    let named = head.end..input.pos();
    let sequence = input.u32_be("the sequence number of a message")? as i32;
    let len = input.pos();
    Ok(Places { kind, sequence, head, name: named.end - name..named.end, numbered: named.end..len, late: len..len, named, len })
}

/// Reads the envelope without a version.
fn unversioned(input: &mut Input<'_>) -> Result<Places> {
    let name = Binary::bytes(input)?.len();
    let named = 0..input.pos();
    let at = input.offset();
    let kind = kind(input.u8("the type of a message")?, at)?;
    let late = named.end..input.pos();
    let sequence = input.u32_be("the sequence number of a message")? as i32;
    let len = input.pos();
    Ok(Places { kind, sequence, head: 0..0, name: named.end - name..named.end, numbered: late.end..len, late, named, len })
}
