//! Objects whose names have to be unique, after they were written.

use std::borrow::Cow;
use std::collections::HashSet;

use foldhash::fast::RandomState;
use polywire_json::string::plain_end;

/// Returns an object without the entries whose name an earlier one has, and the number of entries
/// that this drops. `object` is compact JSON text; one spelling of a name stands for one name.
pub(super) fn once(object: &[u8]) -> (Cow<'_, [u8]>, usize) {
    let mut names: HashSet<&[u8], RandomState> = HashSet::default();
    let mut kept: Option<Vec<u8>> = None;
    let mut dropped = 0;
    // Everything before this is done.
    let mut done = 1;
    while object.get(done) == Some(&b'"') {
        let name_end = after_string(object, done);
        let end = after_value(object, name_end + 1);
        if names.insert(&object[done..name_end]) {
            if let Some(kept) = &mut kept {
                kept.push(b',');
                kept.extend_from_slice(&object[done..end]);
            }
        } else {
            dropped += 1;
            kept.get_or_insert_with(|| object[..done - 1].to_vec());
        }
        done = end + 1;
    }
    match kept {
        None => (Cow::Borrowed(object), 0),
        Some(mut kept) => {
            kept.push(b'}');
            (Cow::Owned(kept), dropped)
        }
    }
}

/// Returns the end of the string that starts at `at`.
fn after_string(text: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        at = plain_end(text, at);
        match text.get(at) {
            Some(b'\\') => at += 2,
            _ => return (at + 1).min(text.len()),
        }
    }
}

/// Returns the end of the value that starts at `at`: the comma or bracket after it.
fn after_value(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                at = after_string(text, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_of_a_name_stays() {
        for (object, expected, dropped) in [
            ("{}", "{}", 0),
            (r#"{"a":1,"b":{"a":[1,2],"a":"},"}}"#, r#"{"a":1,"b":{"a":[1,2],"a":"},"}}"#, 0),
            (r#"{"a":1,"a":2}"#, r#"{"a":1}"#, 1),
            (r#"{"a\"":1,"b":[{}],"a\"":{"x":","},"b":2,"c":3}"#, r#"{"a\"":1,"b":[{}],"c":3}"#, 2),
            (r#"{"a":1,"a":2,"b":3}"#, r#"{"a":1,"b":3}"#, 1),
        ] {
            let (once, count) = once(object.as_bytes());
            assert_eq!((std::str::from_utf8(&once).unwrap(), count), (expected, dropped), "{object}");
        }
    }
}
