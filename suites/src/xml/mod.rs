//! Suites of XML.

mod canonical;
pub mod libxml2;
pub mod w3c;

use polywire_core::Result;
use polywire_core::tools::adapt::Doubles;
use polywire_formats::xml::FORMAT;

use crate::testee;

/// Returns the canonical form of a document as the library reads it.
fn canonical(document: &[u8]) -> Result<String> {
    let mut sink = canonical::Canonical::default();
    testee::walk(&FORMAT, document, &mut sink)?;
    Ok(sink.finish())
}

/// Returns a document as the library writes it.
fn written(document: &[u8]) -> Result<Vec<u8>> {
    testee::written(&FORMAT, &FORMAT, Doubles::Keep, document)
}
