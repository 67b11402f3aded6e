//! CSV: cells and types, headers in streams, twins by another library, and hostile input.

use polywire_core::format::{Dialect, Format};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Projection, Unknown, Walker};
use polywire_core::tools::convert::{Conversion, convert};
use polywire_core::value::Tree;
use polywire_core::value::{Value, ValueSink};
use polywire_core::walk::Path;
use polywire_core::{Budget, Error, ErrorKind, Limits, Timestamp};
use polywire_formats::csv::FORMAT;
use polywire_formats::{json, jsonl, registry};
use polywire_testing::{self as testing, Rng, Shape};

/// The values of a stream that is read in pieces of one byte, or the first error.
fn values(text: impl AsRef<[u8]>) -> Result<Vec<Value>, Error> {
    let mut walker = Walker::new(&FORMAT, &Limits::DEFAULT);
    let mut stream = Stream::new(text.as_ref());
    let mut values = Vec::new();
    while let Some(message) = stream.next(&mut walker)? {
        let mut tree = Tree::new();
        walker.walk(message.bytes, message.base, &mut tree)?;
        values.push(Value::from(tree.root().expect("a value")));
    }
    Ok(values)
}

fn converted(text: &[u8], from: &'static Format, to: &'static Format) -> Result<(String, Conversion), Error> {
    let mut out = Vec::new();
    let done = convert(&mut Stream::new(text), &mut out, &mut Walker::new(from, &Limits::DEFAULT), to)?;
    Ok((String::from_utf8(out).expect("text"), done))
}

fn losses(done: &Conversion) -> Vec<(String, &'static str, u64)> {
    done.losses.iter().map(|loss| (loss.path.to_string(), loss.what, loss.count)).collect()
}

#[test]
fn cells_are_what_they_look_like() {
    let text = "\u{feff}a,b,c\r\n1,x,\r\n\r\n-2,\"1\",\"\"\n1.5,true,\"a\r\n\"\"b\"\"\"\n18446744073709551616,0.10000000000000000001, 1\n-0.0,007,1.50\n2E10,2026-11-21,+1";
    let row = |a, b, c| Value::record([("a", a), ("b", b), ("c", c)]);
    let expected = [
        row(Value::UInt(1), Value::text("x"), Value::Null),
        row(Value::Int(-2), Value::text("1"), Value::text("")),
        row(Value::F64(1.5), Value::Bool(true), Value::text("a\r\n\"b\"")),
        row(Value::Big("18446744073709551616".into()), Value::Decimal("0.10000000000000000001".into()), Value::text(" 1")),
        row(Value::F64(-0.0), Value::text("007"), Value::text("1.50")),
        row(Value::text("2E10"), Value::text("2026-11-21"), Value::text("+1")),
    ];
    assert_eq!(values(text).unwrap(), expected);
}

#[test]
fn the_header_tells_the_separator() {
    for text in ["a,b\n1,;\n", "a;b\n1;\";\"\n", "a\tb\n1\t;\n", "a|\"b\"\n1|;\n", "\"a\",b\n1,\";\"\n"] {
        assert_eq!(values(text).unwrap(), [Value::record([("a", Value::UInt(1)), ("b", Value::text(";"))])], "{text:?}");
    }
    assert_eq!(values("\"a,;\"\n1\n").unwrap(), [Value::record([("a,;", Value::UInt(1))])]);
}

#[test]
fn types_can_be_declared() {
    let text = "i:int,f:float,t:text,b:bool,w:time,y:bytes,a:any\n\
        007,5,1,TRUE,2026-11-21T07:49:00Z,AQID,1\n\
        \"-12\",1.50,\"\",false,1970-01-01T00:00:00Z,\"\",\"1\"\n\
        123456789012345678901234567890,0.10000000000000000001,,,,,\n\
        -0,-inf,x,,,,\n";
    let row = |values: [Value; 7]| Value::record(["i", "f", "t", "b", "w", "y", "a"].into_iter().zip(values));
    let moment = |seconds| Value::Time(Timestamp::new(seconds, 0).unwrap());
    let found = values(text).unwrap();
    assert_eq!(
        found[0],
        row([
            Value::UInt(7),
            Value::F64(5.0),
            Value::text("1"),
            Value::Bool(true),
            moment(1_795_247_340),
            Value::Bytes(vec![1, 2, 3]),
            Value::UInt(1)
        ])
    );
    assert_eq!(
        found[1],
        row([Value::Int(-12), Value::F64(1.5), Value::text(""), Value::Bool(false), moment(0), Value::Bytes(vec![]), Value::text("1")])
    );
    let null = || Value::Null;
    let big = Value::Big("123456789012345678901234567890".into());
    assert_eq!(found[2], row([big, Value::Decimal("0.10000000000000000001".into()), null(), null(), null(), null(), null()]));
    assert_eq!(found[3], row([Value::UInt(0), Value::F64(f64::NEG_INFINITY), Value::text("x"), null(), null(), null(), null()]));
    // One name without a type, or in quotes, and none has one.
    assert_eq!(values("a:int,b\n1,2\n").unwrap(), [Value::record([("a:int", Value::UInt(1)), ("b", Value::UInt(2))])]);
    assert_eq!(values("\"a:int\"\nx\n").unwrap(), [Value::record([("a:int", Value::text("x"))])]);
    for (kind, cell) in [("int", "1.0"), ("int", "-"), ("float", ".5"), ("bool", "yes"), ("time", "2026-11-21"), ("bytes", "A")] {
        let error = values(format!("x:{kind}\n{cell}\n")).expect_err("not of the type");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(kind.len() as u64 + 3)), "{error}");
        assert_eq!(error.path().map(ToString::to_string).as_deref(), Some("x"));
    }
}

