//! Scalars to bytes (docs/spec/extprot.md 4.3).

use polywire_core::bytes::zigzag;
use polywire_core::value::{DeclaredFloat, put_any_scalar};
use polywire_core::{Error, ErrorKind, Fault, Result, Scalar, Span};

use super::state::{CHOICE, Write};
use crate::model::Primitive;
use crate::plan::{self, Node, Run, Shape, own};
use crate::wire::WireType;

impl Write<'_> {
    /// Writes a scalar as a value of type `node`.
    #[inline]
    pub(super) fn scalar_of(&mut self, node: u32, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        match *self.plan.node(node) {
            Node { shape: Shape::Primitive(primitive), view: plan::View::Declared, .. } => self.primitive(primitive, scalar, at),
            Node { shape, view, .. } => self.other_scalar(shape, view, scalar, at),
        }
    }

    fn other_scalar(&mut self, shape: Shape, view: plan::View, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let plan = self.plan;
        match (shape, view) {
            (Shape::Primitive(primitive), view) => self.viewed(primitive, view, scalar, at),
            (Shape::Message { cases, .. }, plan::View::Wrapper) => {
                self.inside(WireType::Tuple, 0, plan.slots(&plan.cases[cases.first as usize])[0].node, scalar, at)
            }
            (Shape::List(element), plan::View::Repeated) => self.inside(WireType::Htuple, 0, element, scalar, at),
            (Shape::Nested(inner), _) => {
                let length = self.header(WireType::Bytes, 0);
                self.scalar_of(inner, scalar, at)?;
                self.end(length);
                Ok(())
            }
            (Shape::Sum { constants, cases }, plan::View::Declared) => self.named(constants, cases, scalar, at),
            (Shape::Sum { constants, .. }, plan::View::Named) => match *scalar {
                Scalar::Text(name) => match self.constant(constants, name.get(), None) {
                    Some(number) => {
                        self.s.out.varint(WireType::Enum.prefix(number as u64));
                        Ok(())
                    }
                    None => Err(Write::unknown_case(name.get(), None, at)),
                },
                _ => Err(Write::misfit(scalar.kind(), "a value of the type of its samples", at)),
            },
            (Shape::Sum { constants, cases }, _) => {
                if view == plan::View::Nullable && *scalar == Scalar::Null && constants.len > 0 {
                    self.s.out.varint(WireType::Enum.prefix(0));
                    return Ok(());
                }
                let number = self.chosen(cases, Some(*scalar), None).ok_or_else(|| Write::misfit(scalar.kind(), CHOICE, at))?;
                let argument = plan.slots(&plan.cases[cases.first as usize + number])[0].node;
                self.inside(WireType::Tuple, number as u64, argument, scalar, at)
            }
            (_, view) if view != plan::View::Declared => Err(Write::misfit(scalar.kind(), "a value of the type of its samples", at)),
            (Shape::List(_), _) => Err(Write::misfit(scalar.kind(), "a list", at)),
            (Shape::Tuple(_), _) => Err(Write::misfit(scalar.kind(), "a tuple", at)),
            (Shape::Message { kind: plan::MessageKind::Union, .. }, _) => Err(Write::misfit(scalar.kind(), "a variant", at)),
            (Shape::Message { .. }, _) => Err(Write::misfit(scalar.kind(), "a record", at)),
            (Shape::External | Shape::Deferred(_) | Shape::Marked { .. }, _) => Err(Error::internal("a type without an encoder")),
        }
    }

    /// Writes a composite around a scalar. Recursion is bounded by the depth of types.
    pub(super) fn inside(&mut self, wire: WireType, tag: u64, node: u32, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let length = self.header(wire, tag);
        self.s.out.varint(1);
        self.scalar_of(node, scalar, at)?;
        self.end(length);
        Ok(())
    }

    /// Writes a case of a sum type, given by its name.
    fn named(&mut self, constants: Run, cases: Run, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let Scalar::Text(name) = *scalar else { return Err(Write::misfit(scalar.kind(), "a case of a sum type", at)) };
        if let Some(number) = self.constant(constants, name.get(), None) {
            self.s.out.varint(WireType::Enum.prefix(number as u64));
            return Ok(());
        }
        let number = self.case(cases, name.get(), None).ok_or_else(|| Write::unknown_case(name.get(), None, at))?;
        // All arguments take their defaults.
        let case = cases.first + number as u32;
        self.row(case, WireType::Tuple, number as u64, true, "text", at);
        self.close_row()
    }

    #[inline]
    pub(super) fn string(&mut self, bytes: &[u8]) {
        let code = own(Primitive::String).code();
        match bytes.len() {
            len @ 0..0x80 => self.s.out.put(&[code, len as u8]),
            len => self.s.out.tagged_varint(code, len as u64),
        }
        self.s.out.put(bytes);
    }

    #[inline(always)]
    fn primitive(&mut self, primitive: Primitive, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let code = own(primitive).code();
        match (primitive, *scalar) {
            (Primitive::Bool, Scalar::Bool(value)) => self.s.out.put(&[code, u8::from(value)]),
            (Primitive::Byte, Scalar::UInt(value @ 0..=255, _)) => self.s.out.put(&[code, value as u8]),
            (Primitive::Int, Scalar::UInt(value @ 0..=BEYOND, _)) => {
                self.s.out.tagged_varint(code, value << 1);
            }
            (Primitive::Long, Scalar::UInt(value @ 0..=0x7fff_ffff_ffff_ffff, _)) => self.s.out.tagged(code, value.to_le_bytes()),
            (Primitive::Float, Scalar::F64(value, _)) => self.s.out.tagged(code, value.to_bits().to_le_bytes()),
            (Primitive::String, Scalar::Text(text)) => self.string(text.get().as_bytes()),
            _ => return self.rare(primitive, scalar, at),
        }
        Ok(())
    }

    /// Writes a primitive whose scalar is not of the usual kind.
    fn rare(&mut self, primitive: Primitive, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let code = own(primitive).code();
        match primitive {
            Primitive::Bool => return Err(Write::misfit(scalar.kind(), "bool", at)),
            Primitive::Byte => match *scalar {
                Scalar::Int(..) | Scalar::UInt(..) => return Err(Write::out_of_range(scalar, "a byte, 0 to 255", at)),
                _ => return Err(Write::misfit(scalar.kind(), "byte", at)),
            },
            Primitive::Int => {
                let value = whole(scalar, "int", at)?;
                if value > BEYOND as i64 || value < -(BEYOND as i64) - 1 {
                    self.s.losses.caution("integer beyond the 63 bits that the original's int has", at);
                }
                self.s.out.tagged_varint(code, zigzag(value));
            }
            Primitive::Long => self.s.out.tagged(code, whole(scalar, "long", at)?.to_le_bytes()),
            Primitive::Float => {
                let number = DeclaredFloat::new(scalar).ok_or_else(|| Write::misfit(scalar.kind(), "float", at))?;
                number.report(&mut self.s.losses, at);
                self.s.out.tagged(code, number.value().to_bits().to_le_bytes());
            }
            Primitive::String => {
                let bytes = match *scalar {
                    Scalar::Text(text) => text.get().as_bytes(),
                    Scalar::Octets(bytes) => {
                        if simdutf8::basic::from_utf8(bytes.get()).is_ok() {
                            self.s.losses.value("octets became a string, which reads as text", at);
                        }
                        bytes.get()
                    }
                    Scalar::Bytes(bytes) => {
                        self.s.losses.value("bytes became a string, which reads as text or octets", at);
                        bytes.get()
                    }
                    Scalar::Big(digits, _) | Scalar::Decimal(digits, _) => {
                        self.s.losses.value("number became a string", at);
                        digits.get().as_bytes()
                    }
                    Scalar::Time(moment) => {
                        self.s.losses.value("timestamp became a string", at);
                        self.string(moment.to_string().as_bytes());
                        return Ok(());
                    }
                    _ => return Err(Write::misfit(scalar.kind(), "string", at)),
                };
                self.string(bytes);
            }
        }
        Ok(())
    }

    /// Writes a primitive with a view.
    fn viewed(&mut self, primitive: Primitive, view: plan::View, scalar: &Scalar<'_, '_>, at: Span) -> Result<()> {
        let mut digits = itoa::Buffer::new();
        let mut shortest = ryu::Buffer::new();
        let text = match (view, *scalar) {
            (plan::View::Unsigned, Scalar::UInt(value, _)) => {
                self.s.out.tagged_varint(own(primitive).code(), zigzag(value as i64));
                return Ok(());
            }
            (plan::View::Single, Scalar::F32(..)) => return self.primitive(primitive, scalar, at),
            (plan::View::Any, scalar) => {
                let mut bytes = Vec::new();
                put_any_scalar(scalar, &mut bytes);
                self.string(&bytes);
                return Ok(());
            }
            (plan::View::Whole, _) => {
                self.s.losses.whole(scalar, at);
                return self.primitive(primitive, scalar, at);
            }
            (plan::View::Bytes, Scalar::Bytes(bytes)) => {
                self.string(bytes.get());
                return Ok(());
            }
            (plan::View::Moment, Scalar::Time(moment)) => {
                let text = moment.to_rfc3339();
                let text = text.ok_or_else(|| Write::out_of_range(scalar, "a moment in the years 0 to 9999", at))?;
                self.string(text.as_bytes());
                return Ok(());
            }
            (plan::View::Number, Scalar::Int(value, _)) => digits.format(value),
            (plan::View::Number, Scalar::UInt(value, _)) => digits.format(value),
            (plan::View::Number, Scalar::F64(value, _)) if value.is_finite() => shortest.format_finite(value),
            (plan::View::Number, Scalar::Big(text, _) | Scalar::Decimal(text, _)) => text.get(),
            _ => return Err(Write::misfit(scalar.kind(), "a value of the type of its samples", at)),
        };
        self.string(text.as_bytes());
        Ok(())
    }

    #[cold]
    pub(super) fn misfit(seen: &'static str, expected: &'static str, at: Span) -> Error {
        Error::new(ErrorKind::Unsupported, Fault::Data)
            .seen(seen)
            .expected(expected)
            .hint("the value does not fit the type that the protocol gives it")
            .at(at.start)
    }

    #[cold]
    fn out_of_range(scalar: &Scalar<'_, '_>, expected: &'static str, at: Span) -> Error {
        let seen = match *scalar {
            Scalar::Int(value, _) => value.to_string(),
            Scalar::UInt(value, _) => value.to_string(),
            _ => "a larger number".to_string(),
        };
        Error::new(ErrorKind::Range, Fault::Data).seen(seen).expected(expected).at(at.start)
    }

    #[cold]
    pub(super) fn unknown_case(name: &str, index: Option<u32>, at: Span) -> Error {
        let seen = match index {
            Some(index) if name.is_empty() => format!("case {index}"),
            _ => format!("the case `{name}`"),
        };
        Error::new(ErrorKind::Unsupported, Fault::Data).seen(seen).expected("a case that the protocol has").at(at.start)
    }
}

/// Largest int that the original can hold: its ints have 63 bits (extprot-D5).
const BEYOND: u64 = (1 << 62) - 1;

fn whole(scalar: &Scalar<'_, '_>, name: &'static str, at: Span) -> Result<i64> {
    match *scalar {
        Scalar::Int(value, _) => Ok(value),
        Scalar::UInt(value, _) => i64::try_from(value).map_err(|_| Write::out_of_range(scalar, "a signed number of 64 bits", at)),
        Scalar::Big(..) => Err(Write::out_of_range(scalar, "a signed number of 64 bits", at)),
        _ => Err(Write::misfit(scalar.kind(), name, at)),
    }
}
