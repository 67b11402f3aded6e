//! PER: the bytes of judges both ways, later versions, mistakes with their bits, and hostile
//! messages.

use std::sync::Arc;

use polywire_asn1::Modules;
use polywire_asn1::per::{Per, Variant};
use polywire_asn1::walk::Plan;
use polywire_core::{Budget, Error, ErrorKind, Field, Limits, Next, Note, Open, Reader, Result, Scalar, Sink, Span, Tree, Writer};

mod per_bytes;
mod show;

use show::{bytes, hex, show};

const PACKED: &str = include_str!("../../../testdata/asn1/Packed.asn");
const VECTORS: &str = include_str!("../../../testdata/asn1/packed.txt");
const OCTETS: &str = include_str!("../../../testdata/asn1/packed-oer.txt");

/// Prepares a type of a text's first module.
fn per(text: &str, name: &str, variant: Variant) -> Per {
    let mut modules = Modules::new();
    modules.add("p.asn", text.as_bytes());
    let model = modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}"));
    let ty = model.named(&model.modules[0].name, name).unwrap_or_else(|| panic!("no {name}"));
    Per::new(Arc::new(Plan::new(Arc::new(model), ty).unwrap()), variant)
}

/// Prepares a type of assignments.
fn module(assignments: &str, name: &str, variant: Variant) -> Per {
    per(&format!("M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {assignments} END"), name, variant)
}

fn walk<'m>(per: &Per, message: &'m [u8], sink: &mut dyn Sink<'m>) -> Result<()> {
    per.reader(false).walk(message, 0, sink, &mut Budget::new(&Limits::DEFAULT))
}

fn read(per: &Per, message: &[u8]) -> Result<String> {
    let mut tree = Tree::new();
    walk(per, message, &mut tree)?;
    let mut text = String::new();
    show(tree.root().unwrap(), &mut text);
    Ok(text)
}

fn through(per: &Per, message: &[u8], writer: &mut dyn Writer) -> Result<Vec<u8>> {
    let mut held = Tree::new();
    let mut out = Vec::new();
    struct Both<'w, 'm>(&'w mut dyn Writer, &'w mut Tree<'m>);
    impl<'m> Sink<'m> for Both<'_, 'm> {
        fn open(&mut self, open: Open<'_>, at: Span) -> Result<Next> {
            self.1.open(open, at)?;
            self.0.open(open, at)
        }
        fn field(&mut self, field: Field<'m, '_>, at: Span) -> Result<Next> {
            self.1.field(field, at)?;
            self.0.field(field, at)
        }
        fn scalar(&mut self, value: Scalar<'m, '_>, at: Span) -> Result<()> {
            self.1.scalar(value, at)?;
            self.0.scalar(value, at)
        }
        fn part(&mut self, part: polywire_core::Part<'_>, at: Span) -> Result<()> {
            self.0.part(part, at)
        }
        fn close(&mut self, at: Span) -> Result<()> {
            self.1.close(at)?;
            self.0.close(at)
        }
        fn note(&mut self, note: Note<'_>, at: Span) -> Result<()> {
            self.0.note(note, at)
        }
    }
    walk(per, message, &mut Both(writer, &mut held))?;
    writer.finish(&mut out)?;
    Ok(out)
}

#[test]
fn judges_bytes_come_back() {
    let mut modules = Modules::new();
    modules.add("p.asn", PACKED.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}")));
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [name, unaligned, aligned, value] = words[..] else { panic!("{line}") };
        let plan = Arc::new(Plan::new(Arc::clone(&model), model.named("Packed", name).unwrap()).unwrap());
        for (variant, wire) in [(Variant::Unaligned, unaligned), (Variant::Aligned, aligned)] {
            let per = Per::new(Arc::clone(&plan), variant);
            let message = bytes(wire);
            let found = read(&per, &message).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(found, value, "{line}");
            assert_eq!(hex(&through(&per, &message, &mut per.relay()).unwrap()), wire, "{line}");
            // The judge does not sort a SET OF.
            if name != "Many" {
                assert_eq!(hex(&through(&per, &message, &mut per.writer()).unwrap()), wire, "{line}");
            }
            count += 1;
        }
    }
    assert!(count > 400, "{count}");
}

