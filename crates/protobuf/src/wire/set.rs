//! MessageSets: messages whose extensions stand as items, each a group with the extension's number
//! and its bytes. `descriptor.proto` describes them at `message_set_wire_format`.

use super::error::WireError;
use super::tag::{WireType, tag};
use super::{length, skip, varint};

/// Field number of an item.
pub(crate) const ITEM: u32 = 1;

/// Number of the field of an item that has the extension's number.
pub(crate) const TYPE: u32 = 2;

/// Number of the field of an item that has the extension's bytes.
pub(crate) const MESSAGE: u32 = 3;

/// Returns the extension's number in the item whose fields are from `at` to the end of `window`,
/// and the offset of the length of its bytes. The first of each counts. Returns `None` for an item
/// that lacks one of them.
pub(crate) fn item(window: &[u8], mut at: usize, depth: u32) -> Result<Option<(u32, usize)>, WireError> {
    let (mut number, mut message) = (None, None);
    while at < window.len() {
        let (found, wire, next) = tag(window, at)?;
        match (found.number(), wire) {
            (TYPE, WireType::Varint) => number = number.or(Some(varint::read(window, next)?.0)),
            (MESSAGE, WireType::Len) => {
                length(window, next)?;
                message = message.or(Some(next));
            }
            _ => {}
        }
        at = skip::value(window, next, found, wire, depth)?;
    }
    Ok(number.and_then(|number| u32::try_from(number).ok()).zip(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_a_number_and_bytes_in_any_order() {
        assert_eq!(item(&[0x10, 7, 0x1a, 1, 9], 0, 3), Ok(Some((7, 3))));
        assert_eq!(item(&[0x1a, 1, 9, 0x10, 7], 0, 3), Ok(Some((7, 1))));
        assert_eq!(item(&[0x10, 7, 0x20, 0, 0x10, 8, 0x1a, 0, 0x1a, 1, 9], 0, 3), Ok(Some((7, 7))));
        for lacking in [&[][..], &[0x10, 7], &[0x1a, 0], &[0x15, 0, 0, 0, 0, 0x1a, 0]] {
            assert_eq!(item(lacking, 0, 3), Ok(None), "{lacking:?}");
        }
        assert!(item(&[0x1a, 2, 0], 0, 3).is_err());
    }
}
