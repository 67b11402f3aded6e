//! The bodies of the fuzz targets: plain functions that panic where a promise is broken.

use std::sync::{Arc, OnceLock};

use polywire_core::value::ValueSink;
use polywire_core::{Budget, Frame, Limits, LossKind, Reader, Writer};
use polywire_extprot::error::{DecodeError, SizeLimits};
use polywire_extprot::model::Protocol;
use polywire_extprot::plain::{FORMAT, PlainReader};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{ExtprotReader, ExtprotWriter, Refusal, VersionedReader, VersionedRefusal};
use polywire_extprot::wire;
use polywire_testing as testing;

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

/// A version of a protocol and a later one, whose messages it reads without taking numbers for
/// wider ones.
pub const VERSIONS: &[(&str, &str)] = &[
    (
        "type t = One | Two int
         message inner = { x : int; t : t }
         message m = A { i : inner; p : (int * bool); l : [ inner ] } | B { t : t; v : string }",
        "type t = One | Two int [ bool ]
         message inner = { x : int; t : t; y : [ string ] }
         message m = A { i : inner; p : (int * bool * float); l : [ inner ]; z : byte } | B { t : t; v : (string * t); u : t }",
    ),
    (
        "message m = { b : bool; l : [ (int * bool) ]; f : [ float ]; v : long }",
        "type t = A int bool | B int bool string
         message w = { x : float; y : (int * byte) }
         message m = { b : bool; l : [ t ]; f : [ w ]; v : (long * [ w ]); more : [ t ] }",
    ),
];

fn compiled(text: &str) -> Protocol {
    compile("fuzz", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"))
}

fn protocols() -> &'static [Protocol] {
    static COMPILED: OnceLock<Vec<Protocol>> = OnceLock::new();
    COMPILED.get_or_init(|| PROTOCOLS.iter().map(|text| compiled(text)).collect())
}

fn versions() -> &'static [(Protocol, Protocol)] {
    static COMPILED: OnceLock<Vec<(Protocol, Protocol)>> = OnceLock::new();
    COMPILED.get_or_init(|| VERSIONS.iter().map(|(old, new)| (compiled(old), compiled(new))).collect())
}

/// Returns the bytes that a program with `plan` passes on, and the number of its losses.
fn passed(plan: &Arc<Plan>, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut writer = ExtprotWriter::new(Arc::clone(plan)).expect("it can be written").unknown(true);
    let reader = ExtprotReader::new(Arc::clone(plan));
    reader.walk_into(bytes, 0, &mut writer, &mut Budget::new(&Limits::DEFAULT)).ok()?;
    let mut out = Vec::new();
    writer.finish(&mut out).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
    Some((out, writer.losses().iter().filter(|lost| lost.kind != LossKind::Caution).count()))
}

/// A message of a later version, the first byte chooses which, passes a program of the older one:
/// nothing of it is lost, and of any bytes the older one reads the same as before.
pub fn relay(bytes: &[u8]) {
    let [choice, bytes @ ..] = bytes else { return };
    let (old, new) = &versions()[usize::from(*choice) % VERSIONS.len()];
    let (old, new) = (Doors::new(old, "m"), Doors::new(new, "m"));
    if let Ok((value, end)) = old.decode(bytes, &SizeLimits::NONE) {
        let (out, _) = passed(&old.plan, bytes).unwrap_or_else(|| panic!("{} is refused", hex(bytes)));
        let (again, to) = old.decode(&out, &SizeLimits::NONE).unwrap_or_else(|failure| panic!("{}: {failure}", hex(&out)));
        assert_eq!((shown(&again), to), (shown(&value), out.len()), "{} became {}", hex(&bytes[..end]), hex(&out));
        assert_eq!(passed(&old.plan, &out).map(|(out, lost)| (hex(&out), lost)), Some((hex(&out), 0)), "{}", hex(bytes));
    }
    let Ok((value, _)) = new.decode(bytes, &SizeLimits::NONE) else { return };
    let message = new.encode(&value).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
    assert_eq!(passed(&old.plan, &message).map(|(out, lost)| (hex(&out), lost)), Some((hex(&message), 0)));
}

