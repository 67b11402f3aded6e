//! A program of an older version passes messages of a newer one on.

mod twin;

use std::sync::Arc;

use polywire_core::limits::{Budget, Limits};
use polywire_core::testing::Rng;
use polywire_core::write::{Lost, Writer};
use polywire_extprot::model::Protocol;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter};

use twin::doors::Doors;
use twin::random::value;
use twin::shown::{hex, unhex};

fn protocol(text: &str) -> Protocol {
    compile("versions", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"))
}

/// What comes of `bytes` when they pass a program with `plan`.
fn passed(plan: &Arc<Plan>, bytes: &[u8], kept: bool) -> (Vec<u8>, Vec<Lost>) {
    let mut writer = ExtprotWriter::new(Arc::clone(plan)).expect("it can be written").unknown(kept);
    let mut budget = Budget::new(&Limits::DEFAULT);
    let reader = ExtprotReader::new(Arc::clone(plan));
    reader.walk_into(bytes, 0, &mut writer, &mut budget).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap_or_else(|error| panic!("{error}"));
    (out, writer.losses())
}

const OLD: &str = "type t = One | Two int | Three string int
    message inner = { x : int; t : t }
    message m = A { i : inner; p : (int * bool); l : [ inner ] } | B { t : t }";

/// Every row of values has more at its end.
const NEW: &str = "type t = One | Two int [ bool ] | Three string int (int * string)
    message inner = { x : int; t : t; y : [ string ] }
    message m = A { i : inner; p : (int * bool * float * long); l : [ inner ]; z : byte } | B { t : t; u : t }";

#[test]
fn what_an_older_version_does_not_know_passes_it() {
    let (old, new) = (protocol(OLD), protocol(NEW));
    let (old, new) = (Doors::new(&old, "m"), Doors::new(&new, "m"));
    let node = new.protocol.message("m").expect("the message is there");
    let mut rng = Rng::with_seed(8);
    let mut dropped = 0;
    for _ in 0..2000 {
        let bytes = new.encode(&value(new.protocol, node, &mut rng)).expect("a value of the type is written");
        let (back, lost) = passed(&old.plan, &bytes, true);
        assert_eq!(hex(&back), hex(&bytes));
        assert_eq!(lost, []);
        let (back, lost) = passed(&old.plan, &bytes, false);
        dropped += usize::from(!lost.is_empty());
        assert_eq!(lost.is_empty(), back == bytes);
    }
    assert!(dropped > 1500, "{dropped}");
}

#[test]
fn what_has_no_place_is_told() {
    // The last field was an int, and is a tuple now: what is in the tuple is no field of the message.
    let old = Arc::new(Plan::new(&protocol("message m = { b : bool; v : int }"), None).expect("a message"));
    let (back, lost) = passed(&old, &unhex("010b0202010106020003030161"), true);
    assert_eq!((hex(&back).as_str(), lost.len()), ("01050202010003", 1));
    // The same, and a field behind it, which is one.
    let (back, lost) = passed(&old, &unhex("010d03020101060200030301610207"), true);
    assert_eq!((hex(&back).as_str(), lost.len()), ("010703020100030207", 1));
    // A constructor with nothing else.
    let (back, lost) = passed(&old, &unhex("010a03020101030100030207"), true);
    assert_eq!((hex(&back).as_str(), lost.len()), ("010703020100030207", 0));
    // Bytes that are no element.
    let (back, lost) = passed(&old, &unhex("01060202010003ff"), true);
    assert_eq!((hex(&back).as_str(), lost.len()), ("01050202010003", 1));
}

#[test]
fn a_writer_forgets_what_the_last_message_had() {
    let old = Arc::new(Plan::new(&protocol("message m = { v : int }"), None).expect("a message"));
    let mut writer = ExtprotWriter::new(Arc::clone(&old)).expect("it can be written").unknown(true);
    let reader = ExtprotReader::new(Arc::clone(&old));
    let mut out = Vec::new();
    for bytes in ["01050200030207", "0103010005", "01050200030207"] {
        reader.walk_into(&unhex(bytes), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).expect("a message");
        writer.finish(&mut out).expect("a message");
    }
    assert_eq!(hex(&out), "010502000302070103010005".to_string() + "01050200030207");
    reader.walk_into(&unhex("01050200030207"), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).expect("a message");
    writer.reset();
    out.clear();
    reader.walk_into(&unhex("0103010005"), 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).expect("a message");
    writer.finish(&mut out).expect("a message");
    assert_eq!(hex(&out), "0103010005");
}
