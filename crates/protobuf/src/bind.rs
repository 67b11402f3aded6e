//! Protobuf bound to a schema: readers and writers of one message type.

use std::path::Path;
use std::sync::Arc;

use polywire_core::format::{Binder, Bound, Candidate, Description, Format, Nature, Tables};
use polywire_core::schema::Schema;
use polywire_core::schema::language::SchemaText;
use polywire_core::text::sources::{Files, Loaded, Loader};
use polywire_core::tools::trial;
use polywire_core::{Error, ErrorKind, Fault, Reader, Result, Writer};

use crate::adopt::adopt;
use crate::describe::describe;
use crate::json::{self, JsonCodec, ParseOptions};
use crate::language::of_file;
use crate::model::{Cardinality, MessageId};
use crate::plan::Plan;
use crate::source::{self, Protos};
use crate::text::{self, TextCodec};
use crate::through::{ThroughReader, ThroughWriter};
use crate::walk::{ProtobufReader, ProtobufWriter};
use crate::wire::framing::Framing;

/// The caution about unknown fields in the text format.
const BY_NUMBER: &str = "field that the schema does not have is written by its number: readers need a schema that has it";

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
/// descriptor set. Without a type name, messages have the only one of
/// [`Pool::roots`](crate::model::Pool::roots). By a text with a mapping, values come back as they
/// were.
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

    fn bind_text(&self, schema: &SchemaText<'_>, files: &mut dyn Loader, name: Option<&str>) -> Result<Arc<dyn Bound>> {
        let protos = source::read(schema, files)?;
        if let Some(mapped) = self.mapped(schema.name, schema.bytes, &protos, name) {
            let (plan, declared) = mapped?;
            let declared = Some(Arc::new(declared));
            return Ok(Arc::new(Messages { mapped: true, declared, ..Messages::new(plan, self.0) }));
        }
        let plan = match (name, &protos.pool.roots()[..]) {
            (None, [root]) => Plan::new(&protos.pool, *root),
            (None, roots @ [_, _, ..]) => {
                let names: Vec<&str> = roots.iter().map(|id| &*protos.pool[*id].name).collect();
                return Err(Error::new(ErrorKind::Usage, Fault::Caller)
                    .seen(format!("{} with {} message types that no other one holds", schema.name, names.len()))
                    .expected(format!("the name of one: {}", trial::listed(&names))));
            }
            (name, _) => Plan::named(&protos.pool, name)?,
        };
        Ok(Arc::new(Messages::new(plan, self.0)))
    }

    fn recognises(&self, schema: &[u8]) -> bool {
        source::is_descriptor_set(schema) || std::str::from_utf8(schema).is_ok()
    }

    fn candidates(&self, path: &Path, include: &[String]) -> Result<Vec<Candidate>> {
        let (protos, bytes) = read(path, include)?;
        let roots = protos.pool.roots();
        if self.mapped(&path.display().to_string(), &bytes, &protos, None).is_some() {
            return Ok(Vec::new());
        }
        let [first, _, ..] = roots[..] else { return Ok(Vec::new()) };
        let all = Plan::new(&protos.pool, first);
        let candidate = |id: &MessageId| {
            let bound = Messages::new(all.of(*id), self.0);
            Candidate { name: protos.pool[*id].name.to_string(), bound: Arc::new(bound) }
        };
        Ok(roots.iter().map(candidate).collect())
    }

    fn bind_tables(&self, tables: Tables) -> Option<Arc<dyn Bound>> {
        let plan = tables.downcast::<Plan>().ok()?;
        Some(Arc::new(Messages { plan, speech: self.0, mapped: false, declared: None, parse: ParseOptions::default(), typed: false }))
    }

    fn adopt(&self, schema: &Schema) -> Result<Arc<dyn Bound>> {
        if self.0 == Speech::Json || self.0 == Speech::Text {
            return Err(Error::new(ErrorKind::Unsupported, Fault::Schema)
                .seen("a schema that was inferred")
                .expected("a schema in .proto")
                .hint("write the schema as .proto first: polywire schema infer --lang proto"));
        }
        Ok(Arc::new(Messages { mapped: true, ..Messages::new(adopt(schema)?, self.0) }))
    }
}

impl Protocol {
    /// Returns the plan of the schema that the mapping of a file is about, and that of its
    /// declarations, if it has one and `name` is its message.
    fn mapped(&self, shown: &str, bytes: &[u8], protos: &Protos, name: Option<&str>) -> Option<Result<(Plan, Plan)>> {
        // JSON and text show messages as they are declared.
        if !matches!(self.0, Speech::Bytes(_)) || source::is_descriptor_set(bytes) {
            return None;
        }
        let pool = &protos.pool;
        match name {
            None => {
                let own = pool.message_ids().filter(|id| pool[*id].parent.is_none() && protos.is_main(pool[*id].file));
                of_file(shown, bytes, pool, own)
            }
            // Any other message is as it is declared.
            Some(name) => of_file(shown, bytes, pool, pool.find(name).into_iter()).filter(Result::is_ok),
        }
    }
}

