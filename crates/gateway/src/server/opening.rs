//! The first line of a connection. Bytes that are neither HTTP/1 nor HTTP/2 are a protocol that
//! the gateway does not speak: no answer would be understood, so they get none.

/// The third word of a request line begins so, and of the preface of HTTP/2 as well (RFC 9112 3,
/// RFC 9113 3.4).
const VERSION: &[u8] = b"HTTP/";

/// The first line, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Opening {
    place: Place,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the word of this number, or in the blanks before it.
    Word { number: u8, begun: bool },
    /// In the version, behind this number of good bytes.
    Version(usize),
    /// The line is a request, or is answered as one that is malformed.
    Known,
    /// The line is another protocol's.
    Foreign,
}

impl Default for Place {
    fn default() -> Place {
        Place::Word { number: 1, begun: false }
    }
}

impl Opening {
    /// Looks at the next bytes of the connection. Returns false once they are another protocol's.
    #[inline]
    pub fn admits(&mut self, bytes: &[u8]) -> bool {
        match self.place {
            Place::Known => true,
            Place::Foreign => false,
            _ => self.look(bytes),
        }
    }

    fn look(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            self.place = match (self.place, byte) {
                // Empty lines may stand before a request (RFC 9112 2.2).
                (Place::Word { number: 1, begun: false }, b'\r' | b'\n') => self.place,
                // A line with a path is a request, though a malformed one.
                (Place::Word { number: 2, begun: false }, b'/') => Place::Known,
                // A line of fewer words is answered as a malformed request.
                (Place::Word { .. }, b'\n') => Place::Known,
                (Place::Word { number: 2, begun: true }, b' ') => Place::Version(0),
                (Place::Word { number, begun: true }, b' ') => Place::Word { number: number + 1, begun: false },
                (Place::Word { number, begun }, b' ') => Place::Word { number, begun },
                (Place::Word { number, .. }, _) => Place::Word { number, begun: true },
                (Place::Version(0), b' ' | b'\r' | b'\n') => Place::Known,
                (Place::Version(at), byte) if VERSION[at] != *byte => Place::Foreign,
                (Place::Version(at), _) if at + 1 == VERSION.len() => Place::Known,
                (Place::Version(at), _) => Place::Version(at + 1),
                (Place::Known | Place::Foreign, _) => break,
            };
        }
        !matches!(self.place, Place::Foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(bytes: &[u8]) -> bool {
        let whole = Opening::default().admits(bytes);
        let mut opening = Opening::default();
        let single = bytes.iter().all(|byte| opening.admits(&[*byte]));
        assert_eq!(whole, single, "{}", String::from_utf8_lossy(bytes));
        assert_eq!(opening.admits(b"any"), whole);
        whole
    }

    #[test]
    fn requests_are_admitted_however_they_are_cut() {
        for line in [
            "GET / HTTP/1.1\r\n",
            "\r\n\r\nPOST /q HTTP/1.0\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET /\r\n",
            "no request\r\n",
            "GET  / HTTP/1.1\r\n",
            "GET / HTTP/9\r\n",
            "",
            "GET",
            "GET / \r\n",
            "GET / http/1.1\r\n",
            "GET /path with blanks HTTP/1.1\r\n",
        ] {
            assert!(admitted(line.as_bytes()), "{line}");
        }
        assert!(admitted(&[0x16, 3, 1, 2, 0, 1]));
    }

    #[test]
    fn other_protocols_are_not() {
        for line in ["INVALID CONNECTION PREFACE\r\n\r\n", "PRI * HTTQ/2.0\r\n", "SSH-2.0 a b\r\n", "USER anonymous x y z\r\n"] {
            assert!(!admitted(line.as_bytes()), "{line}");
        }
    }
}
