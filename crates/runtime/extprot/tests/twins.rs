//! The fast ways held against slow ones: the arena against vectors, writing backwards against
//! writing forwards, numbers of all sizes at all places.

use polywire_extprot_runtime::output::Output;
use polywire_extprot_runtime::read::{Check, Failed, Own, Reader};
use polywire_extprot_runtime::scan::{self, Cases, Each};
use polywire_extprot_runtime::{Arena, Buffer, Encode, Extprot, Limits};

/// The vints of docs/spec/extprot.md 4.1, word by word.
fn vint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    if number >= 0 { number as u64 * 2 } else { (-(number + 1)) as u64 * 2 + 1 }
}

/// Numbers of all sizes, the edges among them.
fn number(random: &mut fastrand::Rng) -> i64 {
    let size = random.u32(0..64);
    let edge = [0, 1, i64::MAX, i64::MIN, -1, (1 << 55) - 1, 1 << 55, -(1 << 55) - 1, 63, 64, -64, -65];
    match random.u8(0..4) {
        0 => edge[random.usize(0..edge.len())],
        1 => random.i64(..) >> size,
        _ => (random.u64(..) >> size) as i64,
    }
}

#[test]
fn an_arena_holds_what_is_put_in() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut arena = Arena::new();
    for _ in 0..30 {
        arena.reset();
        let mut bytes: Vec<(&[u8], Vec<u8>)> = Vec::new();
        type Pair = (u8, u64);
        let mut pairs: Vec<(&[Pair], Vec<Pair>)> = Vec::new();
        let mut empty: Vec<(&[()], usize)> = Vec::new();
        for _ in 0..random.usize(0..400) {
            let count = if random.u8(0..20) == 0 { random.usize(0..9000) } else { random.usize(0..12) };
            match random.u8(0..3) {
                0 => {
                    let values: Vec<u8> = (0..count).map(|_| random.u8(..)).collect();
                    let mut next = values.iter();
                    let slice = arena.fill(count, || next.next().copied().ok_or(())).unwrap();
                    bytes.push((slice, values));
                }
                1 => {
                    let values: Vec<(u8, u64)> = (0..count).map(|_| (random.u8(..), random.u64(..))).collect();
                    let mut next = values.iter();
                    pairs.push((arena.fill(count, || next.next().copied().ok_or(())).unwrap(), values));
                }
                _ => empty.push((arena.fill::<(), ()>(count, || Ok(())).unwrap(), count)),
            }
        }
        assert!(bytes.iter().all(|(slice, values)| slice == values));
        assert!(pairs.iter().all(|(slice, values)| slice == values && slice.as_ptr().is_aligned()));
        assert!(empty.iter().all(|(slice, count)| slice.len() == *count));
    }
}

#[test]
fn an_arena_keeps_its_memory() {
    let mut arena = Arena::new();
    let fill = |arena: &Arena| (0..100).for_each(|n| assert_eq!(arena.fill(n, || Ok::<u64, ()>(7)).unwrap(), vec![7; n]));
    fill(&arena);
    arena.reset();
    let before = arena.capacity();
    for _ in 0..10 {
        fill(&arena);
        arena.reset();
    }
    assert_eq!(arena.capacity(), before);
    assert_eq!(arena.fill(3, || Err::<u8, _>("no")), Err("no"));
}

