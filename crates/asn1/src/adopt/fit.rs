//! Values without parts: those that a type of the schema has, and their form in the module.

use polywire_core::schema::{Type, Width};
use polywire_core::value::lexical::{Lexical, classify};
use polywire_core::value::{DeclaredFloat, Item, View, put_any};
use polywire_core::{Error, ErrorKind, Fault, Losses, Result, Scalar, Sink, Span, Str};
use smol_str::SmolStr;

use crate::walk::lower::kind;

/// Type of values without parts.
#[derive(Debug)]
pub(super) enum Fit {
    Null,
    Bool,
    /// Numbers of 64 bits with a sign.
    Int,
    /// Numbers up to this one.
    UInt(u64),
    Integer,
    /// A REAL that is a binary32.
    F32,
    F64,
    /// A REAL whose whole numbers are integers.
    Number,
    /// A string that is the text of a number of any kind.
    Decimal,
    Text,
    /// A string of octets that is text if it is UTF-8.
    Octets,
    Bytes,
    Time,
    Enumerator(Box<[SmolStr]>),
    /// A string of octets that holds a value of any type.
    Any,
}

impl Fit {
    pub fn of(ty: &Type) -> Option<Fit> {
        Some(match ty {
            Type::Null => Fit::Null,
            Type::Bool => Fit::Bool,
            Type::Int(_) => Fit::Int,
            Type::UInt(Width::W64) => Fit::UInt(u64::MAX),
            Type::UInt(width) => Fit::UInt((1 << width.bits()) - 1),
            Type::Integer(_) => Fit::Integer,
            Type::F32 => Fit::F32,
            Type::F64 => Fit::F64,
            Type::Number => Fit::Number,
            Type::Decimal => Fit::Decimal,
            Type::Text(_) => Fit::Text,
            Type::Octets(_) => Fit::Octets,
            Type::Bytes(_) => Fit::Bytes,
            Type::Timestamp(_) => Fit::Time,
            Type::Any => Fit::Any,
            _ => return None,
        })
    }

    /// Returns whether the module has the same values.
    pub fn is_plain(&self) -> bool {
        !matches!(self, Fit::F32 | Fit::Number | Fit::Decimal | Fit::Octets | Fit::Any)
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
            Fit::Integer => matches!(scalar, Scalar::Int(..) | Scalar::UInt(..) | Scalar::Big(..)),
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
            Fit::Time => matches!(scalar, Scalar::Time(_)),
            Fit::Enumerator(names) => matches!(scalar, Scalar::Text(name) if names.iter().any(|known| known == name.get())),
        }
    }

    /// Hands a value to the writer of the module.
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
            (Fit::Decimal, _) => sink.scalar(Scalar::Text(Str::Scratch(&digits(&scalar))), at),
            (Fit::Octets, Scalar::Text(text)) => sink.scalar(Scalar::Bytes(Str::Scratch(text.get().as_bytes())), at),
            (Fit::Octets, Scalar::Octets(octets)) => {
                if polywire_core::bytes::utf8(octets.get()).is_some() {
                    losses.value("octets became a string, which reads as text", at);
                }
                sink.scalar(Scalar::Bytes(Str::Scratch(octets.get())), at)
            }
            _ => item.emit(sink),
        }
    }

    /// Hands a value of the module to the sink of a message. [`Fit::Any`] is read elsewhere.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn raise<'m>(&self, scalar: Scalar<'m, '_>, at: Span, sink: &mut dyn Sink<'m>) -> Result<()> {
        let scalar = match (self, scalar) {
            (Fit::F32, Scalar::F64(value, _)) => Scalar::f32(value as f32),
            (Fit::Number, Scalar::F64(value, _)) => Scalar::number(value),
            (Fit::Decimal, Scalar::Text(text)) => match classify(text.get()) {
                Lexical::Int(value) => Scalar::int(value),
                Lexical::UInt(value) => Scalar::uint(value),
                Lexical::F64(value) => Scalar::f64(value),
                Lexical::Big => Scalar::big(text),
                Lexical::Decimal => Scalar::decimal(text),
                Lexical::Bool(_) | Lexical::Text => scalar,
            },
            (Fit::Octets, Scalar::Bytes(bytes)) => crate::walk::raise::utf8(bytes).map_or(Scalar::Octets(bytes), Scalar::Text),
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

/// Makes the error of a value that the schema does not have at its place.
#[cold]
pub(super) fn misfit(item: Item<'_, 'static>) -> Error {
    Error::new(ErrorKind::Unsupported, Fault::Data)
        .seen(kind(item))
        .expected("a value of the type of its samples")
        .hint("the value does not fit the type that the schema gives it")
        .at(item.opening().start)
}
