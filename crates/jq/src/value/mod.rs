//! The values that filters work with: shared, so that a copy costs nothing, and holding all that a
//! walk says.

mod emit;
mod interpreter;
mod number;
mod object;
mod operators;
mod order;
mod release;
mod show;
mod sink;
mod standard;
mod text;

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use polywire_core::{Hint, Timestamp};

pub(crate) use emit::emit;
pub(crate) use interpreter::{cannot_iterate, places, slice};
pub use number::Exact;
pub(crate) use number::{Num, of_text};
pub use object::Object;
pub(crate) use operators::LONGEST;
pub use sink::ValSink;
pub use text::Text;

/// Result of a filter's step.
pub type ValR<T = Val> = jaq_core::ValR<T, Val>;
/// The error of a filter's step.
pub type ValError = jaq_core::Error<Val>;

/// A value of any format, cheap to copy.
///
/// Times, tags, bytes, sum types and numbers with their spelling stay what they are until a filter
/// computes with them. Then they are what their JSON form is: a time is its text, a tagged value is
/// the value inside of its tag, and a case of a sum type is its name or an object.
#[derive(Debug, Clone, Default)]
pub enum Val {
    /// No value.
    #[default]
    Null,
    /// Truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64`.
    UInt(u64),
    /// IEEE 754 binary64.
    F64(f64),
    /// A number that is spelled in a way of its own, or is none of the others.
    Exact(Arc<Exact>),
    /// Unicode text.
    Text(Text),
    /// Binary data.
    Bytes(Arc<Vec<u8>>),
    /// Text in a character set that its format does not name.
    Octets(Arc<Vec<u8>>),
    /// A moment in time.
    Time(Arc<Moment>),
    /// Values in order.
    List(Arc<List>),
    /// Pairs of key and value.
    Object(Arc<Object>),
    /// A case of a sum type.
    Variant(Arc<Variant>),
    /// A value that its format marks as special.
    Tagged(Arc<Tagged>),
}

const _: () = assert!(size_of::<Val>() == 24);

/// A list or a tuple.
#[derive(Debug, Clone, Default)]
pub struct List {
    pub(crate) values: Vec<Val>,
    pub(crate) tuple: bool,
}

/// A case of a sum type, with the values that it carries.
#[derive(Debug, Clone)]
pub struct Variant {
    name: Val,
    index: u32,
    values: Vec<Val>,
}

/// A tagged value: tag space, code, and what is inside.
#[derive(Debug, Clone)]
pub struct Tagged {
    space: Box<str>,
    code: u64,
    value: Val,
}

/// A moment, and its text once a filter asked for it.
#[derive(Debug, Clone)]
pub struct Moment {
    time: Timestamp,
    text: OnceLock<Box<str>>,
}

impl Moment {
    pub(crate) fn text(&self) -> &str {
        self.text.get_or_init(|| self.time.to_string().into())
    }
}

/// The kind of a value, in jq's order and by jq's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

thread_local! {
    static EMPTY: OnceCell<Val> = const { OnceCell::new() };
}

impl Val {
    /// Makes text.
    pub fn text(text: &str) -> Val {
        Val::Text(Text::from(text))
    }

    /// Makes text of bytes. Bytes that are no UTF-8 become U+FFFD.
    pub(crate) fn text_lossy(bytes: &[u8]) -> Val {
        match std::str::from_utf8(bytes) {
            Ok(text) => Val::text(text),
            Err(_) => Val::Text(Text::from(String::from_utf8_lossy(bytes).into_owned())),
        }
    }

    /// Makes a list.
    pub fn list(values: Vec<Val>) -> Val {
        Val::List(Arc::new(List { values, tuple: false }))
    }

    /// Makes an object of entries; the last of a key counts.
    pub fn object(entries: impl IntoIterator<Item = (Val, Val)>) -> Val {
        let mut object = Object::new();
        object.extend(entries);
        Val::Object(Arc::new(object))
    }

    pub(crate) fn empty_object() -> Val {
        EMPTY.with(|empty| empty.get_or_init(|| Val::Object(Arc::new(Object::new()))).clone())
    }

    /// Makes the value of a computed float: an integer if it is whole, as jq prints it. The numbers
    /// are those of which a float knows every digit.
    pub(crate) fn from_float(value: f64) -> Val {
        const MOST: f64 = 1e17;
        let is_whole = value.fract() == 0.0 && value.abs() <= MOST && !(value == 0.0 && value.is_sign_negative());
        if is_whole { Val::Int(value as i64) } else { Val::F64(value) }
    }

