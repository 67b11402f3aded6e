//! Writes files of columns for other libraries to read, and the values that they hold:
//! `tools/judge-columns` compares.
//!
//! `cargo run -p polywire-arrow --example judged -- FOLDER COUNT` writes COUNT random schemas in
//! each form, as `NUMBER-FORM.arrow`, `.arrows` and `.parquet`. `NUMBER-FORM.values` has the values
//! of the rows, one line of JSON each, where each value is a list of its kind and what it holds.

#[path = "../tests/random/mod.rs"]
mod random;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use polywire_arrow::{Decimals, FileKind, FileWriter, Options, Plan, Rest, Rows, Squeeze, Sums};
use polywire_core::{Tree, Value};
use polywire_json::string::{Short, string};
use polywire_testing::Rng;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, count] = &arguments[..] else { panic!("two arguments: a folder, a number") };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).expect("a folder");
    let plain = Options::default().with_rest(Rest::Refuse);
    let forms = [
        ("text", plain.clone()),
        ("union", plain.clone().with_sums(Sums::Union)),
        ("wide", plain.clone().with_decimals(Decimals::Fixed { precision: 76, scale: 20 })),
        ("parquet", plain.clone().for_parquet(true)),
        ("narrow", plain.with_decimals(Decimals::Fixed { precision: 38, scale: 18 }).for_parquet(true)),
    ];
    for number in 0..count.parse().expect("a number") {
        let mut rng = Rng::with_seed(number);
        let schema = random::schema(&mut rng);
        let samples: Vec<Value> = (0..rng.usize(1..40)).map(|_| random::value(&mut rng, &schema)).collect();
        for (name, options) in &forms {
            let mut rows = Rows::new(Arc::new(Plan::new(&schema, options).expect("a plan")));
            let mut values = String::new();
            for value in &samples {
                let mut tree = Tree::new();
                value.emit(&mut tree).expect("a tree");
                match tree.emit(&mut rows).and_then(|()| rows.finish()) {
                    Ok(()) => {
                        describe(&mut values, value);
                        values.push('\n');
                    }
                    Err(error) if error.seen_text().starts_with("the moment") => rows.reset(),
                    Err(error) => panic!("{error}"),
                }
            }
            let batch = rows.take().expect("a batch");
            std::fs::write(folder.join(format!("{number}-{name}.values")), values).expect("a file");
            let kinds = match options.parquet {
                true => vec![(FileKind::Parquet, "parquet")],
                false => vec![(FileKind::File, "arrow"), (FileKind::Stream, "arrows")],
            };
            for (kind, extension) in kinds {
                let squeeze = match (number % 4, kind) {
                    (0, _) => Squeeze::None,
                    (1, _) => Squeeze::Lz4,
                    (2, FileKind::Parquet) => Squeeze::Snappy,
                    _ => Squeeze::Zstd,
                };
                let mut writer = FileWriter::new(kind, Vec::new(), &batch.schema(), squeeze).expect("a file");
                writer.write(&batch).expect("a batch");
                let file = writer.finish().expect("a whole file");
                std::fs::write(folder.join(format!("{number}-{name}.{extension}")), file).expect("a file");
            }
        }
    }
}

/// Writes a value as a list of its kind and what it holds.
fn describe(out: &mut String, value: &Value) {
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let _ = match value {
        Value::Null => write!(out, "[\"null\"]"),
        Value::Bool(value) => write!(out, "[\"bool\",{value}]"),
        Value::Int(number) => write!(out, "[\"int\",{number}]"),
        Value::UInt(number) => write!(out, "[\"int\",{number}]"),
        Value::Big(digits) => write!(out, "[\"int\",{digits}]"),
        Value::Decimal(digits) => write!(out, "[\"decimal\",\"{digits}\"]"),
        Value::F32(number) => write!(out, "[\"float\",\"{:016x}\"]", f64::from(*number).to_bits()),
        Value::F64(number) => write!(out, "[\"float\",\"{:016x}\"]", number.to_bits()),
        Value::Text(text) => {
            let mut quoted = Vec::new();
            string(&mut quoted, text, Short::Lines);
            write!(out, "[\"text\",{}]", String::from_utf8_lossy(&quoted))
        }
        Value::Bytes(bytes) | Value::Octets(bytes) => write!(out, "[\"bytes\",\"{}\"]", hex(bytes)),
        Value::Time(moment) => write!(out, "[\"time\",{},{}]", moment.seconds(), moment.nanos()),
        Value::List(values) => list(out, "list", values),
        Value::Tuple(values) => list(out, "tuple", values),
        Value::Map(pairs) => {
            let pairs: Vec<Value> = pairs.iter().map(|(key, value)| Value::List(vec![key.clone(), value.clone()])).collect();
            list(out, "map", &pairs)
        }
        Value::Record { fields, .. } => {
            let fields: Vec<Value> =
                fields.iter().map(|(name, value)| Value::List(vec![Value::Text(name.clone()), value.clone()])).collect();
            list(out, "record", &fields)
        }
        Value::Variant { name, values, .. } => {
            let _ = write!(out, "[\"case\",\"{name}\",");
            list(out, "tuple", values).and_then(|()| write!(out, "]"))
        }
        Value::Tagged { value, .. } => {
            describe(out, value);
            Ok(())
        }
    };
}

fn list(out: &mut String, kind: &str, values: &[Value]) -> std::fmt::Result {
    write!(out, "[\"{kind}\"")?;
    for value in values {
        out.push(',');
        describe(out, value);
    }
    write!(out, "]")
}
