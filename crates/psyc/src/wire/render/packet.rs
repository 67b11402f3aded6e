//! Packets.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use memchr::memmem;

use super::error::RenderError;
use super::output::{Buffer, Output};
use super::size::{digits, value_wants_size};
use crate::packet::{Content, Header, Modifier, Packet, Sizing};
use crate::wire::bytes::{BAR, DELIMITER, END, LF, SIZE_THRESHOLD, TAB};

/// Lengths in bytes of a packet and its parts (docs/spec/psyc.md 11.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lengths {
    /// The routing header.
    pub routing: usize,
    /// The content, without its size and the LF after that.
    pub content: usize,
    /// The packet.
    pub total: usize,
    /// The rule for the size of the content.
    pub sized: bool,
}

/// Returns whether the size of a modifier's value is written in the entity header
/// (docs/spec/psyc.md 11.1). An empty value never has one.
#[inline]
pub fn modifier_wants_size(modifier: &Modifier<'_>) -> bool {
    !modifier.value.is_empty() && value_wants_size(modifier.value, modifier.sizing, LF)
}

/// Returns whether data can be read back only with a content size (docs/spec/psyc.md 3.1).
pub fn needs_size(data: &[u8]) -> bool {
    data == [BAR] || data.starts_with(END) || data.ends_with(&DELIMITER[..2]) || contains_delimiter(data)
}

/// Kept out of the way of packets that need no search.
#[inline(never)]
fn contains_delimiter(data: &[u8]) -> bool {
    memmem::find(data, DELIMITER).is_some()
}

/// Returns whether docs/spec/psyc.md 11.1 wants a content size for the sake of data.
#[inline(never)]
fn data_wants_size(data: &[u8]) -> bool {
    // A bar has a part in all cases of docs/spec/psyc.md 3.1.
    data.len() > SIZE_THRESHOLD || (value_wants_size(data, Sizing::Check, BAR) && needs_size(data))
}

/// Returns the length of an entity modifier (docs/spec/psyc.md 11.2). For a routing modifier, set
/// its sizing to [`Sizing::No`].
#[inline]
pub fn modifier_length(modifier: &Modifier<'_>) -> usize {
    line_length(modifier, modifier_wants_size(modifier))
}

/// Slices of the same bytes can be longer together than the address space, so sums saturate: no
/// buffer is that long.
#[inline(always)]
fn line_length(modifier: &Modifier<'_>, sized: bool) -> usize {
    // Neither sum overflows: a slice takes up half of the address space at most.
    let size = if sized { 1 + digits(modifier.value.len()) } else { 0 };
    if modifier.name.is_empty() { 2 + size } else { (modifier.name.len() + 3 + size).saturating_add(modifier.value.len()) }
}

/// Renders an entity modifier at the start of `out`, and returns its length. For a routing
/// modifier, set its sizing to [`Sizing::No`].
pub fn modifier(modifier: &Modifier<'_>, out: &mut [u8]) -> Result<usize, RenderError> {
    let length = modifier_length(modifier);
    let out = out.get_mut(..length).ok_or(RenderError::Buffer)?;
    if modifier.name.is_empty() {
        return Err(RenderError::NameMissing);
    }
    put_line(&mut Buffer::new(out), modifier, modifier_wants_size(modifier)).ok_or(RenderError::Buffer)?;
    Ok(length)
}

/// The result of a pass over the parts.
#[derive(Default)]
struct Sum {
    lengths: Lengths,
    /// A modifier has an empty name.
    nameless: bool,
    /// There is data, and no method.
    methodless: bool,
    /// True if docs/spec/psyc.md 11.1 wants a size for the content.
    checked: bool,
}

#[inline(always)]
fn sum<'a, H: Header<'a>>(packet: &Packet<'a, H>) -> Sum {
    let mut sum = Sum::default();
    let mut routing = 0usize;
    for modifier in packet.routing.lines() {
        routing = routing.saturating_add(line_length(&modifier, false));
        sum.nameless |= modifier.name.is_empty();
    }
    let content = match packet.content {
        Content::Raw(raw) => {
            // psyc-D13. Other answers do not ask for a search.
            sum.checked = packet.sizing == Sizing::Check && (raw.starts_with(END) || contains_delimiter(raw));
            raw.len()
        }
        Content::Parts { state, entity, method, data } => {
            let mut content = if state.is_some() { 2usize } else { 0 };
            for modifier in entity.lines() {
                let sized = modifier_wants_size(&modifier);
                content = content.saturating_add(line_length(&modifier, sized));
                sum.nameless |= modifier.name.is_empty();
                // An empty value that was to be sized counts too.
                sum.checked |= sized || modifier.sizing == Sizing::Need;
            }
            for line in [method, data] {
                content = content.saturating_add(if line.is_empty() { 0 } else { line.len() + 1 });
            }
            sum.methodless = method.is_empty() && !data.is_empty();
            // A decided sizing needs no search.
            sum.checked = sum.checked || packet.sizing == Sizing::Check && data_wants_size(data);
            content
        }
    };
    let sized = content > 0 && decided(packet.sizing, sum.checked);
    let mut total = routing.saturating_add(content).saturating_add(END.len());
    if content > 0 {
        total = total.saturating_add(1 + if sized { digits(content) } else { 0 });
    }
    sum.lengths = Lengths { routing, content, total, sized };
    sum
}

