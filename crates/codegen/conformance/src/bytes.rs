//! Shows the bytes of messages, and tampers with them.

use fastrand::Rng;

/// Changes a few bytes at random places.
pub fn tamper(bytes: &mut Vec<u8>, random: &mut Rng) {
    const TELLING: &[u8] = &[0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12, 0x7f, 0x80, 0xff];
    for _ in 0..random.usize(1..4) {
        let at = random.usize(0..=bytes.len());
        let byte = if random.bool() { random.u8(..) } else { TELLING[random.usize(0..TELLING.len())] };
        match random.u8(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 if at < bytes.len() => drop(bytes.splice(at..=at, [0x80 | bytes[at], 0x80, 0x00])),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
}

/// Returns the hexadecimal digits of bytes.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
