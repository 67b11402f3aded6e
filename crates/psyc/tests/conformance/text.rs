//! Text templates.

use std::collections::HashMap;

use polywire_psyc::text::{Status, Text};
use serde_json::{Value, json};

use super::{b64, bytes};

pub fn text(case: &Value) -> Value {
    let template = bytes(&case["template"]);
    let vars: HashMap<Vec<u8>, Vec<u8>> =
        case["vars"].as_object().expect("vars").iter().map(|(name, value)| (name.clone().into_bytes(), bytes(value))).collect();
    let (open, close) = (bytes(&case["open"]), bytes(&case["close"]));
    let mut text = if open.is_empty() { Text::new(&template) } else { Text::with_braces(&template, &open, &close) };
    let mut sizes: Vec<usize> =
        case["buffers"].as_array().map_or(vec![4096], |sizes| sizes.iter().map(|size| size.as_u64().expect("a size") as usize).collect());
    sizes.reverse();
    let (mut codes, mut pieces) = (Vec::new(), Vec::new());
    let mut size = 0;
    // A piece that is larger than the last buffer never comes.
    for _ in 0..1000 {
        size = sizes.pop().unwrap_or(size);
        let mut out = vec![0; size];
        let filled = text.fill(&mut out, |name| vars.get(name));
        codes.push(filled.status.number());
        pieces.push(out[..filled.written].to_vec());
        match filled.status {
            Status::Incomplete => {}
            Status::Complete => {
                let shown: Vec<Value> = pieces.iter().map(|piece| b64(piece)).collect();
                return json!({ "rcs": codes, "output": b64(&pieces.concat()), "pieces": shown });
            }
            Status::NoSubstitution => break,
        }
    }
    json!({ "rcs": codes })
}
