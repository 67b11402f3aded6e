//! Our USDS: generated code, owning and borrowing, whose structs are the program's own; events and the arena document, from the program's struct to bytes
//! and from bytes to it. And the floor: the same fields packed, which nothing checks but where they end.

#[allow(clippy::all, dead_code, missing_docs)]
mod code {
    include!(concat!(env!("OUT_DIR"), "/sales.rs"));
}

use std::hint::black_box;
use std::sync::Arc;

use code::{I, S, SRef};
use polywire_compare::harness::Subject;
use polywire_core::{Error, Next, Result};
use polywire_usds::dictionary::Dictionary;
use polywire_usds::dom;
use polywire_usds::error::DecodeError;
use polywire_usds::events::{self, Encoder, Extent, Halt, Handler, MAX_DEPTH, Row, RowEnd, Scalar};
use polywire_usds::plan::Plan;
use polywire_usds_runtime::{Arena, Decode, DecodeOwned, Encode};
use prost::Message;

use super::model::{Sales, Voucher};
use super::{Codec, Messages};
use crate::failed::failed;
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

/// The program's own struct, as it is read: texts lie in the message.
#[derive(Debug, Default)]
pub struct Told<'m> {
    pub n: u64,
    pub m: i32,
    pub s: i64,
    pub e: i64,
    pub v: Vec<ToldVoucher<'m>>,
}

/// A voucher of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToldVoucher<'m> {
    pub n: u64,
    pub s: f64,
    pub g: &'m str,
    pub t: i64,
    pub b: bool,
}

impl Told<'_> {
    /// The memory of its vouchers, for those of another.
    pub fn room<'m>(mut self) -> Vec<ToldVoucher<'m>> {
        self.v.clear();
        // Vectors of one layout: the standard library keeps the memory.
        self.v.into_iter().map(|_| ToldVoucher::default()).collect()
    }

    /// The message in Protobuf's format.
    pub fn to_protobuf(&self) -> Vec<u8> {
        let voucher = |told: &ToldVoucher<'_>| Voucher { n: told.n, s: told.s, g: told.g.to_string(), t: told.t, b: told.b };
        Sales { n: self.n, m: self.m, s: self.s, e: self.e, v: self.v.iter().map(voucher).collect() }.encode_to_vec()
    }
}

/// The slots of the plan: those of the voucher come first.
const VOUCHER: u32 = 0;
const SALES: u32 = 5;

fn slots_are_as_said(plan: &Plan) -> Result<()> {
    let slots = (plan.slot("I", "n"), plan.slot("S", "n"));
    if slots == (Some(VOUCHER), Some(SALES)) { Ok(()) } else { Err(Error::internal("USDS: other slots")) }
}

/// A plan that encoders may keep: the program ends before its memory is missed.
fn kept_plan() -> Result<&'static Plan> {
    let plan: &'static Plan = Box::leak(Box::new(Plan::clone(&*plan()?)));
    slots_are_as_said(plan)?;
    Ok(plan)
}

/// A way of using a library: from a struct to bytes, and to a struct. Whatever it keeps is used again.
trait Way {
    fn read<'m>(&'m mut self, message: &'m [u8], told: &mut Told<'m>) -> Result<()>;

    /// Writes a body to `out`, which is empty.
    fn write(&mut self, value: &S, out: &mut Vec<u8>) -> Result<()>;
}

/// That way, at work.
struct Worker<'a, W> {
    way: W,
    messages: Messages,
    values: Vec<S>,
    /// Memory of vouchers.
    room: Vec<ToldVoucher<'static>>,
    out: Vec<u8>,
    input: &'a Input,
    work: Work,
}

impl<W: Way> Subject for Worker<'_, W> {
    fn pass(&mut self) -> Result<()> {
        if self.work == Work::Encode {
            for value in &self.values {
                self.out.clear();
                self.way.write(black_box(value), &mut self.out)?;
                black_box(&self.out);
            }
            return Ok(());
        }
        for message in self.messages.each() {
            let mut told = Told { v: std::mem::take(&mut self.room), ..Told::default() };
            self.way.read(black_box(message), &mut told)?;
            black_box(&told);
            self.room = told.room();
        }
        Ok(())
    }
}

