//! The slow reader: reads a message by its tables, checks it by each step of the specification, and
//! writes it again in the order that the fast reader takes.
//!
//! The result has fields in the order of their numbers, and lists in one piece, as they are
//! written. The last value of a singular field wins, and messages are merged (encoding guide, "Last
//! One Wins"); only the last member of a oneof stays. Unknown fields come last, or are left out.

use polywire_runtime::PathStep;

use crate::error::{Cause, Error};
use crate::limits::Limits;
use crate::shape::{Comes, Field, Kind, Message};
use crate::wire::{self, wire_type};

/// A mistake, its place, and the path from the inside out.
struct Refused {
    cause: Cause,
    at: usize,
    path: Vec<PathStep>,
}

impl Refused {
    #[cold]
    fn new((cause, at): (Cause, usize)) -> Refused {
        Refused { cause, at, path: Vec::new() }
    }

    #[cold]
    fn below(mut self, step: PathStep) -> Refused {
        self.path.push(step);
        self
    }
}

/// A field that was found.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// Index of the field in the message, or [`UNKNOWN`].
    field: usize,
    /// Start of the tag, start of the value, and end of the value.
    start: usize,
    at: usize,
    end: usize,
    packed: bool,
    /// True if another member of the oneof came after it.
    replaced: bool,
}

const UNKNOWN: usize = usize::MAX;

/// Returns the same message in the order that the fast reader takes.
///
/// # Errors
/// The bytes are no such message.
#[cold]
#[inline(never)]
pub(crate) fn ordered(shape: &'static Message, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(bytes.len());
    let refused = |refused: Refused| {
        let path = [PathStep::Name(shape.name)].into_iter().chain(refused.path.into_iter().rev()).collect();
        Error::new(refused.cause, refused.at, path)
    };
    if bytes.len() > limits.length {
        return Err(refused(Refused::new((Cause::Size, 0))));
    }
    let slow = Slow { bytes };
    slow.message(shape, &[(0, bytes.len())], limits.depth(), true, &mut out).map_err(refused)?;
    Ok(out)
}

struct Slow<'b> {
    bytes: &'b [u8],
}

