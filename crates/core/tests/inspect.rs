//! Inspection of two made-up formats: the reader of one reports what the test scripts, the other
//! reports random events.

use std::sync::Mutex;

use fastrand::Rng;
use polywire_core::format::{Confidence, Format, Nature};
use polywire_core::tools::inspect::{Inspection, Options, What, inspect};
use polywire_core::{
    Budget, Error, ErrorKind, Field, Frame, Len, Next, Note, Open, Part, PartKind, Reader, Result, Scalar, Sink, Span, Str,
};

const fn format(name: &'static str, reader: fn() -> Box<dyn Reader>) -> Format {
    Format::new(name, "", Nature::Binary, |_, _| Confidence::No, reader)
}

/// Messages are lines; the line ends stand between them.
fn line(buf: &[u8]) -> Frame {
    let start = buf.iter().take_while(|byte| **byte == b'\n').count();
    match buf[start..].iter().position(|byte| *byte == b'\n') {
        _ if start == buf.len() => Frame::End,
        Some(len) => Frame::Message { start, end: start + len },
        None => Frame::Message { start, end: buf.len() },
    }
}

/// `<e b="2" a="1"> # </e>`: the start tag spans its attributes, and `a` is reported first. `#` is
/// a comment, `!` a mistake, and `?` adds a default.
struct Markup;

static MARKUP: Format = format("markup", || Box::new(Markup));

impl Reader for Markup {
    fn frame(&mut self, buf: &[u8], _: u64, _: bool) -> Result<Frame> {
        Ok(line(buf))
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        let text = std::str::from_utf8(msg).expect("the tests are text");
        let at = |part: &str| {
            let start = text.find(part).expect("a part of the message");
            Span::at(base, start, start + part.len())
        };
        let tag = &text[..text.find('>').expect("a start tag") + 1];
        sink.open(Open::Record { name: "e", len: Len::Unknown }, at(tag))?;
        if text.contains('?') {
            sink.field(Field::named(Str::Input("default")), Span::NONE)?;
            sink.note(Note::Coerced("not on the wire"), Span::NONE)?;
            sink.scalar(Scalar::Bool(true), Span::NONE)?;
        }
        for name in ["a", "b"] {
            if let Some(value) = text.split(&format!("{name}=\"")).nth(1) {
                let value = &value[..value.find('"').expect("a quote")];
                sink.field(Field::named(Str::Scratch(name)), at(&format!("{name}=")))?;
                sink.scalar(Scalar::Text(Str::Scratch(value)), at(&format!("\"{value}\"")))?;
                sink.note(Note::Coerced("as text"), at(&format!("\"{value}\"")))?;
            }
        }
        if let Some(wrong) = text.find('!') {
            return Err(Error::data(ErrorKind::Syntax, base + wrong as u64).seen("'!'"));
        }
        sink.note(Note::Layout(" "), at(tag))?;
        sink.note(Note::Comment("c"), at("#"))?;
        sink.close(at("</e>"))
    }
}

fn rows(format: &'static Format, bytes: &[u8]) -> (Vec<String>, Inspection) {
    let mut rows = Vec::new();
    let inspection = inspect(format, bytes, &Options::default(), &mut |row| {
        let notes = if row.notes.is_empty() { String::new() } else { format!(" ({})", row.notes.join(", ")) };
        let name = row
            .label
            .filter(|_| row.named)
            .map(|step| polywire_core::walk::Path(vec![step.clone()]).to_string() + ": ")
            .unwrap_or_default();
        rows.push(format!("{} {} {name}{} {:?}{notes}", row.depth, row.what.name(), row.value, String::from_utf8_lossy(row.raw)));
        Ok(())
    })
    .expect("the rows are taken");
    (rows, inspection)
}