#[test]
fn mistakes_are_told_with_place_and_path() {
    for (text, kind, offset, path, said) in [
        (
            &b"a,b,c\n1,2,3\n4,5\n"[..],
            ErrorKind::Syntax,
            15,
            "the message itself",
            "expected 3, as in the header, saw a row of 2 cells, without one for \"c\"",
        ),
        (b"a,b\n1,2\n3,4,5\n", ErrorKind::Syntax, 12, "the message itself", "a row of more than 2 cells"),
        (b"a,b\n1,x\"y\n2,3\n", ErrorKind::Syntax, 7, "b", "a quote within a cell"),
        (b"a,b\n1,2\n1,\"x\"y\n2,3\n", ErrorKind::Syntax, 13, "b", "more after the closing quote"),
        (b"a,b\n1,\"x\n2,3\n", ErrorKind::Truncated, 13, "b", "the closing quote"),
        (b"a\0,\0b\0\n\0x\0,\0y\0\n\0", ErrorKind::Encoding, 1, "the message itself", "as in UTF-16"),
        (b"\0a\0,\0b\0\n\0x\0,\0y\0\n", ErrorKind::Encoding, 0, "the message itself", "as in UTF-16"),
        (b"a,b\n1,\xff\n", ErrorKind::Encoding, 6, "b", "byte 0xff"),
        (b"a,b\xff\n1,2\n", ErrorKind::Encoding, 3, "the message itself", "byte 0xff"),
        (b"a,b,a\n1,2,3\n", ErrorKind::DoubledKey, 10, "a", "second time"),
        (b"a\"b\n1\n", ErrorKind::Syntax, 1, "the message itself", "a quote within a cell"),
    ] {
        let error = values(text).expect_err("an error");
        let found = (error.kind(), error.offset(), error.path().expect("a path").to_string());
        assert_eq!(found, (kind, Some(offset), path.to_string()), "{error}");
        assert!(error.to_string().contains(said) && error.format() == Some("csv"), "{error}");
    }
    assert!(values("").unwrap().is_empty() && values("\n\r\n").unwrap().is_empty());
}

#[test]
fn doubled_columns_follow_the_policy() {
    for (doubles, expected) in [(Doubles::First, "{\"a\":1,\"b\":2}"), (Doubles::Last, "{\"a\":3,\"b\":2}")] {
        let mut tree = Tree::new();
        Walker::new(&FORMAT, &Limits::DEFAULT).doubles(doubles).walk(b"a,b,a\n1,2,3", 0, &mut tree).unwrap();
        let mut fields = Value::from(tree.root().unwrap());
        if let Value::Record { fields, .. } = &mut fields {
            fields.sort_by(|one, other| one.0.cmp(&other.0));
        }
        assert_eq!(testing::write(&json::FORMAT, &fields).unwrap(), expected.as_bytes());
    }
}

#[test]
fn a_stream_has_one_header() {
    let lines = "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"true\",\"a\":null}\n{\"a\":\"\",\"b\":\"1,\\\"2\\\"\"}\n";
    let (table, done) = converted(lines.as_bytes(), &jsonl::FORMAT, &FORMAT).unwrap();
    assert_eq!(table, "a,b\n1,x\n,\"true\"\n\"\",\"1,\"\"2\"\"\"\n");
    assert!(done.losses.is_empty());
    let (back, done) = converted(table.as_bytes(), &FORMAT, &jsonl::FORMAT).unwrap();
    assert_eq!(back, lines.replace("{\"b\":\"true\",\"a\":null}", "{\"a\":null,\"b\":\"true\"}"));
    assert!(done.losses.is_empty());
}

