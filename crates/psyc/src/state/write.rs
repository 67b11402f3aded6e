//! Packets that set a state.

use alloc::vec::Vec;

use crate::packet::{Content, Modifier, Operator, Packet, State};
use crate::wire::render;

/// Appends a packet without a body.
pub(super) fn write(context: &[u8], state: Option<State>, entity: &[Modifier<'_>], out: &mut Vec<u8>) {
    let routing = [Modifier::new(Operator::Set, b"_context", context)];
    let routing = if context.is_empty() { &routing[..0] } else { &routing };
    let mut packet = Packet::new(routing, entity, b"", b"");
    if let Content::Parts { state: line, .. } = &mut packet.content {
        *line = state;
    }
    // Names are keywords, and there is no data: a store has applied it.
    render::append(&packet, out).expect("an applied packet can be rendered");
}
