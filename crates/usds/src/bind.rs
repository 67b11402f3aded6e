//! USDS bound to a dictionary: readers and writers of its documents, or of a single root.

use std::sync::Arc;

use polywire_core::format::{Binder, Bound};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::Loader;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use crate::adopt::{Adopted, AdoptedReader, AdoptedWriter, adopt, of_dictionary};
use crate::dictionary::Dictionary;
use crate::document::Form;
use crate::plan::{Op, Plan};
use crate::walk::{Message, UsdsReader, UsdsWriter};

/// Binds USDS to a dictionary file. Without a name, messages are documents that are written with
/// their dictionary. With the name of a tag, messages are bodies of one root of that tag. By a
/// dictionary with a mapping they are bodies of its message, and values as they were before.
#[derive(Debug)]
pub struct Dictionaries;

impl Binder for Dictionaries {
    fn endings(&self) -> &'static [&'static str] {
        &["udic"]
    }

    fn bind_text(&self, schema: &SchemaText<'_>, _: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let dictionary = Dictionary::parse(schema.name, schema.bytes)?;
        if let Some(adopted) = of_dictionary(&dictionary, schema.name) {
            let adopted = adopted?;
            if name.is_none_or(|name| dictionary.tag_id(name) == Some(adopted.tag)) {
                return Ok(Arc::new(Messages(Arc::new(adopted))));
            }
        }
        let message = match name {
            None => Message::Document,
            Some(name) => Message::Root(root(&dictionary, name)?),
        };
        Ok(Arc::new(Documents { plan: Arc::new(Plan::new(Arc::new(dictionary))), message }))
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        Ok(Arc::new(Messages(Arc::new(adopt(schema)?))))
    }
}

fn root(dictionary: &Dictionary, name: &str) -> Result<u32> {
    let found = dictionary.tag_id(name).filter(|id| dictionary.tag(*id).is_some_and(|tag| tag.root));
    found.ok_or_else(|| {
        let roots: Vec<&str> = dictionary.tags().iter().filter(|tag| tag.root).map(|tag| tag.name.as_str()).collect();
        Error::new(ErrorKind::Usage, Fault::Caller).seen(format!("the type `{name}`")).expected(format!("a root: {}", roots.join(", ")))
    })
}

/// Documents or roots of a dictionary.
#[derive(Debug)]
struct Documents {
    plan: Arc<Plan>,
    message: Message,
}

impl Bound for Documents {
    fn reader(&self) -> Box<dyn Reader> {
        let plan = Arc::clone(&self.plan);
        Box::new(match self.message {
            Message::Document => UsdsReader::documents(plan),
            Message::Root(tag) => UsdsReader::roots(plan, tag),
        })
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        let plan = Arc::clone(&self.plan);
        let writer = match self.message {
            Message::Document => UsdsWriter::documents(plan, Form::HeadDictionaryBody).ok()?,
            Message::Root(tag) => UsdsWriter::roots(plan, tag),
        };
        Some(Box::new(writer))
    }

    /// Returns the field that a bare list stands for. For a root: its only array field. For a
    /// document: the only root tag, since roots of one tag form a list, or else the only root tag
    /// that is an array.
    fn list_field(&self) -> Option<&str> {
        let is_array = |op: Op| matches!(op, Op::Array(_));
        match self.message {
            Message::Root(tag) => {
                let Op::Structure(shape) = self.plan.tags[tag as usize - 1] else { return None };
                let fields = self.plan.shapes[shape as usize].slots();
                only(fields.filter(|slot| is_array(self.plan.ops[*slot]))).map(|slot| &*self.plan.slots[slot].name)
            }
            Message::Document => {
                let tags = self.plan.dictionary().tags().iter().zip(&self.plan.tags);
                let roots = tags.filter(|(tag, _)| tag.root);
                let (tag, _) = only(roots.clone()).or_else(|| only(roots.filter(|(_, op)| is_array(**op))))?;
                Some(&tag.name)
            }
        }
    }
}

/// Returns the only item, if there is exactly one.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}

/// Messages of a common schema: bodies of one root.
#[derive(Debug)]
struct Messages(Arc<Adopted>);

impl Bound for Messages {
    fn reader(&self) -> Box<dyn Reader> {
        Box::new(AdoptedReader::new(Arc::clone(&self.0)))
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        Some(Box::new(AdoptedWriter::new(Arc::clone(&self.0))))
    }
}
