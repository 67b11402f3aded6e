//! Our USDS: generated code, owning and borrowing; the events, which fill a struct; and the arena document. And the floor: the same fields packed,
//! which nothing checks but where they end.

#[allow(clippy::all, dead_code, missing_docs)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/sales.rs"));
}

use std::hint::black_box;
use std::sync::Arc;

use code::{I, S, SRef};
use polywire_compare::harness::Subject;
use polywire_core::error::{Error, Result};
use polywire_usds::dictionary::Dictionary;
use polywire_usds::dom;
use polywire_usds::events::{self, Encoder, Extent, Handler, MAX_DEPTH, Scalar};
use polywire_usds::plan::Plan;
use polywire_usds_runtime::{Arena, Decode, DecodeOwned, Encode};
use prost::Message;

use super::model::{Sales, Voucher};
use super::{Codec, Messages, failed};
use crate::input::Input;
use crate::peer::{Peer, Prepared, Work};

const DICTIONARY: &[u8] = include_bytes!("../../proto/sales.udic");

fn of_model(sales: Sales) -> S {
    let voucher = |Voucher { n, s, g, t, b }| I { n, s, g, t, b };
    S { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.into_iter().map(voucher).collect() }
}

fn model(sales: S) -> Sales {
    let voucher = |I { n, s, g, t, b }| Voucher { n, s, g, t, b };
    Sales { n: sales.n, m: sales.m, s: sales.s, e: sales.e, v: sales.v.into_iter().map(voucher).collect() }
}

/// Generated code that owns what it has.
pub struct Generated;

impl Codec for Generated {
    type Decoded<'b> = S;
    type Value = S;

    fn decode(bytes: &[u8]) -> Result<S> {
        S::decode_owned(bytes).map_err(failed)
    }

    fn encode(value: &S, out: &mut Vec<u8>) -> Result<()> {
        value.encode(out);
        Ok(())
    }

    fn to_protobuf(decoded: &S) -> Result<Vec<u8>> {
        Ok(model(decoded.clone()).encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<S> {
        Sales::decode(bytes).map(of_model).map_err(failed)
    }
}

/// Generated code that borrows, with an arena that is used again.
struct Borrowed<'a> {
    messages: Messages,
    arena: Arena,
    input: &'a Input,
}

impl Subject for Borrowed<'_> {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            self.arena.reset();
            black_box(SRef::decode(black_box(message), &self.arena).map_err(failed)?);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Borrowed<'a> {
    fn check(&mut self) -> Result<u64> {
        for (message, expected) in self.messages.each().zip(self.input.each()) {
            self.arena.reset();
            let value = SRef::decode(message, &self.arena).map_err(failed)?;
            if model(value.into_owned()).encode_to_vec() != expected {
                return Err(Error::internal("USDS: another message was decoded"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// The message decoded, borrowing.
pub fn borrowed(work: Work, input: &Input) -> Prepared<'_> {
    if work != Work::Decode {
        return Ok(None);
    }
    Ok(Some(Box::new(Borrowed { messages: Messages::of::<Generated>(input)?, arena: Arena::new(), input })))
}

fn plan() -> Result<Arc<Plan>> {
    Ok(Arc::new(Plan::new(Arc::new(Dictionary::parse("sales.udic", DICTIONARY).map_err(failed)?))))
}

/// A voucher that borrows its text.
#[derive(Debug, Clone, Copy, Default)]
struct Told<'m> {
    n: u64,
    s: f64,
    g: &'m str,
    t: i64,
    b: bool,
}

/// What events fill.
#[derive(Debug, Default)]
struct Fill<'m> {
    sales: (u64, i64, i64, i64),
    vouchers: Vec<Told<'m>>,
    next: Told<'m>,
}

/// The slots of the plan: those of the voucher come first.
const VOUCHER: u32 = 0;
const SALES: u32 = 5;

impl<'m> Handler<'m> for Fill<'m> {
    type Error = std::convert::Infallible;

    #[inline(always)]
    fn scalar(&mut self, slot: u32, value: Scalar<'m>, _: Extent) -> std::result::Result<(), Self::Error> {
        match (slot, value) {
            (0, Scalar::UInt(n)) => self.next.n = n,
            (1, Scalar::F64(s)) => self.next.s = s,
            (2, Scalar::Text(g)) => self.next.g = g,
            (3, Scalar::Int(t)) => self.next.t = t,
            (4, Scalar::Bool(b)) => {
                self.next.b = b;
                self.vouchers.push(self.next);
            }
            (5, Scalar::UInt(n)) => self.sales.0 = n,
            (6, Scalar::Int(m)) => self.sales.1 = m,
            (7, Scalar::Int(s)) => self.sales.2 = s,
            (8, Scalar::Int(e)) => self.sales.3 = e,
            _ => {}
        }
        Ok(())
    }
}

/// Events that fill a struct, or that are made of one.
struct Events<'a> {
    messages: Messages,
    values: Vec<S>,
    plan: Arc<Plan>,
    out: Vec<u8>,
    input: &'a Input,
    work: Work,
}

impl Events<'_> {
    fn decoded<'m>(&self, message: &'m [u8], room: Vec<Told<'m>>) -> Result<Fill<'m>> {
        let mut fill = Fill { vouchers: room, ..Fill::default() };
        events::decode(&self.plan, message, 1, MAX_DEPTH, &mut fill).map_err(|halt| failed(format!("{halt:?}")))?;
        Ok(fill)
    }
}