/// Versioned frames, cut in two at the byte that the first one says: what is read of each is what
/// the reader of its version reads.
pub fn versioned(bytes: &[u8]) {
    let [cut, bytes @ ..] = bytes else { return };
    let plans = || protocols().iter().map(|protocol| Arc::new(Plan::new(protocol, Some("m")).expect("a message")));
    let mut reader = VersionedReader::new(plans());
    let whole = reader.frame(bytes, 0, true);
    let mut cutting = VersionedReader::new(plans());
    let cut = usize::from(*cut).min(bytes.len());
    let first = cutting.frame(&bytes[..cut], 0, false);
    match (&whole, &first) {
        (Ok(whole), Ok(Frame::More(more))) => {
            assert!(*more > 0, "{}", hex(bytes));
            assert_eq!(cutting.frame(bytes, 0, true).ok(), Some(*whole), "{} cut at {cut}", hex(bytes));
        }
        (Err(_), Ok(Frame::More(_))) => assert!(cutting.frame(bytes, 0, true).is_err(), "{} cut at {cut}", hex(bytes)),
        (Ok(whole), Ok(first)) => assert_eq!(whole, first, "{} cut at {cut}", hex(bytes)),
        (Err(_), Err(_)) => {}
        _ => panic!("{} cut at {cut}: {whole:?}, {first:?}", hex(bytes)),
    }
    let mut sink = ValueSink::default();
    let walked = reader.walk_into(bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
    let Some(version) = wire::versioned::version(bytes) else {
        assert!(matches!(walked, Err(VersionedRefusal::Refused(Refusal::Message(_)))), "{walked:?}");
        return;
    };
    let Some(plan) = plans().nth(usize::from(version)) else {
        assert!(matches!(walked, Err(VersionedRefusal::UnknownVersion { found, .. }) if found == version), "{walked:?}");
        return;
    };
    let mut alone = ValueSink::default();
    let message = &bytes[wire::versioned::HEADER..];
    match (walked, ExtprotReader::new(plan).walk_into(message, 0, &mut alone, &mut Budget::new(&Limits::DEFAULT))) {
        (Ok((found, end)), Ok(wanted)) => {
            assert_eq!((found, end), (version, wanted.map(|end| wire::versioned::HEADER + end)), "{}", hex(bytes));
            assert_eq!(sink.finish().as_ref().map(shown), alone.finish().as_ref().map(shown), "{}", hex(bytes));
        }
        (Err(VersionedRefusal::Refused(Refusal::Message(found))), Err(Refusal::Message(wanted))) => {
            assert_eq!(found, DecodeError { at: wire::versioned::HEADER + wanted.at, ..wanted }, "{}", hex(bytes));
        }
        (Err(VersionedRefusal::Refused(Refusal::Sink(_))), Err(Refusal::Sink(_))) => {}
        other => panic!("{}: {other:?}", hex(bytes)),
    }
}

/// A message without its protocol: no panic, and all spans lie in the message.
pub fn walk(bytes: &[u8]) {
    testing::fuzz_walk(&FORMAT, bytes);
    testing::fuzz_skip(&FORMAT, bytes);
    testing::fuzz_inspect(&FORMAT, bytes);
    testing::fuzz_frames(&FORMAT, bytes, bytes.len() / 2);
}

/// A message of a protocol, which the first byte chooses, and limits, which the second one does:
/// all decoders agree.
pub fn decode(bytes: &[u8]) {
    let [choice, limit, bytes @ ..] = bytes else { return };
    let protocol = &protocols()[usize::from(*choice) % PROTOCOLS.len()];
    let doors = Doors::new(protocol, "m");
    let of = |bits: u8| if limit >> bits & 3 == 0 { u64::MAX } else { u64::from(limit >> bits & 3) * 6 };
    let limits = SizeLimits { message_length: of(0), elements: of(2), string_length: of(4) };
    let decoded = doors.decode(bytes, &limits);
    // Accepted messages can be skipped without the protocol, and read without it unless a part was
    // only skipped.
    if let Ok((_, end)) = decoded {
        let mut budget = Budget::new(&Limits::DEFAULT);
        let _ = PlainReader::default().walk(&bytes[..end], 0, &mut ValueSink::default(), &mut budget);
        let mut reader = ExtprotReader::new(doors.plan).limits(limits);
        let framed = reader.frame(bytes, 0, true).unwrap_or_else(|error| panic!("{}: {error}", hex(bytes)));
        assert_eq!(framed, Frame::Message { start: 0, end }, "{}", hex(bytes));
    }
}

/// Decoded values are encoded, and decoded to the same value; encoded again, they give the same
/// bytes.
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
