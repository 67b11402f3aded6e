//! Names of types and fields, and their hashes.

/// Names that every service has (`docs/spec/etch.md 4 and 5`).
const KNOWN: [&str; 25] = [
    "_messageId",
    "_inReplyTo",
    "result",
    "_exception",
    "_Etch_List",
    "values",
    "_Etch_Set",
    "keys",
    "_Etch_Map",
    "keysAndValues",
    "_Etch_Datetime",
    "dateTime",
    "_Etch_RuntimeException",
    "_Etch_AuthException",
    "msg",
    "_Etch_KeepAliveReq",
    "delay",
    "count",
    "_Etch_KeepAliveResp",
    "_Etch_PwAuthReq",
    "user",
    "password",
    "_Etch_PwAuthResp",
    "ok",
    "status",
];

static HASHES: [i32; KNOWN.len()] = {
    let (mut hashes, mut n) = ([0; KNOWN.len()], 0);
    while n < KNOWN.len() {
        hashes[n] = of_ascii(KNOWN[n].as_bytes());
        n += 1;
    }
    hashes
};

/// The hash before the first unit (`docs/spec/etch.md 2.1`).
const START: i32 = 5381;

const fn step(hash: i32, unit: u16) -> i32 {
    hash.wrapping_mul(65_599).wrapping_add(unit as i32)
}

const fn of_ascii(name: &[u8]) -> i32 {
    let (mut hash, mut n) = (START, 0);
    while n < name.len() {
        hash = step(hash, name[n] as u16);
        n += 1;
    }
    hash
}

/// Returns the hash of a name (`docs/spec/etch.md 2.1`).
///
/// ```
/// assert_eq!(polywire_etch::hash("examples.Clock.set"), 494384098);
/// ```
pub fn hash(name: &str) -> i32 {
    name.encode_utf16().fold(START, step)
}

/// Returns the name of a hash, if every service has it.
pub(crate) fn known(hash: i32) -> Option<&'static str> {
    HASHES.iter().position(|known| *known == hash).map(|n| KNOWN[n])
}

/// Returns the hash that a name stands for: its digits, or a known name.
pub(crate) fn number(name: &str) -> Option<i32> {
    if let Ok(number) = name.parse::<i32>() {
        return (itoa::Buffer::new().format(number) == name).then_some(number);
    }
    KNOWN.iter().position(|known| *known == name).map(|n| HASHES[n])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_etch() {
        for (name, expected) in [
            ("a", 352_988_316),
            ("result", -2_130_379_326),
            ("_Etch_List", 814_014_191),
            ("größe", -1_728_226_068),
            ("_exception", -1_522_717_131),
        ] {
            assert_eq!(hash(name), expected, "{name}");
        }
        for name in KNOWN {
            assert_eq!((number(name), known(hash(name))), (Some(hash(name)), Some(name)));
        }
        assert_eq!([number("-5"), number("05"), number("x")], [Some(-5), None, None]);
    }
}
