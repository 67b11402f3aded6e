//! Objects that are kept as JSON text have the same text as the same values kept as nodes.

use bytes::Bytes;

use polywire_core::{Scalar, Str};
use polywire_doc::{Builder, Datum, Member, NameId, Repeated};

/// Puts the same random values into both builders.
fn fill(rng: &mut fastrand::Rng, source: &str, builders: [&mut Builder; 2]) {
    let [one, other] = builders;
    let names = ["a", "b", "c", "d \"e\"", "", "a name of more than thirty-two bytes, as JSON"];
    // Per open container: true for an object.
    let mut open = vec![true];
    while let Some(&is_object) = open.last() {
        let member = |builder: &mut Builder, name: &str, listed| match is_object {
            true => Member { name: builder.name(name), listed },
            false => Member::ELEMENT,
        };
        let (name, listed) = (names[rng.usize(..names.len())], rng.u8(..8) == 0);
        let members = (member(one, name, listed), member(other, name, listed));
        assert_eq!(members.0.name == NameId::NONE, !is_object);
        match rng.u8(..16) {
            0 | 1 if open.len() < 9 => {
                open.push(true);
                one.open_object(members.0).unwrap();
                other.open_object(members.1).unwrap();
            }
            2 | 3 if open.len() < 9 => {
                open.push(false);
                one.open_list(members.0).unwrap();
                other.open_list(members.1).unwrap();
            }
            4..=6 => {
                open.pop();
                match one.entries() {
                    1 if !open.is_empty() && rng.bool() => (one.unwrap(), other.unwrap()),
                    0 if !open.is_empty() && rng.bool() => {
                        let members = (one.cancel(), other.cancel());
                        one.scalar(members.0, Scalar::Null).unwrap();
                        other.scalar(members.1, Scalar::Null).unwrap();
                        ((), ())
                    }
                    0 | 1 if !listed && one.entries() == 0 => (one.close_distinct().unwrap(), other.close_distinct().unwrap()),
                    _ => (one.close().unwrap(), other.close().unwrap()),
                };
            }
            _ => {
                let (start, len) = (rng.usize(..source.len() / 2), rng.usize(..source.len() / 2));
                let text = source.get(start..start + len).unwrap_or("é");
                let value = match rng.u8(..12) {
                    0 => Scalar::Null,
                    1 => Scalar::Bool(rng.bool()),
                    2 => Scalar::int(-i64::from(rng.u32(..))),
                    3 => Scalar::uint(rng.u64(..)),
                    4 => Scalar::f32(rng.f32()),
                    5 => Scalar::f64(if rng.bool() { rng.f64() } else { f64::NAN }),
                    6 => Scalar::Bytes(Str::Scratch(text.as_bytes())),
                    7 => Scalar::Octets(Str::Scratch(if rng.bool() { text.as_bytes() } else { b"\xff" })),
                    8 => Scalar::big(Str::Scratch("123456789012345678901234567890")),
                    _ => Scalar::Text(Str::Scratch(text)),
                };
                one.scalar(members.0, value).unwrap();
                other.scalar(members.1, value).unwrap();
            }
        }
    }
}

#[test]
fn the_text_is_that_of_the_values() {
    let mut rng = fastrand::Rng::with_seed(8);
    let source =
        Bytes::from("some text with \"quotes\", new\nlines, \u{1f600} and so on, long enough for pieces of sixteen bytes".to_owned());
    let text = std::str::from_utf8(&source).unwrap();
    for n in 0..1000 {
        let repeated = if n % 2 == 0 { Repeated::Group } else { Repeated::Last };
        let (mut one, mut other) = (Builder::new(source.clone(), repeated), Builder::new(source.clone(), repeated));
        for builder in [&mut one, &mut other] {
            builder.open_list(Member::ELEMENT).unwrap();
        }
        for _ in 0..2 {
            one.open_object(Member::ELEMENT).unwrap();
            other.write_object(Member::ELEMENT).unwrap();
            assert_eq!(one.depth(), other.depth());
            fill(&mut rng, text, [&mut one, &mut other]);
        }
        for builder in [&mut one, &mut other] {
            builder.close_distinct().unwrap();
        }
        let (one, other) = (Datum::from(one.finish().unwrap()), Datum::from(other.finish().unwrap()));
        assert_eq!(String::from_utf8(other.to_json()), String::from_utf8(one.to_json()));
        assert_eq!(
            other.view().index(0).and_then(|object| object.as_str()).map(str::as_bytes),
            one.view().index(0).map(|object| object.to_datum().to_json()).as_deref()
        );
    }
}

#[test]
fn keys_are_taken_back() {
    let mut builder = Builder::new(Bytes::new(), Repeated::Group);
    builder.write_object(Member::ELEMENT).unwrap();
    builder.scalar(Member::ELEMENT, Scalar::int(-7)).unwrap();
    let key = builder.take_as_key();
    let member = Member::named(builder.name(&key));
    builder.scalar(member, Scalar::Bytes(Str::Scratch(b"a"))).unwrap();
    builder.close().unwrap();
    assert_eq!(Datum::from(builder.finish().unwrap()).to_json(), b"{\"-7\":\"YQ==\"}");
}
