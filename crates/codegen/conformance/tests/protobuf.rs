//! Code generated from `.proto` files: random messages, tampered bytes, and the rules of merging,
//! presence and unknown fields.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use polywire_codegen::Config;
use polywire_codegen_conformance::bytes::tamper;
use polywire_codegen_conformance::protobuf::{Converted, DOORS, fuzz, twins};
use polywire_protobuf::testing;
use polywire_protobuf_runtime::{Arena, Cause, Decode, DecodeOwned, Encode, Limits, Protobuf};
use polywire_usds::language::Usds;

#[test]
fn random_and_tampered_messages_agree_with_the_codec() {
    let mut random = testing::Rng::with_seed(5);
    let mut seen = [0, 0];
    for twin in twins() {
        for round in 0..60 {
            let mut bytes = testing::message(&mut random, &twin.plan, round % 2 == 1);
            for _ in 0..4 {
                seen[usize::from(twin.agree(&bytes))] += 1;
                tamper(&mut bytes, &mut random);
            }
            // Two messages in sequence are merged.
            let mut both = testing::message(&mut random, &twin.plan, true);
            both.extend(testing::message(&mut random, &twin.plan, true));
            seen[usize::from(twin.agree(&both))] += 1;
        }
    }
    let schemas: HashMap<&str, usize> = DOORS.iter().map(|door| (door.schema, 0)).collect();
    assert!(schemas.len() > 4 && seen[0] > 1000 && seen[1] > 5000, "{} schemas, {seen:?}", schemas.len());
}

#[test]
fn the_fuzz_target_holds() {
    let mut random = testing::Rng::with_seed(6);
    for _ in 0..4000 {
        let mut bytes: Vec<u8> = (0..random.usize(..40)).map(|_| random.u8(..)).collect();
        tamper(&mut bytes, &mut random);
        fuzz(&bytes);
    }
}

#[rustfmt::skip] // As the generator lays it out.
#[path = "../golden/zoo.rs"]
mod zoo;

mod tickets {
    include!(concat!(env!("OUT_DIR"), "/tickets.rs"));
}

#[allow(dead_code)]
mod pets {
    include!(concat!(env!("OUT_DIR"), "/pets.rs"));
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// `UPDATE_GOLDEN=1` rewrites the file.
#[test]
fn the_generated_file_is_what_the_generator_makes() {
    let schema = golden("zoo.proto");
    let text = std::fs::read(&schema).unwrap();
    let made = Config::new().generate(&schema, &text).unwrap_or_else(|failure| panic!("{failure}")).text;
    let kept = golden("zoo.rs");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&kept, &made).unwrap();
    }
    assert!(std::fs::read_to_string(&kept).unwrap() == made, "{} is out of date", kept.display());
}

/// Tests the examples of the encoding guide, section by section.
#[test]
fn bytes_are_those_of_the_encoding_guide() {
    let animal = zoo::Animal { id: 150, name: "testing".into(), ..zoo::Animal::default() };
    assert_eq!(animal.to_bytes(), b"\x08\x96\x01\x12\x07testing");
    let moods = zoo::Animal { moods: vec![3, -135, 43221], ..zoo::Animal::default() };
    assert_eq!(moods.to_bytes(), [0x2a, 6, 6, 0x8d, 2, 0xaa, 0xa3, 5]);
    // A list may come as single elements and in several packed pieces.
    for bytes in [&[0x28, 6, 0x28, 0x8d, 2, 0x28, 0xaa, 0xa3, 5][..], &[0x2a, 1, 6, 0x08, 0, 0x28, 0x8d, 2, 0x2a, 3, 0xaa, 0xa3, 5]] {
        assert_eq!(zoo::Animal::decode_owned(bytes), Ok(moods.clone()), "{bytes:x?}");
        assert_eq!(zoo::AnimalRef::decode(bytes, &Arena::new()).map(zoo::AnimalRef::into_owned), Ok(moods.clone()), "{bytes:x?}");
    }
}

