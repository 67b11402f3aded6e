//! Recognises packets by their first bytes.

use polywire_core::format::Confidence;

use crate::wire::{PacketStep, Parser};

/// The number of items looked at.
const ITEMS: usize = 200;

/// Lines of operator, keyword, tab and value are evidence, or a method that starts with an
/// underscore; an end mark alone is not.
pub(super) fn recognise(start: &[u8], _whole: bool) -> Confidence {
    let mut parser = Parser::default();
    let (mut lines, mut words, mut packets) = (0, 0, 0);
    let mut keyword = |name: &[u8]| words += u32::from(name.starts_with(b"_") && name.len() > 1);
    let mut broken = false;
    for _ in 0..ITEMS {
        match parser.next(start) {
            Ok(PacketStep::Routing(line) | PacketStep::Entity(line) | PacketStep::EntityStart(line)) => {
                lines += 1;
                keyword(line.name);
            }
            Ok(PacketStep::Body(method, _) | PacketStep::BodyStart(method, _)) => keyword(method),
            Ok(PacketStep::Complete) => {
                packets += 1;
                if parser.cursor() == start.len() {
                    break;
                }
            }
            Ok(PacketStep::More) => break,
            Ok(_) => {}
            Err(_) => {
                broken = true;
                break;
            }
        }
    }
    match (broken, packets > 0, words > 0 || packets > 0 && lines > 0) {
        (false, _, true) => Confidence::Likely,
        (true, true, true) | (false, true, false) => Confidence::Possible,
        _ if !broken && lines > 0 => Confidence::Possible,
        _ => Confidence::No,
    }
}
