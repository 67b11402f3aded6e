//! Streams of messages as batches: bad messages, fields that the schema does not have, threads,
//! damaged files.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use polywire_arrow::{
    Bad, Batches, FileKind, FileWriter, Messages, Options, Plan, ROWS, Rest, RowBytes, Source, Squeeze, members, open, project,
};
use polywire_core::schema::language::SchemaText;
use polywire_core::schema::{Case, Constraint, FieldType, NamedType, Record, Schema, Sum, TimeUnit, Type, Width};
use polywire_core::text::sources::NoFiles;
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Projection, Walker};
use polywire_core::tools::convert::Converter;
use polywire_core::walk::Path;
use polywire_core::{Dialect, Limits, Result};
use polywire_formats::registry::find;
use polywire_schema::languages;
use polywire_testing::{Rng, mutate};

/// Returns the schema `{id: uint32, tags?: list of text, at?: {x: int32}}`.
fn schema() -> Schema {
    let at = Type::Record(Record { fields: vec![FieldType::required("x", Type::Int(Width::W32))], ..Record::default() });
    let tags = Type::List(Box::new(Type::Text(Constraint::NONE)), Constraint::NONE);
    let fields = vec![
        FieldType::required("id", Type::UInt(Width::W32)),
        FieldType::required("tags", tags).optional(),
        FieldType::required("at", at).optional(),
    ];
    let ty = Type::Record(Record { fields, ..Record::default() });
    Schema { types: vec![NamedType { name: "Order".into(), doc: String::new(), ty }], root: Some("Order".into()) }
}

fn batches(lines: &'static str, options: &Options) -> Batches<&'static [u8]> {
    let plan = Arc::new(Plan::new(&schema(), options).unwrap());
    Batches::new(lines.as_bytes(), find("jsonl").unwrap(), plan)
}

fn lines(batches: impl Iterator<Item = Result<RecordBatch>>) -> String {
    let mut out = Vec::new();
    let mut converter = Converter::new(find("jsonl").unwrap());
    let mut walker = Walker::new(&ROWS, &Limits::DEFAULT);
    converter.add(&mut Stream::new(RowBytes::new(batches)), &mut out, &mut walker).unwrap();
    converter.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const BAD: &str = "{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":2,\"tags\":[\"b\",7]}\n{\"id\":\n{\"id\":3,\"at\":{\"x\":-1}}\n";

#[test]
fn a_bad_message_ends_the_run_behind_the_rows_before_it() {
    let mut all = batches(BAD, &Options::default());
    assert_eq!(all.next().unwrap().unwrap().num_rows(), 1);
    let error = all.next().unwrap().unwrap_err();
    assert_eq!((error.message(), error.path().unwrap().to_string()), (Some(2), "tags[1]".to_string()), "{error}");
    assert!(all.next().is_none());
}

#[test]
fn bad_messages_are_left_out_or_rows_with_a_reason() {
    let mut all = batches(BAD, &Options::default().with_bad(Bad::Skip));
    let batch = all.next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), all.filled().bad), (2, 2));
    assert_eq!(lines([Ok(batch)].into_iter()), "{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":3,\"at\":{\"x\":-1}}\n");

    let mut all = batches(BAD, &Options::default().with_bad(Bad::Column));
    let batch = all.next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), all.filled().bad), (4, 2));
    let reasons = batch.column_by_name("_error").unwrap().as_struct();
    assert_eq!([0, 1, 2, 3].map(|row| reasons.is_valid(row)), [false, true, true, false]);
    assert_eq!(reasons.column(0).as_primitive::<UInt64Type>().value(1), 42);
    assert_eq!(reasons.column(1).as_string::<i32>().value(1), "tags[1]");
    assert_eq!(lines([Ok(batch)].into_iter()), "{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":3,\"at\":{\"x\":-1}}\n");
}

#[test]
fn other_fields_are_kept_in_a_column_and_return() {
    let text = "{\"id\":1,\"at\":{\"x\":2,\"y\":[1,{\"z\":null}]},\"more\":\"\\\"quoted\\\"\"}\n{\"id\":2}\n";
    let all: Vec<RecordBatch> = batches(text, &Options::default()).collect::<Result<_>>().unwrap();
    let rest = all[0].column_by_name("_rest").unwrap().as_string::<i32>().clone();
    assert_eq!(rest.value(0), "{\"at.y\":[1,{\"z\":null}],\"more\":\"\\\"quoted\\\"\"}");
    assert!(rest.is_null(1));
    assert_eq!(lines(all.into_iter().map(Ok)), text);

    let refused = batches(text, &Options::default().with_rest(Rest::Refuse)).next().unwrap().unwrap_err();
    assert!(refused.to_string().contains("`y`"), "{refused}");
}

