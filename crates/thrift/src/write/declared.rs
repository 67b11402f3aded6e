//! Values where a schema declares their type.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polywire_core::value::ROUNDED;
use polywire_core::{Budget, Error, Field, Limits, Next, Note, Open, Part, Reader, Result, Scalar, Sink, Span};

use super::{Level, Naming, Struct, ThriftWriter, mismatch, top, unsupported};
use crate::kind::Kind;
use crate::plan::{Shape, TypeId};
use crate::read::ThriftReader;
use crate::uuid;
use crate::wire::envelope::{self, BODY};
use crate::wire::{Binary, Protocol};

impl<P: Protocol> ThriftWriter<P> {
    /// Returns the type that the next value has by the schema.
    pub(super) fn expected(&mut self) -> Shape {
        let Some(plan) = &self.plan else { return Shape::Any };
        let ty = match top(&mut self.levels) {
            None => plan.root,
            Some(Level::Struct(fields)) => fields.pending.map_or(TypeId::ANY, |(_, ty)| ty),
            Some(Level::Union { pending, .. }) => pending.map_or(TypeId::ANY, |(_, ty)| ty),
            Some(Level::List { ty, .. }) => *ty,
            Some(Level::Map { types, count, .. }) => {
                if count.is_multiple_of(2) {
                    types.0
                } else {
                    types.1
                }
            }
            Some(Level::Message(message)) if message.expected == BODY => {
                message.name.as_ref().map_or(TypeId::ANY, |name| plan.body(message.kind, name))
            }
            Some(_) => TypeId::ANY,
        };
        plan.shape(ty)
    }

    /// Returns the type on the wire of a type of the schema.
    pub(super) fn kind(&self, ty: TypeId) -> Option<Kind> {
        self.plan.as_ref().and_then(|plan| plan.kind(ty))
    }

    /// Returns the error of a value of another type than the schema's.
    pub(super) fn other(&self, shape: Shape, seen: &str) -> Error {
        let expected = match (shape, &self.plan) {
            (Shape::Enum(of), Some(plan)) => format!("a name of the enum `{}`", plan.enums[of as usize].name),
            (Shape::Struct(of), Some(plan)) => format!("`{}`, a record", plan.structs[of as usize].name),
            (Shape::Int(kind), _) => format!("an {}", kind.name()),
            (Shape::Bool, _) => "a bool".into(),
            (Shape::Double, _) => "a number".into(),
            (Shape::Text, _) => "a string".into(),
            (Shape::Bytes, _) => "bytes, or their base64".into(),
            (Shape::Uuid, _) => "a uuid, as 36 characters".into(),
            (Shape::List(_) | Shape::Set(_), _) => "a list".into(),
            _ => "a map".into(),
        };
        mismatch(seen).expected(expected)
    }

    pub(super) fn open_map(&mut self, types: (TypeId, TypeId)) -> Result<()> {
        self.begin(Kind::Map, None)?;
        let (key, value) = (self.kind(types.0), self.kind(types.1));
        let mark = self.out.open();
        self.levels.push(Level::Map { mark, key, value, count: 0, types });
        Ok(())
    }

    /// Opens a record or tuple as a struct, or a record as a union.
    pub(super) fn open_struct(&mut self, open: Open<'_>, shape: Shape, at: Span) -> Result<()> {
        let of = if let Shape::Struct(of) = shape { Some(of) } else { None };
        let tuple = matches!(open, Open::Tuple(_));
        match open {
            Open::Record { name, .. } if !name.is_empty() && of.is_none() => self.losses.value("record name dropped", at),
            Open::Tuple(_) if of.is_some() => return Err(self.other(shape, "a tuple")),
            Open::Tuple(_) => self.losses.value("tuple became a struct", at),
            _ => {}
        }
        self.begin(Kind::Struct, None)?;
        let union = self.plan.as_ref().zip(of).is_some_and(|(plan, of)| plan.structs[of as usize].union);
        self.levels.push(match of {
            Some(of) if union => Level::Union { of, pending: None, filled: false },
            _ => {
                let naming = if tuple { Naming::Counted(0) } else { Naming::Unknown };
                Level::Struct(Struct { naming, of, ..Struct::default() })
            }
        });
        Ok(())
    }