#[test]
fn what_a_table_cannot_hold_is_noted() {
    let lines = br#"{"a":1,"b":2}
{"a":1}
{"a":1,"b":2,"c":{"d":[1]}}
{"a":[1,{"x":"y"}],"b":{}}
"#;
    let (table, done) = converted(lines, &jsonl::FORMAT, &FORMAT).unwrap();
    assert_eq!(table, "a,b\n1,2\n1,\n1,2\n\"[1,{\"\"x\"\":\"\"y\"\"}]\",{}\n");
    assert_eq!(
        losses(&done),
        [
            ("the message itself".to_string(), "field of the header that the record does not have: became null", 1),
            ("a".to_string(), "value with parts became JSON text", 1),
            ("b".to_string(), "value with parts became JSON text", 1),
            ("c".to_string(), "field that the header, which the first message gave, does not have: dropped", 1),
        ]
    );
    let (table, done) = converted(b"{\"a\":1}\n{\"a\":null}\n{}", &jsonl::FORMAT, &FORMAT).unwrap();
    assert_eq!(table, "a\n1\n\"\"\n\"\"\n");
    assert_eq!(losses(&done).len(), 2);
    for (value, cell, loss) in [
        (Value::Bytes(vec![0xd7, 0x4d, 0xf8]), "\"1034\"", "bytes became base64 text"),
        (Value::Bytes(vec![1, 2, 3]), "AQID", "bytes became base64 text"),
        (Value::Octets(b"1".to_vec()), "\"1\"", "octets became text"),
        (Value::Octets(vec![0xff]), "/w==", "octets became base64 text"),
        (Value::Time(Timestamp::new(0, 0).unwrap()), "1970-01-01T00:00:00Z", "timestamp became text"),
        (Value::F64(f64::NAN), "NaN", "NaN or infinity became text"),
        (Value::F64(f64::NEG_INFINITY), "-inf", "NaN or infinity became text"),
        (Value::Tuple(vec![Value::Null]), "[null]", "tuple became list"),
        (Value::Variant { name: "D".into(), index: 0, values: vec![] }, "\"\"\"D\"\"\"", "value with parts became JSON text"),
    ] {
        let mut writer = (FORMAT.writer.unwrap())();
        let mut out = Vec::new();
        Value::record([("x", value), ("y", Value::UInt(1))]).emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), format!("x,y\n{cell},1"));
        assert!(writer.losses().iter().any(|lost| lost.what == loss && lost.is_value()), "{cell}");
    }
}

#[test]
fn keys_that_are_no_text_become_names() {
    let map = |first: Value| Value::Map(vec![(first, Value::UInt(1)), (Value::text("b"), Value::UInt(2))]);
    assert_eq!(testing::write(&FORMAT, &map(Value::UInt(7))).unwrap(), b"7,b\n1,2");
    assert_eq!(testing::write(&FORMAT, &map(Value::List(vec![Value::UInt(7), Value::Null]))).unwrap(), b"\"[7,null]\",b\n1,2");
    testing::round_trip(&FORMAT, &map(Value::text("a")));
    // In a stream, one that no column is for goes with its value.
    let mut writer = (FORMAT.writer.unwrap())();
    writer.begin_stream();
    let mut out = Vec::new();
    for value in [Value::record([("b", Value::Null), ("c", Value::Bool(true))]), map(Value::UInt(7)), map(Value::List(vec![]))] {
        value.emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
        out.push(b'\n');
    }
    assert_eq!(String::from_utf8(out).unwrap(), "b,c\n,true\n2,\n2,\n");
}

#[test]
fn only_records_with_fields_are_rows() {
    for value in [Value::UInt(1), Value::Null, Value::List(vec![Value::record([("a", Value::Null)])]), Value::record::<&str>([])] {
        let error = testing::write(&FORMAT, &value).expect_err("no row");
        assert_eq!((error.kind(), error.format()), (ErrorKind::Unsupported, Some("csv")), "{error}");
    }
    // The writer goes on after it.
    let mut writer = (FORMAT.writer.unwrap())();
    for bad in [Value::UInt(1), Value::record::<&str>([])] {
        assert!(bad.emit(&mut *writer).is_err());
        writer.reset();
    }
    let mut out = Vec::new();
    Value::record([("a", Value::UInt(1))]).emit(&mut *writer).unwrap();
    writer.finish(&mut out).unwrap();
    assert_eq!(out, b"a\n1");
}

/// A record whose fields are all of the kinds that a cell can hold.
fn flat(rng: &mut Rng, names: &[String]) -> Value {
    Value::record(names.iter().map(|name| (name.clone(), testing::scalar(rng, false))))
}

