//! The fast ways held against plain ones: numbers at every distance from the end of the bytes,
//! lists that are counted ahead, what is written backwards.

use polywire_protobuf_runtime::Arena;
use polywire_protobuf_runtime::output::Output;
use polywire_protobuf_runtime::read::{Failed, Own, Reader, fixeds, groups, lens, varints};

/// A varint, byte by byte.
fn plain(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn written(write: impl FnOnce(&mut Output<'_>)) -> Vec<u8> {
    let mut bytes = vec![0xee];
    let mut out = Output::new(&mut bytes);
    write(&mut out);
    out.finish();
    assert_eq!(bytes.remove(0), 0xee);
    bytes
}

#[test]
fn numbers_are_read_and_written_at_any_distance_from_the_end() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let number = random.u64(..) >> random.u32(0..64);
        let bytes = plain(number);
        assert_eq!(written(|out| out.varint([0x08], number)), [&[0x08], &bytes[..]].concat());
        assert_eq!(written(|out| out.varint([0xf8, 0xff, 0x01], number)), [&[0xf8, 0xff, 0x01], &bytes[..]].concat());
        let (before, behind) = (random.usize(..12), random.usize(..12));
        let mut all = vec![0xff; before];
        all.extend_from_slice(&bytes);
        all.extend((0..behind).map(|_| random.u8(..)));
        let mut reader = Reader::new(&all, 1, Own);
        reader.step(before).unwrap();
        assert_eq!(reader.varint(), Ok(number), "{all:x?}");
        assert_eq!(reader.mark(), behind);
        for cut in 0..bytes.len() {
            let mut reader = Reader::new(&all[..before + cut], 1, Own);
            reader.step(before).unwrap();
            assert_eq!(reader.varint(), Err(Failed));
        }
    }
    // Forms longer than needed are taken, bits beyond 64 dropped, and what does not end refused.
    for (bytes, number) in [(&[0x81, 0x80, 0x00][..], Some(1)), (&[0xff; 11], None)] {
        assert_eq!(Reader::new(bytes, 1, Own).varint().ok(), number);
    }
    let mut ten = [0x80; 10];
    ten[9] = 0x7f;
    assert_eq!(Reader::new(&ten, 1, Own).varint(), Ok(1 << 63));
}

#[test]
fn lists_are_counted_ahead() {
    let mut random = fastrand::Rng::with_seed(4);
    let tag = [0xaa, 0x06];
    for _ in 0..2000 {
        let count = random.usize(1..6);
        let many = |value: &mut dyn FnMut() -> Vec<u8>| {
            let mut all = Vec::new();
            for n in 0..count {
                if n > 0 {
                    all.extend(tag);
                }
                all.extend(value());
            }
            all.extend([0x08, 0x01]);
            all
        };
        let texts = many(&mut || {
            let text = vec![b'x'; random.usize(..300)];
            [plain(text.len() as u64), text].concat()
        });
        assert_eq!(lens(&texts, &tag), count);
        let numbers = many(&mut || plain(random.u64(..) >> random.u32(0..64)));
        assert_eq!(varints(&numbers, &tag), count);
        let words = many(&mut || random.u32(..).to_le_bytes().to_vec());
        assert_eq!(fixeds::<4>(&words, &tag), count);
        let group = [0xab, 0x06];
        let mut inside = Vec::new();
        for n in 0..count {
            if n > 0 {
                inside.extend(group);
            }
            inside.extend([0x08, 0x01, 0xac, 0x06]);
        }
        assert_eq!(groups(&inside, &group), count);
        // Whatever the bytes are, no more is counted than they hold.
        let any: Vec<u8> = (0..random.usize(..40)).map(|_| random.u8(..4)).collect();
        for counted in [lens(&any, &[1]), varints(&any, &[1]), fixeds::<4>(&any, &[1]), groups(&any, &[3])] {
            assert!(counted <= any.len() + 1);
        }
    }
}

#[test]
fn packed_lists_come_back() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut arena = Arena::new();
    for _ in 0..3000 {
        let numbers: Vec<u64> = (0..random.usize(1..20)).map(|_| random.u64(..) >> random.u32(0..64)).collect();
        let bytes = written(|out| out.varints([0x0a], &numbers, |number| *number));
        let inside: Vec<u8> = numbers.iter().flat_map(|number| plain(*number)).collect();
        assert_eq!(bytes, [&[0x0a], &plain(inside.len() as u64)[..], &inside].concat());
        let make = |number: u64| Ok((!number.is_multiple_of(3)).then_some(number));
        let kept: Vec<u64> = numbers.iter().copied().filter(|number| !number.is_multiple_of(3)).collect();
        let mut owned = Vec::new();
        let mut reader = Reader::new(&bytes, 1, Own);
        assert!(reader.next([0x0a]));
        assert_eq!(reader.packed(&mut owned, make), Ok(()));
        assert_eq!((owned, reader.done()), (kept.clone(), true));
        arena.reset();
        let mut lent: &[u64] = &[];
        let mut reader = Reader::new(&bytes, 1, &arena);
        assert!(reader.next([0x0a]));
        assert_eq!(reader.packed(&mut lent, make), Ok(()));
        assert_eq!(lent, kept);
        // A list that is in several pieces is for the slow way.
        let mut reader = Reader::new(&bytes, 1, &arena);
        assert!(reader.next([0x0a]));
        assert_eq!(reader.packed(&mut lent, make), if kept.is_empty() { Ok(()) } else { Err(Failed) });
    }
}

#[test]
fn messages_end_where_they_say() {
    // Within each other: a message whose field is longer than it, one that ends early, one that is
    // too deep.
    let read = |bytes: &[u8], depth| {
        let mut reader = Reader::new(bytes, depth, Own);
        reader.message(|r| r.message(|r| r.octets().map(<[u8]>::to_vec)))
    };
    assert_eq!(read(&[3, 2, 1, b'a', b'b'], 3), Ok(b"a".to_vec()));
    assert_eq!(read(&[3, 2, 2, b'a', b'b'], 3), Err(Failed));
    assert_eq!(read(&[3, 3, 1, b'a', b'b'], 3), Err(Failed));
    assert_eq!(read(&[4, 2, 1, b'a', b'b'], 3), Err(Failed));
    assert_eq!(read(&[3, 2, 1, b'a', b'b'], 2), Err(Failed));
}
