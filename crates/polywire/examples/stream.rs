//! Reads a file of shift reports message by message, in bounded memory.
//!
//! `cargo run -p polywire --example stream`
#![allow(clippy::print_stdout)]

use std::fs::File;

use polywire::Messages;

const TICKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tickets.jsonl");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // An iterator of values: only the part that is asked for.
    let mut reports = 0;
    for report in Messages::new(File::open(TICKETS)?, "jsonl")?.select(&["shift_number"])? {
        let report = report?;
        if reports == 0 {
            println!("the first: {report:?}");
        }
        reports += 1;
    }
    println!("{reports} reports");

    // Or message by message, as trees whose texts lie in the message.
    let mut messages = Messages::new(File::open(TICKETS)?, "jsonl")?;
    let mut longest = (0, 0);
    while let Some(mut message) = messages.next_message()? {
        message.tree()?;
        longest = longest.max((message.bytes().len(), message.number()));
    }
    println!("the longest is number {} with {} bytes", longest.1, longest.0);

    // A mistake has a place, and JSON Lines goes on behind it.
    for value in Messages::new(&b"{\"id\":1}\n{\"id\":oops}\n{\"id\":3}\n"[..], "jsonl")? {
        match value {
            Ok(value) => println!("{value:?}"),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
