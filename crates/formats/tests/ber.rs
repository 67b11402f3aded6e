//! BER and DER: what each type becomes, the rules of the encoding, a real certificate, and hostile
//! input.

use std::path::Path;

use polywire_core::format::Confidence;
use polywire_core::tools::adapt::Walker;
use polywire_core::tools::inspect::{Options, What, inspect};
use polywire_core::value::Tree;
use polywire_core::value::Value;
use polywire_core::{Error, ErrorKind, Field, Limits, Next, Open, Part, Scalar, Sink, Span};
use polywire_formats::ber::{APPLICATION, CONTEXT, FORMAT, PRIVATE, UNIVERSAL};
use polywire_formats::registry;
use polywire_testing::{self as testing, Rng};

/// Bytes of hexadecimal digits; blanks are for the eye.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn value(text: &str) -> Value {
    let bytes = hex(text);
    Value::from(testing::read(&FORMAT, &bytes).unwrap_or_else(|error| panic!("{text}: {error}")).root().expect("a value"))
}

fn error(bytes: &[u8]) -> Error {
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(bytes, 0, &mut Tree::new()).expect_err("an error")
}

fn tagged(space: &'static str, code: u64, value: Value) -> Value {
    Value::Tagged { space: space.into(), code, value: Box::new(value) }
}

fn universal(code: u64, value: Value) -> Value {
    tagged(UNIVERSAL, code, value)
}

fn time(text: &str) -> Value {
    Value::Time(polywire_core::Timestamp::from_rfc3339(text).expect("a moment"))
}

fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn integers() {
    for (bytes, expected) in [
        ("02 01 00", Value::UInt(0)),
        ("02 01 7f", Value::UInt(127)),
        ("02 02 00 80", Value::UInt(128)),
        ("02 01 80", Value::Int(-128)),
        ("02 02 ff 7f", Value::Int(-129)),
        ("02 08 80 00 00 00 00 00 00 00", Value::Int(i64::MIN)),
        ("02 09 00 ff ff ff ff ff ff ff ff", Value::UInt(u64::MAX)),
        ("02 09 01 00 00 00 00 00 00 00 00", Value::Big("18446744073709551616".into())),
        ("02 09 ff 7f ff ff ff ff ff ff ff", Value::Big("-9223372036854775809".into())),
        // In more octets than needed: read as what they mean.
        ("02 03 00 00 05", Value::UInt(5)),
        ("02 0a ff ff ff ff ff ff ff ff ff fe", Value::Int(-2)),
        ("0a 01 03", universal(10, Value::UInt(3))),
    ] {
        assert_eq!(value(bytes), expected, "{bytes}");
    }
}

#[test]
fn an_integer_of_more_digits_than_the_limit_stays_bytes() {
    let bytes = [&hex("02 82 07 d0")[..], &[0x55; 2000]].concat();
    let read = |digits| {
        let mut tree = Tree::new();
        Walker::new(&FORMAT, &Limits::DEFAULT.with_digits(digits)).walk(&bytes, 0, &mut tree).expect("a value");
        Value::from(tree.root().expect("a value"))
    };
    assert_eq!(read(4096), universal(2, Value::Bytes(vec![0x55; 2000])));
    assert!(
        matches!(read(5000), Value::Big(digits) if digits.len() == 4817 && digits.starts_with("1006489779") && digits.ends_with("1960823125"))
    );
}

#[test]
fn other_scalars() {
    for (bytes, expected) in [
        ("01 01 ff", Value::Bool(true)),
        ("01 01 01", Value::Bool(true)),
        ("01 01 00", Value::Bool(false)),
        ("05 00", Value::Null),
        ("04 02 de ad", Value::Bytes(vec![0xde, 0xad])),
        // X.690 8.6.4.2
        ("03 07 04 0a 3b 5f 29 1c d0", universal(3, Value::Tuple(vec![Value::UInt(4), Value::Bytes(hex("0a 3b 5f 29 1c d0"))]))),
        // X.690 8.19.5
        ("06 03 88 37 03", universal(6, Value::text("2.999.3"))),
        ("06 06 2a 86 48 86 f7 0d", universal(6, Value::text("1.2.840.113549"))),
        ("0d 04 c2 7b 03 02", universal(13, Value::text("8571.3.2"))),
        ("09 00", Value::F64(0.0)),
        ("09 01 41", Value::F64(f64::NEG_INFINITY)),
        ("09 03 80 fb 05", Value::F64(0.15625)),
        ("09 08 03 20 31 35 2e 45 2d 31", universal(9, Value::text(" 15.E-1"))),
        ("09 05 b0 00 00 00 01", universal(9, Value::Bytes(hex("b0 00 00 00 01")))),
    ] {
        assert_eq!(value(bytes), expected, "{bytes}");
    }
}

