//! Comments and directives. The parser steps over them, so they are found in the bytes between its
//! events.

use polywire_core::Note;

/// A comment or directive as a note, with its range.
pub type Found<'m> = (Note<'m>, usize, usize);

/// Finds the first comment or directive in `text[from..to]`, which holds no scalar.
pub fn next<'m>(text: &'m str, from: usize, to: usize) -> Option<Found<'m>> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        let at_line = at == 0 || matches!(bytes[at - 1], b'\n' | b'\r');
        let after_space = at_line || matches!(bytes[at - 1], b' ' | b'\t');
        match bytes[at] {
            b'#' if after_space => {
                let end = line_end(bytes, at, to);
                return Some((Note::Comment(&text[at + 1..end]), at, end));
            }
            b'%' if at_line => {
                let end = line_end(bytes, at, to);
                let end = text[at..end].find(" #").map_or(end, |len| at + len);
                // The version adds nothing to the format's name.
                if !text[at..end].starts_with("%YAML") {
                    return Some((Note::Directive(&text[at..end]), at, end));
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

/// Steps over the tag and the anchor that precede a value in `bytes[at..to]`, and everything
/// between.
pub fn after_properties(bytes: &[u8], mut at: usize, to: usize) -> usize {
    while at < to {
        match bytes[at] {
            b'&' | b'!' => {
                while at < to && !bytes[at].is_ascii_whitespace() {
                    at += 1;
                }
            }
            b'#' => at = line_end(bytes, at, to),
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

/// Returns the end of the line at `at`, at most `to`.
pub fn line_end(bytes: &[u8], at: usize, to: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..to]).map_or(to, |len| at + len)
}

/// Finds the `|` or `>` of a block scalar in `bytes[at..to]`; its text starts at `to`.
pub fn block_header(bytes: &[u8], mut at: usize, to: usize) -> usize {
    while at < to {
        match bytes[at] {
            b'|' | b'>' => return at,
            b'#' => at = line_end(bytes, at, to),
            _ => at += 1,
        }
    }
    to
}
