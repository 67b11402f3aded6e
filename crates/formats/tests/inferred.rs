//! Formats that are written by a schema: what they make of random messages by the schema that is
//! inferred from these is the same when it is read back.

use std::path::Path;

use polywire_core::format::Dialect;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::diff::differences;
use polywire_core::value::Tree;
use polywire_core::value::{Value, ValueSink};
use polywire_core::{Field, Frame, Hint, Len, Limits, LossKind, Note, Open, Scalar, Sink, Span, Spelling, Str, Timestamp, Writer};
use polywire_formats::registry::FORMATS;
use polywire_schema::infer::Inference;
use polywire_schema::languages::LANGUAGES;
use polywire_testing::{Rng, Shape, value};

fn dialects(samples: &[Value]) -> Vec<Dialect> {
    let mut inference = Inference::new();
    for sample in samples {
        inference.add(|sink| sample.emit(sink)).expect("a value is a sample");
    }
    let schema = inference.finish(None);
    let binders = FORMATS.iter().filter_map(|format| Some((*format, format.binder?)));
    let dialects = binders.filter_map(|(format, binder)| Some(Dialect::bound(format, binder.adopt(&schema).ok()?)));
    dialects.filter(|dialect| dialect.writer().is_some()).collect()
}

/// Reports whether `value` comes back; `None` if it cannot be written.
fn comes_back(dialect: &Dialect, value: &Value) -> Option<bool> {
    let mut tree = Tree::new();
    value.emit(&mut tree).expect("a tree takes any value");
    let mut writer = dialect.writer().expect("a bound format is written");
    let mut bytes = Vec::new();
    tree.emit(&mut *writer).and_then(|()| writer.finish(&mut bytes)).ok()?;
    let lost = !writer.losses().is_empty();
    let mut again = Tree::new();
    let sink: &mut dyn Sink<'_> = &mut again;
    let (start, end) = match dialect.reader().frame(&bytes, 0, true).expect("a message") {
        Frame::Message { start, end } => (start, end),
        // A message of no bytes, which a stream takes for its end.
        _ => (0, bytes.len()),
    };
    let walked = Walker::new(dialect.clone(), &Limits::DEFAULT).doubles(Doubles::Keep).walk(&bytes[start..end], start as u64, sink);
    walked.unwrap_or_else(|error| panic!("{value:?} is not read back: {error}"));
    let found = differences(tree.root().expect("a value"), again.root().expect("a value"), 3);
    Some(lost || found.is_empty())
}

#[test]
fn messages_of_one_kind_come_back() {
    let samples: Vec<Value> = (0..60u64)
        .map(|n| {
            let mut fields = vec![
                ("id", Value::UInt(n << 40)),
                ("big", Value::UInt(u64::MAX - n)),
                ("sign", Value::int(30 - n as i64)),
                ("state", Value::text(["open", "paid", "void"][n as usize % 3])),
                ("sum", Value::F64(n as f64 + 0.5)),
                ("note", if n % 4 == 0 { Value::Null } else { Value::text(format!("n{n}")) }),
                ("list", Value::List((0..n % 5).map(|m| Value::record([("a", Value::UInt(m)), ("b", Value::Bool(m > 1))])).collect())),
                ("mixed", if n % 2 == 0 { Value::text(format!("text {n}")) } else { Value::List(vec![Value::UInt(n)]) }),
                ("bytes", Value::Bytes(vec![n as u8, 0xff])),
                ("single", Value::F32(n as f32 / 3.0)),
            ];
            if n % 3 == 0 {
                fields.push(("rare", Value::Decimal(format!("1.{n}0000000000000000000000001"))));
            }
            Value::record(fields)
        })
        .collect();
    let dialects = dialects(&samples);
    assert!(!dialects.is_empty(), "no format is bound to a schema");
    for dialect in &dialects {
        for sample in &samples {
            assert_eq!(comes_back(dialect, sample), Some(true), "{dialect:?}: {sample:?}");
        }
    }
}

