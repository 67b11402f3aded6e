//! Steps over values. Their framing is checked, their contents are not.

use super::bounds::{array, length};
use super::error::{Broken, WireError, wire_error};
use super::tag::{Tag, WireType, tag};
use super::varint;

/// Returns the end of the value at `at`, whose tag was read. Groups may nest to `depth`.
///
/// # Errors
/// The value is malformed, or goes beyond the end of `window`.
#[inline]
pub fn value(window: &[u8], at: usize, found: Tag, wire: WireType, depth: u32) -> Result<usize, WireError> {
    Ok(match wire {
        WireType::Varint => varint::read(window, at)?.1,
        WireType::Fixed64 => {
            array::<8>(window, at)?;
            at + 8
        }
        WireType::Len => length(window, at)?.1,
        WireType::Fixed32 => {
            array::<4>(window, at)?;
            at + 4
        }
        WireType::Start => group(window, at, found.number(), depth, |_, _, _| {})?.1,
        WireType::End => return Err(wire_error(Broken::Unopened(found.number()), at)),
    })
}

/// Returns the end of the group `number` whose first field is at `at`: before its end tag, and
/// behind it. Calls `found` for each group inside, with the offset of its first field and those
/// two.
pub(super) fn group(
    window: &[u8],
    at: usize,
    number: u32,
    depth: u32,
    mut found: impl FnMut(usize, usize, usize),
) -> Result<(usize, usize), WireError> {
    let mut open = vec![(number, at)];
    let mut at = at;
    loop {
        if at >= window.len() {
            let number = open.last().map_or(number, |(number, _)| *number);
            return Err(wire_error(Broken::Unclosed(number), window.len()));
        }
        let (tag, wire, next) = tag(window, at)?;
        match wire {
            WireType::Start => {
                if open.len() >= depth as usize {
                    return Err(wire_error(Broken::Depth, at));
                }
                open.push((tag.number(), next));
                at = next;
            }
            WireType::End => {
                let Some((number, start)) = open.pop().filter(|(number, _)| *number == tag.number()) else {
                    return Err(wire_error(Broken::Unopened(tag.number()), at));
                };
                debug_assert_eq!(number, tag.number());
                if open.is_empty() {
                    return Ok((at, next));
                }
                found(start, at, next);
                at = next;
            }
            _ => at = value(window, next, tag, wire, depth)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(bytes: &[u8]) -> Result<usize, WireError> {
        let (tag, wire, at) = tag(bytes, 0)?;
        value(bytes, at, tag, wire, 3)
    }

    #[test]
    fn values_of_all_kinds_are_stepped_over() {
        assert_eq!(field(&[0x08, 0x96, 0x01, 9]), Ok(3));
        assert_eq!(field(&[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 9]), Ok(9));
        assert_eq!(field(&[0x0a, 2, 1, 1, 9]), Ok(4));
        assert_eq!(field(&[0x0d, 1, 2, 3, 4, 9]), Ok(5));
        assert_eq!(field(&[0x0b, 0x10, 1, 0x13, 0x14, 0x0c, 9]), Ok(6));
    }

    #[test]
    fn groups_end_where_they_say() {
        assert_eq!(field(&[0x0b, 0x14]), Err(wire_error(Broken::Unopened(2), 1)));
        assert_eq!(field(&[0x0c]), Err(wire_error(Broken::Unopened(1), 1)));
        assert_eq!(field(&[0x0b, 0x13, 0x14]), Err(wire_error(Broken::Unclosed(1), 3)));
        assert_eq!(field(&[0x0b, 0x0b, 0x0b, 0x0b, 0x0c]), Err(wire_error(Broken::Depth, 3)));
        assert_eq!(field(&[0x0a, 2, 1]), Err(wire_error(Broken::End, 3)));
    }
}
