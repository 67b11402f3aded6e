//! The fast readers and writers held against the codec's primitives: same values, same ends, same
//! refusals.

use polywire_usds::wire;
use polywire_usds_runtime::output::{Field, Output};
use polywire_usds_runtime::read::{Own, Reader};

/// Bytes that are numbers more often than not.
fn bytes(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    match random.u8(..4) {
        0 => wire::put_uvarint(&mut bytes, random.u64(..) >> random.u32(..64)),
        1 => wire::put_varint(&mut bytes, random.i64(..) >> random.u32(..64)),
        2 => bytes.extend((0..random.usize(..12)).map(|_| random.u8(..) | 0x80)),
        _ => {
            let text: String = (0..random.usize(..40)).map(|_| if random.u8(..30) > 0 { random.alphanumeric() } else { 'é' }).collect();
            wire::put_uvarint(&mut bytes, text.len() as u64);
            bytes.extend(text.bytes());
        }
    }
    if !bytes.is_empty() && random.bool() {
        let at = random.usize(..bytes.len());
        bytes[at] = [0x00, 0x01, 0x07, 0x0f, 0x7f, 0x80, 0xff][random.usize(..7)];
        bytes.truncate(random.usize(..=bytes.len()));
    }
    bytes
}

#[test]
fn readers_agree_with_the_codec() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut seen = [0, 0];
    for _ in 0..100_000 {
        let bytes = bytes(&mut random);
        let reader = Reader::new(&bytes, 0, Own);
        macro_rules! agree {
            ($read:ident, $wanted:expr) => {{
                let mut reader = reader;
                let came = reader.$read().ok().map(|value| (value, reader.offset()));
                assert_eq!(came, $wanted, "{} of {bytes:02x?}", stringify!($read));
                seen[usize::from(came.is_some())] += 1;
            }};
        }
        agree!(uvarint, wire::uvarint(&bytes, 0).ok());
        agree!(varint, wire::varint(&bytes, 0).ok());
        agree!(id, wire::id(&bytes, 0).ok());
        agree!(octets, wire::sized(&bytes, 0).ok().map(|(start, end)| (&bytes[start..end], end)));
        agree!(text, wire::sized(&bytes, 0).ok().and_then(|(start, end)| Some((wire::utf8(&bytes[start..end])?, end))));
    }
    assert!(seen[0] > 10_000 && seen[1] > 10_000, "{seen:?}");
}

#[test]
fn writers_agree_with_the_codec_however_little_room_there_is() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..2_000 {
        let mut wanted = vec![7; random.usize(..9)];
        let mut came = Vec::with_capacity(wanted.len() + random.usize(..20));
        came.extend_from_slice(&wanted);
        let mut output = Output::new(&mut came);
        for _ in 0..random.usize(..12) {
            let number = random.u64(..) >> random.u32(..64);
            let text: Vec<u8> = (0..random.usize(..50)).map(|_| random.u8(..)).collect();
            wire::put_uvarint(&mut wanted, number);
            output.uvarint(number);
            wire::put_varint(&mut wanted, number as i64);
            output.varint(number as i64);
            wire::put_uvarint(&mut wanted, text.len() as u64);
            wanted.extend_from_slice(&text);
            output.octets(&text);
            wanted.extend_from_slice(&number.to_le_bytes());
            output.put(number.to_le_bytes());
        }
        drop(output);
        assert_eq!(came, wanted);
    }
}

#[test]
fn rows_of_words_agree_with_the_codec_however_little_room_there_is() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let texts: Vec<Vec<u8>> = (0..4).map(|_| (0..random.usize(..300) >> random.usize(..9)).map(|_| random.u8(..)).collect()).collect();
        let mut wanted = vec![7; random.usize(..9)];
        let mut came = Vec::with_capacity(wanted.len() + random.usize(..40));
        came.extend_from_slice(&wanted);
        let mut output = Output::new(&mut came);
        for _ in 0..random.usize(..4) {
            let (mut fields, mut words) = (Vec::new(), Vec::new());
            for _ in 0..random.usize(..12) {
                let word = random.u64(..) >> random.u32(..64);
                let field = [Field::One, Field::Two, Field::Four, Field::Eight, Field::Uvarint, Field::Text][random.usize(..6)];
                match field {
                    Field::Uvarint => wire::put_uvarint(&mut wanted, word),
                    Field::Text => {
                        let text = &texts[word as usize % 4];
                        wire::put_uvarint(&mut wanted, text.len() as u64);
                        wanted.extend_from_slice(text);
                    }
                    fixed => wanted.extend_from_slice(&word.to_le_bytes()[..fixed as usize]),
                }
                fields.push(field);
                words.push(word);
            }
            output.words(&fields, &words, |word| &texts[word as usize % 4]);
        }
        drop(output);
        assert_eq!(came, wanted);
    }
}
