//! extprot bound to a protocol: readers and writers of one message type.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use polywire_core::bind::{Binder, Bound};
use polywire_core::error::{Error, ErrorKind, Fault, Result};
use polywire_core::read::Reader;
use polywire_core::schema::Schema;
use polywire_core::write::Writer;

use crate::plan::Plan;
use crate::protocol::include::{MAX_TEXT, identity};
use crate::protocol::{Files, compile_as};
use crate::walk::{ExtprotReader, ExtprotWriter};

/// Binds extprot to a protocol in a file. Without a name, the last message is meant: what comes before is what it is made of.
#[derive(Debug)]
pub struct Protocols;

impl Binder for Protocols {
    fn bind(&self, path: &Path, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let shown = path.display().to_string();
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| Error::io(&format!("reading {shown}"), &error))?;
        let protocol = compile_as(&shown, &bytes, &identity(path), &mut Files::new())?;
        Ok(Arc::new(Message { plan: Arc::new(Plan::new(&protocol, name)?) }))
    }

    fn adopt(&self, _: &Schema) -> Result<Arc<dyn Bound>> {
        Err(Error::new(ErrorKind::Unsupported, Fault::Schema).seen("a schema that is no protocol").expected("a protocol"))
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
}
