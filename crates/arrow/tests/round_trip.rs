//! Values that become columns and come back: equal, or with a loss that is named.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use polywire_arrow::{
    Batches, Decimals, FileKind, FileWriter, Messages, Options, Plan, ROWS, Rest, RowBytes, Rows, Source, Squeeze, Sums, open,
};
use polywire_core::tools::Stream;
use polywire_core::tools::adapt::{Doubles, Walker};
use polywire_core::tools::convert::Converter;
use polywire_core::value::ValueSink;
use polywire_core::{Dialect, Error, Format, Limits, Schema, Tree, Value};
use polywire_formats::registry;
use polywire_schema::infer::Inference;
use polywire_testing::{Rng, Shape, value};

mod random;

/// Returns the value with what columns do not keep in one form: the order of fields, kinds of
/// objects, absent and null fields.
fn plain(value: &Value) -> Value {
    match value {
        Value::List(values) | Value::Tuple(values) => Value::List(values.iter().map(plain).collect()),
        Value::Map(pairs) if pairs.iter().all(|(key, _)| matches!(key, Value::Text(_))) => {
            let name = |key: &Value| if let Value::Text(name) = key { name.clone() } else { String::new() };
            fields(pairs.iter().map(|(key, value)| (name(key), plain(value))).collect())
        }
        Value::Map(pairs) => {
            let mut pairs: Vec<(Value, Value)> = pairs.iter().map(|(key, value)| (plain(key), plain(value))).collect();
            pairs.sort_by_key(|(key, _)| format!("{key:?}"));
            Value::Map(pairs)
        }
        Value::Record { fields: all, .. } => fields(all.iter().map(|(name, value)| (name.clone(), plain(value))).collect()),
        Value::Variant { name, values, .. } => Value::Variant { name: name.clone(), index: 0, values: values.iter().map(plain).collect() },
        Value::Tagged { space, code, value } => Value::Tagged { space: space.clone(), code: *code, value: Box::new(plain(value)) },
        Value::F64(number) if number.is_nan() => Value::text("NaN"),
        Value::F32(number) if number.is_nan() => Value::text("NaN"),
        other => other.clone(),
    }
}

fn fields(mut fields: Vec<(String, Value)>) -> Value {
    fields.sort_by(|one, other| one.0.cmp(&other.0));
    Value::Record { name: String::new(), fields }
}

/// Returns the rows of the values. One that a column refuses is taken out of `values`.
fn batch(plan: &Arc<Plan>, values: &mut Vec<Value>, losses: &mut Vec<&'static str>) -> RecordBatch {
    let mut rows = Rows::new(Arc::clone(plan));
    values.retain(|value| {
        let mut tree = Tree::new();
        value.emit(&mut tree).unwrap();
        match tree.emit(&mut rows).and_then(|()| rows.finish()) {
            Ok(()) => {
                losses.extend(rows.losses().iter().map(|lost| lost.what));
                true
            }
            // 64 bits of nanoseconds end in the year 2262.
            Err(error) if error.seen_text().starts_with("the moment") => {
                rows.reset();
                false
            }
            Err(error) => panic!("{error}\n{value:?}\n{:?}", plan.schema()),
        }
    });
    rows.take().unwrap()
}

fn values(batch: &RecordBatch) -> Vec<Value> {
    let messages = Messages::new(batch).unwrap();
    (0..messages.len())
        .map(|row| {
            let mut sink = ValueSink::default();
            assert!(messages.emit(row, &mut sink).unwrap());
            sink.finish().unwrap()
        })
        .collect()
}

fn through(kind: FileKind, batch: &RecordBatch) -> Vec<Value> {
    let squeeze = if kind == FileKind::Stream { Squeeze::None } else { Squeeze::Zstd };
    let mut writer = FileWriter::new(kind, Vec::new(), &batch.schema(), squeeze).unwrap();
    writer.write(batch).unwrap();
    let file = writer.finish().unwrap();
    assert_eq!(FileKind::recognise(&file), Some(kind));
    open(Source::Bytes(file.into()), None).unwrap().flat_map(|batch| values(&batch.unwrap())).collect()
}

