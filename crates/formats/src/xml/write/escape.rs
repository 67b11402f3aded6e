//! Text and attribute values in XML.

use super::super::chars::is_space;

/// Appends `text` as the content of an element. `guarded` keeps white space from being taken for
/// layout.
pub fn text(out: &mut Vec<u8>, text: &str, guarded: bool) {
    let bytes = text.as_bytes();
    let mut guarded = guarded && bytes.iter().all(|&byte| is_space(byte));
    let mut copied = 0;
    for (n, &byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' if bytes[..n].ends_with(b"]]") => b"&gt;",
            // A reader would make a line feed of it.
            b'\r' => b"&#13;",
            b'\n' if guarded => {
                guarded = false;
                b"&#10;"
            }
            _ => continue,
        };
        out.extend_from_slice(&bytes[copied..n]);
        out.extend_from_slice(escape);
        copied = n + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
}

/// Appends `text` as the value of an attribute, in quotes.
pub fn attribute(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (n, &byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'"' => b"&quot;",
            // A reader would make spaces of them.
            b'\t' => b"&#9;",
            b'\n' => b"&#10;",
            b'\r' => b"&#13;",
            _ => continue,
        };
        out.extend_from_slice(&bytes[copied..n]);
        out.extend_from_slice(escape);
        copied = n + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_reader_would_change_is_escaped() {
        let written = |text: &str, guarded| {
            let mut out = Vec::new();
            super::text(&mut out, text, guarded);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written("a<b>&]]>\r\n\"", false), "a&lt;b>&amp;]]&gt;&#13;\n\"");
        assert_eq!(written(" \n \n", true), " &#10; \n");
        assert_eq!(written("a\n", true), "a\n");
        let mut out = Vec::new();
        super::attribute(&mut out, "<\"'>&\t\r\n");
        assert_eq!(out, b"\"&lt;&quot;'>&amp;&#9;&#13;&#10;\"");
    }
}