#[test]
fn text_of_many_kinds() {
    for (bytes, expected) in [
        ("0c 03 c3 a4 78", Value::text("äx")),
        ("0c 02 c3 78", Value::Octets(vec![0xc3, 0x78])),
        ("13 02 4e 4c", Value::text("NL")),
        ("16 01 ff", Value::Octets(vec![0xff])),
        ("14 03 1b 2d 41", Value::Octets(hex("1b 2d 41"))),
        ("1e 04 00 e4 26 3a", Value::text("ä☺")),
        ("1e 04 d8 3e dd 80", Value::text("🦀")),
        ("1e 02 d8 3e", Value::Octets(hex("d8 3e"))),
        ("1e 03 00 41 00", Value::Octets(hex("00 41 00"))),
        ("1c 04 00 01 f9 80", Value::text("🦀")),
        ("17 0d 39 31 30 35 30 36 32 33 34 35 34 30 5a", time("1991-05-06T23:45:40Z")),
        ("17 0b 39 31 30 35 30 36 32 33 34 35 5a", universal(23, Value::text("9105062345Z"))),
        ("18 0f 31 39 38 35 31 31 30 36 32 31 30 36 32 37 5a", time("1985-11-06T21:06:27Z")),
        ("18 0e 31 39 38 35 31 31 30 36 32 31 30 36 32 37", universal(24, Value::text("19851106210627"))),
    ] {
        assert_eq!(value(bytes), expected, "{bytes}");
    }
}

#[test]
fn constructed_values() {
    for (bytes, expected) in [
        ("30 00", Value::List(vec![])),
        ("30 80 00 00", Value::List(vec![])),
        ("31 03 02 01 05", universal(17, Value::List(vec![Value::UInt(5)]))),
        ("a0 03 02 01 05", tagged(CONTEXT, 0, Value::List(vec![Value::UInt(5)]))),
        ("80 01 05", tagged(CONTEXT, 0, Value::Bytes(vec![5]))),
        ("7f 81 00 80 05 00 00 00", tagged(APPLICATION, 128, Value::List(vec![Value::Null]))),
        ("df 1f 00", tagged(PRIVATE, 31, Value::Bytes(vec![]))),
        ("24 80 04 01 61 24 04 04 02 62 63 00 00", Value::Bytes(b"abc".to_vec())),
        ("24 00", Value::Bytes(vec![])),
        // X.690 8.21.5.4: segments of a VisibleString
        ("3a 09 04 03 4a 6f 6e 04 02 65 73", Value::text("Jones")),
        // A character cut in two by segments.
        ("2c 06 04 01 c3 04 01 a4", Value::text("ä")),
        (
            "23 80 03 02 00 ff 03 02 04 f0 00 00",
            universal(
                3,
                Value::List(vec![
                    universal(3, Value::Tuple(vec![Value::UInt(0), Value::Bytes(vec![0xff])])),
                    universal(3, Value::Tuple(vec![Value::UInt(4), Value::Bytes(vec![0xf0])])),
                ]),
            ),
        ),
        // Octets that are an encoding themselves stay octets.
        ("04 03 02 01 05", Value::Bytes(hex("02 01 05"))),
        // Lengths in more octets than needed.
        ("30 83 00 00 05 02 82 00 01 07", Value::List(vec![Value::UInt(7)])),
    ] {
        assert_eq!(value(bytes), expected, "{bytes}");
    }
}

