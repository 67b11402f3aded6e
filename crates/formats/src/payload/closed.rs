//! Compressions and archives that are known by their first bytes, and not read: what people call
//! them, and the program that unpacks them.

/// A wrapping that has to be taken off by another program.
#[derive(Debug)]
pub struct Closed {
    /// Name for messages.
    pub name: &'static str,
    /// Command that writes what is inside to stdout, without the file's name.
    pub unpack: &'static str,
    is: fn(start: &[u8]) -> bool,
}

/// Every one that is known. Their first bytes leave no doubt.
static KNOWN: &[Closed] = &[
    Closed { name: "lzip", unpack: "lzip -dc", is: |start| start.starts_with(b"LZIP\x01") },
    Closed { name: "compress", unpack: "uncompress -c", is: is_compress },
    // Framing format of Snappy: the identifier of a stream.
    Closed { name: "snappy", unpack: "snzip -dc", is: |start| start.starts_with(b"\xff\x06\0\0sNaPpY") },
    // APPNOTE.TXT 4.3.7: a local file header.
    Closed { name: "zip", unpack: "unzip -p", is: |start| start.starts_with(b"PK\x03\x04") },
    Closed { name: "7z", unpack: "7z x -so", is: |start| start.starts_with(b"7z\xbc\xaf\x27\x1c") },
    // Codecs that are not compiled in.
    #[cfg(not(feature = "compression"))]
    Closed { name: "gzip", unpack: "gzip -dc", is: |start| start.starts_with(b"\x1f\x8b\x08") },
    #[cfg(not(feature = "compression"))]
    Closed { name: "zstd", unpack: "zstd -dc", is: |start| start.starts_with(b"\x28\xb5\x2f\xfd") },
    #[cfg(not(feature = "compression"))]
    Closed { name: "bzip2", unpack: "bzip2 -dc", is: |start| start.starts_with(b"BZh") && start.get(4..6) == Some(b"1A") },
    #[cfg(not(feature = "compression"))]
    Closed { name: "xz", unpack: "xz -dc", is: |start| start.starts_with(b"\xfd7zXZ\0") },
    #[cfg(not(feature = "compression"))]
    Closed { name: "lz4", unpack: "lz4 -dc", is: |start| start.starts_with(b"\x04\x22\x4d\x18") },
];

/// Returns the wrapping that a stream begins with, if it is one of these.
pub fn closed(start: &[u8]) -> Option<&'static Closed> {
    KNOWN.iter().find(|closed| (closed.is)(start))
}

/// Reports whether the signature of compress(1) is there, with a number of bits that it allows.
fn is_compress(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x9d") && matches!(start.get(2), Some(flags) if flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1f)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_decide() {
        let name = |start: &[u8]| closed(start).map(|closed| closed.name);
        assert_eq!(name(b"LZIP\x01\x0c"), Some("lzip"));
        assert_eq!(name(b"\x1f\x9d\x90\x61"), Some("compress"));
        assert_eq!(name(b"\xff\x06\0\0sNaPpY\x01"), Some("snappy"));
        assert_eq!(name(b"PK\x03\x04\x14\0"), Some("zip"));
        assert_eq!(name(b"7z\xbc\xaf\x27\x1c\0\x04"), Some("7z"));
        for other in [&b""[..], b"\x1f\x9d", b"\x1f\x9d\xff", b"PK"] {
            assert_eq!(name(other), None, "{other:?}");
        }
    }
}
