//! Streams written and read again, by every option, and damaged ones.

use fastrand::Rng;
use polywire_core::{Budget, ErrorKind, Limits, Result, Span};
use polywire_exi::{Alignment, Decoder, Encoder, Events, Head, Ignore, Name, Options, Preserve, SchemaId, Value};

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Writes events down.
#[derive(Debug, Default, PartialEq)]
struct List(Vec<String>);

fn full(name: Name<'_>) -> String {
    format!("{:?} {{{}}}{}", name.prefix, name.uri, name.local)
}

impl List {
    fn push(&mut self, event: String, at: Span) -> Result<()> {
        assert!(at.start <= at.end);
        self.0.push(event);
        Ok(())
    }
}

impl Events for List {
    fn start(&mut self, name: Name<'_>, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("SE {}", full(name)), at)
    }

    fn end(&mut self, at: Span, _: &mut Budget) -> Result<()> {
        self.push("EE".to_string(), at)
    }

    fn self_contained(&mut self, at: Span, _: &mut Budget) -> Result<()> {
        self.push("SC".to_string(), at)
    }

    fn namespace(&mut self, prefix: &str, uri: &str, own: bool, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("NS {prefix} {uri} {own}"), at)
    }

    fn attribute(&mut self, name: Name<'_>, value: Value<'_>, at: Span, _: &mut Budget) -> Result<()> {
        let value = match value {
            Value::Text(text) => format!("{text:?}"),
            Value::Name(name) => full(name),
        };
        self.push(format!("AT {} {value}", full(name)), at)
    }

    fn text(&mut self, text: &str, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("CH {text:?}"), at)
    }

    fn comment(&mut self, text: &str, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("CM {text:?}"), at)
    }

    fn instruction(&mut self, target: &str, text: &str, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("PI {target} {text:?}"), at)
    }

    fn doctype(&mut self, parts: [&str; 4], at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("DT {parts:?}"), at)
    }

    fn reference(&mut self, name: &str, at: Span, _: &mut Budget) -> Result<()> {
        self.push(format!("ER {name}"), at)
    }
}

fn read(bytes: &[u8], given: &Options, limits: &Limits) -> Result<(Vec<String>, usize, Options)> {
    let mut list = List::default();
    let outcome = Decoder::new().read(bytes, 0, Some(given), &mut list, &mut Budget::new(limits))?;
    Ok((list.0, outcome.len, outcome.options))
}

/// Writes a random document, and the events that a reader emits for it.
fn document(rng: &mut Rng, options: &Options, head: Head) -> (Vec<u8>, Vec<String>) {
    let mut encoder = Encoder::new();
    encoder.begin(options, head).unwrap();
    let mut list = Vec::new();
    let keep = options.preserve;
    let roots = if options.fragment { rng.usize(..4) } else { 1 };
    for _ in 0..roots {
        remarks(rng, &mut encoder, &mut list, keep);
        element(rng, &mut encoder, &mut list, options, 4);
        remarks(rng, &mut encoder, &mut list, keep);
    }
    let mut out = Vec::new();
    encoder.finish(&mut out).unwrap();
    (out, list)
}

fn remarks(rng: &mut Rng, encoder: &mut Encoder, list: &mut Vec<String>, keep: Preserve) {
    if rng.u8(..4) == 0 {
        encoder.comment("a comment").unwrap();
        list.extend(keep.comments.then(|| "CM \"a comment\"".to_string()));
    }
    if rng.u8(..4) == 0 {
        encoder.instruction("target", "of it").unwrap();
        list.extend(keep.instructions.then(|| "PI target \"of it\"".to_string()));
    }
}

fn text(rng: &mut Rng) -> String {
    match rng.u8(..6) {
        0 => String::new(),
        1 => "a longer text, of more than seven characters".to_string(),
        2 => "naïve 🦀 ".repeat(rng.usize(1..4)),
        _ => format!("v{}", rng.u8(..12)),
    }
}

