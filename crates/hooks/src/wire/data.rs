//! Documents as bytes, and the wanted parts of them.
//!
//! A document begins with the length of its bytes, so that it is a range of the message, and a
//! worker copies none of its texts.

use polywire_core::{Hint, Scalar, Str, Timestamp};
use polywire_doc::{Builder, Datum, Items, Member, Members, Object, Place, Ref, Repeated, View, Wanted};

use super::Wire;
use super::get::{From, Get, Malformed};
use super::put::Put;
use super::sent::{Step, Way};

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const UINT: u8 = 4;
const F32: u8 = 5;
const F64: u8 = 6;
const BIG: u8 = 7;
const DECIMAL: u8 = 8;
const TEXT: u8 = 9;
const BYTES: u8 = 10;
const TIME: u8 = 11;
const LIST: u8 = 12;
const OBJECT: u8 = 13;
/// A list or object of the gateway, by number.
const KNOWN: u8 = 14;

/// Deepest nesting that the gateway reads. Engines return less.
const DEEPEST: usize = 300;

impl Wire for Datum {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        put(self.view(), None, out);
    }

    fn get(from: &mut Get<'_>) -> Result<Datum, Malformed> {
        let length = u32::from_le_bytes(from.array()?) as usize;
        let start = from.at;
        let value = match from.side {
            From::Gateway { .. } => document(from, length)?,
            From::Worker { .. } => answer(from)?,
        };
        if from.at != start + length { Err(from.wrong("the end of a value")) } else { Ok(value) }
    }
}

/// A value of which only the wanted parts are written.
pub(crate) struct Pruned<'t> {
    pub value: Ref<'t>,
    pub wanted: &'t Wanted,
}

impl<'t> Pruned<'t> {
    /// Writes the wanted parts. [`Datum::get`](Wire::get) reads them.
    pub fn put(&self, out: &mut Put<'t>) {
        if let Some(sent) = out.sent() {
            sent.begin_part();
        }
        put(self.value, Some(self.wanted), out);
    }
}

/// A list or object that is being written.
struct Open<'t> {
    entries: Entries<'t>,
    /// The wanted parts of it.
    place: Place,
    number: u32,
}

enum Entries<'t> {
    Items(std::iter::Enumerate<Items<'t>>),
    Members(Members<'t>),
}

fn put<'t>(value: Ref<'t>, wanted: Option<&'t Wanted>, out: &mut Put<'t>) {
    let start = out.out.len();
    out.raw(&[0; 4]);
    let below = |place: Place, name: &str| match wanted {
        Some(wanted) => wanted.member(place, name),
        None => Some(place),
    };
    let mut open: Vec<Open<'t>> = Vec::new();
    let place = wanted.map_or(Place::EVERYTHING, Wanted::root);
    let way = Way { up: None, step: Step::Index(0), is_whole: place.is_whole() };
    open.extend(one(value, place, way, wanted, out));
    while let Some(top) = open.last_mut() {
        let (number, place) = (top.number, top.place);
        let next = match &mut top.entries {
            Entries::Items(items) => items.next().map(|(index, item)| (item, place, Step::Index(index))),
            Entries::Members(members) => {
                members.find_map(|(name, member)| below(place, name).map(|place| (member, place, Step::Name(name))))
            }
        };
        let Some((value, place, step)) = next else {
            open.pop();
            continue;
        };
        if let Step::Name(name) = step {
            out.bytes(name.as_bytes());
        }
        let way = Way { up: Some(number), step, is_whole: place.is_whole() };
        open.extend(one(value, place, way, wanted, out));
    }
    // A frame is shorter than 4 GiB.
    let length = (out.out.len() - start - 4) as u32;
    out.out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Writes one value. Returns it if it is a list or object: its entries follow.
fn one<'t>(value: Ref<'t>, place: Place, way: Way<'t>, wanted: Option<&Wanted>, out: &mut Put<'t>) -> Option<Open<'t>> {
    match value.view() {
        View::Null => out.byte(NULL),
        View::Bool(truth) => out.byte(if truth { TRUE } else { FALSE }),
        View::Int(number) => {
            out.byte(INT);
            out.raw(&number.to_le_bytes());
        }
        View::UInt(number) => {
            out.byte(UINT);
            out.count(number);
        }
        View::F32(number) => {
            out.byte(F32);
            out.raw(&number.to_le_bytes());
        }
        View::F64(number) => {
            out.byte(F64);
            out.raw(&number.to_le_bytes());
        }
        View::Big(digits) => text(BIG, digits, out),
        View::Decimal(digits) => text(DECIMAL, digits, out),
        View::Text(letters) => text(TEXT, letters, out),
        View::Bytes(bytes) => {
            out.byte(BYTES);
            out.bytes(bytes);
        }
        View::Time(moment) => {
            out.byte(TIME);
            out.raw(&moment.seconds().to_le_bytes());
            out.raw(&moment.nanos().to_le_bytes());
            out.byte(u8::from(moment.is_text()));
        }
        View::List(_) | View::Object(_) => {
            if let Some(number) = out.known(value) {
                out.byte(KNOWN);
                out.count(u64::from(number));
                return None;
            }
            let number = match (out.sent(), wanted) {
                (Some(sent), Some(_)) => sent.add_part(value, way),
                (Some(sent), None) => sent.add(value),
                (None, _) => 0,
            };
            let entries = entries(value, place, wanted, out);
            return Some(Open { entries, place, number });
        }
    }
    None
}

