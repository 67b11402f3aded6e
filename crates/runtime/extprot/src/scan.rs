//! Checks of whole lists, with a bit for each byte, in a number of steps that does not depend on
//! the contents. Sizes of numbers and constructors are hard to foresee, and a branch on each would
//! cost more than all else.
//!
//! All functions accept only the shortest form without anything unknown. A list that they do not
//! accept may be valid, and is read value by value.

use polywire_runtime::bits::{BLOCK, bits};
use polywire_runtime::vint::{gather, unzigzag};

use crate::shape::Primitive;
use crate::wire::wire_type;

/// Bytes that one mask covers.
const WORD: usize = 64;

/// The top bits of eight bytes, which are set where another byte of a vint follows.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Returns two masks over `16 × BLOCKS` bytes at `at`: top bit set, and equal to `byte`. Bits past
/// the end are 0. None if there are fewer than sixteen bytes.
#[inline(always)]
fn all_bits<const BLOCKS: usize>(bytes: &[u8], at: usize, byte: u8) -> Option<(u64, u64)> {
    let last = bytes.len().checked_sub(BLOCK)?;
    let (mut top, mut equal) = (0, 0);
    for index in 0..BLOCKS {
        let start = at + BLOCK * index;
        let from = start.min(last);
        let (one_top, one_equal) = bits(bytes.get(from..)?.first_chunk()?, byte);
        let behind = (start - from).min(BLOCK);
        top |= one_top >> behind << (BLOCK * index);
        equal |= one_equal >> behind << (BLOCK * index);
    }
    Some((top, equal))
}

/// Returns a mask of the lowest bits, fewer than 64.
#[inline(always)]
const fn lowest(count: usize) -> u64 {
    (1 << count) - 1
}

/// Returns whether `count` ints fill `at..stop`.
#[inline(always)]
pub fn ints(bytes: &[u8], at: usize, stop: usize, count: usize) -> bool {
    let size = stop.wrapping_sub(at);
    if size >= WORD {
        return false;
    }
    match all_bits::<{ WORD / BLOCK }>(bytes, at, wire_type::VINT as u8) {
        Some((more, zero)) => are_ints(more, zero, size, count),
        None => false,
    }
}

/// Does the same with masks over `size` bytes: top bit set, and zero.
#[inline(always)]
fn are_ints(more: u64, zero: u64, size: usize, count: usize) -> bool {
    let region = lowest(size);
    let more = more & region;
    // Two bytes of an int have no top bit: its prefix, and the last of its number. They alternate.
    let ends = !more & region;
    let mut parity = ends;
    parity ^= parity << 1;
    parity ^= parity << 2;
    parity ^= parity << 4;
    parity ^= parity << 8;
    parity ^= parity << 16;
    parity ^= parity << 32;
    let prefixes = ends & parity;
    let lasts = ends & !parity;
    // A prefix stands at the start, and behind the last byte of each number but the last one's; and
    // nowhere else.
    let misplaced = prefixes ^ ((lasts << 1 | 1) & region);
    // Numbers of up to nine bytes have no more than 63 bits.
    let two = more & more >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let too_long = eight & more >> 8;
    (misplaced | (prefixes & !zero) | too_long) == 0 && lasts.count_ones() as usize == count
}

/// Maximum of the values that [`octets`] accepts.
pub const FEW: usize = BLOCK;

/// Returns whether `count` bools or bytes stand at `at`. False if there are more than [`FEW`].
#[inline(always)]
pub fn octets(bytes: &[u8], at: usize, count: usize) -> bool {
    if count > BLOCK || bytes.len().wrapping_sub(at) < 2 * count {
        return false;
    }
    match all_bits::<2>(bytes, at, wire_type::BITS8 as u8) {
        Some((_, own)) => !own & 0x5555_5555 & lowest(2 * count) == 0,
        None => false,
    }
}

/// A constructor: the start and the size of its values.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// Prefix, a size that does not count, the number of arguments, and the prefix of the argument.
    head: u32,
    /// The bits of `head` that count.
    counts: u32,
    /// Bytes of the argument's payload, if fixed.
    fixed: u8,
    /// All ones where the payload has a fixed size, starts with a length, or is a vint.
    is_fixed: u8,
    is_string: u8,
    is_vint: u8,
    /// Number of the constructor in its type. Those without an argument come first.
    index: u8,
}