    /// Opens a case: a union's field, a name of an enum, or the type of a message.
    pub(super) fn variant(&mut self, name: &str, index: u32, shape: Shape) -> Result<Next> {
        // The type of a message stands around what the schema says.
        if let Some(kind) = envelope::of_name(name)
            && top(&mut self.levels).is_none()
            && !self.begun
        {
            self.begun = true;
            self.levels.push(Level::Case { kind, filled: false });
            return Ok(Next::Enter);
        }
        let plan = self.plan.clone();
        match (shape, &plan) {
            (Shape::Struct(of), Some(plan)) if plan.structs[of as usize].union => {
                let union = &plan.structs[of as usize];
                let named = union.of_name(name).or_else(|| union.fields.get(index as usize).filter(|_| name.is_empty()));
                let Some(field) = named else {
                    return Err(mismatch(format!("the case `{name}` of the union `{}`", union.name)).expected("a field of the schema"));
                };
                self.begin(Kind::Struct, None)?;
                self.levels.push(Level::Union { of, pending: Some((field.id, field.ty)), filled: false });
                Ok(Next::Enter)
            }
            (Shape::Enum(of), Some(plan)) => {
                let number = plan.enums[of as usize].number_of(name).ok_or_else(|| self.other(shape, &format!("`{name}`")))?;
                self.put(Kind::I32, i64::from(number))?;
                self.levels.push(Level::Name);
                Ok(Next::Enter)
            }
            (Shape::Any, _) => Err(unsupported(format!("the case `{name}` of a sum type"))
                .expected("a value that needs no schema, or the type of a message: call, reply, exception, oneway")),
            _ => Err(self.other(shape, &format!("the case `{name}`"))),
        }
    }

    pub(super) fn put(&mut self, kind: Kind, value: i64) -> Result<()> {
        self.begin(kind, None)?;
        P::put_int(&mut self.out, kind, value);
        Ok(())
    }

    /// Writes a scalar where the schema declares a type.
    pub(super) fn declared(&mut self, shape: Shape, value: Scalar<'_, '_>, at: Span) -> Result<()> {
        if value == Scalar::Null {
            return self.null(at);
        }
        let number = whole(value);
        match (shape, value) {
            (Shape::Bool, Scalar::Bool(truth)) => {
                if !self.begin(Kind::Bool, Some(truth))? {
                    P::put_truth(&mut self.out, truth);
                }
                Ok(())
            }
            (Shape::Bool, Scalar::Text(text)) if matches!(text.get(), "true" | "false") => {
                self.declared(shape, Scalar::Bool(text.get() == "true"), at)
            }
            (Shape::Int(kind), _) => {
                let bits = kind.bits().unwrap_or(64);
                match number {
                    Some(value) if bits == 64 || value >> (bits - 1) == value >> 63 => self.put(kind, value),
                    Some(value) => Err(self.other(shape, &value.to_string())),
                    None => Err(self.other(shape, value.kind())),
                }
            }
            (Shape::Enum(of), Scalar::Text(text)) if number.is_none() => {
                let known = self.plan.as_ref().and_then(|plan| plan.enums[of as usize].number_of(text.get()));
                let known = known.ok_or_else(|| self.other(shape, &format!("`{}`", text.get())))?;
                self.put(Kind::I32, i64::from(known))
            }
            (Shape::Enum(_), _) => match number.and_then(|number| i32::try_from(number).ok()) {
                Some(number) => self.put(Kind::I32, i64::from(number)),
                None => Err(self.other(shape, value.kind())),
            },
            (Shape::Double, Scalar::F64(value, _)) => self.double(value),
            (Shape::Double, Scalar::F32(value, _)) => self.double(f64::from(value)),
            (Shape::Double, Scalar::Text(text)) => match text.get().parse() {
                Ok(value) => self.double(value),
                Err(_) => Err(self.other(shape, "text")),
            },
            (Shape::Double, Scalar::Decimal(digits, _) | Scalar::Big(digits, _)) => {
                self.losses.rounded(ROUNDED, at);
                self.double(digits.get().parse().unwrap_or(f64::NAN))
            }
            (Shape::Double, _) => match number {
                Some(number) => {
                    if i128::from(number) != number as f64 as i128 {
                        self.losses.rounded(ROUNDED, at);
                    }
                    self.double(number as f64)
                }
                None => Err(self.other(shape, value.kind())),
            },
            (Shape::Text, Scalar::Text(text)) => self.binary(text.get().as_bytes()),
            (Shape::Text | Shape::Bytes, Scalar::Octets(bytes)) | (Shape::Bytes, Scalar::Bytes(bytes)) => self.binary(bytes.get()),
            (Shape::Text, Scalar::Bytes(bytes)) => {
                self.losses.value("bytes became a string", at);
                self.binary(bytes.get())
            }
            (Shape::Text, Scalar::Time(moment)) => {
                self.losses.value("timestamp became text", at);
                self.binary(moment.to_string().as_bytes())
            }
            (Shape::Text, Scalar::Big(digits, _) | Scalar::Decimal(digits, _)) => {
                self.losses.value("number became text", at);
                self.binary(digits.get().as_bytes())
            }
            (Shape::Bytes, Scalar::Text(text)) => match STANDARD.decode(text.get()) {
                Ok(bytes) => self.binary(&bytes),
                Err(_) => Err(self.other(shape, "text that is no base64")),
            },
            (Shape::Uuid, Scalar::Text(text)) => match uuid::parse(text.get()) {
                Some(bytes) => {
                    self.begin(Kind::Uuid, None)?;
                    self.out.put(&bytes);
                    Ok(())
                }
                None => Err(self.other(shape, "other text")),
            },
            (Shape::Uuid, Scalar::Bytes(bytes)) if bytes.get().len() == 16 => {
                self.begin(Kind::Uuid, None)?;
                self.out.put(bytes.get());
                Ok(())
            }
            _ => Err(self.other(shape, value.kind())),
        }
    }

