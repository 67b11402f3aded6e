//! Libraries of MessagePack.

use polywire_core::Result;

use crate::library::{Library, failed};

/// rmp-serde, with the `Value` of rmpv.
#[derive(Default)]
pub(crate) struct RmpSerde;

impl Library for RmpSerde {
    const NAME: &'static str = "rmp-serde";
    const FORMAT: &'static str = "msgpack";
    const ABOUT: &'static str = "from_slice to rmpv's Value, encode::write";
    const WRITES: bool = true;
    type Tree<'m> = rmpv::Value;

    fn read(&mut self, message: &[u8]) -> Result<rmpv::Value> {
        rmp_serde::from_slice(message).map_err(failed)
    }

    fn write(&mut self, tree: &rmpv::Value, out: &mut Vec<u8>) -> Result<()> {
        rmp_serde::encode::write(out, tree).map_err(failed)
    }
}
