//! Protobuf bound to a schema: readers and writers of one message type.

use std::path::Path;
use std::sync::Arc;

use polywire_core::format::{Binder, Bound};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, Loaded, Loader};
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use crate::adopt::adopt;
use crate::json::JsonCodec;
use crate::model::Cardinality;
use crate::plan::Plan;
use crate::source;
use crate::text::TextCodec;
use crate::through::{ThroughReader, ThroughWriter};
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// The encoding of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// Bytes, in a framing.
    Bytes(Framing),
    /// Canonical JSON.
    Json,
    /// The text format.
    Text,
}

/// Binds messages to a schema in a file: `.proto` text, with imports from the include folders, or a
/// descriptor set. Without a type name, messages have the type
/// [`Pool::root`](crate::model::Pool::root).
#[derive(Debug)]
pub struct Protocol(pub Speech);

impl Binder for Protocol {
    fn endings(&self) -> &'static [&'static str] {
        &["proto", "protoset", "desc", "fds", "binpb", "pb"]
    }

    fn writes(&self) -> bool {
        // Confluent's head needs a schema of the registry.
        self.0 != Speech::Bytes(Framing::Confluent)
    }

    fn adopts(&self) -> bool {
        self.writes() && matches!(self.0, Speech::Bytes(_))
    }

    fn bind(&self, path: &Path, name: Option<&str>, include: &[String]) -> Result<Arc<dyn Bound>> {
        let shown = path.display().to_string();
        let mut files = Files::new().including(include.to_vec());
        let Loaded { bytes, identity } = files.load(&shown).map_err(|error| Error::io(&format!("reading {shown}"), &error))?;
        let protos = source::read(&SchemaText { name: &shown, bytes: &bytes, identity: &identity }, &mut files)?;
        let plan = match (name, protos.root()) {
            (None, Some(root)) => Plan::new(&protos.pool, root),
            (name, _) => Plan::named(&protos.pool, name)?,
        };
        Ok(Arc::new(Messages { plan: Arc::new(plan), speech: self.0 }))
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        if self.0 == Speech::Json || self.0 == Speech::Text {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
                .seen("a schema that was inferred")
                .expected("a schema in .proto")
                .hint("write the schema as .proto first: polywire schema infer --lang proto"));
        }
        Ok(Arc::new(Messages { plan: Arc::new(adopt(schema)?), speech: self.0 }))
    }
}

/// A message type of a schema.
#[derive(Debug)]
struct Messages {
    plan: Arc<Plan>,
    speech: Speech,
}

impl Bound for Messages {
    fn reader(&self) -> Box<dyn Reader> {
        match self.speech {
            Speech::Bytes(framing) => Box::new(ProtobufReader::new(Arc::clone(&self.plan), framing)),
            Speech::Json => Box::new(ThroughReader::new(JsonCodec::new(&self.plan), &self.plan)),
            Speech::Text => Box::new(ThroughReader::new(TextCodec::new(&self.plan), &self.plan)),
        }
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        match self.speech {
            Speech::Bytes(Framing::Confluent) => None,
            Speech::Bytes(framing) => Some(Box::new(ProtobufWriter::new(Arc::clone(&self.plan), framing))),
            Speech::Json => Some(Box::new(ThroughWriter::new(JsonCodec::new(&self.plan), &self.plan))),
            Speech::Text => Some(Box::new(ThroughWriter::new(TextCodec::new(&self.plan), &self.plan))),
        }
    }

    fn list_field(&self) -> Option<&str> {
        let mut lists = self.plan.message(self.plan.root).fields.iter().filter(|field| field.cardinality == Cardinality::Repeated);
        lists.next().filter(|_| lists.next().is_none()).map(|field| &*field.name)
    }
}
