//! Messages that readers append to columns straight from their bytes: the columns, errors and
//! losses are those of the walk, for random schemas and values, and for damaged bytes.

use std::sync::Arc;

use arrow_array::RecordBatch;
use polywire_arrow::{Bad, Batches, Decimals, Filled, Messages as Columns, Options, Plan, Rest, Sums};
use polywire_core::schema::language::SchemaText;
use polywire_core::schema::{Constraint, FieldType, NamedType, Record, Schema, Type, Width};
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::Walker;
use polywire_core::value::ValueSink;
use polywire_core::{Dialect, Limits, Value};
use polywire_formats::registry::find;
use polywire_protobuf::plan::Plan as Messages;
use polywire_protobuf::testing;
use polywire_protobuf::wire::varint;
use polywire_schema::infer::Inference;
use polywire_schema::languages;
use polywire_testing::{Rng, Shape, mutate, value, write};

/// Compares both ways, and returns the number of rows that were appended straight, and of all.
fn compare(dialect: &Dialect, bytes: &[u8], schema: &Schema, options: &Options, limits: &Limits) -> (u64, u64) {
    let Ok(plan) = Plan::new(schema, options) else { return (0, 0) };
    let plan = Arc::new(plan);
    let run = |walks: bool| {
        let walker = Walker::new(dialect.clone(), limits).only_walks(walks);
        let mut batches = Batches::of(Stream::new(bytes), walker, Arc::clone(&plan));
        let mut all = Vec::new();
        let mut failed = None;
        for batch in batches.by_ref() {
            match batch {
                Ok(batch) => all.push(batch),
                Err(error) => failed = Some(error.to_string()),
            }
        }
        let Filled { rows, bad, straight, losses, .. } = batches.filled();
        (all, failed, *rows, *bad, losses.iter().map(ToString::to_string).collect::<Vec<_>>(), *straight)
    };
    let (walked, straight) = (run(true), run(false));
    assert_eq!(walked.5, 0);
    let text = || String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(straight.0, walked.0, "{}\n{:?}", text(), plan.schema());
    assert_eq!((&straight.1, straight.2, straight.3, &straight.4), (&walked.1, walked.2, walked.3, &walked.4), "{}", text());
    (straight.5, straight.2)
}

fn options(rng: &mut Rng) -> Options {
    let bad = *rng.choice(&[Bad::Column, Bad::Column, Bad::Skip, Bad::Fail]).unwrap();
    let rest = *rng.choice(&[Rest::Column, Rest::Column, Rest::Drop, Rest::Refuse]).unwrap();
    let decimals = if rng.bool() { Decimals::Text } else { Decimals::Fixed { precision: 30, scale: 5 } };
    let sums = if rng.bool() { Sums::Structs } else { Sums::Union };
    let rows = rng.usize(1..20);
    Options::default().with_bad(bad).with_rest(rest).with_decimals(decimals).with_sums(sums).with_rows(rows).for_parquet(rng.bool())
}

/// Returns JSON text with white space between tokens, and with escapes that need not be.
fn loose(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let (mut out, mut quoted, mut escaped) = (Vec::new(), false, false);
    for byte in text {
        if quoted && !escaped && byte.is_ascii_alphabetic() && rng.u8(..40) == 0 {
            out.extend(format!("\\u{:04x}", byte).bytes());
            continue;
        }
        if !quoted && rng.u8(..6) == 0 {
            out.push(*rng.choice(b" \t\r").unwrap());
        }
        out.push(*byte);
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b'\\' if !escaped => {
                escaped = true;
                continue;
            }
            _ => {}
        }
        escaped = false;
    }
    out
}

/// Returns a random value of one of ten kinds, of which the last is any.
fn typed(rng: &mut Rng, kind: u8) -> Value {
    let point = |rng: &mut Rng| Value::record([("x", typed(rng, 0)), ("y", typed(rng, 2)), ("a long name of a field", typed(rng, 3))]);
    match kind {
        0 => Value::UInt(rng.u64(..) >> rng.u32(..64)),
        1 => Value::int(rng.i64(..) >> rng.u32(..64)),
        2 => Value::F64(f64::from(rng.i32(..)) / 1024.0 + 0.0001),
        3 => Value::Text(text(rng)),
        4 => Value::Bool(rng.bool()),
        5 => Value::List((0..rng.usize(..4)).map(|_| typed(rng, 1)).collect()),
        6 => point(rng),
        7 => Value::List((0..rng.usize(..3)).map(|_| point(rng)).collect()),
        8 => {
            if rng.bool() {
                typed(rng, 1)
            } else {
                typed(rng, 2)
            }
        }
        _ => value(rng, Shape { depth: 3, ..Shape::PLAIN }),
    }
}