fn names(rng: &mut Rng) -> Vec<String> {
    let shape = Shape { depth: 1, width: 8, exotic: false };
    loop {
        if let Value::Record { fields, .. } = testing::value(rng, shape)
            && fields.len() > 1
        {
            let odd = ["a:int", "b;c", "x\ty", "\u{feff}", "p|q", "\r", "17", " "];
            let mut names: Vec<String> = fields.into_iter().map(|(name, _)| name).collect();
            let name = odd[rng.usize(..odd.len())].to_string();
            if rng.bool() && !names.contains(&name) {
                names[0] = name;
            }
            return names;
        }
    }
}

#[test]
fn random_rows_come_back() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..3000 {
        let names = names(&mut rng);
        testing::round_trip(&FORMAT, &flat(&mut rng, &names));
    }
    testing::round_trip(&FORMAT, &Value::record([("a:int", Value::text("x")), ("b:text", Value::F32(0.1))]));
    testing::round_trip(&FORMAT, &Value::record([("", Value::text(""))]));
}

#[test]
fn random_tables_come_back_from_a_stream() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..200 {
        let names = names(&mut rng);
        let rows: Vec<Value> = (0..rng.usize(1..20)).map(|_| flat(&mut rng, &names)).collect();
        let mut writer = (FORMAT.writer.unwrap())();
        writer.begin_stream();
        let mut out = Vec::new();
        for row in &rows {
            row.emit(&mut *writer).unwrap();
            writer.finish(&mut out).unwrap();
            out.push(b'\n');
        }
        assert!(writer.losses().is_empty());
        let shown = String::from_utf8_lossy(&out).into_owned();
        let found = values(&out).unwrap_or_else(|error| panic!("{error}: {shown}"));
        assert_eq!(format!("{found:?}"), format!("{rows:?}"), "{shown}");
    }
}

/// The crate `csv` as the judge of both directions; it knows texts only.
#[test]
fn another_library_agrees() {
    let mut rng = Rng::with_seed(3);
    for _ in 0..500 {
        let names = names(&mut rng);
        let texts: Vec<Vec<String>> = (0..rng.usize(1..6))
            .map(|_| {
                names
                    .iter()
                    .map(|_| match testing::scalar(&mut rng, false) {
                        Value::Text(text) => text,
                        _ => String::new(),
                    })
                    .collect()
            })
            .collect();
        let mut writer = (FORMAT.writer.unwrap())();
        writer.begin_stream();
        let mut ours = Vec::new();
        for row in &texts {
            Value::record(names.iter().cloned().zip(row.iter().map(Value::text))).emit(&mut *writer).unwrap();
            writer.finish(&mut ours).unwrap();
            ours.push(b'\n');
        }
        let mut judge = csv::Reader::from_reader(&ours[..]);
        assert_eq!(judge.headers().unwrap().iter().collect::<Vec<_>>(), names);
        let judged: Vec<Vec<String>> = judge.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect();
        assert_eq!(judged, texts);
        for (terminator, separator) in [(csv::Terminator::CRLF, b','), (csv::Terminator::Any(b'\n'), b';')] {
            let style = csv::QuoteStyle::Always;
            let mut judge =
                csv::WriterBuilder::new().terminator(terminator).delimiter(separator).quote_style(style).from_writer(Vec::new());
            judge.write_record(&names).unwrap();
            texts.iter().for_each(|row| judge.write_record(row).unwrap());
            let theirs = judge.into_inner().unwrap();
            let rows: Vec<Value> = texts.iter().map(|row| Value::record(names.iter().cloned().zip(row.iter().map(Value::text)))).collect();
            assert_eq!(values(&theirs).unwrap(), rows, "{}", String::from_utf8_lossy(&theirs));
        }
    }
}

#[test]
fn rows_are_framed_however_they_are_cut() {
    let text = "\u{feff}\r\n\na,\"b\n\"\r\n\n1,\"x\n\"\"\n\"\r\n\n\r\n2,y\"z\n3,\"\n\",\"\n".as_bytes();
    let whole = testing::frames(&FORMAT, text, &[text.len()]);
    let messages: Vec<&str> =
        whole.iter().map(|frame| frame.map(|(from, to)| std::str::from_utf8(&text[from..to]).unwrap()).unwrap()).collect();
    assert_eq!(messages, ["a,\"b\n\"\r\n\n1,\"x\n\"\"\n\"\r\n", "2,y\"z\n", "3,\"\n\",\"\n"]);
    for cut in 0..text.len() {
        testing::fuzz_frames(&FORMAT, text, cut);
    }
    let bytewise: Vec<usize> = (1..=text.len()).collect();
    assert_eq!(testing::frames(&FORMAT, text, &bytewise), whole);
}

