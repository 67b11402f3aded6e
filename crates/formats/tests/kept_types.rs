//! Types of numbers and moments from a format to itself, and to others that have the type.

mod vectors;

use fastrand::Rng;
use polywire_core::format::Format;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::{Limits, Tree};
use polywire_formats::{bson, cbor, json, msgpack};
use vectors::{hex, unhex};

/// Converts one message. Fails on losses.
fn converted(from: &'static Format, to: &'static Format, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut walker = Walker::new(from, &Limits::DEFAULT).doubles(Doubles::Keep);
    let done = convert(&mut Stream::new(bytes), &mut out, &mut walker, to).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
    assert!(done.losses.is_empty(), "{} to {}: {:?}", hex(bytes), to.name, done.losses);
    out
}

/// Checks that a message comes back as the same bytes, straight and by way of a tree.
fn kept(format: &'static Format, bytes: &[u8]) {
    let (mut writer, mut out) = ((format.writer.unwrap())(), Vec::new());
    let mut walker = Walker::new(format, &Limits::DEFAULT);
    walker.walk(bytes, 0, &mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
    assert!(out == bytes, "{} came back as {}", hex(bytes), hex(&out));
    let mut tree = Tree::new();
    walker.walk(bytes, 0, &mut tree).unwrap();
    out.clear();
    tree.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap();
    assert!(out == bytes, "{} came back as {} by way of a tree", hex(bytes), hex(&out));
    assert!(writer.losses().is_empty(), "{}", hex(bytes));
}

/// A BSON document whose one field `d` has this type and these bytes.
fn document(kind: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = ((value.len() + 8) as i32).to_le_bytes().to_vec();
    bytes.extend([kind, b'd', 0]);
    bytes.extend(value);
    bytes.push(0);
    bytes
}

fn int64(value: i64) -> Vec<u8> {
    document(0x12, &value.to_le_bytes())
}

fn decimal128(bits: u128) -> Vec<u8> {
    document(0x13, &bits.to_le_bytes())
}

/// A decimal128 in its canonical encoding.
fn finite(negative: bool, coefficient: u128, exponent: i32) -> Vec<u8> {
    decimal128(u128::from(negative) << 127 | ((exponent + 6176) as u128) << 113 | coefficient)
}

#[test]
fn bson_keeps_the_width_of_integers() {
    for value in [0, 1, -1, 5, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 31, i64::MAX, i64::MIN] {
        kept(&bson::FORMAT, &int64(value));
    }
    kept(&bson::FORMAT, &document(0x10, &5i32.to_le_bytes()));
}

#[test]
fn bson_keeps_every_decimal128() {
    for exponent in [-6176, -40, -7, -2, -1, 0, 1, 3, 34, 6111] {
        for coefficient in [0, 1, 10, 1500, 9_007_199_254_740_993, u128::from(u64::MAX), u128::from(u64::MAX) + 1, 10u128.pow(34) - 1] {
            for negative in [false, true] {
                kept(&bson::FORMAT, &finite(negative, coefficient, exponent));
            }
        }
    }
    let mut rng = Rng::with_seed(128);
    for _ in 0..20_000 {
        let coefficient = rng.u128(0..10u128.pow(34)) / 10u128.pow(rng.u32(0..34));
        kept(&bson::FORMAT, &finite(rng.bool(), coefficient, rng.i32(-6176..=6111) >> rng.u32(0..12)));
    }
}

#[test]
fn bson_keeps_odd_encodings_of_a_decimal128() {
    // Negative, signaling and loaded NaNs, an infinity with more bits, coefficients beyond 34
    // digits in both encodings, and random bits.
    for high in [0x7c00u128, 0xfc00, 0x7e00, 0xfe00, 0x7800, 0xf800, 0x6c10, 0xec10, 0x6c11, 0x3041] {
        for low in [0, 0x12, (1 << 110) - 1] {
            kept(&bson::FORMAT, &decimal128(high << 112 | low));
        }
    }
    let mut rng = Rng::with_seed(6);
    for _ in 0..20_000 {
        kept(&bson::FORMAT, &decimal128(rng.u128(..)));
    }
}

#[test]
fn cbor_keeps_the_width_of_floats_and_integers() {
    for bits in 0..=u16::MAX {
        kept(&cbor::FORMAT, &[&[0xf9], &bits.to_be_bytes()[..]].concat());
    }
    let mut rng = Rng::with_seed(8949);
    for _ in 0..20_000 {
        kept(&cbor::FORMAT, &[&[0xfa], &rng.u32(..).to_be_bytes()[..]].concat());
        kept(&cbor::FORMAT, &[&[0xfb], &rng.u64(..).to_be_bytes()[..]].concat());
    }
    for major in [0x00, 0x20] {
        for value in [0u64, 23, 24, 255, 256, 65535, 65536, u64::from(u32::MAX), 1 << 32, i64::MAX as u64] {
            let bytes = value.to_be_bytes();
            for (info, len) in [(24, 1), (25, 2), (26, 4), (27, 8)] {
                if len == 8 || value >> (8 * len) == 0 {
                    kept(&cbor::FORMAT, &[&[major | info], &bytes[8 - len..]].concat());
                }
            }
        }
    }
    // An integer below all of 64 bits has one head.
    kept(&cbor::FORMAT, &unhex("3bffffffffffffffff"));
}

#[test]
fn cbor_keeps_decimal_fractions_and_moments() {
    for message in [
        "c48221196ab3",
        "c4820003",
        "c4820020",
        "c482381e1a00989680",
        "c4820500",
        "c4822100",
        "c4823301",
        "c482201b0020000000000001",
        "c48221c249010000000000000000",
        "c4821a000f424001",
        "c074323031332d30332d32315432303a30343a30305a",
        "c0781b323031332d30332d32315432303a30343a30302e3132333435365a",
        "c11a514b67b0",
        "c1fb41d452d9e8200000",
        "c07818393939392d31322d33315432333a35393a35392e3939395a",
    ] {
        kept(&cbor::FORMAT, &unhex(message));
    }
}

#[test]
fn messagepack_keeps_the_heads_of_integers() {
    let numbers = [0i128, 1, 5, 127, 128, 200, 255, 256, 65535, 65536, 1 << 31, 1 << 32, i128::from(i64::MAX), i128::from(u64::MAX)];
    let negative = [-1i128, -32, -33, -128, -129, -32768, -32769, i128::from(i32::MIN), i128::from(i64::MIN)];
    let mut seen = 0;
    for value in numbers.into_iter().chain(negative) {
        let bytes = value.to_be_bytes();
        for (size, len) in [1, 2, 4, 8].into_iter().enumerate() {
            let bits = 8 * len as u32;
            let (unsigned, signed) = ((0..1 << bits).contains(&value), (-(1 << (bits - 1))..1 << (bits - 1)).contains(&value));
            for head in [unsigned.then_some(0xcc + size as u8), signed.then_some(0xd0 + size as u8)].into_iter().flatten() {
                kept(&msgpack::FORMAT, &[&[head], &bytes[16 - len..]].concat());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
    kept(&msgpack::FORMAT, &unhex("ca3fc00000"));
    kept(&msgpack::FORMAT, &unhex("cb3ff8000000000000"));
}

#[test]
fn a_type_goes_to_formats_that_have_it() {
    let of = |from: &'static Format, to: &'static Format, bytes: &[u8]| hex(&converted(from, to, bytes));
    // Wide integers become an Int64.
    let wide = hex(&int64(5));
    assert_eq!(of(&cbor::FORMAT, &bson::FORMAT, &unhex("a161641b0000000000000005")), wide);
    assert_eq!(of(&msgpack::FORMAT, &bson::FORMAT, &unhex("81a164d30000000000000005")), wide);
    // An Int64 is an integer in formats whose integers have one type.
    assert_eq!(of(&bson::FORMAT, &cbor::FORMAT, &int64(5)), "a1616405");
    assert_eq!(of(&bson::FORMAT, &msgpack::FORMAT, &int64(5)), "81a16405");
    // A Decimal128 is a decimal fraction, with its exponent.
    for (decimal, fraction) in [
        (finite(false, 1990, -2), "a16164c482211907c6"),
        (finite(true, 15, 2), "a16164c482022e"),
        (finite(false, 5, 0), "a16164c4820005"),
        (finite(false, 0, -3), "a16164c4822200"),
        (finite(false, 10u128.pow(17) + 1, -18), "a16164c482311b016345785d8a0001"),
    ] {
        assert_eq!(of(&bson::FORMAT, &cbor::FORMAT, &decimal), fraction);
        assert_eq!(of(&cbor::FORMAT, &bson::FORMAT, &unhex(fraction)), hex(&decimal));
    }
    assert_eq!(converted(&bson::FORMAT, &json::FORMAT, &finite(false, 5, 0)), b"{\"d\":5}\n");
    // Half floats are single floats elsewhere.
    assert_eq!(of(&cbor::FORMAT, &msgpack::FORMAT, &unhex("f93e00")), "ca3fc00000");
}

#[test]
fn a_hundred_thousand_typed_numbers_come_back() {
    let mut rng = Rng::with_seed(100_000);
    let mut list = vec![0x9a, 0, 1, 0x86, 0xa0];
    for _ in 0..100_000 {
        match rng.u8(0..5) {
            0 => list.extend([&[0xf9], &rng.u16(..).to_be_bytes()[..]].concat()),
            1 => list.extend([&[0xfa], &rng.f32().to_be_bytes()[..]].concat()),
            2 => list.extend([&[0x19], &rng.u16(0..300).to_be_bytes()[..]].concat()),
            3 => list.extend([&[0xc4, 0x82, 0x2f, 0x1b], &rng.u64(1 << 32..).to_be_bytes()[..]].concat()),
            _ => list.push(rng.u8(0..24)),
        }
    }
    kept(&cbor::FORMAT, &list);
}