/// Values that only some formats have: tags, moments, maps with other keys than text, cases, tuples
/// in tags.
#[test]
fn values_that_few_schemas_have_come_back() {
    let moment = |n: u64| Value::Time(Timestamp::new(n as i64 - 3, n as u32 * 1_000_000).expect("a moment"));
    let samples: Vec<Value> = (0..40u64)
        .map(|n| {
            let marked = Value::Tagged { space: "cbor".into(), code: 32, value: Box::new(Value::text(format!("http://{n}"))) };
            let pair =
                Value::Tagged { space: "bson".into(), code: 11, value: Box::new(Value::Tuple(vec![Value::text("a"), Value::UInt(n)])) };
            let case = match n % 3 {
                0 => Value::Variant { name: "Idle".into(), index: 0, values: vec![] },
                1 => Value::Variant { name: "Busy".into(), index: 1, values: vec![Value::UInt(n), Value::Bool(true)] },
                _ => Value::Variant { name: "Broken".into(), index: 2, values: vec![Value::text("why")] },
            };
            let mixed = [Value::UInt(n), Value::text("x"), Value::Null, Value::List(vec![]), Value::record([("k", Value::Bool(true))])];
            Value::record([
                ("marked", marked),
                ("pair", pair),
                ("case", case),
                ("mixed", Value::List(mixed[..n as usize % 6].to_vec())),
                ("moment", moment(n)),
                ("nothing", Value::Null),
                ("keys", Value::Map((0..n % 4).map(|m| (Value::UInt(m << 20), Value::F64(m as f64 / 3.0))).collect())),
                ("digits", Value::Big(format!("{}123456789012345678901", n + 1))),
                ("float", Value::F64(f64::from_bits(0x7ff0_0000_0000_0000 | n << 40))),
            ])
        })
        .collect();
    let dialects = dialects(&samples);
    let names: Vec<&str> = dialects.iter().map(|dialect| dialect.format().name).collect();
    assert!(names.contains(&"usds"), "{names:?}");
    for dialect in &dialects {
        for sample in &samples {
            assert_eq!(comes_back(dialect, sample), Some(true), "{dialect:?}: {sample:?}");
        }
    }
}

/// Messages as people have them.
#[test]
fn messages_of_the_corpora_come_back() {
    let mut files = Vec::new();
    for folder in ["../../testdata/packets", "../../examples", "../../testdata/corpus/bson", "../../testdata/corpus/bencode"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        files.extend(std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()));
    }
    let mut seen = 0;
    for file in files {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let Some(format) = FORMATS
            .iter()
            .copied()
            .find(|format| ["json", "bson", "bencode"].contains(&format.name) && format.extensions.contains(&ending))
        else {
            continue;
        };
        let bytes = std::fs::read(&file).expect("a file");
        let mut sink = ValueSink::default();
        let walked = Walker::new(format, &Limits::DEFAULT).doubles(Doubles::Keep).walk(&bytes, 0, &mut sink);
        walked.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let sample = sink.finish().expect("a value");
        let dialects = dialects(std::slice::from_ref(&sample));
        let usds = dialects.iter().find(|dialect| dialect.format().name == "usds").unwrap_or_else(|| panic!("{}", file.display()));
        assert_eq!(comes_back(usds, &sample), Some(true), "{}", file.display());
        seen += 1;
    }
    assert!(seen > 10, "{seen} files");
}

#[test]
fn what_random_messages_become_is_read_back_or_told_as_lost() {
    let mut rng = Rng::with_seed(8);
    let (mut bound, mut kept, mut refused) = (0, 0, 0);
    for _ in 0..400 {
        let samples: Vec<Value> = (0..rng.usize(1..4)).map(|_| value(&mut rng, Shape::PLAIN)).collect();
        for dialect in dialects(&samples) {
            bound += 1;
            for sample in &samples {
                match comes_back(&dialect, sample) {
                    Some(true) => kept += 1,
                    Some(false) => {}
                    None => refused += 1,
                }
            }
        }
    }
    assert!(bound > 100 && kept > 8 * refused, "{bound} bound, {kept} kept, {refused} refused");
}