fn element(rng: &mut Rng, encoder: &mut Encoder, list: &mut Vec<String>, options: &Options, depth: usize) {
    let keep = options.preserve;
    let (uri, local) = (["", "urn:a", "urn:b"][rng.usize(..3)], ["a", "b", "c", "d"][rng.usize(..4)]);
    // The prefix of a namespace is always declared, so that every reader finds it.
    let prefix = if uri.is_empty() { "" } else { &uri[4..] };
    encoder.start(uri, local, None).unwrap();
    let place = list.len();
    list.push(String::new());
    if options.self_contained && rng.u8(..4) == 0 {
        encoder.self_contained().unwrap();
        list.extend((!options.alignment.has_blocks()).then(|| "SC".to_string()));
    }
    encoder.namespace(prefix, uri, true).unwrap();
    if keep.prefixes {
        list.push(format!("NS {prefix} {uri} true"));
    }
    if rng.u8(..5) == 0 {
        let value =
            if keep.lexical { Value::Text("p:type") } else { Value::Name(Name { id: 0, uri: XSI, local: "type", prefix: Some("xsi") }) };
        encoder.attribute(XSI, "type", Some("xsi"), value).unwrap();
        let shown = if keep.lexical { "\"p:type\"".to_string() } else { format!("{} {{{XSI}}}type", shown(keep, "xsi")) };
        list.push(format!("AT {} {{{XSI}}}type {shown}", shown_prefix(keep)));
    }
    for name in ["x", "y", "z"].iter().take(rng.usize(..4)) {
        let value = text(rng);
        encoder.attribute("", name, Some(""), Value::Text(&value)).unwrap();
        list.push(format!("AT {} {{}}{name} {value:?}", shown(keep, "")));
    }
    for _ in 0..rng.usize(..4) {
        match rng.u8(..5) {
            0 | 1 if depth > 0 => element(rng, encoder, list, options, depth - 1),
            2 if rng.bool() => {
                encoder.reference("entity").unwrap();
                list.extend(keep.doctypes.then(|| "ER entity".to_string()));
            }
            3 => remarks(rng, encoder, list, keep),
            _ => {
                let value = text(rng);
                encoder.text(&value).unwrap();
                list.push(format!("CH {value:?}"));
            }
        }
    }
    encoder.end().unwrap();
    list.push("EE".to_string());
    list[place] = format!("SE {{{uri}}}{local}");
}

fn shown(keep: Preserve, prefix: &str) -> String {
    if keep.prefixes { format!("{:?}", Some(prefix)) } else { "None".to_string() }
}

fn shown_prefix(keep: Preserve) -> String {
    shown(keep, "xsi")
}

fn random_options(rng: &mut Rng) -> Options {
    Options {
        alignment: [Alignment::BitPacked, Alignment::BytePacked, Alignment::PreCompression, Alignment::Compression][rng.usize(..4)],
        strict: rng.bool(),
        fragment: rng.bool(),
        preserve: Preserve {
            comments: rng.bool(),
            instructions: rng.bool(),
            doctypes: rng.bool(),
            prefixes: rng.bool(),
            lexical: rng.bool(),
        },
        self_contained: rng.bool(),
        schema: if rng.bool() { SchemaId::Absent } else { SchemaId::Nil },
        block_size: if rng.bool() { 1_000_000 } else { rng.u32(1..5) },
        value_max_length: rng.bool().then(|| rng.u32(..4)),
        value_partition_capacity: rng.bool().then(|| rng.u32(..4)),
        ..Options::default()
    }
}

/// Starts of elements without their prefixes, which a table gives as soon as it has any.
fn without_prefix(events: Vec<String>) -> Vec<String> {
    let shorter = |event: String| match event.strip_prefix("SE ") {
        Some(rest) => format!("SE {}", &rest[rest.find('{').unwrap_or(0)..]),
        None => event,
    };
    events.into_iter().map(shorter).collect()
}

#[test]
fn every_option_comes_back() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..4000 {
        let options = random_options(&mut rng);
        let head = Head { cookie: rng.bool(), options: rng.bool() };
        let (bytes, expected) = document(&mut rng, &options, head);
        let given = if head.options { Options::default() } else { options.clone() };
        let (events, len, found) = read(&bytes, &given, &Limits::DEFAULT).unwrap();
        assert_eq!((len, &found), (bytes.len(), &options));
        assert_eq!(without_prefix(events), expected, "{options:?}");
    }
}

#[test]
fn damaged_streams_are_errors_within_them() {
    let mut rng = Rng::with_seed(2);
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    for _ in 0..1500 {
        let options = random_options(&mut rng);
        let (bytes, _) = document(&mut rng, &options, Head { cookie: false, options: true });
        let mut bad = bytes.clone();
        if rng.bool() {
            bad.truncate(rng.usize(..bytes.len()));
        }
        for _ in 0..rng.usize(..3) {
            if !bad.is_empty() {
                let at = rng.usize(..bad.len());
                bad[at] ^= 1 << rng.u32(..8);
            }
        }
        if let Err(error) = read(&bad, &options, &limits) {
            assert!(error.offset().is_some_and(|offset| offset <= bad.len() as u64), "{error}");
        }
    }
}