impl Case {
    /// Returns a case that no value has. The values that are looked up in the first eight places
    /// have no [`CONSTANT`] in their prefix, and those of the last eight have it.
    const fn none(place: usize) -> Case {
        let head = if place < 8 { CONSTANT } else { 0 };
        Case { head, counts: CONSTANT, fixed: 0, is_fixed: 0, is_string: 0, is_vint: 0, index: 0 }
    }
}

/// Bit of a prefix that constant constructors have, and those with arguments have not.
const CONSTANT: u32 = 1 << 3;

/// A sum type whose constructors have one primitive each, or none.
#[derive(Debug, Clone)]
pub struct Cases {
    /// Constructors with an argument by their tags, then those without. Tags above 7 take a longer
    /// prefix.
    table: [Case; 16],
}

impl Cases {
    /// Returns the sum type with `constants` constant constructors and others with one argument
    /// each.
    pub const fn new(constants: usize, others: &[Primitive]) -> Cases {
        let mut table = [Case::none(0); 16];
        let mut tag = 0;
        while tag < 8 {
            table[8 + tag] = Case::none(8 + tag);
            if tag < constants {
                let head = (tag << 4) as u32 | wire_type::ENUM as u32;
                table[8 + tag] = Case { head, counts: 0xff, index: tag as u8, ..table[8 + tag] };
            }
            if tag < others.len() {
                let (prefix, fixed) = match others[tag] {
                    Primitive::Bool | Primitive::Byte => (wire_type::BITS8, 1),
                    Primitive::Int => (wire_type::VINT, 0),
                    Primitive::Long => (wire_type::BITS64_LONG, 8),
                    Primitive::Float => (wire_type::BITS64_FLOAT, 8),
                    Primitive::String => (wire_type::BYTES, 0),
                };
                table[tag] = Case {
                    head: (tag << 4) as u32 | wire_type::TUPLE as u32 | 1 << 16 | (prefix as u32) << 24,
                    counts: 0xffff_00ff,
                    fixed,
                    is_fixed: if fixed > 0 { 0xff } else { 0 },
                    is_string: if matches!(others[tag], Primitive::String) { 0xff } else { 0 },
                    is_vint: if matches!(others[tag], Primitive::Int) { 0xff } else { 0 },
                    index: (constants + tag) as u8,
                };
            }
            tag += 1;
        }
        Cases { table }
    }

    /// Returns whether `count` values of the type fill `at..stop`.
    #[inline(always)]
    pub fn fill(&self, bytes: &[u8], at: usize, stop: usize, count: usize) -> bool {
        // Each takes a byte at least, and the steps go on to the last even where something is
        // wrong: a claim does not make their number.
        if count > stop.saturating_sub(at) {
            return false;
        }
        let mut each = Each::new(self, bytes, at);
        for _ in 0..count {
            if each.next().is_none() {
                return false;
            }
        }
        each.end_at(stop)
    }

    /// Returns the value at `at`. Its end and validity mean something only if `at` is at least
    /// `LEAST` and the value ends within the bytes.
    #[inline(always)]
    pub fn one<'a>(&self, bytes: &'a [u8], at: usize) -> Option<One<'a>> {
        let last = bytes.len().checked_sub(8)?;
        let start = at.min(last);
        // For a value that starts in the last bytes, the word is the rest; at their end, a byte
        // that no check accepts.
        let head = u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?) >> (8 * (at - start)).min(63);
        let [prefix, length, _, _, text, ..] = head.to_le_bytes();
        let constant = prefix >> 3 & 1;
        let composite = constant.wrapping_sub(1);
        let case = &self.table[usize::from(prefix >> 4 & 7 | constant << 3)];
        let end = at + 1 + usize::from((length & 0x7f).wrapping_add(1) & composite);
        // The payload ends where the value does.
        let behind = end.clamp(8, last + 8);
        let tail = u64::from_le_bytes(*bytes.get(behind - 8..)?.first_chunk()?);
        let size = length.wrapping_sub(2);
        let unused = 64u32.wrapping_sub(8 * u32::from(size)) & 63;
        // The last byte of a number has no top bit, and those before it have it.
        let number = ((tail ^ (MORE >> 8)) & MORE) >> unused;
        let sizes = (size ^ case.fixed) & case.is_fixed
            | (size ^ text.wrapping_add(1) | text & 0x80) & case.is_string
            | (size.wrapping_sub(1) >> 3 | u8::from(number != 0)) & case.is_vint
            | length & composite & 0x80;
        let wrong = (head as u32 ^ case.head) & case.counts | u32::from(sizes);
        Some(One { bytes, start: at, end, index: case.index, text: text & case.is_string, bits: tail >> unused, wrong })
    }
}