/// Files do what the schema does in memory: each schema that a format adopts is written with its
/// mapping, and messages by that file have the same bytes.
#[test]
fn files_of_random_schemas_give_the_same_bytes() {
    let mut rng = Rng::with_seed(19);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mapped");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut written = 0;
    for round in 0..300 {
        let samples: Vec<Value> = (0..rng.usize(1..4)).map(|_| value(&mut rng, Shape::PLAIN)).collect();
        let mut inference = Inference::new();
        for sample in &samples {
            inference.add(|sink| sample.emit(sink)).expect("a value is a sample");
        }
        let schema = inference.finish(None);
        for (format, binder) in FORMATS.iter().filter_map(|format| Some((*format, format.binder?))) {
            // The encodings of ASN.1 share the module, so each schema is for one of them.
            let encodings = FORMATS.iter().filter(|other| other.binder.is_some_and(|other| other.endings() == binder.endings()));
            let (place, count) =
                encodings.fold((0, 0), |(place, count), other| (if other.name == format.name { count } else { place }, count + 1));
            if binder.endings().contains(&"asn") && round % count != place {
                continue;
            }
            let Ok(adopted) = binder.adopt(&schema) else { continue };
            let adopted = Dialect::bound(format, adopted);
            let language = LANGUAGES.iter().find(|language| binder.endings().contains(&language.extensions()[0])).expect("a language");
            let (text, _) = language.write_mapped(&schema).expect("a schema that is adopted is written");
            assert!(text.contains("(polywire-mapping 1 "), "{}: {text}", format.name);
            let path = folder.join(format!("schema.{}", language.extensions()[0]));
            std::fs::write(&path, &text).expect("the schema is written");
            let bound = binder.bind(&path, None, &[]).unwrap_or_else(|error| panic!("{}: {error}: {text}", format.name));
            let bound = Dialect::bound(format, bound);
            for sample in &samples {
                let bytes = |dialect: &Dialect| {
                    let mut writer = dialect.writer()?;
                    let mut out = Vec::new();
                    sample.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).ok().map(|()| out)
                };
                assert!(bytes(&bound) == bytes(&adopted), "{}: {text}", format.name);
                written += usize::from(bytes(&bound).is_some());
            }
        }
    }
    assert!(written > 300, "{written}");
}

/// Null in places where a format has none: for a list, for records that hold themselves, as a whole
/// message, and apart from a field that is absent.
#[test]
fn nulls_come_back() {
    let tree = |kids| Value::record([("v", Value::UInt(1)), ("kids", kids)]);
    let samples = [
        vec![tree(Value::List(vec![tree(Value::List(vec![tree(Value::List(vec![]))]))])), tree(Value::Null)],
        vec![Value::UInt(1), Value::Null, Value::text("a"), Value::List(vec![Value::Null])],
        vec![
            Value::record([("a", Value::Null)]),
            Value::record::<&str>([]),
            Value::record([("a", Value::record([("b", Value::UInt(1))]))]),
        ],
        vec![Value::List(vec![Value::Null, Value::List(vec![])]), Value::List(vec![])],
    ];
    for samples in samples {
        for dialect in dialects(&samples) {
            for sample in &samples {
                assert_eq!(comes_back(&dialect, sample), Some(true), "{}: {sample:?}", dialect.format().name);
            }
        }
    }
}

/// Damaged files and messages are refused, or are other ones.
#[test]
fn damaged_files_and_messages_break_nothing() {
    let mut rng = Rng::with_seed(20);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut bound, mut refused, mut read) = (0, 0, 0);
    for _ in 0..60 {
        let sample = value(&mut rng, Shape::PLAIN);
        let mut inference = Inference::new();
        inference.add(|sink| sample.emit(sink)).expect("a value is a sample");
        let schema = inference.finish(None);
        for (format, binder) in FORMATS.iter().filter_map(|format| Some((*format, format.binder?))) {
            let Ok(adopted) = binder.adopt(&schema) else { continue };
            let Some(mut writer) = adopted.writer() else { continue };
            let mut message = Vec::new();
            if sample.emit(&mut *writer).and_then(|()| writer.finish(&mut message)).is_err() {
                continue;
            }
            let language = LANGUAGES.iter().find(|language| binder.endings().contains(&language.extensions()[0])).expect("a language");
            let text = language.write_mapped(&schema).expect("a schema that is adopted is written").0;
            let path = folder.join(format!("schema.{}", language.extensions()[0]));
            for _ in 0..4 {
                let mut bytes = text.clone().into_bytes();
                let mapping = text.find("(polywire-mapping").expect("a mapping");
                let at = rng.usize(mapping..bytes.len());
                bytes[at] = *rng.choice(b"()0123456789abcdefirstu -%").expect("a byte");
                std::fs::write(&path, &bytes).expect("the schema is written");
                match binder.bind(&path, None, &[]) {
                    Ok(_) => bound += 1,
                    Err(_) => refused += 1,
                }
                let mut bytes = message.clone();
                if !bytes.is_empty() {
                    let at = rng.usize(..bytes.len());
                    bytes[at] = rng.u8(..);
                }
                let mut sink = ValueSink::default();
                let dialect = Dialect::bound(format, adopted.clone());
                let mut walker = Walker::new(dialect.clone(), &Limits::DEFAULT).doubles(Doubles::Keep);
                if let Ok(Frame::Message { start, end }) = dialect.reader().frame(&bytes, 0, true) {
                    read += usize::from(walker.walk(&bytes[start..end], start as u64, &mut sink).is_ok());
                }
            }
        }
    }
    assert!(bound > 50 && refused > 50 && read > 50, "{bound} bound, {refused} refused, {read} read");
}

