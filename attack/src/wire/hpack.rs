//! Heads of HTTP/2 in the simplest form of HPACK (RFC 7541): literals that are not indexed.

/// Returns a head.
pub fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.push(0);
        text(name.as_bytes(), &mut out);
        text(value.as_bytes(), &mut out);
    }
    out
}

/// Returns a literal that is added to the table (RFC 7541 6.2.1).
pub fn indexed(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0x40];
    text(name.as_bytes(), &mut out);
    text(value.as_bytes(), &mut out);
    out
}

/// Returns the pseudo-headers of a request.
pub fn request<'t>(method: &'t str, path: &'t str, authority: &'t str) -> Vec<(&'t str, &'t str)> {
    vec![(":method", method), (":scheme", "http"), (":path", path), (":authority", authority)]
}

fn text(bytes: &[u8], out: &mut Vec<u8>) {
    number(bytes.len(), 7, 0, out);
    out.extend_from_slice(bytes);
}

/// Appends a number with a prefix of `bits` (RFC 7541 5.1).
fn number(value: usize, bits: u32, flags: u8, out: &mut Vec<u8>) {
    let most = (1usize << bits) - 1;
    if value < most {
        return out.push(flags | value as u8);
    }
    out.push(flags | most as u8);
    let mut rest = value - most;
    while rest >= 128 {
        out.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_long_numbers() {
        assert_eq!(block(&[("a", "bc")]), [0, 1, b'a', 2, b'b', b'c']);
        // RFC 7541 C.1.2: 1337 with a prefix of five bits.
        let mut out = Vec::new();
        number(1337, 5, 0, &mut out);
        assert_eq!(out, [31, 154, 10]);
        assert_eq!(block(&[("a", &"x".repeat(127))])[3..5], [127, 0]);
    }
}