impl Slow<'_> {
    /// Writes the message whose fields are in `pieces` of the bytes. `counts` is false if it is
    /// replaced, and no part of the result.
    fn message(
        &self,
        shape: &'static Message,
        pieces: &[(usize, usize)],
        depth: u32,
        counts: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        let Some(&(_, end)) = pieces.last() else { return self.missing(shape, &[], 0, counts) };
        if depth == 0 {
            return Err(Refused::new((Cause::Depth, pieces[0].0)));
        }
        let mut found = Vec::new();
        for &(start, end) in pieces {
            self.fields(shape, start, end, depth, &mut found)?;
        }
        replace(shape, &mut found);
        let unknown: Vec<Found> = found.iter().filter(|found| found.field == UNKNOWN).copied().collect();
        found.retain(|found| found.field != UNKNOWN);
        found.sort_by_key(|found| found.field);
        self.missing(shape, &found, end, counts)?;
        let (mut kept, mut strays) = (Vec::new(), Vec::new());
        for group in found.chunk_by(|one, other| one.field == other.field) {
            let field = &shape.fields[group[0].field];
            self.field(field, group, depth, counts, &mut kept, &mut strays).map_err(|refused| {
                let name = PathStep::Name(field.name);
                refused.below(name)
            })?;
        }
        out.extend_from_slice(&kept);
        if shape.keeps {
            unknown.iter().for_each(|found| out.extend_from_slice(&self.bytes[found.start..found.end]));
            out.extend_from_slice(&strays);
        }
        Ok(())
    }

    fn missing(&self, shape: &'static Message, found: &[Found], end: usize, counts: bool) -> Result<(), Refused> {
        if !counts {
            return Ok(());
        }
        let is_there = |index: usize| found.binary_search_by_key(&index, |found| found.field).is_ok();
        let required = shape.fields.iter().enumerate().find(|(index, field)| field.comes == Comes::Required && !is_there(*index));
        if let Some((_, field)) = required {
            return Err(Refused::new((Cause::Missing, end)).below(PathStep::Name(field.name)));
        }
        if shape.chooses && !found.iter().any(|found| shape.fields[found.field].oneof > 0) {
            return Err(Refused::new((Cause::Missing, end)));
        }
        Ok(())
    }

    /// Collects the fields of a piece of a message.
    fn fields(&self, shape: &'static Message, start: usize, end: usize, depth: u32, found: &mut Vec<Found>) -> Result<(), Refused> {
        let window = &self.bytes[..end];
        let mut at = start;
        while at < end {
            let (tag, value) = wire::tag(window, at).map_err(Refused::new)?;
            if tag & 7 == wire_type::END {
                return Err(Refused::new((Cause::Group, at)));
            }
            let field = shape.fields.binary_search_by_key(&(tag >> 3), |field| field.number).unwrap_or(UNKNOWN);
            let known = shape.fields.get(field);
            let name = |refused: Refused| match known {
                Some(field) => refused.below(PathStep::Name(field.name)),
                None => refused,
            };
            let behind = wire::skip(window, value, tag, depth).map_err(|fault| name(Refused::new(fault)))?;
            let form = known.and_then(|known| form(known, tag & 7));
            let stray = match (form, known) {
                (Some(false), Some(known)) => self.is_stray(known, value, behind, depth)?,
                _ => false,
            };
            let field = if form.is_none() || stray { UNKNOWN } else { field };
            found.push(Found { field, start: at, at: value, end: behind, packed: form.unwrap_or_default(), replaced: false });
            at = behind;
        }
        Ok(())
    }

    /// Returns whether a value, or that of an entry, is an unknown number of a closed enum.
    fn is_stray(&self, field: &Field, at: usize, end: usize, depth: u32) -> Result<bool, Refused> {
        match &field.kind {
            Kind::Closed(numbers) => {
                let (number, _) = wire::varint(&self.bytes[..end], at).map_err(Refused::new)?;
                Ok(numbers.binary_search(&(number as i32)).is_err())
            }
            Kind::Entry(entry) if matches!(entry.fields[1].kind, Kind::Closed(_)) => {
                let (start, end) = wire::length(&self.bytes[..end], at).map_err(Refused::new)?;
                let (window, mut at, mut stray) = (&self.bytes[..end], start, false);
                while at < end {
                    let (tag, value) = wire::tag(window, at).map_err(Refused::new)?;
                    let behind = wire::skip(window, value, tag, depth).map_err(Refused::new)?;
                    if tag == 2 << 3 {
                        stray = self.is_stray(&entry.fields[1], value, behind, depth)?;
                    }
                    at = behind;
                }
                Ok(stray)
            }
            _ => Ok(false),
        }
    }

    /// Writes the values of a field.
    fn field(
        &self,
        field: &Field,
        group: &[Found],
        depth: u32,
        counts: bool,
        out: &mut Vec<u8>,
        strays: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        let is_list = matches!(field.comes, Comes::Repeated | Comes::Packed);
        let tag = u64::from(field.number << 3);
        if let Kind::Message(shape) | Kind::Group(shape) | Kind::Entry(shape) = &field.kind {
            let is_entry = matches!(field.kind, Kind::Entry(_));
            let pieces = group.iter().map(|found| (self.body(field, found), found.replaced));
            let messages: Vec<(Vec<(usize, usize)>, bool)> = if is_list {
                pieces.map(|(piece, replaced)| (vec![piece], replaced)).collect()
            } else {
                let (old, new): (Vec<_>, Vec<_>) = pieces.partition(|(_, replaced)| *replaced);
                let alone = |all: Vec<((usize, usize), bool)>| all.into_iter().map(|(piece, _)| piece).collect::<Vec<_>>();
                [(alone(old), true), (alone(new), false)].into_iter().filter(|(pieces, _)| !pieces.is_empty()).collect()
            };
            for (index, (pieces, replaced)) in messages.iter().enumerate() {
                let mut body = Vec::new();
                let step = |refused: Refused| if is_list { refused.below(PathStep::Index(index as u32)) } else { refused };
                self.message(shape, pieces, depth - 1, counts && !replaced, &mut body).map_err(step)?;
                if *replaced {
                    continue;
                }
                if is_entry {
                    self.complete(shape, pieces, depth, counts, &mut body).map_err(step)?;
                }
                if let Kind::Group(_) = field.kind {
                    wire::put(out, tag | u64::from(wire_type::START));
                    out.extend_from_slice(&body);
                    wire::put(out, tag | u64::from(wire_type::END));
                } else {
                    wire::put(out, tag | u64::from(wire_type::LEN));
                    wire::put(out, body.len() as u64);
                    out.extend_from_slice(&body);
                }
            }
            return Ok(());
        }
        let own = u64::from(wire_of(&field.kind));
        let mut values: Vec<(usize, usize)> = Vec::new();
        let mut index = 0;
        for found in group {
            let mut step = |refused: Refused| if is_list { refused.below(PathStep::Index(index)) } else { refused };
            if !found.packed {
                self.scalar(field, found.at, found.end).map_err(&mut step)?;
                index += 1;
                if !found.replaced {
                    values.push((found.at, found.end));
                }
                continue;
            }
            let (mut at, end) = wire::length(&self.bytes[..found.end], found.at).map_err(Refused::new)?;
            while at < end {
                let step = |refused: Refused| refused.below(PathStep::Index(index));
                let behind = wire::skip(&self.bytes[..end], at, own as u32, depth).map_err(|fault| step(Refused::new(fault)))?;
                if self.is_stray(field, at, behind, depth)? {
                    wire::put(strays, tag | own);
                    strays.extend_from_slice(&self.bytes[at..behind]);
                } else {
                    self.scalar(field, at, behind).map_err(step)?;
                    values.push((at, behind));
                }
                index += 1;
                at = behind;
            }
        }
        if field.comes == Comes::Packed {
            if !values.is_empty() {
                wire::put(out, tag | u64::from(wire_type::LEN));
                wire::put(out, values.iter().map(|(at, end)| (end - at) as u64).sum());
                values.iter().for_each(|&(at, end)| out.extend_from_slice(&self.bytes[at..end]));
            }
            return Ok(());
        }
        let first = if is_list { 0 } else { values.len().saturating_sub(1) };
        for &(at, end) in &values[first..] {
            wire::put(out, tag | own);
            out.extend_from_slice(&self.bytes[at..end]);
        }
        Ok(())
    }

    /// Writes an empty message as the value of an entry that lacks one. It may lack required
    /// fields.
    fn complete(
        &self,
        entry: &'static Message,
        pieces: &[(usize, usize)],
        depth: u32,
        counts: bool,
        body: &mut Vec<u8>,
    ) -> Result<(), Refused> {
        let Kind::Message(shape) = &entry.fields[1].kind else { return Ok(()) };
        let mut found = Vec::new();
        for &(start, end) in pieces {
            self.fields(entry, start, end, depth, &mut found)?;
        }
        if found.iter().any(|found| found.field == 1) {
            return Ok(());
        }
        let end = pieces.last().map_or(0, |(_, end)| *end);
        self.missing(shape, &[], end, counts).map_err(|refused| refused.below(PathStep::Name(entry.fields[1].name)))?;
        wire::put(body, u64::from(2 << 3 | wire_type::LEN));
        wire::put(body, 0);
        Ok(())
    }

    /// Returns start and end of a message that is the value of a field.
    fn body(&self, field: &Field, found: &Found) -> (usize, usize) {
        let window = &self.bytes[..found.end];
        // The value was stepped over, so that its ends are known to be there.
        match field.kind {
            Kind::Group(_) => {
                let mut tag = Vec::new();
                wire::put(&mut tag, u64::from(field.number << 3 | wire_type::END));
                let end = wire::group(window, found.at, field.number, u32::MAX).map_or(found.end - tag.len(), |(end, _)| end);
                (found.at, end)
            }
            _ => wire::length(window, found.at).unwrap_or((found.end, found.end)),
        }
    }

    /// Checks that a value is one of its type.
    fn scalar(&self, field: &Field, at: usize, end: usize) -> Result<(), Refused> {
        match &field.kind {
            Kind::Text => {
                let (start, end) = wire::length(&self.bytes[..end], at).map_err(Refused::new)?;
                match std::str::from_utf8(&self.bytes[start..end]) {
                    Ok(_) => Ok(()),
                    Err(error) => Err(Refused::new((Cause::Text, start + error.valid_up_to()))),
                }
            }
            Kind::Range(low, high) => {
                let (number, _) = wire::varint(&self.bytes[..end], at).map_err(Refused::new)?;
                if (*low..=*high).contains(&(number as i64)) { Ok(()) } else { Err(Refused::new((Cause::Range, at))) }
            }
            _ => Ok(()),
        }
    }
}