#[test]
fn values_come_back_or_a_loss_is_named() {
    let (mut equal, mut lossy) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let shape = if seed % 2 == 0 { Shape::ANY } else { Shape { exotic: false, ..Shape::ANY } };
        let samples: Vec<Value> = (0..rng.usize(1..12))
            .map(|_| match seed % 3 {
                0 => value(&mut rng, shape),
                _ => Value::record(["a", "b", "c", "d"].map(|name| (name, value(&mut rng, Shape { depth: 2, ..shape })))),
            })
            .collect();
        let mut inference = Inference::new();
        for sample in &samples {
            inference.add(|sink| sample.emit(sink)).unwrap();
        }
        let schema = inference.finish(None);
        let sums = if seed % 5 == 0 { Sums::Union } else { Sums::Structs };
        for (kind, parquet) in [(FileKind::Stream, false), (FileKind::File, false), (FileKind::Parquet, true)] {
            let options = Options::default().with_sums(sums).with_rest(Rest::Refuse).for_parquet(parquet);
            let plan = Arc::new(Plan::new(&schema, &options).unwrap());
            let mut losses = Vec::new();
            let mut samples = samples.clone();
            let batch = batch(&plan, &mut samples, &mut losses);
            let back = through(kind, &batch);
            assert_eq!(back.len(), samples.len());
            let same = samples.iter().zip(&back).all(|(one, other)| plain(one) == plain(other));
            if !same && losses.is_empty() {
                let (one, other) = samples.iter().zip(&back).find(|(one, other)| plain(one) != plain(other)).unwrap();
                panic!("seed {seed}, {kind:?}\n{:?}\n{:?}\n{:?}", plain(one), plain(other), schema.types);
            }
            if same { equal += 1 } else { lossy += 1 }
        }
    }
    assert!(equal > 90, "{equal} equal, {lossy} with a loss");
}

#[test]
fn values_of_random_schemas_come_back() {
    let options = Options::default();
    let forms = [
        (FileKind::Stream, options.clone().with_sums(Sums::Union)),
        (FileKind::File, options.clone().with_decimals(Decimals::Fixed { precision: 76, scale: 20 })),
        (FileKind::Parquet, options.with_decimals(Decimals::Fixed { precision: 38, scale: 18 }).for_parquet(true)),
    ];
    let (mut equal, mut lossy) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let schema = random::schema(&mut rng);
        let samples: Vec<Value> = (0..rng.usize(1..20)).map(|_| random::value(&mut rng, &schema)).collect();
        for (kind, options) in &forms {
            let plan = Arc::new(Plan::new(&schema, &options.clone().with_rest(Rest::Refuse)).unwrap());
            let (mut samples, mut losses) = (samples.clone(), Vec::new());
            let batch = batch(&plan, &mut samples, &mut losses);
            let back = through(*kind, &batch);
            let differs = samples.iter().zip(&back).find(|(one, other)| plain(one) != plain(other));
            assert!(
                back.len() == samples.len() && (differs.is_none() || !losses.is_empty()),
                "seed {seed}, {kind:?}\n{differs:?}\n{:?}",
                schema.types
            );
            if differs.is_none() { equal += 1 } else { lossy += 1 }
        }
    }
    assert!(equal > 300, "{equal} equal, {lossy} with a loss");
}

/// Returns the formats that can be written, those that need a schema bound to this one.
fn written_formats(schema: &Schema) -> Vec<Dialect> {
    let dialect = |format: &&'static Format| match (format.writer, format.binder) {
        (Some(_), _) => Some(Dialect::from(*format)),
        (None, Some(binder)) if binder.adopts() => Some(Dialect::bound(format, binder.adopt(schema).ok()?)),
        _ => None,
    };
    registry::FORMATS.iter().filter_map(dialect).collect()
}

/// Writes rows as a stream of messages. Returns it with its losses.
fn messages_of(dialect: &Dialect, batches: Vec<RecordBatch>) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut converter = Converter::new(dialect.clone());
    let (mut bytes, mut walker) = (Vec::new(), Walker::new(&ROWS, &Limits::DEFAULT));
    converter.add(&mut Stream::new(RowBytes::new(batches.into_iter().map(Ok))), &mut bytes, &mut walker)?;
    converter.finish(&mut bytes)?;
    Ok((bytes, converter.into_done().losses.iter().map(ToString::to_string).collect()))
}