    /// Makes a float with the hint that it came with.
    pub(crate) fn f64(value: f64, hint: Hint<'_>) -> Val {
        match hint.spelling() {
            None => Val::F64(value),
            Some(_) => Val::Exact(Arc::new(Exact::new(number::Number::F64(value), hint))),
        }
    }

    /// Returns the value with the entries of its objects in the order of their keys. A value too
    /// deep to be written stays as it is below.
    pub(crate) fn sorted(self) -> Val {
        fn at(value: Val, level: u32) -> Val {
            if level > polywire_core::Limits::MAX_DEPTH {
                return value;
            }
            match value {
                Val::List(mut list) => {
                    for value in &mut Arc::make_mut(&mut list).values {
                        *value = at(std::mem::take(value), level + 1);
                    }
                    Val::List(list)
                }
                Val::Object(mut object) => {
                    Arc::make_mut(&mut object).sort(|value| at(value, level + 1));
                    Val::Object(object)
                }
                Val::Variant(mut variant) => {
                    for value in &mut Arc::make_mut(&mut variant).values {
                        *value = at(std::mem::take(value), level + 1);
                    }
                    Val::Variant(variant)
                }
                Val::Tagged(mut tagged) => {
                    let inner = Arc::make_mut(&mut tagged);
                    inner.value = at(std::mem::take(&mut inner.value), level + 1);
                    Val::Tagged(tagged)
                }
                other => other,
            }
        }
        at(self, 0)
    }

    /// Returns the kind that filters see.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Val::Null => Kind::Null,
            Val::Bool(_) => Kind::Bool,
            Val::Int(_) | Val::UInt(_) | Val::F64(_) | Val::Exact(_) => Kind::Number,
            Val::Text(_) | Val::Bytes(_) | Val::Octets(_) | Val::Time(_) => Kind::String,
            Val::List(_) => Kind::Array,
            Val::Object(_) => Kind::Object,
            Val::Variant(variant) => {
                if variant.values.is_empty() {
                    Kind::String
                } else {
                    Kind::Object
                }
            }
            Val::Tagged(tagged) => tagged.value.kind(),
        }
    }

    /// Returns the value that filters compute with, where it is another one: what a tag marks, the
    /// JSON form of a sum type's case.
    pub(crate) fn plain(self) -> Val {
        let mut value = self;
        loop {
            value = match value {
                Val::Tagged(tagged) => match Arc::try_unwrap(tagged) {
                    Ok(mut tagged) => std::mem::take(&mut tagged.value),
                    Err(tagged) => tagged.value.clone(),
                },
                Val::Variant(variant) => {
                    let values = match variant.values.as_slice() {
                        [] => return variant.name.clone(),
                        [one] => one.clone(),
                        many => Val::list(many.to_vec()),
                    };
                    return Val::object([(variant.name.clone(), values)]);
                }
                other => return other,
            };
        }
    }

    /// Returns whether filters see the value as it is.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self, Val::Tagged(_) | Val::Variant(_))
    }

    /// Returns the number, if the value is one.
    pub(crate) fn num(&self) -> Option<Num> {
        Some(match self {
            Val::Int(value) => Num::Int(*value),
            Val::F64(value) => Num::Float(*value),
            Val::UInt(value) => Num::Big((*value).into()),
            Val::Exact(exact) => exact.num(),
            Val::Tagged(tagged) => return tagged.value.num(),
            _ => return None,
        })
    }

    /// Returns the bytes of a text, of octets or of binary data, and of a time's text.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        Some(match self {
            Val::Text(text) => text.as_str().as_bytes(),
            Val::Bytes(bytes) | Val::Octets(bytes) => bytes,
            Val::Time(moment) => moment.text().as_bytes(),
            Val::Variant(variant) if variant.values.is_empty() => return variant.name.bytes(),
            Val::Tagged(tagged) => return tagged.value.bytes(),
            _ => return None,
        })
    }

    /// Returns the text of a value that is one. Octets that are UTF-8 are text too.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Val::Text(text) => Some(text.as_str()),
            Val::Time(moment) => Some(moment.text()),
            Val::Octets(bytes) => std::str::from_utf8(bytes).ok(),
            Val::Variant(variant) if variant.values.is_empty() => variant.name.as_str(),
            Val::Tagged(tagged) => tagged.value.as_str(),
            _ => None,
        }
    }

    /// Returns false for null and false, true for every other value.
    #[inline]
    pub fn is_true(&self) -> bool {
        match self {
            Val::Null | Val::Bool(false) => false,
            Val::Tagged(tagged) => tagged.value.is_true(),
            _ => true,
        }
    }

    pub(crate) fn is_container(&self) -> bool {
        matches!(self, Val::List(_) | Val::Object(_) | Val::Variant(_) | Val::Tagged(_))
    }
}