#[test]
fn any_bytes_as_a_stream_break_nothing() {
    let mut rng = Rng::with_seed(4);
    let pieces = ["a", "1", ",", ";", "\t", "\"", "\n", "\r\n", "\r", "\"\"", ":int", "ä", ",\"", "\",", "\u{feff}", "1.5"];
    for _ in 0..5000 {
        let mut bytes: Vec<u8> = (0..rng.usize(..30)).flat_map(|_| pieces[rng.usize(..pieces.len())].bytes()).collect();
        if rng.u8(..4) == 0 {
            bytes = testing::mutate(&mut rng, &bytes);
        }
        let cut = rng.usize(..=bytes.len());
        testing::fuzz_walk(&FORMAT, &bytes);
        testing::fuzz_frames(&FORMAT, &bytes, cut);
        testing::fuzz_skip(&FORMAT, &bytes);
        testing::fuzz_rewrite(&FORMAT, &bytes);
        testing::fuzz_inspect(&FORMAT, &bytes);
        if let Err(error) = values(&bytes) {
            assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64), "{error}");
        }
    }
}

#[test]
fn wide_tables_take_linear_time() {
    let names: Vec<String> = (0..50_000).map(|n| format!("k{n}")).collect();
    let forth = Value::record(names.iter().map(|name| (name.as_str(), Value::UInt(1))));
    let back = Value::record(names.iter().rev().map(|name| (name.as_str(), Value::UInt(1))));
    let mut writer = (FORMAT.writer.unwrap())();
    writer.begin_stream();
    let mut out = Vec::new();
    for value in [&forth, &back] {
        value.emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
        out.push(b'\n');
    }
    assert!(writer.losses().is_empty());
    assert_eq!(values(&out).unwrap(), [forth.clone(), forth]);
}

#[test]
fn tables_are_recognised_and_nothing_is_stolen() {
    let name = |text: &str| registry::recognise(text.as_bytes(), true).map(|format| format.name);
    assert_eq!(name("id,name\n1,a\n2,b\n"), Some("csv"));
    assert_eq!(name("\"id\";\"name\"\r\n\"1\";\"a\"\r\n"), Some("csv"));
    assert_eq!(name("id\tname\n1\ta\n"), Some("csv"));
    assert_eq!(name("{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n"), Some("jsonl"));
    assert_eq!(name("<a>\n<b/>,\n</a>"), Some("xml"));
    let mut rng = Rng::with_seed(5);
    // A table with tabs is one of CSV's, unless its file extension says more.
    let others = registry::FORMATS.iter().filter(|format| !["csv", "tsv"].contains(&format.name) && format.writer.is_some());
    for format in others {
        for _ in 0..300 {
            let bytes = testing::write(format, &testing::value(&mut rng, Shape::PLAIN)).unwrap_or_default();
            assert_ne!(registry::recognise(&bytes, true).map(|format| format.name), Some("csv"), "{}: {bytes:?}", format.name);
        }
    }
}

#[test]
fn a_carriage_return_alone_ends_a_row() {
    let rows = values("a,b\r1,\"x\ry\"\r\r2,z\r").unwrap();
    let expected = values("a,b\n1,\"x\ry\"\n\n2,z\n").unwrap();
    assert_eq!((rows.len(), rows), (2, expected));
    // However the stream is cut, a line feed after it belongs to the same break.
    for stream in ["a,b\r\n1,2\r\n3,4", "a,b\r1,2\r3,4", "a,b\r\r\n1,2\n\r3,4"] {
        assert_eq!(values(stream).unwrap(), values("a,b\n1,2\n3,4").unwrap(), "{stream:?}");
    }
}

#[test]
fn a_blank_line_is_a_row_of_a_table_of_one_column() {
    for stream in ["a\n1\n\n2\n\n", "\n\na\r\n1\r\n\r\n2\r\n\r\n", "a\r1\r\r2\r\r"] {
        let rows: Vec<Value> = [Value::UInt(1), Value::Null, Value::UInt(2), Value::Null].map(|cell| Value::record([("a", cell)])).into();
        assert_eq!(values(stream).unwrap(), rows, "{stream:?}");
        for cut in 0..stream.len() {
            testing::fuzz_frames(&FORMAT, stream.as_bytes(), cut);
        }
    }
    // In quotes a separator is part of the name.
    assert_eq!(values("\"a,b\"\n\n").unwrap(), [Value::record([("a,b", Value::Null)])]);
    assert_eq!(values("a,b\n\n1,2\n\n").unwrap().len(), 1);
    // The second message stands under the header of the first.
    let mut reader = (FORMAT.reader)();
    let mut kept = ValueSink::default();
    for message in ["a\n1\n", "\n"] {
        kept = ValueSink::default();
        reader.walk(message.as_bytes(), 0, &mut kept, &mut Budget::new(&Limits::DEFAULT)).unwrap();
    }
    assert_eq!(kept.finish(), Some(Value::record([("a", Value::Null)])));
    let error = reader.walk(b"a\n1\n\n", 0, &mut ValueSink::default(), &mut Budget::new(&Limits::DEFAULT)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Trailing, Some(4)));
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    for stream in ["a,b", "a,b\n", "\u{feff}a,b\r\n\r\n", "a\r"] {
        assert!(values(stream).unwrap().is_empty(), "{stream:?}");
    }
    assert!(values("a,\"b\n").is_err());
}

