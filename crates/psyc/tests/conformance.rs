//! The conformance vectors: every file of `testdata/psyc`, and of `$POLYWIRE_VECTORS/psyc` if that
//! is set.
//!
//! One line a file; a failure names the case, what was expected and what came. A case of an unknown
//! operation fails.

use std::process::ExitCode;

use serde_json::{Value, json};

#[path = "conformance/keyword.rs"]
mod keyword;
#[path = "conformance/number.rs"]
mod number;
#[path = "conformance/parse.rs"]
mod parse;
#[path = "conformance/render.rs"]
mod render;
#[path = "conformance/text.rs"]
mod text;
#[path = "conformance/uniform.rs"]
mod uniform;
#[path = "conformance/vectors.rs"]
mod vectors;

use vectors::{b64, bytes};

fn main() -> ExitCode {
    vectors::run_all(outcome)
}

/// The result of a case, with all byte strings in base64.
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
        "uniform" => uniform::uniform(case),
        "entity_type" => uniform::entity_type(case),
        "text" => text::text(case),
        "match" => keyword::relation(case),
        "variable" => keyword::variable(case),
        "method" => keyword::method(case),
        "number" => number::number(case),
        "char_classes" => number::char_classes(),
        other => json!(format!("no such operation: {other}")),
    }
}
