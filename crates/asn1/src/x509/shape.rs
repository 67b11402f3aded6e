//! The shape of a message: which of the bundled module's types the first tags fit.
//!
//! Only tags and lengths are looked at, three levels deep, and as far as the bytes go: recognition
//! gets the first few thousand.

use polywire_core::format::Confidence;

/// Names of the messages, in the order of the module's choice.
pub(super) const MESSAGES: &[&str] = &[
    "certificate",
    "certificateList",
    "certificationRequest",
    "privateKeyInfo",
    "encryptedPrivateKeyInfo",
    "subjectPublicKeyInfo",
    "rsaPrivateKey",
    "rsaPublicKey",
    "ecPrivateKey",
    "dsaPrivateKey",
    "contentInfo",
    "pfx",
    "ocspRequest",
    "ocspResponse",
    "timeStampReq",
    "timeStampResp",
    "dhParameter",
    "ecParameters",
    "dssParms",
];

/// Contents octets of the object identifiers of PKCS #7, `1.2.840.113549.1.7`, without the last
/// arc.
const PKCS7: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7];

/// The same of the contents of S/MIME, `1.2.840.113549.1.9.16.1`.
const SMIME_CONTENT: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 1];

/// The same of the curves of X9.62 and SEC 2: `1.2.840.10045.3` and `1.3.132.0`.
const CURVES: [&[u8]; 2] = [&[0x2a, 0x86, 0x48, 0xce, 0x3d, 3], &[0x2b, 0x81, 4, 0]];

/// `1.3.6.1.5.5.7.48.1`, of OCSP.
const OCSP: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 0x30, 1];

/// Least octets of a modulus or prime: 256 bits.
const LEAST_PRIME: usize = 32;

/// Most elements that are looked at in one encoding.
const MOST: usize = 12;

/// Encoding: its tag, and the part of its contents that is there.
#[derive(Clone, Copy)]
struct Part<'b> {
    tag: u8,
    contents: &'b [u8],
    /// Length of the contents, with those that are not there. Indefinite lengths have the greatest.
    len: usize,
}

/// Reads one encoding with a tag of one octet. Returns the bytes behind it too.
fn part(bytes: &[u8]) -> Option<(Part<'_>, &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // An indefinite length: what follows is not known without a walk.
        0x80 => return (tag & 0x20 != 0).then_some((Part { tag, contents: rest, len: usize::MAX }, &[])),
        0x81..=0x84 => {
            let (octets, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (octets.iter().fold(0usize, |len, octet| len << 8 | usize::from(*octet)), rest)
        }
        _ => return None,
    };
    let there = len.min(rest.len());
    Some((Part { tag, contents: &rest[..there], len }, &rest[there..]))
}

impl<'b> Part<'b> {
    /// Returns the encodings within, as far as they are there.
    fn inside(&self) -> Vec<Part<'b>> {
        let mut found = Vec::new();
        let mut rest = self.contents;
        while found.len() < MOST
            && let Some((next, behind)) = part(rest)
        {
            if next.tag == 0 && next.len == 0 {
                break;
            }
            found.push(next);
            rest = behind;
        }
        found
    }

    fn tags(&self) -> Vec<u8> {
        self.inside().iter().map(|part| part.tag).collect()
    }

    /// Reports whether it is a SEQUENCE that begins with an object identifier.
    fn is_algorithm(&self) -> bool {
        self.tag == 0x30 && self.inside().first().is_some_and(|first| first.tag == 6 && first.len > 0)
    }

    /// Reports whether it is a Name: a SEQUENCE of SETs.
    fn is_name(&self) -> bool {
        self.tag == 0x30 && self.tags().iter().all(|tag| *tag == 0x31)
    }

    fn is_time(&self) -> bool {
        matches!(self.tag, 0x17 | 0x18)
    }

    /// Reports whether it is an object identifier below `stem`.
    fn is_below(&self, stem: &[u8]) -> bool {
        self.tag == 6 && self.contents.starts_with(stem) && self.len > stem.len()
    }

    /// Reports whether it is a SubjectPublicKeyInfo.
    fn is_public_key(&self) -> bool {
        let inside = self.inside();
        self.tag == 0x30 && matches!(&inside[..], [algorithm, key] if algorithm.is_algorithm() && key.tag == 3)
    }

    /// Reports whether it is a small INTEGER of this value.
    fn is(&self, value: u8) -> bool {
        self.tag == 2 && self.contents == [value]
    }
}

