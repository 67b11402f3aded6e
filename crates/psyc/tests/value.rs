//! Typed values: bytes to values and back, nested to the limit, and the errors of wrong ones.

use fastrand::Rng;
use polywire_psyc::value::{DEPTH_MAX, Date, NUMBER_MAX, Owned, OwnedItem, PSYC_EPOCH, Value, ValueError, WriteError};
use polywire_psyc::variable::Type;

#[test]
fn simple_values_both_ways() {
    for (name, text, value) in [
        (&b"_amount"[..], &b"42"[..], Value::Amount(42)),
        (b"_amount_x", b"-9223372036854775808", Value::Amount(i64::MIN)),
        (b"_amount", b"9223372036854775808", Value::BigAmount(b"9223372036854775808")),
        (b"_date", b"0", Value::Date(Date(0))),
        (b"_time_idle", b"-60", Value::Time(-60)),
        (b"_degree_availability", b"4", Value::Degree(4)),
        (b"_flag_x", b"1", Value::Flag(true)),
        (b"_flag_x", b"0", Value::Flag(false)),
        (b"_color", b"#ff0000", Value::Color(b"#ff0000")),
        (b"_language", b"en", Value::Language(b"en")),
        (b"_nick", b"", Value::Nick(b"")),
        (b"_page", b"http://h/", Value::Page(b"http://h/")),
        (b"_entity", b"psyc://h/~a", Value::Entity(b"psyc://h/~a")),
        (b"_uniform", b"xmpp:a@h", Value::Uniform(b"xmpp:a@h")),
        (b"_topic", b"any\nbytes", Value::Opaque(b"any\nbytes")),
        (b"_counter", b"x", Value::Opaque(b"x")),
    ] {
        assert_eq!(Value::read(name, text), Ok(value), "{}", String::from_utf8_lossy(name));
        assert!(value.fits(name));
        assert_eq!(value.bytes(&mut [0; NUMBER_MAX]), text);
        let mut out = [0; 40];
        assert_eq!(value.write(&mut out).map(|length| &out[..length]), Ok(text));
        assert!(text.is_empty() || value.write(&mut out[..text.len() - 1]).is_err());
    }
    assert_eq!(Value::read(b"_flag", b"true"), Ok(Value::Flag(true)));
    assert_eq!(Value::read(b"_amount", b"007"), Ok(Value::Amount(7)));
    assert!(!Value::Nick(b"a").fits(b"_nickname"));
    assert!(Value::Uniform(b"psyc://h").uniform().is_some_and(|uniform| uniform.is_ok()));
    assert!(Value::Uniform(b"xmpp:a@h").uniform().is_some_and(|uniform| uniform.is_err()));
    assert!(Value::Nick(b"psyc://h").uniform().is_none());
}

#[test]
fn dates_and_unix_time() {
    // docs/spec/psyc.md 16: 2015-08-24T19:20:41Z.
    assert_eq!((PSYC_EPOCH, Date(0).unix(), Date::from_unix(0)), (1_440_444_041, Some(1_440_444_041), Some(Date(-1_440_444_041))));
    assert_eq!((Date(i64::MAX).unix(), Date::from_unix(i64::MIN)), (None, None));
    assert_eq!(Date::from_unix(i64::MAX).and_then(Date::unix), Some(i64::MAX));
}

#[test]
fn mistakes_are_told_with_their_offset() {
    let first_fault = |name: &[u8], text: &[u8]| Value::read(name, text).and_then(Owned::read).expect_err("a mistake");
    for (name, text, at, expected) in [
        (&b"_amount"[..], &b""[..], 0, "a whole number"),
        (b"_amount", b"-", 1, "a whole number"),
        (b"_amount", b"+1", 0, "a whole number"),
        (b"_amount", b"12 ", 2, "a whole number"),
        (b"_amount", b"99999999999999999999999x", 23, "a whole number"),
        (b"_time", b"9223372036854775808", 0, "seconds within 64 bits"),
        (b"_date", b"x", 0, "a whole number"),
        (b"_degree", b"", 0, "a digit"),
        (b"_degree", b"10", 1, "the end after one digit"),
        (b"_flag", b"yes", 0, "'1' or '0'"),
        (b"_list_x", b"|=_degree 4|=_degree x", 21, "a digit"),
        (b"_list_x", b"| a|x", 4, "a space, or a size and a space"),
        (b"_list_x", b"| a|5 abc", 9, "the rest of an element"),
        (b"_list_x", b"|=_x;", 4, "a type, and a space or a size after it"),
        (b"_list_x", b"a b", 1, "'|'"),
        (b"_dict_x", b"{a}=_list:8 |=_flag 2", 20, "'1' or '0'"),
        (b"_dict_x", b"{a} b{2 cd", 10, "'}'"),
        (b"_dict_x", b"{a", 2, "the rest of an element"),
        (b"_dict_x", b"{3x", 2, "a space, or a size and a space"),
        (b"_dict_x", b"_t|", 2, "'{'"),
    ] {
        assert_eq!(first_fault(name, text), ValueError { at, expected }, "{}", String::from_utf8_lossy(text));
    }
}