#[test]
fn judges_octets_come_back() {
    let mut modules = Modules::new();
    modules.add("p.asn", PACKED.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).unwrap_or_else(|found| panic!("{found}")));
    let mut count = 0;
    for line in OCTETS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let [name, wire, value] = words[..] else { panic!("{line}") };
        let wire = wire.trim_matches('-');
        let plan = Arc::new(Plan::new(Arc::clone(&model), model.named("Packed", name).unwrap()).unwrap());
        for variant in [Variant::Octets, Variant::CanonicalOctets] {
            let per = Per::new(Arc::clone(&plan), variant);
            let message = bytes(wire);
            let found = read(&per, &message).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(found, value, "{line}");
            assert_eq!(hex(&through(&per, &message, &mut per.relay()).unwrap()), wire, "{line}");
            assert_eq!(hex(&through(&per, &message, &mut per.writer()).unwrap()), wire, "{line}");
            count += 1;
        }
    }
    assert!(count > 400, "{count}");
}

#[test]
fn canonical_oer_refuses_the_rest() {
    let text =
        "A ::= SEQUENCE { b BOOLEAN, n INTEGER, s OCTET STRING, l SET OF INTEGER (0..9), e ENUMERATED { x(1) }, d INTEGER (0..9) DEFAULT 4,
                  f BIT STRING { p(0) }, r REAL OPTIONAL }";
    let [basic, canonical] = [Variant::Octets, Variant::CanonicalOctets].map(|variant| module(text, "A", variant));
    let right = "00 ff 0105 0107 01020108 01 020780";
    assert!(read(&canonical, &bytes(&right.replace(' ', ""))).is_ok());
    for (wrong, rule) in [
        ("00 01 0105 0107 01020108 01 020780", "X.696 9.2"),
        ("00 ff 020005 0107 01020108 01 020780", "X.696 10.4"),
        ("00 ff 0105 810107 01020108 01 020780", "X.696 8.6.5"),
        ("00 ff 0105 0107 01020801 01 020780", "X.696 18)"),
        ("00 ff 0105 0107 0200020108 01 020780", "X.696 17.2"),
        ("00 ff 0105 0107 01020108 8101 020780", "X.696 10.4"),
        ("80 ff 0105 0107 01020108 01 04 020780", "X.696 16.3"),
        ("00 ff 0105 0107 01020108 01 020680", "X.696 13.4"),
        ("00 ff 0105 0107 01020108 01 020781", "X.696 13.3.2"),
        ("40 ff 0105 0107 01020108 01 020780 0403312e30", "X.690 11.3"),
    ] {
        let message = bytes(&wrong.replace(' ', ""));
        let outcome = read(&canonical, &message);
        let error = outcome.err().unwrap_or_else(|| panic!("{wrong} is read"));
        assert!(error.to_string().contains(rule), "{wrong}: {error}");
        assert!(read(&basic, &message).is_ok(), "{wrong}: {:?}", read(&basic, &message));
    }
}

