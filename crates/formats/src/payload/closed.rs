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
    // The .xz file format 1.1.0, 2.1.1.1.
    Closed { name: "xz", unpack: "xz -dc", is: |start| start.starts_with(b"\xfd7zXZ\0") },
    Closed { name: "bzip2", unpack: "bzip2 -dc", is: is_bzip2 },
    Closed { name: "lz4", unpack: "lz4 -dc", is: is_lz4 },
    Closed { name: "lzip", unpack: "lzip -dc", is: |start| start.starts_with(b"LZIP\x01") },
    Closed { name: "compress", unpack: "uncompress -c", is: is_compress },
    // Framing format of Snappy: the identifier of a stream.
    Closed { name: "snappy", unpack: "snzip -dc", is: |start| start.starts_with(b"\xff\x06\0\0sNaPpY") },
    // APPNOTE.TXT 4.3.7: a local file header.
    Closed { name: "zip", unpack: "unzip -p", is: |start| start.starts_with(b"PK\x03\x04") },
    Closed { name: "7z", unpack: "7z x -so", is: |start| start.starts_with(b"7z\xbc\xaf\x27\x1c") },
];

/// Returns the wrapping that a stream begins with, if it is one of these.
pub fn closed(start: &[u8]) -> Option<&'static Closed> {
    KNOWN.iter().find(|closed| (closed.is)(start))
}

/// Reports whether a block or the end of the stream follows the signature and the block size.
fn is_bzip2(start: &[u8]) -> bool {
    let Some((head, rest)) = start.split_at_checked(4) else { return false };
    head.starts_with(b"BZh")
        && matches!(head[3], b'1'..=b'9')
        && (rest.starts_with(b"\x31\x41\x59\x26\x53\x59") || rest.starts_with(b"\x17\x72\x45\x38\x50\x90"))
}

/// Reports whether the magic number of an LZ4 frame is there, and a frame descriptor of version 1
/// whose reserved bits are zero.
fn is_lz4(start: &[u8]) -> bool {
    start.starts_with(b"\x04\x22\x4d\x18") && matches!(start.get(4..6), Some([flags, block]) if flags & 0xc2 == 0x40 && block & 0x8f == 0)
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
        assert_eq!(name(b"\xfd7zXZ\0\0\x04"), Some("xz"));
        assert_eq!(name(b"BZh91AY&SY\x12"), Some("bzip2"));
        assert_eq!(name(b"BZh9\x17rE8P\x90\0\0"), Some("bzip2"));
        assert_eq!(name(b"\x04\x22\x4d\x18\x64\x40\xa7"), Some("lz4"));
        assert_eq!(name(b"LZIP\x01\x0c"), Some("lzip"));
        assert_eq!(name(b"\x1f\x9d\x90\x61"), Some("compress"));
        assert_eq!(name(b"\xff\x06\0\0sNaPpY\x01"), Some("snappy"));
        assert_eq!(name(b"PK\x03\x04\x14\0"), Some("zip"));
        assert_eq!(name(b"7z\xbc\xaf\x27\x1c\0\x04"), Some("7z"));
        for other in
            [&b""[..], b"BZh", b"BZh9 is a name", b"\x04\x22\x4d\x18", b"\x04\x22\x4d\x18\0\0", b"\x1f\x9d", b"\x1f\x9d\xff", b"PK"]
        {
            assert_eq!(name(other), None, "{other:?}");
        }
    }
}
