//! Character classes of XML 1.0 (fifth edition).

/// A character that may start a name.
const START: u8 = 1;
/// A character that may continue a name.
const NAME: u8 = 2;
/// A byte outside ASCII: the tables below decide.
const HIGH: u8 = 4;
/// `:`, the separator of a prefix and a name.
const COLON: u8 = 8;
/// White space (section 2.3).
const SPACE: u8 = 16;

/// A byte that needs a second look in the value of an attribute.
const STOP: u8 = 32;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => START | NAME,
            b':' => START | NAME | COLON,
            b'0'..=b'9' | b'-' | b'.' => NAME,
            b' ' => SPACE,
            b'\t' | b'\n' | b'\r' => SPACE | STOP,
            b'"' | b'\'' | b'&' | b'<' | 0 => STOP,
            0x80..=0xff => START | NAME | HIGH,
            _ => 0,
        };
        byte += 1;
    }
    class
};

/// Reports whether `byte` is white space (section 2.3).
#[inline]
pub fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] & SPACE != 0
}

/// Reports whether `byte` may start a name, if it is ASCII. The first byte of any other character
/// passes.
#[inline]
pub fn may_start_name(byte: u8) -> bool {
    CLASS[byte as usize] & START != 0
}

/// Reports whether all of `text` is white space.
#[inline]
pub fn is_blank(text: &str) -> bool {
    text.bytes().all(is_space)
}

/// Returns the end of the white space that starts at `at`.
#[inline]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// Reports whether a name cannot continue with `byte`.
#[inline(always)]
pub fn ends_name(byte: u8) -> bool {
    CLASS[byte as usize] & NAME == 0
}

/// A scanned name.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// Offset after it.
    pub end: usize,
    /// True if it has a colon.
    pub colon: bool,
}

/// Scans the name at `start` of `text` (section 2.3, production 5). Returns the offset of the first
/// wrong character as the error.
#[inline]
pub fn scan_name(text: &str, start: usize) -> Result<Name, usize> {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut seen = 0;
    while end < bytes.len() {
        let class = CLASS[bytes[end] as usize];
        if class & NAME == 0 {
            break;
        }
        seen |= class;
        end += 1;
    }
    if end == start || CLASS[bytes[start] as usize] & START == 0 {
        return Err(start);
    }
    if seen & HIGH != 0 {
        check_high(text, start, end)?;
    }
    Ok(Name { end, colon: seen & COLON != 0 })
}

#[cold]
fn check_high(text: &str, start: usize, end: usize) -> Result<(), usize> {
    for (n, c) in text[start..end].char_indices() {
        if !(is_name_start(c) || n > 0 && is_name_rest(c)) {
            return Err(start + n);
        }
    }
    Ok(())
}

/// Reports whether `c` is a NameStartChar (production 4).
fn is_name_start(c: char) -> bool {
    matches!(c,
        ':' | 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Reports whether `c` is a NameChar (production 4a) but no NameStartChar.
fn is_name_rest(c: char) -> bool {
    matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{0300}'..='\u{036F}' | '\u{203F}'..='\u{2040}')
}

/// Reports whether `c` is a NameChar (production 4a).
pub fn is_name_char(c: char) -> bool {
    is_name_start(c) || is_name_rest(c)
}

/// Reports whether `name` is a QName (Namespaces in XML 1.0, production 7): it has at most one
/// colon, with names on both sides.
pub fn is_qname(name: &str) -> bool {
    match scan_name(name, 0) {
        Ok(Name { end, colon }) => end == name.len() && (!colon || split(name).is_some()),
        Err(_) => false,
    }
}

/// Returns prefix and local part of a name with a colon, if both are names without one.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let colon = memchr::memchr(b':', name.as_bytes())?;
    let (prefix, local) = (&name[..colon], &name[colon + 1..]);
    // The parts of a name are names if they start like one.
    let starts = |part: &str| match part.as_bytes().first() {
        Some(&byte) if byte < 0x80 => may_start_name(byte),
        _ => part.chars().next().is_some_and(is_name_start),
    };
    (starts(prefix) && starts(local) && memchr::memchr(b':', local.as_bytes()).is_none()).then_some((prefix, local))
}

/// Reports whether `byte` needs a second look in the value of an attribute: quotes, `&`, `<`, white
/// space that becomes a space, and U+0000, which marks the end.
#[inline(always)]
pub fn stops_value(byte: u8) -> bool {
    CLASS[byte as usize] & STOP != 0
}

/// Reports whether `c` is a Char (production 2), for character references.
pub fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Contents of a whole text that slower paths have to handle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// True for a carriage return: line ends have to be normalised (section 2.11).
    pub returns: bool,
    /// True for `]]>`, which must not stand in text (section 2.4).
    pub section_end: bool,
}

/// Bytes that [`survey`] scans together.
const BLOCK: usize = 1024;

impl Contents {
    /// Returns true if the text has none of them.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        !(self.returns | self.section_end)
    }
}

/// Checks that every character of `text` is one of XML's (production 2). Returns the offset of the
/// first that is not as the error.
pub fn survey(text: &str) -> Result<Contents, usize> {
    let bytes = text.as_bytes();
    let (mut control, mut returns, mut high, mut bracket) = (false, false, false, false);
    // Two vectorised passes: the first, over all, only finds blocks for the second. Slower checks
    // decide on what the second finds.
    for block in bytes.chunks(BLOCK) {
        let (mut lowest, mut highest) = (u8::MAX, 0);
        for &byte in block {
            lowest = lowest.min(byte);
            highest = highest.max(byte);
            bracket |= byte == b']';
        }
        if lowest >= 0x20 && highest < 0xef {
            continue;
        }
        for &byte in block {
            control |= (byte < 0x20) & (byte != b'\n') & (byte != b'\t') & (byte != b'\r');
            returns |= byte == b'\r';
            high |= byte == 0xef;
        }
    }
    if (control || high)
        && let Some(at) = first_illegal(text)
    {
        return Err(at);
    }
    let section_end = bracket && memchr::memmem::find(bytes, b"]]>").is_some();
    Ok(Contents { returns, section_end })
}

/// Returns the offset of the first character that is not one of XML 1.0's.
pub fn first_illegal(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().position(|(n, &byte)| match byte {
        b'\t' | b'\n' | b'\r' => false,
        0..=0x1f => true,
        // U+FFFE and U+FFFF.
        0xef => bytes[n + 1] == 0xbf && bytes[n + 2] >= 0xbe,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_productions() {
        for good in ["a", "_", "a-b.c1", "é", "日本", "x:y", "a\u{b7}", "𐀀"] {
            assert!(is_qname(good), "{good}");
        }
        for bad in ["", "1", "-a", ".", "a b", "a:", ":a", "a:b:c", "a:1", "×", "\u{b7}", "a\u{2190}", "a\u{f0000}", "a<", "\u{37e}"] {
            assert!(!is_qname(bad), "{bad}");
        }
    }

    #[test]
    fn illegal_characters_are_found() {
        assert_eq!(survey("a\tb\nc"), Ok(Contents::default()));
        assert_eq!(survey("a\r]]>"), Ok(Contents { returns: true, section_end: true }));
        assert_eq!(survey("ab\u{1}"), Err(2));
        assert_eq!(survey("é\u{fffe}"), Err(2));
        assert_eq!(survey("\u{ffff}"), Err(0));
        assert_eq!(survey("\u{fffd}\u{feff}\u{7f}\u{85}"), Ok(Contents::default()));
        assert!(!is_char('\u{0}') && !is_char('\u{fffe}') && is_char('\u{10ffff}'));
    }
}