/// A table whose first name looks like UTF-16 is written with another name, and read again.
#[test]
fn a_first_name_with_zero_bytes_is_replaced() {
    testing::fuzz_rewrite(&FORMAT, b"e\0\n\x001\n");
    let value = |name: &str, text: &str| Value::record([(name, Value::text(text)), ("b\0", Value::text("\0"))]);
    let mut replaced = 0;
    for name in ["e\0", "\0", "\0a\0b\0c\0d", "a\0b\0c\0d\0", "\0\0\0\0", "ab\0"] {
        for text in ["\0", "x\0y\0", "1"] {
            let (bytes, losses) = testing::written(&FORMAT, &value(name, text));
            let back = testing::value_of(&FORMAT, &bytes).unwrap_or_else(|error| panic!("{name:?}: {error}"));
            let kept = losses.is_empty();
            let expected = if kept { name.to_string() } else { name.replace('\0', "\u{2400}") };
            testing::assert_same(&value(&expected, text), &back, name);
            assert!(kept || losses == ["zero bytes in the name of the first column became U+2400"], "{name:?}: {losses:?}");
            replaced += usize::from(!kept);
        }
    }
    assert!(replaced >= 3, "{replaced} names replaced");
}

/// The rows of a table that is read with settings.
fn values_with(settings: &[(&str, &str)], text: impl AsRef<[u8]>) -> Result<(Vec<Value>, Vec<String>), Error> {
    let mut walker = Walker::new(Dialect::from(&FORMAT).with_settings(settings)?, &Limits::DEFAULT);
    let mut stream = Stream::new(text.as_ref());
    let mut values = Vec::new();
    while let Some(message) = stream.next(&mut walker)? {
        let mut tree = Tree::new();
        walker.walk(message.bytes, message.base, &mut tree)?;
        values.push(Value::from(tree.root().expect("a value")));
    }
    Ok((values, walker.remarks()))
}

/// A table converted with settings on both sides.
fn passed(text: &[u8], from: &[(&str, &str)], to: &[(&str, &str)], select: Option<&[&str]>) -> Result<(String, Conversion), Error> {
    let source = Dialect::from(&FORMAT).with_settings(from)?;
    let select = select.map(|names| Projection::new(&names.iter().map(|name| Path::parse(name).unwrap()).collect::<Vec<_>>()));
    let mut out = Vec::new();
    let mut walker = Walker::new(source, &Limits::DEFAULT).select(select);
    let done = convert(&mut Stream::new(text), &mut out, &mut walker, Dialect::from(&FORMAT).with_settings(to)?)?;
    Ok((String::from_utf8(out).expect("text"), done))
}

#[test]
fn marks_can_be_named() {
    let row = |a: Value, b: Value| Value::record([("a", a), ("b", b)]);
    let read = |settings: &[(&str, &str)], text: &str| values_with(settings, text).unwrap().0;
    assert_eq!(read(&[("separator", ":")], "a:b\n1:x,y\n"), [row(Value::UInt(1), Value::text("x,y"))]);
    assert_eq!(read(&[("separator", "tab")], "a\tb\n1\t\n"), [row(Value::UInt(1), Value::Null)]);
    assert_eq!(read(&[("quote", "'")], "a,b\n'1,''2',x\"y\n"), [row(Value::text("1,'2"), Value::text("x\"y"))]);
    assert_eq!(read(&[("quote", "none")], "a,b\n\"1,x\"y\n"), [row(Value::text("\"1"), Value::text("x\"y"))]);
    // The header has more of others.
    assert_eq!(read(&[("separator", ";")], "a;b,c,d\n1;2\n")[0], Value::record([("a", Value::UInt(1)), ("b,c,d", Value::UInt(2))]));
}