#[test]
fn json_is_as_the_walk_has_it() {
    let (mut straight, mut all) = (0, 0);
    for seed in 0..90 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape { depth: 3, ..Shape::PLAIN };
        let last = if seed % 8 == 0 { "with \"quotes\"" } else { "last" };
        let names = ["a", "id", "a longer name than sixteen bytes", "é", last];
        // Fields of one kind each, so that most of them have columns of their own.
        let kinds: Vec<u8> = names.iter().map(|_| rng.u8(..10)).collect();
        let record = |rng: &mut Rng| {
            let mut fields = Vec::new();
            for (name, kind) in names.iter().zip(&kinds) {
                match rng.u8(..150) {
                    0..10 => {}
                    10..13 => fields.push((*name, Value::Null)),
                    13 => fields.push((*name, value(rng, shape))),
                    _ => fields.push((*name, typed(rng, *kind))),
                }
            }
            if rng.u8(..20) == 0 {
                rng.shuffle(&mut fields);
            }
            Value::record(fields)
        };
        let samples: Vec<Value> = (0..rng.usize(1..30)).map(|_| record(&mut rng)).collect();
        let mut inference = Inference::new();
        for sample in &samples[..rng.usize(1..=samples.len())] {
            inference.add(|sink| sample.emit(sink)).unwrap();
        }
        let schema = inference.finish(None);
        let mut lines = Vec::new();
        for sample in &samples {
            let text = write(find("json").unwrap(), sample).unwrap();
            let text = if rng.u8(..4) == 0 { loose(&mut rng, text.trim_ascii()) } else { text };
            lines.extend_from_slice(text.trim_ascii());
            lines.push(b'\n');
        }
        let limits = if seed % 10 == 0 { Limits::DEFAULT.with_depth(3).with_items(40).with_digits(6) } else { Limits::DEFAULT };
        for turn in 0..4 {
            let bytes = if turn == 0 { lines.clone() } else { mutate(&mut rng, &lines) };
            let options = options(&mut rng);
            for format in ["jsonl", "json"] {
                let (some, of) = compare(&find(format).unwrap().into(), &bytes, &schema, &options, &limits);
                (straight, all) = (straight + some, all + of);
            }
        }
    }
    assert!(straight > 400, "{straight} of {all}");
}

/// Returns a random cell of one of eight kinds.
fn cell(rng: &mut Rng, kind: u8) -> String {
    match kind {
        0 => number(rng).to_string(),
        1 => (rng.i64(..) >> rng.u32(..64)).to_string(),
        2 => format!("{:?}", f64::from(rng.i32(..)) / f64::from(1 << rng.u32(..20))),
        3 => format!("{}.{}", rng.i8(..), rng.u16(..)),
        4 => rng.bool().to_string(),
        5 => format!("\"{}\"", text(rng).replace('a', "\"\"").replace('b', ",").replace('c', "\n")),
        6 => text(rng),
        _ => ["", "-0", "0.00001", "1e3", "007", "true", "1.50", "0.0", "\"\"", "12345678901234567890123"][rng.usize(..10)].into(),
    }
}