    pub(super) fn binary(&mut self, bytes: &[u8]) -> Result<()> {
        self.begin(Kind::String, None)?;
        self.string(bytes)
    }

    /// Writes a field that the schema lacks, in the form that the binary protocol gives it.
    pub(super) fn foreign(&mut self, field: &[u8], at: Span) -> Result<()> {
        let between = match self.levels.last() {
            Some(Level::Struct(fields)) => fields.pending.is_none(),
            Some(Level::Union { pending, filled, .. }) => pending.is_none() && !filled,
            _ => false,
        };
        if !between || self.foreign {
            self.losses.note(Note::Unknown(field), at);
            return Ok(());
        }
        let mut whole = field.to_vec();
        whole.push(0);
        self.foreign = true;
        let reader = ThriftReader::<Binary>::default();
        let mut reader = if self.texts { reader.texts() } else { reader };
        let mut inside = Inside { writer: self, depth: 0 };
        let outcome = reader.walk(&whole, 0, &mut inside, &mut Budget::new(&Limits::MAX));
        self.foreign = false;
        outcome
    }
}

/// Hands the fields of a struct on to a writer, without the struct.
struct Inside<'w, P> {
    writer: &'w mut ThriftWriter<P>,
    depth: u32,
}

impl<'m, P: Protocol> Sink<'m> for Inside<'_, P> {
    fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
        self.depth += 1;
        if self.depth == 1 { Ok(Next::Enter) } else { self.writer.open(open, at) }
    }

    fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
        self.writer.field(field, at)
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.writer.scalar(value, at)
    }

    fn part(&mut self, part: Part<'_>, at: Span) -> Result<()> {
        self.writer.part(part, at)
    }

    fn close(&mut self, at: Span) -> Result<()> {
        self.depth -= 1;
        if self.depth == 0 { Ok(()) } else { self.writer.close(at) }
    }

    fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
        self.writer.note(note, at)
    }
}

/// Returns a value as a whole number of 64 bits, if it is one: also a float without a fraction, and
/// digits.
fn whole(value: Scalar<'_, '_>) -> Option<i64> {
    match value {
        Scalar::Int(value, _) => Some(value),
        Scalar::UInt(value, _) => i64::try_from(value).ok(),
        Scalar::F64(value, _) => match Scalar::number(value) {
            Scalar::Int(value, _) => Some(value),
            Scalar::UInt(value, _) => i64::try_from(value).ok(),
            _ => None,
        },
        Scalar::Text(text) => text.get().parse().ok(),
        _ => None,
    }
}
