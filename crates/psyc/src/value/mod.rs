//! What values of variables and elements mean, by their types (docs/spec/psyc.md 12.2 and 16): both ways.
//!
//! [`Value::read`] goes from bytes to a value that borrows them; lists and dicts are read as they are gone through. The other way, a value
//! without parts is written by [`Value::write`], and lists and dicts are rendered with [`wire::render`](crate::wire::render).
//! With the feature `alloc`, [`Owned`] is a whole tree of values.
//!
//! Where the protocol leaves a type's text open, this is what is read and written:
//!
//! | type | text |
//! |---|---|
//! | `_amount` | `-` and digits; numbers beyond 64 bits stay text |
//! | `_time`, `_date` | `-` and digits, within 64 bits |
//! | `_flag` | `1` and `0`; `true` and `false` are read too |
//! | `_degree` | one digit |
//! | `_struct` | its members as a list; members have the types that the elements say |
//! | `_uniform`, `_entity` | any bytes: [`Value::uniform`] takes them apart on demand, since addresses of other schemes occur |
//! | `_color`, `_language`, `_nick`, `_page` | any bytes |

#[cfg(feature = "alloc")]
mod owned;
mod structure;

#[cfg(feature = "alloc")]
pub use owned::{Owned, OwnedItem, WriteError};
pub use structure::{Dict, Entries, Entry, Item, Items, List};

use crate::number::{self, Prefix};
use crate::uniform::{self, Uniform};
use crate::variable::Type;
use crate::wire::render::RenderError;

/// Unix time of PSYC's time zero, 2015-08-24T19:20:41Z (docs/spec/psyc.md 2).
pub const PSYC_EPOCH: i64 = 1_440_444_041;

/// How many lists and dicts within each other are read unless told otherwise.
pub const DEPTH_MAX: u32 = 64;

/// Why bytes are no value of their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Offset of the first byte that is wrong, from the start of the outermost value.
    pub at: usize,
    /// What would have been right, for people.
    pub expected: &'static str,
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "expected {} at byte {} of the value", self.expected, self.at)
    }
}

impl core::error::Error for Fault {}

/// A moment, in seconds since [`PSYC_EPOCH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i64);

impl Date {
    /// The moment of a Unix time. None if it is out of range.
    pub const fn from_unix(seconds: i64) -> Option<Date> {
        match seconds.checked_sub(PSYC_EPOCH) {
            Some(since) => Some(Date(since)),
            None => None,
        }
    }

    /// Its Unix time. None if that is out of range.
    pub const fn unix(self) -> Option<i64> {
        self.0.checked_add(PSYC_EPOCH)
    }
}

