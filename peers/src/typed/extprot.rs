//! Our extprot: generated code, owning and borrowing; the check that makes nothing; and the walk.

#[allow(clippy::all, dead_code, missing_docs)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/published.rs"));
}

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;

pub use code::{Complex, Flat};
use code::{ComplexRef, FlatRef, SumIntStringLong};
use polywire_compare::harness::Subject;
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::Count;
use polywire_core::value::Tree;
use polywire_core::{Budget, Error, Limits, Result, Writer};
use polywire_extprot::error::SizeLimits;
use polywire_extprot::plan::Plan;
use polywire_extprot::validate;
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter};
use polywire_extprot_runtime::{Arena, Buffer, Decode, DecodeOwned, Encode, Extprot as Encoding, Limits as Sizes, Validate};
use prost::Message;

use super::model::{self, Case, Is};
use super::{Codec, Messages};
use crate::failed::failed;
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

const PROTOCOL: &[u8] = include_bytes!("../../proto/published.extprot");

/// A message of the protocol, and the same of Protobuf.
pub trait Type: DecodeOwned<Encoding> + Encode<Encoding> + Validate<Encoding> + 'static {
    /// What borrows.
    type Ref<'a>: Decode<'a, Encoding> + Encode<Encoding> + 'a;
    type Model: Message + Default;
    /// In the protocol.
    const NAME: &'static str;
    fn of(model: Self::Model) -> Self;
    fn model(self) -> Result<Self::Model>;
    fn owned(borrowed: Self::Ref<'_>) -> Self;
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(failed)
}

impl Type for Complex {
    type Ref<'a> = ComplexRef<'a>;
    type Model = model::Complex;
    const NAME: &'static str = "complex";

    fn of(model: model::Complex) -> Complex {
        let sum = |sum: model::Sum| match sum.is {
            Some(Is::Int(number)) => SumIntStringLong::A(number),
            Some(Is::Text(text)) => SumIntStringLong::B(text.into_bytes()),
            Some(Is::Long(number)) => SumIntStringLong::C(number),
            _ => SumIntStringLong::D,
        };
        match model.is {
            Some(Case::B(b)) => {
                let b2 = b.b2.unwrap_or_default();
                Complex::B { b1: b.b1, b2: (b2.text.into_bytes(), b2.numbers) }
            }
            Some(Case::A(a)) => Complex::A {
                a1: a.a1.into_iter().map(|flags| (flags.number, flags.flags)).collect(),
                a2: a.a2.into_iter().map(sum).collect(),
            },
            None => Complex::default(),
        }
    }

    fn model(self) -> Result<model::Complex> {
        let sum = |sum| {
            let is = match sum {
                SumIntStringLong::A(number) => Is::Int(number),
                SumIntStringLong::B(bytes) => Is::Text(text(bytes)?),
                SumIntStringLong::C(number) => Is::Long(number),
                SumIntStringLong::D => Is::Nothing(true),
            };
            Ok(model::Sum { is: Some(is) })
        };
        let case = match self {
            Complex::A { a1, a2 } => Case::A(model::A {
                a1: a1.into_iter().map(|(number, flags)| model::Flags { number, flags }).collect(),
                a2: a2.into_iter().map(sum).collect::<Result<_>>()?,
            }),
            Complex::B { b1, b2: (bytes, numbers) } => Case::B(model::B { b1, b2: Some(model::Numbers { text: text(bytes)?, numbers }) }),
        };
        Ok(model::Complex { is: Some(case) })
    }

    fn owned(borrowed: ComplexRef<'_>) -> Complex {
        borrowed.into_owned()
    }
}

impl Type for Flat {
    type Ref<'a> = FlatRef<'a>;
    type Model = model::Flat;
    const NAME: &'static str = "flat";

    fn of(model: model::Flat) -> Flat {
        let model::Flat { id, count, good, name, place, price, time, late } = model;
        Flat { id, count, good, name: name.into_bytes(), place: place.into_bytes(), price, time, late }
    }

    fn model(self) -> Result<model::Flat> {
        let Flat { id, count, good, name, place, price, time, late } = self;
        Ok(model::Flat { id, count, good, name: text(name)?, place: text(place)?, price, time, late })
    }

    fn owned(borrowed: FlatRef<'_>) -> Flat {
        borrowed.into_owned()
    }
}