#[test]
fn canonical_per_sorts_and_leaves_out() {
    let many = module("Many ::= SET OF INTEGER (3..12)", "Many", Variant::Unaligned);
    assert_eq!(hex(&through(&many, &bytes("033910"), &mut many.writer()).unwrap()), "031390");
    let text =
        "D ::= SEQUENCE { a INTEGER (0..7) DEFAULT 5, b E DEFAULT { c 2 } } E ::= SEQUENCE { c INTEGER (0..7), d BOOLEAN DEFAULT TRUE }";
    let defaults = module(text, "D", Variant::Unaligned);
    // 11 101 (0 010)
    let message = [0b1110_1001, 0b0000_0000];
    assert_eq!(read(&defaults, &message).unwrap(), r#"{"a":5,"b":{"c":2}}"#);
    assert_eq!(hex(&through(&defaults, &message, &mut defaults.writer()).unwrap()), "00");
    assert_eq!(through(&defaults, &message, &mut defaults.relay()).unwrap(), message);
}

#[test]
fn later_versions_pass_through_a_relay() {
    let first = "S ::= SEQUENCE { a BOOLEAN, ..., b INTEGER (0..7) } C ::= CHOICE { a NULL, ... } E ::= ENUMERATED { a, ... }";
    let second = "S ::= SEQUENCE { a BOOLEAN, ..., b INTEGER (0..7), c IA5String, d BOOLEAN OPTIONAL, e NULL }
                  C ::= CHOICE { a NULL, ..., b INTEGER, c IA5String } E ::= ENUMERATED { a, ..., b, c }";
    for variant in [Variant::Unaligned, Variant::Aligned, Variant::Octets, Variant::CanonicalOctets] {
        for (name, value) in [
            (
                "S",
                vec![
                    ("a", Scalar::Bool(true)),
                    ("b", Scalar::uint(3)),
                    ("c", Scalar::Text(polywire_core::Str::Input("hm"))),
                    ("e", Scalar::Null),
                ],
            ),
            ("C", vec![("c", Scalar::Text(polywire_core::Str::Input("xyz")))]),
            ("E", vec![]),
        ] {
            let (old, new) = (module(first, name, variant), module(second, name, variant));
            let mut writer = new.writer();
            if name == "E" {
                writer.scalar(Scalar::Text(polywire_core::Str::Input("c")), Span::NONE).unwrap();
            } else {
                writer.open(Open::Record { name: "", len: polywire_core::Len::Unknown }, Span::NONE).unwrap();
                for (name, scalar) in value {
                    writer.field(Field::named(polywire_core::Str::Input(name)), Span::NONE).unwrap();
                    writer.scalar(scalar, Span::NONE).unwrap();
                }
                writer.close(Span::NONE).unwrap();
            }
            let mut message = Vec::new();
            writer.finish(&mut message).unwrap();
            let shown = read(&new, &message).unwrap();
            // The older version keeps what it does not know, and the newer one reads it again.
            let relayed = through(&old, &message, &mut old.relay()).unwrap();
            assert_eq!(hex(&relayed), hex(&message), "{name} {variant:?} {shown}");
            let mut plain = old.writer();
            let cut = through(&old, &message, &mut plain);
            if name == "S" {
                assert_eq!(read(&new, &cut.unwrap()).unwrap(), r#"{"a":true,"b":3}"#);
                assert_eq!(plain.losses().len(), 2, "two additions are lost");
            }
        }
    }
}

#[test]
fn mistakes_have_their_bits() {
    let few = "A ::= SEQUENCE { x BOOLEAN, n INTEGER (3..12), s SEQUENCE (SIZE (0..5)) OF INTEGER (0..7), t IA5String (FROM (\"a\"..\"e\")) (SIZE (0..3)) }";
    let per = module(few, "A", Variant::Unaligned);
    let fails = |message: &[u8]| read(&per, message).unwrap_err();
    let at = |error: &Error| (error.offset().unwrap(), error.bit_offset().unwrap());
    // 0 1111: 18 is beyond 12.
    let error = fails(&[0b0111_1000, 0, 0]);
    assert_eq!((error.kind(), at(&error)), (ErrorKind::Range, (0, 1)), "{error}");
    assert_eq!(
        error.to_string(),
        "asn1-uper: expected 3 to 12, saw the number 18, at byte 0, bit 1 (the schema's constraint forbids it: the sender may have \
         another version of the schema)"
    );
    // 0 0000 111: seven elements are too many.
    assert_eq!(at(&fails(&[0b0000_0111, 0, 0])), (0, 5));
    // A message that ends in the middle.
    let error = fails(&[0b0000_0101, 0b0010_0100]);
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    // 0 0000 000 01 101: the character of index 5.
    let error = fails(&[0, 0b0110_1000]);
    assert_eq!((error.kind(), at(&error)), (ErrorKind::Range, (1, 2)), "{error}");
    // Padding that is not 0, and bytes behind the value.
    assert_eq!(fails(&[0, 0b0000_0100]).kind(), ErrorKind::Syntax);
    assert_eq!(fails(&[0, 0, 0]).kind(), ErrorKind::Trailing);
    // A lenient reader takes the number.
    let mut tree = Tree::new();
    per.reader(true).walk(&[0b0111_1000, 0], 0, &mut tree, &mut Budget::new(&Limits::DEFAULT)).unwrap();
}

#[test]
fn writers_say_which_value_is_wrong() {
    let per = module("A ::= SEQUENCE { list SEQUENCE OF INTEGER (0..7) }", "A", Variant::Aligned);
    let mut writer = per.writer();
    writer.open(Open::Record { name: "", len: polywire_core::Len::Unknown }, Span::NONE).unwrap();
    writer.field(Field::named(polywire_core::Str::Input("list")), Span::NONE).unwrap();
    writer.open(Open::List(polywire_core::Len::Unknown), Span::NONE).unwrap();
    for number in [1, 8] {
        writer.scalar(Scalar::uint(number), Span::NONE).unwrap();
    }
    writer.close(Span::NONE).unwrap();
    writer.close(Span::NONE).unwrap();
    let error = writer.finish(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Range);
    assert!(error.to_string().contains("expected 0 to 7, saw 8"), "{error}");
    assert!(error.headline().contains("list[1]"), "{error}");
}

#[test]
fn long_values_come_in_fragments() {
    let text = "O ::= OCTET STRING L ::= SEQUENCE OF BOOLEAN B ::= BIT STRING T ::= IA5String
                W ::= SEQUENCE { a BOOLEAN, ..., o OCTET STRING } H ::= OCTET STRING (CONTAINING O)";
    for variant in [Variant::Unaligned, Variant::Aligned, Variant::Octets, Variant::CanonicalOctets] {
        for length in [0usize, 127, 128, 16_383, 16_384, 16_385, 65_535, 65_536, 81_920, 200_000] {
            let contents: Vec<u8> = (0..length).map(|at| (at * 7 % 128) as u8).collect();
            for name in ["O", "T", "L", "B", "W", "H"] {
                let per = module(text, name, variant);
                let mut writer = per.writer();
                let bytes = Scalar::Bytes(polywire_core::Str::Input(&contents));
                match name {
                    "T" => {
                        writer
                            .scalar(Scalar::Text(polywire_core::Str::Input(std::str::from_utf8(&contents).unwrap())), Span::NONE)
                            .unwrap();
                    }
                    "L" => {
                        writer.open(Open::List(polywire_core::Len::Unknown), Span::NONE).unwrap();
                        contents.iter().for_each(|byte| writer.scalar(Scalar::Bool(byte % 3 == 0), Span::NONE).unwrap());
                        writer.close(Span::NONE).unwrap();
                    }
                    "W" => {
                        writer.open(Open::Record { name: "", len: polywire_core::Len::Unknown }, Span::NONE).unwrap();
                        for (name, scalar) in [("a", Scalar::Bool(true)), ("o", bytes)] {
                            writer.field(Field::named(polywire_core::Str::Input(name)), Span::NONE).unwrap();
                            writer.scalar(scalar, Span::NONE).unwrap();
                        }
                        writer.close(Span::NONE).unwrap();
                    }
                    _ => writer.scalar(bytes, Span::NONE).unwrap(),
                }
                let mut message = Vec::new();
                writer.finish(&mut message).unwrap();
                let again = through(&per, &message, &mut per.writer()).unwrap_or_else(|error| panic!("{name} {length}: {error}"));
                assert!(again == message, "{name} {length} {variant:?}");
            }
        }
    }
}

/// Counts events.
struct Count(u64);

impl<'m> Sink<'m> for Count {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        self.0 += 1;
        Ok(Next::Enter)
    }
    fn field(&mut self, _: Field<'m, '_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }
    fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
    fn part(&mut self, _: polywire_core::Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }
    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

#[test]
fn hostile_messages_meet_limits() {
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    let fails = |text: &str, variant, message: &[u8]| {
        let mut count = Count(0);
        let error = module(text, "A", variant).reader(false).walk(message, 0, &mut count, &mut Budget::new(&limits)).unwrap_err();
        assert!(count.0 < 200_000, "{text}: {} events", count.0);
        error.kind()
    };
    for variant in [Variant::Unaligned, Variant::Aligned] {
        // Elements without bits, claimed in billions.
        let nulls = "A ::= SEQUENCE (SIZE (65535)) OF SEQUENCE (SIZE (65535)) OF NULL";
        assert_eq!(fails(nulls, variant, &[0]), ErrorKind::Limit);
        assert_eq!(fails("A ::= SEQUENCE OF SEQUENCE { }", variant, &[0xc4; 100_000]), ErrorKind::Limit);
        assert_eq!(fails("A ::= IA5String (FROM (\"x\"))", variant, &[0xc4; 1000]), ErrorKind::Limit);
        // Sizes of which the message has nothing.
        assert_eq!(fails("A ::= OCTET STRING", variant, &[0xc4, 1, 2]), ErrorKind::Truncated);
        assert_eq!(fails("A ::= OCTET STRING (SIZE (0..18446744073709551615))", variant, &[0xbf, 0xff, 1]), ErrorKind::Truncated);
        assert_eq!(fails("A ::= INTEGER", variant, &[0xbf, 0xff, 1]), ErrorKind::Truncated);
        assert_eq!(fails("A ::= BIT STRING (SIZE (18446744073709551615))", variant, &[0x05, 0xff]), ErrorKind::Range);
        // Fragments of no known size.
        assert_eq!(fails("A ::= OCTET STRING", variant, &[0xc0, 0]), ErrorKind::Syntax);
        assert_eq!(fails("A ::= OCTET STRING", variant, &[0xc5, 0]), ErrorKind::Syntax);
        // Types within themselves.
        assert_eq!(fails("A ::= SEQUENCE { a A OPTIONAL }", variant, &[0xff; 4096]), ErrorKind::Limit);
        // A type that always holds itself has no value.
        assert_eq!(fails("A ::= SEQUENCE { a A }", variant, &[0]), ErrorKind::Limit);
        assert_eq!(fails("A ::= CHOICE { a A, ... }", variant, &[0; 100]), ErrorKind::Limit);
    }
    // Open types in open types.
    let nested = "A ::= OCTET STRING (CONTAINING A)";
    let mut message = vec![0];
    for _ in 0..600 {
        let mut around =
            if message.len() < 128 { vec![message.len() as u8] } else { vec![0x80 | (message.len() >> 8) as u8, message.len() as u8] };
        around.extend_from_slice(&message);
        message = around;
    }
    assert_eq!(fails(nested, Variant::Aligned, &message), ErrorKind::Limit);
    // Values in fragments within each other, each copied.
    let mut message = vec![0; 16_384];
    for _ in 0..40 {
        let mut around = Vec::new();
        let mut rest = &message[..];
        while rest.len() >= 16_384 {
            let blocks = (rest.len() / 16_384).min(4);
            around.push(0xc0 | blocks as u8);
            around.extend_from_slice(&rest[..blocks * 16_384]);
            rest = &rest[blocks * 16_384..];
        }
        around.extend_from_slice(&[0x80 | (rest.len() >> 8) as u8, rest.len() as u8]);
        around.extend_from_slice(rest);
        message = around;
    }
    assert_eq!(fails(nested, Variant::Aligned, &message), ErrorKind::Limit);
}

#[test]
fn every_cut_and_every_flip_is_survived() {
    let mut modules = Modules::new();
    modules.add("p.asn", PACKED.as_bytes());
    let model = Arc::new(modules.resolve(&Limits::DEFAULT).unwrap());
    let limits = Limits::DEFAULT.with_decoded(1 << 16);
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let plan = Arc::new(Plan::new(Arc::clone(&model), model.named("Packed", words[0]).unwrap()).unwrap());
        for (variant, wire) in [(Variant::Unaligned, words[1]), (Variant::Aligned, words[2])] {
            let per = Per::new(Arc::clone(&plan), variant);
            let (mut reader, mut relay) = (per.reader(false), per.relay());
            let mut message = bytes(wire);
            for bit in 0..message.len() * 8 {
                message[bit / 8] ^= 0x80 >> (bit % 8);
                if reader.walk(&message, 0, &mut relay, &mut Budget::new(&limits)).is_ok() {
                    let mut out = Vec::new();
                    relay.finish(&mut out).unwrap_or_else(|error| panic!("{line}, bit {bit}: {error}"));
                    // The written message is read again.
                    let mut again = Tree::new();
                    reader
                        .walk(&out, 0, &mut again, &mut Budget::new(&limits))
                        .unwrap_or_else(|error| panic!("{line}, bit {bit}: {error}"));
                }
                relay.reset();
                message[bit / 8] ^= 0x80 >> (bit % 8);
            }
            for cut in 0..message.len() {
                let _ = reader.walk(&message[..cut], 0, &mut relay, &mut Budget::new(&limits));
                relay.reset();
            }
        }
    }
}

#[test]
fn any_bytes_are_survived() {
    let mut random = fastrand::Rng::with_seed(23);
    for _ in 0..20_000 {
        let message: Vec<u8> = (0..random.usize(1..40)).map(|_| random.u8(..)).collect();
        per_bytes::per(&message);
    }
}

#[test]
fn skipped_values_leave_no_events() {
    let per = per(PACKED, "Box", Variant::Aligned);
    let line = VECTORS.lines().find(|line| line.starts_with("Box ")).unwrap();
    let message = bytes(line.split(' ').nth(2).unwrap());
    /// Skips the fields of a name, and keeps the names of the others.
    struct Without(&'static str, Vec<String>);
    impl<'m> Sink<'m> for Without {
        fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
            Ok(Next::Enter)
        }
        fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
            self.1.push(field.name.get().to_string());
            Ok(if field.name.get() == self.0 { Next::Skip } else { Next::Enter })
        }
        fn scalar(&mut self, _: Scalar<'m, '_>, _: Span) -> Result<()> {
            Ok(())
        }
        fn part(&mut self, _: polywire_core::Part<'_>, _: Span) -> Result<()> {
            Ok(())
        }
        fn close(&mut self, _: Span) -> Result<()> {
            Ok(())
        }
    }
    let mut sink = Without("items", Vec::new());
    walk(&per, &message, &mut sink).unwrap();
    assert_eq!(sink.1, ["items", "end"]);
    let mut sink = Without("value", Vec::new());
    walk(&per, &message, &mut sink).unwrap();
    assert!(sink.1.iter().all(|name| ["items", "id", "value", "end"].contains(&name.as_str())), "{:?}", sink.1);
}