#[test]
fn a_table_may_have_no_header() {
    let read = |settings: &[(&str, &str)], text: &str| values_with(settings, text).map(|(values, _)| values);
    let rows = |one: &str, two: &str| {
        vec![Value::record([(one, Value::UInt(1)), (two, Value::text("x"))]), Value::record([(one, Value::UInt(2)), (two, Value::Null)])]
    };
    for text in ["1,x\n2,\n", "\u{feff}\r\n1,x\r\n\n2,"] {
        assert_eq!(read(&[("no-header", "")], text).unwrap(), rows("1", "2"), "{text:?}");
        assert_eq!(read(&[("no-header", ""), ("columns", "id,name")], text).unwrap(), rows("id", "name"));
    }
    assert_eq!(read(&[("columns", "id,name")], "a,b\n1,x\n2,\n").unwrap(), rows("id", "name"));
    let error = read(&[("columns", "id")], "a,b\n1,x\n").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(0)), "{error}");
    let error = read(&[("no-header", "")], "1,x\n2\n").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(5)), "{error}");
    assert_eq!(read(&[("no-header", "")], "").unwrap(), []);
    // A single column: each blank line but the first is a row.
    assert_eq!(read(&[("no-header", "")], "7\n\n8\n").unwrap().len(), 3);
}

#[test]
fn ragged_rows_follow_the_policy() {
    let read = |policy: &str, text: &str| values_with(&[("ragged", policy)], text).map(|(values, _)| values);
    let text = "a,b\n1,2\n3\n";
    assert_eq!(read("error", text).unwrap_err().kind(), ErrorKind::Syntax);
    assert_eq!(read("pad", text).unwrap()[1], Value::record([("a", Value::UInt(3)), ("b", Value::Null)]));
    assert_eq!(read("keep", text).unwrap()[1], Value::record([("a", Value::UInt(3))]));
    let text = "a,b\n1,2,3,\"x\"\n5,6\n";
    assert_eq!(read("pad", text).unwrap_err().offset(), Some(8));
    let rows = read("keep", text).unwrap();
    let long = [("a", Value::UInt(1)), ("b", Value::UInt(2)), ("3", Value::UInt(3)), ("4", Value::text("x"))];
    assert_eq!(rows, [Value::record(long), Value::record([("a", Value::UInt(5)), ("b", Value::UInt(6))])]);
    // A column that is named by a number is none of those beyond the header.
    assert_eq!(read("keep", "a,3\n1,2,3\n").unwrap_err().kind(), ErrorKind::DoubledKey);
}

#[test]
fn a_column_has_one_type_by_its_first_rows() {
    let infer = |text: &str| values_with(&[("types", "infer")], text).unwrap();
    let text = "zip,n,ok,phone,late\n98765,1,true,030 1,\n01234,2.5,false,4,\n1,,,5,7\n2,3,true,6,8\n";
    let (rows, remarks) = infer(text);
    assert!(remarks.is_empty());
    let row = |zip, n, ok, phone, late| Value::record([("zip", zip), ("n", n), ("ok", ok), ("phone", phone), ("late", late)]);
    let texts = |text| Value::text(text);
    assert_eq!(
        rows,
        [
            row(texts("98765"), Value::UInt(1), Value::Bool(true), texts("030 1"), Value::Null),
            row(texts("01234"), Value::F64(2.5), Value::Bool(false), texts("4"), Value::Null),
            row(texts("1"), Value::Null, Value::Null, texts("5"), Value::UInt(7)),
            row(texts("2"), Value::UInt(3), Value::Bool(true), texts("6"), Value::UInt(8)),
        ]
    );
    // Cells behind the first rows that do not fit are text, and are remarked once per column.
    let mut text = "n,ok,empty\n".to_string();
    for n in 0..20_000 {
        text += &format!("{n},true,\n");
    }
    text += "n/a,1,5\n\"7\",false,x\nn/a,true,6\n";
    let (rows, remarks) = infer(&text);
    let last = |n| Value::record([("n", texts(n)), ("ok", Value::Bool(true)), ("empty", Value::UInt(6))]);
    assert_eq!(rows[20_002], last("n/a"));
    assert_eq!(rows[20_000], Value::record([("n", texts("n/a")), ("ok", texts("1")), ("empty", Value::UInt(5))]));
    assert_eq!(remarks.len(), 3, "{remarks:?}");
    assert!(remarks[0].starts_with("column `n`: 3 cells are text, where the first rows have numbers; the first one is at byte "));
    assert!(remarks[1].starts_with("column `ok`: 1 cell is text, where the first rows have true or false"));
}