/// Reads the schema in a file. Returns it with the file's bytes.
fn read(path: &Path, include: &[String]) -> Result<(Protos, Vec<u8>)> {
    let shown = path.display().to_string();
    let mut files = Files::new().including(include.to_vec());
    let Loaded { bytes, identity } = files.load(&shown).map_err(|error| Error::io(&format!("reading {shown}"), &error))?;
    let protos = source::read(&SchemaText { name: &shown, bytes: &bytes, identity: &identity }, &mut files)?;
    Ok((protos, bytes))
}

/// A message type of a schema.
#[derive(Debug)]
struct Messages {
    plan: Arc<Plan>,
    speech: Speech,
    /// Values are those of a mapping.
    mapped: bool,
    /// Declarations of a file with a mapping.
    declared: Option<Arc<Plan>>,
    /// Options of parsing JSON.
    parse: ParseOptions,
    /// Values have the types of the common schema.
    typed: bool,
}

impl Messages {
    fn new(plan: Plan, speech: Speech) -> Messages {
        Messages { plan: Arc::new(plan), speech, mapped: false, declared: None, parse: ParseOptions::default(), typed: false }
    }
}

impl Bound for Messages {
    fn reader(&self) -> Box<dyn Reader> {
        match self.speech {
            Speech::Bytes(framing) => Box::new(ProtobufReader::new(Arc::clone(&self.plan), framing).typed(self.typed)),
            Speech::Json => Box::new(ThroughReader::new(JsonCodec::new(&self.plan, self.parse), &self.plan).typed(self.typed)),
            Speech::Text => Box::new(ThroughReader::new(TextCodec::new(&self.plan), &self.plan).typed(self.typed)),
        }
    }

    fn writer(&self) -> Option<Box<dyn Writer>> {
        match self.speech {
            Speech::Bytes(Framing::Confluent) => None,
            Speech::Bytes(framing) => Some(Box::new(ProtobufWriter::new(Arc::clone(&self.plan), framing).typed(self.typed))),
            Speech::Json => Some(Box::new(ThroughWriter::new(JsonCodec::new(&self.plan, self.parse), &self.plan).typed(self.typed))),
            Speech::Text => Some(Box::new(ThroughWriter::new(TextCodec::new(&self.plan), &self.plan).typed(self.typed))),
        }
    }

    fn relay(&self) -> Option<Box<dyn Writer>> {
        match self.speech {
            Speech::Bytes(Framing::Confluent) => None,
            Speech::Bytes(framing) => Some(Box::new(ProtobufWriter::new(Arc::clone(&self.plan), framing).typed(self.typed).unknown(true))),
            Speech::Text => Some(Box::new(ThroughWriter::new(TextCodec::new(&self.plan), &self.plan).typed(self.typed).unknown(BY_NUMBER))),
            // JSON has no names for them.
            Speech::Json => self.writer(),
        }
    }

    fn tables(&self) -> Option<Tables> {
        // JSON and text have no names by these tables.
        (!self.mapped && !self.typed).then(|| Arc::clone(&self.plan) as Tables)
    }

    fn ignoring_unknown(&self) -> Option<Arc<dyn Bound>> {
        let parse = ParseOptions { ignore_unknown: true };
        let plan = Arc::clone(&self.plan);
        (self.speech == Speech::Json).then(|| {
            Arc::new(Messages { plan, speech: self.speech, mapped: false, declared: None, parse, typed: self.typed }) as Arc<dyn Bound>
        })
    }

    fn declared(&self) -> Option<Arc<dyn Bound>> {
        let plan = Arc::clone(self.declared.as_ref()?);
        Some(Arc::new(Messages { plan, speech: self.speech, mapped: false, declared: None, parse: self.parse, typed: self.typed }))
    }

    #[cfg(feature = "columns")]
    fn typed(&self) -> Option<Arc<dyn Bound>> {
        let Messages { plan, speech, mapped, declared, parse, .. } = self;
        let is_needed = !self.typed && !mapped && plan.has_types();
        let made = || Messages {
            plan: Arc::clone(plan),
            speech: *speech,
            mapped: *mapped,
            declared: declared.clone(),
            parse: *parse,
            typed: true,
        };
        is_needed.then(|| Arc::new(made()) as Arc<dyn Bound>)
    }

    fn describe(&self) -> Option<Description> {
        describe(&self.plan)
    }

    fn advice(&self, to: &Format) -> Option<String> {
        let is_own = [json::NAME, text::NAME].contains(&to.name);
        if self.mapped || to.nature != Nature::Text || is_own {
            return None;
        }
        let name = self.plan.known_within()?;
        Some(format!("{name} and the like are written as the messages that they are; --to {} writes their canonical JSON", json::NAME))
    }

    fn list_field(&self) -> Option<&str> {
        let mut lists = self.plan.message(self.plan.root).fields.iter().filter(|field| field.cardinality == Cardinality::Repeated);
        lists.next().filter(|_| lists.next().is_none()).map(|field| &*field.name)
    }
}