#[test]
fn mistakes_are_told_with_place_and_path() {
    for (bytes, kind, offset, path) in [
        ("", ErrorKind::Truncated, 0, "the message itself"),
        ("30", ErrorKind::Truncated, 1, "the message itself"),
        ("30 82 01", ErrorKind::Truncated, 3, "the message itself"),
        ("30 05 02 01 05", ErrorKind::Truncated, 5, "the message itself"),
        ("30 80 02 01 05", ErrorKind::Truncated, 5, "the message itself"),
        ("30 03 02 02 05", ErrorKind::Syntax, 2, "the message itself"),
        ("30 06 a0 80 02 01 05 00 00", ErrorKind::Syntax, 7, "[0]"),
        ("02 01 05 00", ErrorKind::Trailing, 3, "the message itself"),
        ("00 00", ErrorKind::Syntax, 0, "the message itself"),
        ("30 02 00 00", ErrorKind::Syntax, 2, "the message itself"),
        ("01 02 00 00", ErrorKind::Syntax, 2, "the message itself"),
        ("05 01 00", ErrorKind::Syntax, 2, "the message itself"),
        ("02 00", ErrorKind::Syntax, 2, "the message itself"),
        ("22 03 02 01 05", ErrorKind::Syntax, 0, "the message itself"),
        ("10 00", ErrorKind::Syntax, 0, "the message itself"),
        ("03 00", ErrorKind::Syntax, 2, "the message itself"),
        ("03 01 01", ErrorKind::Syntax, 2, "the message itself"),
        ("03 02 08 00", ErrorKind::Syntax, 2, "the message itself"),
        ("06 00", ErrorKind::Syntax, 2, "the message itself"),
        ("06 02 2a 86", ErrorKind::Syntax, 4, "the message itself"),
        ("06 03 2a 80 01", ErrorKind::Syntax, 3, "the message itself"),
        ("09 02 40 00", ErrorKind::Syntax, 2, "the message itself"),
        ("24 03 02 01 05", ErrorKind::Syntax, 2, "the message itself"),
        ("04 80", ErrorKind::Syntax, 1, "the message itself"),
        ("30 0a 05 00 a3 06 30 04 02 01 05 01", ErrorKind::Truncated, 12, "[1][0]"),
    ] {
        let error = error(&hex(bytes));
        assert_eq!((error.kind(), error.offset()), (kind, Some(offset)), "{bytes}: {error}");
        assert_eq!(error.path().map(ToString::to_string).as_deref(), Some(path), "{bytes}: {error}");
        assert_eq!(error.format(), Some("ber"));
    }
}

#[test]
fn hostile_input_is_refused_in_little_memory_and_time() {
    // 4 GiB and more claimed in ten bytes.
    for claim in ["04 84 ff ff ff ff 00 00 00 00", "30 88 ff ff ff ff ff ff ff ff", "02 84 ff ff ff ff 01"] {
        assert_eq!(error(&hex(claim)).kind(), ErrorKind::Truncated, "{claim}");
    }
    for level in ["30 80", "a0 80", "24 80", "30 83 0f ff ff", "23 80"] {
        let deep = hex(level).repeat(200_000);
        let error = error(&deep);
        assert!(matches!(error.kind(), ErrorKind::Limit | ErrorKind::Syntax), "{level}: {error}");
        testing::fuzz_inspect(&FORMAT, &deep);
        testing::fuzz_frames(&FORMAT, &deep, deep.len() / 2);
        assert_ne!(registry::recognise(&deep, true).map(|format| format.name), Some("json"));
    }
    // Many long numbers: each is within the limit, and together they take time in proportion to
    // their bytes.
    let number = [&hex("02 82 06 00")[..], &[0x55; 0x600]].concat();
    let numbers = [&hex("30 80")[..], &number.repeat(200), &[0, 0]].concat();
    assert!(testing::read(&FORMAT, &numbers).is_ok());
}

/// Counts what is left when each tag is skipped.
struct NoTags {
    scalars: usize,
    opens: usize,
}