#[test]
fn inner_rows_take_their_bytes_from_the_outer_one() {
    let (rows, inspection) = rows(&MARKUP, b"\n<e a='' a=\"1\" b=\"2\"> # </e>\n<e b=\"2\" a=\"1\"># </e>\n<e? a=\"1\"># </e>");
    assert!(inspection.broken.is_none() && inspection.messages == 3);
    assert_eq!(
        rows,
        [
            "0 syntax  \"\\n\"",
            "0 message 27 bytes \"\"",
            "0 open e \"<e \"",
            "1 field a \"a=\"",
            "1 syntax  \"'' a=\"",
            "1 value \"1\" \"\\\"1\\\"\" (as text)",
            "1 syntax  \" \"",
            "1 field b \"b=\"",
            "1 value \"2\" \"\\\"2\\\"\" (as text)",
            "1 syntax  \"> \"",
            "1 note \"c\" \"#\"",
            "1 syntax  \" \"",
            "0 close  \"</e>\"",
            "0 syntax  \"\\n\"",
            "0 message 21 bytes \"\"",
            // An event out of order has no bytes of its own.
            "0 open e \"<e b=\\\"2\\\" \"",
            "1 field a \"a=\"",
            "1 value \"1\" \"\\\"1\\\"\" (as text)",
            "1 field b \"\"",
            "1 value \"2\" \"\" (as text)",
            "1 syntax  \">\"",
            "1 note \"c\" \"#\"",
            "1 syntax  \" \"",
            "0 close  \"</e>\"",
            "0 syntax  \"\\n\"",
            "0 message 16 bytes \"\"",
            // An event without bytes between the tag and its attribute leaves the tag all of its
            // bytes.
            "0 open e \"<e? a=\\\"1\\\">\"",
            // A name that is not written has no row.
            "1 value default: true \"\" (not on the wire)",
            "1 field a \"\"",
            "1 value \"1\" \"\" (as text)",
            "1 note \"c\" \"#\"",
            "1 syntax  \" \"",
            "0 close  \"</e>\"",
        ]
    );
}

#[test]
fn a_mistake_leaves_the_rest_unread_and_tells_where() {
    let bytes = b"<e a=\"1\"># </e>\n<e> !# </e>\n<e># </e>";
    let (rows, inspection) = rows(&MARKUP, bytes);
    assert_eq!(inspection.messages, 1);
    let error = inspection.broken.expect("an error");
    assert_eq!((error.offset(), error.format()), (Some(20), Some("markup")));
    assert!(error.path().is_some());
    assert_eq!(rows.last().map(String::as_str), Some("1 unread '!' \" !# </e>\\n<e># </e>\""));
}

#[test]
fn whoever_takes_the_rows_can_stop() {
    let mut left = 3;
    let outcome = inspect(&MARKUP, b"<e># </e>", &Options::default(), &mut |_| {
        left -= 1;
        if left == 0 { Err(Error::usage("enough")) } else { Ok(()) }
    });
    assert_eq!(outcome.err().map(|error| error.kind()), Some(ErrorKind::Usage));
    assert_eq!(left, 0);
}

/// Script of events, reported as it is.
struct Script;

static SCRIPT: Format = format("script", || Box::new(Script));
static EVENTS: Mutex<Vec<(&str, Span)>> = Mutex::new(Vec::new());

impl Reader for Script {
    fn frame(&mut self, buf: &[u8], _: u64, _: bool) -> Result<Frame> {
        Ok(line(buf))
    }

    fn walk<'m>(&mut self, _: &'m [u8], _: u64, sink: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        let part = |bytes, last| Part { bytes, kind: PartKind::Text, total: None, last };
        for (event, at) in EVENTS.lock().expect("one test at a time").iter() {
            match *event {
                "list" => drop(sink.open(Open::List(Len::Claimed(2)), *at)?),
                "map" => drop(sink.open(Open::Map(Len::Unknown), *at)?),
                "tag" => drop(sink.open(Open::Tagged { space: "s", code: 7 }, *at)?),
                "case" => drop(sink.open(Open::Variant { name: "c", index: 3 }, *at)?),
                "part" => sink.part(part(b"p", false), *at)?,
                "last" => sink.part(part(b"q", true), *at)?,
                "close" => sink.close(*at)?,
                text => sink.scalar(Scalar::Text(Str::Scratch(text)), *at)?,
            }
        }
        Ok(())
    }
}

#[test]
fn labels_kinds_and_shared_bytes() {
    let at = Span::new;
    *EVENTS.lock().expect("one test at a time") = vec![
        ("list", at(0, 1)),
        ("tag", at(1, 4)),
        ("in", at(1, 4)),
        ("close", at(4, 4)),
        ("map", at(4, 5)),
        ("key", at(5, 6)),
        ("case", at(6, 9)),
        ("part", at(7, 8)),
        ("last", at(8, 9)),
        ("close", at(9, 9)),
        ("close", at(9, 10)),
        ("close", at(11, 12)),
    ];
    let mut seen = Vec::new();
    inspect(&SCRIPT, b"0123456789abcd", &Options::default(), &mut |row| {
        let label = row.label.map(|step| polywire_core::walk::Path(vec![step.clone()]).to_string()).unwrap_or_default();
        seen.push(format!("{}..{} {label} {} {}", row.bytes.start, row.bytes.end, row.kind, row.value).trim_end().to_string());
        Ok(())
    })
    .expect("the rows are taken");
    assert_eq!(
        seen,
        [
            "0..0  message 14 bytes",
            "0..1  list of 2",
            "1..1 [0] tag s 7",
            "1..4  text \"in\"",
            "4..5 [1] map",
            "5..6  text \"key\"",
            "6..7 [\"key\"] variant c, case 3",
            "7..8 [0] part of text \"p\"",
            "8..9  part of text \"q\"",
            "9..10  map",
            "10..11  syntax",
            "11..12  list",
            "12..14  syntax",
        ]
    );
}

