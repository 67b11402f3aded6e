//! A strict reader of DER (X.690 10 and 11), which is the judge of ours.

/// How deep encodings may lie within each other.
const DEEPEST: usize = 400;

/// Checks that bytes are one encoding in DER.
///
/// # Errors
/// The first rule that is broken.
pub fn strict(bytes: &[u8]) -> Result<(), String> {
    let rest = element(bytes, 0)?.1;
    if rest.is_empty() { Ok(()) } else { Err(format!("{} bytes after the encoding", rest.len())) }
}

/// Checks one encoding; returns its tag, and the bytes after it.
fn element(bytes: &[u8], depth: usize) -> Result<(u64, &[u8]), String> {
    if depth > DEEPEST {
        return Err("encodings too deep within each other".to_string());
    }
    let (&identifier, mut rest) = bytes.split_first().ok_or("no identifier")?;
    let (class, constructed) = (identifier >> 6, identifier & 0x20 != 0);
    let mut number = u64::from(identifier & 0x1f);
    if number == 0x1f {
        number = 0;
        loop {
            let (&octet, after) = rest.split_first().ok_or("a tag number without an end")?;
            if number == 0 && octet == 0x80 {
                return Err("a tag number with leading zeros".to_string());
            }
            if number >> 57 != 0 {
                return Err("a tag number of more than 64 bits".to_string());
            }
            number = number << 7 | u64::from(octet & 0x7f);
            rest = after;
            if octet & 0x80 == 0 {
                break;
            }
        }
        if number < 0x1f {
            return Err("a low tag number in the long form".to_string());
        }
    }
    let (&first, mut rest) = rest.split_first().ok_or("no length")?;
    let len = match first {
        0..=0x7f => usize::from(first),
        0x80 => return Err("an indefinite length".to_string()),
        0xff => return Err("a length that starts with ff".to_string()),
        _ => {
            let count = usize::from(first & 0x7f);
            if count > 8 || rest.len() < count {
                return Err("a length of too many octets, or cut".to_string());
            }
            let (octets, after) = rest.split_at(count);
            rest = after;
            let len = octets.iter().fold(0u64, |len, octet| len << 8 | u64::from(*octet));
            if octets[0] == 0 || len < 0x80 {
                return Err("a length in more octets than needed".to_string());
            }
            usize::try_from(len).map_err(|_| "a length beyond memory")?
        }
    };
    if rest.len() < len {
        return Err("contents cut off".to_string());
    }
    let (contents, after) = rest.split_at(len);
    let tag = u64::from(class) << 60 | number;
    if class == 0 {
        universal(number, constructed, contents, depth)?;
    } else if constructed {
        elements(contents, depth)?;
    }
    Ok((tag, after))
}

/// Checks encodings that follow each other; returns their tags and bytes.
fn elements(mut contents: &[u8], depth: usize) -> Result<Vec<(u64, &[u8])>, String> {
    let mut found = Vec::new();
    while !contents.is_empty() {
        let (tag, after) = element(contents, depth + 1)?;
        found.push((tag, &contents[..contents.len() - after.len()]));
        contents = after;
    }
    Ok(found)
}