/// Writes kind and length of a list or object; returns its entries.
fn entries<'t>(value: Ref<'t>, place: Place, wanted: Option<&Wanted>, out: &mut Put<'t>) -> Entries<'t> {
    if value.is_list() {
        let items = value.items();
        out.byte(LIST);
        out.count(items.len() as u64);
        return Entries::Items(items.enumerate());
    }
    let members = value.members();
    let count = match wanted.filter(|_| !place.is_whole()) {
        Some(wanted) => members.clone().filter(|(name, _)| wanted.member(place, name).is_some()).count(),
        None => members.len(),
    };
    out.byte(OBJECT);
    out.count(count as u64);
    Entries::Members(members)
}

fn text(kind: u8, text: &str, out: &mut Put<'_>) {
    out.byte(kind);
    out.bytes(text.as_bytes());
}

/// Reads a scalar; `None` for a list or object, whose kind is `kind`.
fn scalar<'g>(kind: u8, from: &mut Get<'g>) -> Result<Option<Scalar<'g, 'g>>, Malformed> {
    Ok(Some(match kind {
        NULL => Scalar::Null,
        FALSE => Scalar::Bool(false),
        TRUE => Scalar::Bool(true),
        INT => Scalar::Int(i64::from_le_bytes(from.array()?), Hint::NONE),
        UINT => Scalar::UInt(from.count()?, Hint::NONE),
        F32 => Scalar::F32(f32::from_le_bytes(from.array()?), Hint::NONE),
        F64 => Scalar::F64(f64::from_le_bytes(from.array()?), Hint::NONE),
        BIG => Scalar::Big(Str::Input(digits(from)?), Hint::NONE),
        DECIMAL => Scalar::Decimal(Str::Input(digits(from)?), Hint::NONE),
        TEXT => Scalar::Text(Str::Input(from.text()?)),
        BYTES => Scalar::Bytes(Str::Input(from.bytes()?)),
        TIME => {
            let (seconds, nanos) = (i64::from_le_bytes(from.array()?), u32::from_le_bytes(from.array()?));
            let moment = Timestamp::new(seconds, nanos).ok_or_else(|| from.wrong("a moment"))?;
            Scalar::Time(if from.byte()? == 0 { moment } else { moment.as_text() })
        }
        LIST | OBJECT | KNOWN => return Ok(None),
        _ => return Err(from.wrong("a kind of value")),
    }))
}

