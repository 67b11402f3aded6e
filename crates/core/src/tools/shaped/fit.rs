//! Values without parts: those that a type of the schema has, and their form by the declarations.

use super::forms::Forms;
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::schema::{Type, Width};
use crate::value::lexical::{Lexical, classify};
use crate::value::{DeclaredFloat, Item, View, put_any};
use crate::walk::{Losses, Scalar, Sink, Span, Str, Timestamp};

/// Type of values without parts.
#[derive(Debug)]
pub(super) enum Fit {
    Null,
    Bool,
    /// Numbers of 64 bits with a sign.
    Int,
    /// Numbers up to this one.
    UInt(u64),
    /// Numbers of 64 bits without a sign, whose bits are those of a number with one.
    Unsigned,
    Integer,
    /// A string that is the text of a whole number.
    Digits,
    /// A float that is a binary32.
    F32,
    F64,
    /// A float whose whole numbers are integers.
    Number,
    /// A string that is the text of a number of any kind.
    Decimal,
    Text,
    /// A string of octets that is text if it is UTF-8.
    Octets,
    Bytes,
    Time,
    /// A string that is the text of a moment.
    Moment,
    Enumerator(Box<[Box<str>]>),
    /// A string of octets that holds a value of any type.
    Any,
}

impl Fit {
    pub fn of(ty: &Type, forms: Forms) -> Option<Fit> {
        Some(match ty {
            Type::Null => Fit::Null,
            Type::Bool => Fit::Bool,
            Type::Int(_) => Fit::Int,
            Type::UInt(Width::W64) if !forms.unsigned => Fit::Unsigned,
            Type::UInt(Width::W64) => Fit::UInt(u64::MAX),
            Type::UInt(width) => Fit::UInt((1 << width.bits()) - 1),
            Type::Integer(_) if !forms.big => Fit::Digits,
            Type::Integer(_) => Fit::Integer,
            Type::F32 => Fit::F32,
            Type::F64 => Fit::F64,
            Type::Number => Fit::Number,
            Type::Decimal => Fit::Decimal,
            Type::Text(_) => Fit::Text,
            Type::Octets(_) => Fit::Octets,
            Type::Bytes(_) => Fit::Bytes,
            Type::Timestamp(_) if !forms.moments => Fit::Moment,
            Type::Timestamp(_) => Fit::Time,
            Type::Any => Fit::Any,
            _ => return None,
        })
    }

    /// Returns whether the declared type has the same values.
    pub fn is_plain(&self, forms: Forms) -> bool {
        match self {
            Fit::Null => forms.null,
            Fit::Unsigned | Fit::Digits | Fit::F32 | Fit::Number | Fit::Decimal | Fit::Octets | Fit::Moment | Fit::Any => false,
            _ => true,
        }
    }

