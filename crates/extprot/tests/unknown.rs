//! A program of an older version passes messages of a newer one on.

mod twin;

use std::path::Path;
use std::sync::Arc;

use polywire_core::format::Dialect;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Projection, Walker};
use polywire_core::tools::convert::convert;
use polywire_core::{Budget, Limits, LossKind, Lost, Writer};
use polywire_extprot::FORMAT;
use polywire_extprot::model::Protocol;
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter};
use polywire_testing::Rng;

use twin::doors::Doors;
use twin::random::value;
use twin::shown::{hex, unhex};

fn protocol(text: &str) -> Protocol {
    compile("versions", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"))
}

/// Returns the result for `bytes` when they pass a program with `plan`.
fn passed(plan: &Arc<Plan>, bytes: &[u8], kept: bool) -> (Vec<u8>, Vec<Lost>) {
    let mut writer = ExtprotWriter::new(Arc::clone(plan)).expect("it can be written").unknown(kept);
    let mut budget = Budget::new(&Limits::DEFAULT);
    let reader = ExtprotReader::new(Arc::clone(plan));
    reader.walk_into(bytes, 0, &mut writer, &mut budget).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap_or_else(|error| panic!("{error}"));
    let lost = writer.losses().into_iter().filter(|lost| lost.kind != LossKind::Caution);
    (out, lost.collect())
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
fn what_a_primitive_became_passes_too() {
    let old = Arc::new(
        Plan::new(&protocol("type t = C [ int ]  message m = { b : bool; v : int; l : [ float ]; t : t; p : (int * int) }"), None)
            .expect("a message"),
    );
    let new = protocol(
        "type s = A int | B int
         type t = C [ (int * string) ]
         message w = { x : float; y : bool }
         message o = { x : int }
         message m = { b : bool; v : (int * string * [ o ]); l : [ w ]; t : t; p : s_or_p; z : byte }"
            .replace("s_or_p", "(o * int)")
            .as_str(),
    );
    let new = Doors::new(&new, "m");
    let node = new.protocol.message("m").expect("the message is there");
    let mut rng = Rng::with_seed(9);
    for _ in 0..500 {
        let bytes = new.encode(&value(new.protocol, node, &mut rng)).expect("a value of the type is written");
        let (back, lost) = passed(&old, &bytes, true);
        assert_eq!(hex(&back), hex(&bytes));
        assert_eq!(lost, []);
    }
}

#[test]
fn a_tuple_keeps_the_tag_of_a_case() {
    let old = Arc::new(Plan::new(&protocol("message m = { l : [ (int * bool) ] }"), None).expect("a message"));
    let new = protocol("type t = A int bool | B int bool string | C int bool  message m = { l : [ t ] }");
    let new = Doors::new(&new, "m");
    let node = new.protocol.message("m").expect("the message is there");
    let mut rng = Rng::with_seed(10);
    let mut told = 0;
    for _ in 0..200 {
        let bytes = new.encode(&value(new.protocol, node, &mut rng)).expect("a value of the type is written");
        let (back, lost) = passed(&old, &bytes, true);
        assert_eq!((hex(&back), lost), (hex(&bytes), vec![]));
        let (back, lost) = passed(&old, &bytes, false);
        assert_eq!(lost.is_empty(), back == bytes);
        told += lost.len();
    }
    assert!(told > 100, "{told}");
}

#[test]
fn what_is_no_element_is_told() {
    let plan = |text: &str| Arc::new(Plan::new(&protocol(text), None).expect("a message"));
    let old = plan("message m = { b : bool; v : int }");
    // An element behind the last, and in the tuple that the last became.
    for whole in ["010b0202010106020003030161", "010d03020101060200030301610207", "010a03020101030100030207"] {
        let (back, lost) = passed(&old, &unhex(whole), true);
        assert_eq!((hex(&back).as_str(), lost.len()), (whole, 0));
    }
    // Bytes that are none, there and there, and behind the elements of a list.
    for (bytes, kept) in [("01060202010003ff", "01050202010003"), ("010902020101040100 03ff", "01080202010103010003")] {
        let (back, lost) = passed(&old, &unhex(&bytes.replace(' ', "")), true);
        assert_eq!((hex(&back).as_str(), lost.len()), (kept, 1));
    }
    let (back, lost) = passed(&plan("message m = { l : [ int ] }"), &unhex("01080105050100020002"), true);
    assert_eq!((hex(&back).as_str(), lost.len()), ("0106010503010002", 1), "{lost:?}");
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

/// A conversion from extprot to extprot by an older protocol: the bytes, and how much was lost.
fn converted(change: impl Fn(Walker) -> Walker) -> (Vec<u8>, u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let message = std::fs::read(root.join("corpus/extprot/fleet.epm")).expect("a message");
    let dialect = Dialect::with_schema(&FORMAT, &root.join("schemas/fleet-older.extprot"), None, &[]).expect("a protocol");
    let mut walker = change(Walker::new(dialect.clone(), &Limits::DEFAULT));
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(&message[..]), &mut out, &mut walker, dialect).expect("a conversion");
    assert_eq!(done.messages, 1);
    (out, done.losses.iter().map(|loss| loss.count).sum())
}

#[test]
fn a_conversion_keeps_it_where_the_message_stays_the_same() {
    let whole = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/corpus/extprot/fleet.epm")).expect("a message");
    for kept in [Doubles::Refuse, Doubles::Keep] {
        assert_eq!(converted(|walker| walker.doubles(kept)), (whole.clone(), 0));
    }
    // Arranged, it is another message: what nobody knows has no place in it.
    let (last, lost) = converted(|walker| walker.doubles(Doubles::Last));
    assert_eq!(lost, 3);
    let path = polywire_core::walk::Path::parse("Fleet[].vehicles").expect("a path");
    let (selected, _) = converted(|walker| walker.select(Some(Projection::new(std::slice::from_ref(&path)))));
    assert_eq!(selected, last);
}
