//! A sink of one's own: adds up the field `sum` of all vouchers, and builds nothing.
//!
//! `cargo run -p polywire --example sink`
#![allow(clippy::print_stdout)]

use std::fs::File;

use polywire::{Field, Messages, Next, Open, Part, Result, Scalar, Sink, Span};

const TICKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tickets.jsonl");

#[derive(Default)]
struct Takings {
    is_sum: bool,
    vouchers: u64,
    total: f64,
}

impl<'m> Sink<'m> for Takings {
    fn open(&mut self, _: Open<'_>, _: Span) -> Result<Next> {
        Ok(Next::Enter)
    }

    fn field(&mut self, field: Field<'m, '_>, _: Span) -> Result<Next> {
        self.is_sum = field.name.get() == "sum";
        // The reader steps over the values of other fields.
        Ok(if self.is_sum || field.name.get() == "vouchers" { Next::Enter } else { Next::Skip })
    }

    fn scalar(&mut self, value: Scalar<'m, '_>, _: Span) -> Result<()> {
        let sum = match value {
            Scalar::F64(sum, _) => sum,
            Scalar::UInt(sum, _) => sum as f64,
            _ => return Ok(()),
        };
        self.vouchers += 1;
        self.total += sum;
        Ok(())
    }

    fn part(&mut self, _: Part<'_>, _: Span) -> Result<()> {
        Ok(())
    }

    fn close(&mut self, _: Span) -> Result<()> {
        Ok(())
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut takings = Takings::default();
    let mut messages = Messages::new(File::open(TICKETS)?, "jsonl")?;
    while let Some(mut message) = messages.next_message()? {
        message.walk(&mut takings)?;
    }
    println!("{} vouchers, {:.2} in total", takings.vouchers, takings.total);
    Ok(())
}