/// Where a schema gives up, values of any type take part: in deep places, in maps whose keys are of
/// several kinds, in lists that the samples left empty.
#[test]
fn values_of_any_type_come_back() {
    let mut deep = Value::Null;
    for n in 0..90 {
        deep = Value::record([("a", Value::List(vec![Value::UInt(n), deep, Value::record([("b", Value::Bytes(vec![1]))])]))]);
    }
    let keys = Value::Map(vec![(Value::UInt(1), Value::text("a")), (Value::text("b"), Value::Null), (Value::Null, Value::List(vec![]))]);
    let samples = [
        vec![deep],
        vec![keys.clone(), keys.clone()],
        vec![Value::record([("keys", keys.clone()), ("list", Value::List(vec![keys.clone(), keys]))])],
        vec![
            Value::record([("big", Value::List(vec![Value::Big("123456789012345678901".into())]))]),
            Value::record([("big", Value::List(vec![]))]),
        ],
    ];
    for samples in samples {
        for dialect in dialects(&samples) {
            for sample in &samples {
                assert_eq!(comes_back(&dialect, sample), Some(true), "{}: {sample:?}", dialect.format().name);
            }
        }
    }
    let list = |values| Value::record([("list", Value::List(values))]);
    let later = list(vec![Value::UInt(1), Value::Null, Value::record([("a", Value::text("x"))]), Value::List(vec![])]);
    for dialect in dialects(&[list(vec![])]) {
        assert_eq!(comes_back(&dialect, &later), Some(true), "{}", dialect.format().name);
    }
}

/// A number keeps its kind in a place that has several.
#[test]
fn whole_numbers_and_fractions_come_back() {
    let float = Value::F64;
    let samples = [
        vec![Value::UInt(1), float(2.5), Value::int(-3), float(-0.0), Value::UInt(1 << 53)],
        vec![Value::UInt(1), float(2.5), float(2.0), Value::int(-3)],
        vec![Value::UInt(u64::MAX), float(2.5), Value::Big("340282366920938463463374607431768211456".into())],
        vec![Value::UInt(1), float(f64::INFINITY), float(1e300)],
    ];
    for samples in samples {
        for dialect in dialects(&samples) {
            for sample in &samples {
                assert_eq!(comes_back(&dialect, sample), Some(true), "{}: {sample:?}", dialect.format().name);
            }
        }
    }
    // A float that is whole is reported, where all of the samples had a fraction.
    for dialect in dialects(&[Value::UInt(1), float(2.5)]) {
        let mut writer = dialect.writer().unwrap();
        float(3.0).emit(&mut *writer).and_then(|()| writer.finish(&mut Vec::new())).unwrap();
        assert_eq!(writer.losses().len(), 1, "{}", dialect.format().name);
    }
}

#[test]
fn lists_of_any_depth_come_back() {
    let pair = |x, y| Value::List(vec![Value::F64(x), Value::F64(y)]);
    let mut value = Value::List(vec![pair(1.5, 2.5), Value::List(vec![]), pair(-3.5, 4.5)]);
    for depth in 2..8 {
        value = Value::List(vec![value.clone(), Value::List(vec![]), value]);
        for sample in [value.clone(), Value::record([("c", value.clone())])] {
            for dialect in dialects(std::slice::from_ref(&sample)) {
                assert_eq!(comes_back(&dialect, &sample), Some(true), "{}: {depth}", dialect.format().name);
            }
        }
    }
}

