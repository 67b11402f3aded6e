//! Reads a stream of MessagePack from a file, message by message, and writes JSON Lines. The memory
//! is that of one message, however long the file is.
//!
//! `cargo run -p polywire --features serde --example typed_stream -- [FILE]`

use std::fs::File;
use std::io::{self, Write};

use polywire::serde::{Messages, StreamWriter};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Shift {
    shift_number: u64,
    vouchers: Vec<Voucher>,
}

#[derive(Serialize, Deserialize)]
struct Voucher {
    goods_name: String,
    sum: f64,
}

/// One line of the output.
#[derive(Serialize)]
struct Total<'s> {
    shift: u64,
    sum: f64,
    dearest: Option<&'s str>,
    /// Where the message is in the file.
    offset: u64,
}

const SHIFTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/examples/shifts.msgpack");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| SHIFTS.to_string());
    let mut shifts = Messages::<_, Shift>::new(File::open(file)?, "msgpack")?;
    let mut totals = StreamWriter::new(io::stdout().lock(), "jsonl")?;
    // `for shift in shifts` does the same, without the place of each message.
    while let Some(shift) = shifts.next() {
        let shift = shift?;
        let sum = shift.vouchers.iter().map(|voucher| voucher.sum).sum();
        let dearest = shift.vouchers.iter().max_by(|a, b| a.sum.total_cmp(&b.sum));
        let dearest = dearest.map(|voucher| &*voucher.goods_name);
        totals.write(&Total { shift: shift.shift_number, sum, dearest, offset: shifts.range().start })?;
    }
    totals.finish()?.flush()?;
    Ok(())
}
