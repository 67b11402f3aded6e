//! The fast ways held against slow ones: the arena against vectors, writing backwards against writing forwards, numbers of all sizes at all places.

use polywire_extprot_runtime::output::Output;
use polywire_extprot_runtime::read::{Check, Failed, Own, Reader};
use polywire_extprot_runtime::{Arena, Limits};

/// Section 4.1 as it is written.
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