fn universal(number: u64, constructed: bool, contents: &[u8], depth: usize) -> Result<(), String> {
    let wrong = |what: &str| Err(what.to_string());
    // EXTERNAL, EMBEDDED PDV, SEQUENCE, SET and CHARACTER STRING are constructed.
    if matches!(number, 8 | 11 | 16 | 17 | 29) != constructed {
        return wrong("a primitive container, or a constructed scalar");
    }
    match number {
        0 => wrong("end-of-contents octets"),
        1 if !matches!(contents, [0] | [0xff]) => wrong("a BOOLEAN that is neither 00 nor ff"),
        2 | 10 => match contents {
            [] => wrong("an INTEGER without contents"),
            [0, next, ..] if next & 0x80 == 0 => wrong("an INTEGER in more octets than needed"),
            [0xff, next, ..] if next & 0x80 != 0 => wrong("an INTEGER in more octets than needed"),
            _ => Ok(()),
        },
        3 => match contents {
            [] => wrong("a BIT STRING without contents"),
            [unused, ..] if *unused > 7 => wrong("a BIT STRING with more than 7 unused bits"),
            [0] => Ok(()),
            [_] => wrong("unused bits of no octet"),
            [unused, .., last] if last & ((1u16 << unused) - 1) as u8 != 0 => wrong("unused bits that are not zero"),
            _ => Ok(()),
        },
        5 if !contents.is_empty() => wrong("a NULL with contents"),
        6 | 13 => {
            let mut starts = true;
            for octet in contents {
                if starts && *octet == 0x80 {
                    return wrong("an arc with leading zeros");
                }
                starts = octet & 0x80 == 0;
            }
            if contents.is_empty() || !starts { wrong("an object identifier without an end") } else { Ok(()) }
        }
        12 if std::str::from_utf8(contents).is_err() => wrong("a UTF8String that is not UTF-8"),
        16 | 8 | 11 | 29 => elements(contents, depth).map(drop),
        17 => {
            let members = elements(contents, depth)?;
            // SET sorts by tag, SET OF by encoding; each order is one of the two.
            let by_tag = members.is_sorted_by(|one, other| one.0 < other.0);
            let by_bytes = members.is_sorted_by(|one, other| padded(one.1, other.1));
            if by_tag || by_bytes { Ok(()) } else { wrong("a SET out of order") }
        }
        23 if !utc_time(contents) => wrong("a UTCTime that is not YYMMDDhhmmssZ"),
        24 if !generalized_time(contents) => wrong("a GeneralizedTime that is not in UTC with seconds and shortest fraction"),
        30 if !contents.len().is_multiple_of(2) => wrong("a BMPString of half characters"),
        28 if !characters(contents) => wrong("a UniversalString of other than characters"),
        15 => wrong("a type that is reserved"),
        37.. => wrong("a type that ASN.1 does not have"),
        _ => Ok(()),
    }
}

/// Returns whether octets are characters of 32 bits.
fn characters(contents: &[u8]) -> bool {
    let (quads, rest) = contents.as_chunks::<4>();
    rest.is_empty() && quads.iter().all(|quad| char::from_u32(u32::from_be_bytes(*quad)).is_some())
}

/// Returns whether `one` is not after `other`, the shorter one padded with zeros (X.690 11.6).
fn padded(one: &[u8], other: &[u8]) -> bool {
    let len = one.len().max(other.len());
    let at = |bytes: &[u8], index: usize| bytes.get(index).copied().unwrap_or(0);
    (0..len).map(|index| at(one, index)).le((0..len).map(|index| at(other, index)))
}

fn utc_time(contents: &[u8]) -> bool {
    contents.len() == 13 && contents.ends_with(b"Z") && contents[..12].iter().all(u8::is_ascii_digit) && fields(&contents[2..12])
}

fn generalized_time(contents: &[u8]) -> bool {
    let Some(digits) = contents.strip_suffix(b"Z") else { return false };
    let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
        Some(point) => (&digits[..point], Some(&digits[point + 1..])),
        None => (digits, None),
    };
    whole.len() == 14
        && whole.iter().all(u8::is_ascii_digit)
        && fields(&whole[4..])
        && fraction.is_none_or(|fraction| !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit) && !fraction.ends_with(b"0"))
}

/// Returns whether month, day, hour, minute and second are in their ranges.
fn fields(digits: &[u8]) -> bool {
    let two = |at: usize| (digits[at] - b'0') * 10 + digits[at + 1] - b'0';
    (1..=12).contains(&two(0)) && (1..=31).contains(&two(2)) && two(4) <= 23 && two(6) <= 59 && two(8) <= 59
}

#[cfg(test)]
mod tests {
    use super::strict;

    #[test]
    fn the_judge_is_strict() {
        let judged = |hex: &str| strict(&data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap());
        for hex in [
            "0500",
            "020101",
            "02020080",
            "3006020101020102",
            "0101ff",
            "03020780",
            "0603550406",
            "3106020101020102",
            "a003020105",
            "170d3236303130313030303030305a",
        ] {
            assert_eq!(judged(hex), Ok(()), "{hex}");
        }
        for hex in [
            "050100",
            "02020001",
            "0202ff80",
            "0281010100",
            "02810101",
            "30800201010000",
            "010101",
            "0302078f",
            "06020480",
            "3106020102020101",
            "1f0100",
            "030101",
            "0500ff",
            "300302",
            "170b323630313031303030305a",
            "1c0408000834",
        ] {
            assert!(judged(hex).is_err(), "{hex}");
        }
    }
}
