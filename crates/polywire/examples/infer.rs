//! Infers the schema of a file of shift reports, and speaks Protobuf by it.
//!
//! `cargo run -p polywire --features schema,protobuf --example infer`
#![allow(clippy::print_stdout)]

use std::fs::File;

use polywire::{Conversion, schema};

const TICKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tickets.jsonl");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let inferred = schema::infer(File::open(TICKETS)?, "jsonl")?;
    let (listing, _) = schema::write(&inferred, "listing")?;
    print!("{listing}");

    let reports = schema::adopt("protobuf-delimited", &inferred)?;
    let mut bytes = Vec::new();
    let done = Conversion::new("jsonl", &reports)?.copy(File::open(TICKETS)?, &mut bytes)?;
    println!("{} reports in {} bytes of Protobuf", done.messages, bytes.len());

    let mut back = Vec::new();
    Conversion::new(&reports, "jsonl")?.copy(&bytes[..], &mut back)?;
    println!("back as they were: {}", back == std::fs::read(TICKETS)?);
    Ok(())
}
