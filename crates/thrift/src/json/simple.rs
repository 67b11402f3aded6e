//! The simple JSON protocol: fields by their names, values without types and counts, as
//! `TSimpleJSONProtocol` of Apache's libraries writes it. Only a schema says what they are.

use polywire_core::{Error, ErrorKind, Result};
use polywire_json::scan::Token;

use super::decode::{Decoder, Level};
use crate::kind::Kind;
use crate::plan::{Shape, TypeId};

impl Decoder<'_, '_> {
    /// Reads the method, the type and the sequence number of an envelope.
    pub(super) fn simple_envelope(&mut self) -> Result<()> {
        let from = self.mark();
        self.scan.expect(b'[', "an envelope")?;
        let name = self.string()?;
        self.out.extend_from_slice(&[0x80, 1, 0, 0]);
        self.bytes(name.as_bytes());
        self.part(from);
        self.body(&name)
    }

    /// Goes on with a struct or one of its fields.
    pub(super) fn simple_field(&mut self, of: u32, first: bool) -> Result<()> {
        let Some(plan) = self.plan else { return Err(Error::internal("a struct without a schema")) };
        let from = self.mark();
        if self.scan.eat(b'}') {
            self.out.push(0);
            self.part(from);
            return Ok(());
        }
        if !first {
            self.comma()?;
        }
        let from = self.mark();
        let at = self.here();
        let name = self.string()?;
        let of_plan = &plan.structs[of as usize];
        let found = of_plan.of_name(&name).and_then(|field| Some((field, plan.kind(field.ty)?)));
        let Some((field, kind)) = found else {
            return Err(Error::data(ErrorKind::Mismatch, at)
                .seen(format!("the member {name:?}"))
                .expected(format!("a field of `{}`", of_plan.name)));
        };
        self.scan.expect(b':', "a colon")?;
        self.out.push(kind as u8);
        self.out.extend_from_slice(&field.id.to_be_bytes());
        self.part(from);
        self.push(Level::Simple(of, false))?;
        self.simple_value(kind, field.ty, false)
    }

    /// Goes on with a list or a map, whose count is at a place of the message.
    pub(super) fn simple_item(&mut self, at: usize, count: u32, ty: TypeId) -> Result<()> {
        let Some(plan) = self.plan else { return Err(Error::internal("a list without a schema")) };
        let map = matches!(plan.shape(ty), Shape::Map(..));
        if self.scan.eat(if map { b'}' } else { b']' }) {
            self.out[at..at + 4].copy_from_slice(&count.to_be_bytes());
            return Ok(());
        }
        if count > 0 {
            self.comma()?;
        }
        self.push(Level::Items(at, count + 1, ty))?;
        let kind = |ty| plan.kind(ty).ok_or_else(|| Error::internal("elements without a type"));
        match plan.shape(ty) {
            Shape::Map(key, value) => {
                self.push(Level::SimpleEntry(value))?;
                self.simple_value(kind(key)?, key, true)
            }
            Shape::List(inner) | Shape::Set(inner) => self.simple_value(kind(inner)?, inner, false),
            _ => Err(Error::internal("elements of a scalar")),
        }
    }

    /// Reads a value of a type of the schema.
    pub(super) fn simple_value(&mut self, kind: Kind, ty: TypeId, key: bool) -> Result<()> {
        let Some(plan) = self.plan else { return Err(Error::internal("a value without a schema")) };
        let from = self.mark();
        let at = self.here();
        let code = |ty| plan.kind(ty).map_or(0, |kind| kind as u8);
        match (plan.shape(ty), self.scan.token()?) {
            (Shape::Bool, token @ (Token::True | Token::False)) => {
                self.scan.word(if token == Token::True { "true" } else { "false" })?;
                self.out.push(u8::from(token == Token::True));
                self.part(from);
                Ok(())
            }
            (Shape::Enum(of), Token::String) if !key => {
                let name = self.string()?;
                let of = &plan.enums[of as usize];
                let number = of.number_of(&name).ok_or_else(|| {
                    Error::data(ErrorKind::Mismatch, at).seen(format!("{name:?}")).expected(format!("a name of the enum `{}`", of.name))
                })?;
                self.out.extend_from_slice(&number.to_be_bytes());
                self.part(from);
                Ok(())
            }
            (Shape::Struct(of), _) if !key => {
                self.scan.expect(b'{', "a struct, as an object")?;
                self.push(Level::Simple(of, true))
            }
            (Shape::List(inner) | Shape::Set(inner), _) if !key => {
                self.scan.expect(b'[', "a list, as an array")?;
                self.out.extend_from_slice(&[code(inner), 0, 0, 0, 0]);
                self.part(from);
                self.push(Level::Items(self.out.len() - 4, 0, ty))
            }
            (Shape::Map(of_key, of_value), _) if !key => {
                self.scan.expect(b'{', "a map, as an object")?;
                self.out.extend_from_slice(&[code(of_key), code(of_value), 0, 0, 0, 0]);
                self.part(from);
                self.push(Level::Items(self.out.len() - 4, 0, ty))
            }
            _ => self.value(kind, ty, key),
        }
    }
}