#[test]
fn csv_is_as_the_walk_has_it() {
    let (mut straight, mut all) = (0, 0);
    let csv = find("csv").unwrap();
    let known = csv.settings.map(|settings| settings.settings()).unwrap_or_default();
    let usual: Vec<(&str, &str)> = known.iter().filter(|known| known.reads).filter_map(|known| Some((known.name, known.usual?))).collect();
    for seed in 0..90 {
        let mut rng = Rng::with_seed(seed);
        let kinds: Vec<u8> = (0..rng.usize(2..9)).map(|_| rng.u8(..8)).collect();
        let separator = *rng.choice(&[",", ";"]).unwrap();
        let end = *rng.choice(&["\n", "\r\n"]).unwrap();
        let names: Vec<String> = (0..kinds.len()).map(|at| format!("column {at}")).collect();
        let mut table = names.join(separator) + end;
        for _ in 0..rng.usize(2..40) {
            let mut cell_of = |kind: u8| {
                let kind = if rng.u8(..60) == 0 { 7 } else { kind };
                cell(&mut rng, kind)
            };
            let cells: Vec<String> = kinds.iter().map(|kind| cell_of(*kind)).collect();
            table += &(cells.join(separator) + end);
        }
        let dialect = Dialect::from(csv).with_settings(if seed % 3 == 0 { &[] } else { &usual }).unwrap();
        let mut inference = Inference::new();
        let mut walker = Walker::new(dialect.clone(), &Limits::DEFAULT);
        let mut stream = Stream::new(table.as_bytes());
        while let Ok(Some(message)) = stream.next(&mut walker) {
            let mut trial = Inference::new();
            if trial.add(|sink| walker.walk(message.bytes, message.base, sink)).is_ok() {
                inference = inference.merge(trial);
            }
        }
        let schema = inference.finish(None);
        for turn in 0..4 {
            let bytes = if turn == 0 { table.clone().into_bytes() } else { mutate(&mut rng, table.as_bytes()) };
            let (some, of) = compare(&dialect, &bytes, &schema, &options(&mut rng), &Limits::DEFAULT);
            (straight, all) = (straight + some, all + of);
        }
    }
    assert!(straight > 400, "{straight} of {all}");
}

#[test]
fn many_rows_of_csv_are_as_the_walk_has_them() {
    let csv = Dialect::from(find("csv").unwrap());
    let fields = [
        ("i", Type::Int(Width::W64)),
        ("x", Type::F64),
        ("t", Type::Text(Constraint::default())),
        ("b", Type::Bool),
        ("s", Type::Int(Width::W8)),
    ];
    let fields = fields.map(|(name, ty)| FieldType::required(name, ty).optional()).to_vec();
    let record = Record { fields, ..Record::default() };
    let schema =
        Schema { types: vec![NamedType { name: "Row".into(), doc: String::new(), ty: Type::Record(record) }], root: Some("Row".into()) };
    let (mut straight, mut all) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let end = *rng.choice(&["\n", "\r\n"]).unwrap();
        // Tables without anything odd, with a little, and with much.
        let odd = [u32::MAX, 300, 20][seed as usize % 3];
        let mut table = "i,x,t,b,s".to_string() + end;
        for _ in 0..1500 {
            let mut cells = [
                (rng.i64(..) >> rng.u32(10..63)).to_string(),
                format!("{:?}", f64::from(rng.i32(-999_999..999_999)) / f64::from(10u32.pow(rng.u32(1..6)))),
                text(&mut rng).replace(['"', ',', '\n', '\r'], " ").replace(|char: char| char.is_ascii_digit(), "d"),
                rng.bool().to_string(),
                rng.i8(..).to_string(),
            ];
            if rng.u8(..4) == 0 {
                cells[rng.usize(..5)].clear();
            }
            let mut row = cells.join(",") + end;
            if rng.u32(..odd) == 0 {
                row = match rng.u8(..8) {
                    0 => format!("1,2.5,\"quoted, {}\",true,3{end}", cells[2]),
                    1 => end.to_string(),
                    2 => format!("1,2{end}"),
                    3 => format!("1,2.5,a,true,3,4{end}"),
                    4 => format!("-0,2.50,a,TRUE,300{end}"),
                    5 => format!("007,1e3,a\rb,1,3{end}"),
                    6 => format!("123456789012345678901,0.1234567890123456789,a,true,3{end}"),
                    _ => format!("12,7,\"a \"\"b\"\"{end}\",false,-128{end}"),
                };
            }
            table += &row;
        }
        let options = Options::default().with_bad(Bad::Column).with_rows(rng.usize(200..3000));
        let (some, of) = compare(&csv, table.as_bytes(), &schema, &options, &Limits::DEFAULT);
        let mut damaged = table.into_bytes();
        let at = rng.usize(..damaged.len());
        damaged[at] = rng.u8(..);
        compare(&csv, &damaged, &schema, &options, &Limits::DEFAULT);
        (straight, all) = (straight + some, all + of);
    }
    assert!(straight * 10 > all * 8, "{straight} of {all}");
}

