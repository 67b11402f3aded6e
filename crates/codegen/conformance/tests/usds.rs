//! Code generated from dictionaries: the golden files, the vectors, and random and tampered bodies.

use std::path::{Path, PathBuf};

use polywire_codegen::Config;
use polywire_codegen_conformance::bytes::tamper;
use polywire_codegen_conformance::usds::{DOORS, Twin, door, fuzz};
use polywire_usds::testing;
use polywire_usds_runtime::{Arena, Decode, DecodeOwned, Encode, Form, PathStep, Problem, Root, Validate};
use serde_json::Value;

#[rustfmt::skip] // As the generator lays it out.
#[path = "../golden/pets.rs"]
mod pets;
#[rustfmt::skip] // As the generator lays it out.
#[path = "../golden/tickets.rs"]
mod tickets;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// `UPDATE_GOLDEN=1` rewrites the files.
#[test]
fn generated_files_are_what_the_generator_makes() {
    for name in ["tickets", "pets"] {
        let schema = golden(name).with_extension("udic");
        let text = std::fs::read(&schema).unwrap();
        let made = Config::new().generate(&schema, &text).unwrap_or_else(|failure| panic!("{failure}")).text;
        let kept = golden(name).with_extension("rs");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&kept, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&kept).unwrap() == made, "{} is out of date", kept.display());
    }
}

fn sales(vouchers: u64) -> tickets::S {
    let voucher = |n: u64| tickets::I { n, s: n as f64, g: format!("Goods ID is {n}"), t: n as i64, b: n.is_multiple_of(2) };
    tickets::S { n: 1234, m: 9_992_828, s: 8_887_776, e: 8_889_999, v: (0..vouchers).map(voucher).collect() }
}

/// Tests the document of docs/spec/usds.md 11.2.
#[test]
fn ticket_sales_have_the_published_sizes() {
    for (vouchers, size) in [(2, 89), (1000, 34_788)] {
        let mut body = Vec::new();
        sales(vouchers).encode(&mut body);
        assert_eq!(body.len(), size);
        let arena = Arena::new();
        assert_eq!(tickets::S::decode_owned(&body), Ok(sales(vouchers)));
        assert_eq!(tickets::SRef::decode(&body, &arena).map(tickets::SRef::into_owned), Ok(sales(vouchers)));
        for form in [Form::HeadDictionaryBody, Form::HeadBody, Form::Body] {
            let document = sales(vouchers).to_document(form).unwrap();
            assert_eq!(tickets::S::decode_owned(&document), Ok(sales(vouchers)));
            assert_eq!(tickets::S::validate(&document), Ok(()));
            if vouchers == 2 && form == Form::HeadDictionaryBody {
                assert_eq!(document.len(), 169);
            }
        }
    }
}

#[test]
fn another_dictionary_is_refused() {
    let document = sales(2).to_document(Form::HeadDictionaryBody).unwrap();
    for (at, code) in [(4, 9001), (8, 9001), (19, 9001), (0, 11001), (1, 11001), (10, 2003), (80, 11001), (81, 13002)] {
        let mut other = document.clone();
        other[at] ^= 0x20;
        assert_eq!(tickets::S::decode_owned(&other).map_err(|error| error.cause().code()), Err(code), "{at}");
    }
    assert_eq!(tickets::S::decode_owned(&[&document[..], &[0]].concat()).unwrap_err().cause().problem, Problem::Document);
    assert_eq!(tickets::S::decode_owned(&[]).unwrap_err().cause().code(), 2002);
    assert_eq!(tickets::S::decode_owned(&[0x62, 2]).unwrap_err().cause().code(), 11001);
}

#[test]
fn errors_tell_where() {
    let mut body = Vec::new();
    sales(2).encode(&mut body);
    body[88] = 7;
    let error = tickets::S::decode_owned(&body).unwrap_err();
    let path = [PathStep::Name("S"), PathStep::Name("v"), PathStep::Index(1), PathStep::Name("b")];
    assert_eq!((error.cause().code(), error.offset(), error.path()), (26, 88, &path[..]));
    assert_eq!(error.to_string(), "a byte that is neither 00 nor FF (USDS error 26), at byte 88, in S.v[1].b");
}

#[test]
fn every_type_of_the_profile_comes_back() {
    let dog = pets::Dog {
        name: "Rex".into(),
        kind: Some(pets::Kind { size: pets::KindSize::Large, age: -3, note: Some(b"\xff".to_vec()) }),
        walks: vec![vec![0.5], Vec::new()],
        chip: Some(65_535),
    };
    let home = pets::Home {
        pets: vec![pets::Pet::Dog(dog), pets::Pet::Fish(pets::Fish::default()), pets::Pet::Dog(pets::Dog::default())],
        r#where: Some(pets::HomeWhere { x: 1.0, y: -1.0 }),
    };
    assert!(pets::Fish::default().alive && pets::Kind::default().age == 1);
    let mut body = Vec::new();
    home.encode(&mut body);
    pets::Counts { value: vec![1, u64::MAX] }.encode_root(&mut body);
    let twin = Twin::new(door(&std::fs::read_to_string(golden("pets.udic")).unwrap()).expect("code was made of it"));
    assert!(twin.agree(&body[1..]));
    let mut roots = polywire_usds_runtime::Roots::open(&body, pets::Home::DICTIONARY).unwrap();
    assert_eq!(roots.next_owned::<pets::Home>(), Ok(home));
    assert_eq!(roots.next_owned::<pets::Counts>(), Ok(pets::Counts { value: vec![1, u64::MAX] }));
    assert_eq!(roots.tag(), Ok(None));
}