fn tell(plan: &Plan, value: &S, out: Vec<u8>) -> std::result::Result<Vec<u8>, polywire_usds::failure::Failure> {
    let mut encoder = Encoder::new(plan, out);
    encoder.root(2)?;
    encoder.uint(value.n)?;
    encoder.int(i64::from(value.m))?;
    encoder.int(value.s)?;
    encoder.int(value.e)?;
    encoder.array(value.v.len() as u32)?;
    for voucher in &value.v {
        encoder.uint(voucher.n)?;
        encoder.f64(voucher.s)?;
        encoder.text(&voucher.g)?;
        encoder.int(voucher.t)?;
        encoder.bool(voucher.b)?;
    }
    encoder.finish()
}

impl Subject for Events<'_> {
    fn pass(&mut self) -> Result<()> {
        if self.work == Work::Encode {
            for value in &self.values {
                self.out.clear();
                self.out = tell(&self.plan, black_box(value), std::mem::take(&mut self.out)).map_err(failed)?;
                black_box(&self.out);
            }
            return Ok(());
        }
        let mut room = Vec::new();
        for message in self.messages.each() {
            room.clear();
            let fill = self.decoded(black_box(message), room)?;
            room = black_box(fill).vouchers;
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Events<'a> {
    fn check(&mut self) -> Result<u64> {
        let slots = (self.plan.slot("I", "n"), self.plan.slot("S", "n"));
        assert_eq!(slots, (Some(VOUCHER), Some(SALES)));
        for ((message, expected), value) in self.messages.each().zip(self.input.each()).zip(&self.values) {
            let fill = self.decoded(message, Vec::new())?;
            let (n, m, s, e) = fill.sales;
            let voucher = |told: &Told<'_>| I { n: told.n, s: told.s, g: told.g.to_string(), t: told.t, b: told.b };
            let told = S { n, m: m as i32, s, e, v: fill.vouchers.iter().map(voucher).collect() };
            if model(told).encode_to_vec() != expected || tell(&self.plan, value, Vec::new()).map_err(failed)? != message {
                return Err(Error::internal("USDS: events told another message"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// The message by events.
pub fn by_events(work: Work, input: &Input) -> Prepared<'_> {
    if !matches!(work, Work::Decode | Work::Encode) {
        return Ok(None);
    }
    let values = input.each().map(Generated::of_protobuf).collect::<Result<Vec<_>>>()?;
    Ok(Some(Box::new(Events { messages: Messages::of::<Generated>(input)?, values, plan: plan()?, out: Vec::new(), input, work })))
}

/// The arena document.
struct Dom {
    messages: Messages,
    arena: dom::Arena,
}

impl Subject for Dom {
    fn pass(&mut self) -> Result<()> {
        for message in self.messages.each() {
            black_box(self.arena.decode(black_box(&message[1..])).map_err(failed)?);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for Dom {
    fn check(&mut self) -> Result<u64> {
        for message in self.messages.each() {
            let mut out = Vec::new();
            self.arena.decode(&message[1..]).map_err(failed)?.encode(&mut out).map_err(failed)?;
            if out != message {
                return Err(Error::internal("USDS: the document is another one"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// Documents in memory, written.
struct DomOut {
    messages: Messages,
    documents: Vec<dom::Document<'static, 'static>>,
    out: Vec<u8>,
}

impl Subject for DomOut {
    fn pass(&mut self) -> Result<()> {
        for document in &self.documents {
            self.out.clear();
            black_box(document).encode(&mut self.out).map_err(failed)?;
            black_box(&self.out);
        }
        Ok(())
    }
}

impl<'a> Peer<'a> for DomOut {
    fn check(&mut self) -> Result<u64> {
        for (message, document) in self.messages.each().zip(&self.documents) {
            let mut out = Vec::new();
            document.encode(&mut out).map_err(failed)?;
            if out != message {
                return Err(Error::internal("USDS: the document is another one"));
            }
        }
        Ok(self.documents.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

/// The message as a document.
pub fn by_dom(work: Work, input: &Input) -> Prepared<'_> {
    let messages = Messages::of::<Generated>(input)?;
    match work {
        Work::Decode => Ok(Some(Box::new(Dom { messages, arena: dom::Arena::new(plan()?) }))),
        Work::Encode => {
            let mut documents = Vec::new();
            for message in messages.each() {
                // Documents borrow their arenas: the program ends before that matters.
                let (arena, entries) = (Box::leak(Box::new(dom::Arena::new(plan()?))), message[1..].to_vec().leak());
                documents.push(arena.decode(entries).map_err(failed)?);
            }
            Ok(Some(Box::new(DomOut { messages, documents, out: Vec::new() })))
        }
        _ => Ok(None),
    }
}

/// All fields packed, little-endian, text behind four bytes of length.
pub struct Packed;

/// What is read of packed fields.
pub struct Unpacked<'b> {
    sales: (u64, i32, i64, i64),
    vouchers: Vec<(u64, f64, &'b [u8], i64, bool)>,
}

fn take<'b, const N: usize>(bytes: &mut &'b [u8]) -> Result<&'b [u8; N]> {
    let (chunk, rest) = bytes.split_first_chunk().ok_or_else(|| failed("packed: the end"))?;
    *bytes = rest;
    Ok(chunk)
}

impl Codec for Packed {
    type Decoded<'b> = Unpacked<'b>;
    type Value = Sales;

    fn decode(bytes: &[u8]) -> Result<Unpacked<'_>> {
        let mut rest = bytes;
        let head = take::<32>(&mut rest)?;
        let word = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"));
        let half = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let sales = (word(0), half(8) as i32, word(12) as i64, word(20) as i64);
        let mut vouchers = Vec::with_capacity((half(28) as usize).min(rest.len()));
        for _ in 0..half(28) {
            let voucher = take::<29>(&mut rest)?;
            let word = |at: usize| u64::from_le_bytes(voucher[at..at + 8].try_into().expect("eight bytes"));
            let len = u32::from_le_bytes(voucher[25..].try_into().expect("four bytes")) as usize;
            let (text, behind) = rest.split_at_checked(len).ok_or_else(|| failed("packed: the end"))?;
            rest = behind;
            vouchers.push((word(0), f64::from_bits(word(8)), text, word(16) as i64, voucher[24] != 0));
        }
        Ok(Unpacked { sales, vouchers })
    }

    fn encode(value: &Sales, out: &mut Vec<u8>) -> Result<()> {
        let mut head = [0; 32];
        head[..8].copy_from_slice(&value.n.to_le_bytes());
        head[8..12].copy_from_slice(&value.m.to_le_bytes());
        head[12..20].copy_from_slice(&value.s.to_le_bytes());
        head[20..28].copy_from_slice(&value.e.to_le_bytes());
        head[28..].copy_from_slice(&(value.v.len() as u32).to_le_bytes());
        out.extend_from_slice(&head);
        for voucher in &value.v {
            let mut fields = [0; 29];
            fields[..8].copy_from_slice(&voucher.n.to_le_bytes());
            fields[8..16].copy_from_slice(&voucher.s.to_le_bytes());
            fields[16..24].copy_from_slice(&voucher.t.to_le_bytes());
            fields[24] = voucher.b.into();
            fields[25..].copy_from_slice(&(voucher.g.len() as u32).to_le_bytes());
            out.reserve(29 + voucher.g.len());
            out.extend_from_slice(&fields);
            out.extend_from_slice(voucher.g.as_bytes());
        }
        Ok(())
    }

    fn to_protobuf(decoded: &Unpacked<'_>) -> Result<Vec<u8>> {
        let (n, m, s, e) = decoded.sales;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(failed);
        let vouchers = decoded.vouchers.iter();
        let v = vouchers.map(|&(n, s, g, t, b)| Ok(Voucher { n, s, g: text(g)?, t, b })).collect::<Result<_>>()?;
        Ok(Sales { n, m, s, e, v }.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<Sales> {
        Sales::decode(bytes).map_err(failed)
    }
}