/// Compares rows that become messages straight with those that are walked. Returns the number of
/// batches that were written straight.
fn written(dialect: &Dialect, batches: &[RecordBatch]) -> u64 {
    let mut straight = 0;
    for batch in batches {
        let messages = Columns::new(batch).unwrap();
        let mut writer = dialect.writer().unwrap();
        let mut out = b"before".to_vec();
        let done = messages.view().is_some_and(|view| writer.rows(&view, 0..messages.len(), &mut out));
        if !done {
            assert_eq!(out, b"before");
            continue;
        }
        straight += 1;
        let mut walked = b"before".to_vec();
        for row in 0..messages.len() {
            assert!(messages.emit(row, &mut *writer).unwrap());
            writer.finish(&mut walked).unwrap();
        }
        assert!(writer.losses().is_empty());
        assert_eq!(out, walked);
    }
    straight
}

/// A schema whose messages are columns at once, mostly.
const USUAL: &str = "syntax = \"proto2\"; message R { required int32 a = 1; optional string s = 2; optional double d = 3; repeated sint64 p = 4 [packed = true];
    repeated string t = 5; optional In in = 6; repeated In ins = 7; optional Kind kind = 8; optional bytes b = 9; optional bool f = 10; optional fixed64 x = 11;
    optional float g = 16; repeated Kind kinds = 17; optional sfixed32 y = 900; }
    message In { optional uint64 u = 1; required string n = 2; optional Deep deep = 3; } message Deep { repeated int32 i = 1; optional sint32 z = 2; }
    enum Kind { NONE = 0; SOME = 1; FAR = -7; }";

/// Appends the tag of a field.
fn tag(out: &mut Vec<u8>, number: u64, wire: u64) {
    varint::put(out, number << 3 | wire);
}

/// Appends a field with a length.
fn piece(out: &mut Vec<u8>, number: u64, piece: &[u8]) {
    tag(out, number, 2);
    varint::put(out, piece.len() as u64);
    out.extend_from_slice(piece);
}

fn number(rng: &mut Rng) -> u64 {
    rng.u64(..) >> rng.u32(..64)
}

fn text(rng: &mut Rng) -> String {
    (0..rng.usize(..20)).map(|_| if rng.u8(..9) == 0 { 'é' } else { rng.lowercase() }).collect()
}

/// Returns a message `In`.
fn inner(rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    if rng.bool() {
        tag(&mut out, 1, 0);
        varint::put(&mut out, number(rng));
    }
    piece(&mut out, 2, text(rng).as_bytes());
    if rng.bool() {
        let mut deep = Vec::new();
        for _ in 0..rng.usize(..4) {
            tag(&mut deep, 1, 0);
            varint::put(&mut deep, number(rng));
        }
        tag(&mut deep, 2, 0);
        varint::put(&mut deep, number(rng));
        piece(&mut out, 3, &deep);
    }
    out
}

/// Returns a message of `USUAL` with its fields in order.
fn usual(rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    tag(&mut out, 1, 0);
    varint::put(&mut out, number(rng));
    if rng.bool() {
        piece(&mut out, 2, text(rng).as_bytes());
    }
    if rng.bool() {
        tag(&mut out, 3, 1);
        out.extend(f64::from(rng.u32(..)).to_le_bytes());
    }
    if rng.bool() {
        let mut packed = Vec::new();
        (0..rng.usize(1..5)).for_each(|_| varint::put(&mut packed, number(rng)));
        piece(&mut out, 4, &packed);
    }
    (0..rng.usize(..3)).for_each(|_| piece(&mut out, 5, text(rng).as_bytes()));
    if rng.bool() {
        piece(&mut out, 6, &inner(rng));
    }
    (0..rng.usize(..3)).for_each(|_| piece(&mut out, 7, &inner(rng)));
    if rng.bool() {
        tag(&mut out, 8, 0);
        varint::put(&mut out, *rng.choice(&[0, 1, (-7i64) as u64]).unwrap());
    }
    if rng.bool() {
        piece(&mut out, 9, &[0xff, 0, 1]);
        tag(&mut out, 10, 0);
        out.push(rng.u8(..2));
        tag(&mut out, 11, 1);
        out.extend(rng.u64(..).to_le_bytes());
    }
    if rng.bool() {
        tag(&mut out, 16, 5);
        out.extend(f32::from(rng.u8(..)).to_le_bytes());
    }
    for _ in 0..rng.usize(..3) {
        tag(&mut out, 17, 0);
        out.push(rng.u8(..2));
    }
    if rng.bool() {
        tag(&mut out, 900, 5);
        out.extend(rng.i32(..).to_le_bytes());
    }
    out
}

