//! The conformance vectors of PSYC through the C interface: the same codes, values and cuts as
//! through the Rust one.
#![allow(clippy::undocumented_unsafe_blocks)] // As in `door`.

use std::process::ExitCode;

use serde_json::{Value, json};

mod door;
#[path = "conformance/names.rs"]
mod names;
#[path = "conformance/parse.rs"]
mod parse;
#[path = "conformance/render.rs"]
mod render;
#[path = "conformance/text.rs"]
mod text;
#[path = "../../psyc/tests/conformance/vectors.rs"]
mod vectors;

use vectors::{b64, bytes};

fn main() -> ExitCode {
    vectors::run_all(outcome)
}

/// Returns the result of a case, with all byte strings in base64.
fn outcome(case: &Value) -> Value {
    match case["op"].as_str().unwrap_or_default() {
        "parse" => parse::packet(case),
        "parse_list" => parse::list(case),
        "parse_dict" => parse::dict(case),
        "parse_index" => parse::index(case),
        "parse_update" => parse::update(case),
        "render" => render::packet(case),
        "render_list" => render::list(case),
        "render_dict" => render::dict(case),
        "packet_id" => render::packet_id(case),
        "uniform" => names::uniform(case),
        "entity_type" => names::entity_type(case),
        "text" => text::text(case),
        "match" => names::relation(case),
        "variable" => names::variable(case),
        "method" => names::method(case),
        "number" => names::number(case),
        "char_classes" => names::char_classes(),
        other => json!(format!("no such operation: {other}")),
    }
}