/// Marks members of a oneof as replaced: only the last one counts, from its last occurrence after
/// another member on.
fn replace(shape: &'static Message, found: &mut [Found]) {
    let mut last: Vec<(u32, usize)> = Vec::new();
    for index in (0..found.len()).rev() {
        let Some(field) = shape.fields.get(found[index].field).filter(|field| field.oneof > 0) else { continue };
        match last.iter_mut().find(|(oneof, _)| *oneof == field.oneof) {
            None => last.push((field.oneof, found[index].field)),
            Some((_, counting)) if *counting == found[index].field => {}
            Some((_, counting)) => {
                found[index].replaced = true;
                // Earlier values do not count either.
                *counting = UNKNOWN;
            }
        }
    }
}

/// Returns whether a value of that wire type is packed, or none if it is no value of the field.
fn form(field: &Field, wire: u32) -> Option<bool> {
    let own = wire_of(&field.kind);
    let is_list = matches!(field.comes, Comes::Repeated | Comes::Packed);
    if wire == own {
        Some(false)
    } else if is_list && wire == wire_type::LEN && own != wire_type::START {
        Some(true)
    } else {
        None
    }
}

/// Returns the wire type of one value.
fn wire_of(kind: &Kind) -> u32 {
    match kind {
        Kind::Varint | Kind::Range(..) | Kind::Closed(_) => wire_type::VARINT,
        Kind::Fixed64 => wire_type::FIXED64,
        Kind::Fixed32 => wire_type::FIXED32,
        Kind::Text | Kind::Bytes | Kind::Message(_) | Kind::Entry(_) => wire_type::LEN,
        Kind::Group(_) => wire_type::START,
    }
}
