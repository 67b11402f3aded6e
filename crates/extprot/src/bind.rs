//! extprot bound to a protocol: readers and writers of one message type.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Reader, Result, Writer};

use crate::adopt::adopt;
use crate::language::of_file;
use crate::plan::{MessageKind, Plan, Shape};
use crate::protocol::compile_as;
use crate::walk::{ExtprotReader, ExtprotWriter};

/// Binds extprot to a protocol file. Without a name, the last message that can be written is used,
/// because earlier messages are usually its parts. By a protocol with a mapping, values come
/// back as they were.
#[derive(Debug)]
pub struct Protocols;

impl Binder for Protocols {
    fn endings(&self) -> &'static [&'static str] {
        &["extprot"]
    }

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let SchemaText { name: shown, bytes, identity } = *schema;
        let protocol = compile_as(shown, bytes, identity, files)?;
        let declared = Plan::new(&protocol, name)?;
        let plan = match (of_file(shown, bytes, &declared), name) {
            (Some(Ok(mapped)), _) => mapped,
            // The message may be another one than that of the mapping.
            (None | Some(Err(_)), Some(_)) | (None, None) => declared,
            (Some(Err(error)), None) => return Err(error),
        };
        Ok(Arc::new(Message { plan: Arc::new(plan) }))
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        Ok(Arc::new(Message { plan: Arc::new(adopt(schema)?) }))
    }
}

/// A message type of a protocol.
#[derive(Debug)]
struct Message {
    plan: Arc<Plan>,
}

impl Bound for Message {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(ExtprotReader::new(Arc::clone(&self.plan)))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        ExtprotWriter::new(Arc::clone(&self.plan)).ok().map(|writer| Box::new(writer) as Box<dyn Writer>)
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        ExtprotWriter::new(Arc::clone(&self.plan)).ok().map(|writer| Box::new(writer.unknown(true)) as Box<dyn Writer>)
    }

    fn list_field(&self) -> Option<&str> {
        let Shape::Message { cases, kind: MessageKind::Plain, .. } = self.plan.nodes[self.plan.root as usize].shape else { return None };
        let slots = self.plan.cases[cases.range()].first()?.slots;
        let mut lists = slots.range().filter(|slot| {
            let node = self.plan.slots[*slot].node;
            matches!(self.plan.nodes[node as usize].shape, Shape::List(_))
        });
        lists.next().filter(|_| lists.next().is_none()).map(|slot| &*self.plan.names[slot])
    }
}