#[test]
fn of_a_oneof_counts_what_came_last() {
    let cage = |name: &str| zoo::Animal { home: Some(zoo::AnimalHome::Cage(name.into())), ..zoo::Animal::default() };
    let pool = |litres, guest: Option<&str>| {
        let guests = guest.map(|name| (name.to_string(), 1)).into_iter().collect();
        zoo::Animal { home: Some(zoo::AnimalHome::Pool(zoo::Pool { litres, guests })), ..zoo::Animal::default() }
    };
    for (parts, left) in [
        (vec![cage("a"), cage("b")], cage("b")),
        (vec![pool(5, None), cage("b")], cage("b")),
        (vec![pool(5, None), pool(0, Some("g"))], pool(5, Some("g"))),
        // The merged field starts after the other one.
        (vec![pool(5, None), cage("b"), pool(0, Some("g"))], pool(0, Some("g"))),
    ] {
        let bytes: Vec<u8> = parts.iter().flat_map(Encode::to_bytes).collect();
        assert_eq!(zoo::Animal::decode_owned(&bytes), Ok(left.clone()));
        assert_eq!(zoo::AnimalRef::decode(&bytes, &Arena::new()).map(zoo::AnimalRef::into_owned), Ok(left));
    }
}

#[test]
fn depth_and_size_are_limited() {
    let mut animal = zoo::Animal::default();
    for _ in 0..99 {
        animal = zoo::Animal { mother: Some(Box::new(animal)), ..zoo::Animal::default() };
    }
    let bytes = animal.to_bytes();
    assert_eq!(zoo::Animal::decode_owned(&bytes), Ok(animal.clone()));
    let deeper = zoo::Animal { mother: Some(Box::new(animal)), ..zoo::Animal::default() }.to_bytes();
    let arena = Arena::new();
    for error in [zoo::Animal::decode_owned(&deeper).unwrap_err(), zoo::AnimalRef::decode(&deeper, &arena).unwrap_err()] {
        assert_eq!((error.cause(), error.path().len()), (Cause::Depth, 101));
    }
    let deep = Limits { depth: 1000, ..Limits::DEFAULT };
    assert!(zoo::Animal::decode_owned_limited(&deeper, &deep).is_ok());
    let small = Limits { length: 3, ..Limits::DEFAULT };
    assert_eq!(zoo::Animal::decode_owned_limited(&bytes, &small).unwrap_err().cause(), Cause::Size);
    // Unknown groups count toward the depth too.
    let groups = [vec![0x63; 200], vec![0x64; 200]].concat();
    assert_eq!(zoo::Animal::decode_owned(&groups).unwrap_err().cause(), Cause::Depth);
}

