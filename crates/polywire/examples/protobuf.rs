//! Reads and writes Protobuf by a `.proto` file.
//!
//! `cargo run -p polywire --features protobuf --example protobuf`
#![allow(clippy::print_stdout)]

use polywire::{Messages, Value};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/search.proto");
const REPLY: &[u8] = include_bytes!("../../../examples/search-reply.pb");

fn main() -> polywire::Result<()> {
    let reply = polywire::bind_file("protobuf", SCHEMA, &[], None)?;
    let json = polywire::convert(REPLY, &reply, "json")?;
    println!("{} bytes of Protobuf are {} bytes of JSON", REPLY.len(), json.len());

    let mut items = Messages::new(REPLY, &reply)?.each("searchResult.item")?.select(&["title"])?;
    if let Some(Value::Record { fields, .. }) = items.next().transpose()? {
        println!("the first of {} items: {:?}", 1 + items.count(), fields[0].1);
    }

    // A schema may also be text in the program.
    let order = polywire::bind("protobuf", r#"syntax = "proto3"; message Order { int32 id = 1; string note = 2; }"#, None)?;
    println!("{:02x?}", polywire::convert(br#"{"id":7,"note":"a"}"#, "json", &order)?);
    Ok(())
}
