//! Characters in XML: those that markup needs, and those that XML lacks (X.680 11.15).

/// Elements for the control characters that XML lacks, by their codes (X.680 table 3).
const CONTROLS: [(u8, &str); 29] = [
    (0, "nul"),
    (1, "soh"),
    (2, "stx"),
    (3, "etx"),
    (4, "eot"),
    (5, "enq"),
    (6, "ack"),
    (7, "bel"),
    (8, "bs"),
    (11, "vt"),
    (12, "ff"),
    (14, "so"),
    (15, "si"),
    (16, "dle"),
    (17, "dc1"),
    (18, "dc2"),
    (19, "dc3"),
    (20, "dc4"),
    (21, "nak"),
    (22, "syn"),
    (23, "etb"),
    (24, "can"),
    (25, "em"),
    (26, "sub"),
    (27, "esc"),
    (28, "is4"),
    (29, "is3"),
    (30, "is2"),
    (31, "is1"),
];

/// Returns the character of an element's name.
pub(super) fn control(name: &str) -> Option<char> {
    CONTROLS.iter().find(|(_, known)| *known == name).map(|(code, _)| char::from(*code))
}

/// Returns whether XML has a character (XML 1.0 2.2).
pub(super) fn is_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Appends text. Returns false if it has a character that XML lacks and that has no element: it is
/// kept as it is. The canonical rules have no references by numbers (X.693 9.1.3).
pub(super) fn put(text: &str, canonical: bool, out: &mut Vec<u8>) -> bool {
    let mut from = 0;
    let mut all = true;
    for (at, character) in text.char_indices() {
        let escape: &[u8] = match character {
            '&' => b"&amp;",
            '<' => b"&lt;",
            '>' => b"&gt;",
            '\r' if canonical => continue,
            // A reader makes a line feed of it otherwise.
            '\r' => b"&#xD;",
            '\u{20}'.. => {
                all &= is_xml(character);
                continue;
            }
            '\t' | '\n' => continue,
            _ => b"",
        };
        out.extend_from_slice(&text.as_bytes()[from..at]);
        from = at + character.len_utf8();
        if escape.is_empty()
            && let Some((_, name)) = CONTROLS.iter().find(|(code, _)| u32::from(*code) == u32::from(character))
        {
            out.push(b'<');
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"/>");
        }
        out.extend_from_slice(escape);
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    all
}
