//! Libraries of BSON.

use bson::Document;
use polywire_core::Result;

use crate::library::{Library, failed};

/// bson's `Document`.
#[derive(Default)]
pub(crate) struct Bson;

impl Library for Bson {
    const NAME: &'static str = "bson";
    const FORMAT: &'static str = "bson";
    const ABOUT: &'static str = "RawDocument to Document, to_writer";
    const WRITES: bool = true;
    type Tree<'m> = Document;

    fn read(&mut self, message: &[u8]) -> Result<Document> {
        let raw = bson::RawDocument::from_bytes(message).map_err(failed)?;
        Document::try_from(raw).map_err(failed)
    }

    fn write(&mut self, tree: &Document, out: &mut Vec<u8>) -> Result<()> {
        tree.to_writer(out).map_err(failed)
    }
}
