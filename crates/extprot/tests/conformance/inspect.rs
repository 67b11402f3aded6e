//! `inspect`: the tree of a message without its protocol.

use polywire_core::value::{Value as Tree, ValueSink};
use polywire_core::{Budget, Limits, Reader};
use polywire_extprot::plain::PlainReader;
use polywire_extprot::wire::{WireType, prefix, skip, vint};
use serde_json::{Value, json};

use crate::twin::shown::{hex, shown, unhex};
use crate::values;

/// The actual and the expected result of a case; `None` for cases of other kinds.
pub fn outcome(case: &Value) -> Option<(Value, Value)> {
    if case["kind"].as_str()? != "inspect" {
        return None;
    }
    let bytes = unhex(case["hex"].as_str().expect("bytes"));
    let mut sink = ValueSink::default();
    let walked = PlainReader::default().walk(&bytes, 0, &mut sink, &mut Budget::new(&Limits::DEFAULT));
    let told = match walked {
        Ok(()) => Ok(sink.finish().expect("a value")),
        Err(error) => Err(error.to_string()),
    };
    let mut wanted = expected(&case["tree"]);
    if let Ok(told) = &told {
        values::take_nans(&mut wanted, told);
    }
    let wanted = shown(&wanted);
    let told = told.map_or_else(|error| error, |told| shown(&told));
    let (tree, _) = tree(&bytes, 0);
    let mut stated = case["tree"].clone();
    normalize(&mut stated);
    Some((json!([tree, told]), json!([stated, wanted])))
}

/// Numbers in the form of [`tree`]. Vectors may have whole floats without a point, and large
/// numbers as text.
fn normalize(tree: &mut Value) {
    for parts in ["elements", "pairs"] {
        let parts = tree.get_mut(parts).and_then(Value::as_array_mut).into_iter().flatten();
        parts.for_each(|part| match part {
            Value::Array(pair) => pair.iter_mut().for_each(normalize),
            part => normalize(part),
        });
    }
    let value = &tree["value"];
    let same = match tree["wire"].as_str() {
        Some("Bits64_float") => value.as_f64().map(|number| json!(number)),
        Some("Bits64_long") => value.as_i64().map(|number| json!(number.to_string())),
        Some("Vint" | "Bits8" | "Bits32") => value.as_str().and_then(|text| text.parse::<i64>().ok()).map(|number| json!(number)),
        _ => None,
    };
    if let Some(same) = same {
        tree["value"] = same;
    }
}

fn non_finite(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// The tree as the vectors write it, from the primitives of the wire.
fn tree(bytes: &[u8], at: usize) -> (Value, usize) {
    let (found, inside) = prefix(bytes, at).expect("a prefix");
    let end = skip::payload(bytes, inside, found.wire).expect("a whole value");
    let payload = &bytes[inside..end];
    let mut node = json!({"wire": found.wire.name(), "tag": found.tag});
    match found.wire {
        WireType::Vint => {
            let zigzag = vint::read(bytes, inside).expect("a number").0;
            node["value"] = json!(polywire_core::bytes::unzigzag(zigzag));
        }
        WireType::Bits8 => node["value"] = json!(payload[0]),
        WireType::Bits32 => node["value"] = json!(i32::from_le_bytes(payload.try_into().expect("four bytes"))),
        WireType::Bits64Long => node["value"] = json!(i64::from_le_bytes(payload.try_into().expect("eight bytes")).to_string()),
        WireType::Bits64Float => {
            let number = f64::from_le_bytes(payload.try_into().expect("eight bytes"));
            node["value"] = if number.is_finite() { json!(number) } else { json!(non_finite(number)) };
        }
        WireType::Enum => {}
        WireType::Bytes => node["value"] = json!({"hex": hex(&bytes[vint::read(bytes, inside).expect("a length").1..end])}),
        WireType::Tuple | WireType::Htuple | WireType::Assoc => {
            let (_, at) = vint::read(bytes, inside).expect("a length");
            let (count, mut at) = vint::read(bytes, at).expect("a count");
            let values = if found.wire == WireType::Assoc { 2 * count } else { count };
            let mut parts = Vec::new();
            for _ in 0..values {
                let (part, after) = tree(bytes, at);
                parts.push(part);
                at = after;
            }
            if found.wire == WireType::Assoc {
                node["pairs"] = json!(parts.chunks(2).map(|pair| json!(pair)).collect::<Vec<Value>>());
            } else {
                node["elements"] = json!(parts);
            }
        }
    }
    (node, end)
}

/// Returns the value that the reader without a protocol emits for a tree.
fn expected(tree: &Value) -> Tree {
    let tag = tree["tag"].as_u64().expect("a tag");
    let parts = |name: &str| -> Vec<Tree> { tree[name].as_array().expect("parts").iter().map(expected).collect() };
    let value = &tree["value"];
    let plain = match tree["wire"].as_str().expect("a wire type") {
        "Vint" | "Bits8" | "Bits32" => Tree::int(value.as_i64().or_else(|| value.as_str()?.parse().ok()).expect("a number")),
        "Bits64_long" => Tree::int(value.as_str().expect("digits").parse().expect("a number")),
        "Bits64_float" => Tree::F64(value.as_f64().or_else(|| value.as_str()?.parse().ok()).expect("a number")),
        "Bytes" => {
            let bytes = unhex(value["hex"].as_str().expect("bytes"));
            String::from_utf8(bytes).map_or_else(|error| Tree::Octets(error.into_bytes()), Tree::Text)
        }
        "Enum" => return Tree::Variant { name: String::new(), index: tag as u32, values: Vec::new() },
        "Tuple" if tag > 0 => return Tree::Variant { name: String::new(), index: tag as u32, values: parts("elements") },
        "Tuple" => Tree::Tuple(parts("elements")),
        "Htuple" => Tree::List(parts("elements")),
        "Assoc" => {
            let pairs = tree["pairs"].as_array().expect("pairs").iter();
            Tree::Map(pairs.map(|pair| (expected(&pair[0]), expected(&pair[1]))).collect())
        }
        other => panic!("the wire type {other}"),
    };
    if tag == 0 { plain } else { Tree::Tagged { space: "extprot".into(), code: tag, value: Box::new(plain) } }
}
