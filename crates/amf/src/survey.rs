//! A look ahead: ECMA arrays and dictionaries have marks that depend on their names.

use polywire_core::Limits;

use crate::machine::{Machine, Root};
use crate::token::Token;

/// Counts the names in each ECMA array and dictionary of a message, in their order.
pub(crate) fn survey(machine: &mut Machine, root: Root, msg: &[u8]) -> Vec<u32> {
    machine.begin(root, Limits::MAX_DEPTH, false);
    let (mut names, mut open) = (Vec::new(), Vec::new());
    // An error here ends the walk as well.
    while let Ok(token) = machine.next(msg, 0) {
        match token {
            Token::End => break,
            Token::Ecma | Token::Dictionary => {
                names.push(0);
                open.push(Some(machine.found.surveyed));
            }
            token if token.opens() => open.push(None),
            Token::Close => {
                open.pop();
            }
            Token::Name => {
                if let Some(Some(number)) = open.last()
                    && let Some(count) = names.get_mut(*number)
                {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    names
}