impl<'m> Sink<'m> for NoTags {
    fn open(&mut self, open: Open<'_>, _: Span) -> Result<Next, Error> {
        self.opens += 1;
        Ok(if matches!(open, Open::Tagged { .. }) { Next::Skip } else { Next::Enter })
    }

    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next, Error> {
        Ok(Next::Enter)
    }

    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<(), Error> {
        self.scalars += 1;
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<(), Error> {
        self.opens -= 1;
        Ok(())
    }
}

#[test]
fn skipping_steps_over_contents_of_any_length() {
    let bytes = hex("30 80 a0 80 30 80 02 01 05 00 00 04 02 00 00 00 00 06 01 2a 31 02 05 00 02 01 07 00 00");
    let mut sink = NoTags { scalars: 0, opens: 0 };
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(&bytes, 0, &mut sink).expect("a walk");
    // Three tags were announced and have no close.
    assert_eq!((sink.scalars, sink.opens), (1, 3));
    let cut = hex("30 80 a0 05 02 01");
    assert_eq!(Walker::new(&FORMAT, &Limits::DEFAULT).walk(&cut, 0, &mut NoTags { scalars: 0, opens: 0 }).unwrap_err().offset(), Some(6));
}

/// One line a row that says something: byte range, depth, kind, value, remarks.
fn rows(bytes: &[u8]) -> String {
    let mut text = String::new();
    let inspection = inspect(&FORMAT, bytes, &Options::default(), &mut |row| {
        if row.what != What::Message {
            let notes = row.notes.iter().map(|note| format!(" ({note})")).collect::<String>();
            let line = format!("{:3}..{:3} {}{} {}{notes}", row.bytes.start, row.bytes.end, "  ".repeat(row.depth), row.kind, row.value);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        Ok(())
    })
    .expect("the rows are taken");
    assert!(inspection.broken.is_none());
    text
}

#[test]
fn a_certificate_as_it_is() {
    let bytes = file("ber/certificate.der");
    let expected = String::from_utf8(file("ber/certificate.txt")).expect("text");
    let shown = rows(&bytes);
    if std::env::var_os("POLYWIRE_UPDATE").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/ber/certificate.txt"), &shown).expect("written");
        return;
    }
    for (n, (shown, expected)) in shown.lines().zip(expected.lines()).enumerate() {
        assert_eq!(shown, expected, "line {}", n + 1);
    }
    assert_eq!(shown.lines().count(), expected.lines().count());
}

/// OpenSSL's listing says of each encoding where it starts, how deep it is, and how long header and
/// contents are.
#[test]
fn openssl_sees_the_same_encodings() {
    let bytes = file("ber/certificate.der");
    let judge = String::from_utf8(file("ber/certificate.asn1parse.txt")).expect("text");
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    inspect(&FORMAT, &bytes, &Options::default(), &mut |row| {
        if !row.bytes.is_empty() {
            starts.push(row.bytes.start);
            ends.push(row.bytes.end);
        }
        Ok(())
    })
    .expect("the rows are taken");
    let mut encodings = 0;
    for line in judge.lines() {
        let numbers: Vec<u64> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .take(4)
            .map(|digits| digits.parse().expect("a number"))
            .collect();
        let [start, _, header, contents] = numbers[..] else { panic!("four numbers in {line}") };
        assert!(starts.contains(&start), "{line}");
        assert!(ends.contains(&(start + header + if line.contains("prim:") { contents } else { 0 })), "{line}");
        encodings += 1;
    }
    // An encoding is one row; a tag splits off another, and a bit string two more.
    let count = |what: &str| judge.lines().filter(|line| line.contains(what)).count();
    let tagged = count(": SET") + count("cont [") + count(": OBJECT") + count(": BIT STRING");
    assert_eq!(starts.len(), encodings + tagged + 2 * count(": BIT STRING"));
}

#[test]
fn a_certificate_cut_or_changed_breaks_nothing() {
    let bytes = file("ber/certificate.der");
    let mut rng = Rng::with_seed(11);
    let bodies: [fn(&[u8]); 3] = [
        |bytes| testing::fuzz_walk(&FORMAT, bytes),
        |bytes| testing::fuzz_inspect(&FORMAT, bytes),
        |bytes| testing::fuzz_skip(&FORMAT, bytes),
    ];
    for end in 0..=bytes.len() {
        bodies.iter().for_each(|body| body(&bytes[..end]));
        if end < bytes.len() {
            assert_eq!(error(&bytes[..end]).kind(), ErrorKind::Truncated, "cut at {end}");
            assert_eq!(error(&bytes[..end]).offset(), Some(end as u64));
        }
    }
    for _ in 0..3000 {
        let bytes = testing::mutate(&mut rng, &bytes);
        bodies.iter().for_each(|body| body(&bytes));
        testing::fuzz_frames(&FORMAT, &bytes, rng.usize(..=bytes.len()));
    }
}

#[test]
fn recognition() {
    let certificate = file("ber/certificate.der");
    assert_eq!((FORMAT.recognise)(&certificate, true), Confidence::Certain);
    assert_eq!((FORMAT.recognise)(&certificate[..100], false), Confidence::Likely);
    let known = if cfg!(feature = "asn1") { "x509" } else { "ber" };
    for whole in [true, false] {
        assert_eq!(registry::recognise(&certificate, whole).map(|format| format.name), Some(known));
        assert_eq!(registry::recognise(&certificate[..200], whole).map(|format| format.name), Some(known), "{whole}");
    }
    for name in ["corpus/ber/types.ber", "corpus/ber/segments.ber", "corpus/ber/stream.ber"] {
        assert_eq!((FORMAT.recognise)(&file(name), true), Confidence::Certain, "{name}");
    }
    let mut rng = Rng::with_seed(5);
    let taken = (0..20_000).filter(|_| {
        let bytes: Vec<u8> = (0..rng.usize(8..64)).map(|_| rng.u8(..)).collect();
        (FORMAT.recognise)(&bytes, true) >= Confidence::Likely
    });
    let taken = taken.count();
    assert!(taken < 20, "{taken} of 20000 random inputs");
}

/// Returns the remarks that inspection makes on an encoding.
fn remarks(text: &str) -> String {
    struct Remarks(String);
    impl<'m> Sink<'m> for Remarks {
        fn open(&mut self, _: Open<'_>, _: Span) -> polywire_core::Result<Next> {
            Ok(Next::Enter)
        }
        fn field(&mut self, _: Field<'m, '_>, _: Span) -> polywire_core::Result<Next> {
            Ok(Next::Enter)
        }
        fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> polywire_core::Result<()> {
            Ok(())
        }
        fn part(&mut self, _: Part<'_>, _: Span) -> polywire_core::Result<()> {
            Ok(())
        }
        fn close(&mut self, _: Span) -> polywire_core::Result<()> {
            Ok(())
        }
        fn note(&mut self, note: polywire_core::Note<'_>, at: Span) -> polywire_core::Result<()> {
            if let polywire_core::Note::Coerced(remark) = note {
                self.0.push_str(&format!("{}..{} {remark}; ", at.start, at.end));
            }
            Ok(())
        }
    }
    let mut sink = Remarks(String::new());
    let bytes = hex(text);
    Walker::new(&FORMAT, &Limits::DEFAULT).walk(&bytes, 0, &mut sink).unwrap_or_else(|error| panic!("{text}: {error}"));
    sink.0
}

#[test]
fn departures_from_der_are_remarked() {
    for (bytes, remark) in [
        ("1f 02 01 05", "0..2 a tag number below 31 in more octets than needed; "),
        ("9f 1e 00", "0..2 a tag number below 31 in more octets than needed; "),
        ("03 02 04 f8", "3..4 unused bits that are not 0"),
        ("17 0b 32 36 31 31 32 33 30 31 34 38 5a", "a UTCTime not as DER writes it"),
        ("18 0f 32 30 32 36 31 31 32 33 30 31 34 38 30 30 2b", "a GeneralizedTime not as DER writes it"),
        ("30 80 02 01 05 00 00", "0..2 not DER: indefinite length; "),
        ("a0 80 02 01 05 00 00", "0..2 not DER: indefinite length; "),
        ("24 06 04 01 61 04 01 62", "0..2 not DER: in segments; "),
        ("23 04 03 02 00 ff", "0..2 not DER: in segments; "),
        ("24 80 04 01 61 00 00", "0..2 not DER: segments of indefinite length; "),
        ("37 00", "0..2 not DER: in segments; "),
        ("0c 01 c3", "0..3 a UTF8String that is not UTF-8; "),
        ("1e 01 70", "0..3 a BMPString that is no text; "),
        ("1c 01 70", "0..3 a UniversalString that is no text; "),
        // SET OF: by the encodings. SET: by the tags.
        ("31 06 02 01 02 02 01 01", "5..8 an element of a SET out of the order of DER; "),
        ("31 06 04 01 01 02 01 02", "5..8 an element of a SET out of the order of DER; "),
        ("31 80 02 01 03 02 01 01 02 01 02 00 00", "5..8 an element of a SET out of the order of DER; "),
    ] {
        assert!(remarks(bytes).contains(remark), "{bytes}: {}", remarks(bytes));
        assert_eq!(remarks(bytes).matches("out of the order").count(), remark.matches("out of the order").count());
    }
    for bytes in [
        "03 02 04 f0",
        "17 0d 32 36 31 31 32 33 30 31 34 38 30 30 5a",
        "31 06 02 01 01 02 01 01",
        "31 06 02 01 02 04 01 01",
        // By their tags: a constructed [0] before a primitive [1], whose first octet is lower.
        "31 07 a0 03 02 01 01 81 00",
        "9f 1f 00",
    ] {
        let remarks = remarks(bytes);
        assert!(!["order", "octets than", "unused", "DER"].iter().any(|word| remarks.contains(word)), "{bytes}: {remarks}");
    }
}

#[test]
fn segments_of_a_bit_string_are_bit_strings_and_only_the_last_has_unused_bits() {
    assert!(matches!(value("23 08 03 02 00 ff 03 02 04 f0"), Value::Tagged { code: 3, .. }));
    for (bytes, offset, seen) in [
        ("23 07 03 02 00 ff 02 01 05", 6, "another type"),
        ("23 04 04 02 00 ff", 2, "another type"),
        ("23 08 03 02 04 f0 03 02 00 ff", 6, "unused bits"),
        ("23 80 23 80 03 02 04 f0 00 00 03 02 00 ff 00 00", 10, "unused bits"),
    ] {
        let error = error(&hex(bytes));
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(offset)), "{bytes}: {error}");
        assert!(error.to_string().contains(seen), "{bytes}: {error}");
    }
}
