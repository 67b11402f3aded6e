//! Compares two versions of a `.proto` file, and shows the messages that break.
//!
//! `cargo run -p polywire --features schema,protobuf --example check`
#![allow(clippy::print_stdout)]

use polywire::schema::{self, Direction, Reading};

const OLD: &str = include_str!("../../../testdata/schemas/shop.proto");
const NEW: &str = include_str!("../../../testdata/schemas/shop-changed.proto");

fn main() -> polywire::Result<()> {
    let comparison = schema::check(OLD, NEW, "proto")?;
    for finding in comparison.findings.iter().filter(|finding| finding.effect().breaks()) {
        println!("{}: {}", finding.path, finding.message);
        for direction in Direction::ALL {
            let Some(witness) = &finding.outcome(direction).witness else { continue };
            let read = match &witness.read {
                Reading::Refused(error) => format!("is refused: {error}"),
                Reading::As(value) => format!("is read as {value}"),
            };
            println!("  {}: {:02x?}, meant as {}, {read}", direction.name(), witness.bytes, witness.meant);
        }
    }
    Ok(())
}
