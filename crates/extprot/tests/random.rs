//! Random protocols, values, later versions and mutated bytes: all decoders say the same, and
//! values come back.

mod twin;

use polywire_extprot::error::{Cause, SizeLimits};
use polywire_extprot::model::Protocol;
use polywire_extprot::protocol::{NoFiles, compile};
use polywire_testing::{Rng, mutate};

use twin::doors::Doors;
use twin::random::{Text, value};
use twin::shown::{hex, shown};

fn protocol(text: &Text) -> Protocol {
    compile("random", text.text().as_bytes(), &mut NoFiles).unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{}", text.text()))
}

fn limits(rng: &mut Rng) -> SizeLimits {
    let mut limit = |most: u64| if rng.u8(..3) == 0 { rng.u64(..most) } else { u64::MAX };
    SizeLimits { message_length: limit(60), elements: limit(6), string_length: limit(12) }
}

/// Errors found on the way, so that a test that finds none fails.
#[derive(Default)]
struct Found(std::collections::BTreeMap<&'static str, u64>);

impl Found {
    fn add(&mut self, outcome: Result<(), polywire_extprot::error::DecodeError>) {
        *self.0.entry(outcome.map_or_else(|failure| failure.cause.name(), |()| "decoded")).or_default() += 1;
    }
}

#[test]
fn all_decoders_agree_on_values_versions_and_broken_bytes() {
    let mut rng = Rng::with_seed(11);
    let mut found = Found::default();
    let mut written = 0;
    for _ in 0..1500 {
        let text = Text::new(&mut rng);
        let old = protocol(&text);
        // A subset may name a field that the later version lacks.
        let Ok(new) = compile("later", text.evolved(&mut rng).text().as_bytes(), &mut NoFiles) else { continue };
        let (old, new) = (Doors::new(&old, "m"), Doors::new(&new, "m"));
        if !old.plan.is_encodable() {
            continue;
        }
        let node = old.protocol.message("m").expect("the message is there");
        for _ in 0..4 {
            let value = value(old.protocol, node, &mut rng);
            let bytes = old.encode(&value).unwrap_or_else(|error| panic!("{error}\n{}\n{value:?}", text.text()));
            let (back, end) = old.decode(&bytes, &SizeLimits::NONE).unwrap_or_else(|failure| panic!("{failure}\n{}", text.text()));
            assert_eq!((shown(&back), end), (shown(&value), bytes.len()), "{}\n{}", hex(&bytes), text.text());
            written += 1;
            found.add(new.decode(&bytes, &limits(&mut rng)).map(drop));
            for _ in 0..12 {
                let broken = mutate(&mut rng, &bytes);
                found.add(old.decode(&broken, &limits(&mut rng)).map(drop));
                found.add(new.decode(&broken, &SizeLimits::NONE).map(drop));
                if let Ok((value, _)) = old.decode(&broken, &SizeLimits::NONE) {
                    let again = old.encode(&value).unwrap_or_else(|error| panic!("{error}"));
                    let (back, _) = old.decode(&again, &SizeLimits::NONE).unwrap_or_else(|failure| panic!("{failure}"));
                    assert_eq!(shown(&back), shown(&value), "{}", hex(&again));
                }
            }
        }
    }
    assert!(written > 3000, "{written}");
    for name in [
        "decoded",
        "bad_wire_type",
        "unknown_tag",
        "missing_field",
        "missing_tuple_element",
        "limit_exceeded",
        "unexpected_eof",
        "vint_overflow",
    ] {
        assert!(found.0.get(name).is_some_and(|count| *count > 50), "{name} is hardly met: {:?}", found.0);
    }
}

/// Lists of constructors with one primitive each are read by a table of prefixes. All decoders
/// agree on every prefix, whatever constructors the type has.
#[test]
fn no_prefix_is_taken_for_a_constructor_that_the_type_lacks() {
    for cases in ["C0 string", "C0 byte", "C0 int", "C0 long", "C0", "C0 | C1 string", "C0 string | C1 int | C2", "C0 float | C1 byte"] {
        let protocol = compile("prefixes", format!("type t = {cases}\nmessage m = {{ f : [ t ] }}").as_bytes(), &mut NoFiles)
            .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let doors = Doors::new(&protocol, "m");
        let mut accepted = 0;
        for prefix in 0..=0xff {
            for rest in
                [b"\x05\x01\x03\x03abc".as_slice(), b"\x03\x01\x02\x07", b"\x03\x01\x00\x07", b"", b"\x0f\x0f\x0f\x0f\x0f\x0f\x0f\x0f"]
            {
                for count in 1..3 {
                    let size = rest.len() as u8 + 2;
                    let bytes = [&[1, size + 3, 1, 5, size, count, prefix], rest].concat();
                    let decoded = doors.decode(&bytes, &SizeLimits::NONE);
                    accepted += u32::from(decoded.is_ok());
                    let is_type = matches!(prefix % 16, 0..=8 | 10) || prefix > 0x7f;
                    assert!(is_type || decoded.is_err_and(|failure| failure.cause == Cause::BadWireType(None)), "{}", hex(&bytes));
                }
            }
        }
        assert!(accepted > 0, "{cases}");
    }
}

/// Tags and counts beyond 32 bits are not cut to the width of a `usize`.
#[test]
fn tags_and_counts_beyond_32_bits_are_no_small_ones() {
    let protocol = compile("wide", b"type t = C0 | C1 string\nmessage m = V0 { a : [ int ] } | V1 { a : [ t ] }", &mut NoFiles)
        .unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let doors = Doors::new(&protocol, "m");
    // A list with a count of 2^32 + 1, and one value; then tags of 2^32 and 2^60 - 1.
    for (bytes, cause) in [
        (b"\x01\x0a\x01\x05\x07\x81\x80\x80\x80\x10\x00\x02".as_slice(), Cause::UnexpectedEnd),
        (b"\x11\x09\x01\x05\x06\x81\x80\x80\x80\x10\x0a", Cause::UnexpectedEnd),
        (b"\x81\x80\x80\x80\x80\x02\x01\x00", Cause::UnknownTag(1 << 32)),
        (b"\xf1\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x00", Cause::UnknownTag((1 << 60) - 1)),
    ] {
        assert_eq!(doors.decode(bytes, &SizeLimits::NONE).expect_err("a wrong tag or count").cause, cause, "{}", hex(bytes));
    }
}

#[test]
fn every_cut_and_every_flipped_bit_is_told_alike() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..150 {
        let text = Text::new(&mut rng);
        let protocol = protocol(&text);
        let doors = Doors::new(&protocol, "m");
        if !doors.plan.is_encodable() {
            continue;
        }
        let node = protocol.message("m").expect("the message is there");
        let mut bytes = doors.encode(&value(&protocol, node, &mut rng)).expect("a value of the type is written");
        bytes.truncate(200);
        for end in 0..bytes.len() {
            let _ = doors.decode(&bytes[..end], &SizeLimits::NONE);
        }
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let _ = doors.decode(&bytes, &SizeLimits::NONE);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