#[test]
fn protobuf_is_as_the_walk_has_it() {
    let (mut straight, mut all, mut back) = (0, 0, 0);
    let format = find("protobuf-delimited").unwrap();
    for seed in 0..90 {
        let mut rng = Rng::with_seed(seed);
        let schemas = testing::bodies::schemas();
        let text = if seed % 2 == 0 { USUAL } else { schemas[(seed / 2) as usize % schemas.len()] };
        let text = SchemaText { name: "r.proto", bytes: text.as_bytes(), identity: "r.proto" };
        let pool = polywire_protobuf::source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}")).pool;
        let messages = Messages::named(&pool, Some("R")).unwrap();
        let reader = languages::by_extension("proto").and_then(|language| language.reader()).unwrap();
        let mut schema = reader.read(&text, &mut NoFiles).unwrap().schema;
        schema.root = Some("R".into());
        let dialect = Dialect::bound(format, format.binder.unwrap().bind_text(&text, &mut NoFiles, Some("R")).unwrap()).typed();
        let mut bytes = Vec::new();
        for _ in 0..rng.usize(1..20) {
            let is_usual = seed % 2 == 0 && rng.u8(..12) > 0;
            let wild = rng.u8(..5) == 0;
            let mut message = if is_usual { usual(&mut rng) } else { testing::message(&mut rng, &messages, wild) };
            if rng.u8(..20) == 0 {
                message = mutate(&mut rng, &message);
            }
            varint::put(&mut bytes, message.len() as u64);
            bytes.extend(message);
        }
        let limits = if seed % 10 == 0 { Limits::DEFAULT.with_depth(3).with_items(40) } else { Limits::DEFAULT };
        for turn in 0..3 {
            let bytes = if turn == 0 { bytes.clone() } else { mutate(&mut rng, &bytes) };
            let (some, of) = compare(&dialect, &bytes, &schema, &options(&mut rng), &limits);
            (straight, all) = (straight + some, all + of);
            let plan = Arc::new(Plan::new(&schema, &options(&mut rng).with_bad(Bad::Skip)).unwrap());
            let batches: Vec<RecordBatch> = Batches::new(&bytes[..], dialect.clone(), plan).map_while(Result::ok).collect();
            back += written(&dialect, &batches);
            // A part of a batch has other offsets.
            let parts: Vec<RecordBatch> = batches.iter().filter(|batch| batch.num_rows() > 2).map(|batch| batch.slice(1, 2)).collect();
            back += written(&dialect, &parts);
        }
    }
    assert!(back > 50, "{back}");
    assert!(straight > 250, "{straight} of {all}");
}

/// A schema with all kinds of fields: well-known types, and oneofs in every place.
const KINDS: &str = include_str!("kinds.proto");

/// Returns messages as a serialiser writes them, changed by a function.
fn usual_bytes(declared: &Dialect, bytes: &[u8], change: &dyn Fn(&Value) -> Value) -> Vec<u8> {
    let (mut walker, mut writer, mut out) = (Walker::new(declared.clone(), &Limits::DEFAULT), declared.writer().unwrap(), Vec::new());
    let mut stream = Stream::new(bytes);
    while let Some(message) = stream.next(&mut walker).unwrap() {
        let mut sink = ValueSink::default();
        walker.walk(message.bytes, message.base, &mut sink).unwrap();
        change(&sink.finish().unwrap()).emit(&mut *writer).unwrap();
        writer.finish(&mut out).unwrap();
    }
    out
}

/// Returns plain values with a kind in place of those without one, which are none.
fn of_some_kind(value: &Value) -> Value {
    match value {
        Value::Record { fields, .. } if fields.is_empty() => Value::record([("bool_value", Value::Bool(true))]),
        Value::List(values) => Value::List(values.iter().map(of_some_kind).collect()),
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (key.clone(), of_some_kind(value))).collect()),
        other => other.clone(),
    }
}