/// Lists in lists.
fn nested(depth: u32) -> Owned {
    (1..depth).fold(Owned::List(Vec::new(), Vec::new()), |inner, _| {
        Owned::List(Vec::new(), vec![OwnedItem { kind: b"_list".to_vec(), value: inner }])
    })
}

#[test]
fn nesting_is_limited() {
    let deepest = nested(DEPTH_MAX).to_bytes().expect("the limit");
    let read = |bytes: &[u8]| Value::read(b"_list", bytes).and_then(Owned::read);
    assert_eq!(read(&deepest), Ok(nested(DEPTH_MAX)));
    assert_eq!(nested(DEPTH_MAX + 1).to_bytes(), Err(WriteError::Depth));
    let deeper = [format!("|=_list:{} ", deepest.len()).as_bytes(), &deepest].concat();
    assert_eq!(read(&deeper).map_err(|fault| fault.expected), Err("fewer lists and dicts within each other"));
    assert!(Value::read_within(b"_list", b"", 0).is_err());
    // A million brackets of a hostile peer.
    assert!(read("|=_list ".repeat(1_000_000).as_bytes()).is_ok());
}

fn random(rng: &mut Rng, depth: u32) -> Owned {
    let bytes =
        |rng: &mut Rng| (0..rng.usize(..14)).map(|_| if rng.bool() { b"|{}=: 09_a\n"[rng.usize(..11)] } else { rng.u8(..) }).collect();
    let default = |rng: &mut Rng| [&b""[..], b"_nick", b"_list_x", b"_topic"][rng.usize(..4)].to_vec();
    match rng.u8(..if depth == 0 { 7 } else { 10 }) {
        0 => Owned::Amount(rng.i64(..)),
        1 => Owned::Time(rng.i64(..)),
        2 => Owned::Date(Date(rng.i64(..))),
        3 => Owned::Degree(rng.u8(..10)),
        4 => Owned::Flag(rng.bool()),
        5 => Owned::Bytes(None, bytes(rng)),
        6 => Owned::Bytes(Some([Type::Nick, Type::Page, Type::Uniform, Type::Color][rng.usize(..4)]), bytes(rng)),
        7 => {
            let default = default(rng);
            Owned::List(default.clone(), (0..rng.usize(..4)).map(|_| item(rng, depth - 1, &default)).collect())
        }
        8 => {
            let default = default(rng);
            Owned::Struct(default.clone(), (0..rng.usize(..4)).map(|_| item(rng, depth - 1, &default)).collect())
        }
        _ => {
            let default = default(rng);
            Owned::Dict(default.clone(), (0..rng.usize(..4)).map(|_| (bytes(rng), item(rng, depth - 1, &default))).collect())
        }
    }
}

fn item(rng: &mut Rng, depth: u32, default: &[u8]) -> OwnedItem {
    let value = random(rng, depth);
    let kind = match value.kind() {
        Some(kind) if rng.bool() => format!("{}_x", kind.keyword().expect("a keyword")),
        Some(kind) => kind.keyword().expect("a keyword").to_string(),
        None if default.is_empty() && rng.bool() => String::new(),
        None => "_whatever".to_string(),
    };
    OwnedItem { kind: kind.into_bytes(), value }
}

#[test]
fn trees_come_back_from_their_bytes() {
    let mut rng = Rng::with_seed(122);
    for _ in 0..30_000 {
        let tree = random(&mut rng, 4);
        let bytes = tree.to_bytes().expect("a tree that can be written");
        let name = tree.kind().and_then(Type::keyword).unwrap_or("_unknown");
        let read = Value::read(name.as_bytes(), &bytes).and_then(Owned::read);
        assert_eq!(read, Ok(tree), "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_bytes_are_a_value_or_a_mistake_within_them() {
    let mut rng = Rng::with_seed(123);
    for _ in 0..60_000 {
        let letters = b"|{}=: 0129_list_dict_flag_nick";
        let bytes: Vec<u8> = (0..rng.usize(..40)).map(|_| letters[rng.usize(..letters.len())]).collect();
        for name in [&b"_list"[..], b"_dict", b"_struct", b"_amount"] {
            match Value::read(name, &bytes).and_then(Owned::read) {
                Ok(tree) => {
                    let again = tree.to_bytes().expect("what was read can be written");
                    assert_eq!(Value::read(name, &again).and_then(Owned::read), Ok(tree), "{}", String::from_utf8_lossy(&bytes));
                }
                Err(fault) => assert!(fault.at <= bytes.len(), "{fault}"),
            }
        }
    }
}

#[test]
fn trees_that_can_not_be_written() {
    let item = |kind: &[u8], value| OwnedItem { kind: kind.to_vec(), value };
    let list = |default: &[u8], item| Owned::List(default.to_vec(), vec![item]).to_bytes();
    assert_eq!(list(b"", item(b"_nick", Owned::Flag(true))), Err(WriteError::Type));
    assert_eq!(list(b"", item(b"", Owned::Flag(true))), Err(WriteError::Type));
    assert_eq!(list(b"_t", item(b"", Owned::Bytes(None, Vec::new()))), Err(WriteError::Type));
    assert_eq!(Owned::Degree(10).to_bytes(), Err(WriteError::Degree));
}
