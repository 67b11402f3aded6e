//! Converts a message, a file of shift reports, and a message that JSON cannot keep whole.
//!
//! `cargo run -p polywire --example convert`
#![allow(clippy::print_stdout)]

use std::fs::File;

use polywire::Conversion;

const TICKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tickets.jsonl");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A message in memory.
    let cbor = polywire::convert(br#"{"id":7,"tags":["a","b"]}"#, "json", "cbor")?;
    println!("{} bytes of CBOR", cbor.len());

    // A file of any length, in bounded memory.
    let mut packed = Vec::new();
    let done = Conversion::new("jsonl", "msgpack")?.copy(File::open(TICKETS)?, &mut packed)?;
    println!("{} shift reports in {} bytes of MessagePack", done.messages, packed.len());

    // JSON has no bytes: the conversion fails, or says what became of them.
    let keyed = b"\x81\xa3key\xc4\x02\x01\x02";
    println!("{}", polywire::convert(keyed, "msgpack", "json").unwrap_err());
    let converted = Conversion::new("msgpack", "json")?.lossy().run(keyed)?;
    print!("{}", String::from_utf8_lossy(&converted.bytes));
    for loss in converted.losses.iter() {
        println!("  {loss}");
    }
    Ok(())
}