/// Bytes before the first value of a list in a message. With fewer, there is no word that ends
/// where a value does.
const LEAST: usize = 4;

/// A value of a sum type whose constructors have one primitive each.
#[derive(Debug, Clone, Copy)]
pub struct One<'a> {
    bytes: &'a [u8],
    start: usize,
    end: usize,
    index: u8,
    /// Size of a string in bytes.
    text: u8,
    /// The payload of any other value.
    bits: u64,
    /// Not zero if the bytes are no such value.
    wrong: u32,
}

impl<'a> One<'a> {
    /// Returns the value for its constructor. `values` has one for each: those without an argument
    /// first, by their tags.
    #[inline(always)]
    pub fn of<T: Copy, const N: usize>(&self, values: [T; N]) -> T {
        // All are made, and one is taken: that needs no branch.
        values[usize::from(self.index).min(N - 1)]
    }

    /// Returns the number of the constructor: those without an argument come first, by their tags.
    #[inline(always)]
    pub fn index(&self) -> usize {
        usize::from(self.index)
    }

    /// Returns where the value starts, where its argument starts, and where both end.
    #[inline(always)]
    pub fn places(&self) -> (usize, usize, usize) {
        (self.start, self.start + 3, self.end)
    }

    /// Returns whether the bytes are a value of the type and end at `stop` or before.
    #[inline(always)]
    pub fn is_within(&self, stop: usize) -> bool {
        self.wrong == 0 && self.end <= stop && self.start >= LEAST
    }

    /// Returns the argument as an int.
    #[inline(always)]
    pub fn int(&self) -> i64 {
        unzigzag(gather(self.bits))
    }

    /// Returns the argument as a long.
    #[inline(always)]
    pub fn long(&self) -> i64 {
        self.bits as i64
    }

    /// Returns the argument as a float.
    #[inline(always)]
    pub fn float(&self) -> f64 {
        f64::from_bits(self.bits)
    }

    /// Returns the argument as a bool.
    #[inline(always)]
    pub fn bool(&self) -> bool {
        self.bits as u8 != 0
    }

    /// Returns the argument as a byte.
    #[inline(always)]
    pub fn byte(&self) -> u8 {
        self.bits as u8
    }

    /// Returns the argument as a string.
    #[inline(always)]
    pub fn slice(&self) -> &'a [u8] {
        // Behind prefix, length and count, and the prefix and length of the string.
        let start = self.start + 5;
        self.bytes.get(start..start + usize::from(self.text)).unwrap_or_default()
    }
}

/// The values of a list, one after the other.
#[derive(Debug, Clone)]
pub struct Each<'c, 'a> {
    cases: &'c Cases,
    bytes: &'a [u8],
    at: usize,
    wrong: u32,
}

impl<'c, 'a> Each<'c, 'a> {
    /// Returns the values from `at` on.
    #[inline(always)]
    pub fn new(cases: &'c Cases, bytes: &'a [u8], at: usize) -> Each<'c, 'a> {
        Each { cases, bytes, at, wrong: u32::from(at < LEAST) }
    }

    /// Returns whether all were values of the type and end at `stop`.
    #[inline(always)]
    pub fn end_at(&self, stop: usize) -> bool {
        self.wrong == 0 && self.at == stop && stop <= self.bytes.len()
    }
}

impl<'a> Iterator for Each<'_, 'a> {
    type Item = One<'a>;

    /// Returns the next value. [`end_at`](Each::end_at) says at the end whether all were valid.
    /// None if there are too few bytes to decide.
    #[inline(always)]
    fn next(&mut self) -> Option<One<'a>> {
        let one = self.cases.one(self.bytes, self.at)?;
        self.wrong |= one.wrong;
        self.at = one.end;
        Some(one)
    }
}
