//! Names and characters that XML does not have.

use super::super::chars::{first_illegal, is_char, is_name_char, is_qname};

/// Returns `name` as the name of an element: each character that cannot stand there is escaped by
/// its number, a space as `_x0020_` (ISO/IEC 9075-14, mapping of identifiers to names of XML).
/// Colons are escaped too. An empty name becomes `_`.
pub fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        // A digit or a hyphen may not begin a name.
        let fits = c != ':' && is_name_char(c) && (!escaped.is_empty() || is_qname(c.encode_utf8(&mut [0; 4])));
        match u32::from(c) {
            _ if fits => escaped.push(c),
            code @ 0..=0xffff => escaped.push_str(&format!("_x{code:04X}_")),
            code => escaped.push_str(&format!("_x{code:06X}_")),
        }
    }
    if escaped.is_empty() {
        escaped.push('_');
    }
    escaped
}

/// Returns `text` with U+FFFD in place of each character that XML does not have, or `None` if it
/// has all of them.
pub fn replaced(text: &str) -> Option<String> {
    first_illegal(text)?;
    Some(text.chars().map(|c| if is_char(c) { c } else { char::REPLACEMENT_CHARACTER }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_names_of_elements() {
        for (name, element) in [
            ("first name", "first_x0020_name"),
            ("1st", "_x0031_st"),
            ("a1", "a1"),
            ("-a-", "_x002D_a-"),
            ("@id", "_x0040_id"),
            ("a:b", "a_x003A_b"),
            ("a_b", "a_b"),
            ("", "_"),
            ("é\u{0}", "é_x0000_"),
            ("a\u{f0000}", "a_x0F0000_"),
            ("日本", "日本"),
        ] {
            assert_eq!(escaped(name), element);
            assert!(is_qname(element), "{element}");
        }
    }

    #[test]
    fn characters_that_xml_lacks_are_replaced() {
        assert_eq!(replaced("a\tb\r\n"), None);
        assert_eq!(replaced("a\u{1}b\u{ffff}").as_deref(), Some("a\u{fffd}b\u{fffd}"));
    }
}