#[inline]
fn decided(sizing: Sizing, checked: bool) -> bool {
    match sizing {
        Sizing::Check => checked,
        Sizing::Need => true,
        Sizing::No => false,
    }
}

/// Returns whether the content of a packet wants a size, by docs/spec/psyc.md 11.1 and its sizing.
/// The size of an empty content is not written all the same.
pub fn wants_size<'a, H: Header<'a>>(packet: &Packet<'a, H>) -> bool {
    decided(packet.sizing, sum(packet).checked)
}

/// Returns the lengths of a packet and its parts.
pub fn lengths<'a, H: Header<'a>>(packet: &Packet<'a, H>) -> Lengths {
    sum(packet).lengths
}

/// Makes the tests of docs/spec/psyc.md 11.4 in its order; `room` is the length of the buffer.
#[inline(always)]
pub(super) fn check<'a, H: Header<'a>>(packet: &Packet<'a, H>, room: usize) -> Result<Lengths, RenderError> {
    let Sum { lengths, nameless, methodless, .. } = sum(packet);
    if lengths.total > room {
        Err(RenderError::Buffer)
    } else if nameless {
        Err(RenderError::NameMissing)
    } else if methodless {
        Err(RenderError::MethodMissing)
    } else {
        Ok(lengths)
    }
}

/// Renders a packet at the start of `out`, and returns its lengths. Writes nothing in case of an
/// error.
///
/// ```
/// use polywire_psyc::packet::{Modifier, Operator, Packet};
/// use polywire_psyc::wire;
///
/// let routing = [Modifier::new(Operator::Set, b"_source", b"psyc://h/~ann")];
/// let packet = Packet::new(&routing, &[], b"_message", b"Hi all");
/// let mut out = [0; 64];
/// let lengths = wire::render(&packet, &mut out)?;
/// assert_eq!(&out[..lengths.total], b":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n");
/// # Ok::<(), wire::RenderError>(())
/// ```
// A caller that this is inlined into need not put the packet together in memory: slices that were
// only just written, such as those of a vector which the modifiers were pushed to, would be read
// again as pairs of words, and wait until each word has arrived.
#[inline(always)]
pub fn render<'a, H: Header<'a>>(packet: &Packet<'a, H>, out: &mut [u8]) -> Result<Lengths, RenderError> {
    let lengths = check(packet, out.len())?;
    put(&mut Buffer::new(out), packet, &lengths).ok_or(RenderError::Buffer)?;
    Ok(lengths)
}

/// Packets up to this many bytes are faster written over zeros than appended slice by slice.
#[cfg(feature = "alloc")]
const ZEROED_MAX: usize = 2048;

/// Appends a packet, and returns its lengths. Appends nothing in case of an error.
#[cfg(feature = "alloc")]
pub fn append<'a, H: Header<'a>>(packet: &Packet<'a, H>, out: &mut Vec<u8>) -> Result<Lengths, RenderError> {
    let start = out.len();
    let lengths = check(packet, isize::MAX as usize - start)?;
    if lengths.total <= ZEROED_MAX {
        out.resize(start + lengths.total, 0);
        put(&mut Buffer::new(&mut out[start..]), packet, &lengths)
    } else {
        out.reserve(lengths.total);
        put(out, packet, &lengths)
    }
    .ok_or(RenderError::Buffer)?;
    Ok(lengths)
}

#[inline(always)]
fn put<'a, H: Header<'a>>(out: &mut impl Output, packet: &Packet<'a, H>, lengths: &Lengths) -> Option<()> {
    for modifier in packet.routing.lines() {
        put_line(out, &modifier, false)?;
    }
    if lengths.content > 0 {
        if lengths.sized {
            out.number(lengths.content)?;
        }
        out.byte(LF)?;
    }
    match packet.content {
        Content::Raw(raw) => out.put(raw)?,
        Content::Parts { state, entity, method, data } => {
            if let Some(state) = state {
                out.put(&[state.byte(), LF])?;
            }
            for modifier in entity.lines() {
                put_line(out, &modifier, modifier_wants_size(&modifier))?;
            }
            for line in [method, data] {
                if !line.is_empty() {
                    out.between([], line, [LF])?;
                }
            }
        }
    }
    out.put(END)
}

#[inline(always)]
fn put_line(out: &mut impl Output, modifier: &Modifier<'_>, sized: bool) -> Option<()> {
    out.between([modifier.operator.byte()], modifier.name, [if sized { b' ' } else { TAB }])?;
    if sized {
        out.number(modifier.value.len())?;
        out.byte(TAB)?;
    }
    out.between([], modifier.value, [LF])
}