/// Says well-formed nonsense: random events at random places.
struct Noise;

static NOISE: Format = format("noise", || Box::new(Noise));

impl Noise {
    fn span(rng: &mut Rng, near: &mut u64) -> Span {
        let start = match rng.u8(..8) {
            0 => rng.u64(..60),
            1 => return Span::new(*near, *near),
            2 => return Span::NONE,
            3 => near.saturating_sub(rng.u64(..6)),
            _ => *near + rng.u64(..2),
        };
        *near = start + rng.u64(..7);
        Span::new(start, *near)
    }
}

impl Reader for Noise {
    fn frame(&mut self, buf: &[u8], _: u64, _: bool) -> Result<Frame> {
        if buf.first() == Some(&b'x') { Err(Error::data(ErrorKind::Syntax, 0).seen("'x'")) } else { Ok(line(buf)) }
    }

    fn walk<'m>(&mut self, msg: &'m [u8], base: u64, sink: &mut dyn Sink<'m>, _: &mut Budget) -> Result<()> {
        let rng = &mut Rng::with_seed(msg.iter().fold(base, |seed, byte| seed.wrapping_mul(31) + u64::from(*byte)));
        let mut near = base;
        let mut depth = 0;
        loop {
            let at = Self::span(rng, &mut near);
            match rng.u8(..12) {
                0 | 1 => {
                    if sink.open(Open::List(Len::Unknown), at)? == Next::Stop {
                        return Ok(());
                    }
                    depth += 1;
                    continue;
                }
                2 if depth > 0 => {
                    sink.close(at)?;
                    depth -= 1;
                }
                3 => sink.note(Note::Coerced("so"), at)?,
                4 => sink.note(Note::Unknown(b"?"), at)?,
                5 => sink.note(Note::Layout(" "), at)?,
                6 if rng.u8(..6) == 0 => return Err(Error::data(ErrorKind::Syntax, at.end).seen("noise")),
                7 => {
                    sink.part(Part { bytes: b"p", kind: PartKind::Octets, total: None, last: true }, at)?;
                }
                _ if depth > 0 => {
                    if sink.field(Field::named(Str::Scratch("f")), at)? == Next::Stop {
                        return Ok(());
                    }
                    let at = Self::span(rng, &mut near);
                    sink.scalar(Scalar::Null, at)?;
                }
                _ => sink.scalar(Scalar::uint(1), at)?,
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

#[test]
fn whatever_a_reader_says_each_byte_is_told_once() {
    let mut rng = Rng::with_seed(3);
    let (mut broken, mut whole) = (0, 0);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.usize(..60)).map(|_| b"\nabcdefgx"[rng.usize(..9)]).collect();
        let mut told = 0;
        let inspection = inspect(&NOISE, &bytes, &Options::default(), &mut |row| {
            assert_eq!(row.bytes.start, told, "{row:?} of {bytes:?}");
            assert_eq!(row.raw, &bytes[row.bytes.start as usize..row.bytes.end as usize]);
            assert!(!row.bytes.is_empty() || !matches!(row.what, What::Syntax));
            told = row.bytes.end;
            Ok(())
        })
        .expect("the rows are taken");
        assert_eq!(told, bytes.len() as u64, "{bytes:?}");
        *if inspection.broken.is_some() { &mut broken } else { &mut whole } += 1;
    }
    assert!(broken > 1000 && whole > 1000, "{broken} broken, {whole} whole");
}

#[test]
fn long_values_are_cut_and_controls_escaped() {
    let long = "é\u{1b}[31m\u{202e}".repeat(100);
    let text = format!("<e a=\"{long}\"># </e>");
    let mut seen = Vec::new();
    let options = Options { shown: 10, ..Options::default() };
    inspect(&MARKUP, text.as_bytes(), &options, &mut |row| {
        if row.what == What::Value {
            seen.push(row.value.to_string());
        }
        Ok(())
    })
    .expect("the rows are taken");
    assert_eq!(seen, [format!("\"é\\u{{1b}}[31m\\u{{202e}}é\\u{{1b}}[…\" ({} bytes)", long.len())]);
}
