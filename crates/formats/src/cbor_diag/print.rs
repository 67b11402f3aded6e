//! CBOR to text.

use num_bigint::BigUint;
use polywire_core::bytes::Input;
use polywire_core::walk::Indent;
use polywire_json::string::{self as json_string, Short};

use crate::cbor::wire::{self, BREAK, BYTES, Head, INDEFINITE, LIST, MAP, NEGATIVE, Shortest, TAG, TAG_BIG, TAG_BIG_NEGATIVE, TEXT, UINT};

/// An open container.
#[derive(Debug)]
struct Level {
    /// Number of values to come; in a map, even if a key is next.
    left: u64,
    map: bool,
    indefinite: bool,
    /// The byte that ends it.
    end: u8,
    is_empty: bool,
}

/// Appends the notation of the value that `bytes` are. With `indent`, arrays and maps have a line
/// for each entry. Returns `None` if the bytes are no CBOR, or one value and more; `out` then ends
/// with a part of it.
///
/// Heads longer than they need to be, floats wider than they need to be, and indefinite lengths
/// have their encoding indicators (RFC 8949, section 8.1).
pub(super) fn print(bytes: &[u8], indent: Option<Indent>, out: &mut Vec<u8>) -> Option<()> {
    let mut input = Input::new(bytes, 0);
    let mut levels: Vec<Level> = Vec::new();
    loop {
        // Ends of containers, and what stands before the next value.
        while let Some(level) = levels.last() {
            let is_over = if level.indefinite { input.peek()? == BREAK } else { level.left == 0 };
            if !is_over {
                break;
            }
            if level.map && level.left & 1 == 1 {
                return None;
            }
            if level.indefinite {
                input.seek(input.pos() + 1);
            }
            let (end, is_empty) = (level.end, level.is_empty);
            levels.pop();
            if let Some(indent) = indent.filter(|_| !is_empty && end != b')') {
                line(indent, &levels, out);
            }
            out.push(end);
        }
        if levels.is_empty() && input.pos() > 0 {
            return (input.remaining() == 0).then_some(());
        }
        before(&mut levels, indent, out);
        let first = input.u8("a head").ok()?;
        let head = wire::head(&mut input, first).ok()?;
        let is_indefinite = head.info == INDEFINITE;
        match head.major {
            UINT | NEGATIVE if is_indefinite => return None,
            UINT => number(head, head.arg.into(), out),
            NEGATIVE => number(head, -1 - i128::from(head.arg), out),
            BYTES | TEXT if is_indefinite => chunks(&mut input, head.major, out)?,
            BYTES | TEXT => {
                string(head.major, input.take(head.arg, "a string").ok()?, out)?;
                width(head, out);
            }
            LIST | MAP => {
                let map = head.major == MAP;
                out.push(if map { b'{' } else { b'[' });
                let left = if is_indefinite { wire::ENDLESS } else { head.arg.checked_mul(if map { 2 } else { 1 })? };
                if is_indefinite {
                    out.extend_from_slice(b"_ ");
                } else if width(head, out) {
                    out.push(b' ');
                }
                levels.push(Level { left, map, indefinite: is_indefinite, end: if map { b'}' } else { b']' }, is_empty: true });
            }
            TAG if is_indefinite => return None,
            TAG if let Some(bytes) = bignum(head, input) => {
                input.seek(input.pos() + Shortest::new(BYTES, bytes.len() as u64).as_bytes().len() + bytes.len());
                let magnitude = BigUint::from_bytes_be(bytes);
                let text = if head.arg == TAG_BIG { magnitude.to_string() } else { format!("-{}", magnitude + 1_u32) };
                out.extend_from_slice(text.as_bytes());
            }
            TAG => {
                out.extend_from_slice(itoa::Buffer::new().format(head.arg).as_bytes());
                width(head, out);
                out.push(b'(');
                levels.push(Level { left: 1, map: false, indefinite: false, end: b')', is_empty: true });
            }
            _ => match head.info {
                20 => out.extend_from_slice(b"false"),
                21 => out.extend_from_slice(b"true"),
                22 => out.extend_from_slice(b"null"),
                23 => out.extend_from_slice(b"undefined"),
                25..=27 => float(head, out),
                INDEFINITE => return None,
                24 if head.arg < 32 => return None,
                _ => out.extend_from_slice(format!("simple({})", head.arg).as_bytes()),
            },
        }
    }
}

/// Most bytes of a bignum that is printed as a number: about 4,096 digits.
const MAX_BIGNUM: usize = 1700;