#[test]
fn headers_are_checked() {
    let refused = |bytes: &[u8]| read(bytes, &Options::default(), &Limits::DEFAULT).unwrap_err();
    assert_eq!(refused(b"").kind(), ErrorKind::Truncated);
    assert_eq!(refused(b"<a/>").kind(), ErrorKind::Syntax);
    assert_eq!(refused(&[0x81, 0]).kind(), ErrorKind::Unsupported);
    assert!(refused(&[0x81, 0]).to_string().contains("version 2"));
    let named = Options { schema: SchemaId::Named("urn:schema".to_string()), ..Options::default() };
    let mut encoder = Encoder::new();
    encoder.begin(&named, Head { cookie: true, options: true }).unwrap();
    encoder.start("", "a", None).unwrap();
    encoder.end().unwrap();
    let mut bytes = Vec::new();
    encoder.finish(&mut bytes).unwrap();
    assert!(refused(&bytes).to_string().contains("urn:schema"), "{}", refused(&bytes));
}

#[test]
fn expansion_is_bounded() {
    let write = |alignment, build: &dyn Fn(&mut Encoder)| {
        let options = Options { alignment, ..Options::default() };
        let mut encoder = Encoder::new();
        encoder.begin(&options, Head { cookie: false, options: true }).unwrap();
        encoder.start("", "a", None).unwrap();
        build(&mut encoder);
        encoder.end().unwrap();
        let mut bytes = Vec::new();
        encoder.finish(&mut bytes).unwrap();
        bytes
    };
    let limits = Limits::DEFAULT.with_decoded(1 << 20);
    // A long value that few bits refer to, and one that compresses well.
    let long = "x".repeat(100_000);
    let repeated = |encoder: &mut Encoder| (0..100).for_each(|_| encoder.text(&long).unwrap());
    let zeros = |encoder: &mut Encoder| encoder.text(&"\u{1}".repeat(4_000_000)).unwrap();
    for bytes in [
        write(Alignment::BitPacked, &repeated),
        write(Alignment::BytePacked, &repeated),
        write(Alignment::Compression, &repeated),
        write(Alignment::Compression, &zeros),
    ] {
        assert!(bytes.len() < 120_000);
        assert_eq!(read(&bytes, &Options::default(), &limits).unwrap_err().kind(), ErrorKind::Limit);
        assert!(read(&bytes, &Options::default(), &Limits::DEFAULT).is_ok());
    }
    let deep = |encoder: &mut Encoder| {
        (0..600).for_each(|_| encoder.start("", "a", None).unwrap());
        (0..600).for_each(|_| encoder.end().unwrap());
    };
    let bytes = write(Alignment::BitPacked, &deep);
    assert_eq!(read(&bytes, &Options::default(), &Limits::DEFAULT).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn claims_allocate_nothing() {
    // A name of 2⁵⁰ characters in two bytes, and a stream of ones.
    let mut claim = vec![0x80, 0x40 | 0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    claim.resize(20, 0xff);
    assert!(read(&claim, &Options::default(), &Limits::DEFAULT).is_err());
    assert!(read(&[0x80, 0xff, 0xff, 0xff, 0xff, 0xff], &Options::default(), &Limits::DEFAULT).is_err());
}

#[test]
fn misused_encoders_refuse() {
    let mut encoder = Encoder::new();
    assert!(encoder.start("", "a", None).is_err());
    encoder.begin(&Options::default(), Head::default()).unwrap();
    assert!(encoder.text("x").is_err() && encoder.end().is_err());
    encoder.start("", "a", None).unwrap();
    encoder.text("x").unwrap();
    assert!(encoder.attribute("", "b", None, Value::Text("c")).is_err());
    assert!(encoder.finish(&mut Vec::new()).is_err());
    encoder.end().unwrap();
    assert!(encoder.start("", "b", None).is_err());
}

/// The bytes of `<a d="1" c="2"><f>x</f></a>` that EXIficient writes.
#[test]
fn bytes_are_those_of_other_programs() {
    let mut encoder = Encoder::new();
    encoder.begin(&Options::default(), Head::default()).unwrap();
    encoder.start("", "a", None).unwrap();
    encoder.attribute("", "d", None, Value::Text("1")).unwrap();
    encoder.attribute("", "c", None, Value::Text("2")).unwrap();
    encoder.start("", "f", None).unwrap();
    encoder.text("x").unwrap();
    encoder.end().unwrap();
    encoder.end().unwrap();
    let mut bytes = Vec::new();
    encoder.finish(&mut bytes).unwrap();
    assert_eq!(bytes, EXIFICIENT);
    assert_eq!(read(&bytes, &Options::default(), &Limits::DEFAULT).unwrap().0.len(), 7);
    let nothing = Decoder::new().read(&bytes, 0, None, &mut Ignore, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    assert!(!nothing.has_options && nothing.header == 1);
}

const EXIFICIENT: &[u8] = &[0x80, 0x40, 0x98, 0x54, 0x09, 0x90, 0x0c, 0xc6, 0xa0, 0x4c, 0x60, 0x66, 0x54, 0x81, 0x33, 0x60, 0x6f, 0x00];