#[test]
fn a_reset_forgets_the_message_and_its_losses() {
    let value = Value::record([("a", Value::UInt(1)), ("b", Value::text("x")), ("c", Value::F64(1.5))]);
    let unbound = FORMATS.iter().filter(|format| format.writer.is_some()).map(|format| Dialect::from(*format));
    for dialect in unbound.chain(dialects(std::slice::from_ref(&value))) {
        let name = dialect.format().name;
        let writer = || dialect.writer().unwrap_or_else(|| panic!("{name}: no writer"));
        let whole = |writer: &mut dyn Writer| {
            let mut out = Vec::new();
            value.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{name}: {error}"));
            (out, writer.losses().len())
        };
        let fresh = whole(&mut *writer());
        // A note and a field of which no format keeps the first.
        let begun = |writer: &mut dyn Writer| {
            writer.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE).unwrap();
            writer.note(Note::Unknown(&[1, 2]), Span::NONE).unwrap();
            writer.field(Field::named(Str::Scratch("a")), Span::NONE).unwrap();
        };
        let mut lossy = writer();
        begun(&mut *lossy);
        assert!(!lossy.losses().is_empty(), "{name}: no loss of an unknown note");
        let mut writer = writer();
        begun(&mut *writer);
        writer.reset();
        assert!(writer.losses().is_empty(), "{name}: losses of a message that was forgotten");
        assert!(whole(&mut *writer) == fresh, "{name}: another message after a reset");
        // A message that is whole, with losses that nobody took.
        writer.note(Note::Unknown(&[1, 2]), Span::NONE).unwrap();
        writer.reset();
        assert!(writer.losses().is_empty(), "{name}: losses before a reset");
        assert!(whole(&mut *writer) == fresh, "{name}: another message after a reset");
    }
}

#[test]
fn decimals_are_rounded_by_name_unless_their_type_is_decimal() {
    let digits = "0.10000000000000000001";
    let value = Value::record([("a", Value::Decimal(digits.into())), ("b", Value::F64(1.5))]);
    let dialects = dialects(std::slice::from_ref(&value));
    assert!(dialects.len() > 2, "extprot, USDS and Protobuf");
    for dialect in &dialects {
        let name = dialect.format().name;
        let mut writer = dialect.writer().unwrap();
        let mut out = Vec::new();
        value.emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let kinds: Vec<LossKind> = writer.losses().iter().map(|lost| lost.kind).collect();
        assert_eq!(kinds, [LossKind::Rounded], "{name}");
        assert_eq!(fields(dialect, &out), [("a".to_string(), Value::F64(0.1)), ("b".to_string(), Value::F64(1.5))], "{name}");
    }
    // With a type, the digits stay.
    let spelling = Spelling::decimal(digits, -20);
    for (number, back) in [
        (Scalar::Decimal(Str::Input(digits), Hint::new(&spelling)), Value::Decimal(digits.into())),
        (Scalar::F64(1.5, Hint::new(&Spelling::decimal("1.50", -2))), Value::F64(1.5)),
    ] {
        let emit = |sink: &mut dyn Sink<'static>| {
            sink.open(Open::Record { name: "", len: Len::Unknown }, Span::NONE)?;
            sink.field(Field::named(Str::Input("a")), Span::NONE)?;
            sink.scalar(number, Span::NONE)?;
            sink.close(Span::NONE)
        };
        let mut inference = Inference::new();
        inference.add(|sink| emit(sink)).unwrap();
        let schema = inference.finish(None);
        for (format, binder) in FORMATS.iter().filter_map(|format| Some((*format, format.binder?))) {
            let Ok(bound) = binder.adopt(&schema) else { continue };
            let dialect = Dialect::bound(format, bound);
            let Some(mut writer) = dialect.writer() else { continue };
            let mut out = Vec::new();
            emit(&mut *writer).and_then(|()| writer.finish(&mut out)).unwrap_or_else(|error| panic!("{}: {error}", format.name));
            assert!(writer.losses().is_empty(), "{}", format.name);
            assert_eq!(fields(&dialect, &out), [("a".to_string(), back.clone())], "{}", format.name);
        }
    }
}

/// Returns the fields of a record.
fn fields(dialect: &Dialect, bytes: &[u8]) -> Vec<(String, Value)> {
    let Frame::Message { start, end } = dialect.reader().frame(bytes, 0, true).expect("a message") else { panic!("no message") };
    let mut sink = ValueSink::default();
    let walked = Walker::new(dialect.clone(), &Limits::DEFAULT).walk(&bytes[start..end], start as u64, &mut sink);
    walked.unwrap_or_else(|error| panic!("{}: {error}", dialect.format().name));
    match sink.finish() {
        Some(Value::Record { fields, .. }) => fields,
        other => panic!("{other:?} is no record"),
    }
}
