//! Digits in halves of octets.

use std::fmt::Write;

/// Digits of telephony (3GPP TS 29.002 17.7.8); 15 is a filler.
const TELEPHONY: &[u8; 15] = b"0123456789*#abc";

/// Writes digits, the low half first. The last high half may be a filler.
pub(super) fn tbcd(octets: &[u8], out: &mut String) -> Option<()> {
    if octets.is_empty() {
        return None;
    }
    let mut ended = false;
    for half in octets.iter().flat_map(|octet| [octet & 15, octet >> 4]) {
        match TELEPHONY.get(usize::from(half)) {
            Some(digit) if !ended => out.push(char::from(*digit)),
            Some(_) => return None,
            None => ended = true,
        }
    }
    (!out.is_empty()).then_some(())
}

/// Writes decimal digits, the high half first, with fillers at the end.
pub(super) fn bcd(octets: &[u8], out: &mut String) -> Option<()> {
    let mut ended = false;
    for half in octets.iter().flat_map(|octet| [octet >> 4, octet & 15]) {
        match half {
            0..=9 if !ended => out.push(char::from(b'0' + half)),
            15 => ended = true,
            _ => return None,
        }
    }
    (!out.is_empty()).then_some(())
}

/// Natures of a number (3GPP TS 29.002 17.7.8).
const NATURES: [&str; 8] = [
    "unknown nature",
    "international",
    "national significant",
    "network specific",
    "subscriber",
    "reserved nature",
    "abbreviated",
    "reserved nature",
];

/// Writes nature, plan and digits.
pub(super) fn address(octets: &[u8], out: &mut String) -> Option<()> {
    let (first, rest) = octets.split_first()?;
    // The extension bit says that no further octet of this kind follows.
    if first & 0x80 == 0 {
        return None;
    }
    if !rest.is_empty() {
        tbcd(rest, out)?;
    }
    let nature = NATURES[usize::from(first >> 4 & 7)];
    let plan = match first & 15 {
        0 => "unknown plan",
        1 => "E.164",
        3 => "X.121",
        4 => "F.69",
        6 => "E.212",
        8 => "national plan",
        9 => "private plan",
        _ => "reserved plan",
    };
    // Writing to a string cannot fail.
    let _ = write!(out, "{}{nature}, {plan}", if rest.is_empty() { "no digits, " } else { ", " });
    Some(())
}

/// Writes the country and network codes of three octets (3GPP TS 24.008 10.5.1.13).
pub(super) fn plmn(octets: &[u8], out: &mut String) -> Option<()> {
    let &[one, two, three] = octets else { return None };
    let halves = [one & 15, one >> 4, two & 15, three & 15, three >> 4, two >> 4];
    let decimal = |half: &u8| *half <= 9;
    if !halves[..5].iter().all(decimal) || !matches!(halves[5], 0..=9 | 15) {
        return None;
    }
    out.push_str("MCC ");
    out.extend(halves[..3].iter().map(|half| char::from(b'0' + half)));
    out.push_str(", MNC ");
    out.extend(halves[3..].iter().filter(|half| decimal(half)).map(|half| char::from(b'0' + half)));
    Some(())
}

/// Writes the time of nine octets: `YYMMDDhhmmss`, a sign, and `hhmm` of the offset (3GPP TS 32.298
/// 5.1.2.2). Years count from 2000.
pub(super) fn time_stamp(octets: &[u8], out: &mut String) -> Option<()> {
    let &[year, month, day, hour, minute, second, sign, offset, past] = octets else { return None };
    let two = |octet: u8| (octet >> 4 <= 9 && octet & 15 <= 9).then_some((octet >> 4) * 10 + (octet & 15));
    let within = |octet: u8, low: u8, high: u8| two(octet).filter(|value| (low..=high).contains(value));
    let (year, month, day) = (two(year)?, within(month, 1, 12)?, within(day, 1, 31)?);
    let (hour, minute, second) = (within(hour, 0, 23)?, within(minute, 0, 59)?, within(second, 0, 60)?);
    let (offset, past) = (within(offset, 0, 14)?, within(past, 0, 59)?);
    if !matches!(sign, b'+' | b'-') {
        return None;
    }
    let sign = char::from(sign);
    // Writing to a string cannot fail.
    let _ = write!(out, "20{year:02}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{offset:02}:{past:02}");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn digits_in_their_order() {
        assert_eq!(shown(tbcd, &[0x62, 0x02, 0x21, 0x43, 0xf5]).as_deref(), Some("262012345"));
        assert_eq!(shown(tbcd, &[0xba, 0xdc]).as_deref(), Some("*#ab"));
        assert_eq!(shown(tbcd, &[0xff, 0x21]), None);
        assert_eq!(shown(tbcd, &[]), None);
        assert_eq!(shown(bcd, &[0x49, 0x17, 0x1f]).as_deref(), Some("49171"));
        assert_eq!(shown(bcd, &[0x4a]), None);
    }

    #[test]
    fn numbers_with_nature_and_plan() {
        assert_eq!(shown(address, &[0x91, 0x94, 0x71, 0xf1]).as_deref(), Some("49171, international, E.164"));
        assert_eq!(shown(address, &[0xa8]).as_deref(), Some("no digits, national significant, national plan"));
        assert_eq!(shown(address, &[0x11, 0x94]), None);
    }

    #[test]
    fn networks_and_times() {
        assert_eq!(shown(plmn, &[0x62, 0xf2, 0x10]).as_deref(), Some("MCC 262, MNC 01"));
        assert_eq!(shown(plmn, &[0x13, 0x00, 0x14]).as_deref(), Some("MCC 310, MNC 410"));
        assert_eq!(shown(plmn, &[0xf2, 0xf2, 0x10]), None);
        let time = [0x26, 0x11, 0x27, 0x18, 0x55, 0x00, b'+', 0x01, 0x00];
        assert_eq!(shown(time_stamp, &time).as_deref(), Some("2026-11-27T18:55:00+01:00"));
        assert_eq!(shown(time_stamp, &[0x26, 0x13, 0x27, 0x18, 0x55, 0x00, b'+', 0x01, 0x00]), None);
    }
}