/// Returns the bytes of the bignum behind a tag, if it is in its preferred form: it fits no shorter
/// number, and all heads are as short as they can be (RFC 8949, section 3.4.3).
fn bignum<'m>(tag: Head, mut input: Input<'m>) -> Option<&'m [u8]> {
    if tag.odd_width().is_some() || !matches!(tag.arg, TAG_BIG | TAG_BIG_NEGATIVE) {
        return None;
    }
    let first = input.u8("a head").ok()?;
    let head = wire::head(&mut input, first).ok()?;
    if head.major != BYTES || head.info == INDEFINITE || head.odd_width().is_some() {
        return None;
    }
    let bytes = input.take(head.arg, "a bignum").ok()?;
    ((9..=MAX_BIGNUM).contains(&bytes.len()) && bytes[0] != 0).then_some(bytes)
}

/// Writes what stands before the next value of the innermost container, and counts the value.
fn before(levels: &mut [Level], indent: Option<Indent>, out: &mut Vec<u8>) {
    let Some(level) = levels.last_mut() else { return };
    let is_value = level.map && level.left & 1 == 1;
    let is_first = std::mem::replace(&mut level.is_empty, false);
    let is_tag = level.end == b')';
    level.left -= 1;
    if is_value {
        return out.extend_from_slice(b": ");
    }
    if !is_first {
        out.push(b',');
    }
    match indent.filter(|_| !is_tag) {
        Some(indent) => {
            if out.ends_with(b"_ ") {
                out.pop();
            }
            line(indent, levels, out);
        }
        None if !is_first => out.push(b' '),
        None => {}
    }
}

/// Begins a line within the open arrays and maps.
fn line(indent: Indent, levels: &[Level], out: &mut Vec<u8>) {
    out.push(b'\n');
    indent.put(levels.iter().filter(|level| level.end != b')').count(), out);
}

fn number(head: Head, value: i128, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    width(head, out);
}

/// Writes the encoding indicator of a head that is longer than it has to be. Returns true if it is.
fn width(head: Head, out: &mut Vec<u8>) -> bool {
    let is_odd = head.odd_width().is_some();
    if is_odd {
        out.extend_from_slice(&[b'_', b'0' + (head.info - 24)]);
    }
    is_odd
}

fn string(major: u8, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if major == TEXT {
        json_string::string(out, std::str::from_utf8(bytes).ok()?, Short::Lines);
        return Some(());
    }
    out.extend_from_slice(b"h'");
    for byte in bytes {
        out.extend_from_slice(&[byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
    }
    out.push(b'\'');
    Some(())
}

/// Writes the pieces of a string of indefinite length.
fn chunks(input: &mut Input<'_>, major: u8, out: &mut Vec<u8>) -> Option<()> {
    if input.peek()? == BREAK {
        input.seek(input.pos() + 1);
        out.extend_from_slice(if major == TEXT { b"\"\"_" } else { b"''_" });
        return Some(());
    }
    out.extend_from_slice(b"(_ ");
    loop {
        let first = input.u8("a piece").ok()?;
        let head = wire::head(input, first).ok()?;
        if head.major != major || head.info == INDEFINITE {
            return None;
        }
        string(major, input.take(head.arg, "a piece").ok()?, out)?;
        width(head, out);
        if input.peek()? == BREAK {
            input.seek(input.pos() + 1);
            out.push(b')');
            return Some(());
        }
        out.extend_from_slice(b", ");
    }
}

/// Writes a float. One that a shorter float holds too has an encoding indicator.
fn float(head: Head, out: &mut Vec<u8>) {
    let value = match head.info {
        25 => f64::from(wire::half(head.arg as u16)),
        26 => f64::from(f32::from_bits(head.arg as u32)),
        _ => f64::from_bits(head.arg),
    };
    let usual = match head.info {
        25 => head.arg == 0x7e00,
        26 => head.arg == 0x7fc0_0000,
        _ => head.arg == 0x7ff8_0000_0000_0000,
    };
    if value.is_nan() && !usual {
        let digits = 4 << (head.info - 25);
        return out.extend_from_slice(format!("float'{:0digits$x}'", head.arg).as_bytes());
    }
    let mut buffer = ryu::Buffer::new();
    let text = match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ if value.is_nan() => "NaN",
        _ => buffer.format_finite(value),
    };
    out.extend_from_slice(text.as_bytes());
    if narrowest(value) != head.info {
        out.extend_from_slice(&[b'_', b'0' + (head.info - 24)]);
    }
}

/// Returns the additional information of the shortest float that holds `value`; a NaN is the usual
/// one.
pub(super) fn narrowest(value: f64) -> u8 {
    let single = value as f32;
    if value.is_nan() || f64::from(single).to_bits() == value.to_bits() {
        if value.is_nan() || wire::to_half(single).is_some() { 25 } else { 26 }
    } else {
        27
    }
}