#[test]
fn what_is_written_backwards_is_what_is_written_forwards() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut out = Vec::new();
    for _ in 0..3000 {
        if random.u8(0..50) == 0 {
            out = Vec::with_capacity(random.usize(0..100));
        }
        let (int, long, float) = (number(&mut random), number(&mut random), f64::from_bits(random.u64(..)));
        let text: Vec<u8> = (0..random.usize(0..200)).map(|_| random.u8(..)).collect();
        let bools: Vec<bool> = (0..random.usize(0..80)).map(|_| random.bool()).collect();
        let tag = random.u64(..) >> random.u32(4..60);
        let mut list = Vec::new();
        vint(bools.len() as u64, &mut list);
        bools.iter().for_each(|bool| list.extend([2, u8::from(*bool)]));
        let mut inside = Vec::new();
        vint(5, &mut inside);
        inside.push(0);
        vint(zigzag(int), &mut inside);
        inside.push(6);
        inside.extend(long.to_le_bytes());
        inside.push(8);
        inside.extend(float.to_le_bytes());
        inside.push(3);
        vint(text.len() as u64, &mut inside);
        inside.extend(&text);
        inside.push(5);
        vint(list.len() as u64, &mut inside);
        inside.extend(&list);
        let mut wanted = out.clone();
        vint(tag << 4 | 1, &mut wanted);
        vint(inside.len() as u64, &mut wanted);
        wanted.extend(&inside);

        let mut output = Output::new(&mut out);
        let before = output.written();
        output.bools(&bools);
        output.string(&text);
        output.float(float);
        output.long(long);
        output.int(int);
        output.composite(tag << 4 | 1, 5, before);
        output.finish();
        assert_eq!(out, wanted);
    }
}

#[test]
fn appending_is_linear() {
    let mut out = Vec::new();
    let mut moves = 0;
    let mut before = 0;
    for _ in 0..100_000 {
        let mut output = Output::new(&mut out);
        output.long(1);
        output.finish();
        moves += usize::from(out.capacity() != before);
        before = out.capacity();
    }
    assert!(moves < 30, "{moves}");
}

#[test]
fn an_encoder_that_is_dropped_leaves_the_vector_as_it_was() {
    let mut out = b"before".to_vec();
    Output::new(&mut out).string(&[7; 500]);
    assert_eq!(out, b"before");
}

#[test]
fn ints_are_read_wherever_they_stand() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let value = number(&mut random);
        let mut bytes = vec![0];
        vint(zigzag(value), &mut bytes);
        if random.u8(0..4) == 0 {
            // An over-long form.
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.extend(std::iter::repeat_n(0x80, random.usize(0..5)));
            bytes.push(0);
        }
        let size = bytes.len();
        bytes.extend((0..random.usize(0..12)).map(|_| random.u8(..)));
        let mut reader = Reader::new(&bytes, &Limits::NONE, Own);
        assert_eq!((reader.int(), reader.offset()), (Ok(value), size), "{bytes:02x?}");
        let cut = random.usize(1..size);
        assert_eq!(Reader::new(&bytes[..cut], &Limits::NONE, Own).int(), Err(Failed), "{:02x?}", &bytes[..cut]);
    }
    for bytes in [
        &[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..],
        &[0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
    ] {
        assert_eq!(Reader::new(bytes, &Limits::NONE, Own).int(), Err(Failed), "{bytes:02x?}");
    }
}

#[test]
fn lists_of_bools_are_read_alike_by_both() {
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..20_000 {
        let count = random.usize(0..40);
        let pairs: Vec<u8> =
            (0..count).flat_map(|_| [if random.u8(0..60) == 0 { 0 } else { 2 }, random.u8(0..4) * random.u8(0..2)]).collect();
        let mut bytes = vec![5, (pairs.len() + 1) as u8, count as u8];
        bytes.extend(&pairs);
        let size = bytes.len();
        bytes.extend((0..random.usize(0..12)).map(|_| random.u8(..)));
        if random.u8(0..10) == 0 {
            bytes.truncate(random.usize(0..size));
        }
        let arena = Arena::new();
        let (mut one, mut other) = (Reader::new(&bytes, &Limits::NONE, &arena), Reader::new(&bytes, &Limits::NONE, Own));
        let one_by_one = |reader: &mut Reader<'_, Own>| {
            let (row, count) = reader.elements::<2>()?;
            let list = (0..count).map(|_| reader.bool()).collect::<Result<Vec<bool>, Failed>>()?;
            reader.leave(row).map(|()| list)
        };
        let (came, wanted) = (one.bools(), one_by_one(&mut other));
        assert_eq!(came.map(<[bool]>::to_vec), wanted, "{bytes:02x?}");
        assert!(wanted.is_err() || (one.offset(), other.offset()) == (size, size));
        let (mut owning, mut checking) = (Reader::new(&bytes, &Limits::NONE, Own), Reader::new(&bytes, &Limits::NONE, Check));
        assert_eq!(owning.bools(), wanted, "{bytes:02x?}");
        assert_eq!(checking.bytes().is_ok(), wanted.is_ok(), "{bytes:02x?}");
        assert_eq!((owning.offset(), checking.offset()), (one.offset(), one.offset()));
    }
}

