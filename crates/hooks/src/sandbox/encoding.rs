//! Encodings of `Buffer`.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD, URL_SAFE_NO_PAD};

/// Turns text into bytes. As in Node, a letter that is not in the alphabet ends hexadecimal text,
/// and is skipped in base64.
pub(crate) fn encode(text: &str, encoding: &str) -> Vec<u8> {
    match encoding {
        "latin1" | "ascii" => text.chars().map(|letter| letter as u32 as u8).collect(),
        "utf16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "hex" => {
            let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
            text.as_bytes().chunks_exact(2).map_while(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
        }
        "base64" | "base64url" => {
            let plain: Vec<u8> = text
                .bytes()
                .take_while(|byte| *byte != b'=')
                .filter_map(|byte| match byte {
                    b'-' => Some(b'+'),
                    b'_' => Some(b'/'),
                    byte if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') => Some(byte),
                    _ => None,
                })
                .collect();
            // A single letter at the end is less than a byte.
            let whole = if plain.len() % 4 == 1 { plain.len() - 1 } else { plain.len() };
            let lenient =
                GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true).with_decode_padding_mode(DecodePaddingMode::Indifferent);
            GeneralPurpose::new(&alphabet::STANDARD, lenient).decode(&plain[..whole]).unwrap_or_default()
        }
        _ => text.as_bytes().to_vec(),
    }
}

/// Turns bytes into text.
pub(crate) fn decode(bytes: &[u8], encoding: &str) -> String {
    match encoding {
        "latin1" => bytes.iter().map(|byte| char::from(*byte)).collect(),
        "ascii" => bytes.iter().map(|byte| char::from(*byte & 0x7f)).collect(),
        "utf16le" => {
            let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        "hex" => {
            let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
            bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
        }
        "base64" => STANDARD.encode(bytes),
        "base64url" => URL_SAFE_NO_PAD.encode(bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn encodings_come_back() {
        for encoding in ["utf8", "latin1", "utf16le", "hex", "base64", "base64url"] {
            for bytes in [&b""[..], b"a", b"ab", b"abc", b"abcd"] {
                if encoding == "utf16le" && bytes.len() % 2 == 1 {
                    continue;
                }
                assert_eq!(encode(&decode(bytes, encoding), encoding), bytes, "{encoding}");
            }
        }
    }

    #[test]
    fn odd_texts_are_read_as_node_reads_them() {
        assert_eq!(encode("YW Jj\n=", "base64"), b"abc");
        assert_eq!(encode("_-8", "base64"), [0xff, 0xef]);
        assert_eq!(encode("YWJjZ", "base64"), b"abc");
        assert_eq!(encode("6162zz63", "hex"), b"ab");
        assert_eq!(encode("616", "hex"), b"a");
        assert_eq!(decode(&[0xc3, 0x28], "utf8"), "\u{fffd}(");
    }
}