#[test]
fn every_bit_has_its_place() {
    for name in ["Grown", "Box", "Defaults", "Mixed", "ListLater", "Flags"] {
        for variant in [Variant::Unaligned, Variant::Aligned] {
            let per = per(PACKED, name, variant);
            for line in VECTORS.lines().filter(|line| line.starts_with(&format!("{name} "))) {
                let message = bytes(line.split(' ').nth(if variant == Variant::Unaligned { 1 } else { 2 }).unwrap());
                let mut reader = per.reader(false);
                assert!(reader.count_bits(true));
                let mut last = Last(0);
                reader.walk(&message, 0, &mut last, &mut Budget::new(&Limits::DEFAULT)).unwrap();
                assert_eq!(last.0, message.len() as u64 * 8, "{line}");
            }
        }
    }
}

/// Checks that spans follow each other, and keeps the last end.
struct Last(u64);

impl Last {
    fn see(&mut self, at: Span) {
        if !at.is_empty() {
            self.0 = self.0.max(at.end);
        }
    }
}

impl<'m> Sink<'m> for Last {
    fn open(&mut self, _: Open<'_>, at: Span) -> Result<Next> {
        self.see(at);
        Ok(Next::Enter)
    }
    fn field(&mut self, _: Field<'m, '_>, at: Span) -> Result<Next> {
        self.see(at);
        Ok(Next::Enter)
    }
    fn scalar(&mut self, _: Scalar<'m, '_>, at: Span) -> Result<()> {
        self.see(at);
        Ok(())
    }
    fn part(&mut self, _: polywire_core::Part<'_>, at: Span) -> Result<()> {
        self.see(at);
        Ok(())
    }
    fn close(&mut self, at: Span) -> Result<()> {
        self.see(at);
        Ok(())
    }
    fn note(&mut self, _: Note<'_>, at: Span) -> Result<()> {
        self.see(at);
        Ok(())
    }
}
