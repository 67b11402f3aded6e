//! Recognition of messages by reading them.

use polywire_core::bytes::Input;
use polywire_core::format::Confidence;

use crate::kind::Kind;
use crate::skip::{Skipped, Skipper};
use crate::wire::envelope::Found;
use crate::wire::{Protocol, has_control, text};

/// Inputs below this length prove little.
const SHORTEST: usize = 12;

/// Deepest nesting that is looked into.
const DEPTH: u32 = 64;

/// Judges whether `start`, the first bytes of a stream, is of a protocol; `whole` means that
/// nothing follows.
pub(crate) fn recognise<P: Protocol>(start: &[u8], whole: bool) -> Confidence {
    if start.is_empty() || std::str::from_utf8(start).is_ok() && !has_control(start) {
        return Confidence::No;
    }
    let mut skipper = Skipper::<P>::default();
    let (mut at, mut messages, mut enveloped, mut evident) = (0, 0, false, false);
    while at < start.len() {
        let rest = &start[at..];
        let body = match P::envelope(rest, 0, whole, false) {
            Found::Envelope(places) if text(&rest[places.name.clone()]).is_some() => {
                enveloped = true;
                places.len
            }
            Found::Struct => 0,
            Found::More(_) if !whole && messages > 0 => break,
            _ => return Confidence::No,
        };
        // Nobody writes structs without fields in a row.
        if body == 0 && rest[0] == 0 {
            return Confidence::No;
        }
        evident |= is_evident::<P>(&rest[body..]);
        skipper.start(body, Kind::Struct);
        match skipper.run(rest, 0, DEPTH) {
            Ok(Skipped::All(end)) => (at, messages) = (at + end, messages + 1),
            Ok(Skipped::More) if !whole => break,
            Ok(Skipped::More) | Err(_) => return Confidence::No,
        }
    }
    match (enveloped, evident, messages) {
        (true, ..) => Confidence::Likely,
        (false, true, _) if start.len() >= SHORTEST => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

/// Reports whether the first fields of a struct are as serialisers write them: in the order of
/// their numbers, with small steps, and several of them.
fn is_evident<P: Protocol>(start: &[u8]) -> bool {
    let mut input = Input::new(start, 0);
    let (mut last, mut count) = (0, 0);
    let mut skipper = Skipper::<P>::default();
    loop {
        match P::field(&mut input, last) {
            Ok(Some(head)) if head.id > last && head.id - last < 100 => {
                last = head.id;
                count += 1;
                if head.truth.is_none() {
                    skipper.start(input.pos(), head.kind);
                    match skipper.run(start, 0, DEPTH) {
                        Ok(Skipped::All(end)) => input.seek(end),
                        _ => return count > 2,
                    }
                }
            }
            Ok(None) => return count > 1,
            Err(_) => return count > 2,
            Ok(Some(_)) => return count > 2,
        }
    }
}
