//! Versioned frames: each message is read by the plan of its version.

use std::sync::Arc;

use polywire_core::tools::Count;
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Budget, ErrorKind, Frame, Limits, Reader};
use polywire_extprot::error::{Cause, SizeLimits};
use polywire_extprot::plan::Plan;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_extprot::walk::{Refusal, VersionedReader, VersionedRefusal};
use polywire_extprot::wire::versioned;

fn reader() -> VersionedReader {
    let plan = |text: &str| {
        let protocol = compile("versions", text.as_bytes(), &mut NoFiles).unwrap_or_else(|found| panic!("{found}"));
        Arc::new(Plan::new(&protocol, None).expect("a message"))
    };
    VersionedReader::new([plan("message m = { v : int }"), plan("message m = { name : string }")])
}

fn frame(version: u16, message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    versioned::write(&mut out, version);
    out.extend_from_slice(message);
    out
}

const NUMBER: &[u8] = &[1, 3, 1, 0, 6];
const TEXT: &[u8] = &[1, 4, 1, 3, 1, b'a'];

fn walked(frame: &[u8]) -> Result<(u16, Option<usize>, Value), VersionedRefusal> {
    let mut sink = ValueSink::default();
    let (version, end) = reader().walk_into(frame, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT))?;
    Ok((version, end, sink.finish().expect("a value")))
}

fn refused(frame: &[u8]) -> (Cause, usize) {
    match walked(frame) {
        Err(VersionedRefusal::Refused(Refusal::Message(failure))) => (failure.cause, failure.at),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_version_has_its_plan() {
    let record = |name: &str, value| Value::Record { name: String::new(), fields: vec![(name.to_string(), value)] };
    let (version, end, value) = walked(&frame(0, NUMBER)).expect("a message");
    assert_eq!((version, end, value), (0, Some(7), record("v", Value::UInt(3))));
    let (version, end, value) = walked(&frame(1, &[TEXT, &[9]].concat())).expect("a message");
    assert_eq!((version, end, value), (1, Some(8), record("name", Value::Text("a".to_string()))));
}

#[test]
fn refusals_count_from_the_start_of_the_frame() {
    for unknown in [2, 0x100] {
        let outcome = walked(&frame(unknown, NUMBER));
        assert!(matches!(outcome, Err(VersionedRefusal::UnknownVersion { known: 2, found }) if found == unknown), "{outcome:?}");
    }
    assert_eq!(refused(&[1]), (Cause::UnexpectedEnd, 1));
    assert_eq!(refused(&frame(0, &NUMBER[..4])), (Cause::UnexpectedEnd, 6));
    assert!(matches!(refused(&frame(1, NUMBER)), (Cause::BadWireType(Some(_)), 5)));
    let few = reader().limits(SizeLimits { message_length: 2, ..SizeLimits::NONE });
    let outcome = few.walk_into(&frame(0, NUMBER), 0, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT));
    assert!(matches!(outcome, Err(VersionedRefusal::Refused(Refusal::Message(failure))) if failure.cause.name() == "limit_exceeded"));
}

#[test]
fn a_stream_is_cut_into_frames() {
    let stream = [frame(0, NUMBER), frame(1, TEXT), frame(7, TEXT)].concat();
    let mut reader = reader();
    let mut ends = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        // Byte by byte.
        let end = (at..=stream.len()).find_map(|to| match reader.frame(&stream[at..to], at as u64, false).expect("it is sound") {
            Frame::Message { start: 0, end } => Some(at + end),
            _ => None,
        });
        ends.push(end.expect("a frame ends"));
        at = *ends.last().expect("one was pushed");
    }
    assert_eq!(ends, [7, 15, 23]);
    let mut walk = |from: usize, to: usize| {
        reader
            .walk(&stream[from..to], from as u64, &mut Count::default(), &mut Budget::new(&Limits::DEFAULT))
            .map_err(|error| (error.kind(), error.offset()))
    };
    assert_eq!(walk(0, 7), Ok(()));
    assert_eq!(walk(7, 15), Ok(()));
    assert_eq!(walk(15, 23), Err((ErrorKind::Unsupported, Some(15))));
    assert_eq!(walk(0, 9), Err((ErrorKind::Trailing, Some(7))));
    assert_eq!(walk(0, 1), Err((ErrorKind::Truncated, Some(1))));
    assert_eq!(reader.frame(&[], 0, true).expect("an end"), Frame::End);
    assert_eq!(reader.frame(&[5], 0, true).expect("a piece"), Frame::Message { start: 0, end: 1 });
    assert_eq!(reader.frame(&[0, 0, 9], 4, false).map_err(|error| error.offset()), Err(Some(6)));
}
