//! Text in YAML: plain if nobody could misread it, and in double quotes otherwise.

/// Appends `text`.
pub fn push(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    let mut buffer = [0; 4];
    for char in text.chars() {
        match char {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            // Not printable (YAML 1.2.2 section 5.1), or a line break for older readers.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(char)).as_bytes());
            }
            char => out.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Words that YAML 1.1, which many programs still read, takes for a truth value or nothing; in
/// lower case.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes.first(), Some(b'A'..=b'Z' | b'a'..=b'z' | b'_'))
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-'))
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}