#[test]
fn types_can_be_named_by_the_caller() {
    let read = |types: &str, text: &str| values_with(&[("types", types)], text).map(|(values, _)| values);
    let text = "id,price,when\n007,1.50,2026-11-21T07:49:00Z\n";
    let moment = Value::Time(Timestamp::new(1_795_247_340, 0).unwrap());
    let expected = Value::record([("id", Value::text("007")), ("price", Value::F64(1.5)), ("when", moment)]);
    assert_eq!(read("id:text,price:number,when:time", text).unwrap(), [expected]);
    let all = Value::record([("id", Value::text("007")), ("price", Value::text("1.50")), ("when", Value::text("2026-11-21T07:49:00Z"))]);
    assert_eq!(read("text", text).unwrap(), std::slice::from_ref(&all));
    assert_eq!(read("id:text,*:cell", text).unwrap(), [all]);
    let error = read("id:integer", "id\nx\n").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(3)), "{error}");
    assert_eq!(read("name:text", text).unwrap_err().kind(), ErrorKind::Usage);
}

/// Rows that go from table to table without events are what a walk writes.
#[test]
fn passing_is_walking() {
    let mut rng = Rng::with_seed(6);
    let pieces = ["a", "1", "17", "1.5", "true", ",", ",", ",", ";", "\"", "\n", "\n", "\r\n", "\"\"", "ä", "\",\"", "1.50", " ", "-0.0"];
    let sides: [&[(&str, &str)]; 6] =
        [&[], &[("separator", ";")], &[("quote", "'")], &[("no-header", "")], &[("columns", "x,y")], &[("quote", "none")]];
    let mut many = 0;
    for _ in 0..4000 {
        let columns = rng.usize(1..4);
        let header = ["a,b,c\n", "a,b\n", "a\n"][3 - columns];
        let mut text = header.to_string();
        for _ in 0..rng.usize(..8) {
            for column in 0..columns {
                if column > 0 {
                    text.push(',');
                }
                for _ in 0..rng.usize(..3) {
                    text += pieces[rng.usize(..pieces.len())];
                }
            }
            text.push('\n');
        }
        let from = [&[][..], &[("no-header", "")], &[("ragged", "pad")], &[("types", "infer")]][rng.usize(..4)];
        let to = sides[rng.usize(..sides.len())];
        let select: Option<&[&str]> = [None, Some(&["b"][..]), Some(&["a", "c"])][rng.usize(..3)];
        // A policy that passing does not know has each row walked.
        let walked = {
            let source = Dialect::from(&FORMAT).with_settings(from).unwrap();
            let select = select.map(|names| Projection::new(&names.iter().map(|name| Path::parse(name).unwrap()).collect::<Vec<_>>()));
            let mut walker = Walker::new(source, &Limits::DEFAULT).select(select).unknown(Unknown::Fail);
            let mut out = Vec::new();
            let to = Dialect::from(&FORMAT).with_settings(to).unwrap();
            let done = convert(&mut Stream::new(text.as_bytes()), &mut out, &mut walker, to);
            done.map(|done| (String::from_utf8(out).unwrap(), done))
        };
        match (passed(text.as_bytes(), from, to, select), walked) {
            (Ok((one, done)), Ok((other, walked))) => {
                assert_eq!(one, other, "{text:?} {from:?} {to:?} {select:?}");
                assert_eq!(losses(&done), losses(&walked), "{text:?} {from:?} {to:?} {select:?}");
                many += usize::from(done.messages > 2);
            }
            (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string(), "{text:?} {from:?} {to:?} {select:?}"),
            (one, other) => panic!("{text:?} {from:?} {to:?} {select:?}: {one:?} and {other:?}"),
        }
    }
    assert!(many > 200, "{many}");
}

#[test]
fn tables_are_written_with_settings() {
    let write = |settings: &[(&str, &str)], text: &str| passed(text.as_bytes(), &[], settings, None).map(|(table, _)| table);
    let text = "a,b\n1,\"x;y\"\n2,\n";
    assert_eq!(write(&[("separator", ";")], text).unwrap(), "a;b\n1;\"x;y\"\n2;\n");
    assert_eq!(write(&[("separator", "tab"), ("no-header", "")], text).unwrap(), "1\tx;y\n2\t\n");
    assert_eq!(write(&[("quote", "'"), ("separator", ";")], text).unwrap(), "a;b\n1;'x;y'\n2;\n");
    assert_eq!(write(&[("quote", "none")], text).unwrap(), "a,b\n1,x;y\n2,\n");
    let error = write(&[("quote", "none"), ("separator", ";")], text).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Unsupported, Some(6)), "{error}");
    assert_eq!(write(&[("columns", "b,a")], text).unwrap(), "b,a\nx;y,1\n,2\n");
    let (table, done) = passed(text.as_bytes(), &[], &[("columns", "b,c")], None).unwrap();
    assert_eq!((table.as_str(), losses(&done).iter().map(|(_, _, count)| count).sum::<u64>()), ("b,c\nx;y,\n,\n", 4));
}