/// Returns the value with moments and durations of at most 9,000,000,000 seconds.
fn near(value: &Value) -> Value {
    match value {
        Value::List(values) => Value::List(values.iter().map(near).collect()),
        Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (key.clone(), near(value))).collect()),
        Value::Record { name, fields } => {
            let field = |(name, value): &(String, Value)| {
                let value = match (name.as_str(), value) {
                    ("seconds", Value::UInt(number)) => Value::UInt(number % 9_000_000_000),
                    ("seconds", Value::Int(number)) => Value::int(number % 9_000_000_000),
                    ("nanos", Value::UInt(number)) => Value::UInt(number % 1_000_000_000),
                    ("nanos", Value::Int(number)) => Value::UInt(number.unsigned_abs() % 1_000_000_000),
                    ("value" | "anything" | "values" | "fields", value) => of_some_kind(&near(value)),
                    (_, value) => near(value),
                };
                (name.clone(), value)
            };
            Value::Record { name: name.clone(), fields: fields.iter().map(field).collect() }
        }
        other => other.clone(),
    }
}

#[test]
fn protobuf_of_all_kinds_comes_back() {
    let format = find("protobuf-delimited").unwrap();
    let text = SchemaText { name: "kinds.proto", bytes: KINDS.as_bytes(), identity: "kinds.proto" };
    let pool = polywire_protobuf::source::read(&text, &mut NoFiles).unwrap_or_else(|found| panic!("{found}")).pool;
    let reader = languages::by_extension("proto").and_then(|language| language.reader()).unwrap();
    let mut schema = reader.read(&text, &mut NoFiles).unwrap().schema;
    let (mut straight, mut equal, mut lossy, mut bad) = (0, 0, 0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let root = if seed % 2 == 0 { "kinds.R" } else { "kinds.Plain" };
        let messages = Messages::named(&pool, Some(root)).unwrap();
        schema.root = Some(root.into());
        let declared = Dialect::bound(format, format.binder.unwrap().bind_text(&text, &mut NoFiles, Some(root)).unwrap());
        let dialect = declared.clone().typed();
        let parquet = rng.bool();
        let sums = if !parquet && rng.bool() { Sums::Union } else { Sums::Structs };
        let options = Options::default().with_sums(sums).with_rest(Rest::Refuse).with_bad(Bad::Skip).for_parquet(parquet);
        let plan = Arc::new(Plan::new(&schema, &options).unwrap());
        for _ in 0..10 {
            let wild = rng.u8(..8) == 0;
            let message = testing::message(&mut rng, &messages, wild);
            let mut bytes = Vec::new();
            varint::put(&mut bytes, message.len() as u64);
            bytes.extend(message);
            if !wild {
                bytes = usual_bytes(&declared, &bytes, &near);
            }
            let (some, _) = compare(&dialect, &bytes, &schema, &options, &Limits::DEFAULT);
            straight += some;
            let mut batches = Batches::new(&bytes[..], dialect.clone(), Arc::clone(&plan));
            let rows: Vec<RecordBatch> = batches.by_ref().map(Result::unwrap).collect();
            bad += batches.filled().bad;
            let mut losses: Vec<String> = batches.filled().losses.iter().map(ToString::to_string).collect();
            let [batch] = &rows[..] else { continue };
            written(&dialect, &rows);
            let mut writer = dialect.writer().unwrap();
            let mut out = Vec::new();
            assert!(Columns::new(batch).unwrap().emit(0, &mut *writer).unwrap());
            writer.finish(&mut out).unwrap();
            losses.extend(writer.losses().iter().map(|lost| lost.what.to_string()));
            let is_equal = usual_bytes(&declared, &bytes, &Value::clone) == usual_bytes(&declared, &out, &Value::clone);
            if is_equal {
                equal += 1;
            } else {
                let shown = |bytes: &[u8]| {
                    let mut text = Vec::new();
                    let mut to = find("json").unwrap().writer.unwrap()();
                    let mut walker = Walker::new(declared.clone(), &Limits::DEFAULT);
                    let message = Stream::new(bytes).next(&mut walker).unwrap().map(|message| (message.bytes.to_vec(), message.base));
                    let (message, base) = message.unwrap();
                    walker.walk(&message, base, &mut *to).unwrap();
                    to.finish(&mut text).unwrap();
                    String::from_utf8(text).unwrap()
                };
                assert!(!losses.is_empty(), "{}\n{}", shown(&bytes), shown(&out));
                lossy += 1;
            }
        }
    }
    assert!(equal > 100 && straight > 0, "{equal} equal, {lossy} with a loss, {bad} bad, {straight} straight");
}
