//! Values that become columns and come back: equal, or with a loss that is named.

use std::sync::Arc;

use polywire_arrow::{Decimals, FileKind, FileWriter, Messages, Options, Plan, Rest, Rows, Source, Squeeze, Sums, open};
use polywire_core::value::ValueSink;
use polywire_core::{Tree, Value};
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
fn batch(plan: &Arc<Plan>, values: &mut Vec<Value>, losses: &mut Vec<&'static str>) -> arrow_array::RecordBatch {
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

fn values(batch: &arrow_array::RecordBatch) -> Vec<Value> {
    let messages = Messages::new(batch).unwrap();
    (0..messages.len())
        .map(|row| {
            let mut sink = ValueSink::default();
            assert!(messages.emit(row, &mut sink).unwrap());
            sink.finish().unwrap()
        })
        .collect()
}

fn through(kind: FileKind, batch: &arrow_array::RecordBatch) -> Vec<Value> {
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
