//! Libraries of CBOR.

use minicbor::data::Token;
use polywire_core::Result;

use crate::library::{Library, failed};

/// ciborium's `Value`.
#[derive(Default)]
pub(crate) struct Ciborium;

impl Library for Ciborium {
    const NAME: &'static str = "ciborium";
    const FORMAT: &'static str = "cbor";
    const ABOUT: &'static str = "from_reader to Value, into_writer";
    const WRITES: bool = true;
    type Tree<'m> = ciborium::Value;

    fn read(&mut self, message: &[u8]) -> Result<ciborium::Value> {
        ciborium::from_reader(message).map_err(failed)
    }

    fn write(&mut self, tree: &ciborium::Value, out: &mut Vec<u8>) -> Result<()> {
        ciborium::into_writer(tree, out).map_err(failed)
    }
}

/// minicbor's tokens: it has no tree for messages of unknown shape.
#[derive(Default)]
pub(crate) struct Minicbor;

impl Library for Minicbor {
    const NAME: &'static str = "minicbor";
    const FORMAT: &'static str = "cbor";
    const ABOUT: &'static str = "Tokenizer to a flat list of tokens, Encoder::tokens of it";
    const WRITES: bool = true;
    type Tree<'m> = Vec<Token<'m>>;

    fn read<'m>(&mut self, message: &'m [u8]) -> Result<Vec<Token<'m>>> {
        minicbor::decode::Tokenizer::new(message).collect::<Result<Vec<Token<'m>>, _>>().map_err(failed)
    }

    fn write(&mut self, tree: &Vec<Token<'_>>, out: &mut Vec<u8>) -> Result<()> {
        minicbor::Encoder::new(out).tokens(tree).map_err(failed)
    }
}
