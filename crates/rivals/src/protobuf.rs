//! Libraries of Protobuf by a schema at run time.

use polywire_core::format::Dialect;
use polywire_core::{Error, Result};
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::library::{Library, failed};

/// prost-reflect's `DynamicMessage`, by the schema of the messages.
#[derive(Default)]
pub(crate) struct ProstReflect {
    /// Their type; `None` if the messages have no schema.
    message: Option<MessageDescriptor>,
}

impl Library for ProstReflect {
    const NAME: &'static str = "prost-reflect";
    const FORMAT: &'static str = "protobuf";
    const ABOUT: &'static str = "DynamicMessage by the same schema: decode, encode";
    const WRITES: bool = true;
    type Tree<'m> = DynamicMessage;

    fn of(dialect: &Dialect) -> Result<ProstReflect> {
        let Some(schema) = dialect.describe() else { return Ok(ProstReflect::default()) };
        let pool = DescriptorPool::decode(&*schema.bytes).map_err(failed)?;
        Ok(ProstReflect { message: pool.get_message_by_name(&schema.name) })
    }

    fn read(&mut self, message: &[u8]) -> Result<DynamicMessage> {
        let ty = self.message.clone().ok_or_else(|| Error::usage("it needs a schema, which these messages have not"))?;
        DynamicMessage::decode(ty, message).map_err(failed)
    }

    fn write(&mut self, tree: &DynamicMessage, out: &mut Vec<u8>) -> Result<()> {
        tree.encode(out).map_err(failed)
    }
}