/// Returns a scalar as a value of its own.
fn datum(scalar: Scalar<'_, '_>) -> Datum {
    match scalar {
        Scalar::Bool(truth) => Datum::Bool(truth),
        Scalar::Int(number, _) => Datum::Int(number),
        Scalar::UInt(number, _) => Datum::UInt(number),
        Scalar::F32(number, _) => Datum::F32(number),
        Scalar::F64(number, _) => Datum::F64(number),
        Scalar::Big(digits, _) => Datum::Big(digits.get().into()),
        Scalar::Decimal(digits, _) => Datum::Decimal(digits.get().into()),
        Scalar::Text(text) => Datum::text(text.get()),
        Scalar::Bytes(bytes) | Scalar::Octets(bytes) => Datum::Bytes(bytes.get().into()),
        Scalar::Time(moment) => Datum::Time(moment),
        _ => Datum::Null,
    }
}

/// Reads the digits of a number. They go into answers as they are.
fn digits<'g>(from: &mut Get<'g>) -> Result<&'g str, Malformed> {
    let digits = from.text()?;
    let fits = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
    if fits && digits.bytes().any(|byte| byte.is_ascii_digit()) { Ok(digits) } else { Err(from.wrong("digits")) }
}

/// Reads a value of the gateway into a document of its own.
fn document(from: &mut Get<'_>, length: usize) -> Result<Datum, Malformed> {
    let From::Gateway { frame, received, .. } = from.side else { return Err(from.wrong("a message of the gateway")) };
    let end = from.at.checked_add(length).filter(|end| *end <= frame.len()).ok_or_else(|| from.wrong("more bytes"))?;
    let mut builder = Builder::new(frame.slice(from.at..end), Repeated::Last);
    let mut open: Vec<(bool, u64)> = Vec::new();
    let mut count = 0;
    let mut member = Member::ELEMENT;
    loop {
        let kind = from.byte()?;
        let put = match scalar(kind, from)? {
            Some(scalar) => builder.scalar(member, scalar),
            None if kind == KNOWN => return Err(from.wrong("a value of its own")),
            None => {
                count += 1;
                open.push((kind == OBJECT, from.count()?));
                if kind == OBJECT { builder.open_object(member) } else { builder.open_list(member) }
            }
        };
        put.map_err(|_| from.wrong("a value of fewer levels"))?;
        loop {
            match open.last_mut() {
                None => {
                    let doc = builder.finish().map_err(|_| from.wrong("a whole value"))?;
                    let datum = Datum::from(doc);
                    received.add(&datum, count);
                    return Ok(datum);
                }
                Some((_, 0)) => {
                    open.pop();
                    builder.close_distinct().map_err(|_| from.wrong("fewer values"))?;
                }
                Some((named, left)) => {
                    *left -= 1;
                    member = if *named { Member::named(builder.name(from.text()?)) } else { Member::ELEMENT };
                    break;
                }
            }
        }
    }
}

/// Reads a value of a worker.
fn answer(from: &mut Get<'_>) -> Result<Datum, Malformed> {
    enum Filling<'g> {
        List(Vec<Datum>, u64),
        Object(Object, u64, &'g str),
    }
    let mut open: Vec<Filling<'_>> = Vec::new();
    loop {
        from.value()?;
        let kind = from.byte()?;
        let mut made = match scalar(kind, from)? {
            Some(scalar) => datum(scalar),
            None if kind == KNOWN => known(from)?,
            None => {
                let count = from.count()?;
                let filling = match kind {
                    LIST => Filling::List(Vec::new(), count),
                    _ => Filling::Object(Object::default(), count, ""),
                };
                if open.len() >= DEEPEST {
                    return Err(from.wrong("a value of fewer levels"));
                }
                open.push(filling);
                Datum::Null
            }
        };
        let mut begun = kind == LIST || kind == OBJECT;
        // Puts the value where it belongs, and closes what is complete.
        loop {
            match open.last_mut() {
                None => return Ok(made),
                Some(Filling::List(list, left)) => {
                    if !begun {
                        list.push(made);
                    }
                    if *left > 0 {
                        *left -= 1;
                        break;
                    }
                    made = Datum::from(std::mem::take(list));
                }
                Some(Filling::Object(object, left, name)) => {
                    if !begun {
                        object.insert(*name, made);
                    }
                    if *left > 0 {
                        *left -= 1;
                        *name = from.text()?;
                        break;
                    }
                    made = Datum::from(std::mem::take(object));
                }
            }
            begun = false;
            open.pop();
        }
    }
}

