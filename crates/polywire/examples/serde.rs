//! Reads a JSON message as a type of its own, and writes it in other formats.
#![allow(clippy::print_stdout)]

use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    customer: String,
    state: State,
    lines: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    note: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum State {
    Open,
    Paid { cents: u64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    article: String,
    count: u32,
}

fn main() -> polywire::Result<()> {
    let json = br#"{"id":7,"customer":"Ann","state":{"Paid":{"cents":4950}},"lines":[{"article":"pen","count":3}]}"#;
    let order: Order = polywire::read(json, "json")?;
    println!("order {} of {} has {} line", order.id, order.customer, order.lines.len());

    for format in ["json", "cbor", "msgpack"] {
        let bytes = polywire::write(&order, format)?;
        assert_eq!(polywire::read::<Order>(&bytes, format)?, order);
        println!("{format}: {} bytes", bytes.len());
    }

    // An error has the place and the path of the value.
    let error = polywire::read::<Order>(br#"{"id":7,"customer":["Ann"]}"#, "json").unwrap_err();
    println!("{error}");
    Ok(())
}
