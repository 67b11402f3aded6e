//! Reads messages of a type from a socket as they come.
//!
//! `cargo run -p polywire --features serde,tokio --example typed_tokio`
#![allow(clippy::print_stdout)]

use polywire::tokio::TypedMessages;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;

#[derive(Debug, Serialize, Deserialize)]
struct Reading {
    sensor: String,
    celsius: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (mut sender, socket) = tokio::io::duplex(64);
    let sending = tokio::spawn(async move {
        let mut bytes = Vec::new();
        let readings = [("roof", -3.5), ("hall", 20.0)].map(|(sensor, celsius)| Reading { sensor: sensor.into(), celsius });
        polywire::write_all(readings, &mut bytes, "cbor")?;
        // A sensor of another program, with another type.
        bytes.extend(polywire::write(&("cellar", 11), "cbor")?);
        bytes.extend(polywire::write(&std::collections::BTreeMap::from([("name", "attic")]), "cbor")?);
        // Messages in pieces, as networks cut them.
        for piece in bytes.chunks(3) {
            sender.write_all(piece).await?;
        }
        Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    });

    let mut readings = TypedMessages::<_, Reading>::new(socket, "cbor")?;
    while let Some(reading) = readings.next_value().await {
        match reading {
            Ok(reading) => println!("{:?}: {reading:?}", readings.range()),
            Err(error) => println!("{:?}: {error}", readings.range()),
        }
    }
    sending.await?
}
