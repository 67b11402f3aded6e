//! Status and headers of a reply as text: HTTP/1.1 with plain line ends.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// The most headers of a head; hyper accepts fewer.
const HEADERS: usize = 256;

/// Appends a head and the empty line that ends it.
pub fn write(status: StatusCode, headers: &HeaderMap, out: &mut Vec<u8>) {
    let reason = status.canonical_reason().unwrap_or_default();
    out.extend_from_slice(format!("HTTP/1.1 {} {reason}\n", status.as_str()).as_bytes());
    write_headers(headers, out);
}

/// Appends header lines and an empty line.
pub fn write_headers(headers: &HeaderMap, out: &mut Vec<u8>) {
    for (name, value) in headers {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// Returns the head at the beginning of `bytes`, and its length; `None` where there is none.
pub fn read(bytes: &[u8]) -> Option<(StatusCode, HeaderMap, usize)> {
    let mut slots = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut slots);
    let Ok(httparse::Status::Complete(length)) = head.parse(bytes) else { return None };
    let status = StatusCode::from_u16(head.code?).ok()?;
    let mut headers = HeaderMap::with_capacity(head.headers.len());
    for header in head.headers.iter() {
        headers.append(HeaderName::from_bytes(header.name.as_bytes()).ok()?, HeaderValue::from_bytes(header.value).ok()?);
    }
    Some((status, headers, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut headers = HeaderMap::new();
        headers.append("a", HeaderValue::from_static("x: y"));
        headers.append("a", HeaderValue::from_bytes(b"\xe9").unwrap());
        headers.append("empty", HeaderValue::from_static(""));
        for status in [200, 404, 799] {
            let mut bytes = Vec::new();
            write(StatusCode::from_u16(status).unwrap(), &headers, &mut bytes);
            bytes.extend_from_slice(b"body");
            let (back, back_headers, length) = read(&bytes).unwrap();
            assert_eq!((back.as_u16(), &back_headers, &bytes[length..]), (status, &headers, &b"body"[..]));
        }
        assert!(read(b"HTTP/1.1 200 OK\na: b\n").is_none());
        assert!(read(b"nonsense").is_none());
    }
}
