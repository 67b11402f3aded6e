//! A batch holds the packets that the pull parser delivers, and ends as it does.

use polywire_psyc::batch::{Batch, End, Tape};
use polywire_psyc::packet::Sizing;
use polywire_psyc::wire::{PacketStep, Parser};

thread_local!(static TAPE: std::cell::RefCell<Tape> = std::cell::RefCell::default());

/// Parses a buffer both ways.
pub fn body(data: &[u8]) {
    TAPE.with_borrow_mut(|tape| agree(&tape.parse(data), data));
}

fn agree(batch: &Batch<'_, '_>, data: &[u8]) {
    let mut parser = Parser::default();
    let mut start = 0;
    for packet in batch.packets() {
        let (mut routing, mut entity) = (packet.routing(), packet.entity());
        let (mut state, mut method, mut body) = (None, &b""[..], &b""[..]);
        loop {
            match parser.next(data).expect("the batch has a packet here") {
                PacketStep::Routing(line) => {
                    let ours = routing.next().expect("a line");
                    assert_eq!((ours.operator, ours.name, ours.value), (line.operator, line.name, line.value));
                    assert_eq!(ours.sizing, Sizing::No);
                }
                PacketStep::Entity(line) => {
                    let ours = entity.next().expect("a line");
                    assert_eq!((ours.operator, ours.name, ours.value), (line.operator, line.name, line.value));
                    assert_eq!(ours.sizing == Sizing::Need, parser.value_size().is_some());
                }
                PacketStep::State(line) => state = Some(line),
                PacketStep::Body(name, value) => (method, body) = (name, value),
                PacketStep::Complete => break,
                step => panic!("{step:?} in a packet that is whole"),
            }
        }
        assert!(routing.next().is_none() && entity.next().is_none(), "lines that are not there");
        assert_eq!((packet.state(), packet.method(), packet.data()), (state, method, body));
        assert_eq!(packet.content_size(), parser.content_size());
        assert_eq!(packet.span(), start..parser.cursor());
        start = parser.cursor();
    }
    if start == data.len() {
        return assert_eq!(batch.end(), End::Complete);
    }
    loop {
        match parser.next(data) {
            Ok(PacketStep::Complete) => panic!("the batch lacks a packet at {start}"),
            Ok(PacketStep::More) => return assert_eq!(batch.end(), End::More { start, missing: parser.missing() }),
            Ok(_) => {}
            Err(fault) => return assert_eq!(batch.end(), End::ParseError(fault)),
        }
    }
}
