//! The types of the inputs that Protobuf wrote, by a schema that is read at run time; and the judge of their JSON, which is prost-reflect.

use std::sync::Arc;

use polywire_core::Result;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::NoFiles;
use polywire_protobuf::plan::Plan;
use polywire_protobuf::source::{self, Protos};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::failed::failed;

const MESSAGES: &[u8] = include_bytes!("../proto/messages.proto");
const FINDING: &[u8] = include_bytes!("../proto/finding.proto");

/// A message type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    Complex,
    Flat,
    Sales,
    Reply,
}

impl Schema {
    fn name(self) -> &'static str {
        match self {
            Schema::Complex => "peers.Complex",
            Schema::Flat => "peers.Flat",
            Schema::Sales => "peers.Sales",
            Schema::Reply => "peers.FindItemsByKeywordsResponse",
        }
    }

    fn protos(self) -> Result<Protos> {
        let (name, bytes) = if self == Schema::Reply { ("finding.proto", FINDING) } else { ("messages.proto", MESSAGES) };
        source::read(&SchemaText { name, bytes, identity: "" }, &mut NoFiles).map_err(|found| failed(format!("{found:?}")))
    }

    /// The type for our codec.
    pub fn plan(self) -> Result<Arc<Plan>> {
        Plan::named(&self.protos()?.pool, Some(self.name())).map(Arc::new)
    }

    /// The type for prost-reflect.
    pub fn descriptor(self) -> Result<MessageDescriptor> {
        let mut set = Vec::new();
        self.protos()?.set.write(&mut set);
        let pool = DescriptorPool::decode(&*set).map_err(failed)?;
        pool.get_message_by_name(self.name()).ok_or_else(|| failed(format!("{} is not in its schema", self.name())))
    }

    /// Canonical JSON of a message, by the judge.
    pub fn json(self, messages: impl Iterator<Item = impl AsRef<[u8]>>) -> Result<Vec<Vec<u8>>> {
        let descriptor = self.descriptor()?;
        messages
            .map(|bytes| {
                let message = DynamicMessage::decode(descriptor.clone(), bytes.as_ref()).map_err(failed)?;
                serde_json::to_vec(&message).map_err(failed)
            })
            .collect()
    }
}