/// Bytes that make a list, some of them tampered with, behind a few others; where the list starts
/// and ends.
fn embedded(random: &mut fastrand::Rng, list: &[u8]) -> (Vec<u8>, usize, usize) {
    let mut bytes: Vec<u8> = (0..random.usize(4..30)).map(|_| random.u8(..)).collect();
    let start = bytes.len();
    bytes.extend(list);
    let mut end = bytes.len();
    if random.bool() {
        bytes.extend((0..random.usize(0..70)).map(|_| random.u8(..)));
    }
    match random.u8(0..8) {
        0 if end > start => bytes[random.usize(start..end)] = [0, 2, 10, 0x80, 0xff, random.u8(..)][random.usize(..6)],
        1 => end = random.usize(start..=bytes.len()),
        2 => bytes[random.usize(start..=end).min(end - 1)] ^= 1 << random.u8(..8),
        _ => {}
    }
    (bytes, start, end)
}

#[test]
fn what_a_scan_takes_for_ints_or_bools_is_read_as_such() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut ints, mut bools) = (0, 0);
    for round in 0..40_000 {
        let count = random.usize(0..18);
        let list: Vec<u8> = (0..count)
            .flat_map(|_| {
                let mut one = vec![if round % 2 == 0 { 2 } else { 0 }];
                if round % 2 == 0 {
                    one.push(random.u8(..));
                } else {
                    vint(zigzag(number(&mut random)), &mut one);
                }
                one
            })
            .collect();
        let (bytes, start, end) = embedded(&mut random, &list);
        let claimed = if random.u8(0..10) == 0 { random.usize(0..20) } else { count };
        let mut reader = Reader::new(&bytes[start..end], &Limits::NONE, Own);
        if scan::ints(&bytes, start, end, claimed) {
            ints += 1;
            (0..claimed).for_each(|_| assert!(reader.int().is_ok(), "{bytes:02x?} {start}..{end}"));
        } else if scan::octets(&bytes, start, claimed) && start + 2 * claimed <= end {
            bools += 1;
            (0..claimed).for_each(|_| assert!(reader.byte().is_ok(), "{bytes:02x?} {start}..{end}"));
        }
    }
    assert!(ints > 5_000 && bools > 5_000, "{ints} lists of ints and {bools} of bools were scanned");
}

