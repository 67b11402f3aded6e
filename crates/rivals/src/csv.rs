//! Libraries of CSV.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};
use polywire_core::Result;

use crate::library::{Library, failed};

/// csv's `StringRecord`s. The first message has the header too, which is a record like the others.
#[derive(Default)]
pub(crate) struct Csv;

impl Library for Csv {
    const NAME: &'static str = "csv";
    const FORMAT: &'static str = "csv";
    const ABOUT: &'static str = "Reader to StringRecords, Writer::write_record; cells are text, quoted or not";
    const WRITES: bool = true;
    type Tree<'m> = Vec<StringRecord>;

    fn read(&mut self, message: &[u8]) -> Result<Vec<StringRecord>> {
        let mut reader = ReaderBuilder::new().has_headers(false).buffer_capacity(message.len().clamp(1, 1 << 13)).from_reader(message);
        reader.records().collect::<std::result::Result<_, _>>().map_err(failed)
    }

    fn write(&mut self, tree: &Vec<StringRecord>, out: &mut Vec<u8>) -> Result<()> {
        let mut writer = WriterBuilder::new().has_headers(false).from_writer(out);
        tree.iter().try_for_each(|record| writer.write_record(record)).map_err(failed)?;
        writer.flush().map_err(failed)
    }
}
