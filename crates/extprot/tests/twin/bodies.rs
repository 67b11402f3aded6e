//! The bodies of the fuzz targets: plain functions that panic where a promise is broken.

use std::sync::OnceLock;

use polywire_core::limits::{Budget, Limits};
use polywire_core::read::Reader;
use polywire_core::testing;
use polywire_core::value::ValueSink;
use polywire_extprot::failure::SizeLimits;
use polywire_extprot::model::Protocol;
use polywire_extprot::plain::{FORMAT, PlainReader};
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::ExtprotReader;

use super::doors::Doors;
use super::shown::{hex, shown};

/// Protocols with everything that types can be; the message is `m`.
pub const PROTOCOLS: &[&str] = &[
    "type s 'a 'b 'c = A 'a | B 'b | C 'c | D
     message m = A { a1 : [ (int * [| bool |]) ]; a2 : [ s<int, string, long> ] } | B { b1 : bool; b2 : (string * [ int ]) }",
    "message m = { a : int; b : string [@default \"x\"]; c : float; d : byte [@default 3]; e : long; f : bool }",
    "type t = One | Two int | Three string [@default \"y\"] (float * [ bool ]) | Four
     type p = (int * t * [ string ])
     message inner = { x : int [@default 1]; y : t }
     message u = V { p : p } | W { i : inner; n : long }
     message m = { v : u; w : inner; l : [ inner ]; s : t; p : p }",
    "message full = { a : int; b : string; c : [ int ]; d : long }
     message some = {| full | a; c |}
     message m = { first : some; rest : [ some ] }",
    "type deep = [ [ [ [ (bool * [ byte ]) ] ] ] ]
     message m = { d : deep; e : deep }",
];

fn protocols() -> &'static [Protocol] {
    static COMPILED: OnceLock<Vec<Protocol>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let each = PROTOCOLS.iter().map(|text| compile("fuzz", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}")));
        each.collect()
    })
}

/// A message without its protocol: no panic, and everything told lies in the message.
pub fn walk(bytes: &[u8]) {
    testing::fuzz_walk(&FORMAT, bytes);
    testing::fuzz_skip(&FORMAT, bytes);
    testing::fuzz_inspect(&FORMAT, bytes);
    testing::fuzz_frames(&FORMAT, bytes, bytes.len() / 2);
}

/// A message of a protocol, which the first byte chooses, and limits, which the second one does: all decoders agree.
pub fn decode(bytes: &[u8]) {
    let [choice, limit, bytes @ ..] = bytes else { return };
    let protocol = &protocols()[usize::from(*choice) % PROTOCOLS.len()];
    let doors = Doors::new(protocol, "m");
    let of = |bits: u8| if limit >> bits & 3 == 0 { u64::MAX } else { u64::from(limit >> bits & 3) * 6 };
    let limits = SizeLimits { message_length: of(0), elements: of(2), string_length: of(4) };
    let decoded = doors.decode(bytes, &limits);
    // What a decoder accepts can be stepped over without the protocol, and read without it unless a part was only stepped over.
    if let Ok((_, end)) = decoded {
        let mut budget = Budget::new(&Limits::DEFAULT);
        let _ = PlainReader::default().walk(&bytes[..end], 0, &mut ValueSink::default(), &mut budget);
        let mut reader = ExtprotReader::new(doors.plan).limits(limits);
        let framed = reader.frame(bytes, 0, true).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
        assert_eq!(framed, polywire_core::read::Frame::Message { start: 0, end }, "{}", hex(bytes));
    }
}

/// What is decoded is encoded, and decoded to the same value; once more, to the same bytes.
pub fn rewrite(bytes: &[u8]) {
    let [choice, bytes @ ..] = bytes else { return };
    let protocol = &protocols()[usize::from(*choice) % PROTOCOLS.len()];
    let doors = Doors::new(protocol, "m");
    if !doors.plan.is_encodable() {
        return;
    }
    let Ok((value, _)) = doors.decode(bytes, &SizeLimits::NONE) else { return };
    let written = doors.encode(&value).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
    let (again, end) = doors.decode(&written, &SizeLimits::NONE).unwrap_or_else(|failure| panic!("{}: {failure}", hex(&written)));
    assert_eq!((shown(&again), end), (shown(&value), written.len()), "{}", hex(&written));
    assert_eq!(hex(&doors.encode(&again).expect("it was written before")), hex(&written));
}