#[test]
fn what_a_scan_takes_for_a_sum_type_is_read_as_such() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Value<'a> {
        Constant(u8),
        Int(i64),
        Text(&'a [u8]),
        Long(i64),
        Byte(u8),
        Bool(bool),
        Float(u64),
    }
    fn plain<'a>(reader: &mut Reader<'a, Own>) -> Result<Value<'a>, Failed> {
        let prefix = reader.prefix()?;
        if prefix & 15 == 10 && prefix >> 4 < 2 {
            return Ok(Value::Constant((prefix >> 4) as u8));
        }
        let row = reader.composite()?;
        row.need(0)?;
        let value = match prefix {
            0x01 => Value::Int(reader.int()?),
            0x11 => Value::Text(reader.slice()?),
            0x21 => Value::Long(reader.long()?),
            0x31 => Value::Byte(reader.byte()?),
            0x41 => Value::Bool(reader.bool()?),
            0x51 => Value::Float(reader.float()?.to_bits()),
            _ => return Err(Failed),
        };
        reader.leave(row)?;
        Ok(value)
    }
    use polywire_extprot_runtime::shape::Primitive;
    let cases = Cases::new(2, &[Primitive::Int, Primitive::String, Primitive::Long, Primitive::Byte, Primitive::Bool, Primitive::Float]);
    let mut random = fastrand::Rng::with_seed(6);
    let mut scanned = 0;
    for _ in 0..40_000 {
        let count = random.usize(0..12);
        let mut list = Vec::new();
        for _ in 0..count {
            let tag = random.u8(..8);
            if tag > 5 {
                list.push((tag - 6) << 4 | 10);
                continue;
            }
            let mut one = vec![1];
            match tag {
                0 => {
                    one.push(0);
                    vint(zigzag(number(&mut random)), &mut one);
                }
                1 => {
                    let most = if random.u8(..9) == 0 { 140 } else { 10 };
                    let text: Vec<u8> = (0..random.usize(0..most)).map(|_| random.u8(..)).collect();
                    one.push(3);
                    vint(text.len() as u64, &mut one);
                    one.extend(text);
                }
                3 | 4 => one.extend([2, random.u8(..3)]),
                _ => {
                    one.push(if tag == 2 { 6 } else { 8 });
                    one.extend(random.u64(..).to_le_bytes());
                }
            }
            list.push(tag << 4 | 1);
            vint(one.len() as u64, &mut list);
            list.extend(one);
        }
        let (bytes, start, end) = embedded(&mut random, &list);
        let mut each = Each::new(&cases, &bytes, start);
        let made: Option<Vec<Value<'_>>> = (0..count)
            .map(|_| {
                each.next().map(|one| {
                    one.of([
                        Value::Constant(0),
                        Value::Constant(1),
                        Value::Int(one.int()),
                        Value::Text(one.slice()),
                        Value::Long(one.long()),
                        Value::Byte(one.byte()),
                        Value::Bool(one.bool()),
                        Value::Float(one.float().to_bits()),
                    ])
                })
            })
            .collect();
        let whole = made.is_some() && each.end_at(end);
        assert_eq!(cases.fill(&bytes, start, end, count), whole, "{bytes:02x?}");
        if whole {
            scanned += 1;
            let mut reader = Reader::new(&bytes[start..end], &Limits::NONE, Own);
            let wanted: Vec<Value<'_>> = (0..count).map(|_| plain(&mut reader).unwrap()).collect();
            assert_eq!((made, reader.offset()), (Some(wanted), end - start), "{bytes:02x?}");
        }
    }
    assert!(scanned > 10_000, "{scanned} lists were scanned");
}

#[test]
fn a_buffer_has_what_a_vector_gets() {
    struct Text(Vec<u8>);
    impl Encode<Extprot> for Text {
        fn write(&self, out: &mut Output<'_>) {
            let before = out.written();
            out.apart(|out| out.string(&self.0));
            let mut own = out.take();
            own.large_composite(1, 1, before);
            *out = own;
        }
    }
    let mut random = fastrand::Rng::with_seed(7);
    let mut buffer = Buffer::new();
    for _ in 0..2000 {
        let most = if random.u8(..9) == 0 { 40_000 } else { 300 };
        let text = Text((0..random.usize(0..most)).map(|_| random.u8(..)).collect());
        let mut plain = vec![3];
        vint(text.0.len() as u64, &mut plain);
        plain.extend(&text.0);
        let mut wanted = vec![1];
        vint(plain.len() as u64 + 1, &mut wanted);
        wanted.push(1);
        wanted.extend(plain);
        assert_eq!(text.encode_in(&mut buffer), wanted);
        assert_eq!(text.to_bytes(), wanted);
    }
}

#[test]
fn an_output_that_was_lost_to_a_panic_is_empty() {
    let mut out = b"before".to_vec();
    let mut output = Output::new(&mut out);
    output.string(b"text");
    let lost = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        output.apart(|out| {
            out.verbatim(&[7; 5000]);
            panic!("on purpose");
        });
    }));
    assert!(lost.is_err());
    assert_eq!(output.written(), 0);
    output.verbatim(b", behind");
    output.finish();
    assert_eq!(out, b"before, behind");
}