#[test]
fn a_moment_that_its_column_does_not_hold_is_kept_beside_it() {
    let when = FieldType::required("at", Type::Timestamp(TimeUnit::Nanosecond)).optional();
    let inner = Type::Record(Record { fields: vec![when.clone()], ..Record::default() });
    let fields = vec![when, FieldType::required("in", inner)];
    let ty = Type::Record(Record { fields, ..Record::default() });
    let schema = Schema { types: vec![NamedType { name: "M".into(), doc: String::new(), ty }], root: Some("M".into()) };
    // The zero of Go's times, the last second of 9999, and a second before the epoch.
    let (first, last, near) = (-62_135_596_800_i64, 253_402_300_799_i64, -1_i64);
    let moment = |seconds: i64| [&b"\xa2at\xc7\x0c\xff\0\0\0\0"[..], &seconds.to_be_bytes()].concat();
    let message = |seconds: i64, inner: i64| [&b"\x82"[..], &moment(seconds), b"\xa2in\x81", &moment(inner)].concat();
    let bytes = [message(first, near), message(near, last), message(near, near)].concat();
    let read = |options: &Options| {
        let plan = Arc::new(Plan::new(&schema, options).unwrap());
        Batches::new(&bytes[..], find("msgpack").unwrap(), plan).collect::<Result<Vec<RecordBatch>>>()
    };

    let kept = read(&Options::default()).unwrap();
    let rest = kept[0].column_by_name("_rest").unwrap().as_string::<i32>();
    assert_eq!([0, 1].map(|row| rest.value(row)), ["{\"at\":\"0001-01-01T00:00:00Z\"}", "{\"in.at\":\"9999-12-31T23:59:59Z\"}"]);
    assert!(rest.is_null(2));
    let column = kept[0].column_by_name("at").unwrap();
    assert_eq!([0, 1, 2].map(|row| column.is_null(row)), [true, false, false]);
    let mut back = Vec::new();
    let mut converter = Converter::new(find("msgpack").unwrap());
    let mut walker = Walker::new(&ROWS, &Limits::DEFAULT);
    converter.add(&mut Stream::new(RowBytes::new(kept.into_iter().map(Ok))), &mut back, &mut walker).unwrap();
    converter.finish(&mut back).unwrap();
    assert!(back == bytes, "{back:02x?}");

    let dropped = read(&Options::default().with_rest(Rest::Drop)).unwrap();
    assert_eq!(dropped[0].column_by_name("at").unwrap().null_count(), 1);
    let refused = read(&Options::default().with_rest(Rest::Refuse)).unwrap_err();
    assert!(refused.to_string().contains("0001-01-01"), "{refused}");
}

#[test]
fn decimals_keep_the_digits_that_a_float_prints_otherwise() {
    use arrow_array::{ArrayRef, Decimal128Array};
    let digits = Decimal128Array::from(vec![96_849_620_516_402_155, 5]).with_precision_and_scale(18, 18).unwrap();
    let batch = RecordBatch::try_from_iter([("d", Arc::new(digits) as ArrayRef)]).unwrap();
    assert_eq!(lines([Ok(batch)].into_iter()), "{\"d\":0.096849620516402155}\n{\"d\":0.000000000000000005}\n");
}

#[test]
fn a_case_of_a_union_without_a_value_is_not_absent() {
    let constant = |name: &str| Case { name: name.into(), id: None, carries: vec![], doc: String::new() };
    let some = Case { carries: vec![Type::UInt(Width::W8)], ..constant("Some") };
    let sum = Type::Sum(Sum { cases: vec![constant("None"), some], ..Sum::default() });
    let ty = Type::Record(Record { fields: vec![FieldType::required("a", sum).optional()], ..Record::default() });
    let schema = Schema { types: vec![NamedType { name: "M".into(), doc: String::new(), ty }], root: Some("M".into()) };
    let plan = Arc::new(Plan::new(&schema, &Options::default().with_sums(polywire_arrow::Sums::Union)).unwrap());
    let text = "{\"a\":\"None\"}\n{}\n{\"a\":{\"Some\":1}}\n";
    let batches = Batches::new(text.as_bytes(), find("jsonl").unwrap(), plan);
    assert_eq!(lines(batches), text);
}

