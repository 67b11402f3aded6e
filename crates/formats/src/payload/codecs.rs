//! The codecs, and what the first bytes of a stream say about them.

use polywire_core::format::payload::Codec;

use super::base64;
use super::closed::closed;
#[cfg(any(feature = "asn1", feature = "ber"))]
use super::pem;
#[cfg(feature = "compression")]
use super::{bzip2, gzip, lz4, xz, zstd};

/// Every codec that is compiled in. Those that their first bytes identify come first.
#[rustfmt::skip] // One line each, so that a new codec is one new line.
pub static CODECS: &[&Codec] = &[
    #[cfg(feature = "compression")] &gzip::CODEC,
    #[cfg(feature = "compression")] &zstd::CODEC,
    #[cfg(feature = "compression")] &bzip2::CODEC,
    #[cfg(feature = "compression")] &xz::CODEC,
    #[cfg(feature = "compression")] &lz4::CODEC,
    #[cfg(any(feature = "asn1", feature = "ber"))] &pem::CODEC,
    &base64::CODEC,
];

/// Returns true if the first bytes prove a compression or an archive.
pub(crate) fn is_packed(start: &[u8]) -> bool {
    CODECS.iter().any(|codec| codec.certain && (codec.recognise)(start, false)) || closed(start).is_some()
}

/// The bytes that compressions and archives begin with, or the first of them.
const STARTS: &[&[u8]] = &[b"\x1f", b"\x28\xb5", b"BZh", b"\xfd7z", b"\x04\x22", b"LZIP", b"\xff\x06", b"PK", b"7z", b"-----BEGIN "];

/// Returns false if no compression or archive begins as `start` does, whatever follows. Text in
/// front of a block of PEM is not foreseen.
pub fn may_be_packed(start: &[u8]) -> bool {
    STARTS.iter().any(|magic| magic.iter().zip(start).all(|(one, other)| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_packed_may_be() {
        let packed: &[&[u8]] = &[
            b"\x1f\x8b\x08",
            b"\x28\xb5\x2f\xfd",
            b"BZh91AY&SY",
            b"\xfd7zXZ\0",
            b"\x04\x22\x4d\x18\x64\x40\xa7",
            b"LZIP\x01",
            b"\x1f\x9d\x90",
            b"\xff\x06\0\0sNaPpY",
            b"PK\x03\x04",
            b"7z\xbc\xaf\x27\x1c",
        ];
        assert!(packed.iter().all(|start| is_packed(start) && (0..start.len()).all(|len| may_be_packed(&start[..len]))));
        let pem: &[&[u8]] = &[b"-----BEGIN CERTIFICATE-----\nMII"];
        let packed = if cfg!(any(feature = "asn1", feature = "ber")) { [packed, pem].concat() } else { packed.to_vec() };
        assert!(packed.iter().all(|start| is_packed(start)));
        let recognised = |codec: &&Codec| !codec.certain || packed.iter().any(|start| (codec.recognise)(start, false));
        assert!(CODECS.iter().copied().all(|codec| recognised(&codec)));
        assert!(["{", "[", "<a", "a,b", "---\n", "P,Q", "7,8"].iter().all(|start| !may_be_packed(start.as_bytes())));
    }
}
