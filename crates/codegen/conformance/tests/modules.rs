//! Messages of another module: generated code uses the types of the module beside it, and the bytes
//! are those of one protocol that includes both.

use std::path::Path;

use polywire_core::value::ValueSink;
use polywire_core::{Budget, Limits};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::ExtprotReader;
use polywire_extprot_runtime::{self as runtime, Arena, Decode as _, DecodeOwned as _, Encode as _, Lazy, Validate as _};

#[allow(dead_code)]
mod geo {
    include!(concat!(env!("OUT_DIR"), "/geo.rs"));
}

#[allow(dead_code)]
mod trip {
    include!(concat!(env!("OUT_DIR"), "/trip.rs"));
}

use geo::{Place, Point, ShapeType};
use trip::{Trip, TripRef};

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("modules").join(name).with_extension("extprot");
    std::fs::read_to_string(path).expect("the protocol is there")
}

fn sample() -> Trip {
    let point = |x| Point { x, y: -2 };
    let place = |name: &str| Place { name: name.as_bytes().to_vec(), at: point(7) };
    let seen = (ShapeType::Line { ps: vec![point(1), point(2)] }, true);
    Trip { id: 5, start: point(1), stops: vec![place("a"), place("b")], seen, notes: Lazy::Decoded(vec![place("n")]) }
}

#[test]
fn messages_of_another_module_are_read_and_written() {
    let bytes = sample().to_bytes();
    let mut back = Trip::decode_owned(&bytes).expect("it was written");
    assert_eq!(back.decoded_notes().expect("it was written").len(), 1);
    assert_eq!(back, sample());
    let arena = Arena::new();
    let lent = TripRef::decode(&bytes, &arena).expect("it was written");
    assert_eq!((lent.stops[1].name, lent.start), (&b"b"[..], Point { x: 1, y: -2 }));
    assert_eq!(lent.to_bytes(), bytes);
    // The same types in one protocol.
    let one = text("geo") + &text("trip").replace("Geo.", "");
    let protocol = compile("one", one.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    let reader = ExtprotReader::new(Plan::new(&protocol, Some("trip")).expect("all of it is known").into());
    let mut sink = ValueSink::default();
    let end = reader.walk_into(&bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT)).expect("the codec reads it");
    assert_eq!(end, Some(bytes.len()));
}

#[test]
fn mistakes_in_them_have_their_place() {
    let bytes = sample().to_bytes();
    let limits = runtime::Limits { string_length: 0, ..runtime::Limits::NONE };
    let error = Trip::validate_limited(&bytes, &limits).expect_err("it has a string");
    assert!(error.to_string().ends_with("in trip/stops/place/name"), "{error}");
    for cut in 0..bytes.len() {
        assert!(Trip::validate(&bytes[..cut]).is_err(), "{cut}");
        assert!(Trip::decode_owned(&bytes[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn by_the_protocol_alone_they_are_not_known() {
    let protocol = compile("trip", text("trip").as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
    let error = Plan::new(&protocol, None).expect_err("nothing is known of them").to_string();
    assert!(error.contains("the message `trip`, which holds a message of another module"), "{error}");
    assert!(error.contains("include the other protocol instead"), "{error}");
}