    /// Returns whether a value is one of the type.
    pub fn fits(&self, item: Item<'_, '_>) -> bool {
        let View::Scalar(scalar) = item.view() else { return matches!(self, Fit::Any) };
        match self {
            Fit::Any => true,
            Fit::Null => matches!(scalar, Scalar::Null),
            Fit::Bool => matches!(scalar, Scalar::Bool(_)),
            Fit::Int => matches!(scalar, Scalar::Int(..) | Scalar::UInt(0..=0x7fff_ffff_ffff_ffff, _)),
            Fit::UInt(most) => matches!(scalar, Scalar::UInt(number, _) if number <= *most),
            Fit::Unsigned => matches!(scalar, Scalar::UInt(..)),
            Fit::Integer | Fit::Digits => matches!(scalar, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)),
            Fit::F32 => matches!(scalar, Scalar::F32(..)),
            Fit::F64 => matches!(scalar, Scalar::F64(..) | Scalar::F32(..) | Scalar::Decimal(..)),
            Fit::Number => match scalar {
                Scalar::F64(..) | Scalar::F32(..) | Scalar::Decimal(..) => true,
                // An integer that a float changes would come back as another.
                Scalar::Int(number, _) => Scalar::number(number as f64) == scalar,
                Scalar::UInt(number, _) => Scalar::number(number as f64) == scalar,
                _ => false,
            },
            Fit::Decimal => matches!(scalar, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..) | Scalar::Decimal(..) | Scalar::F64(..)),
            Fit::Text => matches!(scalar, Scalar::Text(_)),
            Fit::Octets => matches!(scalar, Scalar::Text(_) | Scalar::Octets(_)),
            Fit::Bytes => matches!(scalar, Scalar::Bytes(_)),
            Fit::Time | Fit::Moment => matches!(scalar, Scalar::Time(_)),
            Fit::Enumerator(names) => matches!(scalar, Scalar::Text(name) if names.iter().any(|known| **known == *name.get())),
        }
    }

    /// Hands a value to the writer by the declarations.
    ///
    /// # Errors
    /// The value is none of the type, or those of the sink.
    pub fn lower(&self, item: Item<'_, 'static>, sink: &mut dyn Sink<'static>, losses: &mut Losses) -> Result<()> {
        if !self.fits(item) {
            return Err(misfit(item));
        }
        let at = item.opening();
        let scalar = match item.view() {
            View::Scalar(scalar) if !matches!(self, Fit::Any) => scalar,
            _ => {
                let mut bytes = Vec::new();
                put_any(item, &mut bytes);
                return sink.scalar(Scalar::Bytes(Str::Scratch(&bytes)), at);
            }
        };
        match (self, scalar) {
            // A decimal number whose type is a float is rounded, as in other formats.
            (Fit::F64 | Fit::Number, Scalar::Decimal(..)) => {
                let number = DeclaredFloat::new(&scalar).ok_or_else(|| misfit(item))?;
                number.report(losses, at);
                sink.scalar(Scalar::f64(number.value()), at)
            }
            (Fit::Number, _) => {
                losses.whole(&scalar, at);
                item.emit(sink)
            }
            (Fit::Decimal, Scalar::F64(value, _)) if !value.is_finite() => Err(misfit(item)),
            (Fit::Unsigned, Scalar::UInt(number, _)) => sink.scalar(Scalar::int(number.cast_signed()), at),
            (Fit::Moment, Scalar::Time(moment)) => sink.scalar(Scalar::Text(Str::Scratch(&moment.to_string())), at),
            (Fit::Decimal | Fit::Digits, _) => sink.scalar(Scalar::Text(Str::Scratch(&digits(&scalar))), at),
            (Fit::Octets, Scalar::Text(text)) => sink.scalar(Scalar::Bytes(Str::Scratch(text.get().as_bytes())), at),
            (Fit::Octets, Scalar::Octets(octets)) => {
                if crate::bytes::utf8(octets.get()).is_some() {
                    losses.value("octets became a string, which reads as text", at);
                }
                sink.scalar(Scalar::Bytes(Str::Scratch(octets.get())), at)
            }
            _ => item.emit(sink),
        }
    }

    /// Hands a declared value to the sink of a message. [`Fit::Any`] is read elsewhere.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn raise<'m>(&self, scalar: Scalar<'m, '_>, at: Span, sink: &mut dyn Sink<'m>) -> Result<()> {
        let scalar = match (self, scalar) {
            (Fit::F32, Scalar::F64(value, _)) => Scalar::f32(value as f32),
            (Fit::Number, Scalar::F64(value, _)) => Scalar::number(value),
            (Fit::Unsigned, Scalar::Int(number, _)) => Scalar::uint(number.cast_unsigned()),
            (Fit::Moment, Scalar::Text(text)) => Timestamp::from_rfc3339(text.get()).map_or(scalar, Scalar::Time),
            (Fit::Decimal | Fit::Digits, Scalar::Text(text)) => match classify(text.get()) {
                Lexical::Int(value) => Scalar::int(value),
                Lexical::UInt(value) => Scalar::uint(value),
                Lexical::F64(value) => Scalar::f64(value),
                Lexical::Big => Scalar::big(text),
                Lexical::Decimal => Scalar::decimal(text),
                Lexical::Bool(_) | Lexical::Text => scalar,
            },
            (Fit::Octets, Scalar::Bytes(bytes)) => utf8(bytes).map_or(Scalar::Octets(bytes), Scalar::Text),
            _ => scalar,
        };
        sink.scalar(scalar, at)
    }
}

/// Returns the text of a number, from which [`classify`] makes the same number.
fn digits(scalar: &Scalar<'_, '_>) -> String {
    match *scalar {
        Scalar::Int(value, _) => value.to_string(),
        Scalar::UInt(value, _) => value.to_string(),
        Scalar::Big(text, _) | Scalar::Decimal(text, _) => text.get().to_string(),
        // The exponent keeps a whole number a float.
        Scalar::F64(value, _) => format!("{value:?}"),
        _ => String::new(),
    }
}

/// Returns a string of octets as UTF-8.
fn utf8<'m, 's>(octets: Str<'m, 's, [u8]>) -> Option<Str<'m, 's, str>> {
    match octets {
        Str::Input(octets) => crate::bytes::utf8(octets).map(Str::Input),
        Str::Scratch(octets) => crate::bytes::utf8(octets).map(Str::Scratch),
    }
}

/// Makes the error of a value that the schema does not have at its place.
#[cold]
pub(super) fn misfit(item: Item<'_, 'static>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(match item.view() {
            View::Scalar(scalar) => scalar.kind(),
            View::Open(open) => open.kind(),
        })
        .expected("a value of the type of its samples")
        .hint("the value does not fit the type that the schema gives it")
        .at(item.opening().start)
}