fn known(from: &mut Get<'_>) -> Result<Datum, Malformed> {
    let number = u32::try_from(from.count()?).ok();
    let found = match from.side {
        From::Worker { find, .. } => number.and_then(find),
        From::Gateway { .. } => None,
    };
    found.ok_or_else(|| from.wrong("the number of a value that was sent"))
}

impl Wire for Wanted {
    fn put<'t>(&'t self, out: &mut Put<'t>) {
        let leaves = self.leaves();
        out.count(leaves.len() as u64);
        for (path, everything) in leaves {
            out.byte(u8::from(everything));
            out.count(path.len() as u64);
            path.iter().for_each(|name| out.bytes(name.as_bytes()));
        }
    }

    fn get(from: &mut Get<'_>) -> Result<Wanted, Malformed> {
        let mut wanted = Wanted::nothing();
        for _ in 0..from.count()? {
            let everything = from.byte()? != 0;
            let mut path = Vec::new();
            for _ in 0..from.count()? {
                path.push(from.text()?);
            }
            if everything { wanted.add(path) } else { wanted.reach(path) }
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::super::{Asker, Received, Sent};
    use super::*;

    struct Nobody;

    impl Asker for Nobody {
        fn whole(&self) -> Result<Datum, String> {
            Err("nobody".to_string())
        }

        fn looked_at(&self, _: &Wanted) {}

        fn returned_in_part(&self, _: &[&str]) {}
    }

    fn value(random: &mut fastrand::Rng, depth: usize) -> Datum {
        match random.u8(0..if depth < 5 { 16 } else { 11 }) {
            0 => Datum::Null,
            1 => Datum::Bool(random.bool()),
            2 => Datum::int(random.i64(..)),
            3 => Datum::UInt(random.u64(..)),
            4 => Datum::F32(random.f32()),
            5 => Datum::F64(random.f64() * 1e9),
            6 => Datum::Big("-123456789012345678901234567890".into()),
            7 => Datum::Decimal("0.10000000000000000001".into()),
            8 => Datum::text(format!("text {}", random.char(..))),
            9 => Datum::Bytes([random.u8(..), 255].into()),
            10 => Datum::Time(Timestamp::new(random.i64(0..1 << 33), random.u32(0..1_000_000_000)).unwrap()),
            11..13 => Datum::list((0..random.usize(0..4)).map(|_| value(random, depth + 1))),
            _ => Datum::object((0..random.usize(0..4)).map(|at| (format!("k{at}"), value(random, depth + 1)))),
        }
    }

    /// Sends a value, and returns the bytes without the head of the frame.
    fn sent(value: &Datum) -> (Bytes, Sent<'_>) {
        let mut put = Put::sending(0, Vec::new());
        value.put(&mut put);
        let (frame, sent) = put.finish();
        (Bytes::from(frame.unwrap()).slice(super::super::put::HEAD..), sent)
    }

    fn received(frame: &Bytes, received: &Received) -> Result<Datum, Malformed> {
        let asker = Arc::new(Nobody) as Arc<dyn Asker>;
        let mut get = Get::of_gateway(frame, received, &asker);
        Datum::get(&mut get).and_then(|value| get.end().map(|()| value))
    }

    fn answered(value: &Datum, received: &Received) -> Vec<u8> {
        let mut put = Put::answering(0, received);
        value.put(&mut put);
        put.finish().0.unwrap()[super::super::put::HEAD..].to_vec()
    }

    #[test]
    fn values_go_there_and_back() {
        let mut random = fastrand::Rng::with_seed(18);
        for _ in 0..2000 {
            let value = value(&mut random, 0);
            let (frame, sent) = sent(&value);
            let known = Received::default();
            let there = received(&frame, &known).unwrap();
            assert_eq!(there.to_json(), value.to_json());
            // Unchanged lists and objects come back as themselves, wherever they are now.
            let wrapped = Datum::list([there.clone(), Datum::object([("x", there.clone())]), Datum::Null]);
            let answer = answered(&wrapped, &known);
            let find = |number: u32| sent.get(number).map(Ref::to_datum);
            let mut get = Get::of_worker(&answer, 1000, &find);
            let back = Datum::get(&mut get).unwrap();
            get.end().unwrap();
            assert_eq!(back.to_json(), wrapped.to_json());
            if value.view().is_list() || value.view().is_object() {
                assert!(answer.len() < 40, "{}", answer.len());
            }
            // A place below is found too.
            for (below, place) in value.view().items().zip(there.view().items()) {
                let answer = answered(&place.to_datum(), &known);
                let back = Datum::get(&mut Get::of_worker(&answer, 1000, &find)).unwrap();
                assert_eq!(back.to_json(), below.to_datum().to_json());
            }
        }
    }

    #[test]
    fn broken_answers_are_errors() {
        let mut random = fastrand::Rng::with_seed(19);
        let none = Received::default();
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut answer = answered(&value(&mut random, 0), &none);
            for _ in 0..random.usize(1..4) {
                let at = random.usize(0..answer.len());
                match random.u8(0..3) {
                    0 => answer[at] = random.u8(..),
                    1 => answer.truncate(at + 1),
                    _ => answer.insert(at, random.u8(..)),
                }
            }
            let mut get = Get::of_worker(&answer, 100, &|_| None);
            refused += u32::from(Datum::get(&mut get).and_then(|_| get.end()).is_err());
        }
        assert!(refused > 10_000, "{refused}");
        // Counts and depths that are claimed cost nothing.
        let huge = [vec![9, 0, 0, 0, LIST], vec![0xff; 8], vec![0x7f]].concat();
        assert!(Datum::get(&mut Get::of_worker(&huge, usize::MAX, &|_| None)).is_err());
        let deep = [vec![0xff, 0xff, 0, 0], [LIST, 1].repeat(100_000)].concat();
        assert_eq!(Datum::get(&mut Get::of_worker(&deep, usize::MAX, &|_| None)).unwrap_err().expected, "a value of fewer levels");
        let many = [vec![0xff, 0xff, 0, 0, LIST, 0xff, 0x7f], vec![NULL; 20_000]].concat();
        assert_eq!(Datum::get(&mut Get::of_worker(&many, 1000, &|_| None)).unwrap_err().expected, "fewer values");
    }

    #[test]
    fn parts_are_numbered_as_they_are_sent() {
        let whole = Datum::object([
            ("a", Datum::list([Datum::object([("b", Datum::list([Datum::UInt(1)])), ("c", Datum::UInt(2))])])),
            ("d", Datum::object([("e", Datum::Null)])),
        ]);
        let wanted = Wanted::paths([["a", "b"]]);
        let mut put = Put::sending(0, Vec::new());
        Pruned { value: whole.view(), wanted: &wanted }.put(&mut put);
        let (frame, sent) = put.finish();
        let frame = Bytes::from(frame.unwrap()).slice(super::super::put::HEAD..);
        let known = Received::default();
        let part = received(&frame, &known).unwrap();
        assert_eq!(part.to_json(), br#"{"a":[{"b":[1]}]}"#);
        // The message itself, `a` and its element are there in part; `b` is whole.
        let steps = |number| sent.way(number).map(|way| way.len());
        assert_eq!([steps(0), steps(1), steps(2), steps(3)], [Some(0), Some(1), Some(2), None]);
        let element = sent.way(2).and_then(|way| crate::wire::follow(&whole, &way)).unwrap();
        assert_eq!(element.to_json(), br#"{"b":[1],"c":2}"#);
        assert_eq!(sent.get(3).map(|b| b.to_datum().to_json()), Some(b"[1]".to_vec()));
    }
}