/// Returns the index in [`MESSAGES`] of the type whose shape the bytes have, and how sure it is.
/// The message may be cut.
pub(super) fn recognise(start: &[u8]) -> Option<(usize, Confidence)> {
    let (outer, _) = part(start)?;
    let (name, confidence) = named(&outer)?;
    MESSAGES.iter().position(|known| *known == name).map(|index| (index, confidence))
}

fn named(outer: &Part<'_>) -> Option<(&'static str, Confidence)> {
    const SURE: Confidence = Confidence::Certain;
    if outer.tag == 6 {
        return CURVES.iter().any(|stem| outer.is_below(stem)).then_some(("ecParameters", SURE));
    }
    if outer.tag != 0x30 {
        return None;
    }
    let parts = outer.inside();
    let tags: Vec<u8> = parts.iter().map(|part| part.tag).collect();
    Some(match (&tags[..], &parts[..]) {
        ([0x30, 3], [algorithm, _]) if algorithm.is_algorithm() => ("subjectPublicKeyInfo", SURE),
        ([0x30, 4], [algorithm, _]) if algorithm.is_algorithm() && algorithm.len < outer.len => ("encryptedPrivateKeyInfo", SURE),
        ([0x30, 0x30], [status, token])
            if status.inside().first().is_some_and(|first| first.tag == 2 && first.len == 1)
                && token.inside().first().is_some_and(|first| first.is_below(PKCS7)) =>
        {
            ("timeStampResp", SURE)
        }
        ([0x30] | [0x30, 0x30] | [0x30, 0x30, 3], [first, rest @ ..]) if rest.first().is_none_or(Part::is_algorithm) => {
            return signed(first).or_else(|| (rest.is_empty() && is_request(first)).then_some(("ocspRequest", SURE)));
        }
        ([0x30, 0xa0], [first, _]) if is_request(first) => ("ocspRequest", SURE),
        ([6, 0xa0], [first, _]) | ([6], [first]) if first.is_below(PKCS7) || first.is_below(SMIME_CONTENT) => ("contentInfo", SURE),
        ([2, 0x30] | [2, 0x30, 0x30], [version, safe, ..])
            if version.is(3) && safe.inside().first().is_some_and(|first| first.is_below(PKCS7)) =>
        {
            ("pfx", SURE)
        }
        ([2, 0x30, 4, ..], [version, algorithm, ..]) if version.len == 1 && algorithm.is_algorithm() => ("privateKeyInfo", SURE),
        ([2, 0x30, ..], [version, imprint, ..]) if version.is(1) && is_imprint(imprint) => ("timeStampReq", SURE),
        ([2, 4] | [2, 4, 0xa0 | 0xa1] | [2, 4, 0xa0, 0xa1], [version, key, ..]) if version.is(1) && key.len >= 16 => ("ecPrivateKey", SURE),
        ([10, 0xa0], [status, bytes])
            if status.len == 1
                && bytes.inside().first().is_some_and(|first| first.inside().first().is_some_and(|first| first.is_below(OCSP))) =>
        {
            ("ocspResponse", SURE)
        }
        ([10], [status]) if outer.len == 3 && matches!(status.contents, [1..=6]) => ("ocspResponse", Confidence::Likely),
        _ if tags.iter().all(|tag| *tag == 2) => return numbers(outer, &parts),
        _ => return None,
    })
}

