//! Identifier and length octets (X.690 8.1.2 and 8.1.3): the only code that knows their layout.

use polywire_core::bytes::Input;
use polywire_core::{Error, ErrorKind, Result};

/// Class of a tag (X.690 8.1.2.2, table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Universal,
    Application,
    Context,
    Private,
}

/// Length of the contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// This number of bytes.
    Definite(u64),
    /// Up to the end-of-contents octets.
    Indefinite,
}

/// The header of an encoding, before its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub class: Class,
    pub constructed: bool,
    pub number: u64,
    pub length: Length,
    /// Number of identifier octets; the length octets follow.
    pub identifier: usize,
    /// Number of identifier and length octets.
    pub size: usize,
    /// True if the length fits into fewer octets, which DER demands (X.690 10.1).
    pub long_length: bool,
    /// True if the tag number fits into the first octet, where it belongs (X.690 8.1.2.2).
    pub long_tag: bool,
}

/// Reads a header and leaves the cursor at the contents. The length is not checked against the
/// bytes available.
pub(super) fn header(input: &mut Input<'_>) -> Result<Header> {
    let (start, at) = (input.pos(), input.offset());
    let first = input.u8("a tag")?;
    let class = [Class::Universal, Class::Application, Class::Context, Class::Private][usize::from(first >> 6)];
    let number = match first & 0x1f {
        0x1f => high_number(input, at)?,
        low => u64::from(low),
    };
    let identifier = input.pos() - start;
    let (length, long_length) = length(input)?;
    let constructed = first & 0x20 != 0;
    if length == Length::Indefinite && !constructed {
        return Err(Error::data(ErrorKind::Syntax, at + identifier as u64)
            .seen("a primitive encoding of indefinite length")
            .expected("a definite length (X.690 8.1.3.2)"));
    }
    let long_tag = identifier > 1 && number < 0x1f;
    Ok(Header { class, constructed, number, length, identifier, size: input.pos() - start, long_length, long_tag })
}

/// Reads a tag number from 31 up: seven bits per octet, the highest first (X.690 8.1.2.4).
fn high_number(input: &mut Input<'_>, at: u64) -> Result<u64> {
    let mut number = 0u64;
    loop {
        let byte = input.u8("a tag number")?;
        if number == 0 && byte == 0x80 {
            return Err(Error::data(ErrorKind::Syntax, at)
                .seen("a tag number with leading zeros")
                .expected("its shortest form (X.690 8.1.2.4.2)"));
        }
        if number >> 57 != 0 {
            return Err(Error::data(ErrorKind::Range, at).seen("a tag number of more than 64 bits").expected("a tag"));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Ok(number);
        }
    }
}

fn length(input: &mut Input<'_>) -> Result<(Length, bool)> {
    let at = input.offset();
    let first = input.u8("a length")?;
    let octets = match first {
        0x00..=0x7f => return Ok((Length::Definite(u64::from(first)), false)),
        0x80 => return Ok((Length::Indefinite, false)),
        0xff => return Err(Error::data(ErrorKind::Syntax, at).seen("byte 0xff").expected("a length (X.690 8.1.3.5 reserves 0xff)")),
        _ => first & 0x7f,
    };
    let mut value = 0u64;
    let mut leading_zero = false;
    for n in 0..octets {
        let byte = input.u8("a length")?;
        leading_zero |= n == 0 && byte == 0;
        if value >> 56 != 0 {
            return Err(Error::data(ErrorKind::Range, at).seen("a length of more than 64 bits").expected("a length"));
        }
        value = value << 8 | u64::from(byte);
    }
    Ok((Length::Definite(value), leading_zero || value < 0x80))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Header> {
        header(&mut Input::new(bytes, 0))
    }

    #[test]
    fn tags_of_all_classes_and_sizes() {
        let cases: [(&[u8], Class, bool, u64); 6] = [
            (&[0x30, 0], Class::Universal, true, 16),
            (&[0x5e, 0], Class::Application, false, 30),
            (&[0xa3, 0], Class::Context, true, 3),
            (&[0xdf, 0x1f, 0], Class::Private, false, 31),
            (&[0x9f, 0x81, 0x00, 0], Class::Context, false, 128),
            (&[0x9f, 0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0], Class::Context, false, u64::MAX),
        ];
        for (bytes, class, constructed, number) in cases {
            let header = read(bytes).unwrap();
            assert_eq!((header.class, header.constructed, header.number), (class, constructed, number));
            assert_eq!((header.size, header.identifier), (bytes.len(), bytes.len() - 1));
        }
        assert_eq!(read(&[0x9f, 0x80, 1, 0]).unwrap_err().kind(), ErrorKind::Syntax);
        assert!(read(&[0x9f, 0x1e, 0]).unwrap().long_tag && !read(&[0x9f, 0x1f, 0]).unwrap().long_tag);
        let beyond = [0x9f, 0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
        assert_eq!(read(&beyond).unwrap_err().kind(), ErrorKind::Range);
    }

    #[test]
    fn lengths_of_all_forms() {
        let cases: [(&[u8], Length, bool); 6] = [
            (&[4, 0x7f], Length::Definite(127), false),
            (&[4, 0x81, 0x80], Length::Definite(128), false),
            (&[4, 0x81, 0x7f], Length::Definite(127), true),
            (&[4, 0x83, 0, 1, 0], Length::Definite(256), true),
            (&[4, 0x88, 255, 255, 255, 255, 255, 255, 255, 255], Length::Definite(u64::MAX), false),
            (&[0x24, 0x80], Length::Indefinite, false),
        ];
        for (bytes, length, long) in cases {
            let header = read(bytes).unwrap();
            assert_eq!((header.length, header.long_length, header.size), (length, long, bytes.len()));
        }
        assert_eq!(read(&[4, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap_err().kind(), ErrorKind::Range);
        assert_eq!(read(&[4, 0xff]).unwrap_err().offset(), Some(1));
        assert_eq!(read(&[4, 0x80]).unwrap_err().kind(), ErrorKind::Syntax);
        assert_eq!(read(&[4, 0x82, 1]).unwrap_err().kind(), ErrorKind::Truncated);
    }

    /// Bytes of the longest header: 1 identifier octet and 10 of a 64-bit tag number, 1 length
    /// octet and up to 126 more. It bounds the bytes that framing reads again when a header is cut.
    const MAX_HEADER: usize = 138;

    #[test]
    fn no_header_is_longer_than_the_longest() {
        let mut bytes = vec![0x9f, 0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xfe];
        bytes.extend([0; 126]);
        assert_eq!(read(&bytes).unwrap().size, MAX_HEADER);
    }
}
