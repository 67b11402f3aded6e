//! Libraries of bencode.

use polywire_core::Result;
use serde_bencode::value::Value;

use crate::library::{Library, failed};

/// serde_bencode's `Value`.
#[derive(Default)]
pub(crate) struct SerdeBencode;

impl Library for SerdeBencode {
    const NAME: &'static str = "serde_bencode";
    const FORMAT: &'static str = "bencode";
    const ABOUT: &'static str = "from_bytes to Value, to_bytes";
    const WRITES: bool = true;
    type Tree<'m> = Value;

    fn read(&mut self, message: &[u8]) -> Result<Value> {
        serde_bencode::from_bytes(message).map_err(failed)
    }

    fn write(&mut self, tree: &Value, out: &mut Vec<u8>) -> Result<()> {
        let written = serde_bencode::to_bytes(tree).map_err(failed)?;
        if out.is_empty() {
            *out = written;
        } else {
            out.extend_from_slice(&written);
        }
        Ok(())
    }
}
