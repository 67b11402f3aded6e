//! Reads MessagePack from a socket as it comes.
//!
//! `cargo run -p polywire --features tokio --example tokio`
#![allow(clippy::print_stdout)]

use polywire::tokio::Messages;
use tokio::io::AsyncWriteExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (mut sender, socket) = tokio::io::duplex(64);
    let sending = tokio::spawn(async move {
        // Messages in pieces, as networks cut them.
        let bytes = polywire::convert(br#"{"id":1} {"id":2} [3,"three"]"#, "json", "msgpack")?;
        for piece in bytes.chunks(3) {
            sender.write_all(piece).await?;
        }
        Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    });

    let mut messages = Messages::new(socket, "msgpack")?;
    while let Some(mut message) = messages.next_message().await? {
        println!("{} bytes at {}: {:?}", message.bytes().len(), message.offset(), message.value()?);
    }
    sending.await?
}
