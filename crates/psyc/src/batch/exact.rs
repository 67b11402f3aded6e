//! The same tape by the pull parser, packet by packet: it says what is wrong, and is the twin that
//! the fast walk is held against.

use super::end::End;
use super::records::{Entry, Line, Records};
use crate::packet::Modifier;
use crate::wire::{END, LF, Limits, PacketStep, ParseError, Parser, TAB};

/// Reads packets from `start` on up to the end of the buffer, or up to what is wrong.
pub(super) fn read(buf: &[u8], mut start: usize, records: &mut Records, limits: Limits) -> End {
    while start < buf.len() {
        let before = records.line_count;
        match packet(buf, start, records, limits) {
            Ok(end) => start = end,
            Err(end) => {
                records.line_count = before;
                return end;
            }
        }
    }
    End::Complete
}

fn packet(buf: &[u8], start: usize, records: &mut Records, limits: Limits) -> Result<usize, End> {
    let bytes = &buf[start..];
    let offset = |part: &[u8]| part.as_ptr().addr() - buf.as_ptr().addr();
    let lines = records.line_count;
    let mut entity = lines;
    let mut routing_end = start;
    let mut method = None;
    let mut parser = Parser::default().limits(limits);
    let line = |modifier: &Modifier<'_>, sized: bool| {
        let name_end = offset(modifier.name) + modifier.name.len();
        let tab = if sized { name_end + buf[name_end..].iter().take_while(|byte| **byte != TAB).count() } else { name_end };
        Line { name_end: name_end as u32, end: (tab + 1 + modifier.value.len()) as u32 }
    };
    loop {
        match parser.next(bytes) {
            Ok(PacketStep::Routing(modifier)) => {
                let line = line(&modifier, false);
                records.line(records.line_count, line);
                records.line_count += 1;
                entity += 1;
                routing_end = line.end as usize + 1;
            }
            Ok(PacketStep::Entity(modifier)) => {
                records.line(records.line_count, line(&modifier, true));
                records.line_count += 1;
            }
            Ok(PacketStep::Body(name, _)) => method = Some((offset(name), offset(name) + name.len())),
            Ok(PacketStep::State(_)) => {}
            Ok(PacketStep::Complete) => break,
            // Parts are of values that are not there to their end: more comes next.
            Ok(PacketStep::EntityStart(_) | PacketStep::EntityPart(_) | PacketStep::EntityEnd(_)) => {}
            Ok(PacketStep::BodyStart(..) | PacketStep::BodyPart(_) | PacketStep::BodyEnd(_)) => {}
            Ok(PacketStep::More) => return Err(End::More { start, missing: parser.missing() }),
            Err(ParseError { code, at }) => return Err(End::ParseError(ParseError { code, at: start + at })),
        }
    }
    let after = start + parser.cursor();
    let end = after - END.len();
    let digits = buf[routing_end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let content = if buf[routing_end + digits] == LF { routing_end + digits + 1 } else { end };
    let (method, method_end) = method.unwrap_or((end, end));
    records.packet(Entry {
        lines: lines as u32,
        entity: entity as u32,
        content: content as u32,
        method: method as u32,
        method_end: method_end as u32,
        end: end as u32,
    });
    Ok(after)
}