impl<'a, W: Way + 'a> Peer<'a> for Worker<'a, W> {
    fn check(&mut self) -> Result<u64> {
        for ((message, expected), value) in self.messages.each().zip(self.input.each()).zip(&self.values) {
            let mut told = Told::default();
            self.way.read(message, &mut told)?;
            if told.to_protobuf() != expected {
                return Err(Error::internal("USDS: another message was read"));
            }
            let mut out = Vec::new();
            self.way.write(value, &mut out)?;
            if out != message {
                return Err(Error::internal("USDS: another message was written"));
            }
        }
        Ok(self.messages.places.len() as u64)
    }

    fn size(&self) -> Option<usize> {
        Some(self.messages.size())
    }
}

fn worker<'a, W: Way + 'a>(work: Work, input: &'a Input, way: W) -> Prepared<'a> {
    if !matches!(work, Work::Decode | Work::Encode) {
        return Ok(None);
    }
    let values = input.each().map(Generated::of_protobuf).collect::<Result<Vec<_>>>()?;
    let messages = Messages::of::<Generated>(input)?;
    Ok(Some(Box::new(Worker { way, messages, values, room: Vec::new(), out: Vec::new(), input, work })))
}

/// Events: a call for each structure of scalars, which takes or gives its fields in order, and one for each other value.
struct Rows {
    plan: &'static Plan,
    encoder: Encoder<'static>,
}

/// What is filled by a call for each structure of scalars.
struct ByRow<'t, 'm>(&'t mut Told<'m>);

impl<'m> Handler<'m> for ByRow<'_, 'm> {
    type Error = std::convert::Infallible;

    #[inline(always)]
    fn row(&mut self, _: u32, _: u32, row: &mut Row<'_, 'm>) -> std::result::Result<(), RowEnd<Self::Error>> {
        self.0.v.push(ToldVoucher { n: row.uint()?, s: row.f64()?, g: row.text()?, t: row.int()?, b: row.bool()? });
        Ok(())
    }

    #[inline(always)]
    fn array(&mut self, _: u32, count: u32, _: Extent) -> std::result::Result<Next, Self::Error> {
        self.0.v.reserve(count as usize);
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn scalar(&mut self, slot: u32, value: Scalar<'m>, _: Extent) -> std::result::Result<(), Self::Error> {
        sales_field(self.0, slot, value);
        Ok(())
    }
}

#[inline(always)]
fn sales_field(sales: &mut Told<'_>, slot: u32, value: Scalar<'_>) {
    match (slot, value) {
        (5, Scalar::UInt(n)) => sales.n = n,
        (6, Scalar::Int(m)) => sales.m = m as i32,
        (7, Scalar::Int(s)) => sales.s = s,
        (8, Scalar::Int(e)) => sales.e = e,
        _ => {}
    }
}

fn halted<E: std::fmt::Debug>(halt: Box<Halt<E>>) -> Error {
    failed(format!("{halt:?}"))
}

impl Way for Rows {
    fn read<'m>(&'m mut self, message: &'m [u8], told: &mut Told<'m>) -> Result<()> {
        events::decode(self.plan, message, 1, MAX_DEPTH, &mut ByRow(told)).map_err(halted)
    }

    fn write(&mut self, value: &S, out: &mut Vec<u8>) -> Result<()> {
        self.encoder.begin(std::mem::take(out));
        *out = rows(&mut self.encoder, value).map_err(failed)?;
        Ok(())
    }
}

fn rows(encoder: &mut Encoder<'_>, value: &S) -> std::result::Result<Vec<u8>, DecodeError> {
    encoder.root(2)?;
    encoder.row(|row| {
        row.uint(value.n)?;
        row.int(value.m.into())?;
        row.int(value.s)?;
        row.int(value.e)
    })?;
    encoder.rows(&value.v, |row, voucher| {
        row.uint(voucher.n)?;
        row.f64(voucher.s)?;
        row.text(&voucher.g)?;
        row.int(voucher.t)?;
        row.bool(voucher.b)
    })?;
    encoder.finish()
}

/// Events: a call for each value.
struct Values {
    plan: &'static Plan,
    encoder: Encoder<'static>,
}

/// What is filled by a call for each value.
struct ByValue<'t, 'm>(&'t mut Told<'m>);

impl<'m> Handler<'m> for ByValue<'_, 'm> {
    type Error = std::convert::Infallible;

    #[inline(always)]
    fn structure(&mut self, _: u32, shape: u32, _: Extent) -> std::result::Result<Next, Self::Error> {
        if shape == 0 {
            self.0.v.push(ToldVoucher::default());
        }
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn array(&mut self, _: u32, count: u32, _: Extent) -> std::result::Result<Next, Self::Error> {
        self.0.v.reserve(count as usize);
        Ok(Next::Enter)
    }

    #[inline(always)]
    fn scalar(&mut self, slot: u32, value: Scalar<'m>, _: Extent) -> std::result::Result<(), Self::Error> {
        if slot >= SALES {
            sales_field(self.0, slot, value);
        } else if let Some(last) = self.0.v.last_mut() {
            match (slot, value) {
                (0, Scalar::UInt(n)) => last.n = n,
                (1, Scalar::F64(s)) => last.s = s,
                (2, Scalar::Text(g)) => last.g = g,
                (3, Scalar::Int(t)) => last.t = t,
                (4, Scalar::Bool(b)) => last.b = b,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Way for Values {
    fn read<'m>(&'m mut self, message: &'m [u8], told: &mut Told<'m>) -> Result<()> {
        events::decode(self.plan, message, 1, MAX_DEPTH, &mut ByValue(told)).map_err(halted)
    }

    fn write(&mut self, value: &S, out: &mut Vec<u8>) -> Result<()> {
        self.encoder.begin(std::mem::take(out));
        *out = values(&mut self.encoder, value).map_err(failed)?;
        Ok(())
    }
}

fn values(encoder: &mut Encoder<'_>, value: &S) -> std::result::Result<Vec<u8>, DecodeError> {
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

/// The message by events.
pub fn by_events(work: Work, input: &Input) -> Prepared<'_> {
    let plan = kept_plan()?;
    worker(work, input, Rows { plan, encoder: Encoder::new(plan, Vec::new()) })
}

/// The message by events, each value in a call of its own.
pub fn by_value_events(work: Work, input: &Input) -> Prepared<'_> {
    let plan = kept_plan()?;
    worker(work, input, Values { plan, encoder: Encoder::new(plan, Vec::new()) })
}

/// The arena document: filled and written, or read.
struct Dom {
    arena: dom::Arena,
}

/// Where the vouchers are.
const VOUCHERS: u32 = 9;

fn build(document: &mut dom::Document<'_, '_>, value: &S) -> std::result::Result<(), DecodeError> {
    let mut sales = document.add_structure(2)?;
    sales.row(|row| {
        row.uint(value.n)?;
        row.int(value.m.into())?;
        row.int(value.s)?;
        row.int(value.e)
    })?;
    sales.rows(VOUCHERS, &value.v, |row, voucher| {
        row.uint(voucher.n)?;
        row.f64(voucher.s)?;
        row.text(&voucher.g)?;
        row.int(voucher.t)?;
        row.bool(voucher.b)
    })
}

/// Reads every field.
fn read_all<'d>(root: dom::Value<'d>, told: &mut Told<'d>) -> Option<()> {
    let sales = root.structure()?;
    let mut row = sales.row();
    (told.n, told.m, told.s, told.e) = (row.uint()?, row.int()? as i32, row.int()?, row.int()?);
    let vouchers = sales.array(VOUCHERS)?;
    told.v.reserve(vouchers.len());
    for mut row in vouchers.rows()? {
        told.v.push(ToldVoucher { n: row.uint()?, s: row.f64()?, g: row.text()?, t: row.int()?, b: row.bool()? });
    }
    Some(())
}

impl Way for Dom {
    fn read<'m>(&'m mut self, message: &'m [u8], told: &mut Told<'m>) -> Result<()> {
        let document = self.arena.decode(&message[1..]).map_err(failed)?;
        document.into_root(0).and_then(|(_, root)| read_all(root, told)).ok_or_else(|| failed("a field is missing"))
    }

    fn write(&mut self, value: &S, out: &mut Vec<u8>) -> Result<()> {
        let mut document = self.arena.start();
        build(&mut document, value).and_then(|()| document.encode(out)).map_err(failed)
    }
}

/// The message as a document.
pub fn by_dom(work: Work, input: &Input) -> Prepared<'_> {
    let plan = plan()?;
    slots_are_as_said(&plan)?;
    worker(work, input, Dom { arena: dom::Arena::new(plan) })
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