#[test]
fn types_that_hold_themselves_are_refused() {
    let text = b"USDS T { Node { INT n; Node[] kids; }; }";
    let failure = Config::new().generate(Path::new("t.udic"), text).unwrap_err().to_string();
    assert!(failure.contains("`Node` holds itself"), "{failure}");
}

/// The test `conformance` checks USDS of protocols too. This one checks that many protocols have
/// it, and why the others do not.
#[test]
fn protocols_have_both_encodings() {
    let both = polywire_codegen_conformance::DOORS.iter().filter(|door| door.usds.is_some()).count();
    assert!(both > 40, "{both} messages have both encodings");
    let config = Config::new().encodings(["extprot", "usds"]);
    let refused = |text: &str| config.generate(Path::new("t.extprot"), text.as_bytes()).unwrap_err().to_string();
    assert!(refused("message m = { a [@lazy] : [int] }").contains("the lazy field `a`"));
    assert!(refused("message m = { a : Other.thing }").contains("a message of another module"));
    let failure = Config::new().encodings(["json"]).generate(Path::new("t.extprot"), b"message m = { a : int }").unwrap_err().to_string();
    assert!(failure.contains("`json`") && failure.contains("usds"), "{failure}");
    // A dictionary has only its own encoding.
    assert!(Config::new().encodings(["extprot"]).generate(Path::new("t.udic"), b"USDS T { INT a; }").is_err());
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

#[test]
fn vectors_are_the_same_through_generated_code() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/usds")];
    folders.extend(std::env::var_os("POLYWIRE_VECTORS").map(|folder| Path::new(&folder).join("usds")));
    let mut documents = 0;
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    for file in files.filter(|file| file.path().extension().is_some_and(|ending| ending == "json")) {
        let vectors: Value = serde_json::from_str(&std::fs::read_to_string(file.path()).unwrap()).unwrap();
        for case in vectors["cases"].as_array().unwrap().iter().filter(|case| case["kind"] == "document") {
            let part = |name: &str| case["expect"][name].as_str().map(unhex);
            let (Some(text), Some(head), Some(dictionary), Some(body)) =
                (case["dictionary"].as_str(), part("head_hex"), part("dict_hex"), part("body_hex"))
            else {
                continue;
            };
            let id = &case["id"];
            let Some(door) = door(text) else {
                // Types that contain themselves are rejected.
                let failure = Config::new().generate(Path::new("t.udic"), text.as_bytes()).expect_err("code that was not made");
                assert!(failure.to_string().contains("holds itself"), "{id}: {failure}");
                continue;
            };
            let twin = Twin::new(door);
            assert!(twin.agree(&body[1..]), "{id}");
            let document = (door.document)(Form::HeadDictionaryBody, &body).unwrap();
            assert!(document.starts_with(&head) && document.ends_with(&[&dictionary[..], &body].concat()), "{id}");
            assert_eq!((door.own)(&document), Ok(body), "{id}");
            documents += 1;
        }
    }
    assert!(documents > 20, "{documents}");
}

#[test]
fn random_and_tampered_bodies_agree_with_the_codec() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut seen = [0, 0];
    for door in DOORS {
        let twin = Twin::new(door);
        for _ in 0..60 {
            let Some(document) = testing::document(&mut random, &twin.dictionary) else { continue };
            let mut entries = twin.doors.encode(&document);
            assert!(twin.agree(&entries));
            for _ in 0..5 {
                seen[usize::from(twin.agree(&entries))] += 1;
                tamper(&mut entries, &mut random);
            }
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

#[test]
fn the_fuzz_target_holds() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut document = sales(2).to_document(Form::HeadDictionaryBody).unwrap();
    for first in 0..DOORS.len() as u8 {
        for _ in 0..20 {
            tamper(&mut document, &mut random);
            fuzz(&[&[first], &document[..]].concat());
        }
        document = (DOORS[usize::from(first)].document)(Form::HeadDictionaryBody, &[0x42, 1, 5]).unwrap();
    }
}

#[test]
fn counts_that_no_input_holds_allocate_nothing() {
    let body = [&[0x42, 2, 1][..], &[0; 20], &[0xff, 0xff, 0xff, 0xff, 0x0f]].concat();
    let error = tickets::S::decode_owned(&body).unwrap_err();
    assert_eq!((error.cause().code(), error.offset()), (2003, body.len()));
}