#[test]
fn batches_end_by_rows_and_threads_keep_the_order() {
    let text: String = (0..60_000).map(|id| format!("{{\"id\":{id},\"tags\":[\"tag of {id}\"]}}\n")).collect();
    let text: &'static str = Box::leak(text.into_boxed_str());
    let options = Options::default().with_rows(1000);
    assert!(batches(text, &options).all(|batch| batch.unwrap().num_rows() == 1000));
    for threads in [1, 3] {
        let all = batches(text, &options).spawn(threads).unwrap();
        assert_eq!(lines(all), text);
    }
}

/// Messages of a long text each, made as they are read.
struct Long {
    left: usize,
    message: Vec<u8>,
    at: usize,
}

impl std::io::Read for Long {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.message.len() {
            self.at = 0;
            self.left -= 1;
        }
        if self.left == 0 {
            return Ok(0);
        }
        let len = buffer.len().min(self.message.len() - self.at);
        buffer[..len].copy_from_slice(&self.message[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

/// `POLYWIRE_MEGABYTES=2500` in the environment exceeds 31 bits: `tools/check-more.sh sizes`.
#[test]
fn many_megabytes_of_text_end_a_batch_before_its_offsets_overflow() {
    let megabytes: usize = std::env::var("POLYWIRE_MEGABYTES").map_or(8, |text| text.parse().unwrap());
    let count = 8;
    let text = "x".repeat((megabytes << 20) / count);
    let field = FieldType::required("text", Type::Text(Constraint::NONE));
    let ty = Type::Record(Record { fields: vec![field], ..Record::default() });
    let schema = Schema { types: vec![NamedType { name: "Long".into(), doc: String::new(), ty }], root: Some("Long".into()) };
    let plan = Arc::new(Plan::new(&schema, &Options::default().with_bytes(usize::MAX)).unwrap());
    // A known field, and one that goes to `_rest`.
    for name in ["text", "other"] {
        let message =
            if name == "text" { format!("{{\"text\":\"{text}\"}}\n") } else { format!("{{\"text\":\"\",\"{name}\":\"{text}\"}}\n") };
        let long = Long { left: count, message: message.into_bytes(), at: 0 };
        let (mut rows, mut batches) = (0, 0);
        for batch in Batches::new(long, find("jsonl").unwrap(), Arc::clone(&plan)) {
            let batch = batch.unwrap();
            let column = batch.column(usize::from(name != "text")).as_string::<i32>();
            assert!(column.iter().all(|value| value.unwrap().len() >= text.len()));
            (rows, batches) = (rows + batch.num_rows(), batches + 1);
        }
        assert_eq!((rows, batches), (count, 1 + (megabytes << 20) / i32::MAX as usize), "{name}");
    }
}

#[test]
fn the_rows_of_a_table_are_read_by_several_threads() {
    let mut table = String::from("id,tags\n");
    for id in 0..12_000 {
        table += &format!("{id},\"{}\n{id}\"\n", "text ".repeat(200));
    }
    let tags = FieldType::required("tags", Type::Text(Constraint::NONE));
    let ty = Type::Record(Record { fields: vec![FieldType::required("id", Type::UInt(Width::W32)), tags], ..Record::default() });
    let schema = Schema { types: vec![NamedType { name: "Row".into(), doc: String::new(), ty }], root: Some("Row".into()) };
    let plan = Arc::new(Plan::new(&schema, &Options::default().with_rows(500)).unwrap());
    let table: &'static str = Box::leak(table.into_boxed_str());
    let run = |table: &'static str| Batches::new(table.as_bytes(), find("csv").unwrap(), Arc::clone(&plan));
    let rows = |batches: Vec<RecordBatch>| -> Vec<(u64, String)> {
        let row = |batch: &RecordBatch, row| {
            let id = u64::from(batch.column(0).as_primitive::<arrow_array::types::UInt32Type>().value(row));
            (id, batch.column(1).as_string::<i32>().value(row).to_string())
        };
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|at| row(batch, at)).collect::<Vec<_>>()).collect()
    };
    let alone = rows(run(table).collect::<Result<_>>().unwrap());
    assert_eq!((alone.len(), alone[7].0), (12_000, 7));
    let mut spawned = run(table).spawn(2).unwrap();
    assert!(rows(spawned.by_ref().collect::<Result<_>>().unwrap()) == alone);
    assert_eq!(spawned.filled().rows, 12_000);

    for (few, count) in [("id,tags\n1,a\n", 1), ("id,tags\n", 0), ("id,tags\n1,a\n2,b\n", 2)] {
        assert_eq!(rows(run(few).spawn(2).unwrap().collect::<Result<_>>().unwrap()).len(), count);
    }

    // An error has the number of its row, and its line.
    let bad: &'static str = Box::leak(format!("{table}x,y\n").into_boxed_str());
    let error = run(bad).spawn(2).unwrap().find_map(Result::err).unwrap();
    assert_eq!((error.message(), error.place().map(|place| place.line)), (Some(12_001), Some(24_002)), "{error}");
}

#[test]
fn no_damage_to_a_file_is_a_panic() {
    let all: Vec<RecordBatch> =
        batches("{\"id\":1,\"tags\":[\"a\",\"b\"]}\n{\"id\":2,\"at\":{\"x\":5}}\n", &Options::default()).collect::<Result<_>>().unwrap();
    let mut rng = Rng::with_seed(4);
    let mut damaged = 0;
    for kind in [FileKind::Stream, FileKind::File, FileKind::Parquet] {
        let mut writer = FileWriter::new(kind, Vec::new(), &all[0].schema(), Squeeze::None).unwrap();
        writer.write(&all[0]).unwrap();
        let file = writer.finish().unwrap();
        for _ in 0..300 {
            let Ok(opened) = open(Source::Bytes(mutate(&mut rng, &file).into()), None) else {
                damaged += 1;
                continue;
            };
            for batch in opened {
                let Ok(messages) = batch.and_then(|batch| Messages::new(&batch)) else {
                    damaged += 1;
                    break;
                };
                for row in 0..messages.len() {
                    let _ = messages.emit(row, &mut polywire_core::tools::Count::default());
                }
            }
        }
    }
    assert!(damaged > 100, "{damaged}");
}

#[test]
fn a_member_of_a_oneof_is_selected_by_its_own_name() {
    let text = b"syntax = \"proto3\"; message M { int32 a = 1; oneof choice { string name = 2; int32 number = 3; } }";
    let source = || SchemaText { name: "m.proto", bytes: text, identity: "" };
    let language = languages::by_extension("proto").unwrap();
    let schema = language.reader().unwrap().read(&source(), &mut NoFiles).unwrap().schema;
    let schema = Schema { root: Some(schema.types[0].name.clone()), ..schema };
    let format = find("protobuf-delimited").unwrap();
    let bound = format.binder.unwrap().bind_text(&source(), &mut NoFiles, Some("M")).unwrap();
    let bytes = b"\x05\x08\x01\x12\x01x\x04\x08\x02\x18\x05\x02\x08\x03";
    for select in [&["name"][..], &["choice.name"], &["choice"], &["number", "name"]] {
        let select: Vec<Path> = select.iter().map(|path| Path::parse(path).unwrap()).collect();
        let paths = members(&schema, &select);
        let mut walker = Walker::new(Dialect::bound(format, bound.clone()), &Limits::DEFAULT);
        assert!(walker.show_types());
        let walker = walker.select(Some(Projection::new(&paths)));
        let plan = Plan::new(&project(&schema, &paths).unwrap(), &Options::default().with_rest(Rest::Refuse)).unwrap();
        let batches: Result<Vec<RecordBatch>> = Batches::of(Stream::new(&bytes[..]), walker, Arc::new(plan)).collect();
        let batch = &batches.unwrap()[0];
        assert_eq!(batch.num_columns(), 1, "{select:?}");
        let choice = batch.column_by_name("choice").unwrap().as_struct();
        let names: Vec<Option<&str>> = choice.column_by_name("name").unwrap().as_string::<i32>().iter().collect();
        assert_eq!(names, [Some("x"), None, None], "{select:?}");
        let numbers: Vec<Option<i32>> = choice.column_by_name("number").unwrap().as_primitive::<Int32Type>().iter().collect();
        assert_eq!(numbers, [None, Some(5), None], "{select:?}");
    }
}
