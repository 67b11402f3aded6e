//! Ticket sales by the crate bson and serde.

use polywire_core::Result;
use prost::Message;

use super::Codec;
use super::model::Sales;
use crate::failed::failed;

/// Owned values, without a document between. Times are integers, which take the eight bytes that BSON's dates do.
pub struct Bson;

impl Codec for Bson {
    type Decoded<'b> = Sales;
    type Value = Sales;

    fn decode(bytes: &[u8]) -> Result<Sales> {
        bson::deserialize_from_slice(bytes).map_err(failed)
    }

    fn encode(value: &Sales, out: &mut Vec<u8>) -> Result<()> {
        bson::serialize_to_buffer(value, out).map_err(failed)
    }

    fn to_protobuf(decoded: &Sales) -> Result<Vec<u8>> {
        Ok(decoded.encode_to_vec())
    }

    fn of_protobuf(bytes: &[u8]) -> Result<Sales> {
        Sales::decode(bytes).map_err(failed)
    }
}