/// Returns the values of a stream of messages.
fn values_of(dialect: &Dialect, bytes: &[u8]) -> Vec<Value> {
    let (mut walker, mut stream, mut values) = (Walker::new(dialect.clone(), &Limits::DEFAULT), Stream::new(bytes), Vec::new());
    while let Some(message) = stream.next(&mut walker).unwrap() {
        let mut sink = ValueSink::default();
        walker.walk(message.bytes, message.base, &mut sink).unwrap();
        values.push(sink.finish().unwrap());
    }
    values
}

/// Writes batches to a file, and reads them.
fn filed(kind: FileKind, batches: &[RecordBatch]) -> Vec<RecordBatch> {
    let mut writer = FileWriter::new(kind, Vec::new(), &batches[0].schema(), Squeeze::None).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    open(Source::Bytes(writer.finish().unwrap().into()), None).unwrap().map(Result::unwrap).collect()
}

/// Any format → Arrow → Parquet → Arrow → the format.
#[test]
fn every_format_comes_back_through_arrow_and_parquet() {
    let mut counts: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let schema = random::schema(&mut rng);
        let mut samples: Vec<Value> = (0..rng.usize(1..4)).map(|_| random::value(&mut rng, &schema)).collect();
        let plan = Arc::new(Plan::new(&schema, &Options::default().with_rest(Rest::Refuse)).unwrap());
        let rows = batch(&plan, &mut samples, &mut Vec::new());
        if rows.num_rows() == 0 {
            continue;
        }
        for dialect in written_formats(&schema) {
            let format = dialect.format();
            let count = counts.entry(format.name).or_default();
            let rows = if dialect.writer().unwrap().only_one().is_some() { rows.slice(0, 1) } else { rows.clone() };
            // Not every format holds every value.
            let Ok((bytes, _)) = messages_of(&dialect, vec![rows]) else {
                count[2] += 1;
                continue;
            };
            let before = values_of(&dialect, &bytes);
            let mut inference = Inference::new();
            let mut walker = Walker::new(dialect.clone(), &Limits::DEFAULT);
            inference.add_stream(&mut Stream::new(&bytes[..]), &mut walker, 1).unwrap();
            let options = Options::default().with_rest(Rest::Refuse).for_parquet(true);
            let plan = Arc::new(Plan::new(&inference.finish(None), &options).unwrap());
            let walker = Walker::new(dialect.clone(), &Limits::DEFAULT).doubles(Doubles::Refuse);
            let mut read = Batches::of(Stream::new(&bytes[..]), walker, plan);
            let batches: Result<Vec<RecordBatch>, Error> = read.by_ref().collect();
            let batches = match batches {
                Ok(batches) => batches,
                Err(error) if error.seen_text().starts_with("the moment") => continue,
                Err(error) => panic!("seed {seed}, {}: {error}\n{before:?}", format.name),
            };
            if batches.is_empty() {
                continue;
            }
            let mut losses: Vec<String> = read.filled().losses.iter().map(ToString::to_string).collect();
            let batches = filed(FileKind::Stream, &filed(FileKind::Parquet, &filed(FileKind::Stream, &batches)));
            let (again, lost) = messages_of(&dialect, batches).unwrap_or_else(|error| panic!("seed {seed}, {}: {error}", format.name));
            losses.extend(lost);
            let after = values_of(&dialect, &again);
            let differs = before.iter().zip(&after).find(|(one, other)| plain(one) != plain(other));
            let is_equal = differs.is_none() && before.len() == after.len();
            assert!(is_equal || !losses.is_empty(), "seed {seed}, {}: {differs:?}", format.name);
            count[usize::from(!is_equal)] += 1;
        }
    }
    let never: Vec<_> = counts.iter().filter(|(_, count)| count[0] == 0).collect();
    assert!(counts.len() > 15 && never.is_empty(), "equal, with a loss, refused: {counts:?}");
}