#[test]
fn errors_tell_where() {
    for (bytes, shown) in [
        (&[0x12, 2, b'a', 0xff][..], "text that is not UTF-8, at byte 3, in zoo.Animal.name"),
        (&[0x12, 9], "the end of the bytes that hold the value, at byte 2, in zoo.Animal.name"),
        (&[0x3a, 4, 0x12, 2, 0x0a, 5], "the end of the bytes that hold the value, at byte 6, in zoo.Animal.pool.guests[0].key"),
        (&[0x42, 1, 0x0f], "the wire type 6 or 7, at byte 2, in zoo.Animal.mother"),
        (&[0x0c], "the end of a group that is not open, at byte 0, in zoo.Animal"),
        (&[0x05], "a tag with field number 0 or beyond 32 bits, at byte 0, in zoo.Animal"),
        (
            &[0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
            "a number that does not end after ten bytes, or a tag or length that does not after five, at byte 1, in zoo.Animal.id",
        ),
    ] {
        assert_eq!(zoo::Animal::decode_owned(bytes).unwrap_err().to_string(), shown);
    }
}

/// Reads lists whose pieces alternate with others, and maps of one key, in linear time and memory.
#[test]
fn what_comes_in_many_pieces_takes_no_more() {
    let pieces: Vec<u8> = std::iter::repeat_n([0x28, 2, 0x08, 1], 50_000).flatten().collect();
    let mut arena = Arena::new();
    assert_eq!(zoo::AnimalRef::decode(&pieces, &arena).unwrap().moods.len(), 50_000);
    assert!(arena.capacity() < 4_000_000, "{}", arena.capacity());
    assert_eq!(zoo::Animal::decode_owned(&pieces).unwrap().moods.len(), 50_000);
    let entries: Vec<u8> = std::iter::repeat_n([0x12, 4, 0x0a, 0, 0x10, 1], 50_000).flatten().collect();
    assert_eq!(zoo::Pool::decode_owned(&entries).unwrap().guests.len(), 1);
    assert_eq!(zoo::PoolRef::decode(&entries, &arena).unwrap().guests, [("", 1)]);
}

#[test]
fn dictionaries_have_protobuf_too() {
    // The test `conformance` checks Protobuf of protocols too.
    let protocols = polywire_codegen_conformance::DOORS.iter().filter(|door| door.protobuf.is_some()).count();
    assert!(protocols > 15, "{protocols} messages of protocols have Protobuf too");
    let voucher = |n: u64| tickets::I { n, s: n as f64, g: format!("Goods ID is {n}"), t: n as i64, b: n.is_multiple_of(2) };
    let sales = tickets::S { n: 1234, m: 9_992_828, s: 8_887_776, e: 8_889_999, v: (0..20).map(voucher).collect() };
    let bytes = Encode::<Protobuf>::to_bytes(&sales);
    assert_eq!(DecodeOwned::<Protobuf>::decode_owned(&bytes), Ok(sales.clone()));
    let arena = Arena::new();
    let lent: tickets::SRef<'_> = Decode::<Protobuf>::decode(&bytes, &arena).unwrap();
    assert_eq!(lent.into_owned(), sales);
    let text = std::fs::read_to_string(golden("tickets.udic")).unwrap();
    Converted::new(&Usds, &text).expect("it can be converted").knows("S", &bytes);
    let dog = pets::Dog { name: "Rex".into(), kind: None, walks: vec![vec![0.5], Vec::new()], chip: Some(65_535) };
    let home = pets::Home { pets: vec![pets::Pet::Dog(dog), pets::Pet::Fish(pets::Fish::default())], r#where: None };
    let bytes = Encode::<Protobuf>::to_bytes(&home);
    assert_eq!(DecodeOwned::<Protobuf>::decode_owned(&bytes), Ok(home));
    let text = std::fs::read_to_string(golden("pets.udic")).unwrap();
    Converted::new(&Usds, &text).expect("it can be converted").knows("Home", &bytes);
    // A number outside the type's range is rejected.
    let fish = <pets::Fish as DecodeOwned<Protobuf>>::decode_owned(&[0x08, 0x80, 2, 0x10, 1]);
    assert_eq!(fish.unwrap_err().cause(), Cause::Range);
}

#[test]
fn what_has_no_code_is_told() {
    let refused = |name: &str, text: &str, encodings: &[&str]| {
        let config = Config::new().encodings(encodings.iter().copied());
        config.generate(Path::new(name), text.as_bytes()).unwrap_err().to_string()
    };
    let told = refused("t.proto", "syntax = \"proto2\"; message M { required M m = 1; }", &[]);
    assert!(told.contains("`M` requires itself"), "{told}");
    let told = refused("t.proto", "syntax = \"proto2\"; message M { option message_set_wire_format = true; extensions 4 to max; }", &[]);
    assert!(told.contains("message set"), "{told}");
    let told = refused("t.proto", "syntax = \"proto3\"; message M { repeated M m = 1; }", &["protobuf", "usds"]);
    assert!(told.contains("`M`, which holds itself"), "{told}");
    let told = refused("t.proto", "syntax = \"proto3\"; message M { map<int32, int32> m = 1; }", &["usds"]);
    assert!(told.contains("a map in `M`"), "{told}");
    let told = refused("t.extprot", "message m = { a [@lazy] : [int] }", &["protobuf"]);
    assert!(told.contains("the lazy field `a`"), "{told}");
    // A message type that contains itself is behind a pointer, or rejected.
    let nested = |label: &str| {
        let messages = (1..40).map(|n| format!("message M{n} {{ {label} M{0} a = 1; {label} M{0} b = 2; }}", n - 1));
        format!("syntax = \"proto2\"; message M0 {{ {label} int32 x = 1; }} {}", messages.collect::<String>())
    };
    assert!(Config::new().generate(Path::new("t.proto"), nested("optional").as_bytes()).is_ok());
    let told = refused("t.proto", &nested("required"), &[]);
    assert!(told.contains("would take more than"), "{told}");
}