/// Generated code: owned values.
pub struct Extprot<T>(PhantomData<T>);

impl<T: Type> Codec for Extprot<T> {
    type Decoded<'b> = T;
    type Value = T;

    fn decode(bytes: &[u8]) -> Result<T> {
        T::decode_owned(bytes).map_err(failed)
    }

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<()> {
        value.encode(out);
        Ok(())
    }

    fn to_protobuf(decoded: &T) -> Result<Vec<u8>> {
        let copy = T::decode_owned(&decoded.to_bytes()).map_err(failed)?;
        Ok(copy.model()?.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<T> {
        <T::Model as Message>::decode(bytes).map(T::of).map_err(failed)
    }

    fn value(message: &[u8], _: &[u8]) -> Result<T> {
        Self::decode(message)
    }
}

/// Generated code: values that borrow from the message, and from an arena that is reset for each.
struct Borrowed<'a, T> {
    messages: Messages,
    arena: Arena,
    input: &'a Input,
    of: PhantomData<T>,
}

impl<T: Type> Subject for Borrowed<'_, T> {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            self.arena.reset();
            black_box(<T::Ref<'_> as Decode<'_, Encoding>>::decode(black_box(message), &self.arena).map_err(failed)?);
        }
        Ok(())
    }
}

impl<'a, T: Type> Peer<'a> for Borrowed<'a, T> {
    fn check(&mut self) -> Result<u64> {
        for (message, expected) in self.messages.each().zip(self.input.each()) {
            self.arena.reset();
            let value = T::owned(<T::Ref<'_> as Decode<'_, Encoding>>::decode(message, &self.arena).map_err(failed)?);
            if value.model()?.encode_to_vec() != expected {
                return Err(Error::internal("extprot: another message was decoded"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// Generated code: values that are written, each to the same memory.
struct Written<'a, T, V> {
    values: Vec<V>,
    to: Place,
    /// Bytes of all messages, which the check counts.
    size: Option<usize>,
    input: &'a Input,
    of: PhantomData<T>,
}

/// Where a message is when it is written.
enum Place {
    /// Moved to the start of a vector.
    Vector(Vec<u8>),
    /// Where it was written: at the end of a buffer.
    Buffer(Buffer),
}

impl Place {
    #[inline(always)]
    fn write(&mut self, value: &impl Encode<Encoding>) -> &[u8] {
        match self {
            Place::Vector(out) => {
                out.clear();
                value.encode(out);
                out
            }
            Place::Buffer(buffer) => value.encode_in(buffer),
        }
    }
}

impl<T, V: Encode<Encoding>> Subject for Written<'_, T, V> {
    fn pass(&mut self) -> Result<()> {
        for value in &self.values {
            black_box(self.to.write(black_box(value)));
        }
        Ok(())
    }
}

impl<'a, T: Type, V: Encode<Encoding> + 'a> Peer<'a> for Written<'a, T, V> {
    fn check(&mut self) -> Result<u64> {
        let mut size = 0;
        for (value, expected) in self.values.iter().zip(self.input.each()) {
            let message = self.to.write(value);
            size += message.len();
            if T::decode_owned(message).map_err(failed)?.model()?.encode_to_vec() != expected {
                return Err(Error::internal("extprot: another message was encoded"));
            }
        }
        self.size = Some(size);
        Ok(self.values.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        self.size
    }
}

/// Values in one arena. Their messages and the arena live as long as the program.
fn lent<T: Type>(input: &Input) -> Result<Vec<T::Ref<'static>>> {
    let messages: &'static Messages = Box::leak(Box::new(Messages::of::<Extprot<T>>(input)?));
    let arena: &'static Arena = Box::leak(Box::default());
    let mut values = Vec::with_capacity(messages.places.len());
    for message in messages.each() {
        values.push(<T::Ref<'static> as Decode<'static, Encoding>>::decode(message, arena).map_err(failed)?);
    }
    Ok(values)
}

/// Values that own what they have, encoded in place.
pub fn owned_in_place<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Encode {
        return Ok(None);
    }
    let messages = Messages::of::<Extprot<T>>(input)?;
    let mut values = Vec::with_capacity(messages.places.len());
    for message in messages.each() {
        values.push(T::decode_owned(message).map_err(failed)?);
    }
    Ok(Some(Box::new(Written::<T, T> { values, to: Place::Buffer(Buffer::new()), size: None, input, of: PhantomData })))
}

/// Values in an arena, encoded in place.
pub fn borrowed_in_place<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Encode {
        return Ok(None);
    }
    let values = lent::<T>(input)?;
    Ok(Some(Box::new(Written::<T, T::Ref<'static>> { values, to: Place::Buffer(Buffer::new()), size: None, input, of: PhantomData })))
}

/// The message decoded, borrowing, or encoded of what borrows.
pub fn borrowed<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    match work {
        Work::Decode => {}
        Work::Encode => {
            let values = lent::<T>(input)?;
            return Ok(Some(Box::new(Written::<T, T::Ref<'static>> {
                values,
                to: Place::Vector(Vec::new()),
                size: None,
                input,
                of: PhantomData,
            })));
        }
        _ => return Ok(None),
    }
    Ok(Some(Box::new(Borrowed::<T> { messages: Messages::of::<Extprot<T>>(input)?, arena: Arena::new(), input, of: PhantomData })))
}

/// How messages are held against their type.
enum Check {
    Generated(fn(&[u8]) -> Result<usize>),
    Planned(Arc<Plan>),
}

/// Nothing is made of the messages.
struct Checked {
    messages: Messages,
    check: Check,
}

impl Subject for Checked {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            let end = match &self.check {
                Check::Generated(check) => check(black_box(message))?,
                Check::Planned(plan) => validate::validate(plan, black_box(message), &SizeLimits::NONE).map_err(wrong)?,
            };
            if end != message.len() {
                return Err(Error::internal("extprot: the message ends elsewhere"));
            }
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Checked {
    fn check(&mut self) -> Result<u64> {
        self.pass()?;
        // Of a message that is cut, each check says so.
        for message in self.messages.each() {
            let cut = &message[..message.len() - 1];
            let refused = match &self.check {
                Check::Generated(check) => check(cut).is_err(),
                Check::Planned(plan) => validate::validate(plan, cut, &SizeLimits::NONE).is_err(),
            };
            if !refused {
                return Err(Error::internal("extprot: a message that is cut was taken for whole"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

fn wrong(failure: impl std::fmt::Debug) -> Error {
    Error::internal(format!("extprot: {failure:?}"))
}

fn plan<T: Type>() -> Result<Arc<Plan>> {
    let protocol = polywire_extprot::protocol::compile("published.extprot", PROTOCOL, &mut NoFiles).map_err(failed)?;
    Ok(Arc::new(Plan::new(&protocol, Some(T::NAME))?))
}

/// The message checked by generated code.
pub fn generated_check<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    let check = Check::Generated(|bytes| T::validate_limited(bytes, &Sizes::NONE).map_err(failed));
    Ok(Some(Box::new(Checked { messages: Messages::of::<Extprot<T>>(input)?, check })))
}

/// The message checked by a plan that was made of the protocol at run time.
pub fn planned_check<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    Ok(Some(Box::new(Checked { messages: Messages::of::<Extprot<T>>(input)?, check: Check::Planned(plan::<T>()?) })))
}

/// Every value is told to a sink that counts.
struct Walk {
    messages: Messages,
    plan: Arc<Plan>,
    reader: ExtprotReader,
    budget: Budget,
}

impl Subject for Walk {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            self.budget.reset();
            let mut count = Count::default();
            self.reader.walk_into(black_box(message), 0, &mut count, &mut self.budget).map_err(wrong)?;
            black_box(count);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Walk {
    fn check(&mut self) -> Result<u64> {
        for message in self.messages.each() {
            self.budget.reset();
            let mut tree = Tree::new();
            self.reader.walk_into(message, 0, &mut tree, &mut self.budget).map_err(wrong)?;
            let mut writer = ExtprotWriter::new(self.plan.clone())?;
            tree.emit(&mut writer)?;
            let mut written = Vec::new();
            writer.finish(&mut written)?;
            if written != message {
                return Err(Error::internal("extprot: the walk told another message"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// The message walked.
pub fn walk<T: Type>(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    let plan = plan::<T>()?;
    let reader = ExtprotReader::new(plan.clone());
    Ok(Some(Box::new(Walk { messages: Messages::of::<Extprot<T>>(input)?, plan, reader, budget: Budget::new(&Limits::DEFAULT) })))
}