/// A value of a known or unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// Of a type that is not known: any bytes.
    Opaque(&'a [u8]),
    /// `_amount`
    Amount(i64),
    /// `_amount`, of a number that 64 bits do not hold: its text.
    BigAmount(&'a [u8]),
    /// `_color`
    Color(&'a [u8]),
    /// `_date`
    Date(Date),
    /// `_degree`: 0 to 9.
    Degree(u8),
    /// `_dict`
    Dict(Dict<'a>),
    /// `_entity`: an address.
    Entity(&'a [u8]),
    /// `_flag`
    Flag(bool),
    /// `_language`
    Language(&'a [u8]),
    /// `_list`
    List(List<'a>),
    /// `_nick`
    Nick(&'a [u8]),
    /// `_page`
    Page(&'a [u8]),
    /// `_struct`: its members.
    Struct(List<'a>),
    /// `_time`: seconds.
    Time(i64),
    /// `_uniform`: an address.
    Uniform(&'a [u8]),
}

/// The longest text that [`Value::write`] makes of a number, in bytes.
pub const NUMBER_MAX: usize = 20;

impl<'a> Value<'a> {
    /// Reads the value of a variable, or of an element whose type `name` is. Of lists and dicts, nothing is checked yet.
    ///
    /// ```
    /// use polywire_psyc::value::Value;
    ///
    /// assert_eq!(Value::read(b"_amount_members", b"-12"), Ok(Value::Amount(-12)));
    /// let Ok(Value::List(list)) = Value::read(b"_list_members", b"_nick| ann|=_degree 4") else { panic!() };
    /// let values: Vec<Value<'_>> = list.items().map(|item| item.and_then(|item| item.read())).collect::<Result<_, _>>()?;
    /// assert_eq!(values, [Value::Nick(b"ann"), Value::Degree(4)]);
    /// assert_eq!(Value::read(b"_degree_availability", b"12").unwrap_err().at, 1);
    /// # Ok::<(), polywire_psyc::value::Fault>(())
    /// ```
    pub fn read(name: &[u8], bytes: &'a [u8]) -> Result<Value<'a>, Fault> {
        Value::read_within(name, bytes, DEPTH_MAX)
    }

    /// Reads it as [`Value::read`] does, with at most `depth` lists and dicts within each other.
    pub fn read_within(name: &[u8], bytes: &'a [u8], depth: u32) -> Result<Value<'a>, Fault> {
        Value::of(Type::of(name), Place { bytes, at: 0, depth })
    }

    fn of(kind: Option<Type>, place: Place<'a>) -> Result<Value<'a>, Fault> {
        let Place { bytes, at, .. } = place;
        Ok(match kind {
            None | Some(Type::Counter) => Value::Opaque(bytes),
            Some(Type::Amount) => match whole(bytes, at)? {
                Some(amount) => Value::Amount(amount),
                None => Value::BigAmount(bytes),
            },
            Some(Type::Time) => Value::Time(seconds(bytes, at)?),
            Some(Type::Date) => Value::Date(Date(seconds(bytes, at)?)),
            Some(Type::Degree) => match bytes {
                [digit @ b'0'..=b'9'] => Value::Degree(digit - b'0'),
                [b'0'..=b'9', _, ..] => return Err(Fault { at: at + 1, expected: "the end after one digit" }),
                _ => return Err(Fault { at, expected: "a digit" }),
            },
            Some(Type::Flag) => match bytes {
                b"1" | b"true" => Value::Flag(true),
                b"0" | b"false" => Value::Flag(false),
                _ => return Err(Fault { at, expected: "'1' or '0'" }),
            },
            Some(Type::Color) => Value::Color(bytes),
            Some(Type::Entity) => Value::Entity(bytes),
            Some(Type::Language) => Value::Language(bytes),
            Some(Type::Nick) => Value::Nick(bytes),
            Some(Type::Page) => Value::Page(bytes),
            Some(Type::Uniform) => Value::Uniform(bytes),
            Some(Type::List) => Value::List(List::at(place)?),
            Some(Type::Struct) => Value::Struct(List::at(place)?),
            Some(Type::Dict) => Value::Dict(Dict::at(place)?),
        })
    }

    /// Its type. None for an opaque value.
    pub const fn kind(&self) -> Option<Type> {
        Some(match self {
            Value::Opaque(_) => return None,
            Value::Amount(_) | Value::BigAmount(_) => Type::Amount,
            Value::Color(_) => Type::Color,
            Value::Date(_) => Type::Date,
            Value::Degree(_) => Type::Degree,
            Value::Dict(_) => Type::Dict,
            Value::Entity(_) => Type::Entity,
            Value::Flag(_) => Type::Flag,
            Value::Language(_) => Type::Language,
            Value::List(_) => Type::List,
            Value::Nick(_) => Type::Nick,
            Value::Page(_) => Type::Page,
            Value::Struct(_) => Type::Struct,
            Value::Time(_) => Type::Time,
            Value::Uniform(_) => Type::Uniform,
        })
    }

    /// Whether a variable or an element of that name holds values of this type.
    pub fn fits(&self, name: &[u8]) -> bool {
        Type::of(name) == self.kind()
    }

    /// Takes an address apart (docs/spec/psyc.md 13). None for values that are none.
    pub fn uniform(&self) -> Option<Result<Uniform<'a>, uniform::Fault>> {
        match self {
            Value::Uniform(bytes) | Value::Entity(bytes) => Some(Uniform::parse(bytes)),
            _ => None,
        }
    }

    /// The bytes of the value. Numbers are written to `digits`; all else lies where it was.
    ///
    /// A modifier or an element made of them has the right size with [`Sizing::Check`](crate::packet::Sizing::Check), which is what
    /// [`Modifier::new`](crate::packet::Modifier::new) and [`Item::new`](crate::wire::render::Item::new) say.
    pub fn bytes<'s>(&self, digits: &'s mut [u8; NUMBER_MAX]) -> &'s [u8]
    where
        'a: 's,
    {
        match *self {
            Value::Opaque(bytes)
            | Value::BigAmount(bytes)
            | Value::Color(bytes)
            | Value::Entity(bytes)
            | Value::Language(bytes)
            | Value::Nick(bytes)
            | Value::Page(bytes)
            | Value::Uniform(bytes) => bytes,
            Value::List(list) | Value::Struct(list) => list.bytes(),
            Value::Dict(dict) => dict.bytes(),
            Value::Flag(flag) => {
                if flag {
                    b"1"
                } else {
                    b"0"
                }
            }
            Value::Degree(degree) => text(i64::from(degree), digits),
            Value::Amount(number) | Value::Time(number) | Value::Date(Date(number)) => text(number, digits),
        }
    }

    /// Writes the bytes of the value at the start of `out`, and says how many they are.
    pub fn write(&self, out: &mut [u8]) -> Result<usize, RenderError> {
        let mut digits = [0; NUMBER_MAX];
        let bytes = self.bytes(&mut digits);
        out.get_mut(..bytes.len()).ok_or(RenderError::Buffer)?.copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

fn text(number: i64, digits: &mut [u8; NUMBER_MAX]) -> &[u8] {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number).as_bytes();
    digits[..text.len()].copy_from_slice(text);
    &digits[..text.len()]
}

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place<'a> {
    bytes: &'a [u8],
    /// Its offset in the outermost value.
    at: usize,
    /// Lists and dicts that may still be in each other.
    depth: u32,
}

/// A whole number. None if 64 bits do not hold it.
fn whole(bytes: &[u8], at: usize) -> Result<Option<i64>, Fault> {
    const EXPECTED: &str = "a whole number";
    let sign = usize::from(bytes.first() == Some(&b'-'));
    if bytes.len() == sign {
        return Err(Fault { at: at + sign, expected: EXPECTED });
    }
    let Prefix { read, value } = number::signed(bytes);
    if read == bytes.len() {
        return Ok(Some(value));
    }
    match bytes[read..].iter().position(|byte| !byte.is_ascii_digit()) {
        Some(count) => Err(Fault { at: at + read + count, expected: EXPECTED }),
        None => Ok(None),
    }
}

fn seconds(bytes: &[u8], at: usize) -> Result<i64, Fault> {
    whole(bytes, at)?.ok_or(Fault { at, expected: "seconds within 64 bits" })
}