/// Returns the type of the data in front of a signature.
fn signed(first: &Part<'_>) -> Option<(&'static str, Confidence)> {
    let parts = first.inside();
    let (versioned, rest) = match &parts[..] {
        [version, rest @ ..] if version.tag == 0xa0 => (true, rest),
        all => (false, all),
    };
    let found = match rest {
        [serial, algorithm, issuer, validity, ..]
            if serial.tag == 2 && algorithm.is_algorithm() && issuer.is_name() && validity.inside().first().is_some_and(Part::is_time) =>
        {
            "certificate"
        }
        [version, subject, key, ..] if !versioned && version.len == 1 && version.tag == 2 && subject.is_name() && key.is_public_key() => {
            "certificationRequest"
        }
        [version, algorithm, issuer, time, ..]
            if !versioned && version.tag == 2 && algorithm.is_algorithm() && issuer.is_name() && time.is_time() =>
        {
            "certificateList"
        }
        [algorithm, issuer, time, ..] if !versioned && algorithm.is_algorithm() && issuer.is_name() && time.is_time() => "certificateList",
        _ => return None,
    };
    Some((found, Confidence::Certain))
}

/// Reports whether it is a MessageImprint.
fn is_imprint(part: &Part<'_>) -> bool {
    let inside = part.inside();
    matches!(&inside[..], [algorithm, hash] if algorithm.is_algorithm() && hash.tag == 4 && hash.len >= 16)
}

/// Reports whether it is a TBSRequest: a list of hashes of names and keys.
fn is_request(part: &Part<'_>) -> bool {
    let inside = part.inside();
    let Some(list) = inside.iter().find(|part| part.tag == 0x30) else { return false };
    let request = list.inside();
    let Some(id) = request.first().and_then(|request| request.inside().first().copied()) else { return false };
    let parts = id.inside();
    matches!(&parts[..], [algorithm, name, key, serial] if algorithm.is_algorithm() && name.tag == 4 && key.tag == 4 && serial.tag == 2)
}

/// Returns the type of a SEQUENCE of whole numbers: keys and parameters.
fn numbers(outer: &Part<'_>, parts: &[Part<'_>]) -> Option<(&'static str, Confidence)> {
    let is_large = |part: &Part<'_>| part.len >= LEAST_PRIME;
    let is_cut = outer.len > outer.contents.len();
    Some(match parts {
        [version, modulus, ..] if version.len == 1 && is_large(modulus) && (parts.len() == 9 || is_cut && parts.len() > 2) => {
            ("rsaPrivateKey", Confidence::Certain)
        }
        [version, p, _, _, _, _] if version.is(0) && is_large(p) => ("dsaPrivateKey", Confidence::Certain),
        // Exponents that are in use (RFC 8017 has any odd number); generators are other numbers.
        [modulus, exponent] if is_large(modulus) && matches!(exponent.contents, [3 | 17 | 35] | [1, 0, 1]) => {
            ("rsaPublicKey", Confidence::Certain)
        }
        [prime, base] | [prime, base, _] if is_large(prime) && base.len <= 2 => ("dhParameter", Confidence::Certain),
        [p, q, g] if is_large(p) && is_large(g) && q.len >= 20 => ("dssParms", Confidence::Certain),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_structures_have_no_shape() {
        let none: &[&[u8]] =
            &[b"", b"0", b"0\x80", b"\x30\x06\x02\x01\x01\x02\x01\x02", b"\x30\x03\x02\x01\x05", b"\x30\x84\xff\xff\xff\xff", &[0x30; 64]];
        for bytes in none {
            assert!(recognise(bytes).is_none(), "{bytes:x?}");
        }
        // A signature of ECDSA is two numbers of the same size.
        let signature = [&[0x30, 68, 2, 32][..], &[1; 32], &[2, 32], &[2; 32]].concat();
        assert!(recognise(&signature).is_none());
        // An unsuccessful answer of OCSP (RFC 6960 4.2.1).
        assert_eq!(recognise(&[0x30, 3, 10, 1, 6]), Some((13, Confidence::Likely)));
    }
}
